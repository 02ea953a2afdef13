package valhallrun

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// TestInactiveLanes: rows run with partial execution masks; a faulting instruction has no effect.
func TestInactiveLanes(t *testing.T) {
	if n := laws.Lanes(t, valhall.Set(), laws.RunOptions{}); n < 2_000 {
		t.Errorf("%d runs", n)
	}
}
