package eval

import (
	"context"
	"errors"
	"math"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Halt says why a wave came back from Advance.
type Halt uint8

const (
	HaltFault Halt = iota // the error says which
	HaltSteps             // so many instructions have run as were asked for
	HaltPC                // it is in front of the instruction that it was to run to
	HaltEnd               // no lane lives any more
	HaltText              // the program's text ends here, and no other code follows
	HaltStop              // Stop was called
)

// A Goal is how far a wave goes.
type Goal struct {
	Steps uint64 // instructions at most; 0: as many as it takes, within the limit of the setup
	PC    uint64 // where it stops, if To says so
	To    bool

	text bool            // it always stops where the program's text ends
	ran  func(pc uint64) // is told of each instruction that has run; nil: nobody
}

// errRunning is what runs get that begin while another goes on.
var errRunning = errors.New("the wave is running: hooks do not run it further, they stop it or set its pc")

// errStopped is why a Run did not come to its end.
var errStopped = errors.New("Stop was called")

// Stop ends what goes on now, in front of the next instruction. Any goroutine may call it.
func (w *Wave) Stop() { w.stop.Store(true) }

// Running reports whether the wave runs, which hooks may ask.
func (w *Wave) Running() bool { return w.running }

// Advance runs the wave from where it is. The error is an *exec.Fault.
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
	w.failed, w.mended = failed{}, 0
	left := g.Steps
	if left == 0 {
		left = math.MaxUint64
	}
	told := false // hooks know what comes next
	for {
		w.sync()
		if halt, ok := w.arrived(g, left); ok {
			return halt, nil
		}
		b, err := w.code.Block(w.State.At.Key)
		if err != nil {
			if f := exec.NoCode(w.State, w.env, w.code, err).Fault; !w.mend(f) {
				return HaltFault, f
			}
			continue
		}
		n := min(w.ahead(b, g), left)
		if n == 0 { // at a place that arrived sees when the block begins there
			w.State.Goto(b.Marks[w.State.At.Mark].PC)
			continue
		}
		watching := w.watching()
		if watching && !told {
			if pc := w.PC(); !w.before(b) {
				told = w.PC() == pc
				continue
			}
		}
		if watching || g.ran != nil {
			n = 1
		}
		pc := b.Marks[w.State.At.Mark].PC
		ran, err := w.run(b, n, m, w.runnerNow(watching), g)
		if err != nil {
			return HaltFault, err
		}
		told = watching && ran == 0 && w.PC() == pc // it is tried again
		left -= min(left, ran)
	}
}

// run runs so many instructions of a block, fewer if one is at fault.
func (w *Wave) run(b *ir.Block, n uint64, m *exec.Meter, r exec.Runner, g *Goal) (ran uint64, err error) {
	pc, before := b.Marks[w.State.At.Mark].PC, w.env.Count.Instructions
	stop := m.Run(r, w.code, w.State, w.env, exec.Budget{Steps: n, Exact: true, Counted: true})
	if w.stale {
		w.stale = false
		w.Flush()
	}
	if stop.Reason == exec.StopFault && !w.mend(stop.Fault) {
		return 0, stop.Fault
	}
	if g.ran != nil && stop.Reason != exec.StopFault {
		g.ran(pc)
	}
	return w.env.Count.Instructions - before, nil
}

// arrived reports whether the wave goes no further, and why.
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
			if st.Exec != 0 && st.Parted() { // others are somewhere else: these wait for them
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

// ends reports whether the wave stops where the program's text ends.
func (w *Wave) ends(g *Goal) bool {
	return len(w.Program.Code) > 0 && (g.text || !w.follows)
}

// rejoin runs the lanes again that have come to the end of the text before others.
func (w *Wave) rejoin() {
	w.State.Live |= w.over
	w.State.Exec |= w.over
	w.over = 0
}

// ahead is how many instructions of the block come before one at which the wave stops.
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

// sync lets the wave go on under the mode that its register holds, which the host may have changed.
func (w *Wave) sync() {
	if st := w.State; st.At.Key.Mode != st.Mode() {
		st.Goto(w.PC())
	}
}
