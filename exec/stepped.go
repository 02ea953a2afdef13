package exec

import "github.com/heddle-gpu/heddle/ir"

// A Stepper inspects waves between their instructions: a trace, a debugger. Runners of one goroutine call it in
// turn. If it steps launches with several workers, several goroutines call it.
type Stepper interface {
	// Before is called before an instruction, with the exact state of the wave, which must not be changed. An error
	// stops the wave there, with a fault of kind FaultStopped whose Err it is.
	Before(at *Step) error
	// After is called when the instruction has run, or has faulted: stop says which. Its reason is StopBudget if
	// the wave continues with its next instruction.
	After(at *Step, stop Stop)
}

// A Skipper is a Stepper that need not see all instructions. Those that it skips run at the engine's full speed.
type Skipper interface {
	Stepper
	// Skip returns the maximum number of instructions that the wave may run from here without calls of Before and
	// After; 0: Before is called next.
	Skip(at *Step) uint64
	// Skipped is called with the number of instructions that have run, and as in After why not more. An instruction
	// at fault is not included; it is the next one of its wave.
	Skipped(at *Step, ran uint64, stop Stop)
}

// A Step is an instruction that a wave has reached. It is valid until After returns.
type Step struct {
	Program *Program
	State   *State
	Env     *Env
	PC      uint64 // of the guest instruction
	Sub     uint8  // repetition of an instruction that runs several times
}

// Text returns the text of the instruction.
func (s *Step) Text() string { return s.Program.Text(s.PC) }

// Stepped returns the engine with a stepper that inspects every wave it runs, in launches, draws and cases of any
// instruction set. Scheduling and results are those of the engine without a stepper: a stop between two
// instructions has no visible effect (see the package comment). Runs are slower; engines that are not wrapped are
// not affected.
func Stepped(e Engine, by Stepper) Engine { return &stepped{e, by} }

type stepped struct {
	Engine
	by Stepper
}

func (e *stepped) NewRunner(p *Program) Runner {
	skip, _ := e.by.(Skipper)
	return &steppedRunner{Runner: e.Engine.NewRunner(p), by: e.by, skip: skip, step: Step{Program: p}}
}

// A steppedRunner is not a GroupRunner: it runs waves one by one.
type steppedRunner struct {
	Runner
	by   Stepper
	skip Skipper // the stepper, if it is a Skipper
	step Step
}

func (r *steppedRunner) Run(st *State, env *Env, b Budget) Stop {
	if st.Ended() {
		return Stop{Reason: StopEnd}
	}
	unseen := env.LiveOut
	env.LiveOut = nil // the stepper reads registers
	defer func() { env.LiveOut = unseen }()
	one := b
	one.Steps, one.Exact = 1, true
	s := &r.step
	for n := uint64(1); ; n++ {
		s.State, s.Env = st, env
		s.PC, s.Sub = r.at(st)
		if ran, stop := r.skips(s, b, n-1); stop.Reason != 0 {
			if n += ran - 1; stop.Reason != StopBudget || n >= b.Steps {
				return stop
			}
			continue
		}
		if err := r.by.Before(s); err != nil {
			f := NewFault(FaultStopped, env, s.Program.Code, s.PC)
			f.Err = err
			return Stop{Reason: StopFault, Fault: f}
		}
		stop := r.Runner.Run(st, env, one)
		r.by.After(s, stop)
		if stop.Reason != StopBudget || n >= b.Steps {
			return stop
		}
	}
}

// skips runs the instructions that the stepper skips, of a budget of which used is used. The reason is 0 if the
// stepper wants to see the next one.
func (r *steppedRunner) skips(s *Step, b Budget, used uint64) (ran uint64, stop Stop) {
	if r.skip == nil {
		return 0, stop
	}
	if b.Steps = min(r.skip.Skip(s), b.Steps-used); b.Steps == 0 {
		return 0, stop
	}
	b.Exact, b.Counted = true, true
	before := s.State.Clock
	stop = r.Runner.Run(s.State, s.Env, b)
	ran = s.State.Clock - before // without an instruction at fault
	r.skip.Skipped(s, ran, stop)
	return ran, stop
}

// at returns the address of the instruction that runs next. If there is no code it is that of the position.
func (r *steppedRunner) at(st *State) (pc uint64, sub uint8) {
	b, err := r.step.Program.Block(st.At.Key)
	if err != nil || st.At.Mark >= len(b.Marks) {
		return st.At.Key.PC, 0
	}
	m := &b.Marks[st.At.Mark]
	return m.PC, m.Sub
}

// Unwrap returns the code whose blocks the program caches.
func (p *Program) Unwrap() ir.Code { return p.Code }
