package heddle

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/eval"
)

// A Range is addresses from From to To, both included.
type Range struct{ From, To uint64 }

// Anywhere is all addresses.
var Anywhere = Range{0, ^uint64(0)}

// A Hook is a function that a wave calls, for Unhook. Hooks cost nothing where there is none. With hooks of instructions, blocks or accesses
// the wave runs on the reference engine, an instruction at a time; hooks of faults alone leave runs as fast as they are.
//
// A hook may read and set registers and memory, map memory, add and take away hooks and stop the run. It cannot run the wave. One that is told of an access
// is in the middle of an instruction: it reads, and stops the run behind the instruction. What it sets in registers the instruction may change.
type Hook struct{ h *eval.Hook }

// OnInstruction adds a hook that is told of each instruction before it runs, by its address. If the hook sets pc, the wave goes on there
// and the instruction does not run.
func (w *Wave) OnInstruction(r Range, f func(pc uint64)) Hook {
	return w.hook(&eval.Hook{From: r.From, To: r.To, Instruction: f})
}

// OnBlock adds a hook that is told of each block of instructions before its first: those that follow each other up to one after which the wave may go on
// elsewhere, or 256. Hooks of the instruction come after it.
func (w *Wave) OnBlock(r Range, f func(pc uint64, instructions int)) Hook {
	return w.hook(&eval.Hook{From: r.From, To: r.To, Block: f})
}

// OnLoad adds a hook that is told of what loads and atomics read from addresses that begin in the range, lane by lane, lowest first, with the value. Addresses
// are those that the program computes, of memory of any space, which the access names: numbers of group memory are small. What texture units and image
// instructions read is not told.
func (w *Wave) OnLoad(r Range, f func(a *exec.Access)) Hook {
	return w.hook(&eval.Hook{From: r.From, To: r.To, Access: f, Loads: true})
}

// OnStore adds a hook that is told of what stores and atomics write, as OnLoad, before it is there.
func (w *Wave) OnStore(r Range, f func(a *exec.Access)) Hook {
	return w.hook(&eval.Hook{From: r.From, To: r.To, Access: f, Stores: true})
}

// OnFault adds a hook that is told of an instruction that cannot run, before the run ends for that: an access that no region allows (Kind
// exec.FaultMemory: Addr, Mem.Op, Mem.Size and Mem.Kind say which), code that is not there (exec.FaultCode), a trap or bytes that are no instruction
// (exec.FaultTrap). Nothing of the instruction has happened. Of several lanes at fault it is told of the lowest first.
//
// The hook returns true if the wave shall go on where it is now: once the hook has mapped what was missing the instruction runs again, or the hook has set pc.
// A fault that comes again with nothing changed ends the run. Limits and ends of contexts are not told.
func (w *Wave) OnFault(f func(f *exec.Fault) bool) Hook { return w.hook(&eval.Hook{Fault: f}) }

func (w *Wave) hook(h *eval.Hook) Hook {
	w.w.Hook(h)
	return Hook{h}
}

// Unhook takes a hook away; false: it was already.
func (w *Wave) Unhook(h Hook) bool { return w.w.Unhook(h.h) }
