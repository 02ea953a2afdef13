package exec

import (
	"context"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/ir"
)

// DefaultSteps is the step limit of a wave if none is given.
const DefaultSteps = 100_000_000

// Quantum is the maximum number of marks that a wave runs before a Meter checks the limits and the context again.
// The wave's turn does not end there.
const Quantum = 1 << 14

// Limits bound a run, for safety. A run that exceeds one ends with a fault that says so; nothing else depends on
// them. Where exactly a wave hits a step limit may differ between engines.
type Limits struct {
	Steps  uint64 // guest instructions of one wave; 0: DefaultSteps
	Total  uint64 // guest instructions of all waves together; 0: no limit of its own
	Memory uint64 // bytes of guest memory and wave state; 0: no limit. For launch.
	Groups uint64 // work-groups; 0: no limit. For launch.
}

// A Meter keeps a run within its limits and its context. It is shared by the waves of the run.
type Meter struct {
	ctx   context.Context
	done  <-chan struct{} // of ctx
	limit Limits
	used  atomic.Uint64 // counted only if limit.Total is set
}

// NewMeter returns a meter with nothing used yet.
func NewMeter(ctx context.Context, limit Limits) *Meter {
	if limit.Steps == 0 {
		limit.Steps = DefaultSteps
	}
	return &Meter{ctx: ctx, done: ctx.Done(), limit: limit}
}

// Run runs the wave within b, but for at most a Quantum; b.Steps 0 is a Quantum. After StopBudget the wave's turn
// continues. An exceeded limit or the end of the context is a fault.
func (m *Meter) Run(r Runner, code ir.Code, st *State, env *Env, b Budget) Stop {
	if b.Steps == 0 {
		b.Steps = Quantum
	}
	steps := min(b.Steps, Quantum, m.limit.Steps-min(m.limit.Steps, env.Count.Instructions))
	if m.limit.Total != 0 {
		steps = min(steps, m.limit.Total-min(m.limit.Total, m.used.Load()))
	}
	if st.Ended() {
		return Stop{Reason: StopEnd}
	}
	if steps == 0 {
		return Stop{Reason: StopFault, Fault: m.exceeded(code, st, env)}
	}
	if f := m.ended(code, st, env); f != nil {
		return Stop{Reason: StopFault, Fault: f}
	}
	before := env.Count.Instructions
	b.Steps = steps
	stop := r.Run(st, env, b)
	m.add(env.Count.Instructions - before)
	if stop.Fault != nil {
		stop.Fault.fillRegisters(st)
	}
	return stop
}

// Spent returns the fault of a wave if steps, counted in addition to its instructions, exceed its limit, or if the
// context has ended. nil: the wave may continue.
func (m *Meter) Spent(code ir.Code, st *State, env *Env, steps uint64) *Fault {
	if steps >= m.limit.Steps-min(m.limit.Steps, env.Count.Instructions) {
		return m.exceeded(code, st, env)
	}
	return m.ended(code, st, env)
}

// ended returns the fault for the end of the context; nil if it has not ended.
func (m *Meter) ended(code ir.Code, st *State, env *Env) *Fault {
	select {
	case <-m.done:
		f := NewFault(FaultStopped, env, code, st.At.PC(code))
		f.Err = m.ctx.Err()
		return f
	default:
		return nil
	}
}

// fillRegisters fills in the registers of the faults of turns.
func fillRegisters(turns []WaveTurn) {
	for i := range turns {
		if f := turns[i].Stop.Fault; f != nil {
			f.fillRegisters(turns[i].State)
		}
	}
}

// add counts instructions as used.
func (m *Meter) add(instructions uint64) {
	if m.limit.Total != 0 {
		m.used.Add(instructions)
	}
}

// RunAll runs waves as [GroupRunner.RunAll] does, each within b and for at most a Quantum. If a limit or the end of the
// context is near it runs none; the caller then uses Run, which handles them exactly.
func (m *Meter) RunAll(r GroupRunner, turns []WaveTurn, b Budget) int {
	if !m.farFromLimits(turns, 0) {
		return 0
	}
	before := uint64(0)
	if m.limit.Total != 0 { // otherwise no count is needed
		before = instructions(turns)
	}
	n := r.RunAll(turns, b.quantum())
	fillRegisters(turns[:n])
	if m.limit.Total != 0 {
		m.add(instructions(turns) - before)
	}
	return n
}

// RunGroups runs waves as [GroupRunner.RunGroups] does, each within b and for at most a Quantum between two barriers.
// If a limit or the end of the context is near it runs none, or stops between groups or at a barrier. next starts the
// next group and returns false if there is none.
func (m *Meter) RunGroups(r GroupRunner, turns []WaveTurn, b Budget, next func() bool) int {
	if !m.farFromLimits(turns, 0) {
		return 0
	}
	used := -instructions(turns) // excludes what the current group has already run
	n := r.RunGroups(turns, b.quantum(), func(over bool) bool {
		all := used + instructions(turns)
		if !m.farFromLimits(turns, all) || over && !next() {
			return false
		}
		if over {
			used = all
		}
		return true
	})
	m.add(used + instructions(turns))
	fillRegisters(turns[:n])
	return n
}

// quantum limits the budget to a Quantum.
func (b Budget) quantum() Budget {
	if b.Steps = min(b.Steps, Quantum); b.Steps == 0 {
		b.Steps = Quantum
	}
	return b
}

// farFromLimits reports whether the limits and the end of the context are far, after used more instructions.
func (m *Meter) farFromLimits(turns []WaveTurn, used uint64) bool {
	for i := range turns {
		if turns[i].Env.Count.Instructions+2*Quantum > m.limit.Steps {
			return false
		}
	}
	if m.limit.Total != 0 && m.used.Load()+used+2*Quantum*uint64(len(turns)) > m.limit.Total {
		return false
	}
	select {
	case <-m.done:
		return false
	default:
		return true
	}
}

// instructions returns the number that the waves have run.
func instructions(turns []WaveTurn) (sum uint64) {
	for i := range turns {
		sum += turns[i].Env.Count.Instructions
	}
	return sum
}

func (m *Meter) exceeded(code ir.Code, st *State, env *Env) *Fault {
	f := NewFault(FaultLimit, env, code, st.At.PC(code))
	f.Limit, f.Text = m.limit.Steps, "step limit"
	if m.limit.Total != 0 && env.Count.Instructions < m.limit.Steps {
		f.Limit, f.Text = m.limit.Total, "step limit of the launch"
	}
	return f
}
