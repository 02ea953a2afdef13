package attilarun

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/rowtrace"
	"github.com/heddle-gpu/heddle/isa/attila"
)

// noted is where the tests of this package note the instructions that they run.
var noted = rowtrace.New(ref.New())

// TestMain: every row with a meaning runs in a state case of the repository.
func TestMain(m *testing.M) {
	rowtrace.Main(m, func() []string { return noted.Missing(attila.Set(), nil) })
}

// TestStates runs the state cases of the repository.
func TestStates(t *testing.T) {
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "attila", Engine: noted, Each: func(r check.Result) {
		if r.Status != check.Passed {
			t.Error(r)
		}
	}})
	if err != nil || s.Passed < 100 {
		t.Error(s, err)
	}
}
