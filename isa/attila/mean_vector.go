package attila

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// The shapes of semantics: per component, a scalar for all components, the whole vector.

func each1(f func(a V) V) mean {
	return each(func(l *isa.Lift, c int) V { return f(read(l, 0, c)) }, byMask)
}

func each2(f func(a, b V) V) mean {
	return each(func(l *isa.Lift, c int) V {
		a := read(l, 0, c)
		return f(a, read(l, 1, c))
	}, byMask, byMask)
}

func each3(f func(a, b, c V) V) mean {
	return each(func(l *isa.Lift, c int) V {
		a := read(l, 0, c)
		b := read(l, 1, c)
		return f(a, b, read(l, 2, c))
	}, byMask, byMask, byMask)
}

func each(f func(l *isa.Lift, c int) V, reads ...uint8) mean {
	return effect(func(l *isa.Lift) { write(l, masked(l, f)) }, reads...)
}

// effect is semantics that read and write operands themselves, and what they read of each source.
func effect(f isa.Effect, reads ...uint8) mean {
	m := mean{lift: f}
	copy(m.reads[:], reads)
	return m
}

// masked computes the components in the mask.
func masked(l *isa.Lift, f func(l *isa.Lift, c int) V) (out [4]V) {
	for c := range out {
		if named(l, c) {
			out[c] = f(l, c)
		}
	}
	return out
}

func scalar(f func(a V) V) mean {
	return effect(func(l *isa.Lift) {
		v := f(read(l, 0, 3))
		write(l, [4]V{v, v, v, v})
	}, compW)
}

func vector(f func(l *isa.Lift) [4]V, reads ...uint8) mean {
	return effect(func(l *isa.Lift) { write(l, f(l)) }, reads...)
}

func dot(n int, plusW bool) mean {
	reads := []uint8{1<<n - 1, 1<<n - 1}
	if plusW {
		reads[1] |= compW
	}
	return effect(func(l *isa.Lift) {
		v := read(l, 0, 0).FMul(read(l, 1, 0))
		for c := 1; c < n; c++ {
			v = v.FAdd(read(l, 0, c).FMul(read(l, 1, c)))
		}
		if plusW {
			v = v.FAdd(read(l, 1, 3))
		}
		write(l, [4]V{v, v, v, v})
	}, reads...)
}

func setp(f func(a, b V) V) mean {
	return effect(func(l *isa.Lift) { setPred(l, compared(l, f)) }, compW, compW)
}

func compared(l *isa.Lift, f func(a, b V) V) V {
	a := read(l, 0, 3)
	return f(a, read(l, 1, 3))
}

func setPred(l *isa.Lift, v V) {
	l.Set(predCell(l.In.Get(nameDst)), v, mask(l))
}

func same(a V) V      { return a }
func mad(a, b, c V) V { return a.FMul(b).FAdd(c) }
func slt(a, b V) V    { return a.FLt(b).Select(one(a), zero(a)) }
func sge(a, b V) V    { return a.FLt(b).Select(zero(a), one(a)) }
func cmp(a, b, c V) V { return a.FLt(zero(a)).Select(b, c) }
func fgt(a, b V) V    { return b.FLt(a) }
func sgt(a, b V) V    { return b.SLt(a) }
func frc(a V) V       { return a.FSub(a.FFloor()) }
func rcp(a V) V       { return one(a).FDiv(a) }

func real(a V, x float32) V { return a.K(uint64(math.Float32bits(x))) }
func one(a V) V             { return real(a, 1) }
func zero(a V) V            { return real(a, 0) }

// rsq: |a| is a < 0 ? -a : a, so that -0 stays -0.
func rsq(a V) V {
	abs := a.FLt(zero(a)).Select(a.FNeg(), a)
	return one(a).FDiv(abs).FSqrt()
}

// stplti p, a, b: a < b, signed. The simulator compares for equality.
func stplti(l *isa.Lift) {
	if departs(l, stpltiEq) {
		setPred(l, compared(l, V.Eq))
		return
	}
	setPred(l, compared(l, V.SLt))
}

// arl a, b: floor in double precision, then to an integer. The simulator writes all components whatever the mask.
func arl(l *isa.Lift) {
	if !departs(l, arlMask) {
		write(l, masked(l, func(l *isa.Lift, c int) V { return toInt(read(l, 0, c)) }))
		return
	}
	var out [4]V
	for c := range out {
		out[c] = toInt(read(l, 0, c))
	}
	for c, v := range out {
		setResult(l, c, v)
	}
}

// arlMean is arl, which reads and writes all components under the simulator.
var arlMean = mean{lift: arl, reads: [3]uint8{byMask}, all: func(in *isa.Inst) bool { return in.Var == Sim }}

// toInt returns floor(a) as an integer, 0x80000000 if it does not fit.
func toInt(a V) V {
	defer a.B().Float(floatMode.WithRound(num.RDown))()
	fits := real(a, -1<<31).FLe(a).And(a.FLt(real(a, 1<<31)))
	return fits.Select(a.FToS(ir.I32), a.B().I32(1<<31))
}

// dst (1, ay*by, az, bw): distance attenuation.
func dst(l *isa.Lift) [4]V {
	a := read(l, 0, 1)
	return [4]V{one(a), a.FMul(read(l, 1, 1)), read(l, 0, 2), read(l, 1, 3)}
}

func exp(l *isa.Lift) [4]V {
	a := read(l, 0, 3)
	floor := a.FFloor()
	return [4]V{floor.FExp2(), a.FSub(floor), a.FExp2(), one(a)}
}

// log: x uses |a|, y and z use a, so NaN for negative a. The floor is that of the exact logarithm.
func log(l *isa.Lift) [4]V {
	a := read(l, 0, 3)
	z, abs := a.FLog2(), a.FAbs()
	floor := abs.FFrexpExp().Sub(l.I32(1)).SToF(ir.F32)
	finite := abs.FLt(real(a, float32(math.Inf(1)))).And(zero(a).FLt(abs))
	y := finite.And(zero(a).FLt(a)).Select(floor, z)
	return [4]V{finite.Select(floor, abs.FLog2()), a.FDiv(y.FExp2()), z, one(a)}
}

// lit: the power is computed in double precision.
func lit(l *isa.Lift) [4]V {
	x, y, w := read(l, 0, 0), read(l, 0, 1), read(l, 0, 3)
	positive := func(a V) V { return a.FLt(zero(a)).Select(zero(a), a) }
	px, py := positive(x), positive(y)
	w = w.FMinSel(real(w, 128)).FMaxSel(real(w, -128))
	pow := py.FCvt(ir.F64).FLog2().FMul(w.FCvt(ir.F64)).FExp2().FCvt(ir.F32)
	always := w.FEq(zero(w)).Or(py.FEq(one(py)))
	z := always.Select(one(x), pow)
	return [4]V{one(x), px, zero(x).FLt(px).Select(z, zero(x)), one(x)}
}

// derivative is the difference along one axis of the quad: step is 1 for columns, 2 for rows. All lanes take part,
// whatever the masks. docs/reference/attila.md 9.
func derivative(step uint32) mean {
	return each(func(l *isa.Lift, c int) V {
		a, lane := read(l, 0, c), l.LaneID()
		all := l.I1(true)
		low := lane.And(l.I32(^step))
		from, _ := a.ShuffleIn(4, low, all)
		to, _ := a.ShuffleIn(4, low.Or(l.I32(step)), all)
		return to.FSub(from)
	}, byMask)
}
