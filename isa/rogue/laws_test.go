package rogue

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
)

func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{})
	t.Logf("%d words, %d skipped, trapped %v", rep.Words, rep.Skipped, rep.Trapped)
	for name, n := range rep.Aliases {
		t.Logf("alias %s %d", name, n)
	}
}
