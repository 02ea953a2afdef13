package exec

import "github.com/heddle-gpu/heddle/ir"

// An Engine turns blocks into something that runs. It may be shared by goroutines.
type Engine interface {
	Name() string
	// NewRunner makes a runner for the use of one goroutine. Runners of a program share what
	// they compile (see FormsOf).
	NewRunner(p *Program) Runner
}

// Eager is the engine with all code in its highest tier from the first visit on, where others wait until it pays: for tests, and for who
// knows that it will. An engine that has no tiers is eager.
func Eager(e Engine) Engine {
	if t, ok := e.(interface{ Eager() Engine }); ok {
		return t.Eager()
	}
	return e
}

// A Runner runs waves of its program, one at a time. It keeps no guest state between calls:
// a wave may go on in another runner, of another engine too.
type Runner interface {
	// Run runs the wave from st.At on, and leaves st and env.Count as they are where it stops.
	// A wave that has ended stops at once. Otherwise at least one mark runs, or faults. Of several
	// reasons to stop at one place, StopBudget comes last.
	Run(st *State, env *Env, b Budget) Stop
}

// A Crew is a Runner that takes the turns of several waves together, which need not be given to it one by one then.
type Crew interface {
	Runner
	// RunAll runs the waves one after another, each as Run does within b, up to the first whose Stop is not [Stop.Passes]. It returns how
	// many it has run. They have different states and environments.
	RunAll(turns []Turn, b Budget) int
	// RunGroups runs the waves of a group, which are all that there are, as RunAll does, and goes on behind barriers at which all of them wait. It asks
	// whether to go on there before one of them runs more than b.Steps marks unasked, and wherever all have ended: over is set, and then another group begins in
	// the same states and environments. These are of another place, and have counted nothing, but reach the same. It returns what RunAll returned last.
	RunGroups(turns []Turn, b Budget, more func(over bool) bool) int
}

// Meet reports where waves have stopped that were run together: whether all have ended, or all wait at one barrier that is for all.
func Meet(turns []Turn) (over, wait bool) {
	over, wait = true, true
	first := &turns[0].Stop
	for i := range turns {
		s := &turns[i].Stop
		over = over && s.Reason == StopEnd
		wait = wait && s.Reason == StopBarrier && s.At.forAll() && s.At.Number == first.At.Number
	}
	return over, wait
}

// A Turn is a wave that a Crew runs, and where it has stopped.
type Turn struct {
	State *State
	Env   *Env
	Stop  Stop
}

// A Budget says when a runner gives control back at the latest.
type Budget struct {
	Steps uint64 // marks
	// Exact stops after Steps marks precisely, inside a block too. Otherwise the runner stops
	// at the first block end where it finds that Steps marks have run.
	Exact bool
	// Counted asks for counters that are exact. Without it a runner may use code that does not
	// count as canonical blocks do, and then sets Counters.About.
	Counted bool
	// Yields says that other waves wait for their turn: the runner stops where the wave lets them
	// run (Program.Yields). Otherwise it does not stop there.
	Yields bool
}

// A StopReason says why a runner came back.
type StopReason uint8

const (
	StopEnd     StopReason = iota + 1 // no lane lives any more
	StopBarrier                       // at a barrier; st.At is behind it, and the caller decides when to go on
	StopBudget                        // the budget is used up
	StopFault                         // Stop.Fault says which; st is as it was before the instruction
	StopYield                         // others of the group run first: see Program.Yields
)

var stopNames = [...]string{"none", "end", "barrier", "budget", "fault", "yield"}

func (r StopReason) String() string { return stopNames[r] }

// A Stop is what a runner came back with.
type Stop struct {
	Reason StopReason
	Fault  *Fault
	At     Barrier // of StopBarrier
}

// Passes reports whether it is the turn of the next wave that can run, and no other waves can run than could before.
func (s Stop) Passes() bool {
	return s.Reason == StopEnd || s.Reason == StopYield || s.Reason == StopBarrier && s.At.forAll()
}

// A Barrier is what a wave waits at.
type Barrier struct {
	Number int    // of the group's barriers
	Lanes  uint32 // the barrier is full with waves of so many lanes in all; 0: with all waves that have not ended
	Kind   int    // ir.BarrierSync, ir.BarrierArrive or ir.BarrierWait
}

// forAll reports whether the wave waits for all others.
func (b Barrier) forAll() bool { return b.Lanes == 0 && b.Kind == ir.BarrierSync }

// BarrierOf is what the barrier op waits at; x is its operand, 0 if it has none.
func BarrierOf(in *ir.Inst, x uint64) Barrier {
	number, kind := ir.BarrierAt(in.Alt)
	return Barrier{Number: number, Lanes: uint32(x), Kind: kind}
}
