package rogue

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Functions of one float. docs/reference/rogue.md 5.1.

// float is source 0 of the instruction.
func float(l *isa.Lift) V { return l.Src(0).As(ir.F32) }

func reciprocal(a V) V  { return a.As(ir.F32).FRcp() }
func rootInverse(a V) V { return a.As(ir.F32).FRsq() }
func logarithm(a V) V   { return a.As(ir.F32).FLog2() }
func exponential(a V) V { return a.As(ir.F32).FExp2() }

// f64 is an f64 constant, f32 an f32 constant.
func f64(l *isa.Lift, x float64) V  { return l.Const(ir.F64, math.Float64bits(x)) }
func single64(l *isa.Lift, n int) V { return f64(l, float64(math.Float32frombits(constants[n]))) }

// Numbers of the constants of the sRGB curve in the special bank.
const (
	constLinear = 136 // 0.0031308
	constSlope  = 137 // 12.92
	constRoot   = 138 // 1 / 2.4
	constScale  = 139 // 1.055
	constOffset = 140 // 0.055
	constLimit  = 156 // 0.04045
	constPower  = 159 // 2.4
)

// power is x^y of a positive x.
func power(x, y V) V { return x.FLog2().FMul(y).FExp2() }

// gammaCompress converts a linear value to sRGB.
func gammaCompress(l *isa.Lift) {
	x := float(l).FCvt(ir.F64)
	if l.Option(optGamma) == gammaPower {
		l.Dst(0, power(x, f64(l, 1/2.2)).FCvt(ir.F32))
		return
	}
	curve := power(x, single64(l, constRoot)).FMul(single64(l, constScale)).FSub(single64(l, constOffset))
	l.Dst(0, x.FLe(single64(l, constLinear)).Select(x.FMul(single64(l, constSlope)), curve).FCvt(ir.F32))
}

// gammaExpand is the inverse of gammaCompress.
func gammaExpand(l *isa.Lift) {
	x := float(l).FCvt(ir.F64)
	if l.Option(optGamma) == gammaPower {
		l.Dst(0, power(x, f64(l, 2.2)).FCvt(ir.F32))
		return
	}
	curve := power(x.FAdd(single64(l, constOffset)).FDiv(single64(l, constScale)), single64(l, constPower))
	l.Dst(0, x.FLe(single64(l, constLimit)).Select(x.FDiv(single64(l, constSlope)), curve).FCvt(ir.F32))
}

// exponentBelow reports whether the biased exponent of a float is below e.
func exponentBelow(a V, e uint32) V {
	bits := a.As(ir.I32)
	return bits.And(bits.K(0x7fffffff)).ULt(bits.K(uint64(e) << 23))
}

// sineOver is sin(x pi / 2) / x, pi / 2 for small x. P0 requests the product with x: always.
func sineOver(l *isa.Lift) {
	x := float(l)
	wide := x.FCvt(ir.F64)
	v := wide.FMul(f64(l, 0.25)).FSinRev().FDiv(wide).FCvt(ir.F32)
	l.Dst(0, exponentBelow(x, 103).Select(l.Const(ir.F32, uint64(math.Float32bits(math.Pi/2))), v))
	data(l).setPredicate(l.I1(true))
}

// arctanTerms is the number of terms in the series of the arc tangent: 0.4142^(2*26) is below 2^-64.
const arctanTerms = 26

// arctan is arctan(x) / x, 1 for small x. The series covers angles up to pi/8. For larger ones x is replaced by
// (x-1)/(x+1) and pi/4 added, or by -1/x and pi/2 added.
func arctan(l *isa.Lift) {
	x := float(l)
	a := x.FAbs().FCvt(ir.F64)
	one := f64(l, 1)
	middle, far := f64(l, math.Sqrt2-1).FLt(a), f64(l, math.Sqrt2+1).FLt(a)
	over := far.Select(one.FNeg(), middle.Select(a.FSub(one), a))
	under := far.Select(a, middle.Select(a.FAdd(one), one))
	base := far.Select(f64(l, math.Pi/2), middle.Select(f64(l, math.Pi/4), f64(l, 0)))
	t := over.FDiv(under)
	square, sum := t.FMul(t).FNeg(), f64(l, 1.0/(2*arctanTerms+1))
	for n := arctanTerms - 1; n >= 0; n-- {
		sum = sum.Fma(square, f64(l, 1/float64(2*n+1)))
	}
	v := sum.Fma(t, base).FDiv(a).FCvt(ir.F32)
	bits := x.As(ir.I32)
	small := bits.And(bits.K(0x7fffffff)).ULt(bits.K(0x39c00000))
	l.Dst(0, small.Select(l.Const(ir.F32, uint64(math.Float32bits(1))), v))
}

// gradient is source 0 in the second of two pixels of the quad minus that in the first. The first is the lane's own
// number in the quad under mask keep; the second has bit step set in addition.
func gradient(keep, step uint64) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		a, lane := l.Src(0), l.LaneID()
		from := lane.And(lane.K(^uint64(3) | keep))
		all := l.I1(true)
		low, _ := a.ShuffleIn(4, from, all)
		high, _ := a.ShuffleIn(4, from.Or(lane.K(step)), all)
		l.Dst(0, high.As(ir.F32).FSub(low.As(ir.F32)))
	}
}
