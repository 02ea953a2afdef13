package shadow

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// clean stands for the shadow of a value all of whose bits are always defined. No op computes it.
const clean ir.Val = -1

// A gen makes a block with its shadow from a block without.
type gen struct {
	m       *ir.Machine
	from, n *ir.Block
	sites   *Sites
	to, sh  []ir.Val // by value of from: the value, and its shadow
	deps    []uint32 // by value of from: the sources of the instruction that it depends on

	// Of the mark:
	consts  []constant
	reads   []Source // what the instruction reads, and the shadow of each
	shadows []ir.Val
	told    []told             // first operands of its probes
	gets    map[ir.Cell]ir.Val // shadow of cells that the instruction reads
	olds    map[ir.Cell]ir.Val // shadow of cells that it writes, as it was
	needed  []needed
	words   map[uint16]ir.Val // by index, cells of ir.Shadowing.Some as they are now
	changed []uint16          // those that differ from what the cell holds
	expects int               // the last op that says what is expected; -1: none. No probe may precede it
	later   []ir.Inst         // probes that come after it
}

// A told is a value with a bit for each undefined source of those of a set.
type told struct {
	of uint32
	v  ir.Val
}

type constant struct {
	t    ir.Type
	bits uint64
	v    ir.Val
}

// add adds an op and returns its first result.
func (g *gen) add(in ir.Inst) ir.Val {
	v, err := g.n.Add(g.m, in)
	if err != nil {
		panic("shadow: " + err.Error())
	}
	return v
}

func (g *gen) op(op ir.Op, t ir.Type, args ...ir.Val) ir.Val {
	return g.add(ir.Inst{Op: op, Type: t, Args: slices.Clone(args)})
}

// konst returns a constant.
func (g *gen) konst(t ir.Type, bits uint64) ir.Val {
	for _, c := range g.consts {
		if c.t == t && c.bits == bits {
			return c.v
		}
	}
	v := g.add(ir.Inst{Op: ir.Const, Type: t, Imm: bits})
	g.consts = append(g.consts, constant{t, bits, v})
	return v
}

// typeOf returns the type of a value of the new block.
func (g *gen) typeOf(v ir.Val) ir.Type { return g.n.Vals[v].Type }

// shadowType returns the type of the shadow of values of a type: integers of the same width, elements of the same
// width.
func shadowType(t ir.Type) ir.Type {
	if t.Elems() > 1 {
		return t.Cond()
	}
	return ir.IntOf(t.Bits())
}

// ones returns all bits of a type.
func ones(t ir.Type) uint64 { return ^uint64(0) >> (64 - t.Bits()) }

// signs returns the top bit of each element of a type.
func signs(t ir.Type) (bits uint64) {
	n := t.Bits() / t.Elems()
	for at := n - 1; at < t.Bits(); at += n {
		bits |= 1 << at
	}
	return bits
}

// as returns the bits of a value as another type of the width.
func (g *gen) as(v ir.Val, t ir.Type) ir.Val {
	if v == clean || g.typeOf(v) == t {
		return v
	}
	return g.op(ir.Cast, t, v)
}

// bits returns a value as an integer, its elements as integers if it is packed.
func (g *gen) bits(v ir.Val) ir.Val { return g.as(v, shadowType(g.typeOf(v))) }

// made returns a shadow as a value: zeros of the type if it is clean.
func (g *gen) made(s ir.Val, t ir.Type) ir.Val {
	if s == clean {
		return g.konst(t, 0)
	}
	return s
}

func (g *gen) not(v ir.Val) ir.Val    { return g.op(ir.Not, g.typeOf(v), v) }
func (g *gen) and(a, b ir.Val) ir.Val { return g.op(ir.And, g.typeOf(a), a, b) }
func (g *gen) xor(a, b ir.Val) ir.Val { return g.op(ir.Xor, g.typeOf(a), a, b) }

// or returns the union of shadows of one type.
func (g *gen) or(list ...ir.Val) ir.Val {
	all := clean
	for _, s := range list {
		switch {
		case s == clean:
		case all == clean:
			all = s
		default:
			all = g.op(ir.Or, g.typeOf(s), all, s)
		}
	}
	return all
}

// some returns whether any bit of a shadow is set, as an i1; of elements together.
func (g *gen) some(s ir.Val) ir.Val {
	if s == clean {
		return clean
	}
	if g.typeOf(s) == ir.I1 {
		return s
	}
	s = g.as(s, ir.IntOf(g.typeOf(s).Bits()))
	return g.op(ir.Ne, g.typeOf(s), s, g.konst(g.typeOf(s), 0))
}

// spread returns a shadow of the type with all bits set where c, an i1, is.
func (g *gen) spread(c ir.Val, t ir.Type) ir.Val {
	if c == clean || t == ir.I1 {
		return c
	}
	flat := ir.IntOf(t.Bits())
	return g.as(g.op(ir.Select, flat, c, g.konst(flat, ones(t)), g.konst(flat, 0)), t)
}

// full returns a shadow in which each element that has a bit set has all set.
func (g *gen) full(s ir.Val) ir.Val {
	switch {
	case s == clean || g.typeOf(s) == ir.I1:
		return s
	case g.typeOf(s).Elems() > 1:
		return g.op(ir.Ne, g.typeOf(s), s, g.konst(g.typeOf(s), 0))
	}
	return g.spread(g.some(s), g.typeOf(s))
}

// least and most return the smallest and the largest unsigned number that a value with undefined bits may be.
func (g *gen) least(v, s ir.Val) ir.Val {
	if s == clean {
		return v
	}
	return g.and(v, g.not(s))
}

func (g *gen) most(v, s ir.Val) ir.Val {
	if s == clean {
		return v
	}
	return g.op(ir.Or, g.typeOf(v), v, s)
}
