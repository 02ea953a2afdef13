package portable

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/lanewise"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
	"github.com/heddle-gpu/heddle/mem"
)

// New is the portable engine.
func New() exec.Engine { return engine{} }

type engine struct{}

func (engine) Name() string { return "portable" }

func (e engine) NewRunner(p *exec.Program) exec.Runner {
	return &runner{
		p:     p,
		fast:  exec.FormsOf(p, e.Name(), optimised),
		dense: exec.FormsOf(p, e.Name()+" dense", dense),
		exact: exec.FormsOf(p, e.Name()+" canonical", canonical),
		nodes: map[ir.Key]*node{}, inner: map[ir.Key]*node{},
		lanes: lanewise.Runner{Code: p.Code, Slots: make([]ir.Vec, 1)},
	}
}

// optimised is the form of a block that runs as a whole.
func optimised(p *exec.Program, at ir.Key) (*code, error) {
	b, err := p.Block(at)
	if err != nil {
		return nil, err
	}
	return prepare(p.Machine(), b, pass.Optimise(p.Machine(), b, pass.Options{}), false), nil
}

// dense is the form of a block that runs as a whole with all lanes active.
func dense(p *exec.Program, at ir.Key) (*code, error) {
	c, err := exec.FormsOf(p, engine{}.Name(), optimised).Get(at)
	if err != nil {
		return nil, err
	}
	return prepare(p.Machine(), c.block, c.own, true), nil
}

// canonical is the form of a block that can be entered and left at its marks.
func canonical(p *exec.Program, at ir.Key) (*code, error) {
	b, err := p.Block(at)
	if err != nil {
		return nil, err
	}
	return prepare(p.Machine(), b, b, false), nil
}

// A node is a block as one runner knows it.
type node struct {
	*code
	key     ir.Key
	words   []uint64 // of code.words: constants, and places for the rest
	cursors []mem.Cursor
	next    [2]successor
	turn    int   // of next: the one to be replaced
	dense   *node // for waves that come with all lanes active; nil: not met yet
}

// A successor is where a wave has gone on after a block.
type successor struct {
	node   *node // nil: none yet
	asked  bool  // whether it yields
	yields bool
}

// A runner is what one goroutine needs to run waves: places for values, and scratch.
type runner struct {
	p     *exec.Program
	fast  *exec.Forms[*code]
	dense *exec.Forms[*code]
	exact *exec.Forms[*code]
	nodes map[ir.Key]*node // those this runner has met, without a lock
	inner map[ir.Key]*node // likewise, of canonical blocks

	st    *exec.State
	env   *exec.Env
	v     []uint32 // of st
	rows  []row
	vecs  []ir.Vec
	words []uint64 // of the node that runs
	n     int      // lanes that functions compute: those of the wave, rounded up to whole groups
	full  uint64

	lanes   lanewise.Runner // for the ops that it runs
	numbers [3]row          // operands of functions of package num that are one a wave
	wides   [3][ir.MaxLanes]uint64
	cursors []mem.Cursor        // of the node that runs
	reach   reach               // of the access that runs
	windows [ir.MaxLanes][]byte // likewise, for Env.Footprint
	live    uint64              // lanes live at the start of the block
}

// Run implements exec.Runner.
func (r *runner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	r.st, r.env, r.v, r.full = st, env, st.V, st.Full
	r.n = (st.Lanes + group - 1) / group * group
	r.lanes.St, r.lanes.Env = st, env
	stop := r.run(st, env, b)
	if env.Probes != nil {
		env.Probes.Flush(env)
	}
	return stop
}

func (r *runner) run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	left := max(b.Steps, 1)
	var from *node // the block that has just ended
	for !st.Ended() {
		nd, err := r.node(from)
		if err != nil {
			return r.noCode(err)
		}
		from = nd
		marks := len(nd.marks)
		if st.At.Mark != 0 || b.Exact && left < uint64(marks) {
			if stop := r.part(&left, b.Exact); stop.Reason != 0 {
				return stop
			}
		} else {
			left -= min(left, uint64(marks))
			if stop := r.whole(nd); stop.Reason != 0 {
				return stop
			}
		}
		if b.Yields && st.At.Mark == 0 && r.yields(nd, st.At.Key) {
			return exec.Stop{Reason: exec.StopYield}
		}
		if left == 0 {
			return exec.Stop{Reason: exec.StopBudget}
		}
	}
	return exec.Stop{Reason: exec.StopEnd}
}

