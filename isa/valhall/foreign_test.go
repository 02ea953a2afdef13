package valhall

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// TestForeign checks that the hints for other tools' words are instructions, and that the error of the word contains
// them.
func TestForeign(t *testing.T) {
	laws.Leads(t, Set(), elsewhere, func(string) bool { return false })
	err := isa.AsError(Set().At(0, 0).Parse("SWZ.v2i16 r0, r1, r2", 0, new(isa.Bundle)))
	if want := "IADD.v2u16"; !strings.Contains(err.Hint, want) {
		t.Errorf("%v, %q; want %q", err, err.Hint, want)
	}
}
