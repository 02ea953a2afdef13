package launch

import (
	"context"
	"errors"

	"github.com/heddle-gpu/heddle/exec"
)

// RunWave runs a single wave from its state to its end: a case, an instruction to try, a debugger's wave. Barriers
// complete at once. env.Count has exact counters of what it did; the error is an *exec.Fault.
func RunWave(ctx context.Context, e exec.Engine, p *exec.Program, st *exec.State, env *exec.Env, limit exec.Limits) error {
	switch {
	case ctx == nil:
		return errors.New("launch: no context")
	case e == nil:
		return errors.New("launch: no engine")
	case p == nil || p.Code == nil || st == nil || env == nil:
		return errors.New("launch: a wave needs a program, a state and an environment")
	}
	r, meter := e.NewRunner(p), exec.NewMeter(ctx, limit)
	for {
		switch stop := meter.Run(r, p.Code, st, env, exec.Budget{Counted: true}); stop.Reason {
		case exec.StopEnd:
			return nil
		case exec.StopFault:
			return stop.Fault
		}
	}
}
