package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Integer instructions. docs/reference/tesla.md 6.

// An addOp is one of the four additions.
type addOp uint8

const (
	opAdd  addOp = iota
	opSub        // a - b
	opSubR       // b - a
	opAddC       // with the carry of a $c
)

// carry returns flag C of the $c that the instruction names, or of $c0.
func carry(l *isa.Lift) V { return l.Get(flag(condition(l), FlagC), ir.I1) }

// sum returns an addition with its flags: C is the carry, so after a subtraction it means no borrow. Saturation is
// controlled by O, and changes Z and S.
func sum(l *isa.Lift, op addOp, sat bool, a, b V) result {
	var in V
	switch op {
	case opAdd:
		in = l.I1(false)
	case opSub:
		b, in = b.Not(), l.I1(true)
	case opSubR:
		a, in = a.Not(), l.I1(true)
	case opAddC:
		in = carry(l)
	}
	v, c := a.AddC(b, in)
	if !sat && !flagged(l) {
		return result{v: v}
	}
	zero := v.K(0)
	o := v.Xor(a).And(v.Xor(b)).SLt(zero)
	if sat {
		most := uint64(1)<<(v.Type().Bits()-1) - 1
		v = o.Select(v.SLt(zero).Select(v.K(most), v.K(most+1)), v)
	}
	r := intFlags(l, v)
	r.c, r.o = c, o
	return r
}

// iadd is for sources of 16 and of 32 bits.
func iadd(op addOp) mean2 {
	return func(l *isa.Lift, a, b V) result { return sum(l, op, set(l, nameSat), a, b) }
}

// extended returns a extended to 32 bits.
func extended(a V, signed bool) V {
	if signed {
		return a.SExt(ir.I32)
	}
	return a.ZExt(ir.I32)
}

// imul16 multiplies halves, each signed or unsigned.
func imul16(l *isa.Lift, a, b V) result {
	return intFlags(l, extended(a, set(l, nameSigned1)).Mul(extended(b, set(l, nameSigned2))))
}

// imul24 multiplies the low 24 bits of each.
func imul24(l *isa.Lift, a, b V) result {
	return intFlags(l, product24(a, b, set(l, nameSigned), set(l, nameHigh)))
}

// product24 returns bits 0 to 31, or 16 to 47 if high, of the product of the low 24 bits.
func product24(a, b V, signed, high bool) V {
	eight := a.K(8)
	a, b = a.Shl(eight), b.Shl(eight)
	if signed {
		a, b = a.ShrS(eight), b.ShrS(eight)
	} else {
		a, b = a.ShrU(eight), b.ShrU(eight)
	}
	switch {
	case !high:
		return a.Mul(b)
	case signed:
		lo, hi := a.MulWideS(b)
		return hi.FShr(lo, a.K(16))
	}
	lo, hi := a.MulWideU(b)
	return hi.FShr(lo, a.K(16))
}

// A mulKind is the product of a multiplication and addition.
type mulKind uint8

const (
	mulU16 mulKind = iota
	mulS16
	mulU24
	mulS24
	mulHighU24
	mulHighS24
)

// imad adds 32 bits to a product; the factors are halves for the first two kinds.
func imad(k mulKind, op addOp, sat bool) mean3 {
	return func(l *isa.Lift, a, b, c V) result {
		var p V
		switch k {
		case mulU16, mulS16:
			p = extended(a, k == mulS16).Mul(extended(b, k == mulS16))
		default:
			p = product24(a, b, k == mulS24 || k == mulHighS24, k >= mulHighU24)
		}
		return sum(l, op, sat, p, c)
	}
}

// isad adds the absolute difference of two sources of 16 or 32 bits to one of 32.
func isad(l *isa.Lift, a, b, c V) result {
	d := a.UAbsDiff
	if set(l, nameSigned) {
		d = a.SAbsDiff
	}
	return sum(l, opAdd, false, d(b).ZExt(ir.I32), c)
}

func imin(l *isa.Lift, a, b V) result {
	if set(l, nameSigned) {
		return intFlags(l, a.SMin(b))
	}
	return intFlags(l, a.UMin(b))
}

func imax(l *isa.Lift, a, b V) result {
	if set(l, nameSigned) {
		return intFlags(l, a.SMax(b))
	}
	return intFlags(l, a.UMax(b))
}

