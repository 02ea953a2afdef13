package launch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// TestMemoryLimit: a launch fits in exactly as many bytes as one group in flight needs, and not in one less; with a
// limit that is higher by twice the bytes of a group three groups fit.
func TestMemoryLimit(t *testing.T) {
	const out = 64
	for _, own := range []bool{false, true} {
		make := func(limit uint64) *launch.Launch {
			l, _ := newLaunch("block 0x100\nmark 0x100 size 4\n  end\n", 8, out)
			l.Limits.Memory, l.Workers = limit, 8
			if own {
				l.Private = mem.Extent{Name: "private", Size: 8, Rights: mem.ReadWrite}
				l.Own = func(wave int) mem.Extent {
					return mem.Extent{Name: "own", Base: 1<<20 + uint64(wave)<<12, Size: 512, Rights: mem.ReadWrite}
				}
			}
			return l
		}
		layout, err := exec.NewLayout(machine, 16)
		if err != nil {
			t.Fatal(err)
		}
		group := uint64(256 + 3*layout.Bytes()) // group memory and the states of three waves
		if own {
			group += 3*512 + 3*16*8
		}
		for limit, workers := range map[uint64]int{out + group - 1: 0, out + group: 1, out + 2*group - 1: 1, out + 2*group: 2, out + 3*group: 3, 0: 8} {
			res, err := make(limit).Run(context.Background())
			if workers == 0 {
				want := fmt.Sprintf("launch: %d bytes of buffers and %d for a group in flight; the limit is %d", out, group, limit)
				if err == nil || err.Error() != want {
					t.Errorf("limit %d: %v, want %s", limit, err, want)
				}
			} else if err != nil || res.Workers != workers || res.Groups != 8 {
				t.Errorf("limit %d: %+v, %v, want %d workers", limit, res, err, workers)
			}
		}
	}
}

// someBarriers: each wave waits at barrier 2 for the number of lanes in s[2].
const someBarriers = `
block 0x100
mark 0x100 size 4
  %l = get.i32 s[2]
  barrier %l, 0x104, 2
block 0x104
mark 0x104 size 4
  end
`

// lanesOf is ids with a number of lanes for each wave in s[2].
type lanesOf struct {
	ids
	lanes []uint32
}

func (t lanesOf) InitWave(g *launch.Group, wave int, st *exec.State, env *exec.Env) error {
	st.Set(ir.Cell{File: 3, Index: 2}, 0, t.lanes[wave])
	return t.ids.InitWave(g, wave, st, env)
}

// TestBarrierLanes: if waves give different numbers of lanes, the largest counts, in any order of arrival; the wave
// that reaches it completes the barrier.
func TestBarrierLanes(t *testing.T) {
	for _, c := range []struct {
		lanes []uint32
		turns []int // waves in order of arrival
		over  int   // number of waves that have arrived when it is complete; 0: never
	}{
		{[]uint32{48, 16, 16}, []int{0, 1, 2}, 3}, {[]uint32{48, 16, 16}, []int{1}, 1}, {[]uint32{48, 16, 16}, []int{0, 2}, 0},
		{[]uint32{32, 48, 16}, []int{0, 1, 2}, 3}, {[]uint32{32, 48, 16}, []int{1, 0, 2}, 3}, {[]uint32{17, 17, 48}, []int{0, 1}, 2},
		{[]uint32{16, 32, 32}, []int{1, 2}, 2}, {[]uint32{33, 32, 48}, []int{0, 1, 2}, 3},
	} {
		l, _ := newLaunch(someBarriers, 1, 64)
		l.Target = lanesOf{lanes: c.lanes}
		l.Grid.Block = [3]uint32{48, 1, 1}
		s, err := l.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		slot := s.NewSlot()
		if err := slot.Begin(0); err != nil {
			t.Fatal(err)
		}
		over := 0
		for i, wave := range c.turns {
			if stop := slot.Turn(wave, exec.Budget{}); stop.Reason != exec.StopBarrier || stop.At.Lanes != c.lanes[wave] {
				t.Fatalf("lanes %d, wave %d: %+v", c.lanes, wave, stop)
			}
			waiting := slot.Waves[wave].Waiting
			if !waiting && over == 0 {
				over = i + 1
			}
			for _, w := range c.turns[:i+1] { // all that have arrived go on, or none
				if over == 0 != slot.Waves[w].Waiting {
					t.Errorf("lanes %d, order %d: wave %d waits %t after %d have come", c.lanes, c.turns, w, slot.Waves[w].Waiting, i+1)
				}
			}
			if over != 0 {
				break
			}
		}
		if over != c.over {
			t.Errorf("lanes %d, order %d: over with wave %d, want %d", c.lanes, c.turns, over, c.over)
		}
	}
}

