package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Conversions. docs/reference/valhall.md 10.1. Sources are extended to the width of their kind; the mnemonic's round
// mode is the rounding mode of the instruction.

func toS32(a V) V    { return a.SExt(ir.I32) }
func toU32(a V) V    { return a.ZExt(ir.I32) }
func intToF32(a V) V { return a.SToF(ir.F32) }
func natToF32(a V) V { return a.UToF(ir.F32) }
func floatToS(a V) V { return a.FToS(ir.I32) }
func floatToU(a V) V { return a.FToU(ir.I32) }
func toF32(a V) V    { return a.FCvt(ir.F32) }

func halvesToS(a V) V { return eachHalf(a, ir.F16, func(a V) V { return a.FToS(ir.I16) }) }
func halvesToU(a V) V { return eachHalf(a, ir.F16, func(a V) V { return a.FToU(ir.I16) }) }
func intsToF16(a V) V { return eachHalf(a, ir.I16, func(a V) V { return a.SToF(ir.F16) }) }
func natsToF16(a V) V { return eachHalf(a, ir.I16, func(a V) V { return a.UToF(ir.F16) }) }

func toHalves(a, b V) V {
	return a.FCvt(ir.F16).As(ir.I16).Pack(b.FCvt(ir.F16).As(ir.I16), ir.I32).As(ir.V2F16)
}

// roundMeans round to an integral value, by round mode.
var roundMeans = [...]func(a V) V{V.FRndne, V.FCeil, V.FFloor, V.FTrunc, roundAway: wholeAway}

func fround(l *isa.Lift) { l.Dst(0, roundMeans[l.In.Get(nameRound)](l.Src(0))) }

// roundAway is the round mode to nearest, ties away from zero. The float mode of an instruction covers IEEE 754's other
// modes; this one is emulated.
const roundAway = 4

// wholeAway rounds to the nearest integral value, ties away from zero.
func wholeAway(a V) V {
	t := ir.I32
	one, half := uint64(one32), uint64(0x3f000000)
	switch a.Type() {
	case ir.V2F16:
		t, one, half = ir.V2I16, one16, 0x3800
	case ir.F16:
		t, one, half = ir.I16, one16, 0x3800
	}
	whole := a.FTrunc()
	bits := a.As(t)
	sign := bits.K(1 << (t.Elem().Bits() - 1))
	step := bits.And(sign).Or(bits.K(one)).As(a.Type())
	return a.K(half).FLe(a.FSub(whole).FAbs()).Select(whole.FAdd(step), whole)
}

const one16 = 0x3c00

// nearestWhole converts floats to integers; with round_away, after rounding to an integral value.
func nearestWhole(f isa.Unary) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		a := l.Src(0)
		if l.In.Get(nameRound) == roundAway {
			a = wholeAway(a)
		}
		l.Dst(0, f(a))
	})
}

// away converts a float to a narrower type, to nearest with ties away from zero. The result is that of nearest even,
// except for a number in the middle between that and the next float away from zero.
func away(a V, t ir.Type) V {
	round := func(m num.Mode) V {
		defer a.B().Float(a.B().Mode().WithRound(m))()
		return a.FCvt(t)
	}
	wide := a.Type()
	near, far := round(num.RNE), a.FLt(a.K(0)).Select(round(num.RDown), round(num.RUp))
	middle := near.FCvt(wide).FAdd(far.FCvt(wide)).FEq(a.FAdd(a))
	return middle.Select(far, near)
}

// wholeToFloat converts integers by a wide type that holds them all exactly.
func wholeToFloat(f func(a V, t ir.Type) V, wide, t ir.Type) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		a := l.Src(0)
		convert := func(a V) V {
			if l.In.Get(nameRound) == roundAway {
				return away(f(a, wide), t)
			}
			return f(a, t)
		}
		if t == ir.F16 {
			l.Dst(0, eachHalf(a, ir.I16, convert))
			return
		}
		l.Dst(0, convert(a))
	})
}
