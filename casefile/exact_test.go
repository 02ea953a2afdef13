package casefile_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
)

// TestExact: final_exact replaces final, bit by bit, except in cases that expect nothing.
func TestExact(t *testing.T) {
	final, bits := &casefile.State{}, &casefile.State{}
	c := &casefile.StateCase{Final: final, FinalExact: bits, Compare: casefile.Compare{Type: "f32", ULP: 4}}
	if e := c.Exact(); e.Final != bits || e.Compare.Type != "u32" || e.Compare.ULP != 0 || c.Final != final {
		t.Errorf("%+v", e)
	}
	if c.Compare.Type = "none"; c.Exact() != c {
		t.Error("a case that expects nothing")
	}
	if c.Compare.Type, c.FinalExact = "f32", nil; c.Exact() != c {
		t.Error("a case without exact bits")
	}
}
