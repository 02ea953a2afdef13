package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// Speculation that no op yields a NaN. To select the NaN that the guest returns takes three instructions after each
// op, and results are hardly ever NaNs. So an iteration of a loop speculates that there is none: its ops leave NaNs as
// the host makes them, and only those results are tested that no other speculating op propagates. If one is a NaN, no
// input of the iteration has been overwritten yet, and the iteration runs again from its start through the slow path,
// which selects NaNs after each op.

// A hope is the state of this speculation for an iteration.
type hope struct {
	on      bool
	slow    x86.Label
	run     lower.Place // the lanes whose NaNs count; Kind 0: all
	ops     []int       // by step: the op that propagates its NaN, or itself; -1: not a speculating op
	pending lower.Place // a result that must be tested; Kind 0: none
	since   int         // the step that made it
}

// A careful is the slow path of an iteration, which is emitted after all other code.
type careful struct {
	piece      portable.Segment
	slow, done x86.Label
	control    uint32
}

// Thresholds of the speculation: the least number of speculating ops, or of those whose result another one propagates.
// A result waits for at most patience steps for another one to be tested together with it.
const (
	fewestHopes   = 4
	fewestFollows = 2
	patience      = 12
)

// hopes begins an iteration that may speculate. It reports whether that pays for the loop of the piece.
func (c *compiler) hopes() bool {
	h := &c.hope
	h.on, h.ops, h.run, h.pending = false, h.ops[:0], lower.Place{}, lower.Place{}
	if c.single || c.b.Lanes < c.lanes {
		return false
	}
	hoping, follows := 0, 0
	for i := c.piece.From; i < c.piece.To; i++ {
		h.ops = append(h.ops, -1)
		if c.looped(i) && c.hoping(i) {
			hoping++
			h.ops[i-c.piece.From] = i
		}
	}
	for i := c.piece.From; i < c.piece.To && hoping >= fewestFollows; i++ {
		if h.ops[i-c.piece.From] >= 0 {
			if j := c.follower(i); j >= 0 {
				h.ops[i-c.piece.From] = j
				follows++
			}
		}
	}
	if hoping < fewestHopes && follows < fewestFollows {
		return false
	}
	c.findInputs()
	h.on, h.slow = true, c.a.NewLabel()
	h.run, _ = c.running()
	return true
}

// looped reports whether the step is part of the loop.
func (c *compiler) looped(i int) bool { return c.cut.phases[i] == inside && !c.passed[i] }

// hoping reports whether the step is an op that may leave NaNs as the host makes them.
func (c *compiler) hoping(i int) bool {
	s := &c.b.Steps[i]
	switch {
	case s.Kind != lower.Compute || c.fused[i].steps > 1:
		return false
	case s.Type == ir.F32:
		return emit.Hopes(s.Op) && c.quads(s) == nil
	}
	return s.Type == ir.F64 && c.wide() && hopes64(s.Op)
}

// hopes64 is emit.Hopes for f64.
func hopes64(op ir.Op) bool {
	switch op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FSqrt, ir.FFma:
		return true
	}
	return false
}

// unchecked reports whether the current step leaves NaNs as the host makes them.
func (c *compiler) unchecked() bool { return c.hope.on && c.hope.ops[c.now-c.piece.From] >= 0 }

// follower returns a later speculating op that reads the result of step i, and so yields a NaN if that is one; -1 if
// there is none.
func (c *compiler) follower(i int) int {
	p := c.b.Steps[i].Res[0]
	for j := i + 1; j < c.piece.To; j++ {
		if !c.looped(j) {
			continue
		}
		if c.hope.ops[j-c.piece.From] >= 0 && slices.Contains(c.readsOf(j), p) {
			return j
		}
		if slices.Contains(c.b.Steps[j].Res, p) {
			return -1
		}
	}
	return -1
}

// findInputs finds the rows that the loop reads before it writes them.
func (c *compiler) findInputs() {
	in, made := &c.inputs, &c.stale
	in.clear()
	made.clear()
	read := func(p lower.Place) {
		if _, ok := made.get(p); !ok {
			in.put(p, true)
		}
	}
	for i := c.piece.From; i < c.piece.To; i++ {
		if !c.looped(i) {
			continue
		}
		s := &c.b.Steps[i]
		for _, p := range c.readsOf(i) {
			read(p)
		}
		for _, p := range s.Res {
			if s.Kind == lower.SetRow && s.Mask.Kind != 0 && !s.MayWriteAll {
				read(p)
			}
			made.put(p, true)
		}
	}
}

// prepareHope is called before a step is emitted: it tests results that the step would overwrite, and ends the
// speculation if the step might have to write an input of the iteration.
func (c *compiler) prepareHope(s *lower.Step) {
	h := &c.hope
	if !h.on {
		return
	}
	if h.pending.Kind != 0 && (slices.Contains(s.Res, h.pending) || c.now-h.since > patience) {
		c.look(h.pending, h.pending)
		h.pending = lower.Place{}
	}
	safe := 0
	for i := range c.vecs {
		if v := &c.vecs[i]; !v.loose && !c.binding(v) {
			safe++
		}
	}
	if safe < c.demand(s) {
		c.endHope()
	}
}