// Bits of a comparison.
const (
	condL = 1 << iota
	condE
	condG
	condU // of floats: one is not a number

	condOrdered = condL | condE | condG
)

// iset compares sources of 16 or 32 bits; the result, all ones or 0, has the same width.
func iset(l *isa.Lift, a, b V) result {
	less, lessEqual := V.ULt, V.ULe
	if set(l, nameSigned) {
		less, lessEqual = V.SLt, V.SLe
	}
	holds := compared(l, l.In.Get(nameCond)&condOrdered, a, b, V.Eq, less, lessEqual)
	return intFlags(l, holds.Select(a.K(^uint64(0)), a.K(0)))
}

// compared reports whether any of the conditions of cond holds, for ordered numbers.
func compared(l *isa.Lift, cond uint64, a, b V, equal, less, lessEqual func(a, b V) V) V {
	switch cond {
	case condL:
		return less(a, b)
	case condE:
		return equal(a, b)
	case condL | condE:
		return lessEqual(a, b)
	case condG:
		return less(b, a)
	case condL | condG:
		return less(a, b).Or(less(b, a))
	case condG | condE:
		return lessEqual(b, a)
	case condOrdered:
		return lessEqual(a, b).Or(lessEqual(b, a))
	}
	return l.I1(false)
}

// ishl and ishr shift by the whole value of a count as wide as the source. C is the last bit shifted out, while less
// than all of them are; O says that shifting by one has changed the sign.
func ishl(l *isa.Lift, a, n V) result {
	v := a.ShlX(n)
	return shiftFlags(l, a, n, v, func(before V) V { return a.ShlX(before).SLt(a.K(0)) })
}

func ishr(l *isa.Lift, a, n V) result {
	shift := V.ShrUX
	if set(l, nameSigned) {
		shift = V.ShrSX
	}
	v := shift(a, n)
	return shiftFlags(l, a, n, v, func(before V) V { return a.ShrUX(before).Trunc(ir.I1) })
}

// shiftFlags: last returns the next bit to be shifted out once all but one of the shifts are done.
func shiftFlags(l *isa.Lift, a, n, v V, last func(before V) V) result {
	r := intFlags(l, v)
	if !flagged(l) {
		return r
	}
	one := a.K(1)
	some := n.Sub(one).ULt(a.K(uint64(a.Type().Bits() - 1))) // 0 < n < width
	r.c = some.And(last(n.Sub(one)))
	r.o = n.Eq(one).And(v.Xor(a).SLt(a.K(0)))
	return r
}

// A logicOp is an operation on bits.
type logicOp uint8

const (
	logicAnd logicOp = iota
	logicOr
	logicXor
	logicMov2 // the second source
)

// logic is for sources of 16 and of 32 bits.
func logic(op logicOp) mean2 {
	return func(l *isa.Lift, a, b V) result {
		if set(l, nameNot1) && op != logicMov2 {
			a = a.Not()
		}
		if set(l, nameNot2) {
			b = b.Not()
		}
		switch op {
		case logicAnd:
			b = a.And(b)
		case logicOr:
			b = a.Or(b)
		case logicXor:
			b = a.Xor(b)
		}
		return intFlags(l, b)
	}
}

// shlA is a shift to an address register: of 32 bits, of which 16 stay.
func shlA(_ *isa.Lift, a, n V) result { return result{v: a.ShlX(n).Trunc(ir.I16)} }

// addA adds to an address register.
func addA(_ *isa.Lift, a, b V) result { return result{v: a.Add(b).Trunc(ir.I16)} }

// movFromC reads the flags of a $c as a number.
func movFromC(l *isa.Lift) {
	v := l.I32(0)
	for i := range flags {
		v = v.Or(l.Get(flag(condition(l), i), ir.I1).Select(l.I32(1<<i), l.I32(0)))
	}
	l.Dst(0, v)
}

// movToC writes all flags of a $c. The bit that enables the writing of flags is ignored.
func movToC(l *isa.Lift) {
	a := l.Src(0)
	for i := range flags {
		l.Set(flag(l.In.Get(nameFlags), i), a.Extract(i, ir.I1), l.Mask())
	}
}