// noCode is the end of a wave at a place that has no code.
func (r *runner) noCode(err error) exec.Stop {
	f := exec.NewFault(exec.FaultCode, r.env, r.p.Code, r.st.At.Key.PC)
	f.Err = err
	return exec.Stop{Reason: exec.StopFault, Fault: f}
}

// node is the block at the place of the wave, which comes from another one, or from outside if from is nil.
func (r *runner) node(from *node) (*node, error) {
	at := &r.st.At
	if from != nil && at.Mark == 0 {
		for i := range from.next {
			if nd := from.next[i].node; nd != nil && nd.key == at.Key {
				return nd, nil
			}
		}
	}
	nd, err := r.lookup(r.nodes, r.fast)
	if err != nil {
		return nil, err
	}
	if at.Mark < 0 || at.Mark >= len(nd.marks) {
		return nil, fmt.Errorf("block at %#x has no mark %d", at.Key.PC, at.Mark)
	}
	if from != nil && at.Mark == 0 {
		from.turn ^= 1
		from.next[from.turn] = successor{node: nd}
	}
	return nd, nil
}

// lookup is the node at the place of the wave.
func (r *runner) lookup(nodes map[ir.Key]*node, forms *exec.Forms[*code]) (*node, error) {
	key := r.st.At.Key
	if nd := nodes[key]; nd != nil {
		return nd, nil
	}
	c, err := forms.Get(key)
	if err != nil {
		return nil, err
	}
	nd := r.newNode(c, key)
	nodes[key] = nd
	return nd, nil
}

// newNode is a node of the code, for which there is room then.
func (r *runner) newNode(c *code, key ir.Key) *node {
	if len(r.rows) < c.rows {
		r.rows = make([]row, c.rows+16)
		copy(r.rows[laneIDs][:], laneNumbers[:])
	}
	if len(r.vecs) < c.vecs {
		r.vecs = make([]ir.Vec, c.vecs+8)
	}
	if len(r.lanes.Slots) < c.slots {
		r.lanes.Slots = make([]ir.Vec, c.slots+8)
	}
	return &node{code: c, key: key, words: append([]uint64(nil), c.words...), cursors: make([]mem.Cursor, c.cursors)}
}

// yields reports whether a wave that goes on at a place yields first.
func (r *runner) yields(nd *node, to ir.Key) bool {
	if nd.plain && to.PC > nd.key.PC {
		return false
	}
	for i := range nd.next {
		s := &nd.next[i]
		if s.node == nil || s.node.key != to {
			continue
		}
		if !s.asked {
			s.asked, s.yields = true, nd.waysOut.yields(r.p, nd.block, to)
		}
		return s.yields
	}
	if r.st.Ended() {
		return nd.waysOut.yields(r.p, nd.block, to)
	}
	if _, err := r.node(nd); err != nil { // the wave faults there
		return nd.waysOut.yields(r.p, nd.block, to)
	}
	return r.yields(nd, to)
}

// waysOut is whether waves yield after a block, by where they go on, for all runners: each asks once for a way.
type waysOut struct {
	mu    sync.Mutex
	known map[ir.Key]bool
}

func (w *waysOut) yields(p *exec.Program, from *ir.Block, to ir.Key) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	y, ok := w.known[to]
	if !ok {
		if w.known == nil {
			w.known = map[ir.Key]bool{}
		}
		y = p.Yields(from, to)
		w.known[to] = y
	}
	return y
}

// whole runs an optimised block.
func (r *runner) whole(nd *node) exec.Stop {
	if r.st.Exec == r.full && !nd.block.Serial {
		if nd.dense == nil {
			c, err := r.dense.Get(nd.key)
			if err != nil {
				return r.noCode(err)
			}
			nd.dense = r.newNode(c, nd.key)
		}
		nd = nd.dense
	}
	r.live, r.words, r.cursors = r.st.Live, nd.words, nd.cursors
	if nd.block.Serial {
		r.turns(nd)
		return r.leave(nd, 0)
	}
	for i := range nd.ops {
		o := &nd.ops[i]
		if !o.run(r, o) {
			return r.stopAt(nd, 0, int(o.mark), r.lanes.Fault)
		}
	}
	return r.leave(nd, 0)
}

