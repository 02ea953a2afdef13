package rowtrace

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// A Test holds instructions against formulas and values that are written out. Lists of tests name no fields.
type Test = struct {
	Name string
	Run  func(t *testing.T)
}

// Hold runs the tests of a package, which note instructions at *noted: e while Hold runs, else nil. Then each row of the set with
// a meaning has run on e or was noted: against a value that its lift did not make.
func Hold(t *testing.T, set *isa.Set, e *Engine, noted **Engine, written []Test) {
	t.Helper()
	HoldThose(t, set, e, noted, written, func(*isa.Def) bool { return true })
}

// HoldThose is Hold for some rows only.
func HoldThose(t *testing.T, set *isa.Set, e *Engine, noted **Engine, written []Test, which func(*isa.Def) bool) {
	t.Helper()
	*noted = e
	defer func() { *noted = nil }()
	for _, w := range written {
		t.Run(w.Name, w.Run)
	}
	if Cut(t) {
		return
	}
	ran := e.Rows()
	for i := range set.Defs {
		if d := &set.Defs[i]; d.Meaning != nil && !d.Alias && which(d) && !slices.Contains(ran, d) {
			t.Errorf("%s (%s): %s, variants %b, stages %b: runs against no value that its lift did not make: it needs a case in cases/state, or a test in written",
				d.Name, d.Enc.Name, d.Doc, d.Variants, d.Stages)
		}
	}
}

// Cut reports whether a case or a test has failed: rows behind that may not have run although something would have held them, so who asks
// has nothing to say about rows.
func Cut(t *testing.T) bool {
	t.Helper()
	if t.Failed() {
		t.Log("which rows run is not looked at: cases or tests that hold them have failed, see above")
	}
	return t.Failed()
}
