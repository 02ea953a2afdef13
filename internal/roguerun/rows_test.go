package roguerun

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/rowtrace"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

// noted records the instructions that the tests of this package run.
var noted = rowtrace.New(ref.New())

// TestMain: every row of the main unit, the bit unit and the maps that has semantics, with or without public encoding,
// runs in a test of this package.
func TestMain(m *testing.M) {
	rowtrace.Main(m, func() []string {
		return noted.Missing(rogue.Set(), func(d *isa.Def) bool {
			section := strings.TrimPrefix(d.Source, "docs/reference/rogue.md ")
			return d.Private && section == "5.10" ||
				!d.Private && slices.Contains([]string{"2", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7", "5.8", "5.9"}, section)
		})
	})
}

// TestStates runs the state cases of the repository.
func TestStates(t *testing.T) {
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "rogue", Engine: noted, Each: func(r check.Result) {
		if r.Status == check.Failed && !r.Lacking {
			t.Error(r)
		}
	}})
	if err != nil || s.Passed == 0 {
		t.Fatal(s, err)
	}
}
