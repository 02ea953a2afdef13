package eval

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// A Hook has one function, which is called for events at the addresses From to To, inclusive: Instruction and Block
// before they run, Access during the access, Fault (at any address) after an instruction has faulted; Fault returns
// whether to retry.
type Hook struct {
	From, To    uint64
	Instruction func(pc uint64)
	Block       func(pc uint64, instructions int)
	Access      func(a *exec.Access)
	Loads       bool // Access is called for loads
	Stores      bool // and for stores
	Fault       func(f *exec.Fault) (again bool)

	gone bool // it has been removed
}

func (h *Hook) has(addr uint64) bool { return addr >= h.From && addr <= h.To }

// Hook adds a hook. An event that is being reported uses the hooks that were there when it began.
func (w *Wave) Hook(h *Hook) {
	w.hooks = append(w.hooks[:len(w.hooks):len(w.hooks)], h)
	w.events = eventsOf(w.hooks)
}

// Unhook removes a hook; it is not called again. It returns false if the hook is not present.
func (w *Wave) Unhook(h *Hook) bool {
	i := slices.Index(w.hooks, h)
	if i < 0 {
		return false
	}
	h.gone = true
	w.hooks = slices.Concat(w.hooks[:i], w.hooks[i+1:])
	w.events = eventsOf(w.hooks)
	return true
}

// An events is a set of kinds of events.
type events uint8

const (
	eventInstruction events = 1 << iota
	eventBlock
	eventLoad
	eventStore
)

// eventsOf returns the events for which there are hooks, except faults.
func eventsOf(hooks []*Hook) (e events) {
	for _, h := range hooks {
		switch {
		case h.Instruction != nil:
			e |= eventInstruction
		case h.Block != nil:
			e |= eventBlock
		}
		if h.Loads {
			e |= eventLoad
		}
		if h.Stores {
			e |= eventStore
		}
	}
	return e
}

// hooked reports whether a hook must be called before the instruction at a mark.
func (w *Wave) hooked(b *ir.Block, mark int) bool {
	if w.events&(eventInstruction|eventBlock) == 0 {
		return false
	}
	pc := b.Marks[mark].PC
	return slices.ContainsFunc(w.hooks, func(h *Hook) bool {
		return (h.Instruction != nil || h.Block != nil && mark == 0) && h.has(pc)
	})
}

// watched reports whether the instruction at a mark must run alone on the engine that reports accesses: because of
// hooks, because it may change code, or because it may access a device, whose functions need pc and registers as they
// are before the instruction.
func (w *Wave) watched(b *ir.Block, mark int) bool {
	want := w.events & (eventLoad | eventStore)
	if w.mutable {
		want |= eventStore
	}
	if want == 0 && len(w.devices) == 0 {
		return false
	}
	lo, hi := b.MarkOps(mark)
	for i := lo; i < hi; i++ {
		if in := &b.Ops[i]; accessesOf(in.Op)&want != 0 || len(w.devices) > 0 && onDevices(in) {
			return true
		}
	}
	return false
}

// accessesOf returns how an op may access memory.
func accessesOf(op ir.Op) events {
	switch op {
	case ir.Store:
		return eventStore
	case ir.AtomicRMW:
		return eventLoad | eventStore
	case ir.Load, ir.Tex, ir.Sample, ir.Image, ir.Fetch:
		return eventLoad
	}
	return 0
}

// quiet returns how many of the next n instructions run before one that is hooked or watched. The first is neither.
func (w *Wave) quiet(b *ir.Block, n uint64) uint64 {
	if w.events == 0 && !w.mutable && len(w.devices) == 0 {
		return n
	}
	for i, first := 1, w.State.At.Mark; uint64(i) < n; i++ {
		if w.hooked(b, first+i) || w.watched(b, first+i) {
			return uint64(i)
		}
	}
	return n
}

// runnerFor returns the runner for watched, or other, instructions.
func (w *Wave) runnerFor(watched bool) exec.Runner {
	if !watched {
		if w.runner == nil {
			w.runner = w.engine.NewRunner(w.code)
		}
		return w.runner
	}
	if w.watching == nil {
		w.watching = ref.Watched(w).NewRunner(w.code)
	}
	return w.watching
}

// before calls the hooks of the next instruction: first those of its block, if the instruction begins one; then those
// of the instruction, unless the former have set another pc or stopped the wave.
func (w *Wave) before(b *ir.Block) {
	first, pc := w.State.At.Mark == 0, w.PC()
	if first && w.events&eventBlock != 0 {
		for _, h := range w.hooks {
			if h.Block != nil && !h.gone && h.has(pc) {
				h.Block(pc, len(b.Marks))
			}
		}
	}
	if w.PC() != pc || w.stop.Load() {
		return
	}
	for _, h := range w.hooks {
		if h.Instruction != nil && !h.gone && h.has(pc) {
			h.Instruction(pc)
		}
	}
}

// Accessed implements exec.Watcher.
func (w *Wave) Accessed(a *exec.Access) {
	w.inAccess = true
	defer func() { w.inAccess = false }()
	writes := a.Kind.Writes()
	for _, h := range w.hooks {
		if h.Access != nil && !h.gone && h.has(a.Addr) && (writes && h.Stores || !writes && h.Loads) {
			h.Access(a)
		}
	}
	if writes && a.Space == ir.GlobalSpace && w.decoded.meet(a.At, uint64(len(a.Data))) {
		w.stale = true
	}
}

// A failed is a fault after which a hook asked for a retry. If the same fault occurs again without progress, there is
// no second retry.
type failed struct {
	kind  exec.FaultKind
	pc    uint64
	clock uint64
	lane  int
	addr  uint64
}

// maxRetries is how many faults hooks may handle without an instruction completing in between.
const maxRetries = 1 << 12

// mend calls the hooks of a fault. It reports whether execution continues at the current pc.
func (w *Wave) mend(f *exec.Fault) bool {
	if f.Kind == exec.FaultLimit || f.Kind == exec.FaultStopped {
		return false
	}
	now := failed{f.Kind, f.PC, w.State.Clock, f.Lane, f.Addr}
	if now.clock != w.failed.clock {
		w.retries = 0
	}
	if w.retries++; now == w.failed || w.retries > maxRetries {
		return false
	}
	for _, h := range w.hooks {
		if h.Fault != nil && !h.gone && h.Fault(f) {
			w.failed = now
			return true
		}
	}
	return false
}
