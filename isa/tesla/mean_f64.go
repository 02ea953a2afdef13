package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Instructions on f64. docs/reference/tesla.md 7.

// f64Mode keeps denormals; of NaN operands the second is used, then the third, then the first; a new NaN is negative.
const f64Mode = num.NaNSecond | num.NaNNegative

func f64(l *isa.Lift, round num.Mode) { l.Float(round.With(f64Mode)) }

// signed64 returns a as a number with the signs that the instruction requests; a NaN keeps its own.
func signed64(l *isa.Lift, a V, neg, abs isa.Name) V {
	return notOfNaN(a.As(ir.F64), signed(l, a, neg, abs).As(ir.F64))
}

func negated64(l *isa.Lift, a V, neg isa.Name) V {
	return notOfNaN(a.As(ir.F64), negated(l, a, neg).As(ir.F64))
}

// notOfNaN returns with, but x if that is a NaN.
func notOfNaN(x, with V) V {
	if x == with {
		return x
	}
	return x.FUnord(x).Select(x, with)
}

func f64Result(l *isa.Lift, x V) result { return floatFlags(l, x.As(ir.I64), x) }

func dfma(l *isa.Lift, a, b, c V) result {
	f64(l, rounding(l))
	return f64Result(l, negated64(l, a, nameNeg1).Fma(b.As(ir.F64), negated64(l, c, nameNeg3)))
}

func dadd(l *isa.Lift, a, b V) result {
	f64(l, rounding(l))
	return f64Result(l, negated64(l, a, nameNeg1).FAdd(negated64(l, b, nameNeg2)))
}

func dmul(l *isa.Lift, a, b V) result {
	f64(l, rounding(l))
	return f64Result(l, negated64(l, a, nameNeg1).FMul(b.As(ir.F64)))
}

func dmin(l *isa.Lift, a, b V) result { return dminmax(l, a, b, V.FMinNum) }
func dmax(l *isa.Lift, a, b V) result { return dminmax(l, a, b, V.FMaxNum) }

func dminmax(l *isa.Lift, a, b V, choose func(a, b V) V) result {
	f64(l, num.RNE)
	return f64Result(l, choose(signed64(l, a, nameNeg1, nameAbs1), signed64(l, b, nameNeg2, nameAbs2)).FCanon())
}

// dset gives 32 ones, or 0.
func dset(l *isa.Lift, a, b V) result {
	f64(l, num.RNE)
	x, y := signed(l, a, nameNeg1, nameAbs1).As(ir.F64), signed(l, b, nameNeg2, nameAbs2).As(ir.F64)
	return intFlags(l, fcompared(l, l.In.Get(nameCond), x, y).Select(l.I32(^uint32(0)), l.I32(0)))
}

// The conversions of chips with f64. Their sources are of 32 or 64 bits, floats or integers, as wide as the operand.

// cvtFloatWide converts floats, at least one of which is an f64. Signs do not apply to a NaN, and whole rounds to
// integers.
func cvtFloatWide(to ir.Type, whole bool) mean1 {
	return func(l *isa.Lift, a V) result {
		l.Float(rounding(l).With(num.NaNFirst))
		x := a.As(floatOf(a))
		if x.Type() == ir.F32 {
			x = x.FCvt(ir.F64)
		}
		x = notOfNaN(x, signed(l, x.As(ir.I64), nameNeg1, nameAbs1).As(ir.F64)).FCanon()
		if whole {
			x = wholeNumber(l, x)
		}
		if to == ir.F32 {
			x = x.FCvt(to)
			return floatFlags(l, x.As(ir.I32), x)
		}
		return f64Result(l, x)
	}
}

// wholeNumber rounds to an integer as the instruction says.
func wholeNumber(l *isa.Lift, x V) V {
	switch rounding(l) {
	case num.RDown:
		return x.FFloor()
	case num.RUp:
		return x.FCeil()
	case num.RZ:
		return x.FTrunc()
	}
	return x.FRndne()
}

// floatOf is the float type that is as wide as a.
func floatOf(a V) ir.Type {
	switch a.Type() {
	case ir.I16:
		return ir.F16
	case ir.I64:
		return ir.F64
	}
	return ir.F32
}

// cvtFloatIntWide rounds to an integer and clamps it, which flag O reports. A NaN gives only the top bit.
func cvtFloatIntWide(to ir.Type, isSigned bool) mean1 {
	return func(l *isa.Lift, a V) result {
		f64(l, num.RNE)
		x := signed(l, a, nameNeg1, nameAbs1).As(floatOf(a))
		nan := x.FUnord(x)
		x = wholeNumber(l, x)
		neg := x.FLt(l.Const(x.Type(), 0))
		m := x.FAbs().FToU(ir.I64)
		v, o := clampedMagnitude(m, neg, to.Bits(), isSigned)
		v = nan.Select(l.I64(1<<(to.Bits()-1)), v).Trunc(to)
		r := intFlags(l, v)
		r.o = nan.Or(o).Or(m.Eq(l.I64(1<<32 - 1))) // one magnitude sets O whatever the result's size
		return r
	}
}

// clampedMagnitude returns m, with a sign, clamped to n bits, and whether it was clamped. A magnitude beyond 64 bits
// is not detected.
func clampedMagnitude(m, neg V, n int, isSigned bool) (v, clamped V) {
	if isSigned {
		limit := m.K(1 << (n - 1))
		most := neg.Select(limit, limit.Sub(m.K(1)))
		v = m.UMin(most)
		return neg.Select(v.K(0).Sub(v), v), most.ULt(m)
	}
	zero := m.K(0)
	below := neg.And(m.Ne(zero))
	v = neg.Select(zero, m)
	if n == 64 {
		return v, below
	}
	most := m.K(1<<n - 1)
	return v.UMin(most), below.Or(most.ULt(v))
}

// cvtIntFloatWide rounds an integer. The magnitude of an unsigned one is rounded before it is negated, and nothing
// saturates.
func cvtIntFloatWide(to ir.Type, isSigned bool) mean1 {
	return func(l *isa.Lift, a V) result {
		l.Float(rounding(l).With(num.NaNFirst))
		var x V
		if isSigned {
			x = signedInt(l, a, to)
		} else {
			x = a.UToF(to)
			if set(l, nameNeg1) {
				x = x.FNeg()
			}
		}
		if to == ir.F32 {
			return floatFlags(l, x.As(ir.I32), x)
		}
		return f64Result(l, x)
	}
}

// signedInt returns a signed integer as a float, in the current mode, with the instruction's words abs and neg: 0
// negated is -0.
func signedInt(l *isa.Lift, a V, to ir.Type) (x V) {
	mode := l.Builder.Mode()
	if set(l, nameNeg1) {
		defer l.Float(mirrored(mode))()
	}
	if set(l, nameAbs1) {
		zero := a.K(0)
		x = a.SLt(zero).Select(zero.Sub(a), a).UToF(to)
	} else {
		x = a.SToF(to)
	}
	if set(l, nameNeg1) {
		x = x.FNeg()
	}
	return x
}

// mirrored returns the mode that rounds a number as m rounds its negative.
func mirrored(m num.Mode) num.Mode {
	switch m.Round() {
	case num.RUp:
		return m.WithRound(num.RDown)
	case num.RDown:
		return m.WithRound(num.RUp)
	}
	return m
}
