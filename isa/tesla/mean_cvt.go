package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// cvt between integers and floats of up to 32 bits. docs/reference/tesla.md 7.

// A cvtType is one side of a conversion.
type cvtType struct {
	name   string
	bits   int
	signed bool
	float  bool
}

// source returns a cvt's integer source, extended to 64 bits, and its type: one of a few, selected by the
// instruction.
func source(l *isa.Lift, a V, from []cvtType) (x V, t cvtType) {
	t = from[l.In.Opt(nameFrom)]
	if t.bits == 8 {
		a = a.Trunc(ir.I8)
	}
	if t.signed {
		return a.SExt(ir.I64), t
	}
	return a.ZExt(ir.I64), t
}

// cvtInt clamps an integer to that many bits; to is the type of the register, to which it is extended.
func cvtInt(to ir.Type, bits int, isSigned bool, from []cvtType) mean1 {
	lo, hi := uint64(0), uint64(1)<<bits-1
	if isSigned {
		hi >>= 1
		lo = ^hi
	}
	return func(l *isa.Lift, a V) result {
		x, _ := source(l, a, from)
		zero := l.I64(0)
		if set(l, nameAbs1) {
			x = x.SLt(zero).Select(zero.Sub(x), x)
		}
		if set(l, nameNeg1) {
			x = zero.Sub(x)
		}
		return intFlags(l, x.SMax(l.I64(lo)).SMin(l.I64(hi)).Trunc(to))
	}
}

// cvtIntFloat rounds an integer to an f32, which may be saturated; an f16 is converted from that.
func cvtIntFloat(to ir.Type, from []cvtType) mean1 {
	return func(l *isa.Lift, a V) result {
		f32(l, rounding(l))
		x, t := source(l, a, from)
		if to == ir.F32 {
			return f32Result(l, signedInt(l, x, to))
		}
		var v V
		if a.Type() == ir.I32 && t.bits != 8 {
			v = lossy(l, a, t.signed)
		} else {
			v = signedInt(l, x, ir.F32)
		}
		if set(l, nameSat) {
			v = saturated(l, v)
		}
		return f16Result(l, toF16(l, v, rounding(l)))
	}
}

// lossy returns a 32-bit integer as an f32 for conversion to f16. The unit loses some of the magnitude: all of it if
// bits 5 to 29 are ones and it could be rounded up, and else the top bits, the more the smaller its low half is.
func lossy(l *isa.Lift, a V, isSigned bool) V {
	zero, m := a.K(0), a
	below := l.I1(false)
	if isSigned {
		below = a.SLt(zero)
		m = below.Select(zero.Sub(a), a)
	}
	minus := below
	if set(l, nameAbs1) {
		minus = l.I1(false)
	}
	if set(l, nameNeg1) {
		minus = minus.Not()
	}
	ones := m.And(m.K(0x1ffffff << 5)).Eq(m.K(0x1ffffff << 5))
	low := below.Select(m.Sub(m.K(1)), m).Trunc(ir.I16)
	cut := low.Clz().UMin(low.K(5)).ZExt(ir.I32).Add(m.K(2))
	m = m.Shl(cut).ShrU(cut)
	switch rounding(l) {
	case num.RNE:
		m = ones.Select(zero, m)
	case num.RUp:
		m = ones.And(minus.Not()).Select(zero, m)
	case num.RDown:
		m = ones.And(minus).Select(zero, m)
	}
	v := minus.Select(zero.Sub(m), m).SToF(ir.F32).FAbs().As(ir.I32)
	return v.Or(minus.Select(v.K(1<<31), zero)).As(ir.F32) // a zero has its sign, too
}

// toF16 rounds an f32 to an f16, including denormals.
func toF16(l *isa.Lift, x V, round num.Mode) V {
	defer l.Float(round.With(num.FlushIn | num.NaNOnes))()
	return x.FCvt(ir.F16)
}

func f16Result(l *isa.Lift, x V) result {
	defer l.Float(num.RNE.With(num.NaNOnes))()
	return floatFlags(l, x.As(ir.I16), x)
}

// fromFloat returns a cvt's float source as an f32: an f16 is converted exactly, including denormals.
func fromFloat(l *isa.Lift, a V) V {
	if a.Type() == ir.I16 {
		restore := l.Float(num.RNE.With(num.NaNOnes))
		a = a.As(ir.F16).FCvt(ir.F32).As(ir.I32)
		restore()
	}
	return signed(l, a, nameNeg1, nameAbs1).As(ir.F32)
}

// cvtFloatInt rounds to an integer and clamps it; a NaN gives 0.
func cvtFloatInt(to ir.Type, isSigned bool) mean1 {
	return func(l *isa.Lift, a V) result {
		f32(l, rounding(l))
		x := fromFloat(l, a)
		if isSigned {
			return intFlags(l, x.FToS(to))
		}
		return intFlags(l, x.FToU(to))
	}
}

// cvtFloat converts floats: saturates first, then rounds to integers if whole, then to the width.
func cvtFloat(to ir.Type, whole bool) mean1 {
	return func(l *isa.Lift, a V) result {
		f32(l, rounding(l))
		x := fromFloat(l, a).FCanon()
		if set(l, nameSat) {
			x = saturated(l, x)
		}
		if whole {
			x = wholeNumber(l, x)
		}
		switch {
		case to == ir.F32:
			return unsaturated(l, x)
		case whole:
			return f16Result(l, wholeToF16(l, x))
		}
		return f16Result(l, toF16(l, flushTiny(l, x), rounding(l)))
	}
}

// wholeToF16 truncates an integer to an f16; only one beyond the largest follows the instruction's rounding.
func wholeToF16(l *isa.Lift, x V) V {
	cut := toF16(l, x, num.RZ)
	if rounding(l) == num.RZ {
		return cut
	}
	beyond := l.Const(ir.F32, 0x47800000).FLe(x.FAbs()) // 2^16
	return beyond.Select(toF16(l, x, rounding(l)), cut)
}

// flushTiny returns x, but a zero of its sign below 2^-33: these are not rounded away from zero to the least f16.
func flushTiny(l *isa.Lift, x V) V {
	if r := rounding(l); r == num.RNE || r == num.RZ {
		return x
	}
	bits := x.As(ir.I32)
	tiny := x.FAbs().FLt(l.Const(ir.F32, 0x2f000000)) // 2^-33
	return tiny.Select(bits.And(bits.K(1<<31)), bits).As(ir.F32)
}
