package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// A logicTree combines bitwise ops on at most three values into one ternary-logic instruction of AVX-512. Bit i of the
// truth table is the result for the values bit 2, bit 1 and bit 0 of i.
type logicTree struct {
	leaves []lower.Place
	table  uint8
	steps  int
}

// ofLeaf are the truth tables of the values themselves.
var ofLeaf = [...]uint8{0xf0, 0xcc, 0xaa}

// bitwise returns the truth table of an op from those of its operands.
func bitwise(op ir.Op, t [3]uint8) (uint8, bool) {
	switch op {
	case ir.And:
		return t[0] & t[1], true
	case ir.Or:
		return t[0] | t[1], true
	case ir.Xor:
		return t[0] ^ t[1], true
	case ir.Not:
		return ^t[0], true
	case ir.Bfi:
		return t[0]&t[1] | ^t[0]&t[2], true
	}
	return 0, false
}

// isBitwise reports whether the step may be part of a tree.
func (c *compiler) isBitwise(i int) bool {
	s := &c.b.Steps[i]
	if c.cut.phases[i] != inside || s.Kind != lower.Compute || s.Type != ir.I32 || s.Wave {
		return false
	}
	_, ok := bitwise(s.Op, [3]uint8{})
	return ok && s.Res[0].Kind == lower.InRow
}

// trees finds the trees of a piece. A value with a single reader, in the same tree, is never in a register: the step
// that computes it is skipped.
func (c *compiler) trees(p portable.Segment) {
	if !c.wide() {
		return
	}
	made, reads := &c.made, make([]int, len(c.b.Steps))
	made.clear()
	for i := p.From; i < p.To; i++ {
		s := &c.b.Steps[i]
		for _, a := range append(s.Args[:len(s.Args):len(s.Args)], s.Mask) {
			if at, ok := made.get(a); ok {
				reads[at]++
			}
		}
		for _, r := range s.Res {
			made.put(r, i)
		}
	}
	made.clear()
	for i := p.From; i < p.To; i++ {
		if c.isBitwise(i) {
			c.grow(i, reads)
		}
		for _, r := range c.b.Steps[i].Res {
			made.put(r, i)
		}
	}
}

// grow builds the tree of step i: of its operands, and of as many of their defining steps as fit. reads is the number
// of readers in the piece, by step.
func (c *compiler) grow(i int, reads []int) {
	s := &c.b.Steps[i]
	var inner [3]int // the steps that define the operands, if they can be merged; -1: none
	open := 0
	for k, p := range s.Args {
		at, ok := c.made.get(p)
		inner[k] = -1
		if ok && c.fused[at].steps > 0 && p.At < 0 && reads[at] == 1 && int(c.ends[at][0]) == i && c.unchanged(c.fused[at].leaves, at, i) {
			inner[k], open = at, open|1<<k
		}
	}
	for try := open; ; try = (try - 1) & open {
		if t, fits := c.fitted(s, inner, try); fits {
			c.fused[i] = t
			for k := range s.Args {
				if try>>k&1 != 0 {
					c.passed[inner[k]] = true
				}
			}
			return
		}
	}
}

// fitted returns the tree of a step that merges the operands in set. An empty set always fits: no op has more than
// three operands.
func (c *compiler) fitted(s *lower.Step, inner [3]int, set int) (t logicTree, fits bool) {
	var tables [3]uint8
	t.steps = 1
	for k, p := range s.Args {
		if set>>k&1 != 0 {
			tables[k], fits = t.with(c.fused[inner[k]])
			t.steps += c.fused[inner[k]].steps
		} else {
			tables[k], fits = t.leaf(p)
		}
		if !fits {
			return t, false
		}
	}
	t.table, _ = bitwise(s.Op, tables)
	return t, true
}

// leaf returns the truth table of a value, which becomes a leaf of the tree if there is room.
func (t *logicTree) leaf(p lower.Place) (uint8, bool) {
	i := slices.Index(t.leaves, p)
	if i < 0 {
		if i = len(t.leaves); i == 3 {
			return 0, false
		}
		t.leaves = append(t.leaves[:i:i], p)
	}
	return ofLeaf[i], true
}

