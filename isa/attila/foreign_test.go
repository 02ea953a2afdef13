package attila

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// TestForeign: the suggestions for a word of another tool are instructions, and the error of the word contains them.
func TestForeign(t *testing.T) {
	laws.Leads(t, Set(), elsewhere, func(string) bool { return false })
	err := isa.AsError(Set().At(0, 0).Parse("SUB_sat r0, r1, r2", 0, new(isa.Bundle)))
	if want := "add r0, r1, -r2"; !strings.Contains(err.Hint, want) {
		t.Errorf("%v, %q; want %q", err, err.Hint, want)
	}
}
