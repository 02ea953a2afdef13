package gen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// counting counts chains.
type counting struct {
	portable.Backend
	chains *int
}

type countingWorker struct {
	portable.CodeRunner
	chains *int
}

func (c counting) NewWorker() portable.CodeRunner {
	return countingWorker{c.Backend.NewWorker(), c.chains}
}

func (w countingWorker) Chain(s portable.Start, budget uint64, ran *portable.ChainExit) {
	*w.chains++
	w.CodeRunner.Chain(s, budget, ran)
}

// turns iterates s[0] times by a branch and a jump, with half of the lanes in every other iteration.
const turns = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %k = const.i32 3
  %r = iadd.i32 %a, %k
  %e = get.i1 exec
  %l = get.i1 p[0]
  %x = xor.i1 %e, %l
  set.i32 v[0], %r, %e
  set.i1 exec, %x
  jump 0x108
block 0x108
mark 0x108 size 4
  %u = get.i32 s[0]
  set.i32 s[1], %u
mark 0x10c size 4
  %n = get.i32 s[0]
  %one = const.i32 1
  %n1 = isub.i32 %n, %one
  set.i32 s[0], %n1
  %zero = const.i32 0
  %again = ne.i32 %n1, %zero
  branch %again, 0x100, 0x110
block 0x110
mark 0x110 size 4
  end
`

// TestChain checks that blocks are chained in machine code, stop according to the budget, and count what has run.
func TestChain(t *testing.T) {
	const rounds = 1000
	n := host()
	if n.Lacks() != "" {
		t.Skip("NOT TESTED: " + n.Lacks())
	}
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, turns)
	chains := 0
	r := exec.Eager(portable.With(counting{n, &chains})).NewRunner(p)
	start := func() *exec.State {
		st, err := exec.NewState(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, st.Full)
		st.S[exec.IndexOf(m, ir.Cell{File: 3})] = rounds
		st.M[exec.IndexOf(m, ir.Cell{File: 4})] = 0xffff_ffff
		return st
	}
	var want exec.Env
	ref.New().NewRunner(p).Run(start(), &want, exec.Budget{Steps: 1 << 40})
	for _, c := range []struct {
		budget       exec.Budget
		marks, limit uint64 // run until the first stop; number of chains
	}{
		{exec.Budget{Steps: 1 << 40}, 3*rounds + 1, 8}, // some to link the successors
		{exec.Budget{Steps: 1 << 40, Yields: true}, 3*rounds + 1, 2},
		{exec.Budget{Steps: 1500}, 1500, 2},
		{exec.Budget{Steps: 1499}, 1500, 2}, // the first end of a block with that many
		{exec.Budget{Steps: 1499, Exact: true}, 1499, 1500},
	} {
		st, env := start(), &exec.Env{}
		chains = 0
		r.Run(st, env, c.budget)
		if got := env.Count.Instructions; got != c.marks || st.Clock != c.marks {
			t.Errorf("%+v: %d marks and a clock of %d, want %d", c.budget, got, st.Clock, c.marks)
		}
		if chains == 0 || uint64(chains) > c.limit {
			t.Errorf("%+v: %d chains, want at most %d", c.budget, chains, c.limit)
		}
		r.Run(st, env, exec.Budget{Steps: 1 << 40})
		if env.Count != want.Count {
			t.Errorf("%+v: counted %+v, the reference %+v", c.budget, env.Count, want.Count)
		}
		if low, high := st.V[0], st.V[40]; low != 3*rounds/2 || high != 3*rounds {
			t.Errorf("%+v: v[0] is %d and %d, want %d and %d", c.budget, low, high, 3*rounds/2, 3*rounds)
		}
	}
}

// agrees iterates v[0] times, which is the same in all lanes, by a step that all lanes take together.
const agrees = `
block 0x100
mark 0x100 size 4
  %%a = get.i32 v[0]
  %%one = const.i32 1
  %%b = isub.i32 %%a, %%one
  %%e = get.i1 exec
  set.i32 v[0], %%b, %%e
mark 0x104 size 4
  %%f = get.i1 exec
  ctl %s %%f, 0x200
block 0x108
mark 0x108 size 4
  end
block 0x200
mark 0x200 size 4
  %%c = get.i32 v[0]
  %%zero = const.i32 0
  %%again = ne.i32 %%c, %%zero
  ctl %s %%again, 0x100
block 0x204
mark 0x204 size 4
  end
