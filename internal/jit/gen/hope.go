package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// Which NaN a result is takes three instructions behind each op, and nearly no result is one. So a round of a loop hopes that there is none: its
// ops leave NaNs as the host makes them, and those of the results from which no other such op follows are looked at. If one is a NaN, nothing of
// the round has been written yet that it reads, and it runs again from its begin by code that takes care.

// A hope is what a round does about NaNs.
type hope struct {
	on      bool
	slow    x86.Label
	run     portable.Place // the lanes that count; Kind 0: all
	ops     []int          // by step of the piece: who follows, itself if nobody does; -1: not an op that hopes
	pending portable.Place // a result that is to be looked at; Kind 0: none
	since   int            // the step that made it
}

// A careful round is one that is written behind all other code.
type careful struct {
	piece      portable.Piece
	slow, done x86.Label
	control    uint32
}

// These say when a round hopes: so many ops must do, and so many of them have others that follow. A result waits for
// another one to be looked at with for at most patience steps.
const (
	fewestHopes   = 4
	fewestFollows = 2
	patience      = 12
)

// hopes begins a round that may hope. It reports whether the loop of the piece is worth it.
func (c *compiler) hopes() bool {
	h := &c.hope
	h.on, h.ops, h.run, h.pending = false, h.ops[:0], portable.Place{}, portable.Place{}
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

// looped reports whether the step is one of the loop.
func (c *compiler) looped(i int) bool { return c.cut.phases[i] == inside && !c.passed[i] }

// hoping reports whether the step is an op that may leave NaNs as the host makes them.
func (c *compiler) hoping(i int) bool {
	s := &c.b.Steps[i]
	switch {
	case s.Kind != portable.Compute || c.fused[i].steps > 1:
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

// unchecked reports whether the step at hand leaves NaNs as the host makes them.
func (c *compiler) unchecked() bool { return c.hope.on && c.hope.ops[c.now-c.piece.From] >= 0 }

// follower is a later op that hopes and reads the result of step i, so that its own is a NaN if that is one; -1 if there is none.
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

// findInputs finds the rows that the loop reads as it finds them.
func (c *compiler) findInputs() {
	in, made := &c.inputs, &c.stale
	in.clear()
	made.clear()
	read := func(p portable.Place) {
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
			if s.Kind == portable.SetRow && s.Mask.Kind != 0 && !s.Free {
				read(p)
			}
			made.put(p, true)
		}
	}
}

// prepareHope comes before a step: what it would overwrite is looked at, and where it might have to write what the round reads, hope ends.
func (c *compiler) prepareHope(s *portable.Step) {
	h := &c.hope
	if !h.on {
		return
	}
	if h.pending.Kind != 0 && (slices.Contains(s.Res, h.pending) || c.now-h.since > patience) {
		c.look(h.pending, h.pending)
		h.pending = portable.Place{}
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

// binding reports whether a register must not be made free while the round may have to begin again.
func (c *compiler) binding(s *slot) bool {
	h, p := &c.hope, s.place
	switch {
	case !h.on || p.Kind == 0:
		return false
	case p == h.pending:
		return true
	case p.Kind == portable.InVec: // half of it
		p.At /= 2
	}
	in, _ := c.inputs.get(p)
	return in && s.dirty && c.needed(s, c.now-1)
}

// demand is how many registers a step takes at most.
func (c *compiler) demand(s *portable.Step) int {
	if s.Kind == portable.Compute && s.Type.Bits() <= 32 && len(s.Res) == 1 && c.quads(s) == nil && !c.packed(s) {
		return len(s.Args) + 2
	}
	if s.Kind != portable.Compute && !c.shuffles(s) {
		return 3
	}
	return settled
}

// hoped notes the result of the step that has just been written.
func (c *compiler) hoped(s *portable.Step) {
	h := &c.hope
	if !h.on || h.ops[c.now-c.piece.From] != c.now {
		return
	}
	switch {
	case s.Res[0].Kind == portable.InVec:
		c.look(s.Res[0], s.Res[0])
		return
	case h.pending.Kind == 0:
		h.pending, h.since = s.Res[0], c.now
		return
	}
	c.look(h.pending, s.Res[0])
	h.pending = portable.Place{}
}

// endHope looks at all results that nobody has looked at yet. From here on ops take care themselves.
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
	h.on, h.pending = false, portable.Place{}
}

// look goes to the careful round if one of two results, or one of 64 bits, is a NaN in a lane that counts.
func (c *compiler) look(p, q portable.Place) {
	a, h := c.a, &c.hope
	if p.Kind == portable.InVec {
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

// look64 looks at both halves at once: a lane counts if it or the one beside it in the other half does.
func (c *compiler) look64(p portable.Place) {
	a, h, k6, k7 := c.a, &c.hope, x86.K(6), x86.K(7)
	to := k6
	if h.run.Kind != 0 {
		run := c.condition(h.run)
		a.Emit(x86.KSHIFTRW, k6, run, x86.Imm(8))
		a.Emit(x86.KORW, k7, k6, run)
		to = k6.Mask(k7)
	}
	half := func(h int32) portable.Place { return portable.Place{Kind: p.Kind, At: 2*p.At + h} }
	a.Emit(x86.VCMPPD, to, c.seen(half(0), 0), c.seen(half(1), 1), x86.Imm(unordered))
	a.Emit(x86.KORTESTW, k6, k6)
	a.Emit(x86.JNE, x86.To(h.slow))
}

// seen is a result in a register: its own, or scratch i.
func (c *compiler) seen(p portable.Place, i int) x86.Operand {
	if at := find(c.vecs, p); at >= 0 {
		return c.v(at)
	}
	c.copy(c.scratch(i), c.row(p))
	return c.scratch(i)
}

// hopeless notes that the round at hand has a careful one, which goes on at done.
func (c *compiler) hopeless(done x86.Label, control uint32) {
	c.careful = append(c.careful, careful{c.piece, c.hope.slow, done, control})
}

// carefulRounds writes the rounds that take care.
func (c *compiler) carefulRounds() {
	for _, r := range c.careful {
		c.piece, c.hope.on = r.piece, false
		c.a.Bind(r.slow)
		c.e.Join(^uint32(cpu.Masked)) // somewhere in the round
		c.e.Control(r.control)
		c.body()
		c.flush()
		c.e.Control(r.control)
		c.a.Emit(x86.JMP, x86.To(r.done))
	}
}
