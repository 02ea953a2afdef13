package heddle

import (
	"context"

	"github.com/heddle-gpu/heddle/internal/eval"
)

// A Halt is why Step or RunTo returned.
type Halt uint8

const (
	HaltFault Halt = Halt(eval.HaltFault) // the instruction at pc faulted; the error is an *exec.Fault
	HaltSteps Halt = Halt(eval.HaltSteps) // the requested number of instructions has run
	HaltPC    Halt = Halt(eval.HaltPC)    // the wave has reached the pc given to RunTo
	HaltEnd   Halt = Halt(eval.HaltEnd)   // the wave has ended: no lane is live, and pc is undefined
	HaltText  Halt = Halt(eval.HaltText)  // pc is at the end of the text of NewWave, and no code follows
	HaltStop  Halt = Halt(eval.HaltStop)  // Stop was called
)

var haltNames = [...]string{HaltFault: "fault", HaltSteps: "steps", HaltPC: "pc", HaltEnd: "end", HaltText: "end of the text", HaltStop: "stop"}

func (h Halt) String() string {
	if int(h) >= len(haltNames) {
		return "halt?"
	}
	return haltNames[h]
}

// Step runs n instructions from the current pc, or fewer if the wave halts earlier. Counters().Instructions is how
// many have completed: a faulting instruction, which has no effect, does not count; a repeated group (Rogue) counts
// each time. A hook that sets pc uses up one of the n. State.Steps does not apply.
//
// After a halt all registers, pc included, are as before the next instruction, and the next call continues there.
// Where lanes have diverged (Tesla, Valhall) each step runs the lanes that are scheduled next.
func (w *Wave) Step(n uint64) (Halt, error) { return w.StepContext(context.Background(), n) }

// StepContext is Step that also ends with the context, with an *exec.Fault. It allocates memory if the context can end.
func (w *Wave) StepContext(ctx context.Context, n uint64) (Halt, error) {
	if n == 0 {
		return HaltSteps, nil
	}
	return halted(w.w.Advance(ctx, eval.Goal{Steps: n}))
}

// RunTo runs from the current pc until pc is reached; it returns at once if it already is. If n is not 0, it runs at
// most n instructions, as Step counts them; if it is 0, exceeding State.Steps is a fault. The end of the context is a
// fault too. It allocates memory if the context can end.
func (w *Wave) RunTo(ctx context.Context, pc, n uint64) (Halt, error) {
	return halted(w.w.Advance(ctx, eval.Goal{Steps: n, PC: pc, To: true}))
}

func halted(h eval.Halt, err error) (Halt, error) { return Halt(h), err }

// Instruction returns the text and the size in bytes of the instruction, or group that issues together, at an address
// of the wave's code. The error says why there is none.
func (w *Wave) Instruction(pc uint64) (text string, size int, err error) {
	b, err := w.w.Bundle(pc)
	if err != nil {
		return "", 0, err
	}
	return string(w.w.Program.Print(nil, b)), b.Size(), nil
}

// Stop stops the current run before its next instruction; called from an instruction hook, before the hook's
// instruction. Step and RunTo return HaltStop, Run a fault of kind exec.FaultStopped. Any goroutine may call it. It
// does not affect later runs.
func (w *Wave) Stop() { w.w.Stop() }

// Running reports whether the wave is running, that is, whether the caller is one of its hooks. Hooks cannot start a
// run.
func (w *Wave) Running() bool { return w.w.Running() }

// A Saved is the state of a wave at a call of Save. It is immutable and independent of the wave.
type Saved struct{ s *eval.Saved }

// Save returns a copy of registers, pc and lane state, without memory.
func (w *Wave) Save() *Saved { return &Saved{w.w.Save()} }

// Restore restores saved state, of this wave or of another one of the same instruction set and lane count; the error
// says that they differ.
func (w *Wave) Restore(s *Saved) error { return w.w.Restore(s.s) }
