package gcnrun

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/rowtrace"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// written are the tests that hold instructions against formulas and values that are written out.
var written = []struct {
	name string
	test func(t *testing.T)
}{
	{"buffer forms", TestBufferForms}, {"buffer formats", TestBufferFormats}, {"flat forms", TestFlatForms}, {"caches", TestCacheInstructions}, {"functions", TestFunctions}, {"mac legacy", TestMacLegacy}, {"idle", TestIdle},
	{"SMRD", TestSMRD}, {"scalar store", TestScalarStore}, {"scalar buffer store", TestScalarBufferStore}, {"time", TestTime}, {"trap", TestTrap}, {"jumps", TestJumps}, {"barrier", TestBarrier},
	{"interpolation", TestInterpolation}, {"exports", TestExports},
	{"image sample", TestImageSample}, {"image formats", TestImageFormats}, {"image addresses", TestImageAddresses}, {"image packed", TestImagePacked},
	{"image size", TestImageSize}, {"image atomic", TestImageAtomic}, {"image lod", TestImageLod}, {"image older", TestImageOlder},
	{"conditional swap", TestConditionalSwap}, {"semaphore", TestSemaphore}, {"global barrier", TestGlobalBarrier}, {"fork", TestFork}, {"skip", TestVectorSkip},
	{"hardware registers", TestHardwareRegisters}, {"debug branches", TestDebugBranches}, {"ends", TestEnds}, {"trap return", TestTrapReturn},
	{"older functions", TestOlderFunctions}, {"mullit", TestMullit}, {"quad sums", TestQuadSums}, {"move forms", TestMoveForms},
}

// TestRowsRun: every row with a meaning runs somewhere against a value that its lift did not make: in a case of the
// repository, as a form of an instruction in a case, or in a test of written.
func TestRowsRun(t *testing.T) {
	e := rowtrace.New(ref.New())
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "gcn", Engine: e})
	if err != nil || s.Failed > 0 {
		t.Errorf("%v, %v: TestStates names the cases that fail", s, err)
	}
	runForms(t, e)
	noted = e
	defer func() { noted = nil }()
	for _, w := range written {
		t.Run(w.name, w.test)
	}
	if rowtrace.Cut(t) {
		return
	}
	ran := map[string]bool{}
	for _, d := range e.Rows() {
		ran[rowName(d)] = true
	}
	for _, r := range rowsWithMeaning(t) {
		if !ran[r] {
			t.Errorf("%s: runs against no value that its lift did not make: it needs a case in cases/state, or a test in written", r)
		}
	}
}

// rowsWithMeaning are the names of all rows that can run. Rows of several generations that differ in nothing but opcode
// and layout have one name.
func rowsWithMeaning(t *testing.T) (names []string) {
	seen := map[string]uint32{}
	for i := range gcn.Set().Defs {
		d := &gcn.Set().Defs[i]
		if d.Meaning == nil || d.Alias {
			continue
		}
		name := rowName(d)
		if seen[name]&d.Variants != 0 {
			t.Fatalf("two rows are %s", name)
		}
		if seen[name] == 0 {
			names = append(names, name)
		}
		seen[name] |= d.Variants
	}
	return names
}

// rowName names a row in a form: mnemonic, encoding, and the modifiers and operands that tell it from others of its name.
func rowName(d *isa.Def) string {
	name := d.Name + " " + d.Enc.Name
	for i := range d.Args {
		if a := &d.Args[i]; a.Place == isa.Required || d.Enc.Name[:2] == "SM" && (a.Name == "soffset" || a.Name == "k") || d.Enc.Name == "EXP" {
			name += " " + a.Name
		}
	}
	return name
}

// noted is where the instructions of this package's tests are noted while TestRowsRun runs them; else nil.
var noted *rowtrace.Engine

// note notes the instruction of the code.
func (m *memRun) note(code []byte) {
	if noted == nil {
		return
	}
	var b isa.Bundle
	if err := m.target.DecodeBundle(code, 0, &b); err != nil {
		m.t.Fatal(err)
	}
	noted.Note(b.Parts[0].Def)
}
