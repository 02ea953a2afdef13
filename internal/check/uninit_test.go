package check

import (
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/sanitize"
)

// TestUninit: no compiled kernel uses an undefined value, optimised or not.
func TestUninit(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	e, err := engines.Lookup(engines.Auto, engines.Use{})
	if err != nil {
		t.Fatal(err)
	}
	found, ran := watching(t, filepath.Join(cases.Dir(t), "kernels"), "", Options{Engine: e, Sanitize: sanitize.CheckInit})
	if len(found) > 0 || ran < 20 {
		t.Errorf("%d programs ran, and of them %v", ran, found)
	}
}
