package exectest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// A trial is a random block with a state and memory to run it from.
type trial struct {
	m     *ir.Machine
	block *ir.Block
	start *exec.State
	world *World
}

// An outcome is the complete result of a run.
type outcome struct {
	st    *exec.State
	stop  exec.Stop
	count exec.Counters
	data  []byte
	told  []uint64 // the counters of the observer
}

func newTrial(r *rand.Rand, control ir.Control) *trial {
	t := &trial{m: irgen.Machine()}
	t.m.Control = control
	t.block = irgen.Block(r, t.m, irgen.Options{Memory: Windows(), Handles: randomHandles, Control: true, Exec: true, Serial: true, Faults: r.IntN(2) == 0})
	st, err := exec.NewState(t.m, t.m.Widths[r.IntN(len(t.m.Widths))])
	if err != nil {
		panic(err)
	}
	t.world = NewWorld(r, st.Lanes)
	RandomState(r, st, t.block.Key)
	t.start = st
	return t
}

// run runs the block b, the trial's or one derived from it, to its end; each runs one mark at a time in fresh
// runners.
func (t *trial) run(e exec.Engine, b *ir.Block, each bool) outcome {
	p := exec.NewProgram(NewCode(t.m, b))
	o := outcome{st: t.start.Snapshot(), told: make([]uint64, t.m.Tallies)}
	o.st.Tallies = o.told
	env := t.world.Env()
	r := e.NewRunner(p)
	if each {
		for i := 1; i < len(b.Marks) && o.stop.Reason == 0; i++ {
			s := e.NewRunner(p).Run(o.st, env, exec.Budget{Steps: 1, Exact: true})
			if s.Reason != exec.StopBudget {
				o.stop = s
			}
			o.st = o.st.Snapshot()
			o.st.Tallies = o.told
		}
	}
	if o.stop.Reason == 0 {
		o.stop = r.Run(o.st, env, exec.Budget{Steps: 1})
	}
	o.count = env.Count
	o.data = t.world.Left()
	return o
}

// diff describes how two outcomes differ; "" if they do not. Counters of ops differ between a block and one derived
// from it; those of instructions and memory do not.
func (o *outcome) diff(p *outcome, sameBlock bool) string {
	a, b := o.count, p.count
	if !sameBlock {
		a.Ops, a.LaneOps, b.Ops, b.LaneOps = 0, 0, 0, 0
	}
	switch d := o.st.Diff(p.st, 4); {
	case d != nil:
		return fmt.Sprintf("%q", d)
	case !bytes.Equal(o.data, p.data):
		return "memory"
	case !slices.Equal(o.told, p.told):
		return fmt.Sprintf("tallies %d, %d", o.told, p.told)
	case a != b:
		return fmt.Sprintf("counters %+v, %+v", a, b)
	case o.stop.Reason != p.stop.Reason || o.stop.At != p.stop.At:
		return fmt.Sprintf("stop %v, %v", o.stop.Reason, p.stop.Reason)
	case o.stop.Fault != nil && o.stop.Fault.Error() != p.stop.Fault.Error():
		return fmt.Sprintf("fault %v, %v", o.stop.Fault, p.stop.Fault)
	}
	return ""
}

func optimise(m *ir.Machine, b *ir.Block) *ir.Block { return pass.Optimise(m, b, pass.Options{}) }

// Random compares the engine with an oracle on n random blocks with partial masks, and with itself: stopped at
// every mark, and on blocks whose values were forwarded across marks. The oracle may be the engine, in which case
// only the latter comparisons remain.
func Random(t *testing.T, e, oracle exec.Engine, n int) {
	reasons := map[exec.StopReason]int{}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 11))
		tr := newTrial(r, []ir.Control{ir.MaskStack, ir.LowestPC, ir.MaskData}[seed%3])
		want := tr.run(oracle, tr.block, false)
		reasons[want.stop.Reason]++
		marks, whole := tr.run(e, tr.block, true), tr.run(e, tr.block, false)
		if d := want.diff(&whole, true); d != "" {
			t.Fatalf("seed %d: oracle, engine: %s\n%s", seed, d, ir.Print(tr.m, tr.block))
		}
		if d := want.diff(&marks, true); d != "" {
			t.Fatalf("seed %d: at once, mark by mark: %s\n%s", seed, d, ir.Print(tr.m, tr.block))
		}
		for _, rewrite := range []func(*ir.Machine, *ir.Block) *ir.Block{pass.Forward, optimise} {
			b := rewrite(tr.m, tr.block)
			got := tr.run(e, b, false)
			if d := want.diff(&got, false); d != "" {
				t.Fatalf("seed %d: canonical, rewritten: %s\n%s\n%s", seed, d, ir.Print(tr.m, tr.block), ir.Print(tr.m, b))
			}
		}
	}
	for _, r := range []exec.StopReason{exec.StopEnd, exec.StopBarrier, exec.StopBudget, exec.StopFault} {
		if reasons[r] == 0 {
			t.Errorf("no block of %d stopped for %v", n, r)
		}
	}
}
