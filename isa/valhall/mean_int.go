package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Integers. docs/reference/valhall.md 10.2.

func same(a V) V { return a }

// magnitude is |a|; for the minimum it is the minimum.
func magnitude(a V) V { return a.SMax(a.Neg()) }

// saturating is a sum or difference that wraps, or with saturate saturates to the range of the type.
func saturating(wrap, limit isa.Binary) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		f := wrap
		if l.In.Opt(nameSaturate)|l.In.Opt(nameSaturate64) != 0 {
			f = limit
		}
		a := l.Src(0)
		l.Dst(0, f(a, l.Src(1)))
	})
}

// leadingZeros counts leading zeros; of 0 the result is the element's width, with mask all ones.
func leadingZeros(l *isa.Lift) {
	a := l.Src(0)
	v := a.Clz()
	if l.In.Get(nameMask0) != 0 {
		v = a.Eq(a.K(0)).Select(a.K(^uint64(0)), v)
	}
	l.Dst(0, v)
}

// mulS and mulU are products that saturate to the range of the type.
func mulS(a, b V) V {
	n := uint64(a.Type().Elem().Bits())
	lo, hi := a.MulWideS(b)
	top := a.K(n - 1)
	limit := hi.ShrS(top).Xor(a.K(1<<(n-1) - 1)) // the maximum, or the minimum for a negative product
	return hi.Eq(lo.ShrS(top)).Select(lo, limit)
}

func mulU(a, b V) V {
	lo, hi := a.MulWideU(b)
	return hi.Eq(a.K(0)).Select(lo, a.K(^uint64(0)))
}

// mulDouble is the 64-bit product of the low words.
func mulDouble(a, b V) V {
	lo, hi := a.Trunc(ir.I32).MulWideU(b.Trunc(ir.I32))
	return lo.Pack(hi, ir.I64)
}

// mulDoubleS is the signed 64-bit product of the low words.
func mulDoubleS(a, b V) V {
	lo, hi := a.Trunc(ir.I32).MulWideS(b.Trunc(ir.I32))
	return lo.Pack(hi, ir.I64)
}

// halfSum is (a + b) >> 1 without loss of the carry, with rhadd (a + b + 1) >> 1. Bits in both operands count twice,
// bits in one count once: a + b = 2(a & b) + (a ^ b) = 2(a | b) - (a ^ b).
func halfSum(shift isa.Binary) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		a := l.Src(0)
		b := l.Src(1)
		once := shift(a.Xor(b), a.K(1))
		if l.In.Get(nameRHAdd) != 0 {
			l.Dst(0, a.Or(b).Sub(once))
			return
		}
		l.Dst(0, a.And(b).Add(once))
	})
}

// addConstant adds the constant in the word.
func addConstant(l *isa.Lift) {
	a := l.Src(0)
	l.Dst(0, a.Add(l.Const(a.Type(), l.In.Get(nameImm))))
}

// logicConstant combines a with the constant in the word.
func logicConstant(f isa.Binary) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		a := l.Src(0)
		l.Dst(0, f(a, l.Const(a.Type(), l.In.Get(nameImm))))
	}
}

// Vectors of sources, the first in the lowest bits.
func vector16(a, b V) V   { return a.Pack(b, ir.I32) }
func vector8(a, b, c V) V { return a.Or(b.Shl(b.K(8))).Or(c.Shl(c.K(16))) }

// dotProduct is the sum of the products of bytes, plus c.
func dotProduct(products, limit isa.Binary) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		a := l.Src(0)
		p := products(a, l.Src(1))
		if l.In.Get(nameSaturate) != 0 {
			l.Dst(0, limit(p, l.Src(2)))
			return
		}
		l.Dst(0, p.Add(l.Src(2)))
	})
}

// mixedProduct is the sum of the products of signed or unsigned bytes, plus c.
func mixedProduct(l *isa.Lift) {
	sum := l.I32(0)
	a, b := l.Src(0), l.Src(1)
	byteOf := func(v V, i int, unsigned isa.Name) V {
		if x := v.Extract(8*i, ir.I8); l.In.Get(unsigned) != 0 {
			return x.ZExt(ir.I32)
		} else {
			return x.SExt(ir.I32)
		}
	}
	for i := range 4 {
		sum = sum.Add(byteOf(a, i, nameUnsignedA).Mul(byteOf(b, i, nameUnsignedB)))
	}
	if l.In.Get(nameSaturate) != 0 {
		l.Dst(0, sum.SAddSat(l.Src(2)))
		return
	}
	l.Dst(0, sum.Add(l.Src(2)))
}

// carries is a sum or difference of three words, or with its modifier its carry or borrow. over computes it for two
// words, of which the first step updates the first. The role of the third word follows only from the name.
func carries(step, over isa.Binary) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		if !modelled(l, optCarries) {
			return
		}
		a, b, c := l.Src(0), l.Src(1), l.Src(2)
		first := step(a, b)
		if l.In.Get(nameCarry) == 0 {
			l.Dst(0, step(first, c))
			return
		}
		l.Dst(0, over(a, b).Or(over(first, c)).ZExt(ir.I32))
	})
}

// overflows reports whether a + b has a carry.
func overflows(a, b V) V { return a.Add(b).ULt(a) }

// addShifted is a + (b << shift).
func addShifted(l *isa.Lift) {
	a := l.Src(0)
	b := l.Src(1)
	l.Dst(0, a.Add(b.Shl(b.K(l.In.Get(nameShift)))))
}

// addSegment adds an offset to an address, or subtracts it; with preserve_null a null pointer is unchanged.
func addSegment(l *isa.Lift) {
	a := l.Src(0)
	b := l.Src(1)
	to := a.Add(b)
	if l.In.Get(nameNegB64) != 0 {
		to = a.Sub(b)
	}
	if l.In.Get(namePreserve) != 0 {
		pointer := a
		if l.Option(optSegmentNull) == nullSecond {
			pointer = b
		}
		none := pointer.K(0)
		to = pointer.Eq(none).Select(none, to)
	}
	l.Dst(0, to)
}
