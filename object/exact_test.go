package object_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/object"
)

// TestExact: final_exact replaces final, bit by bit, except in cases that expect nothing.
func TestExact(t *testing.T) {
	final, bits := &object.State{}, &object.State{}
	c := &object.StateCase{Final: final, FinalExact: bits, Compare: object.Compare{Type: "f32", ULP: 4}}
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