// part runs a canonical block from the mark of the wave on, as far as the budget goes if it is exact.
func (r *runner) part(left *uint64, exact bool) exec.Stop {
	nd, err := r.lookup(r.inner, r.exact)
	if err != nil {
		return r.noCode(err)
	}
	first, last := r.st.At.Mark, len(nd.marks)
	if exact && *left < uint64(last-first) {
		last = first + int(*left)
	}
	*left -= min(*left, uint64(last-first))
	r.live, r.words, r.cursors = r.st.Live, nd.words, nd.cursors
	end := len(nd.ops)
	if last < len(nd.marks) {
		end = nd.marks[last].op
	}
	if nd.block.Serial {
		r.turns(nd)
		end = 0
	}
	for i := nd.marks[first].op; i < end; i++ {
		o := &nd.ops[i]
		if !o.run(r, o) {
			return r.stopAt(nd, first, int(o.mark), r.lanes.Fault)
		}
	}
	if last < len(nd.marks) {
		r.account(nd.code, first, last)
		r.st.At.Mark = last
		return exec.Stop{}
	}
	return r.leave(nd, first)
}

// turns runs a serial block once for each lane. Nothing in it can fault.
func (r *runner) turns(nd *node) {
	all := r.st.Exec
	for m := all; m != 0; m &= m - 1 {
		r.st.Exec = m & -m
		for i := range nd.ops {
			nd.ops[i].run(r, &nd.ops[i])
		}
	}
	r.st.Exec = all
}

// leave carries out the terminator of a block that was entered at mark first.
func (r *runner) leave(nd *node, first int) exec.Stop {
	in := nd.own.Term()
	if in.Op == ir.Trap {
		f := exec.NewFault(exec.FaultTrap, r.env, r.p.Code, 0)
		f.Trap, f.Text = ir.TrapReason(in.Imm), nd.block.Why
		return r.stopAt(nd, first, len(nd.marks)-1, f)
	}
	x, at := r.exits(nd.code, in)
	reason, err := exec.StopReason(0), error(nil)
	switch {
	case in.Op == ir.Jump || in.Op == ir.Branch && x&1 != 0:
		r.st.Goto(in.Imm)
	case in.Op == ir.Branch:
		r.st.Goto(in.Alt)
	default:
		if pc, ok := exec.Fast(nd.own, r.st.Live, r.st.Exec, x); ok {
			r.st.Goto(pc)
		} else {
			reason, err = r.st.Leave(nd.own, x, at)
		}
	}
	if err != nil {
		return r.stopAt(nd, first, len(nd.marks)-1, r.lanes.ControlFault(err))
	}
	r.account(nd.code, first, len(nd.marks))
	if reason == exec.StopBarrier {
		r.env.Count.Barriers++
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
		at = r.addresses(c.term[0])
	}
	p := c.term[n-1]
	if in.Op.Info().Flags&ir.Masked != 0 {
		return r.mask(p), at
	}
	return r.words[p.at], at
}

// stopAt ends the run with a fault in mark at of a block that was entered at mark first.
func (r *runner) stopAt(nd *node, first, at int, f *exec.Fault) exec.Stop {
	r.account(nd.code, first, at)
	r.st.At.Mark = at
	f.PC = nd.marks[at].pc
	return exec.Stop{Reason: exec.StopFault, Fault: f}
}

// account adds the marks from first to before last to the counters.
func (r *runner) account(c *code, first, last int) {
	n := uint64(last - first)
	r.st.Clock += n
	k := &r.env.Count
	k.Instructions += n
	a, b := c.costs[first], c.costs[last]
	k.Ops += uint64(b.Ops - a.Ops)
	k.LaneOps += uint64(b.LaneOps-a.LaneOps) * uint64(bits.OnesCount64(r.live))
}
