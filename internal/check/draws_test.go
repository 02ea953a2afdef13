package check

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/coverage"
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

// TestDrawsCovered: what runs of recorded draws and captured frames counts, each program and part of them: waves of a
// program execute as many instructions as the results say.
func TestDrawsCovered(t *testing.T) {
	e, err := engines.Lookup(engines.Auto, engines.Use{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(cases.Dir(t), "render", "gcn"), filepath.Join(cases.Dir(t), "render", "tesla"), filepath.Join(cases.Dir(t), "render", "valhall"), frames} {
		c, ran := coverage.New(), uint64(0)
		o := Options{Engine: e, Workers: 2, Coverage: c}
		o.Each = func(r Result) {
			if r.Status != Passed || r.Uncounted != "" || r.About {
				t.Errorf("%v: it did not count: %q, %v", r, r.Uncounted, r.About)
			}
			ran += r.Instructions
		}
		if _, err := Run(t.Context(), []string{path}, o); err != nil {
			t.Fatal(err)
		}
		counted := uint64(0)
		for _, x := range c.Codes {
			for _, in := range x.Insts {
				counted += in.Waves
			}
		}
		if counted != ran || counted == 0 {
			t.Errorf("%s: %d instructions counted, and %d ran", path, counted, ran)
		}
	}
}