// TestSnapshotTurn: a snapshot includes whose turn it is.
func TestSnapshotTurn(t *testing.T) {
	l, _, _ := newRounds()
	s, err := l.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	slot := s.NewSlot()
	if err := slot.Begin(0); err != nil {
		t.Fatal(err)
	}
	turn := func(want int, steps uint64) {
		t.Helper()
		wave, ok := slot.Next()
		if !ok || wave != want {
			t.Fatalf("it is the turn of %d, want %d", wave, want)
		}
		slot.Turn(wave, exec.Budget{Steps: steps, Exact: true})
	}
	start := slot.Snapshot()
	turn(0, 0) // to the barrier
	turn(1, 2) // a part of its turn
	x := slot.Snapshot()
	turn(1, 0)
	turn(2, 0)
	turn(0, 0)
	if err := slot.Restore(x); err != nil {
		t.Fatal(err)
	}
	turn(1, 0)
	if err := slot.Restore(start); err != nil {
		t.Fatal(err)
	}
	turn(0, 1)
}

// TestCaseLanes: the lanes of a case fill waves one after the other, and the last wave has the rest.
func TestCaseLanes(t *testing.T) {
	const add = "block 0\nmark 0 size 4\n  %x = get.i32 v[0]\n  %one = const.i32 1\n  %y = iadd.i32 %x, %one\n  %e = get.i1 exec\n  set.i32 v[1], %y, %e\nmark 4 size 4\n  end\n"
	platform := func(width int) *launch.Platform {
		return &launch.Platform{ISA: "t", Cases: launch.Cases{Stages: []string{"raw"}, Init: func(int, *exec.State) {}, Width: func(int) int { return width }},
			Register: func(_ int, name string) (launch.Register, error) {
				if name == "s0" {
					return wordOf{ir.Cell{File: 3}}, nil
				}
				return wordOf{ir.Cell{File: 0, Index: uint16(name[1] - '0')}}, nil
			}}
	}
	for _, c := range []struct {
		width, lanes int
		live         []uint64
	}{
		{16, 40, []uint64{0xffff, 0xffff, 0xff}}, {16, 16, []uint64{0xffff}}, {16, 17, []uint64{0xffff, 1}}, {16, 1, []uint64{1}}, {4, 7, []uint64{15, 7}},
		{64, 0, []uint64{^uint64(0)}}, {64, 64, []uint64{^uint64(0)}}, {64, 63, []uint64{1<<63 - 1}}, {1, 3, []uint64{1, 1, 1}},
	} {
		words := casefile.Words{List: true}
		for lane := range max(c.lanes, 64) {
			words.V = append(words.V, uint64(100*lane))
		}
		sc := &casefile.StateCase{Stage: "raw", Launch: casefile.CaseLaunch{Lanes: c.lanes}, Initial: &casefile.State{Regs: map[string]casefile.Words{"v0": words}}}
		k, err := platform(c.width).Case(exectest.Parse(machine, add).Code, 0, sc)
		if err != nil {
			t.Fatal(err)
		}
		if len(k.Waves) != len(c.live) {
			t.Errorf("%d lanes in waves of %d: %d waves", c.lanes, c.width, len(k.Waves))
			continue
		}
		for i, live := range c.live {
			if st := k.Waves[i].State; st.Live != live || st.Exec != live || k.Waves[i].Env.Wave != i {
				t.Errorf("%d lanes in waves of %d: wave %d has %#x, want %#x", c.lanes, c.width, i, st.Live, live)
			}
		}
		if err := k.Run(context.Background(), ref.New(), exec.Limits{}); err != nil {
			t.Fatal(err)
		}
		get, perLane, err := k.Reg("v1")
		if err != nil || !perLane {
			t.Fatal(err)
		}
		for lane := range k.Lanes() {
			if got := get(lane); got != uint64(100*lane+1) {
				t.Errorf("%d lanes in waves of %d: lane %d has %d", c.lanes, c.width, lane, got)
			}
		}
	}
	// A per-wave register has one value in each wave, which differs between waves.
	sc := &casefile.StateCase{Stage: "raw", Launch: casefile.CaseLaunch{Lanes: 32}, Initial: &casefile.State{Regs: map[string]casefile.Words{"s0": {V: []uint64{1, 2}, List: true}}}}
	if _, err := platform(16).Case(exectest.Parse(machine, add).Code, 0, sc); err == nil || !strings.Contains(err.Error(), "s0 has one value per wave; the case gives it 0x1 and 0x2") {
		t.Error(err)
	}
}

// wordOf returns a cell as a register.
type wordOf struct{ c ir.Cell }

func (w wordOf) PerLane() bool                          { return w.c.File == 0 }
func (w wordOf) Get(st *exec.State, lane int) uint64    { return uint64(st.Get(w.c, lane)) }
func (w wordOf) Set(st *exec.State, lane int, v uint64) { st.Set(w.c, lane, uint32(v)) }
