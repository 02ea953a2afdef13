package exec

import (
	"context"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/ir"
)

// DefaultSteps is the limit of a wave when none is given.
const DefaultSteps = 100_000_000

// Quantum is how many marks a wave runs, at the most, before a Meter looks at the limits and the context
// again. No wave gives up its turn for that.
const Quantum = 1 << 14

// Limits bound a run. They are there for safety: who meets one ends with a fault that says so, and nothing
// else depends on them. The place where a wave meets a step limit may differ between engines.
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
	used  atomic.Uint64
}

// NewMeter is a meter with nothing used yet.
func NewMeter(ctx context.Context, limit Limits) *Meter {
	if limit.Steps == 0 {
		limit.Steps = DefaultSteps
	}
	return &Meter{ctx: ctx, done: ctx.Done(), limit: limit}
}

// Run runs the wave within b, but for at most a Quantum; b.Steps 0 is a Quantum. After StopBudget it is
// still the wave's turn. A limit or the end of the context is a fault.
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
		return m.exceeded(code, st, env)
	}
	select {
	case <-m.done:
		f := NewFault(FaultStopped, env, code, st.At.Key.PC)
		f.Err = m.ctx.Err()
		return Stop{Reason: StopFault, Fault: f}
	default:
	}
	before := env.Count.Instructions
	b.Steps = steps
	stop := r.Run(st, env, b)
	m.used.Add(env.Count.Instructions - before)
	return stop
}

// RunAll runs waves as [Crew.RunAll] does, each within b and for at most a Quantum. It runs none where a limit or the end of the context is
// near: then it is for Run to say what it does about them.
func (m *Meter) RunAll(r Crew, turns []Turn, b Budget) int {
	if b.Steps = min(b.Steps, Quantum); b.Steps == 0 {
		b.Steps = Quantum
	}
	before := uint64(0)
	for i := range turns {
		n := turns[i].Env.Count.Instructions
		if before += n; n+2*Quantum > m.limit.Steps {
			return 0
		}
	}
	if m.limit.Total != 0 && m.used.Load()+2*Quantum*uint64(len(turns)) > m.limit.Total {
		return 0
	}
	select {
	case <-m.done:
		return 0
	default:
	}
	n := r.RunAll(turns, b)
	after := uint64(0)
	for i := range turns {
		after += turns[i].Env.Count.Instructions
	}
	m.used.Add(after - before)
	return n
}

func (m *Meter) exceeded(code ir.Code, st *State, env *Env) Stop {
	f := NewFault(FaultLimit, env, code, st.At.Key.PC)
	f.Limit, f.Text = m.limit.Steps, "step limit"
	if env.Count.Instructions < m.limit.Steps {
		f.Limit, f.Text = m.limit.Total, "step limit of the launch"
	}
	return Stop{Reason: StopFault, Fault: f}
}
