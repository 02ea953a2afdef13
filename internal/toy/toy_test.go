package toy

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
)

func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{})
	if len(rep.Trapped) > 0 {
		t.Errorf("lifts that trap: %v", rep.Trapped)
	}
	want := map[string]bool{"add (calc with literal)": true} // with a register it reads as the shorter add
	for name := range rep.Aliases {
		if !want[name] {
			t.Errorf("%s: %d words print as another encoding does", name, rep.Aliases[name])
		}
	}
	t.Logf("%+v", rep)
}
