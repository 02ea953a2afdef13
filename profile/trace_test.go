package profile_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/profile"
)

// traced runs a program on an engine, and returns its profiler, which traced as many steps of waves.
func (r *run) traced(t *testing.T, engine string, workers, limit int) *profile.Profiler {
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
	c := profile.New(func(ir.Code) profile.Memory { return r.memory })
	c.Record(limit)
	l := heddle.Launch{Grid: [3]uint32{r.grid}, Block: [3]uint32{r.block}, Settings: launch.Settings{Watcher: c, Engine: e, Workers: workers, Limits: exec.Limits{}}}
	if _, err := p.Launch(context.Background(), l, heddle.InPlace{Data: mem.Alloc(r.buffers[0])}); err != nil {
		t.Fatal(err)
	}
	return c
}

// way returns the instructions of a wave by the number of the line of the text, with the lines and passes of
// accesses.
func way(c *profile.Profiler, w *profile.WaveTrace) (list []string) {
	var block *profile.Block
	at, steps := 0, w.Steps()
	pass := func(to int) {
		for ; block != nil && at < to; at++ {
			list = append(list, strings.TrimSuffix(strings.Fields(block.Code.Text(block.Insts[at].PC))[0], "_e32"))
		}
	}
	for s, ok := steps.Next(); ok; s, ok = steps.Next() {
		if s.Enters != nil {
			pass(len(cmp.Or(block, s.Enters).Insts))
			block, at = s.Enters, 0
			continue
		}
		pass(s.Inst + 1)
		list[len(list)-1] += fmt.Sprintf(" %d/%d/%d", s.Lines, s.Passes, s.Free)
	}
	if block != nil {
		pass(len(block.Insts))
	}
	return list
}

// loops is a kernel whose wave w of a group goes round w+1 times; each round reads words of LDS with conflicts.
var loops = run{isa: "gcn:gfx8", grid: 512, block: 128, group: 1 << 14, buffers: []int{1 << 12}, memory: gcnMemory,
	text: `
	s_mov_b32 m0, -1
	v_readfirstlane_b32 s6, v0
	s_lshr_b32 s6, s6, 6
	v_lshlrev_b32 v1, 3, v0
	v_lshlrev_b32 v6, 2, v0
round:
	ds_read_b32 v5, v1
	s_waitcnt lgkmcnt(0)
	s_sub_u32 s6, s6, 1
	s_cbranch_scc0 round
	s_barrier
	s_load_dwordx2 s[0:1], s[4:5], 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v3, s1
	v_add_u32 v2, vcc, s0, v6
	v_addc_u32 v3, vcc, 0, v3, vcc
	flat_load_dword v5, v[2:3]
	s_endpgm
`}

// TestTrace: a trace has the instructions of a wave in their order, with what accesses did.
func TestTrace(t *testing.T) {
	begin := strings.Fields("s_mov_b32 v_readfirstlane_b32 s_lshr_b32 v_lshlrev_b32 v_lshlrev_b32")
	round := []string{"ds_read_b32 0/4/2", "s_waitcnt", "s_sub_u32", "s_cbranch_scc0"}
	end := []string{"s_barrier", "s_load_dwordx2 1/0/0", "s_waitcnt", "v_mov_b32", "v_add_u32", "v_addc_u32", "flat_load_dword 4/0/0", "s_endpgm"}
	for _, engine := range heddle.Engines() {
		for _, workers := range []int{1, 3} {
			c := loops.traced(t, engine, workers, 1<<20)
			traces := c.Traces()
			if len(traces) != 1 || len(traces[0].Waves) != 8 || traces[0].Left != 0 || traces[0].Sizes.Items != 128 || traces[0].Code != c.Codes()[0].Code {
				t.Fatalf("%s: %+v", engine, traces)
			}
			for i := range traces[0].Waves {
				w := &traces[0].Waves[i]
				if w.Group != [3]uint32{uint32(i / 2)} || w.Wave != i%2 {
					t.Errorf("%s: wave %d is %v %d", engine, i, w.Group, w.Wave)
				}
				want := append([]string(nil), begin...)
				for range w.Wave + 1 {
					want = append(want, round...)
				}
				want = append(want, end...)
				if got := way(c, w); !slices.Equal(got, want) {
					t.Errorf("%s: wave %d of %v\n%q\nnot\n%q", engine, w.Wave, w.Group, got, want)
				}
			}
		}
	}
}

// TestTraceLimit: of more steps than are kept those of the last groups are left out, whoever ran first. Waves have 3
// + 2 and 4 + 4 steps: blocks that they enter and accesses of memory.
func TestTraceLimit(t *testing.T) {
	steps := stepsOf(&loops.traced(t, "reference", 1, 1<<20).Traces()[0])
	for limit, kept := range map[int]int{0: 0, steps - 1: 0, steps: 1, 2*steps - 1: 1, 3 * steps: 3, 4 * steps: 4} {
		for _, workers := range []int{1, 3} {
			tr := loops.traced(t, "jit", workers, limit).Traces()[0]
			if len(tr.Waves) != 2*kept || tr.Left != 8-2*kept {
				t.Errorf("with %d workers at most %d steps: %d waves are kept and %d left, not %d", workers, limit, len(tr.Waves), tr.Left, 2*kept)
			}
			for i := range tr.Waves {
				if tr.Waves[i].Group[0] != uint32(i/2) {
					t.Errorf("wave %d is of group %v", i, tr.Waves[i].Group)
				}
			}
		}
	}
}

// TestTraceLaunches: launches share what is kept, the first ones first.
func TestTraceLaunches(t *testing.T) {
	e, err := heddle.Engine("jit")
	if err != nil {
		t.Fatal(err)
	}
	set, err := heddle.Find(loops.isa)
	if err != nil {
		t.Fatal(err)
	}
	p, err := set.Program(loops.text, heddle.ProgramOptions{Group: loops.group})
	if err != nil {
		t.Fatal(err)
	}
	steps := stepsOf(&loops.traced(t, "reference", 1, 1<<20).Traces()[0])
	c := profile.New(func(ir.Code) profile.Memory { return loops.memory })
	c.Record(4*steps + 3*steps)
	for range 3 {
		l := heddle.Launch{Grid: [3]uint32{loops.grid}, Block: [3]uint32{loops.block}, Settings: launch.Settings{Watcher: c, Engine: e, Workers: 2}}
		if _, err := p.Launch(context.Background(), l, heddle.InPlace{Data: mem.Alloc(loops.buffers[0])}); err != nil {
			t.Fatal(err)
		}
	}
	var kept []int
	for _, x := range c.Traces() {
		kept = append(kept, len(x.Waves), x.Left)
	}
	if !slices.Equal(kept, []int{8, 0, 6, 2, 0, 8}) {
		t.Errorf("waves kept and left: %v", kept)
	}
}

// stepsOf returns the steps of the waves of the first group.
func stepsOf(t *profile.Trace) (n int) {
	for _, w := range t.Waves[:2] {
		for c := w.Steps(); ; n++ {
			if _, ok := c.Next(); !ok {
				break
			}
		}
	}
	return n
}