// binding reports whether a register must not be evicted as long as the iteration may have to run again.
func (c *compiler) binding(s *slot) bool {
	h, p := &c.hope, s.place
	switch {
	case !h.on || p.Kind == 0:
		return false
	case p == h.pending:
		return true
	case p.Kind == lower.InVec: // one half
		p.At /= 2
	}
	in, _ := c.inputs.get(p)
	return in && s.dirty && c.needed(s, c.now-1)
}

// demand returns the largest number of registers that a step takes.
func (c *compiler) demand(s *lower.Step) int {
	if s.Kind == lower.Compute && s.Type.Bits() <= 32 && len(s.Res) == 1 && c.quads(s) == nil && !c.packed(s) {
		return len(s.Args) + 2
	}
	if s.Kind != lower.Compute && !c.shuffles(s) {
		return 3
	}
	return settled
}

// hoped records the result of the step that has just been emitted.
func (c *compiler) hoped(s *lower.Step) {
	h := &c.hope
	if !h.on || h.ops[c.now-c.piece.From] != c.now {
		return
	}
	switch {
	case s.Res[0].Kind == lower.InVec:
		c.look(s.Res[0], s.Res[0])
		return
	case h.pending.Kind == 0:
		h.pending, h.since = s.Res[0], c.now
		return
	}
	c.look(h.pending, s.Res[0])
	h.pending = lower.Place{}
}

// endHope tests all results that have not been tested yet. From here on ops select NaNs themselves.
func (c *compiler) endHope() {
	h := &c.hope
	if !h.on {
		return
	}
	if h.pending.Kind != 0 {
		c.look(h.pending, h.pending)
	}
	for i := c.piece.From; i < c.now; i++ {
		if h.ops[i-c.piece.From] >= c.now {
			p := c.b.Steps[i].Res[0]
			c.look(p, p)
		}
	}
	h.on, h.pending = false, lower.Place{}
}

// look jumps to the slow path if one of two results, or one of 64 bits, is a NaN in a lane that counts.
func (c *compiler) look(p, q lower.Place) {
	a, h := c.a, &c.hope
	if p.Kind == lower.InVec {
		c.look64(p)
		return
	}
	x, y := c.seen(p, 0), c.seen(q, 1)
	if c.wide() {
		k := x86.K(6)
		to := k
		if h.run.Kind != 0 {
			to = k.Mask(c.condition(h.run))
		}
		a.Emit(x86.VCMPPS, to, x, y, x86.Imm(unordered))
		a.Emit(x86.KORTESTW, k, k)
	} else {
		t := c.scratch(2)
		lanes := t
		if h.run.Kind != 0 {
			lanes = c.scratch(3)
			c.loadCondition(lanes, h.run)
		}
		a.Emit(x86.VCMPPS, t, x, y, x86.Imm(unordered))
		a.Emit(x86.VTESTPS, t, lanes)
	}
	a.Emit(x86.JNE, x86.To(h.slow))
}

// look64 tests both halves at once: a lane counts if it or its counterpart in the other half does.
func (c *compiler) look64(p lower.Place) {
	a, h, k6, k7 := c.a, &c.hope, x86.K(6), x86.K(7)
	to := k6
	if h.run.Kind != 0 {
		run := c.condition(h.run)
		a.Emit(x86.KSHIFTRW, k6, run, x86.Imm(8))
		a.Emit(x86.KORW, k7, k6, run)
		to = k6.Mask(k7)
	}
	half := func(h int32) lower.Place { return lower.Place{Kind: p.Kind, At: 2*p.At + h} }
	a.Emit(x86.VCMPPD, to, c.seen(half(0), 0), c.seen(half(1), 1), x86.Imm(unordered))
	a.Emit(x86.KORTESTW, k6, k6)
	a.Emit(x86.JNE, x86.To(h.slow))
}

// seen returns a result in a register: its own, or scratch i.
func (c *compiler) seen(p lower.Place, i int) x86.Operand {
	if at := find(c.vecs, p); at >= 0 {
		return c.v(at)
	}
	c.copy(c.scratch(i), c.row(p))
	return c.scratch(i)
}

// hopeless records that the current iteration has a slow path, which continues at done.
func (c *compiler) hopeless(done x86.Label, control uint32) {
	c.careful = append(c.careful, careful{c.piece, c.hope.slow, done, control})
}

// carefulRounds emits the slow paths.
func (c *compiler) carefulRounds() {
	for _, r := range c.careful {
		c.piece, c.hope.on = r.piece, false
		c.a.Bind(r.slow)
		c.e.Join(^uint32(cpu.Masked)) // somewhere in the iteration
		c.e.Control(r.control)
		c.body()
		c.flush()
		c.e.Control(r.control)
		c.a.Emit(x86.JMP, x86.To(r.done))
	}
}
