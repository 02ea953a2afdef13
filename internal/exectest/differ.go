package exectest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Wave is a wave to run in several engines, from the same state in the same world.
type Wave struct {
	Code  ir.Code
	Start *exec.State
	World *World
	Marks uint64 // maximum number of marks that are compared
}

// A tale records the events of a run and its final results.
type tale struct {
	stops []string // barriers and yields, by the number of instructions before them
	last  exec.Stop
	marks uint64 // that have run
	st    *exec.State
	env   *exec.Env
	left  []byte
	kept  string // a written word that ResetAfter did not zero
}

// Differ describes how an engine's run differs from the oracle's; "" if it does not. The wave runs in slices of any
// length: exact or not, counted or not, with yields or not, and alternating between the engines.
func (w *Wave) Differ(e, oracle exec.Engine, r *rand.Rand) string {
	yields := r.IntN(2) == 0
	seed := r.Uint64()
	got := w.run(e, exec.Budget{Counted: true, Yields: yields}, rand.New(rand.NewPCG(seed, 1)), w.Marks, w.Marks)
	want := w.exactly(got, []exec.Engine{oracle}, yields, nil)
	if d := want.diff(got, true); d != "" {
		return "counted: " + d
	}
	if got.kept != "" {
		return "ResetAfter leaves " + got.kept
	}
	if d := want.diff(w.exactly(got, []exec.Engine{e}, yields, r), true); d != "" {
		return "exact turns: " + d
	}
	if d := want.diff(w.exactly(got, []exec.Engine{e, oracle}, yields, r), true); d != "" {
		return "turns of both engines: " + d
	}
	if r.IntN(2) == 0 {
		if d := w.unseen(e, oracle, r); d != "" {
			return "unseen: " + d
		}
	}
	if !got.over() {
		return ""
	}
	got = w.run(e, exec.Budget{Yields: yields}, rand.New(rand.NewPCG(seed, 2)), got.marks+1, math.MaxUint64) // a slice runs a mark, or is the last
	if d := want.diff(got, false); d != "" {
		return "not counted: " + d
	}
	return ""
}

// Runs returns how many marks of the wave run, and whether it ends, normally or with a fault, within its limit.
func (w *Wave) Runs(e exec.Engine) (marks uint64, over bool) {
	t := w.run(e, exec.Budget{Counted: true}, rand.New(rand.NewPCG(1, 1)), w.Marks, w.Marks)
	return t.marks, t.over()
}

// over reports whether the wave has ended.
func (t *tale) over() bool { return t.last.Reason == exec.StopEnd || t.last.Reason == exec.StopFault }

// run runs the wave in slices that the engine may extend, up to limits on slices and marks.
func (w *Wave) run(e exec.Engine, b exec.Budget, r *rand.Rand, turns, marks uint64) *tale {
	t := &tale{st: w.Start.Snapshot(), env: w.World.Env()}
	p := exec.NewProgram(w.Code)
	run := e.NewRunner(p)
	for turn := uint64(0); !t.over() && t.marks < marks && turn < turns; turn++ {
		b.Steps = 1 + r.Uint64N(1<<r.IntN(12))
		t.turn(run.Run(t.st, t.env, b), b.Counted)
	}
	t.left = w.World.Left()
	t.kept = w.kept(t.st, p)
	return t
}

// kept returns a word of a state that the program has written and that ResetAfter does not zero; "" if there is
// none.
func (w *Wave) kept(st *exec.State, p *exec.Program) string {
	st = st.Snapshot()
	st.ResetAfter(p)
	for i, v := range st.V {
		if i%st.Stride < st.Lanes && v != 0 && v != w.Start.V[i] {
			return fmt.Sprintf("V[%d]", i)
		}
	}
	for i, v := range st.S {
		if v != 0 && v != w.Start.S[i] {
			return fmt.Sprintf("S[%d]", i)
		}
	}
	for i, v := range st.M {
		if v != 0 && v != w.Start.M[i] {
			return fmt.Sprintf("M[%d]", i)
		}
	}
	return ""
}

