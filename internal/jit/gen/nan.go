package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// A speculation is the state of the speculation on NaNs within an iteration.
type speculation struct {
	*nanSpeculation
	on      bool
	slow    x86.Label
	pending lower.Place // a result that must be tested; Kind 0: none
	since   int         // the step that made it
}

// A slowPath is the slow path of an iteration, which is emitted after all other code.
type slowPath struct {
	g          *segment
	slow, done x86.Label
}

// maxPending is how many steps a result waits at most for another one to be tested together with it.
const maxPending = 12

// speculate begins an iteration that may speculate.
func (c *loopEmitter) speculate() {
	c.spec = speculation{nanSpeculation: &c.g.spec, on: c.g.spec.on}
	if !c.spec.on {
		return
	}
	c.spec.slow = c.a.NewLabel()
	c.inputs.clear()
	for _, p := range c.g.spec.inputs {
		c.inputs.put(p, true)
	}
}

// anyNaN reports whether the current step may leave any NaN.
func (c *loopEmitter) anyNaN() bool { return c.spec.on && c.choices[c.now].nan >= 0 }

// beforeStep is called before a step is emitted: it tests results that the step would overwrite, and ends the
// speculation if the step might have to write an input of the iteration.
func (c *loopEmitter) beforeStep(s *lower.Step) {
	h := &c.spec
	if !h.on {
		return
	}
	if h.pending.Kind != 0 && (slices.Contains(s.Res, h.pending) || c.now-h.since > maxPending) {
		c.testNaN(h.pending, h.pending)
		h.pending = lower.Place{}
	}
	safe := 0
	for i := range c.vecs.regs {
		if c.isSafe(i) {
			safe++
		}
	}
	if safe < c.demand(s) {
		c.endSpeculation()
	}
}

// isSafe reports whether a step may take register i, which is free or can be spilled without code of the emitter.
func (c *loopEmitter) isSafe(i int) bool {
	r := &c.vecs.regs[i]
	return !c.unspillable(r) && !(r.loose && c.isLive(r, c.now-1))
}

// unspillable reports whether a register must not be spilled as long as the iteration may have to run again.
func (c *loopEmitter) unspillable(r *register) bool {
	h, p := &c.spec, r.loc
	switch {
	case !h.on || p.Kind == 0:
		return false
	case p == h.pending:
		return true
	case p.Kind == lower.InVec: // one half
		p.At /= 2
	}
	in, _ := c.inputs.get(p)
	return in && r.dirty && c.isLive(r, c.now-1)
}

// demand returns the largest number of safe registers that a step takes. Operands may be in others.
func (c *loopEmitter) demand(s *lower.Step) int {
	switch f := c.choices[c.now].form; {
	case f == formCopy, f == formMerge:
		return 3
	case s.Type.Bits() <= 32 && len(s.Res) == 1 && f != formWide64 && f != formHalves:
		n := 2
		for _, p := range s.Args {
			if at := c.vecs.find(p); at < 0 || c.isSafe(at) {
				n++
			}
		}
		return n
	}
	return maxScratch
}

// afterStep records the result of the step that has just been emitted.
func (c *loopEmitter) afterStep(s *lower.Step) {
	h := &c.spec
	if !h.on || int(c.choices[c.now].nan) != c.now {
		return
	}
	switch {
	case s.Res[0].Kind == lower.InVec:
		c.testNaN(s.Res[0], s.Res[0])
		return
	case h.pending.Kind == 0:
		h.pending, h.since = s.Res[0], c.now
		return
	}
	c.testNaN(h.pending, s.Res[0])
	h.pending = lower.Place{}
}

// endSpeculation tests all results that have not been tested yet. From here on ops select NaNs themselves.
func (c *loopEmitter) endSpeculation() {
	h := &c.spec
	if !h.on {
		return
	}
	if h.pending.Kind != 0 {
		c.testNaN(h.pending, h.pending)
	}
	for i := c.g.from; i < c.now; i++ {
		if int(c.choices[i].nan) >= c.now {
			p := c.b.Steps[i].Res[0]
			c.testNaN(p, p)
		}
	}
	h.on, h.pending = false, lower.Place{}
}

// testNaN jumps to the slow path if one of two results, or one of 64 bits, is a NaN in an active lane.
func (c *loopEmitter) testNaN(p, q lower.Place) {
	a, h := c.a, &c.spec
	if p.Kind == lower.InVec {
		c.testNaN64(p)
		return
	}
	x, y := c.inRegister(p, 0), c.inRegister(q, 1)
	if c.wide() {
		k := x86.K(6)
		to := k
		if h.active.Kind != 0 {
			to = k.Mask(c.condition(h.active))
		}
		a.Emit(x86.VCMPPS, to, x, y, x86.Imm(unordered))
		a.Emit(x86.KORTESTW, k, k)
	} else {
		t := c.scratch(2)
		lanes := t
		if h.active.Kind != 0 {
			lanes = c.scratch(3)
			c.loadCondition(lanes, h.active)
		}
		a.Emit(x86.VCMPPS, t, x, y, x86.Imm(unordered))
		a.Emit(x86.VTESTPS, t, lanes)
	}
	a.Emit(x86.JNE, x86.To(h.slow))
}

// testNaN64 tests both halves at once: a lane counts if it or its counterpart in the other half is active.
func (c *loopEmitter) testNaN64(p lower.Place) {
	a, h, k6, k7 := c.a, &c.spec, x86.K(6), x86.K(7)
	to := k6
	if h.active.Kind != 0 {
		active := c.condition(h.active)
		a.Emit(x86.KSHIFTRW, k6, active, x86.Imm(8))
		a.Emit(x86.KORW, k7, k6, active)
		to = k6.Mask(k7)
	}
	half := func(h int32) lower.Place { return lower.Place{Kind: p.Kind, At: 2*p.At + h} }
	a.Emit(x86.VCMPPD, to, c.inRegister(half(0), 0), c.inRegister(half(1), 1), x86.Imm(unordered))
	a.Emit(x86.KORTESTW, k6, k6)
	a.Emit(x86.JNE, x86.To(h.slow))
}

// inRegister returns a result in a register: its own, or scratch i.
func (c *loopEmitter) inRegister(p lower.Place, i int) x86.Operand {
	if at := c.vecs.find(p); at >= 0 {
		return c.v(at)
	}
	c.copy(c.scratch(i), c.row(p))
	return c.scratch(i)
}
