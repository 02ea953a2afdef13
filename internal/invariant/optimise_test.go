package invariant

import (
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// TestOptimised runs kernels as optimised blocks: they give the results of the canonical blocks. The first runs of a
// block are done in both ways, and all cells must be the same after it; if blocks are optimised for what is live after
// them, the live cells.
func TestOptimised(t *testing.T) {
	for _, e := range []*optimiser{
		{name: "faults kept", keep: pass.KeepFaults},
		{name: "faults kept, live cells only", keep: pass.KeepFaults, live: true},
		{name: "end kept, live cells only", keep: pass.KeepEnd, live: true},
	} {
		if e.live && e.keep == pass.KeepFaults && !long { // between the two others
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			e.t, e.inner, e.programs = t, ref.New(), map[*exec.Program]*optimisedCode{}
			eachKernel(t, func(t *testing.T, k *kernel, plain *outcome) {
				e.t = t
				sameButOps(t, plain, k.run(launch.Settings{Engine: e, Workers: 1}))
			})
			// An engine that compiles optimised blocks relies on their small size.
			if ratio := float64(e.after) / float64(e.marks); ratio > 9 {
				t.Errorf("%.1f ops for a guest instruction", ratio)
			}
			t.Logf("%d ops of %d instructions become %d; %d blocks compared", e.before, e.marks, e.after, e.compared)
		})
	}
}

// TestOptimisedCases is the same for the state cases of all instruction sets, faults among them.
func TestOptimisedCases(t *testing.T) {
	e := &optimiser{t: t, inner: ref.New(), keep: pass.KeepFaults, programs: map[*exec.Program]*optimisedCode{}}
	cases, _ := runStateCases(t, e)
	if e.compared < cases {
		t.Errorf("%d blocks compared in %d cases", e.compared, cases)
	}
}

// sameButOps reports a run whose bytes or counters, other than those of ops, differ from the plain run's.
func sameButOps(t *testing.T, plain, got *outcome) {
	t.Helper()
	for i, r := range got.results {
		r.Ops, r.LaneOps = plain.results[i].Ops, plain.results[i].LaneOps
	}
	same(t, "optimised", plain, got)
}

// An optimiser is an engine that runs optimised blocks on the reference engine, for one worker.
type optimiser struct {
	t     *testing.T
	name  string
	inner exec.Engine
	keep  pass.Keep
	live  bool // optimise for what is live after a block

	programs             map[*exec.Program]*optimisedCode
	before, after, marks int
	compared             int
}

func (o *optimiser) Name() string { return "optimised " + o.name }

func (o *optimiser) NewRunner(p *exec.Program) exec.Runner {
	c := o.programs[p]
	if c == nil {
		c = &optimisedCode{Program: p, o: o, visits: map[ir.Key]int{}}
		c.made = exec.NewProgram(c)
		o.programs[p] = c
	}
	return &optimisedRunner{c, o.inner.NewRunner(p), o.inner.NewRunner(c.made)}
}

// optimisedCode is the optimised blocks of a program.
type optimisedCode struct {
	*exec.Program
	o      *optimiser
	made   *exec.Program
	graph  *pass.Graph
	alive  *pass.Liveness
	visits map[ir.Key]int
}

func (c *optimisedCode) Block(at ir.Key) (*ir.Block, error) {
	b, err := c.Program.Block(at)
	if err != nil {
		return nil, err
	}
	made := pass.Optimise(c.Machine(), b, pass.Options{Keep: c.o.keep, Out: c.out(at), Widen: c.o.live})
	if err := ir.VerifyOptimised(c.Machine(), made); err != nil {
		c.o.t.Error(err)
	}
	c.o.before, c.o.after, c.o.marks = c.o.before+len(b.Ops), c.o.after+len(made.Ops), c.o.marks+len(b.Marks)
	return made, nil
}

// out returns what is live after the block at the key, nil for everything.
func (c *optimisedCode) out(at ir.Key) *pass.LiveSet {
	if !c.o.live {
		return nil
	}
	g, err := c.Graph(at)
	if err != nil {
		c.o.t.Error(err)
	}
	if g != c.graph {
		c.graph, c.alive = g, pass.Live(g, c.o.keep, pass.NewCellSet(c.Machine()))
	}
	return &c.alive.Out[g.At[at]]
}

type optimisedRunner struct {
	*optimisedCode
	plain, fast exec.Runner
}

// Run implements exec.Runner. A run that stops or starts inside a block uses the canonical block.
func (r *optimisedRunner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	if b.Exact || st.At.Mark != 0 {
		return r.plain.Run(st, env, b)
	}
	for begin := st.Clock; !st.Ended(); {
		at := st.At.Key
		r.visits[at]++
		var before *exec.State
		var memory [][]byte
		count := env.Count
		if r.visits[at] <= 2 {
			before, memory = st.Snapshot(), save(env)
		}
		stop := r.fast.Run(st, env, exec.Budget{Steps: 1})
		if before != nil {
			r.compare(before, st, env, memory, count, stop)
		}
		if stop.Reason != exec.StopBudget || st.Clock-begin >= b.Steps {
			return stop
		}
	}
	return exec.Stop{Reason: exec.StopEnd}
}

// compare runs the canonical block from the initial state of an optimised one that ended in st.
func (r *optimisedRunner) compare(before, st *exec.State, env *exec.Env, memory [][]byte, count exec.Counters, stop exec.Stop) {
	r.o.compared++
	at := before.At.Key
	after, counted := save(env), env.Count
	restore(env, memory)
	env.Count = count
	want := r.plain.Run(before, env, exec.Budget{Steps: 1})
	counted.Ops, counted.LaneOps = env.Count.Ops, env.Count.LaneOps
	if counted != env.Count {
		r.o.t.Errorf("block %#x: counts %+v, want %+v", at.PC, counted, env.Count)
	}
	if !equal(after, save(env)) {
		r.o.t.Errorf("block %#x: other bytes in memory", at.PC)
	}
	if fmt.Sprint(stop) != fmt.Sprint(want) && (stop.Fault == nil || want.Fault == nil || stop.Fault.Error() != want.Fault.Error()) {
		r.o.t.Errorf("block %#x: %v, want %v", at.PC, stop, want)
	}
	if d := r.differ(at, before, st); len(d) > 0 {
		r.o.t.Errorf("block %#x: %q", at.PC, d)
	}
}

// differ describes how the states after a block differ.
func (r *optimisedRunner) differ(at ir.Key, want, got *exec.State) []string {
	out := r.out(at)
	if out == nil {
		return want.Diff(got, 4)
	}
	lanes := want.Snapshot() // with the other's contents in dead registers
	exectest.Spare(lanes, got, want.Exec, out)
	return lanes.Diff(got, 4)
}
