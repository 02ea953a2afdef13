package toy

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// aliases are the rows with words that print like another encoding.
var aliases = map[string]bool{
	"add (calc with literal)": true, // with a register it is parsed as the shorter add
}

func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{})
	if len(rep.Trapped) > 0 {
		t.Errorf("lifts that trap: %v", rep.Trapped)
	}
	for name, n := range rep.Aliases {
		if !aliases[name] {
			t.Errorf("%s: %d words print as another encoding does", name, n)
		}
	}
	if rep.Words < 2000 || rep.Skipped > 0 {
		t.Errorf("%d words, %d skipped", rep.Words, rep.Skipped)
	}
}

func TestCell(t *testing.T) {
	for name, want := range map[string]uint8{"r15": FileR, "p0": FileP, "u3": FileU} {
		if c, err := cell(0, name); err != nil || len(c) != 1 || c[0].File != want {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if _, err := cell(0, "r16"); err == nil {
		t.Error("r16")
	}
}

// TestLayouts: layouts whose fields are alternatives declare it; other fields do not overlap.
func TestLayouts(t *testing.T) {
	for _, e := range []*isa.Encoding{&wide, &ctl, &nop, &mem, &private} {
		if err := e.CheckLayout(); err != nil {
			t.Error(err)
		}
	}
	if err := calc.CheckLayout("dh", "p"); err != nil {
		t.Error(err)
	}
	if err := calc.CheckLayout(); err == nil {
		t.Error("calc has no overlap")
	}
}