`

// TestAgreed checks that control steps that only move all running lanes together are compiled, under both policies.
func TestAgreed(t *testing.T) {
	const rounds = 1000
	n := host()
	if n.Lacks() != "" {
		t.Skip("NOT TESTED: " + n.Lacks())
	}
	for _, c := range []struct {
		policy     ir.Control
		step, back string
	}{{ir.MaskStack, "diverge", "diverge"}, {ir.LowestPC, "reconverge", "diverge"}, {ir.LowestPC, "reconverge", "reconverge"}} {
		m := exectest.Machine(c.policy)
		p := exectest.Parse(m, fmt.Sprintf(agrees, c.step, c.back))
		chains := 0
		r := exec.Eager(portable.With(counting{n, &chains})).NewRunner(p)
		for range 2 { // the first time links the successors
			st, err := exec.NewState(m, 64)
			if err != nil {
				t.Fatal(err)
			}
			st.Start(0x100, st.Full)
			for lane := range 64 {
				st.Set(ir.Cell{}, lane, rounds)
			}
			env := &exec.Env{}
			chains = 0
			if stop := r.Run(st, env, exec.Budget{Steps: 1 << 40}); stop.Reason != exec.StopEnd || env.Count.Instructions != 3*rounds+1 {
				t.Fatalf("%s, %s: %v after %d instructions, want the end after %d", c.step, c.back, stop.Reason, env.Count.Instructions, 3*rounds+1)
			}
		}
		if chains > 2 {
			t.Errorf("%s, %s: %d chains", c.step, c.back, chains)
		}
	}
}

// meets iterates s[0] times, by a block whose two ways have the same target.
const meets = `
block 0x100
mark 0x100 size 4
  %%p = get.i1 p[0]
  %s
block 0x104
mark 0x104 size 4
  %%n = get.i32 s[0]
  %%one = const.i32 1
  %%n1 = isub.i32 %%n, %%one
  set.i32 s[0], %%n1
  %%zero = const.i32 0
  %%again = ne.i32 %%n1, %%zero
  branch %%again, 0x100, 0x108
block 0x108
mark 0x108 size 4
  end
`

// TestSameWay checks that a block whose two ways have the same target is chained by either.
func TestSameWay(t *testing.T) {
	n := host()
	if n.Lacks() != "" {
		t.Skip("NOT TESTED: " + n.Lacks())
	}
	for _, c := range []struct {
		policy ir.Control
		end    string
		mask   uint64
	}{
		{ir.MaskData, "retire %p, 0x104", 0},
		{ir.MaskStack, "retire %p, 0x104", 0},
		{ir.LowestPC, "retire %p, 0x104", 0},
		{ir.MaskStack, "diverge", 0}, {ir.MaskStack, "diverge", ^uint64(0)},
		{ir.LowestPC, "diverge", 0}, {ir.LowestPC, "diverge", ^uint64(0)},
		{ir.LowestPC, "reconverge", 0}, {ir.LowestPC, "reconverge", ^uint64(0)},
	} {
		if !strings.Contains(c.end, " ") {
			c.end = "ctl " + c.end + " %p, 0x104"
		}
		m := exectest.Machine(c.policy)
		p := exectest.Parse(m, fmt.Sprintf(meets, c.end))
		chains := 0
		fast, slow := exec.Eager(portable.With(counting{n, &chains})).NewRunner(p), ref.New().NewRunner(p)
		run := func(r exec.Runner) (*exec.State, exec.Counters) {
			st, err := exec.NewState(m, 64)
			if err != nil {
				t.Fatal(err)
			}
			st.Start(0x100, st.Full)
			st.Set(ir.Cell{File: 3}, 0, 50)
			st.M[0] = c.mask
			env := &exec.Env{}
			chains = 0
			if stop := r.Run(st, env, exec.Budget{Steps: 1 << 40}); stop.Reason != exec.StopEnd {
				t.Fatalf("%v, %s of %#x: %v", c.policy, c.end, c.mask, stop.Reason)
			}
			return st, env.Count
		}
		run(fast) // links the successors
		got, counted := run(fast)
		if chains != 1 {
			t.Errorf("%v, %s of %#x: %d chains, want 1", c.policy, c.end, c.mask, chains)
		}
		want, counts := run(slow)
		if d := got.Diff(want, 4); d != nil || counted != counts {
			t.Errorf("%v, %s of %#x: %q, counted %+v, want %+v", c.policy, c.end, c.mask, d, counted, counts)
		}
	}
}
