package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// A Wave is one wave with its program and memory, for any number of runs.
type Wave struct {
	Program *Program
	State   *exec.State
	Memory  []mem.Segment // those of Setup.Memory, in its order
	Hint    string        // appended to faults at addresses without code

	env     *exec.Env
	fetched *isa.Fetched
	code    *exec.Program // of fetched
	engine  exec.Engine
	runner  exec.Runner // nil: not yet made for the code
	meter   *exec.Meter
	free    *exec.Meter // without a limit of instructions
	limits  exec.Limits
	lanes   uint64 // lanes that start
	mask    bool   // the execution mask selects the active lanes; else the machine does
	over    uint64 // lanes that have reached the end of the text while others still run

	hooks    []*Hook
	events   events      // of hooks
	watching exec.Runner // reports accesses; nil: not yet made for the code
	running  bool
	stop     atomic.Bool
	inAccess bool // an access hook is active
	failed   failed
	retries  int // faults handled by hooks since the last completed instruction

	mapped  int             // number of regions that Map has added
	hosts   map[string]bool // regions in memory of the host, by name
	mutable bool            // a region is both writable and executable
	decoded lines           // lines of executable regions that have been decoded since the last Flush
	stale   bool            // decoded code has been written to
	devices []*Device       // of global memory
	serving bool            // a function of a device is active
	word    [8]byte         // of an atomic on a device
	follows bool            // there is code at the end of the text
}

// Start makes a wave with the initial state. use selects the engine if the setup names none.
func (p *Program) Start(ctx context.Context, set Setup, use engines.Use) (*Wave, error) {
	if err := disjoint(p.Machine(), set.Regs); err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	st, err := exec.RecycledState(p.Machine(), 0)
	if err != nil {
		return nil, err
	}
	w := &Wave{Program: p, State: st, env: &exec.Env{}}
	if w.Memory, err = spaces(w.env, set.Memory); err != nil {
		return nil, err
	}
	if err := w.env.MapCode(&isa.Program{Target: p.Target, Code: p.Code}); err != nil {
		return nil, err
	}
	if err := resources(p.Target, w.env); err != nil { // resources in memory are read from it
		return nil, err
	}
	if err := w.newCode(); err != nil {
		return nil, err
	}
	if w.engine = set.Engine; w.engine == nil {
		w.engine = engines.Fastest(use)
	}
	for i, r := range set.Memory {
		if r.InPlace && r.Space == ir.GlobalSpace {
			w.host(w.Memory[i].Name)
		}
	}
	if set.Steps == 0 {
		set.Steps = DefaultSteps
	}
	w.limits = exec.Limits{Steps: set.Steps}
	w.meter, w.free = exec.NewMeter(ctx, w.limits), exec.NewMeter(ctx, exec.Limits{Steps: math.MaxUint64})
	w.lanes = ^uint64(0) >> (64 - set.lanes(st.Lanes))
	w.mask = p.Machine().Control == ir.MaskData
	st.Start(0, w.lanes)
	begin(p.Target, st)
	if set.Mode != nil {
		st.Set(p.Machine().Mode, 0, *set.Mode)
	}
	for i := range set.Regs {
		set.Regs[i].apply(st)
	}
	w.begin(st.Exec)
	return w, nil
}

// begin moves the lanes of the execution mask to the start of the program; if lanes may be enabled later, the others,
// too.
func (w *Wave) begin(mask uint64) {
	if !w.mask {
		w.State.Start(0, mask)
		return
	}
	w.State.Start(0, w.lanes)
	w.State.Exec = mask
}

// Run runs the program from its start to the end of its text with the current registers, memory and execution mask. The
// error is an *exec.Fault.
//
// Lanes that end leave the execution mask during the run. The next run starts with the lanes that were active when this
// one began.
func (w *Wave) Run() error { return w.runText(w.meter, nil) }

// RunContext is Run that also ends when the context does.
func (w *Wave) RunContext(ctx context.Context) error {
	return w.runText(exec.NewMeter(ctx, w.limits), nil)
}

// runText is Run. ran, which may be nil, is called after each instruction.
func (w *Wave) runText(m *exec.Meter, ran func(pc uint64)) error {
	switch {
	case len(w.Program.Code) == 0:
		return errors.New("the wave has no program of its own: set its pc, then step or run to an address")
	case w.running:
		return errRunning
	}
	mask := w.State.Exec
	w.begin(mask)
	w.env.Count = exec.Counters{}
	halt, err := w.advance(&Goal{text: true, ran: ran}, m)
	if halt == HaltStop {
		f := exec.NewFault(exec.FaultStopped, w.env, w.code, w.PC())
		f.Err = errStopped
		err = f
	}
	w.rejoin()
	if !w.mask {
		w.State.Exec = mask
	}
	w.State.Exec |= mask & w.lanes &^ w.State.Live
	return err
}

// Count returns the counters of the last run.
func (w *Wave) Count() exec.Counters { return w.env.Count }
