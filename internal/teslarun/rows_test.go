package teslarun

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/rowtrace"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// written are the tests that hold instructions against formulas and values that are written out.
var written = []rowtrace.Test{
	{"integers", TestIntegers}, {"floats", TestFloats}, {"doubles", TestDoubles}, {"functions", TestSpecialFunctions}, {"quadop", TestQuadop},
	{"between integers", TestIntegerConversions}, {"from integers", TestFromIntegers}, {"to integers", TestToIntegers},
	{"between floats", TestFloatConversions}, {"wide conversions", TestWideConversions},
	{"predicates", TestPredicates}, {"loops", TestLoops}, {"branches", TestBranches}, {"calls", TestCalls}, {"recursion", TestRecursion},
	{"preret", TestReturnAddress}, {"branch through memory", TestBranchThroughMemory}, {"exits", TestExits}, {"quads", TestQuads},
	{"discard", TestDiscard}, {"votes", TestVotes}, {"stack", TestStackFaults},
	{"global", TestGlobal}, {"local", TestLocal}, {"constants", TestConstants}, {"hidden increment", TestHiddenIncrement}, {"third beside p[]", TestThirdBesidePrimitive}, {"shared", TestShared}, {"outputs", TestOutputs},
	{"attributes", TestAttributes}, {"moves", TestMoves}, {"address registers", TestAddressRegisters}, {"missing address registers", TestMissingAddressRegisters}, {"atomics", TestAtomics}, {"locks", TestLocks},
	{"interpolation", TestInterpolation}, {"special registers", TestSpecialRegisters}, {"idle", TestIdle}, {"traps", TestTraps}, {"vertices", TestVertices},
	{"barriers", TestBarriers}, {"words of bar", TestBarrierWords}, {"textures", TestTextures}, {"texture size", TestTextureSize}, {"texture levels", TestTextureLod},
}

// TestRowsRun: every row with a meaning runs somewhere against a value that its lift did not make: in a case of the
// repository, or in a test of written.
func TestRowsRun(t *testing.T) {
	e := rowtrace.New(ref.New())
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "tesla", Engine: e})
	if err != nil || s.Failed > 0 || s.Passed < 1000 {
		t.Errorf("%v, %v: TestStates names the cases that fail", s, err)
	}
	rowtrace.Hold(t, tesla.Set(), e, &noted, written)
}

// noted is where the instructions of this package's tests are noted while TestRowsRun runs them; else nil.
var noted *rowtrace.Engine

// note notes an instruction that a test runs.
func note(b *isa.Bundle) { noted.Note(b.Parts[0].Def) }

// TestStates runs the state cases of the repository.
func TestStates(t *testing.T) {
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "tesla", Each: func(r check.Result) {
		if r.Status != check.Passed {
			t.Error(r)
		}
	}})
	if err != nil || s.Passed < 1000 {
		t.Error(s, err)
	}
}
