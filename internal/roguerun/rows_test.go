package roguerun

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/rowtrace"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

// written are the tests that hold groups against formulas and values that are written out.
var written = []rowtrace.Test{
	{"floats", TestFloats}, {"special functions", TestSpecial}, {"sines", TestSines}, {"gamma", TestGamma}, {"gradients", TestGradients},
	{"narrow integers", TestNarrow}, {"wide integers", TestWide}, {"tests", TestTests}, {"moves", TestMoves},
	{"packs", TestPacks}, {"unpacks", TestUnpacks}, {"shared exponents", TestShared}, {"coverage", TestCoverage}, {"the bit unit", TestBits}, {"places", TestPlaces}, {"far registers", TestFar},
	{"branches", TestBranches}, {"links", TestLinks}, {"idle", TestIdle}, {"base offsets", TestBase},
	{"conditionals", TestConditionals}, {"half a choice of an address", TestCallLook}, {"loop", TestLoop}, {"calls", TestCalls},
	{"loads", TestLoads}, {"stores", TestStores}, {"atomics", TestAtomics}, {"faults", TestFaults}, {"pending", TestPending}, {"turns", TestTurns}, {"dynamic constants", TestDynamic},
	{"packs by value", TestPackAny}, {"coverage masks", TestCovered}, {"sample masks", TestSampleMasks}, {"vertices", TestVertices}, {"samples", TestSampleForms}, {"iterated samples", TestIteratedForms},
	{"turns with outputs", TestTurnsBeside}, {"dynamic constants beside", TestDynamicBeside},
	{"outputs", TestOutputs}, {"feedback", TestFeedback}, {"iterations", TestIterations}, {"iterations by number", TestDirectIterations},
}

// TestRowsRun: every row of the main unit, of the bit unit and of the maps that has a meaning and a public encoding runs in a test of
// written, against a value that its lift did not make.
func TestRowsRun(t *testing.T) {
	e := rowtrace.New(ref.New())
	rowtrace.HoldThose(t, rogue.Set(), e, &noted, written, func(d *isa.Def) bool {
		return !d.Private && slices.Contains([]string{"2", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7", "5.8", "5.9"}, strings.TrimPrefix(d.Source, "docs/reference/rogue.md "))
	})
}

// noted is where the instructions of this package's tests are noted while TestRowsRun runs them; else nil.
var noted *rowtrace.Engine

// TestStates runs the state cases of the repository.
func TestStates(t *testing.T) {
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "rogue", Engine: ref.New(), Each: func(r check.Result) {
		if r.Status == check.Failed && !r.Lacking {
			t.Error(r)
		}
	}})
	if err != nil || s.Passed == 0 {
		t.Fatal(s, err)
	}
}
