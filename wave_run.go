package heddle

import (
	"context"

	"github.com/heddle-gpu/heddle/internal/eval"
)

// A Halt says why a wave came back from Step or RunTo.
type Halt uint8

const (
	HaltFault Halt = Halt(eval.HaltFault) // the instruction at pc cannot run: the error, which is an *exec.Fault, says why
	HaltSteps Halt = Halt(eval.HaltSteps) // as many instructions have run as were asked for
	HaltPC    Halt = Halt(eval.HaltPC)    // the instruction that RunTo names comes next
	HaltEnd   Halt = Halt(eval.HaltEnd)   // the wave has ended: no lane is live
	HaltText  Halt = Halt(eval.HaltText)  // the text of NewWave ends at pc, and no other code follows
	HaltStop  Halt = Halt(eval.HaltStop)  // Stop was called
)

var haltNames = [...]string{HaltFault: "fault", HaltSteps: "steps", HaltPC: "pc", HaltEnd: "end", HaltText: "end of the text", HaltStop: "stop"}

func (h Halt) String() string {
	if int(h) >= len(haltNames) {
		return "halt?"
	}
	return haltNames[h]
}

// Step runs n instructions from where the wave is, fewer if something else halts it. 0 of them are none. Counters tell how many have run: an instruction
// at fault, which changes nothing, is not among them, and one that repeats (Rogue) counts each time. State.Steps does not limit it.
//
// After a halt the registers, pc among them, are those in front of the next instruction, and the next call goes on there. Where lanes went
// different ways (Tesla, Valhall) an instruction is one of those that run at the time.
func (w *Wave) Step(n uint64) (Halt, error) { return w.StepContext(context.Background(), n) }

// StepContext is Step that also ends with the context, which is a fault then. With a context that ends it allocates memory.
func (w *Wave) StepContext(ctx context.Context, n uint64) (Halt, error) {
	if n == 0 {
		return HaltSteps, nil
	}
	return halted(w.w.Advance(ctx, eval.Goal{Steps: n}))
}

// RunTo runs from where the wave is to the instruction at pc, at once if it is there, and for at most n instructions if n is not 0. The end of the context
// is a fault, as is the limit of State.Steps where n is 0. With a context that ends it allocates memory.
func (w *Wave) RunTo(ctx context.Context, pc, n uint64) (Halt, error) {
	return halted(w.w.Advance(ctx, eval.Goal{Steps: n, PC: pc, To: true}))
}

func halted(h eval.Halt, err error) (Halt, error) { return Halt(h), err }

// Instruction is the text of the instruction, or group that issues together, at an address of the wave's code, and its size in bytes. The error says why
// there is none.
func (w *Wave) Instruction(pc uint64) (text string, size int, err error) {
	b, err := w.w.Bundle(pc)
	if err != nil {
		return "", 0, err
	}
	return string(w.w.Program.Print(nil, b)), b.Size(), nil
}

// Stop ends the run that is under way in front of the next instruction; from a hook of instructions that is the one it was told of. It is a halt of Step and
// RunTo, and of Run a fault of kind exec.FaultStopped. Any goroutine may call it. A run that begins later is not meant.
func (w *Wave) Stop() { w.w.Stop() }

// Running reports whether a run is under way: the caller is a hook of it. Such a caller cannot run the wave, but may do all else.
func (w *Wave) Running() bool { return w.w.Running() }

// A Saved is what Save has kept. It does not change, and belongs to no wave.
type Saved struct{ s *eval.Saved }

// Save keeps the registers of the wave, where it is, and which lanes run. Memory is not among it.
func (w *Wave) Save() *Saved { return &Saved{w.w.Save()} }

// Restore makes the wave what it was at Save. It may have been another wave; the error says that this is not one of the same set and lanes.
func (w *Wave) Restore(s *Saved) error { return w.w.Restore(s.s) }
