package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Integers of the main unit. docs/reference/rogue.md 5.2.

// elementNames are the fields that select the element of each source.
var elementNames = [3]isa.Name{nameElem0, nameElem1, nameElem2}

// elementOf is element e of a word: 8 or 16 bits, sign-extended or zero-extended. Halves are numbered modulo 2.
func elementOf(w V, e uint64, bits int, signed bool) V {
	t := ir.I8
	if bits == 16 {
		t, e = ir.I16, e&1
	}
	v := w.Extract(int(e)*bits, t)
	if signed {
		return v.SExt(ir.I32)
	}
	return v.ZExt(ir.I32)
}

// A narrow operation has elements of 8 or 16 bits.
type narrow struct {
	bits   int
	signed bool
	f      func(s func(n int) V) V
}

func (op *narrow) mean() isa.Meaning { return isa.Effect(op.lift) }

func narrowSum(s func(n int) V) V     { return s(0).Add(s(1)) }
func narrowProduct(s func(n int) V) V { return s(0).Mul(s(1)) }
func narrowMad(s func(n int) V) V     { return s(0).Mul(s(1)).Add(s(2)) }

// lift computes without loss: 64 bits hold products of 16-bit numbers.
func (op *narrow) lift(l *isa.Lift) {
	v := op.f(func(n int) V { return op.source(l, n) })
	if l.In.Opt(nameSat) != 0 {
		low, high := uint64(0), uint64(1)<<op.bits-1
		if op.signed {
			high >>= 1
			low = ^high
		}
		v = v.SMax(v.K(low)).SMin(v.K(high))
	}
	v = v.Trunc(ir.I32)
	if l.Option(optNarrow) != narrowWide {
		v = elementOf(v, 0, op.bits, op.signed)
	}
	l.Dst(0, v)
}

// source is the element of source n, with its sign modifiers applied.
func (op *narrow) source(l *isa.Lift, n int) V {
	in, m := l.In, &modifiers[n]
	e := in.Opt(elementNames[n])
	if n == 2 {
		e += 2 * uint64(info(in).pair)
	}
	v := elementOf(data(l).source(l, n), e, op.bits, op.signed).SExt(ir.I64)
	if in.Opt(m.abs) != 0 && op.signed {
		v = v.SMax(v.Neg())
	}
	if in.Opt(m.neg) != 0 {
		v = v.Neg()
	}
	return v
}

// word is source n with its modifiers, in two's complement.
func (st *state) word(l *isa.Lift, n int) V {
	v, m := st.source(l, n), &modifiers[n]
	if l.In.Opt(m.abs) != 0 {
		v = v.SMax(v.Neg())
	}
	if l.In.Opt(m.neg) != 0 {
		v = v.Neg()
	}
	return v
}

// carryIn is P0 if the instruction reads it, else 0.
func carryIn(l *isa.Lift) V {
	if l.In.Opt(nameCin) != 0 {
		return l.Get(p0, ir.I1)
	}
	return l.I1(false)
}

// sumWide stores a 64-bit sum: the low word in FT0, the high word in place of FTE.
func (st *state) sumWide(l *isa.Lift, a, b V) {
	sum, carry := a.AddC(b, carryIn(l))
	low, high := sum.Unpack(ir.I32)
	st.fte, st.carry = high, carry
	l.Dst(0, low)
}

// wideAddend is the 64-bit addend whose low word is s2.
func (st *state) wideAddend(l *isa.Lift) V {
	return st.word(l, 2).Pack(st.source(l, int(st.rt.is0)), ir.I64)
}

// addWide adds 64-bit integers.
func addWide(l *isa.Lift) {
	st := data(l)
	st.sumWide(l, st.word(l, 0).Pack(st.word(l, 1), ir.I64), st.wideAddend(l))
}

// extended is a word extended to 64 bits.
func extended(v V, signed bool) V {
	if signed {
		return v.SExt(ir.I64)
	}
	return v.ZExt(ir.I64)
}

// addWord adds a word to a 64-bit integer.
func addWord(signed bool) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		st := data(l)
		st.sumWide(l, st.word(l, 0).Pack(st.word(l, 1), ir.I64), extended(st.word(l, 2), signed))
	}
}

// madWide adds a product to a 64-bit integer.
func madWide(signed bool) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		st := data(l)
		st.sumWide(l, extended(st.word(l, 0), signed).Mul(extended(st.word(l, 1), signed)), st.wideAddend(l))
	}
}

// madWord is the low word of a product plus an addend.
func madWord(l *isa.Lift) {
	st := data(l)
	sum, carry := st.word(l, 0).Mul(st.word(l, 1)).AddC(st.word(l, 2), carryIn(l))
	st.carry = carry
	l.Dst(0, sum)
}
