package eval

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Hook is told of what the wave does at addresses from From to To, both included, by one of its functions: those of instructions and blocks before
// they begin, those of accesses in their middle, those of faults when the instruction has had no effect; then true says that it is to be tried again.
type Hook struct {
	From, To    uint64
	Instruction func(pc uint64)
	Block       func(pc uint64, instructions int)
	Access      func(a *exec.Access)
	Loads       bool // Access is told of them
	Stores      bool
	Fault       func(f *exec.Fault) (again bool)
}

func (h *Hook) has(addr uint64) bool { return addr >= h.From && addr <= h.To }

// Hook adds a hook. It is told from the next instruction on, or after a fault at once.
func (w *Wave) Hook(h *Hook) { w.hooks = append(w.hooks[:len(w.hooks):len(w.hooks)], h) }

// Unhook takes a hook away; false: there is no such.
func (w *Wave) Unhook(h *Hook) bool {
	for i := range w.hooks {
		if w.hooks[i] == h {
			w.hooks = append(w.hooks[:i:i], w.hooks[i+1:]...)
			return true
		}
	}
	return false
}

// watching reports whether the wave goes on instruction by instruction on an engine that tells of accesses.
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

// runnerNow is the runner of the wave as hooks are.
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

// before tells of the instruction that comes next, and of its block if it is the first one. It reports whether that is still what comes next.
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

// A failed is a fault that hooks were told of: where they say that it should be tried again, and it comes again before anything else has happened, it is not
// mended.
type failed struct {
	kind  exec.FaultKind
	pc    uint64
	clock uint64
	lane  int
	addr  uint64
}

// maxMended is how many faults hooks may mend without an instruction that runs in between.
const maxMended = 1 << 12

// mend tells hooks of a fault. It reports whether the wave goes on where it is.
func (w *Wave) mend(f *exec.Fault) bool {
	if f.Kind == exec.FaultLimit || f.Kind == exec.FaultStopped {
		return false
	}
	now := failed{f.Kind, f.PC, w.State.Clock, f.Lane, f.Addr}
	if now.clock != w.failed.clock {
		w.mended = 0
	}
	if w.mended++; now == w.failed || w.mended > maxMended {
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
