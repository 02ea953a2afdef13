package ref

import (
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/lanewise"
	"github.com/heddle-gpu/heddle/ir"
)

// New is the reference engine.
func New() exec.Engine { return engine{} }

type engine struct{}

func (engine) Name() string { return "reference" }

func (e engine) NewRunner(p *exec.Program) exec.Runner {
	return &runner{
		Runner: lanewise.Runner{Code: p.Code},
		p:      p,
		forms:  exec.FormsOf(p, e.Name(), compile),
		codes:  map[ir.Key]*code{}, ways: map[way]bool{},
	}
}

// compile prepares the block at the key: a form of the reference engine is one block.
func compile(p *exec.Program, at ir.Key) (*code, error) {
	b, err := p.Block(at)
	if err != nil {
		return nil, err
	}
	return prepare(p.Machine(), b), nil
}

// A runner is what one goroutine needs to run waves: places for values, and scratch.
type runner struct {
	p     *exec.Program
	forms *exec.Forms[*code]
	codes map[ir.Key]*code // those this runner has met, without a lock
	ways  map[way]bool     // likewise: whether the wave yields there

	at   *code  // the block that runs
	live uint64 // lanes live at the start of the block

	lanewise.Runner
}

// Run implements exec.Runner.
func (r *runner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
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
			f := exec.NewFault(exec.FaultCode, env, r.Code, st.At.Key.PC)
			f.Err = err
			return exec.Stop{Reason: exec.StopFault, Fault: f}
		}
		first, last := st.At.Mark, len(c.marks)
		if b.Exact && left < uint64(last-first) {
			last = first + int(left)
		}
		left -= min(left, uint64(last-first))
		if stop := r.marks(c, first, last); stop.Reason != 0 {
			return stop
		}
		if last == len(c.marks) && b.Yields && r.yields(c, st.At.Key) {
			return exec.Stop{Reason: exec.StopYield}
		}
		if left == 0 {
			return exec.Stop{Reason: exec.StopBudget}
		}
	}
	return exec.Stop{Reason: exec.StopEnd}
}

// A way is from the end of a block to where a wave goes on.
type way struct {
	from *code
	to   ir.Key
}

// yields reports whether a wave that goes on at a place yields first.
func (r *runner) yields(c *code, to ir.Key) bool {
	if c.plain && to.PC > c.block.Key.PC {
		return false
	}
	w := way{c, to}
	y, ok := r.ways[w]
	if !ok {
		y = r.p.Yields(c.block, to)
		r.ways[w] = y
	}
	return y
}

// code is the prepared block of a position.
func (r *runner) code(at exec.Pos) (*code, error) {
	c := r.codes[at.Key]
	if c == nil {
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
		r.Slots = make([]ir.Vec, c.slots+16)
	}
	return c, nil
}

// marks runs a block from mark first to before mark last, and leaves it if that is its end. The
// reason is 0 if nothing stops the wave.
func (r *runner) marks(c *code, first, last int) exec.Stop {
	r.at, r.live = c, r.St.Live
	end := len(c.ops)
	if last < len(c.marks) {
		end = c.marks[last].op
	}
	if c.block.Serial {
		r.turns(c)
		end = 0
	}
	for i := c.marks[first].op; i < end; i++ {
		o := &c.ops[i]
		if !o.Run(&r.Runner, o) {
			return r.stopAt(c, first, o.Mark, r.Fault)
		}
	}
	if last < len(c.marks) {
		r.account(c, first, last)
		r.St.At.Mark = last
		return exec.Stop{}
	}
	return r.leave(c, first)
}

// turns runs a serial block once for each lane. Nothing in it can fault.
func (r *runner) turns(c *code) {
	all := r.St.Exec
	for m := all; m != 0; m &= m - 1 {
		r.St.Exec = m & -m
		for i := range c.ops {
			c.ops[i].Run(&r.Runner, &c.ops[i])
		}
	}
	r.St.Exec = all
}

// leave carries out the terminator of a block that was entered at mark first.
func (r *runner) leave(c *code, first int) exec.Stop {
	last := len(c.marks) - 1
	in := c.block.Term()
	if in.Op == ir.Trap {
		f := exec.NewFault(exec.FaultTrap, r.Env, r.Code, 0)
		f.Trap, f.Text = ir.TrapReason(in.Imm), c.block.Why
		return r.stopAt(c, first, last, f)
	}
	x, at := r.exits(c, in)
	reason, err := exec.StopReason(0), error(nil)
	if pc, ok := exec.Fast(c.block, r.St.Live, r.St.Exec, x); ok {
		r.St.Goto(pc)
	} else {
		reason, err = r.St.Leave(c.block, x, at)
	}
	if err != nil {
		return r.stopAt(c, first, last, r.ControlFault(err))
	}
	r.account(c, first, last+1)
	if reason == exec.StopBarrier {
		r.Env.Count.Barriers++
		return exec.Stop{Reason: reason, At: exec.BarrierOf(in, x)}
	}
	return exec.Stop{Reason: reason}
}

// exits is the operand of a terminator as State.Leave takes it, and the addresses of ctlx by lane.
func (r *runner) exits(c *code, in *ir.Inst) (x uint64, at *ir.Vec) {
	n := len(c.term)
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

// stopAt ends the run with a fault in mark at of a block that was entered at mark first.
func (r *runner) stopAt(c *code, first, at int, f *exec.Fault) exec.Stop {
	r.account(c, first, at)
	r.St.At.Mark = at
	f.PC = c.marks[at].pc
	return exec.Stop{Reason: exec.StopFault, Fault: f}
}

// account adds the marks from first to before last to the counters.
func (r *runner) account(c *code, first, last int) {
	n := uint64(last - first)
	r.St.Clock += n
	k := &r.Env.Count
	k.Instructions += n
	a, b := c.costs[first], c.costs[last]
	k.Ops += uint64(b.Ops - a.Ops)
	k.LaneOps += uint64(b.LaneOps-a.LaneOps) * uint64(bits.OnesCount64(r.live))
}
