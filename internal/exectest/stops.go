package exectest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// stopsText is a loop with stores, a mode change, a barrier and the end of some lanes.
const stopsText = `
block 0x100
mark 0x100 size 4
  %l = laneid.i32
  %e = get.i1 exec
  set.i32 v[0], %l, %e
mark 0x104 size 4
  %z = const.i32 0
  set.i32 s[0], %z
  jump 0x200
block 0x200
mark 0x200 size 4
  %a = get.i32 v[0]
  %b = get.i32 v[1]
  %e = get.i1 exec
  %c = iadd.i32 %a, %b
  set.i32 v[1], %c, %e
mark 0x204 size 4
  %i = get.i32 s[0]
  %one = const.i32 1
  %j = iadd.i32 %i, %one
  set.i32 s[0], %j
mark 0x204 size 4 sub 1
  %x = get.i32 v[0]
  %y = get.i32 v[1]
  %f = get.i1 exec
  %k4 = const.i32 2
  %at = shl.i32 %x, %k4
  %old = atomic.i32 global[4 add] %at, %y, %f
  set.i32 v[2], %old, %f
mark 0x208 size 4
  %n = get.i32 s[0]
  %five = const.i32 5
  %again = ult.i32 %n, %five
  branch %again, 0x200, 0x300
block 0x300
mark 0x300 size 4
  %m = const.i32 0xff1
  set.i32 mode[0], %m
  jump 0x400
block 0x400 mode 1
mark 0x400 size 4
  %p = get.i1 exec
  set.i1 p[0], %p, %p
mark 0x404 size 4
  barrier 0x410
block 0x410 mode 1
mark 0x410 size 4
  %l = laneid.i32
  %b = trunc.i1 %l
  retire %b, 0x500
block 0x500 mode 1
mark 0x500 size 4
  %l = live.i1
  %c = clock.i64
  %lo:%hi = unpack.i32 %c
  %e = get.i1 exec
  set.i32 s[1], %lo
  set.i1 p[1], %l, %e
mark 0x504 size 4
  end
`

// steps is how many marks stopsText runs, if it has lanes 1 and up.
const steps = 2 + 5*4 + 1 + 2 + 1 + 2

// toEnd runs the wave to its end, across barriers, in a runner of its own.
func toEnd(t *testing.T, e exec.Engine, p *exec.Program, st *exec.State, env *exec.Env) {
	t.Helper()
	r := e.NewRunner(p)
	for {
		switch stop := r.Run(st, env, exec.Budget{Steps: 1000, Counted: true}); stop.Reason {
		case exec.StopEnd:
			return
		case exec.StopBarrier:
		default:
			t.Fatalf("stop %v %v at %+v", stop.Reason, stop.Fault, st.At)
		}
	}
}

// testStops: a wave that is stopped at any mark and continued, as a copy and elsewhere, ends the same.
func testStops(t *testing.T, e exec.Engine) {
	for _, c := range []struct {
		control ir.Control
		text    string
	}{{ir.MaskData, stopsText}, {ir.MaskStack, stackText}, {ir.LowestPC, lowestText}} {
		m := Machine(c.control)
		p := Parse(m, c.text)
		rnd := rand.New(rand.NewPCG(10, 10))
		for _, lanes := range m.Widths {
			st, _ := exec.NewState(m, lanes)
			fill(st, rnd)
			st.Start(entry, st.Full)
			if c.control == ir.LowestPC {
				clear(st.V) // v[1] is the loop bound
			}
			stopEverywhere(t, e, p, st, rnd)
		}
	}
}

// stopEverywhere runs from start to the end, then again with a stop after n marks, for each n.
func stopEverywhere(t *testing.T, e exec.Engine, p *exec.Program, start *exec.State, rnd *rand.Rand) {
	global, data := space("global", 0, 256, rnd)
	env := envOf(global)
	memory := bytes.Clone(data)
	end := start.Snapshot()
	toEnd(t, e, p, end, env)
	after, count := bytes.Clone(data), env.Count
	if start.Machine.Control == ir.MaskData && (end.Clock != steps || count.Instructions != steps || count.Barriers != 1) {
		t.Errorf("%d lanes: clock %d, want %d; counters %+v", start.Lanes, end.Clock, steps, count)
	}
	for n := uint64(1); n < end.Clock; n++ {
		copy(data, memory)
		env = envOf(global)
		st := start.Snapshot()
		r := e.NewRunner(p)
		for st.Clock < n {
			if stop := r.Run(st, env, exec.Budget{Steps: n - st.Clock, Exact: true}); stop.Fault != nil {
				t.Fatal(stop.Fault)
			}
		}
		if st.Clock != n {
			t.Fatalf("%d lanes: stopped after %d marks, want %d", st.Lanes, st.Clock, n)
		}
		copied := st.Snapshot()
		fill(st, rnd)
		st.Stack, st.LanePC = nil, make([]uint64, len(st.LanePC))
		st.Restore(copied)
		toEnd(t, e, p, st, env)
		if d := end.Diff(st, 3); d != nil || !bytes.Equal(after, data) || env.Count != count {
			t.Fatalf("%d lanes, stopped after %d: want, got: %q; counters %+v, want %+v; in all of the memory %s",
				st.Lanes, n, d, env.Count, count, Differs(0, data, after))
		}
	}
}

