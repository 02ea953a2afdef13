package eval

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Hook has one function, which is called for events at the addresses From to To, inclusive: Instruction and Block before they run, Access during the
// access, Fault (at any address) after an instruction has faulted; its result is whether to retry.
type Hook struct {
	From, To    uint64
	Instruction func(pc uint64)
	Block       func(pc uint64, instructions int)
	Access      func(a *exec.Access)
	Loads       bool // Access is called for loads
	Stores      bool // and for stores
	Fault       func(f *exec.Fault) (again bool)
}

func (h *Hook) has(addr uint64) bool { return addr >= h.From && addr <= h.To }

// Hook adds a hook.
func (w *Wave) Hook(h *Hook) { w.hooks = append(w.hooks[:len(w.hooks):len(w.hooks)], h) }

// Unhook removes a hook; false: it is not there.
func (w *Wave) Unhook(h *Hook) bool {
	for i := range w.hooks {
		if w.hooks[i] == h {
			w.hooks = append(w.hooks[:i:i], w.hooks[i+1:]...)
			return true
		}
	}
	return false
}

// watching reports whether the wave has to run one instruction at a time on the engine that reports accesses.
func (w *Wave) watching() bool {
	if w.mutable {
		return true
	}
	for _, h := range w.hooks {
		if h.Fault == nil {
			return true
		}
	}
	return false
}

// runnerNow is the runner for the present hooks.
func (w *Wave) runnerNow(watching bool) exec.Runner {
	if !watching {
		if w.runner == nil {
			w.runner = w.engine.NewRunner(w.code)
		}
		return w.runner
	}
	if w.watched == nil {
		w.watched = ref.Watched(w).NewRunner(w.code)
	}
	return w.watched
}

// before calls the hooks of the next instruction, and of its block if it is the first one. It reports whether the same instruction is still next.
func (w *Wave) before(b *ir.Block) bool {
	at, code, pc := w.State.At, w.code, b.Marks[w.State.At.Mark].PC
	for _, h := range w.hooks {
		if h.Block != nil && at.Mark == 0 && h.has(pc) {
			h.Block(pc, len(b.Marks))
		}
	}
	for _, h := range w.hooks {
		if h.Instruction != nil && h.has(pc) {
			h.Instruction(pc)
		}
	}
	return w.State.At == at && w.code == code && !w.stop.Load()
}

// Accessed implements exec.Watcher.
func (w *Wave) Accessed(a *exec.Access) {
	w.inAccess = true
	defer func() { w.inAccess = false }()
	for _, h := range w.hooks {
		if h.Access != nil && h.has(a.Addr) && (a.Kind.Writes() && h.Stores || !a.Kind.Writes() && h.Loads) {
			h.Access(a)
		}
	}
	if w.mutable && a.Kind.Writes() && a.Space == ir.GlobalSpace {
		g, ok := w.global().Find(a.At)
		w.stale = w.stale || ok && g.Rights&mem.Execute != 0
	}
}

// A failed is a fault after which a hook asked for a retry. If the same fault occurs again without progress, there is no second retry.
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
		if h.Fault != nil && h.Fault(f) {
			w.failed = now
			return true
		}
	}
	return false
}
