package valhallrun

import (
	"context"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/rowtrace"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// written are the tests that hold instructions against formulas and values that are written out.
var written = []struct {
	name string
	test func(t *testing.T)
}{
	{"floats", TestFloats}, {"frexp", TestFrexp}, {"cube maps", TestCubes}, {"conversions", TestConversions},
	{"exponential", TestExponential}, {"logarithm", TestLogarithm}, {"sines", TestSines}, {"inverses", TestInverses}, {"tables", TestTables},
	{"atomics", TestAtomics},
	{"buffer loads", TestBufferLoads},
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

// lacking are rows with a meaning that no formula and no case runs yet.
var lacking []string

// TestRowsRun: every row with a meaning runs somewhere against a value that its lift did not make: in a case of the
// repository, or in a test of written.
func TestRowsRun(t *testing.T) {
	e := rowtrace.New(ref.New())
	runStates(t, e)
	noted = e
	defer func() { noted = nil }()
	for _, w := range written {
		t.Run(w.name, w.test)
	}
	ran := e.Rows()
	for i := range valhall.Set().Defs {
		d := &valhall.Set().Defs[i]
		lacks := slices.Contains(lacking, d.Name)
		switch runs := slices.Contains(ran, d); {
		case d.Meaning != nil && !d.Alias && !runs && !lacks:
			t.Errorf("%s: runs against no value that its lift did not make: it needs a case in cases/state, or a test in written", d.Name)
		case runs && lacks:
			t.Errorf("%s: runs, and is in lacking", d.Name)
		}
	}
}

// noted is where the instructions of this package's tests are noted while TestRowsRun runs them; else nil.
var noted *rowtrace.Engine

// note notes an instruction that a test runs.
func note(b *isa.Bundle) {
	if noted != nil {
		noted.Note(b.Parts[0].Def)
	}
}

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
