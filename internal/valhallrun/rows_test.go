package valhallrun

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/rowtrace"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// written are the tests that hold instructions against formulas and values that are written out.
var written = []rowtrace.Test{
	{"floats", TestFloats}, {"frexp", TestFrexp}, {"cube maps", TestCubes}, {"conversions", TestConversions},
	{"exponential", TestExponential}, {"logarithm", TestLogarithm}, {"sines", TestSines}, {"inverses", TestInverses}, {"tables", TestTables},
	{"atomics", TestAtomics},
	{"buffer loads", TestBufferLoads}, {"bytes of buffers", TestBufferBytes},
	{"barrier", TestBarrier},
	{"sums", TestSums}, {"unary integers", TestUnaryIntegers}, {"vectors of integers", TestVectorsOfIntegers}, {"wide integers", TestWideIntegers},
	{"shifts", TestShifts}, {"mux", TestMux}, {"comparisons", TestComparisons}, {"selects", TestSelects},
	{"permutations", TestPermutations}, {"lane masks", TestLaneMask},
	{"branches to registers", TestBranchToRegister},
	{"permutations", TestPermutations}, {"lane masks", TestLaneMask}, {"branches", TestBranches}, {"branches to registers", TestBranchesToRegisters},
	{"attributes", TestAttributes}, {"images", TestImages}, {"buffer addresses", TestBufferAddress},
	{"textures", TestTiled}, {"fetches", TestFetch}, {"gathers", TestGather}, {"two textures", TestDual},
	{"varyings", TestVaryings}, {"varyings by handle", TestVaryingsByHandle}, {"textures at varyings", TestVaryingTextures},
	{"discards", TestDiscard}, {"coverage", TestCoverage}, {"blending", TestBlend}, {"tile", TestTile},
}

// TestRowsRun: every row with a meaning runs somewhere against a value that its lift did not make: in a case of the
// repository, or in a test of written.
func TestRowsRun(t *testing.T) {
	e := rowtrace.New(ref.New())
	runStates(t, e)
	rowtrace.Hold(t, valhall.Set(), e, &noted, written)
}

// noted is where the instructions of this package's tests are noted while TestRowsRun runs them; else nil.
var noted *rowtrace.Engine

// note notes an instruction that a test runs.
func note(b *isa.Bundle) { noted.Note(b.Parts[0].Def) }

// runStates runs the state cases of the repository. Cases that meet a row whose meaning is not built yet pass over it.
func runStates(t *testing.T, e exec.Engine) {
	t.Helper()
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "valhall", Engine: e, Each: func(r check.Result) {
		if r.Status == check.Failed && !r.Lacking {
			t.Error(r)
		}
	}})
	if err != nil || s.Passed == 0 {
		t.Fatal(s, err)
	}
}

// TestStates runs the state cases of the repository.
func TestStates(t *testing.T) { runStates(t, ref.New()) }
