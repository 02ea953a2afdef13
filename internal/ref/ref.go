package ref

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lanewise"
	"github.com/heddle-gpu/heddle/ir"
)

// New returns the reference engine.
func New() exec.Engine { return engine{} }

// Watched returns the reference engine with a watcher of memory accesses. Runners of one launch call it from
// several goroutines.
func Watched(w exec.Watcher) exec.Engine { return engine{w} }

type engine struct{ watch exec.Watcher }

func (engine) Name() string { return "reference" }

// Lasts implements exec.Lasting. Watchers need not be comparable.
func (e engine) Lasts() bool { return e.watch == nil }

func (e engine) NewRunner(p *exec.Program) exec.Runner {
	return &runner{
		Runner: lanewise.Runner{Code: p.Code, Watch: e.watch},
		p:      p,
		forms:  exec.FormsOf(p, e.Name(), compile),
		codes:  map[ir.Key]*code{},
	}
}

// compile prepares the block at the key. A form of the reference engine is one block.
func compile(p *exec.Program, at ir.Key) (*code, error) {
	b, err := p.Block(at)
	if err != nil {
		return nil, err
	}
	return prepare(p.Frame(b, b), p.Machine()), nil
}

// A runner is what one goroutine needs to run waves: places for values, and scratch memory.
type runner struct {
	p         *exec.Program
	forms     *exec.Forms[*code]
	codes     map[ir.Key]*code // blocks that this runner has visited; needs no lock
	evictions uint64           // number of evictions of the program's blocks when codes was filled

	lanewise.Runner
}

// Run implements exec.Runner.
func (r *runner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	st.Runs(r.p)
	r.St, r.Env = st, env
	stop := r.run(st, env, b)
	if env.Probes != nil {
		env.Probes.Flush(env)
	}
	return stop
}

func (r *runner) run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	left := max(b.Steps, 1)
	for !st.Ended() {
		c, err := r.code(st.At)
		if err != nil {
			return exec.NoCode(st, env, r.Code, err)
		}
		first, last := st.At.Mark, len(c.marks)
		if b.Exact && left < uint64(last-first) {
			last = first + int(left)
		}
		left -= min(left, uint64(last-first))
		if stop := r.marks(c, first, last); stop.Reason != 0 {
			return stop
		}
		if last == len(c.marks) && !st.Ended() && st.Passes(c.Yields(st.At.Key)) && b.Yields {
			return exec.Stop{Reason: exec.StopYield}
		}
		if left == 0 {
			return exec.Stop{Reason: exec.StopBudget}
		}
	}
	return exec.Stop{Reason: exec.StopEnd}
}

// code returns the prepared block of a position.
func (r *runner) code(at exec.Pos) (*code, error) {
	c := r.codes[at.Key]
	if c == nil {
		if n := r.p.Evictions(); n != r.evictions {
			r.evictions = n
			clear(r.codes)
		}
		var err error
		if c, err = r.forms.Get(at.Key); err != nil {
			return nil, err
		}
		r.codes[at.Key] = c
	}
	if at.Mark < 0 || at.Mark >= len(c.marks) {
		return nil, fmt.Errorf("block at %#x has no mark %d", at.Key.PC, at.Mark)
	}
	if len(r.Slots) < c.slots {
		r.Slots = make([]ir.Vec, c.slots+len(r.Slots)/2)
	}
	return c, nil
}

// marks runs a block from mark first to before mark last, and its terminator if that is its end. The reason is 0 if
// the wave does not stop.
func (r *runner) marks(c *code, first, last int) exec.Stop {
	var visit exec.Visit
	visit.Begin(c.Frame, r.St, r.Env)
	end := len(c.ops)
	if last < len(c.marks) {
		end = c.marks[last]
	}
	if c.Block.Serial {
		r.serial(c)
		end = 0
	}
	for i := c.marks[first]; i < end; i++ {
		o := &c.ops[i]
		if !o.Run(&r.Runner, o) {
			return visit.Fault(o.Mark, r.Fault)
		}
	}
	if last < len(c.marks) {
		visit.Pause(last)
		return exec.Stop{}
	}
	return visit.Leave(r.exits(c))
}

// serial runs a serial block once for each lane. Nothing in it can fault.
func (r *runner) serial(c *code) {
	all := r.St.Exec
	for m := all; m != 0; m &= m - 1 {
		r.St.Exec = m & -m
		for i := range c.ops {
			c.ops[i].Run(&r.Runner, &c.ops[i])
		}
	}
	r.St.Exec = all
}

// exits returns the operand of the terminator as State.Leave takes it, and the addresses of ctlx per lane.
func (r *runner) exits(c *code) (x uint64, at *ir.Vec) {
	in, n := c.Own.Term(), len(c.term)
	if n == 0 {
		return 0, nil
	}
	if in.Op == ir.CtlStepX {
		at = r.Spread(&c.term[0])
	}
	p := &c.term[n-1]
	if in.Op.Info().Flags&ir.Masked != 0 {
		return r.Mask(p), at
	}
	return r.Vec(p)[0], at
}
