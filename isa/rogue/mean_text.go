package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
	"github.com/heddle-gpu/heddle/num"
)

// Instructions without public encoding. docs/reference/rogue.md 5.10.

// pair is source n and the next register, as f64.
func (st *state) pair(l *isa.Lift, n int) V {
	low := st.source(l, n)
	return low.Pack(st.read(l, st.named(uint64(n)).behind(1)), ir.F64)
}

// double makes a meaning from a function of f64 values.
func double(sources int, f func(l *isa.Lift, v []V) V) isa.Effect {
	return func(l *isa.Lift) {
		defer keepDenormals(l.Builder)()
		st := data(l)
		var v [3]V
		for n := range sources {
			v[n] = st.pair(l, n)
		}
		low, high := f(l, v[:]).Unpack(ir.I32)
		st.w[0] = low
		if st.rt.has[0] {
			st.later(st.advanced(st.rt.dst[0], st.gather.word).behind(1), high, V{})
		}
	}
}

func one64(l *isa.Lift) V { return l.Const(ir.F64, 0x3ff0000000000000) }

func mul64(_ *isa.Lift, v []V) V  { return v[0].FMul(v[1]) }
func add64(_ *isa.Lift, v []V) V  { return v[0].FAdd(v[1]) }
func div64(_ *isa.Lift, v []V) V  { return v[0].FDiv(v[1]) }
func rcp64(l *isa.Lift, v []V) V  { return one64(l).FDiv(v[0]) }
func sqrt64(_ *isa.Lift, v []V) V { return v[0].FSqrt() }
func rsq64(l *isa.Lift, v []V) V  { return one64(l).FDiv(v[0].FSqrt()) }
func byp64(_ *isa.Lift, v []V) V  { return v[0] }

func mad64(l *isa.Lift, v []V) V {
	if l.Option(optFused) == unfused {
		return v[0].FMul(v[1]).FAdd(v[2])
	}
	return v[0].Fma(v[1], v[2])
}

// Types of conversions by code.
const (
	convertF32 = iota
	convertS32
)

// toDouble converts to f64, in FT0 and FT2.
func toDouble(l *isa.Lift) {
	st := data(l)
	v := st.selected(l, 3)
	switch l.In.Get(nameType) {
	case convertF32:
		v = v.As(ir.F32).FCvt(ir.F64)
	case convertS32:
		v = v.SToF(ir.F64)
	default:
		v = v.UToF(ir.F64)
	}
	st.ft[0], st.ft[2] = v.Unpack(ir.I32)
}

// fromDouble rounds an f64: to an integer to nearest, or toward zero.
func fromDouble(l *isa.Lift) {
	v := l.Src(0).Pack(data(l).source(l, 2), ir.F64)
	if l.In.Get(nameType) == convertF32 {
		l.Dst(0, v.FCvt(ir.F32))
		return
	}
	l.Float(l.Builder.Mode().WithRound(num.RNE)) // integers have an option of their own
	if l.Option(optConvert) == convertZero {
		v = v.FTrunc()
	}
	if l.In.Get(nameType) == convertS32 {
		l.Dst(0, v.FToS(ir.I32))
	} else {
		l.Dst(0, v.FToU(ir.I32))
	}
}

func squareRoot(a V) V { return a.As(ir.F32).FSqrt() }

// Values of the fields of halves: the half of a source, and one plus the mask of halves of a result.
const halfLow = 1

// halved makes a meaning of one float source read a half and give halves.
func halved(mean isa.Meaning) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		st, n := data(l), 0
		if l.In.Def.Class == group.P1 {
			n = group.FirstUpper
		}
		whole := st.source(l, n)
		if h := l.In.Get(nameHalfIn); h != 0 {
			st.src[n] = ofHalf(half16(l, whole, int(h-halfLow))).As(ir.I32)
		}
		switch f := mean.(type) {
		case isa.Unary:
			l.Dst(0, f(l.Src(0)))
		case isa.Effect:
			f(l)
		}
		st.src[n] = whole
		if m := l.In.Get(nameHalfOut); m != 0 {
			st.w[0] = halves(l, toHalf(st.w[0].As(ir.F32)), m)
		}
	})
}

// half16 is the low (half 0) or high half of a word.
func half16(l *isa.Lift, v V, half int) V {
	if half != 0 {
		v = v.ShrU(l.I32(16))
	}
	return v.Trunc(ir.I16).As(ir.F16)
}

// halves is a value in the halves of a word that a mask names; the others are 0.
func halves(l *isa.Lift, v V, mask uint64) V {
	w := v.As(ir.I16).ZExt(ir.I32)
	switch mask {
	case 1:
		return w
	case 2:
		return w.Shl(l.I32(16))
	}
	return w.Or(w.Shl(l.I32(16)))
}

// third makes a meaning of phase 2 from a function of two floats: IS3 and FTE.
func third(f func(a, b V) V) isa.Effect {
	return func(l *isa.Lift) {
		st := data(l)
		a := modified(l, st.selected(l, 3), 0)
		l.Dst(0, f(a, modified(l, st.feedThrough(l), 1)))
	}
}

// topChange is the number of the highest bit that differs from the sign bit, -1 if there is none.
func topChange(v V) V { return topBit(v.Xor(v.ShrS(v.K(31)))) }

// leadingZeros is the number of zeros above the highest set bit, -1 if no bit is set.
func leadingZeros(v V) V { return v.Eq(v.K(0)).Select(v.K(0xffffffff), v.Clz()) }

// tessellate writes a word to an output of the tessellator, by number.
func tessellate(l *isa.Lift) {
	v := data(l).output(l, int(l.In.Get(nameSink)))
	l.Set(ir.Cell{File: FileVo, Index: uint16(l.In.Get(nameImm))}, v, mask(l))
}

// moveAside moves a source into w1 in phase 2.
func moveAside(source int) isa.Effect {
	return func(l *isa.Lift) {
		st := data(l)
		st.w[1] = st.source(l, source)
	}
}

// moveBoth moves a source into w0 and w1.
func moveBoth(source int) isa.Effect {
	return func(l *isa.Lift) {
		st := data(l)
		st.w[0], st.w[1] = st.source(l, source), st.source(l, source)
	}
}
