package gcnrun

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/internal/check"
)

// TestStates runs the state cases of the repository.
func TestStates(t *testing.T) {
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "gcn", Engine: noted, Each: func(r check.Result) {
		if r.Status != check.Passed {
			t.Error(r)
		}
	}})
	if err != nil || s.Passed < 1000 {
		t.Error(s, err)
	}
}
