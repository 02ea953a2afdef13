package exec

import "github.com/heddle-gpu/heddle/ir"

// A Stepper looks at waves between their instructions: a trace, a debugger. Runners of one goroutine call it in turn; who steps
// launches of several workers has it called by several goroutines.
type Stepper interface {
	// Before is called before an instruction. The state is exactly that of the wave; it must not be changed. An error stops
	// the wave there, with a fault of kind FaultStopped that has it as its Err.
	Before(at *Step) error
	// After is called when the instruction has run, or has not because of a fault: stop says. Its reason is StopBudget if the wave
	// goes on with its next instruction.
	After(at *Step, stop Stop)
}

// A Skipper is a Stepper that need not see all instructions: what it lets pass runs as fast as the engine can.
type Skipper interface {
	Stepper
	// Skip is how many instructions of the wave may run from here without a call of Before and After, at most; 0: none, and Before follows.
	Skip(at *Step) uint64
	// Skipped is told how many have run, and as After why not more. It is not told of an instruction at fault, which is the next one of its wave.
	Skipped(at *Step, ran uint64, stop Stop)
}

// A Step is an instruction that a wave comes to. It is valid until After returns.
type Step struct {
	Program *Program
	State   *State
	Env     *Env
	PC      uint64 // of the guest instruction
	Sub     uint8  // repeat number of an instruction that runs several times
}

// Text is the instruction.
func (s *Step) Text() string { return s.Program.Text(s.PC) }

// Stepped is the engine with a stepper that looks at every wave which it runs: those of launches, draws and cases of any instruction
// set, all of which know engines only. Waves take their turns, and leave what they leave, as without it: a stop between two instructions
// shows nowhere (see the package comment). Runs are slower, of course; an engine that is not wrapped pays nothing.
func Stepped(e Engine, by Stepper) Engine { return &stepped{e, by} }

type stepped struct {
	Engine
	by Stepper
}

func (e *stepped) NewRunner(p *Program) Runner {
	skip, _ := e.by.(Skipper)
	return &steppedRunner{Runner: e.Engine.NewRunner(p), by: e.by, skip: skip, step: Step{Program: p}}
}

// A steppedRunner is no Crew: waves come one by one.
type steppedRunner struct {
	Runner
	by   Stepper
	skip Skipper // by, if it is one
	step Step
}

func (r *steppedRunner) Run(st *State, env *Env, b Budget) Stop {
	if st.Ended() {
		return Stop{Reason: StopEnd}
	}
	unseen := env.Unseen
	env.Unseen = nil // the stepper reads registers
	defer func() { env.Unseen = unseen }()
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

// skips runs what the stepper need not see, of a budget of which so much is used. The reason is 0 if it wants to see the next one.
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
	ran = s.State.Clock - before // without one at fault
	r.skip.Skipped(s, ran, stop)
	return ran, stop
}

// at is the address of the instruction that runs next. Where there is no code it is that of the place.
func (r *steppedRunner) at(st *State) (pc uint64, sub uint8) {
	b, err := r.step.Program.Block(st.At.Key)
	if err != nil || st.At.Mark >= len(b.Marks) {
		return st.At.Key.PC, 0
	}
	m := &b.Marks[st.At.Mark]
	return m.PC, m.Sub
}

// Unwrap is the code that the program keeps the blocks of.
func (p *Program) Unwrap() ir.Code { return p.Code }
