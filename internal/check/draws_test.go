package check

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/engines"
)

// TestDrawsWatched: no recorded draw uses an undefined value, misses a wait or leaves its memory, but for one: the
// fragment program of flat divides by a constant with the carry flag of $c0, which nothing sets, where it means that of
// $c1 (nv50ir).
func TestDrawsWatched(t *testing.T) {
	e, err := engines.Lookup(engines.Auto, engines.Use{})
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, set := range []string{"gcn", "tesla", "valhall"} {
		o := Options{Engine: e, Sanitize: InDraws}
		o.Each = func(r Result) {
			ran[set]++
			known := set == "tesla" && strings.HasPrefix(r.Name, "flat ") && !strings.HasSuffix(r.Name, "fragments")
			for _, f := range r.Found.Findings {
				if !known || !strings.Contains(f.Origin, "register $c0.c,") || f.At.Item == nil || f.At.Item.Stage != "fragment" {
					t.Errorf("%s: %v", r.Name, &f.Found)
				}
			}
			if known != (len(r.Found.Findings) == 1) || r.Status == Skipped || r.Status == Failed && !known {
				t.Errorf("%v: %d findings", r, len(r.Found.Findings))
			}
		}
		if _, err := Run(t.Context(), []string{filepath.Join(cases.Dir(t), "render", set)}, o); err != nil {
			t.Fatal(err)
		}
	}
	if ran["gcn"] < 18 || ran["tesla"] < 48 || ran["valhall"] < 10 {
		t.Errorf("%v ran", ran)
	}
}
