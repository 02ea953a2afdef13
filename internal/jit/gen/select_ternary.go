package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A ternary is a tree of bitwise ops on at most three values, which is one ternary-logic instruction of AVX-512. Bit i
// of the truth table is the result for the values bit 2, bit 1 and bit 0 of i.
type ternary struct {
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
func (k *selector) isBitwise(i int) bool {
	s := &k.b.Steps[i]
	if !k.looped(i) || s.Kind != lower.Compute || s.Type != ir.I32 || s.Wave {
		return false
	}
	_, ok := bitwise(s.Op, [3]uint8{})
	return ok && s.Res[0].Kind == lower.InRow
}

// trees finds the trees of a segment. A value with a single reader, in the same tree, is never in a register: the step
// that computes it is skipped.
func (k *selector) trees(g *segment) {
	if !k.wide() {
		return
	}
	made, reads := &k.made, make([]int, len(k.b.Steps))
	made.clear()
	for i := g.from; i < g.to; i++ {
		s := &k.b.Steps[i]
		for _, a := range operands(s) {
			if at, ok := made.get(a); ok {
				reads[at]++
			}
		}
		for _, r := range s.Res {
			made.put(r, i)
		}
	}
	made.clear()
	for i := g.from; i < g.to; i++ {
		if k.isBitwise(i) {
			k.grow(i, reads)
		}
		for _, r := range k.b.Steps[i].Res {
			made.put(r, i)
		}
	}
}

// grow builds the tree of step i: of its operands, and of as many of their defining steps as fit. reads is the number
// of readers in the segment, by step.
func (k *selector) grow(i int, reads []int) {
	s := &k.b.Steps[i]
	var inner [3]int // the steps that define the operands, if they can be merged; -1: none
	open := 0
	for n, p := range s.Args {
		at, ok := k.made.get(p)
		inner[n] = -1
		if !ok || p.At >= 0 || reads[at] != 1 {
			continue
		}
		if c := &k.choices[at]; c.tree != nil && int(c.last[0]) == i && k.unchanged(c.tree.leaves, at, i) {
			inner[n], open = at, open|1<<n
		}
	}
	for try := open; ; try = (try - 1) & open {
		if t, fits := k.fitted(s, inner, try); fits {
			k.choices[i].tree = &t
			if t.steps > 1 {
				k.choices[i].form = formTernary
			}
			for n := range s.Args {
				if try>>n&1 != 0 {
					k.drop(inner[n], i)
				}
			}
			return
		}
	}
}

// fitted returns the tree of a step that merges the operands in set. An empty set always fits: no op has more than
// three operands.
func (k *selector) fitted(s *lower.Step, inner [3]int, set int) (t ternary, fits bool) {
	var tables [3]uint8
	t.steps = 1
	for n, p := range s.Args {
		if set>>n&1 != 0 {
			u := k.choices[inner[n]].tree
			tables[n], fits = t.with(u)
			t.steps += u.steps
		} else {
			tables[n], fits = t.leaf(p)
		}
		if !fits {
			return t, false
		}
	}
	t.table, _ = bitwise(s.Op, tables)
	return t, true
}

// leaf returns the truth table of a value, which becomes a leaf of the tree if there is room.
func (t *ternary) leaf(p lower.Place) (uint8, bool) {
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
func (t *ternary) with(u *ternary) (uint8, bool) {
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
func (k *selector) unchanged(places []lower.Place, from, to int) bool {
	for i := from + 1; i < to; i++ {
		for _, r := range k.b.Steps[i].Res {
			if slices.Contains(places, r) {
				return false
			}
		}
	}
	return true
}
