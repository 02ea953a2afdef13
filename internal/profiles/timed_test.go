package profiles

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/internal/browsertest"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/launch"
)

// timedHeat returns the profile of testdata/heat.cl with a model of its time, in four groups on two cores.
func timedHeat(t *testing.T) []Profile {
	t.Helper()
	m, err := heddle.Load("testdata/heat.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	counts := NewTimed()
	l := heddle.Launch{Grid: [3]uint32{256}, Block: [3]uint32{64}, Settings: launch.Settings{Watcher: counts}}
	if _, err := m.Launch(context.Background(), l, make([]float32, 256), make([]float32, 256), heddle.Local(8192)); err != nil {
		t.Fatal(err)
	}
	list := Of(counts)
	err = Time(list, counts, true, func(isa string) (*chips.Chip, error) {
		c, err := chips.Named(isa, "tonga")
		if err == nil {
			err = c.Set("chip.cores=2")
		}
		return c, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestTimed: counts of time are those of the model, and are there only with one.
func TestTimed(t *testing.T) {
	p := &timedHeat(t)[0]
	all := 0.0
	for i := range p.Timing.Insts {
		all += p.Timing.Insts[i].Clocks
	}
	if got := MetricOf("modelled_clocks").Total(p); math.Abs(float64(got)-all) > float64(len(p.List)) {
		t.Errorf("%d clocks, the model has %g", got, all)
	}
	if l := p.Timing.Launches; len(l) != 1 || l[0].Cores != 2 || l[0].Waves != 4 || math.Abs(l[0].Wave*4-all) > 1e-3 {
		t.Errorf("%+v, %g", l, all)
	}
	plain := heat(t)
	if n, timed := len(metricsOf(plain)), len(metricsOf(plain, p)); n != len(Metrics)-2 || timed != len(Metrics) {
		t.Errorf("%d and %d counts", n, timed)
	}
}

// TestTimeline: events of the trace event format are whole, and waves have the stalls that are in them.
func TestTimeline(t *testing.T) {
	var out bytes.Buffer
	if err := WritePerfetto(&out, timedHeat(t)); err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Name, Ph, Cat string
			Ts, Dur       float64
			Pid, Tid      int
		}
	}
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	waves, stalls, counts, ends := 0, 0, 0, map[[2]int]float64{}
	for _, e := range file.TraceEvents {
		at := [2]int{e.Pid, e.Tid}
		switch {
		case e.Cat == "wave":
			waves++
			ends[at] = e.Ts + e.Dur
		case e.Cat == "stall":
			if stalls++; e.Ts+e.Dur > ends[at]+1e-9 {
				t.Errorf("%s ends at %g, its wave at %g", e.Name, e.Ts+e.Dur, ends[at])
			}
		case e.Ph == "C":
			counts++
		}
	}
	if waves != 4 || stalls == 0 || counts == 0 {
		t.Errorf("%d waves, %d stalls, %d counts", waves, stalls, counts)
	}
}

// TestTimePage: a page of a profile with a model has the waves in time, and looks as it should.
func TestTimePage(t *testing.T) {
	list := timedHeat(t)
	var out bytes.Buffer
	if err := WriteHTML(&out, list, nil, MetricOf("modelled_clocks")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "time.html")
	if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Open(t, file)
	onFirst := 0
	for _, w := range list[0].Timing.Launches[0].Chart.Waves {
		if w.Core == 0 {
			onFirst++
		}
	}
	b.Is(`String(document.querySelectorAll('.timeline rect.wave').length)`, fmt.Sprint(onFirst))
	b.Is(`String(document.querySelectorAll('.timeline rect.wait').length > 0)`, "true")
	if !strings.Contains(out.String(), "Time is modelled from figures") {
		t.Error("the page does not say what the time is")
	}
	b.Look("profile-time")
}

// TestTimedCompare: counts of time are compared if both profiles have them.
func TestTimedCompare(t *testing.T) {
	timed, plain := timedHeat(t), []Profile{*heat(t)}
	for _, c := range []struct {
		before, after []Profile
		has           bool
	}{{timed, timed, true}, {plain, timed, false}, {timed, plain, false}, {nil, timed, true}} {
		x := Compare(c.before, c.after, &Metrics[0])[0]
		if got := slices.ContainsFunc(x.Totals, func(d Change) bool { return d.Count == "modelled_clocks" }); got != c.has {
			t.Errorf("%d before, %d after: it has clocks: %t", len(c.before), len(c.after), got)
		}
	}
}