// with returns the truth table of another tree in terms of this one's leaves.
func (t *logicTree) with(u logicTree) (uint8, bool) {
	var at [3]uint8
	for i, p := range u.leaves {
		x, fits := t.leaf(p)
		if !fits {
			return 0, false
		}
		at[i] = x
	}
	return compose(u.table, at), true
}

// compose returns the truth table of a function of values that have truth tables themselves.
func compose(table uint8, of [3]uint8) (x uint8) {
	for bit := range 8 {
		i := of[0]>>bit&1<<2 | of[1]>>bit&1<<1 | of[2]>>bit&1
		x |= table >> i & 1 << bit
	}
	return x
}

// unchanged reports whether the steps between from and to, both excluded, do not write the places.
func (c *compiler) unchanged(places []lower.Place, from, to int) bool {
	for i := from + 1; i < to; i++ {
		for _, r := range c.b.Steps[i].Res {
			if slices.Contains(places, r) {
				return false
			}
		}
	}
	return true
}

// readsOf returns the places that the code of step i reads.
func (c *compiler) readsOf(i int) []lower.Place {
	switch {
	case c.passed[i]:
		return nil
	case c.fused[i].steps > 1:
		return c.fused[i].leaves
	}
	args := c.b.Steps[i].Args
	if x := c.splitOf(i); x != nil {
		args = append([]lower.Place{x.low, x.high}, args[1:]...)
	}
	for _, e := range c.implies(i) {
		args = append(args[:len(args):len(args)], e.words[0], e.words[1])
	}
	return args
}

// tree emits a tree of several steps: one value is in the register of the result, the last may be a memory operand.
func (c *compiler) tree(s *lower.Step, t *logicTree) {
	v := make([]x86.Operand, len(t.leaves))
	for i, p := range t.leaves {
		v[i] = c.value(p)
	}
	first, last := -1, -1
	for i, p := range t.leaves {
		switch {
		case v[i].InMemory():
			last = i
		case p == s.Res[0] || first < 0 && c.expires(p):
			first = i
		}
	}
	if first < 0 { // if two values are in memory one is loaded, else any other is copied
		first = slices.IndexFunc(v, func(o x86.Operand) bool { return o.InMemory() && o != v[max(last, 0)] })
	}
	order := make([]int, 0, 3)
	for i := range v {
		if i != last && i != first {
			order = append(order, i)
		}
	}
	if first < 0 {
		if first = last; len(order) > 0 {
			first, order = order[0], order[1:]
		}
	}
	order = append([]int{first}, order...)
	if last >= 0 && last != first {
		order = append(order, last)
	}
	c.ternary(s, t, v, order)
}

// ternary emits the instruction with the operands in that order.
func (c *compiler) ternary(s *lower.Step, t *logicTree, v []x86.Operand, order []int) {
	var of [3]uint8
	d := c.resultOver(s, t.leaves[order[0]])
	if v[order[0]] != d {
		c.copy(d, v[order[0]])
	}
	operands := [3]x86.Operand{d, d, d}
	for k, i := range order {
		if k == 1 && len(order) == 2 {
			k = 2 // the operand that may be in memory
		}
		of[i] = ofLeaf[k]
		if k > 0 {
			operands[k] = v[i]
		}
	}
	if operands[1].InMemory() {
		c.copy(c.scratch(1), operands[1])
		operands[1] = c.scratch(1)
	}
	c.a.Emit(x86.VPTERNLOGD, d, operands[1], operands[2], x86.Imm(int64(compose(t.table, of))))
}

// expires reports whether the register of a value is free after the current step.
func (c *compiler) expires(p lower.Place) bool {
	i := find(c.vecs, p)
	return i >= 0 && !(c.vecs[i].dirty && c.needed(&c.vecs[i], c.now)) && !c.readSoon(p)
}

// resultOver returns the register of the step's result: that of the value at p, if the value is dead then.
func (c *compiler) resultOver(s *lower.Step, p lower.Place) x86.Operand {
	old := find(c.vecs, s.Res[0])
	if p == s.Res[0] || p.Kind != lower.InRow || !c.expires(p) {
		return c.result(s)
	}
	if old >= 0 {
		c.vecs[old] = slot{}
	}
	i := find(c.vecs, p)
	c.vecs[i] = slot{place: s.Res[0], dirty: true, end: int(c.ends[c.now][0]), used: c.now}
	return c.v(i)
}
