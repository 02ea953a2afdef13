package rogue

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Range reduction of angles. docs/reference/rogue.md 5.1.

// Parts of a reduction.
const (
	partA = iota
	partB
)

// reduceStep is a step of a range reduction: the angle b in [-1, 1] whose sine, in units of a right angle, is the sine
// or cosine of s0. One iteration suffices, so P0 requests no other.
func reduceStep(l *isa.Lift) {
	st, in := data(l), l.In
	by := uint64(partA)
	if l.Option(optReduction) == reduceAgain {
		by = partB
	}
	var v V
	if in.Get(namePart) == by && (by == partB || in.Get(nameIter) == 0) {
		v = reduced(l, l.Src(0), in.Get(nameCosine) != 0)
	} else {
		v = st.source(l, group.FirstUpper)
	}
	st.w[0], st.w[1] = v, v
	if in.Get(namePred) != 0 {
		st.setPredicate(l.I1(false))
	}
}

// turns are the fraction bits of 1 / (2 pi), after 32 zeros.
var turns = [8]uint32{0, 0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770, 0x36d8a566, 0x4f10e410, 0x7f9458ea}

// reduced is the reduced angle, as a word.
func reduced(l *isa.Lift, angle V, cosine bool) V {
	a := angle.And(l.I32(0x7fffffff))
	// Angles up to 1: in f64.
	rights := f64(l, 2/math.Pi)
	wide := a.As(ir.F32).FCvt(ir.F64)
	near := wide.FMul(rights)
	if cosine {
		near = wide.Fma(rights.FNeg(), f64(l, 1))
	}
	// Larger angles: a 64-bit fraction of a turn, whose halves are folded onto the quarters around 0.
	turn := fraction(l, a)
	if cosine {
		turn = turn.Add(turn.K(1 << 62))
	}
	outside := turn.SAbsDiff(turn.K(0))
	turn = turn.K(1<<62).ULt(outside).Select(turn.K(1<<63).Sub(turn), turn)
	far := turn.SToF(ir.F32).FMul(l.Const(ir.F32, uint64(math.Float32bits(0x1p-62))))
	v := a.ULe(l.I32(math.Float32bits(1))).Select(near.FCvt(ir.F32), far)
	v = l.I32(0x7f7fffff).ULt(a).Select(l.Const(ir.F32, nanPattern), v)
	if cosine {
		return v.As(ir.I32)
	}
	sign := angle.And(l.I32(1 << 31))
	v = l.I32(0x7f7fffff).ULt(a).Select(v, v.As(ir.I32).Xor(sign).As(ir.F32))
	return v.As(ir.I32)
}

// nanPattern is the result of float operations without a number as result.
const nanPattern = 0x7fc00000

// fraction is the fraction of a turn of an angle of 1 or more, in units of 2^-64: the significand times the bits of 1 /
// (2 pi) that its exponent leaves below the binary point. 96 of them give the high 64 bits of the product.
func fraction(l *isa.Lift, a V) V {
	exponent := a.ShrU(l.I32(23))
	shift := exponent.Sub(l.I32(150 - 32)) // of the table, whose first word is before the binary point
	word, by := shift.ShrU(l.I32(5)), shift.And(l.I32(31)).ZExt(ir.I64)
	var window [4]V
	for k := range window {
		window[k] = l.I32(turns[k])
		for i := 1; i+k < len(turns) && i < 5; i++ {
			window[k] = word.Eq(l.I32(uint32(i))).Select(l.I32(turns[i+k]), window[k])
		}
	}
	m := a.And(l.I32(1<<23 - 1)).Or(l.I32(1 << 23)).ZExt(ir.I64)
	var product [3]V
	for k := range product {
		_, high := window[k+1].Pack(window[k], ir.I64).Shl(by).Unpack(ir.I32)
		product[k] = high.ZExt(ir.I64).Mul(m)
	}
	half := l.I64(32)
	return product[0].Shl(half).Add(product[1]).Add(product[2].ShrU(half))
}
