package valhall

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Floats. docs/reference/valhall.md 10.1.

func fadd(a, b V) V { return a.FAdd(b) }

// fextreme is the minimum or maximum; with nan_propagate a NaN if one source is a NaN.
func fextreme(f isa.Binary) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		a, b := l.Src(0), l.Src(1)
		v := f(a, b)
		if l.In.Get(nameNaNMode) != 0 {
			v = a.FUnord(b).Select(a.FAdd(b), v)
		}
		l.Dst(0, v)
	})
}

func fmin(a, b V) V   { return a.FMinNum(b).FCanon() } // if both are NaNs, the first may be signalling
func fmax(a, b V) V   { return a.FMaxNum(b).FCanon() }
func fma(a, b, c V) V { return a.Fma(b, c) }

// faddImm adds the constant after the source: one f32, or two f16.
func faddImm(l *isa.Lift) {
	a := l.Src(0)
	l.Dst(0, a.FAdd(l.Const(a.Type(), l.In.Get(nameImm))))
}

// f32Of and f64Of are float constants.
func f32Of(l *isa.Lift, x float32) V { return l.Const(ir.F32, uint64(math.Float32bits(x))) }
func f64Of(l *isa.Lift, x float64) V { return l.Const(ir.F64, math.Float64bits(x)) }

// eachHalf applies f to both halves of a word, as a type.
func eachHalf(a V, t ir.Type, f func(a V) V) V {
	lo, hi := a.As(ir.I32).Unpack(ir.I16)
	return f(lo.As(t)).As(ir.I16).Pack(f(hi.As(t)).As(ir.I16), ir.I32)
}

// rescaled is a * 2^b, rounded by the mnemonic's mode. f64 holds all results that are not far outside of the range.
func rescaled(l *isa.Lift, a, b V) V {
	if l.In.Get(nameRound) == roundAway {
		return away(a.FCvt(ir.F64).FLdexp(b), a.Type())
	}
	return a.FLdexp(b)
}

// ldexpSource is the first source of LDEXP. An option chooses whether bits 28 and 29 select halves of it, as in Mesa
// 24.1. whole is the swizzle that selects nothing: if the word has it, Mesa and Arm's table read the whole source.
func ldexpSource(l *isa.Lift, whole uint64) (a V, ok bool) {
	switch choice, swz := l.Option(optLdexpHalves), l.In.Opt(nameSwzA); {
	case choice == halvesAll, choice == halvesV9 && archOf(l.In) == firstArch:
		return l.Src(0), true
	case swz != 0 && swz != whole:
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": bits 28 and 29 say in Arm's table what becomes of infinities, and no source says how; option "+choiceLdexpHalves+" takes them for halves of the source")
		return a, false
	}
	return sourceWith(l, &rowOf(l.In).form.srcs[0], whole), true
}

func ldexp(l *isa.Lift) {
	if a, ok := ldexpSource(l, 0); ok {
		l.Dst(0, rescaled(l, a, l.Src(1)))
	}
}

func ldexpHalves(l *isa.Lift) {
	a, ok := ldexpSource(l, swz01)
	if !ok {
		return
	}
	x, y := a.As(ir.I32).Unpack(ir.I16)
	n, m := l.Src(1).As(ir.I32).Unpack(ir.I16)
	lo, hi := rescaled(l, x.As(ir.F16), n.SExt(ir.I32)), rescaled(l, y.As(ir.F16), m.SExt(ir.I32))
	l.Dst(0, lo.As(ir.I16).Pack(hi.As(ir.I16), ir.I32).As(ir.V2F16))
}

// Special modes of FMA_RSCALE: the product with a zero, and the width of the exponent.
const (
	scalePlain = iota
	scaleZero  // 0
	scaleLeft  // a
	scale16    // the exponent has 16 bits
)

// fmaRescale is a * b + c, rounded, then scaled by 2^d.
func fmaRescale(mode int, round num.Mode) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		defer l.Float(l.Builder.Mode().WithRound(round))()
		a, b, c, d := l.Src(0), l.Src(1), l.Src(2), l.Src(3)
		zero := f32Of(l, 0)
		empty := func() V { return a.FEq(zero).Or(b.FEq(zero)) }
		switch mode {
		case scaleZero: // also if the other factor is infinity or NaN
			none := empty()
			a, b = none.Select(zero, a), none.Select(zero, b)
		case scaleLeft:
			b = empty().Select(f32Of(l, 1), b)
		case scale16:
			d = d.Extract(0, ir.I16).SExt(ir.I32)
		}
		l.Dst(0, a.Fma(b, c).FLdexp(d))
	})
}

