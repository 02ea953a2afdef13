package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// The helpers of division: v_div_scale, v_div_fmas, v_div_fixup. docs/reference/gcn.md 7.3, with its correction of the
// vendor's text in case 4.

// A divFormat holds the constants of the three steps for a float format.
type divFormat struct {
	mant   int // bits of the fraction
	expMax int // biased exponent of infinity
	far    int // exponent distance from which div_scale scales
	scale  int // the power of two it scales by
	tiny   int // biased exponent of a numerator that is scaled up
	under  int // exponent distance from which div_fixup underflows
	nan    uint64
}

var divFormats = [...]divFormat{ // by bits
	16: {10, 0x1f, 0, 0, 0, -26, 0xfe00},
	32: {23, 0xff, 96, 64, 23, -150, 0xffc00000},
	64: {52, 0x7ff, 768, 128, 53, -1075, 0xfff8000000000000},
}

func formatOf(a V) divFormat { return divFormats[a.Type().Bits()] }

// exponent returns the biased exponent of a as i32.
func exponent(a V) V {
	f, n := formatOf(a), a.Type().Bits()
	i := a.As(ir.IntOf(n))
	e := i.ShrU(i.K(uint64(f.mant))).And(i.K(uint64(f.expMax)))
	return resize(e, ir.I32, false)
}

// Classes of a, by its bits.
func isNaN(a V) V  { return a.FUnord(a) }
func isZero(a V) V { i := a.FAbs().As(ir.IntOf(a.Type().Bits())); return i.Eq(i.K(0)) }
func isInf(a V) V {
	i := a.FAbs().As(ir.IntOf(a.Type().Bits()))
	return i.Eq(i.K(uint64(formatOf(a).expMax) << formatOf(a).mant))
}
func isDenorm(a V) V { return exponent(a).Eq(a.B().I32(0)).And(isZero(a).Not()) }

// divScale: a is the denominator b or the numerator c. The result is a, possibly scaled, and whether div_fmas scales
// back.
func divScale(a, b, c V) (V, V) {
	bld := a.B()
	defer bld.Float(bld.Mode() &^ (num.FlushIn | num.FlushOut))()
	f := formatOf(a)
	up := a.FLdexp(bld.I32(uint32(f.scale)))
	down := a.FLdexp(bld.I32(uint32(-f.scale)))
	eb, ec := exponent(b), exponent(c)
	isB := sameBits(a, b)
	isC := sameBits(a, c)
	zero := isZero(b).Or(isZero(c))
	far := bld.I32(uint32(f.far)).SLe(ec.Sub(eb))
	recipDenorm := bld.I32(uint32(f.expMax - 2)).SLe(eb).And(eb.SLt(bld.I32(uint32(f.expMax))))
	quotDenorm := quotientDenormal(b, c)
	small := ec.SLe(bld.I32(uint32(f.tiny)))

	nan := bld.Const(a.Type(), uint64(f.expMax)<<f.mant|1<<(f.mant-1))
	r := small.Select(up, a)
	r = quotDenorm.Select(isC.Select(up, a), r)
	r = recipDenorm.Select(down, r)
	r = recipDenorm.And(quotDenorm).Select(isB.Select(down, a), r)
	r = isDenorm(b).Select(up, r)
	r = far.Select(isB.Select(up, a), r)
	r = zero.Select(nan, r)
	flag := far.Or(isDenorm(b).Not().And(quotDenorm)).And(zero.Not())
	return r, flag
}

func sameBits(a, b V) V {
	t := ir.IntOf(a.Type().Bits())
	return a.As(t).Eq(b.As(t))
}

// quotientDenormal reports whether c/b, rounded, is denormal and not zero.
func quotientDenormal(b, c V) V {
	defer b.B().Float(num.ModeSet | num.RNE)()
	return isDenorm(c.FDiv(b))
}

// divFmas is fma(a, b, c), scaled back in lanes with VCC set: up if |c| >= 2, else down.
func divFmas(l *isa.Lift) {
	a, b, c := l.Src(0), l.Src(1), l.Src(2)
	vcc := scalar(l, codeVCC, 2).Lanes()
	f := formatOf(a)
	r := a.Fma(b, c)
	large := l.I32(uint32(f.expMax / 2)).SLt(exponent(c))
	n := large.Select(l.I32(uint32(f.scale)), l.I32(uint32(-f.scale)))
	l.Dst(0, vcc.Select(r.FLdexp(n), r))
}

// divFixup handles the special cases: a is the refined quotient, b the denominator, c the numerator.
func divFixup(a, b, c V) V {
	f, n := formatOf(a), a.Type().Bits()
	bld := a.B()
	t := ir.IntOf(n)
	k := func(x uint64) V { return bld.Const(t, x) }
	sign := b.As(t).Xor(c.As(t)).And(k(1 << (n - 1)))
	signed := func(mag V) V { return mag.As(t).Or(sign).As(a.Type()) }
	zero, inf := k(0), k(uint64(f.expMax)<<f.mant)
	quiet := func(x V) V { return x.As(t).Or(k(1 << (f.mant - 1))).As(a.Type()) }

	under := exponent(c).Sub(exponent(b)).SLt(bld.I32(uint32(f.under)))
	r := signed(a.FAbs())
	r = isNaN(a).Select(signed(inf), r)
	r = under.Select(signed(zero), r)
	r = isInf(b).Or(isZero(c)).Select(signed(zero), r)
	r = isZero(b).Or(isInf(c)).Select(signed(inf), r)
	invalid := isZero(b).And(isZero(c)).Or(isInf(b).And(isInf(c)))
	r = invalid.Select(bld.Const(a.Type(), f.nan), r)
	r = isNaN(b).Select(quiet(b), r)
	return isNaN(c).Select(quiet(c), r)
}