// testBudget: without Exact a wave stops at the first block end at or after the budget.
func testBudget(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	p := Parse(m, stopsText)
	for n, want := range map[uint64]uint64{0: 2, 1: 2, 2: 2, 3: 6, 6: 6, 7: 10, 22: 22, 23: 23, 24: 25} {
		st, _ := exec.NewState(m, 4)
		st.Start(entry, 0b0111)
		global, _ := space("global", 0, 256, rand.New(rand.NewPCG(1, 1)))
		env := envOf(global)
		stop := e.NewRunner(p).Run(st, env, exec.Budget{Steps: n})
		reason := exec.StopBudget
		if n == 24 {
			reason = exec.StopBarrier
		}
		if stop.Reason != reason || st.Clock != want || st.At.Mark != 0 {
			t.Errorf("budget %d: stop %v at mark %d after %d, want %v after %d", n, stop.Reason, st.At.Mark, st.Clock, reason, want)
		}
	}
	st, _ := exec.NewState(m, 4)
	st.Start(entry, st.Full)
	if stop := e.NewRunner(p).Run(st, &exec.Env{}, exec.Budget{Exact: true}); stop.Reason != exec.StopBudget || st.Clock != 1 {
		t.Errorf("no budget: stop %v after %d marks, want 1", stop.Reason, st.Clock)
	}
	st.Reset()
	st.At.Key.PC = entry
	before := st.Snapshot()
	if stop := e.NewRunner(p).Run(st, &exec.Env{}, exec.Budget{Steps: 9}); stop.Reason != exec.StopEnd || !before.Equal(st) {
		t.Errorf("a wave that has ended: stop %v, %q", stop.Reason, before.Diff(st, 3))
	}
}

// trapText reaches a trap after an effect, jumps to an address without code, and to a computed one.
const trapText = `
block 0x100
mark 0x100 size 4
  %k = const.i32 7
  set.i32 s[0], %k
mark 0x104 size 4
  trap unimplemented "v_foo has no meaning"
block 0x200
mark 0x200 size 4
  %k = const.i32 7
  set.i32 s[0], %k
  jump 0x999
block 0x300
mark 0x300 size 4
  %k = const.i32 7
  set.i32 s[0], %k
mark 0x304 size 4
  %lo = get.i32 s[2]
  %hi = get.i32 s[3]
  %at = pack.i64 %lo, %hi
  jumpx %at
`

func testTraps(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	p := Parse(m, trapText)
	for _, c := range []struct {
		pc, at, clock uint64
		kind          exec.FaultKind
		text          string
	}{
		{0x100, 0x104, 1, exec.FaultTrap, `pc 0x104 "at104" wave 0: unimplemented: v_foo has no meaning`},
		{0x200, 0x999, 1, exec.FaultCode, "pc 0x999 wave 0: no code here: no block at 0x999 under mode 0x0"},
		{0x300, 0x1_0000_0000, 2, exec.FaultCode, "pc 0x100000000 wave 0: no code here: no block at 0x100000000 under mode 0x0"},
	} {
		st, _ := exec.NewState(m, 1)
		st.Start(c.pc, 1)
		st.Set(cellOf(fileS, 3), 0, 1)
		stop := e.NewRunner(p).Run(st, &exec.Env{}, exec.Budget{Steps: 9})
		f := stop.Fault
		if stop.Reason != exec.StopFault || f.Kind != c.kind || f.PC != c.at || f.Lane != -1 || f.Error() != c.text {
			t.Errorf("%#x: stop %v %v, want %s", c.pc, stop.Reason, f, c.text)
		}
		if st.Get(cellOf(fileS, 0), 0) != 7 || st.Clock != c.clock {
			t.Errorf("%#x: the code before the fault did not run: clock %d", c.pc, st.Clock)
		}
	}
}

// testLimits: an endless loop ends with a fault that names the limit, or with its context.
func testLimits(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	p := Parse(m, "block 0x100\nmark 0x100 size 4\n  jump 0x100\n")
	run := func(ctx context.Context, l exec.Limits) (*exec.Fault, uint64) {
		st, _ := exec.NewState(m, 64)
		st.Start(entry, st.Full)
		meter, r, env := exec.NewMeter(ctx, l), e.NewRunner(p), &exec.Env{}
		for {
			if stop := meter.Run(r, p.Code, st, env, exec.Budget{}); stop.Reason != exec.StopBudget {
				return stop.Fault, env.Count.Instructions
			}
		}
	}
	for _, l := range []exec.Limits{{Steps: 50_000}, {Total: 50_000}} {
		f, n := run(context.Background(), l)
		if f == nil || f.Kind != exec.FaultLimit || f.Limit != 50_000 || n != 50_000 || !strings.Contains(f.Error(), "of 50000 guest instructions reached") {
			t.Errorf("limits %+v: fault %v after %d", l, f, n)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if f, _ := run(ctx, exec.Limits{}); f == nil || f.Kind != exec.FaultStopped || !errors.Is(f, context.Canceled) {
		t.Errorf("context: fault %v", f)
	}
}