// How FREXP splits a number.
const (
	splitFraction = iota // m in [0.5, 1)
	splitRoot            // m in [0.25, 1), the exponent is a power of 4
	splitLog             // m in [0.75, 1.5)
)

// splitOf is how an instruction splits a number.
func splitOf(l *isa.Lift) int {
	log, root := l.In.Opt(nameLog) != 0, l.In.Opt(nameSqrt) != 0
	switch {
	case log && root:
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": log and sqrt together have no meaning")
	case log:
		return splitLog
	case root:
		return splitRoot
	}
	return splitFraction
}

// A split number is m * 2^e. For zeros, infinities and NaNs m is the number, and e is 0.
type split struct{ m, e V }

// splitUp splits a number so that m is in [0.5, 1) or in the range for logarithms; for a root, e is an exponent of 4.
func splitUp(a V, how int) split {
	p := split{a.FFrexpMant(), a.FFrexpExp()}
	one := p.e.K(1)
	switch how {
	case splitLog: // m below 0.75 is doubled: the bit after the leading one is 0
		bits, low, span := ir.I32, uint64(0x3f000000), uint64(0x400000)
		if a.Type() == ir.F16 {
			bits, low, span = ir.I16, 0x3800, 0x200
		}
		m := p.m.FAbs().As(bits)
		up := m.Sub(m.K(low)).ULt(m.K(span)).ZExt(ir.I32)
		return split{p.m.FLdexp(up), p.e.Sub(up)}
	case splitRoot: // m is halved if e is odd
		return split{p.m.FLdexp(p.e.And(one).Neg()), p.e.Add(one).ShrS(one)}
	}
	return p
}

func frexpm(l *isa.Lift) {
	how := splitOf(l)
	if a := l.Src(0); a.Type() == ir.F32 {
		l.Dst(0, splitUp(a, how).m)
	} else {
		l.Dst(0, eachHalf(a, ir.F16, func(a V) V { return splitUp(a, how).m }))
	}
}

func frexpe(l *isa.Lift) {
	how := splitOf(l)
	exponent := func(a V) V {
		e := splitUp(a, how).e
		if l.In.Get(nameNegResult) != 0 {
			e = e.Neg()
		}
		return e
	}
	if a := l.Src(0); a.Type() == ir.F32 {
		l.Dst(0, exponent(a))
	} else {
		l.Dst(0, eachHalf(a, ir.F16, func(a V) V { return exponent(a).Trunc(ir.I16) }))
	}
}

// floatBits are the bits of a format for flushing: its smallest normal number, infinity, and the quiet bit of NaNs.
type floatBits struct{ normal, inf, quiet uint64 }

// flushed is a with the flushing that the mnemonic names: subnormals, infinities, NaNs.
func (f floatBits) flushed(l *isa.Lift, a V) V {
	sign := a.K((f.inf | (f.normal - 1)) + 1)
	below, magnitude := a.And(sign), a.And(sign.Not())
	v := a
	if l.In.Get(nameFTZ) != 0 {
		v = magnitude.ULt(a.K(f.normal)).Select(below, v)
	}
	inf := a.K(f.inf)
	if l.In.Get(nameFlushInf) != 0 {
		v = magnitude.Eq(inf).Select(a.Sub(a.K(1)), v)
	}
	switch l.In.Get(nameFlushNaN) {
	case flushNaNZero:
		v = inf.ULt(magnitude).Select(a.K(0), v)
	case flushNaNQuiet:
		v = inf.ULt(magnitude).Select(a.Or(a.K(f.quiet)), v)
	}
	return v
}

// Values of FLUSH's NaN mode.
const (
	flushNaNZero  = 1
	flushNaNQuiet = 2
)

func flushed32(l *isa.Lift) {
	l.Dst(0, floatBits{leastNormal, infinity, 0x400000}.flushed(l, l.Src(0).As(ir.I32)))
}

func flushed16(l *isa.Lift) {
	l.Dst(0, floatBits{0x400, 0x7c00, 0x200}.flushed(l, l.Src(0).As(ir.V2I16)))
}
