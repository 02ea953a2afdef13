package heddle

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/eval"
)

// A Range is the addresses From to To, inclusive.
type Range struct{ From, To uint64 }

// Anywhere is all addresses.
var Anywhere = Range{0, ^uint64(0)}

// A Hook identifies a hook for Unhook. Hooks cost time only at the events that they are called for: instructions and
// blocks in their ranges, and, for access hooks, all instructions that access memory, which run on the reference
// engine. docs/waves.md has measurements.
//
// A hook may read and set registers and memory, map memory, add and remove hooks and stop the run. It cannot start a
// run. An access hook is called during an instruction: it may read, and stop the run after the instruction; memory
// cannot be changed, and registers that it sets may be overwritten.
//
// Hooks of an event are called in the order in which they were added. A removed hook is not called again, also if
// another hook of the same event has removed it. A hook that is added during an event is called from the next event
// on. An instruction, a block, an access of one lane and a fault are an event each.
//
// If a hook sets pc, that counts as one instruction for Step, RunTo and State.Steps, and the context is checked. So
// hooks cannot keep a run from ending.
type Hook struct{ h *eval.Hook }

// OnInstruction adds a hook that is called before each instruction in the range. If the hook sets pc, execution
// continues there and the instruction is skipped. After a fault hook has asked for a retry, the hook is not called
// again for the instruction.
func (w *Wave) OnInstruction(r Range, f func(pc uint64)) Hook {
	return w.hook(&eval.Hook{From: r.From, To: r.To, Instruction: f})
}

// OnBlock adds a hook that is called before each block that begins in the range, with its number of instructions. A
// block ends after an instruction that may branch, or after 256 instructions. Block hooks are called before
// instruction hooks; these are not called if a block hook has set pc or stopped the run.
func (w *Wave) OnBlock(r Range, f func(pc uint64, instructions int)) Hook {
	return w.hook(&eval.Hook{From: r.From, To: r.To, Block: f})
}

// OnLoad adds a hook that is called for each lane of a load or atomic whose address is in the range, lowest lane
// first, with the loaded value. The range applies to addresses of all address spaces; Access.Space says which one.
// Texels (exec.AccessTexel) are reported too, as units read them, if they are in guest memory.
func (w *Wave) OnLoad(r Range, f func(a *exec.Access)) Hook {
	return w.hook(&eval.Hook{From: r.From, To: r.To, Access: f, Loads: true})
}

// OnStore adds a hook that is called for each lane of a store or atomic whose address is in the range, before memory
// changes.
func (w *Wave) OnStore(r Range, f func(a *exec.Access)) Hook {
	return w.hook(&eval.Hook{From: r.From, To: r.To, Access: f, Stores: true})
}

// OnFault adds a hook that is called when an instruction faults: an access that no region allows (exec.FaultMemory;
// Addr, Lane, Mem.Op, Mem.Size and Mem.Kind describe it), no executable code at pc (exec.FaultCode), a trap or an
// undefined instruction (exec.FaultTrap) and others. The instruction has had no effect. If several lanes fault, the
// fault describes the lowest.
//
// If the hook returns true, execution continues at the current pc: the instruction is retried, after the hook has
// mapped the missing memory, or the hook has set another pc. If the same fault occurs again without progress, the run
// ends with it. Limits and ended contexts are not reported.
func (w *Wave) OnFault(f func(f *exec.Fault) bool) Hook { return w.hook(&eval.Hook{Fault: f}) }

func (w *Wave) hook(h *eval.Hook) Hook {
	w.w.Hook(h)
	return Hook{h}
}

// Unhook removes a hook; it returns false if that was done before.
func (w *Wave) Unhook(h Hook) bool { return w.w.Unhook(h.h) }
