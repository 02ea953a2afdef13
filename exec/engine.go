package exec

import "github.com/heddle-gpu/heddle/ir"

// An Engine executes blocks. It may be shared by goroutines.
type Engine interface {
	Name() string
	// NewRunner makes a runner for one goroutine. Runners of a program share compiled code (see FormsOf).
	NewRunner(p *Program) Runner
}

// A Lasting engine makes runners that may run waves of any number of launches, one after another: nothing that they
// keep depends on environments that they no longer get. If Lasts returns true, the engine can be compared, and equal
// engines make equal runners.
type Lasting interface{ Lasts() bool }

// Eager returns the engine in a configuration that compiles all code in its highest tier at the first visit,
// instead of when it has become hot: for tests, and if the caller knows that it pays. An engine without tiers is
// returned unchanged.
func Eager(e Engine) Engine {
	if t, ok := e.(interface{ Eager() Engine }); ok {
		return t.Eager()
	}
	return e
}

// A Runner runs waves of its program, one at a time. It keeps no guest state between calls: a wave may continue in
// another runner, also of another engine.
type Runner interface {
	// Run runs the wave from st.At, and leaves st and env.Count as they are where it stops. A wave that has ended
	// stops at once. Otherwise at least one mark runs, or faults. If several reasons to stop apply at the same
	// place, StopBudget has the lowest priority. Before it writes st, Run calls State.Runs, as RunAll and RunGroups do.
	Run(st *State, env *Env, b Budget) Stop
}

// A GroupRunner is a Runner that can run several waves in one call.
type GroupRunner interface {
	Runner
	// RunAll runs the waves one after another, each as Run does within b, up to the first whose Stop is not
	// [Stop.Passes]. It returns the number of waves run. The waves have different states and environments.
	RunAll(turns []WaveTurn, b Budget) int
	// RunGroups runs all waves of a group as RunAll does, and continues after barriers at which all of them wait.
	// It calls more before it continues, at the latest when a wave has run b.Steps marks since the last call, and
	// whenever all waves have ended. In the latter case over is set, and if more returns true another group has
	// been started in the same states and environments: at another place in the grid, with counters at zero, but
	// with the same memory. RunGroups returns the result of the last RunAll.
	RunGroups(turns []WaveTurn, b Budget, more func(over bool) bool) int
}

// Meet reports where waves that ran together have stopped: over if all have ended, wait if all wait at the same
// barrier of the whole group.
func Meet(turns []WaveTurn) (over, wait bool) {
	over, wait = true, true
	first := &turns[0].Stop
	for i := range turns {
		s := &turns[i].Stop
		over = over && s.Reason == StopEnd
		wait = wait && s.Reason == StopBarrier && s.At.forAll() && s.At.Number == first.At.Number
	}
	return over, wait
}

// A WaveTurn is a wave that a GroupRunner runs, and where it has stopped.
type WaveTurn struct {
	State *State
	Env   *Env
	Stop  Stop
}

// A Budget limits how long a runner runs before it returns.
type Budget struct {
	Steps uint64 // marks
	// Exact makes the runner stop after exactly Steps marks, also inside a block. Otherwise it stops at the first
	// block end at which Steps marks have run.
	Exact bool
	// Counted requests exact counters. Without it a runner may use code that does not count as canonical blocks do,
	// and then sets Counters.About.
	Counted bool
	// Yields says that other waves wait to run: the runner stops where the wave yields (Program.Yields,
	// State.Passes). Without it, it does not, but counts the places all the same.
	Yields bool
}

// A StopReason says why a runner returned.
type StopReason uint8

const (
	StopEnd     StopReason = iota + 1 // all lanes have ended
	StopBarrier                       // at a barrier; st.At is after it, and the caller decides when to continue
	StopBudget                        // the budget is used up
	StopFault                         // Stop.Fault says which; st is as it was before the instruction
	StopYield                         // other waves of the group run first: see Program.Yields
)

var stopNames = [...]string{"none", "end", "barrier", "budget", "fault", "yield"}

func (r StopReason) String() string { return stopNames[r] }

// A Stop is the result of a run.
type Stop struct {
	Reason StopReason
	Fault  *Fault
	At     Barrier // of StopBarrier
}

// Passes reports whether the next wave can run now, and no waves became runnable by this stop.
func (s Stop) Passes() bool {
	return s.Reason == StopEnd || s.Reason == StopYield || s.Reason == StopBarrier && s.At.forAll()
}

// A Barrier is what a wave waits at.
type Barrier struct {
	Number int    // among the group's barriers
	Lanes  uint32 // the barrier is complete with waves of this many lanes in total; 0: with all waves that have not ended
	Kind   int    // ir.BarrierSync, ir.BarrierArrive or ir.BarrierWait
}

// forAll reports whether the wave waits for all others.
func (b Barrier) forAll() bool { return b.Lanes == 0 && b.Kind == ir.BarrierSync }

// BarrierOf returns what the barrier op waits at; x is its operand, 0 if it has none.
func BarrierOf(in *ir.Inst, x uint64) Barrier {
	number, kind := ir.BarrierAt(in.Alt)
	return Barrier{Number: number, Lanes: uint32(x), Kind: kind}
}
