package eval

import (
	"context"
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	engines "github.com/heddle-gpu/heddle/exec/all"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Wave is the one wave that runs a program, with its memory: again and again, for who asks.
type Wave struct {
	Program *Program
	State   *exec.State
	Memory  []mem.Segment // those of Setup.Memory, in its order

	env    *exec.Env
	code   *exec.Program
	runner exec.Runner
	meter  *exec.Meter
	limits exec.Limits
	lanes  uint64 // that begin
	mask   bool   // which of them run is for programs to say, by the execution mask; else for the machine
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
	w := &Wave{Program: p, State: st, env: &exec.Env{Where: exec.Where{Kernel: "eval"}}}
	if w.Memory, err = spaces(w.env, set.Memory); err != nil {
		return nil, err
	}
	if err := resources(p.Target, w.env); err != nil { // those that lie in memory find it there
		return nil, err
	}
	runnable, err := p.Runnable(0, p.Code, p.Bundles)
	if err != nil {
		return nil, err
	}
	engine := set.Engine
	if engine == nil {
		engine = engines.Fastest(use)
	}
	w.code = exec.NewProgram(runnable)
	w.runner = engine.NewRunner(w.code)
	if set.Steps == 0 {
		set.Steps = DefaultSteps
	}
	w.limits = exec.Limits{Steps: set.Steps}
	w.meter = exec.NewMeter(ctx, w.limits)
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

// Run runs the program from its begin, on what registers and memory hold now, the execution mask too. The error is an *exec.Fault.
//
// Lanes that end leave the execution mask, but they begin again with the next run: they are put back, as they were when this one began.
func (w *Wave) Run() error {
	mask := w.State.Exec
	w.begin(mask)
	w.env.Count = exec.Counters{}
	err := w.run(exec.Quantum, nil)
	if !w.mask {
		w.State.Exec = mask
	}
	w.State.Exec |= mask & w.lanes &^ w.State.Live
	return err
}

// RunContext is Run that also ends with the context.
func (w *Wave) RunContext(ctx context.Context) error {
	defer func(m *exec.Meter) { w.meter = m }(w.meter)
	w.meter = exec.NewMeter(ctx, w.limits)
	return w.Run()
}

// Count is what the last run has done.
func (w *Wave) Count() exec.Counters { return w.env.Count }

// run goes on until the text or the wave ends, at most so many instructions at a time. Lanes that have come to the end of the text have no part in what
// others do that have gone another way, and are there again when all have. ran, unless it is nil, is told of the instructions that began each time.
func (w *Wave) run(most int, ran func(pc uint64)) error {
	end, st := uint64(len(w.Program.Code)), w.State
	over := uint64(0) // lanes that are at the end
	defer func() {
		st.Live |= over
		st.Exec |= over
	}()
	for !st.Ended() {
		b, err := w.code.Block(st.At.Key)
		if err != nil {
			return err
		}
		n := before(b, end) - st.At.Mark
		if n <= 0 {
			if over |= st.Exec; st.Exec == 0 || !st.Parted() {
				return nil
			}
			st.Retire()
			continue
		}
		pc := b.Marks[st.At.Mark].PC
		budget := exec.Budget{Steps: uint64(min(n, most)), Exact: true, Counted: true}
		if stop := w.meter.Run(w.runner, w.code, st, w.env, budget); stop.Reason == exec.StopFault {
			return stop.Fault
		}
		if ran != nil {
			ran(pc)
		}
	}
	return nil
}

// before is how many instructions of a block stand before an address. Only the last of a block can stand at the end of a text.
func before(b *ir.Block, end uint64) int {
	n := len(b.Marks)
	if n > 0 && b.Marks[n-1].PC == end {
		n--
	}
	return n
}
