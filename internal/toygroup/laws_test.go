package toygroup

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
)

func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{})
	if len(rep.Trapped) > 0 || rep.Words < 1000 || rep.Skipped > 0 {
		t.Errorf("%d words, %d skipped, lifts that trap: %v", rep.Words, rep.Skipped, rep.Trapped)
	}
	for name, n := range rep.Aliases {
		if !strings.Contains(name, "(long ") {
			t.Errorf("%s: %d words print as another encoding does", name, n)
		}
	}
}

// TestLanes: rows affect only the lanes of their mask.
func TestLanes(t *testing.T) {
	runs := laws.Lanes(t, Set(), laws.RunOptions{Ignores: map[string]string{"main": ".all is about lanes that do not run"}})
	if runs < 200 {
		t.Errorf("%d runs", runs)
	}
}
