package exec_test

import (
	"context"
	"errors"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
)

// marks is a runner of waves that end after a given number of marks. It records the budgets that it gets.
type marks struct {
	left uint64
	got  []uint64
}

func (r *marks) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	r.got = append(r.got, b.Steps)
	n := min(b.Steps, r.left)
	env.Count.Instructions += n
	if r.left -= n; r.left == 0 {
		st.Live = 0
		return exec.Stop{Reason: exec.StopEnd}
	}
	return exec.Stop{Reason: exec.StopBudget}
}

// TestMeter runs waves of given lengths under limits per wave and in total. Those that fit end. The first that does
// not is a fault that names the limit, after as many instructions as it allows.
func TestMeter(t *testing.T) {
	p := exectest.Parse(exectest.Machine(ir.MaskData), "block 0x100\nmark 0x100 size 4\n  end\n")
	for _, c := range []struct {
		limits exec.Limits
		waves  []uint64
		ends   int // waves that end
		done   uint64
		limit  uint64 // the limit that the fault names
		text   string
	}{
		{exec.Limits{Steps: 10}, []uint64{10, 10, 3}, 3, 23, 0, ""},
		{exec.Limits{Steps: 10}, []uint64{10, 11, 3}, 1, 20, 10, "step limit"},
		{exec.Limits{Total: 30}, []uint64{10, 10, 10}, 3, 30, 0, ""},
		{exec.Limits{Total: 29}, []uint64{10, 10, 10}, 2, 29, 29, "step limit of the launch"},
		{exec.Limits{Total: 20}, []uint64{10, 10, 10}, 2, 20, 20, "step limit of the launch"},
		{exec.Limits{Steps: 10, Total: 25}, []uint64{10, 10, 10}, 2, 25, 25, "step limit of the launch"},
		{exec.Limits{Steps: 9, Total: 25}, []uint64{9, 10}, 1, 18, 9, "step limit"},
		{exec.Limits{}, []uint64{3*exec.Quantum + 1, 5}, 2, 3*exec.Quantum + 6, 0, ""},
		{exec.Limits{Total: 2*exec.Quantum + 1}, []uint64{exec.Quantum, exec.Quantum + 1, 1}, 2, 2*exec.Quantum + 1, 2*exec.Quantum + 1, "step limit of the launch"},
	} {
		for _, steps := range []uint64{0, 1, 7, 1 << 30} {
			m := exec.NewMeter(context.Background(), c.limits)
			if steps == 1 && c.waves[0] > 100 {
				continue // too slow
			}
			ends, done, fault := metered(t, p, m, c.waves, steps)
			if ends != c.ends || done != c.done {
				t.Errorf("%+v, waves of %d, %d at a time: %d end, %d instructions; want %d, %d", c.limits, c.waves, steps, ends, done, c.ends, c.done)
			}
			if (fault == nil) != (c.text == "") || fault != nil && (fault.Kind != exec.FaultLimit || fault.Limit != c.limit || fault.Text != c.text) {
				t.Errorf("%+v, waves of %d: %v", c.limits, c.waves, fault)
			}
		}
	}
}

// metered runs waves of given lengths one after the other, in slices of steps, up to the first fault.
func metered(t *testing.T, p *exec.Program, m *exec.Meter, waves []uint64, steps uint64) (ends int, done uint64, fault *exec.Fault) {
	t.Helper()
	for _, n := range waves {
		r, env := &marks{left: n}, &exec.Env{}
		st, err := exec.NewState(p.Machine(), 4)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, 1)
		stop := exec.Stop{Reason: exec.StopBudget}
		for stop.Reason == exec.StopBudget {
			stop = m.Run(r, p.Code, st, env, exec.Budget{Steps: steps})
		}
		for _, b := range r.got {
			if b == 0 || b > exec.Quantum || steps != 0 && b > steps {
				t.Errorf("a budget of %d for %d", b, steps)
			}
		}
		done += env.Count.Instructions
		if stop.Reason != exec.StopEnd {
			return ends, done, stop.Fault
		}
		ends++
	}
	return ends, done, nil
}

// TestMeterStops: a wave that has ended is not run, whatever the limits. The end of the context is a fault with its
// reason, before anything runs.
func TestMeterStops(t *testing.T) {
	p := exectest.Parse(exectest.Machine(ir.MaskData), "block 0x100\nmark 0x100 size 4\n  end\n")
	st, err := exec.NewState(p.Machine(), 4)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := exec.NewMeter(ctx, exec.Limits{})
	r, env := &marks{left: 5}, &exec.Env{}
	if stop := m.Run(r, p.Code, st, env, exec.Budget{}); stop.Reason != exec.StopEnd || len(r.got) != 0 {
		t.Errorf("a wave that has ended: %+v", stop)
	}
	cancel()
	st.Start(0x100, 1)
	stop := m.Run(r, p.Code, st, env, exec.Budget{})
	if stop.Reason != exec.StopFault || stop.Fault.Kind != exec.FaultStopped || !errors.Is(stop.Fault.Err, context.Canceled) || len(r.got) != 0 {
		t.Errorf("after the end of the context: %+v", stop)
	}
}
