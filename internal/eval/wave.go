package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	engines "github.com/heddle-gpu/heddle/exec/all"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// A Wave is one wave with its program and memory, for any number of runs.
type Wave struct {
	Program *Program
	State   *exec.State
	Memory  []mem.Segment // those of Setup.Memory, in its order
	Hint    string        // appended to faults where there is no code

	env     *exec.Env
	fetched *isa.Fetched
	code    *exec.Program // of fetched
	engine  exec.Engine
	runner  exec.Runner // nil: none has been made for the code
	meter   *exec.Meter
	free    *exec.Meter // without a limit of instructions
	limits  exec.Limits
	lanes   uint64 // that begin
	mask    bool   // which of them run is for programs to say, by the execution mask; else for the machine
	over    uint64 // lanes that have reached the end of the text, while others run

	hooks    []*Hook
	events   events      // of hooks
	watching exec.Runner // reports accesses; nil: none has been made for the code
	running  bool
	stop     atomic.Bool
	inAccess bool // an access hook is active
	failed   failed
	retries  int // faults handled by hooks since an instruction has completed

	mapped  int             // number of regions that Map has added
	hosts   map[string]bool // regions in memory of the host, by name
	mutable bool            // a region is both writable and executable
	decoded lines           // of executable regions: code that has been decoded since the last Flush
	stale   bool            // decoded code has been written to
	devices []*Device       // of global memory
	serving bool            // a function of a device is active
	word    [8]byte         // of an atomic on a device
	follows bool            // there is code at the end of the text
}

// Start makes a wave with the state before the program runs. use says how, if the setup names no engine.
func (p *Program) Start(ctx context.Context, set Setup, use engines.Use) (*Wave, error) {
	if err := disjoint(p.Machine(), set.Regs); err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	st, err := exec.NewState(p.Machine(), 0)
	if err != nil {
		return nil, err
	}
	w := &Wave{Program: p, State: st, env: &exec.Env{}, hosts: map[string]bool{}}
	if w.Memory, err = spaces(w.env, set.Memory); err != nil {
		return nil, err
	}
	if err := w.env.MapCode(&isa.Program{Target: p.Target, Code: p.Code}); err != nil {
		return nil, err
	}
	if err := resources(p.Target, w.env); err != nil { // those that lie in memory find it there
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
			w.hosts[w.Memory[i].Name] = true
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

// begin puts the lanes of the execution mask at the begin of the program, those that it does not have beside them if it may get them.
func (w *Wave) begin(mask uint64) {
	if !w.mask {
		w.State.Start(0, mask)
		return
	}
	w.State.Start(0, w.lanes)
	w.State.Exec = mask
}

// Run runs the program from its begin to where its text ends, on what registers and memory hold now, the execution mask too. The error is an *exec.Fault.
//
// Lanes that end leave the execution mask, but they begin again with the next run: they are put back, as they were when this one began.
func (w *Wave) Run() error { return w.runText(w.meter, nil) }

// RunContext is Run that also ends with the context.
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

// Count is what the last run has done.
func (w *Wave) Count() exec.Counters { return w.env.Count }
