package eval

import (
	"context"
	"errors"
	"math"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Halt is the reason why Advance returned.
type Halt uint8

const (
	HaltFault Halt = iota // the error says which
	HaltSteps             // the requested number of instructions has run
	HaltPC                // the requested pc is reached
	HaltEnd               // no lane is live
	HaltText              // the end of the program's text is reached, and no code follows
	HaltStop              // Stop was called
)

// A Goal says where a run stops.
type Goal struct {
	Steps uint64 // after so many instructions; 0: no such limit except that of the setup
	PC    uint64 // before the instruction at this address, if To is set
	To    bool

	text bool            // at the end of the program's text, even if code follows
	ran  func(pc uint64) // called after each instruction; may be nil
}

// errRunning is the error for a hook that tries to start a run.
var errRunning = errors.New("the wave is running: a hook cannot run it, but can stop it or set its pc")

// errStopped is the cause of the fault of a Run that was stopped.
var errStopped = errors.New("Stop was called")

// Stop stops the current run before the next instruction. Any goroutine may call it.
func (w *Wave) Stop() { w.stop.Store(true) }

// Running reports whether the wave is running; hooks may call it.
func (w *Wave) Running() bool { return w.running }

// Advance runs the wave from its current pc. The error is an *exec.Fault.
func (w *Wave) Advance(ctx context.Context, g Goal) (Halt, error) {
	m := w.meter
	switch {
	case ctx.Done() != nil && g.Steps == 0:
		m = exec.NewMeter(ctx, w.limits)
	case ctx.Done() != nil:
		m = exec.NewMeter(ctx, exec.Limits{Steps: math.MaxUint64})
	case g.Steps != 0:
		m = w.free
	}
	w.env.Count = exec.Counters{}
	return w.advance(&g, m)
}

func (w *Wave) advance(g *Goal, m *exec.Meter) (Halt, error) {
	if w.running {
		return HaltFault, errRunning
	}
	w.running = true
	defer func() { w.running = false }()
	w.stop.Store(false)
	w.failed, w.retries = failed{}, 0
	p := progress{meter: m, left: g.Steps}
	if p.left == 0 {
		p.left = math.MaxUint64
	}
	for {
		w.sync()
		if halt, ok := w.arrived(g, p.left); ok {
			return halt, nil
		}
		if f := w.proceed(g, &p); f != nil {
			return HaltFault, f
		}
	}
}

// A progress is the progress of a run.
type progress struct {
	meter *exec.Meter
	left  uint64 // instructions and moves until the run stops
	moves uint64 // of pc, by hooks
	told  bool   // hooks of the next instruction have been called
}

// proceed calls the hooks of the next instruction, then runs it and the following ones of its block that no hook wants.
// The fault ends the run.
func (w *Wave) proceed(g *Goal, p *progress) *exec.Fault {
	b, err := w.code.Block(w.State.At.Key)
	if err != nil {
		return w.handle(exec.NoCode(w.State, w.env, w.code, err).Fault, p)
	}
	first, pc := w.State.At.Mark, b.Marks[w.State.At.Mark].PC
	n := min(w.ahead(b, g), p.left)
	if n == 0 { // arrived checks only the start of blocks
		w.State.Goto(pc)
		return nil
	}
	if !p.told && w.hooked(b, first) {
		w.before(b)
		if w.PC() != pc {
			return w.moved(p)
		}
		p.told = true // once, even if a hook has changed the code
		return nil
	}
	p.told = false
	watched := w.watched(b, first)
	switch {
	case watched || g.ran != nil:
		n = 1
	default:
		n = w.quiet(b, n)
	}
	before := w.env.Count.Instructions
	stop := p.meter.Run(w.runnerFor(watched), w.code, w.State, w.env, exec.Budget{Steps: n, Exact: true, Counted: true})
	p.left -= min(p.left, w.env.Count.Instructions-before)
	if w.stale {
		w.stale = false
		w.Flush()
	}
	if stop.Reason == exec.StopFault {
		return w.handle(stop.Fault, p)
	}
	if g.ran != nil {
		g.ran(pc)
	}
	return nil
}

// handle calls the hooks of a fault. It returns the fault that ends the run; nil: the run continues.
func (w *Wave) handle(f *exec.Fault, p *progress) *exec.Fault {
	pc := w.PC()
	f.Err = settled(f.Err)
	if !w.mend(f) {
		return f
	}
	if w.PC() != pc {
		return w.moved(p)
	}
	p.told = f.Kind != exec.FaultCode // on a retry, hooks of the instruction have been called, if there was one
	return nil
}

// moved counts a move of pc by a hook as if it were an instruction: hooks that move it for ever reach the budget, the
// limit or the end of the context.
func (w *Wave) moved(p *progress) *exec.Fault {
	p.told = false
	p.left--
	p.moves++
	return p.meter.Spent(w.code, w.State, w.env, p.moves)
}

// arrived reports whether the run has reached its goal, and the reason.
func (w *Wave) arrived(g *Goal, left uint64) (Halt, bool) {
	st := w.State
	for {
		switch end := uint64(len(w.Program.Code)); {
		case st.Ended() && w.over != 0:
			w.rejoin()
			st.Goto(end)
			return HaltText, true
		case st.Ended():
			return HaltEnd, true
		case w.stop.Load():
			return HaltStop, true
		case g.To && w.PC() == g.PC:
			return HaltPC, true
		case st.At.Mark == 0 && st.At.Key.PC == end && w.ends(g):
			if st.Exec != 0 && st.Diverged() { // lanes have diverged: these wait for the others
				w.over |= st.Exec
				st.Retire()
				continue
			}
			w.rejoin()
			return HaltText, true
		}
		return HaltSteps, left == 0
	}
}

// ends reports whether the wave stops at the end of the program's text.
func (w *Wave) ends(g *Goal) bool {
	return len(w.Program.Code) > 0 && (g.text || !w.follows)
}

// rejoin makes those lanes live again that have reached the end of the text before others.
func (w *Wave) rejoin() {
	w.State.Live |= w.over
	w.State.Exec |= w.over
	w.over = 0
}

// ahead returns the number of instructions of the block before one at which the wave stops.
func (w *Wave) ahead(b *ir.Block, g *Goal) uint64 {
	end, text := uint64(len(w.Program.Code)), w.ends(g)
	for i, from := w.State.At.Mark, w.State.At.Mark; i < len(b.Marks); i++ {
		m := &b.Marks[i]
		if m.Sub == 0 && i > 0 && (g.To && m.PC == g.PC || text && m.PC == end) {
			return uint64(i - from)
		}
	}
	return uint64(len(b.Marks) - w.State.At.Mark)
}

// sync applies a change of the mode register by the host.
func (w *Wave) sync() {
	if st := w.State; st.At.Key.Mode != st.Mode() {
		st.Goto(w.PC())
	}
}
