package timing_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/profiles"
	"github.com/heddle-gpu/heddle/internal/timing"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// A run is a program and its launch.
type run struct {
	isa, chip, text string
	groups, block   uint32
	group           int // bytes of group memory
	set             []string
}

// model runs it on an engine and models its launch.
func (r *run) model(t *testing.T, engine string, workers int) *timing.Report {
	t.Helper()
	e, err := heddle.Engine(engine)
	if err != nil {
		t.Fatal(err)
	}
	set, err := heddle.Find(r.isa)
	if err != nil {
		t.Fatal(err)
	}
	p, err := set.Program(r.text, heddle.ProgramOptions{Group: r.group})
	if err != nil {
		t.Fatal(err)
	}
	c := profiles.New()
	c.Record(1 << 20)
	l := heddle.Launch{Grid: [3]uint32{r.groups * r.block}, Block: [3]uint32{r.block}, Settings: launch.Settings{Watcher: c, Engine: e, Workers: workers}}
	if _, err := p.Launch(context.Background(), l, heddle.InPlace{Data: mem.Alloc(1 << 16)}); err != nil {
		t.Fatal(err)
	}
	chip, err := chips.Named(r.isa, r.chip)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.set {
		if err := chip.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	traces, shapes := c.Traces(), timing.MostShapes
	var list []timing.Run
	for i := range traces {
		list = append(list, timing.Run{Trace: &traces[i], Order: i})
	}
	rep, err := timing.Of(traces[0].Code, list, chip, &shapes)
	if err != nil {
		t.Fatal(err)
	}
	whole(t, rep)
	plain, err := timing.Of(traces[0].Code, list, chip, nil) // which models one of the cores that do the same
	if err != nil {
		t.Fatal(err)
	}
	for i := range rep.Launches {
		plain.Launches[i].Chart = rep.Launches[i].Chart
	}
	if !reflect.DeepEqual(plain, rep) {
		t.Errorf("not drawn it is %+v, and drawn %+v", plain, rep)
	}
	return rep
}

// whole checks that the time of waves is that of their instructions.
func whole(t *testing.T, r *timing.Report) {
	t.Helper()
	life, spent := 0.0, 0.0
	for i := range r.Launches {
		life += r.Launches[i].Wave * float64(r.Launches[i].Waves)
		for _, w := range r.Launches[i].Chart.Waves {
			if w.To < w.From || w.To > r.Launches[i].Clocks {
				t.Errorf("a wave runs from %g to %g of %g clocks", w.From, w.To, r.Launches[i].Clocks)
			}
			last := w.From
			for _, s := range w.Stalls {
				if s.From < last-1e-6 || s.To < s.From || s.To > w.To {
					t.Errorf("of a wave from %g to %g a stall is from %g to %g, after %g", w.From, w.To, s.From, s.To, last)
				}
				last = s.To
			}
		}
	}
	for _, u := range r.Units {
		if u.Share > 1 {
			t.Errorf("%s is busy for %g of the time", u.Name, u.Share)
		}
	}
	for i := range r.Insts {
		in := &r.Insts[i]
		spent += in.Clocks
		sum := in.Issue
		for _, s := range in.Stalls {
			sum += s.Clocks
		}
		if math.Abs(sum-in.Clocks) > 1e-6*in.Clocks {
			t.Errorf("%#x: %g clocks, of parts with %g", in.Addr, in.Clocks, sum)
		}
	}
	if math.Abs(life-spent) > 1e-6*life {
		t.Errorf("waves take %g clocks, their instructions %g", life, spent)
	}
}

// stalls returns the stalls of a launch as text, in the order of instructions: reason and clocks.
func stalls(r *timing.Report) map[string]float64 {
	of := map[string]float64{}
	for _, p := range r.Spent {
		of[p.Name] = p.Clocks
	}
	return of
}

func repeat(n int, text string) string { return strings.Repeat(text, n) }

// TestModel: clocks that follow by hand from the figures of fiji: 4 between instructions of a wave, 4 of a vector
// instruction, 30 of a scalar load, 20 of a taken branch, of LDS 2 of the core for a load and 20 until its result, of
// a load 8, 320 until its result, and a clock of the core for each line.
func TestModel(t *testing.T) {
	const load = "s_load_dwordx2 s[0:1], s[4:5], 0\ns_waitcnt lgkmcnt(0)\n" // 4 + 26 + 4
	const address = load + "v_mov_b32 v3, s1\nv_add_u32 v2, vcc, s0, v1\nv_addc_u32 v3, vcc, 0, v3, vcc\n"
	for name, c := range map[string]struct {
		run
		clocks float64
		spent  map[string]float64
	}{
		"a wave":                   {run{text: repeat(10, "v_mov_b32 v1, v0\n") + "s_endpgm\n", groups: 1, block: 64}, 44, map[string]float64{"issue": 44}},
		"a wave on each SIMD":      {run{text: repeat(10, "v_mov_b32 v1, v0\n") + "s_endpgm\n", groups: 1, block: 256}, 44, map[string]float64{"issue": 176}},
		"two waves share one":      {run{text: repeat(10, "v_mov_b32 v1, v0\n") + "s_endpgm\n", groups: 1, block: 320}, 84, map[string]float64{"issue": 220, "valu busy": 4 + 2*9*4}},
		"a core for each group":    {run{text: repeat(10, "v_mov_b32 v1, v0\n") + "s_endpgm\n", groups: 64, block: 64}, 44, map[string]float64{"issue": 64 * 44}},
		"groups in turn":           {run{text: repeat(10, "v_mov_b32 v1, v0\n") + "s_endpgm\n", groups: 65, block: 64}, 44, map[string]float64{"issue": 65 * 44}},
		"quarter rate":             {run{text: "v_rcp_f32 v1, v0\nv_rcp_f32 v1, v1\ns_endpgm\n", groups: 1, block: 64}, 36, map[string]float64{"issue": 36}},
		"a scalar load":            {run{text: load + "s_endpgm\n", groups: 1, block: 64}, 38, map[string]float64{"issue": 12, "wait for lgkm": 26}},
		"memory is slower":         {run{text: load + "s_endpgm\n", groups: 1, block: 64, set: []string{"smem.latency=100"}}, 108, map[string]float64{"issue": 12, "wait for lgkm": 96}},
		"a result is read":         {run{text: "s_load_dwordx2 s[0:1], s[4:5], 0\nv_mov_b32 v1, s0\ns_endpgm\n", groups: 1, block: 64}, 38, map[string]float64{"issue": 12, "result of smem": 26}},
		"a loop of three rounds":   {run{text: "s_movk_i32 s6, 2\nround:\ns_sub_u32 s6, s6, 1\ns_cbranch_scc0 round\ns_endpgm\n", groups: 1, block: 64}, 4 + 3*8 + 2*16 + 4, map[string]float64{"issue": 4 + 3*8 + 4, "branch": 2 * 16}},
		"LDS without conflicts":    {run{text: "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\nds_read_b32 v5, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm\n", groups: 1, block: 64, group: 1 << 14}, 8 + 20 + 8, map[string]float64{"issue": 20, "wait for lgkm": 16}},
		"LDS, conflicts of 16":     {run{text: "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 6, v0\nds_read_b32 v5, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm\n", groups: 1, block: 64, group: 1 << 14}, 8 + 20 + 2*15 + 8, map[string]float64{"issue": 20, "wait for lgkm": 46}},
		"one LDS for four SIMDs":   {run{text: "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 6, v0\nds_read_b32 v5, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm\n", groups: 1, block: 256, group: 1 << 14}, 8 + 3*32 + 20 + 30 + 8, map[string]float64{"issue": 80, "wait for lgkm": 4 * 46, "lds busy": 32 + 64 + 96}},
		"a load of four lines":     {run{text: "v_lshlrev_b32 v1, 2, v0\n" + address + "flat_load_dword v5, v[2:3]\ns_waitcnt vmcnt(0) & lgkmcnt(0)\ns_endpgm\n", groups: 1, block: 64}, 4 + 34 + 12 + 320 + 3 + 8, map[string]float64{"issue": 4 + 8 + 12 + 16 + 8, "wait for lgkm": 26, "wait for vm": 320 + 3 - 16}},
		"a load of 64 lines":       {run{text: "v_lshlrev_b32 v1, 6, v0\n" + address + "flat_load_dword v5, v[2:3]\ns_waitcnt vmcnt(0) & lgkmcnt(0)\ns_endpgm\n", groups: 1, block: 64}, 4 + 34 + 12 + 320 + 63 + 8, map[string]float64{"issue": 4 + 8 + 12 + 16 + 8, "wait for lgkm": 26, "wait for vm": 320 + 63 - 16}},
		"stores of four lines":     {run{text: "v_lshlrev_b32 v1, 2, v0\n" + address + repeat(20, "flat_store_dword v[2:3], v0\n") + "s_endpgm\n", groups: 1, block: 64}, 4 + 34 + 12 + 19*16 + 320 + 3, map[string]float64{"issue": 4 + 8 + 12 + 20*16 + 4, "wait for lgkm": 26}},
		"stores of 64 lines":       {run{text: "v_lshlrev_b32 v1, 6, v0\n" + address + repeat(20, "flat_store_dword v[2:3], v0\n") + "s_endpgm\n", groups: 1, block: 64}, 4 + 34 + 12 + 20*64 - 1 + 320, map[string]float64{"issue": 4 + 8 + 12 + 20*16 + 4, "wait for lgkm": 26}},
		"waves wait for the first": {run{text: "v_readfirstlane_b32 s6, v0\ns_cmp_lg_u32 s6, 0\ns_cbranch_scc1 out\n" + repeat(25, "v_mov_b32 v1, v0\n") + "out:\ns_barrier\ns_endpgm\n", groups: 1, block: 128}, 12 + 100 + 8, map[string]float64{"issue": 2*20 + 100, "branch": 16, "barrier": 100 - 16}},
	} {
		if c.isa = "gcn:gfx8"; c.chip == "" {
			c.chip = "fiji"
		}
		if strings.HasPrefix(name, "groups in turn") {
			c.set = append(c.set, "chip.cores=2")
			c.clocks = 4*9*10 + 4 // 33 waves on a core, so 9 on a SIMD
		}
		r := c.model(t, "jit", 1)
		got := stalls(r)
		if name == "groups in turn" {
			delete(got, "valu busy")
		}
		if math.Abs(r.Clocks-c.clocks) > 1e-3 || !near(got, c.spent) {
			t.Errorf("%s: %g clocks %v, want %g %v", name, r.Clocks, got, c.clocks, c.spent)
		}
	}
}

// TestCoresThatDiffer: of eight groups, which run 1 to 4 rounds and then again, each core gets two that run as many: 4
// clocks before the first round, 8 for each and 16 for the way back, 4 at the end.
func TestCoresThatDiffer(t *testing.T) {
	r := run{isa: "gcn:gfx8", chip: "fiji", groups: 8, block: 64, set: []string{"chip.cores=4"},
		text: "s_and_b32 s7, s6, 3\nround:\ns_sub_u32 s7, s7, 1\ns_cbranch_scc0 round\ns_endpgm\n"}
	rep := r.model(t, "jit", 1)
	rounds := [4]int{}
	for _, w := range rep.Launches[0].Chart.Waves {
		rounds[w.Group[0]%4]++
		if n := float64(w.Group[0]%4 + 1); w.To-w.From != 8+8*n+16*(n-1) {
			t.Errorf("group %v: %g clocks", w.Group, w.To-w.From)
		}
	}
	if rounds != [4]int{2, 2, 2, 2} || rep.Clocks != 8+4*8+3*16 {
		t.Errorf("%v groups, %g clocks", rounds, rep.Clocks)
	}
}

// near compares clocks.
func near(a, b map[string]float64) bool {
	for k := range a {
		if math.Abs(a[k]-b[k]) > 1e-3 {
			return false
		}
	}
	return len(a) == len(b)
}

// TestEngines: the model is the same on each engine, and with any number of workers.
func TestEngines(t *testing.T) {
	r := run{isa: "gcn:gfx8", chip: "fiji", groups: 20, block: 256, group: 1 << 14, set: []string{"chip.cores=3"},
		text: "s_mov_b32 m0, -1\nv_readfirstlane_b32 s6, v0\ns_lshr_b32 s6, s6, 5\nv_lshlrev_b32 v1, 3, v0\nround:\nds_read_b32 v5, v1\ns_waitcnt lgkmcnt(0)\ns_sub_u32 s6, s6, 1\ns_cbranch_scc0 round\ns_barrier\ns_endpgm\n"}
	var first *timing.Report
	for _, engine := range heddle.Engines() {
		for _, workers := range []int{1, 3} {
			got := r.model(t, engine, workers)
			if first == nil {
				first = got
			}
			if !reflect.DeepEqual(got, first) {
				t.Errorf("%s with %d workers: %+v, not %+v", engine, workers, got, first)
			}
		}
	}
	if l := first.Launches[0]; l.Cores != 3 || l.Groups != 20 || l.Waves != 80 || l.Room.Groups != 4 || !slices.ContainsFunc(first.Spent, func(p timing.Part) bool { return p.Name == "barrier" }) {
		t.Errorf("%+v", first)
	}
}

// TestCounts: counts of operations that change too often are exact when they are told. A round takes 58 clocks: the
// load is under way for 30, then 4 each until the branch issues, which takes 20.
func TestCounts(t *testing.T) {
	const rounds, round, load, first = 30000, 58, 30, 4
	r := run{isa: "gcn:gfx8", chip: "fiji", groups: 1, block: 64,
		text: fmt.Sprintf("s_movk_i32 s6, %d\nround:\ns_load_dword s0, s[4:5], 0\ns_waitcnt lgkmcnt(0)\ns_sub_u32 s6, s6, 1\ns_cbranch_scc0 round\ns_endpgm\n", rounds-1)}
	h := r.model(t, "jit", 1).Launches[0].Chart
	if h.Every <= 1 || h.Every > 64 || math.Log2(h.Every) != math.Trunc(math.Log2(h.Every)) {
		t.Errorf("counts are told every %g clocks", h.Every)
	}
	last, n := -1.0, 0
	for _, c := range h.Counts {
		if c.Name != "lgkm operations" {
			continue
		}
		n++
		in, want := c.At-first, 0
		if in >= 0 && in < rounds*round && math.Mod(in, round) < load {
			want = 1
		}
		if math.Mod(c.At, h.Every) != 0 || c.At <= last || c.N != want {
			t.Fatalf("%d at clock %g after %g, want %d", c.N, c.At, last, want)
		}
		last = c.At
	}
	if n < 1000 || n > 1<<14 || last < (rounds-1)*round {
		t.Errorf("%d counts until clock %g", n, last)
	}
}