// turn records how a slice ended. The place of stops is known only if marks are counted.
func (t *tale) turn(stop exec.Stop, counted bool) {
	t.marks, t.last = t.env.Count.Instructions, stop
	if stop.Reason == exec.StopBarrier || stop.Reason == exec.StopYield {
		t.stops = append(t.stops, fmt.Sprintf("%v %d of %d lanes at %#x", stop.Reason, stop.At.Number, stop.At.Lanes, t.st.At.Key.PC))
		if counted {
			t.stops = append(t.stops, fmt.Sprintf("after %d", t.marks))
		}
	}
}

// exactly runs the wave for as many marks as another run did, and into the same fault: in one slice, or with r in
// slices of any length, each on one of the engines.
func (w *Wave) exactly(as *tale, engines []exec.Engine, yields bool, r *rand.Rand) *tale {
	t := &tale{st: w.Start.Snapshot(), env: w.World.Env()}
	p := exec.NewProgram(w.Code)
	var runs []exec.Runner
	for _, e := range engines {
		runs = append(runs, e.NewRunner(p))
	}
	most := as.marks
	if as.last.Reason == exec.StopFault {
		most++
	}
	for !t.over() && t.marks < most {
		b := exec.Budget{Steps: most - t.marks, Exact: true, Counted: true, Yields: yields}
		run := runs[0]
		if r != nil {
			b.Steps = min(b.Steps, 1+r.Uint64N(20))
			run = runs[r.IntN(len(runs))]
		}
		t.turn(run.Run(t.st, t.env, b), true)
	}
	t.left = w.World.Left()
	return t
}

// diff describes how a tale differs from the right one.
func (t *tale) diff(got *tale, counted bool) string {
	a, b, want := t.env.Count, got.env.Count, t.stops
	if !counted {
		want = slices.DeleteFunc(slices.Clone(want), func(s string) bool { return s[:5] == "after" })
		if b.About { // then the clock may be approximate too: at the end it is not read
			got.st.Clock, a, b = t.st.Clock, exec.Counters{Barriers: a.Barriers}, exec.Counters{Barriers: b.Barriers}
		}
	}
	switch d := t.st.Diff(got.st, 4); {
	case t.last.Reason != got.last.Reason || t.last.At != got.last.At:
		return fmt.Sprintf("stop %v %+v, want %v %+v", got.last.Reason, got.last.At, t.last.Reason, t.last.At)
	case !slices.Equal(want, got.stops):
		return fmt.Sprintf("stops on the way %q, want %q", got.stops, want)
	case account(t.last.Fault) != account(got.last.Fault):
		return fmt.Sprintf("fault %s, want %s", account(got.last.Fault), account(t.last.Fault))
	case t.st.Passed != got.st.Passed:
		return fmt.Sprintf("%d places passed, want %d", got.st.Passed, t.st.Passed)
	case d != nil:
		return fmt.Sprintf("state, wanted and got: %q", d)
	case !bytes.Equal(t.left, got.left):
		return "memory, or what was put out or recorded"
	case a != b:
		return fmt.Sprintf("counters %+v, want %+v", b, a)
	case recorded(&t.env.Faults) != recorded(&got.env.Faults):
		return fmt.Sprintf("faults gone on after: %s, want %s", recorded(&got.env.Faults), recorded(&t.env.Faults))
	}
	return ""
}

// account is the whole content of a fault.
func account(f *exec.Fault) string {
	if f == nil {
		return "none"
	}
	return fmt.Sprintf("%d at %#x, lane %d of %#x, address %#x of %#x, trap %d: %v", f.Kind, f.PC, f.Lane, f.Lanes, f.Addr, f.Addrs, f.Trap, f)
}

func recorded(l *exec.FaultLog) string {
	s := fmt.Sprint(l.Count)
	for i := range l.List {
		s += fmt.Sprintf("; %d times %s", l.List[i].Count, account(l.List[i].Fault))
	}
	return s
}
