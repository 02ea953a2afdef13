package fidelity_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/fidelity"
	"github.com/heddle-gpu/heddle/internal/platforms"
	isas "github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

// A watcher counts instructions one by one as they run.
type watcher map[uint64]uint64

func (w watcher) Before(*exec.Step) error { return nil }
func (w watcher) After(at *exec.Step, stop exec.Stop) {
	if stop.Reason != exec.StopFault {
		w[at.PC]++
	}
}

// TestTally: the tallies of every engine equal the counts of an observer of each instruction on the reference engine,
// and the counters of the launch, with loops, barriers and diverging waves.
func TestTally(t *testing.T) {
	for _, name := range []string{"reduction", "transpose"} {
		want := watcher{}
		total := run(t, name, launch.Settings{Engine: engine(t, "reference")}.Stepped(want))
		for _, e := range engines.Tested() {
			tally := exec.Counting(e.New())
			counted := run(t, name, launch.Settings{Engine: tally, Workers: 2})
			got, sum := watcher{}, uint64(0)
			for _, r := range tally.Ran() {
				got[r.PC] += r.N
				sum += r.N
			}
			if sum != counted || sum != total || len(got) != len(want) {
				t.Errorf("%s on %s: %d instructions at %d places, the counters say %d; want %d at %d", name, e.Name, sum, len(got), counted, total, len(want))
			}
			for pc, n := range want {
				if got[pc] != n {
					t.Errorf("%s on %s: %d times at %#x, want %d", name, e.Name, got[pc], pc, n)
				}
			}
			if len(tally.Ran()) != 0 {
				t.Errorf("%s on %s: counted twice", name, e.Name)
			}
		}
	}
}

func engine(t *testing.T, name string) exec.Engine {
	e, err := engines.Lookup(name, engines.Use{})
	if err != nil {
		t.Skipf("engine %s: %v", name, err)
	}
	return e
}

// run runs the first build of an example and returns the number of instructions in its counters.
func run(t *testing.T, name string, set launch.Settings) (n uint64) {
	m, err := casefile.ReadManifestFile(filepath.Join("..", "..", "examples", name, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	m.Assemble = check.Assemble
	b := &m.Variants[0]
	set.Counted = true
	_, results, err := platforms.Lookup(b.ISA).RunManifest(context.Background(), m, b, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		n += r.Instructions
	}
	return n
}

// TestClasses: the class of an instruction, with its other properties.
func TestClasses(t *testing.T) {
	for _, x := range []struct {
		isa, text, class, bound, kind string
		ulp                           float64
	}{
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", fidelity.Exact, "", "", 0},
		{"gcn:gfx8", "v_rcp_f32 v0, v1", fidelity.Approximate, "1 ulp", "", 1},
		{"gcn:gfx6", "v_sin_f32 v0, v1", fidelity.Approximate, "absolute error about 2^-19 to 2^-21, of up to 256 revolutions", "", 0},
		{"gcn:gfx7", "v_log_legacy_f32 v0, v1", fidelity.Approximate, "no bound is published", "", 0},
		{"tesla:g80", "rcp f32 $r0 $r1", fidelity.Exact, "", "", 0}, // its tables are published
		{"tesla:g80", "bra 0x0", fidelity.Modelled, "", "", 0},
		{"valhall", "FRSQ.f32 r0, r1", fidelity.Approximate, "about 1 ulp", "", 1},
		{"valhall", "FPCLASS.f32 r0, r1", fidelity.Unsupported, "", "undefined", 0},
		{"attila", "sin r0.x, r1.x", fidelity.Approximate, "1 ulp, which is what the cases of the reference allow", "", 1},
	} {
		tg, err := isas.Lookup(x.isa)
		if err != nil {
			t.Fatal(err)
		}
		var b isa.Bundle
		if err := tg.Parse(x.text, 0, &b); err != nil {
			t.Fatal(x.text, err)
		}
		c := fidelity.NewCounter(x.isa, "instructions")
		c.Add(tg, &b, 0, 3, 0)
		r := c.Report()
		if len(r.Rows) != 1 || r.Total != 3 || r.Rows[0].Count != 3 || r.Rows[0].Places != 1 {
			t.Fatalf("%s: %+v", x.text, r)
		}
		row := r.Rows[0]
		if row.Class != x.class || row.Bound != x.bound || row.Kind != x.kind || row.ULP != x.ulp {
			t.Errorf("%s: %+v", x.text, row)
		}
		if len(row.Sources) == 0 || (len(row.Options) > 0) != (x.class == fidelity.Modelled) || (row.Reason != "") != (x.kind != "") {
			t.Errorf("%s: sources %v, options %v, reason %q", x.text, row.Sources, row.Options, row.Reason)
		}
		for _, k := range r.Classes {
			if want := map[bool]uint64{true: 3}[k.Class == x.class]; k.Count != want {
				t.Errorf("%s: %d are %s", x.text, k.Count, k.Class)
			}
		}
	}
}
