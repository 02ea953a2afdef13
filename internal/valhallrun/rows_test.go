package valhallrun

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/rowtrace"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// noted records the instructions that the tests of this package run.
var noted = rowtrace.New(ref.New())

// TestMain: every row with semantics runs in a test of this package, or in a state case of the repository.
func TestMain(m *testing.M) {
	rowtrace.Main(m, func() []string { return noted.Missing(valhall.Set(), nil) })
}

// note records an instruction that a test runs.
func note(b *isa.Bundle) { noted.Note(b.Parts[0].Def) }

// TestStates runs the state cases of the repository. Cases with a row whose semantics are not implemented yet are
// skipped.
func TestStates(t *testing.T) {
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "valhall", Engine: noted, Each: func(r check.Result) {
		if r.Status == check.Failed && !r.Lacking {
			t.Error(r)
		}
	}})
	if err != nil || s.Passed == 0 {
		t.Fatal(s, err)
	}
}
