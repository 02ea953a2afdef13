package exec_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
)

// sleepy is an engine whose forms are machine code of 10 bytes that takes a millisecond to compile, and whose runs
// of a wave take a millisecond. With tiers, it assigns two thirds of a run to one tier.
type sleepy struct{ tiers bool }

const nap = time.Millisecond

type sleepyForm struct{}

func (sleepyForm) CodeBytes() int { return 10 }

type sleepyRunner struct {
	forms *exec.Forms[sleepyForm]
	runs  time.Duration
}

type sleepyTiers struct{ sleepyRunner }

func (sleepy) Name() string { return "sleepy" }

func (s sleepy) NewRunner(p *exec.Program) exec.Runner {
	r := sleepyRunner{forms: exec.FormsOf(p, "sleepy", func(p *exec.Program, at ir.Key) (sleepyForm, error) {
		_, err := p.Block(at)
		time.Sleep(nap)
		return sleepyForm{}, err
	})}
	if s.tiers {
		return &sleepyTiers{r}
	}
	return &r
}

func (r *sleepyRunner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	if _, err := r.forms.Get(st.At.Key); err != nil {
		return exec.Stop{Reason: exec.StopFault, Fault: &exec.Fault{Err: err}}
	}
	r.runs++
	time.Sleep(nap)
	return exec.Stop{Reason: exec.StopEnd}
}

func (r *sleepyTiers) Tiers() []exec.Tier {
	return []exec.Tier{{Name: "low", Time: r.runs}, {Name: "high", Time: 2 * r.runs}}
}

// slowCode takes a millisecond to lift a block.
type slowCode struct{ ir.Code }

func (c slowCode) Block(at ir.Key) (*ir.Block, error) {
	time.Sleep(nap)
	return c.Code.Block(at)
}

// TestMeasure: time of runners adds up, by tier if they have tiers. What was lifted and compiled counts once per
// program, code in bytes. A block that does not exist is not a form.
func TestMeasure(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	text := exectest.Parse(m, "block 0x100\nmark 0x100 size 4\n  jump 0x200\n\nblock 0x200\nmark 0x200 size 4\n  end\n")
	p := exec.NewProgram(slowCode{text.Code})
	for _, tiers := range []bool{false, true} {
		e := exec.Measure(sleepy{tiers})
		if got := e.Taken(); len(got.Tiers) != 1 || got.Tiers[0] != (exec.Tier{Name: "sleepy"}) || got.Forms != 0 {
			t.Errorf("before any run: %+v", got)
		}
		for range 2 {
			r := e.NewRunner(p)
			for _, pc := range []uint64{0x100, 0x200, 0x300} {
				st, err := exec.NewState(m, 16)
				if err != nil {
					t.Fatal(err)
				}
				st.Start(pc, 1)
				want := exec.StopEnd
				if pc == 0x300 {
					want = exec.StopFault
				}
				if stop := r.Run(st, &exec.Env{}, exec.Budget{}); stop.Reason != want {
					t.Fatalf("%#x: stop %v", pc, stop.Reason)
				}
			}
		}
		got := e.Taken()
		if e.Name() != "sleepy" || got.Blocks != 2 || got.Forms != 2 || got.Code != 20 || got.Lifting < 2*nap || got.Compiling < got.Lifting+2*nap {
			t.Errorf("%+v", got)
		}
		switch {
		case tiers:
			if want := [2]exec.Tier{{Name: "low", Time: 4}, {Name: "high", Time: 8}}; len(got.Tiers) != 2 || [2]exec.Tier(got.Tiers) != want {
				t.Errorf("tiers %+v, want %+v", got.Tiers, want)
			}
		case len(got.Tiers) != 1 || got.Tiers[0].Time < got.Compiling+4*nap:
			t.Errorf("tiers %+v", got.Tiers)
		}
	}
}

// slowRunner has executed some ops without machine code.
type slowRunner struct {
	sleepyRunner
	counts bool
}

func (r *slowRunner) CountSlow() { r.counts = true }

func (r *slowRunner) Slow() []exec.SlowOp {
	if !r.counts {
		return nil
	}
	return []exec.SlowOp{{Name: "b", N: 3}, {Name: "a", N: 1}, {Name: "c", N: 1}}
}

type slowEngine struct{ sleepy }

func (slowEngine) NewRunner(*exec.Program) exec.Runner { return &slowRunner{} }

// TestSlow: runners count from their beginning on what they execute without machine code; it adds up, the most first.
func TestSlow(t *testing.T) {
	e, p := exec.Measure(slowEngine{}), exectest.Parse(exectest.Machine(ir.MaskData), "block 0x100\nmark 0x100 size 4\n  end\n")
	e.NewRunner(p)
	e.NewRunner(p)
	if got, want := fmt.Sprint(e.Taken().Slow), "[{b 6} {a 2} {c 2}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
