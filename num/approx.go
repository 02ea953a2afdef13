package num

import "math/bits"

// FRcp is 1/a, correctly rounded. A zero gives Inf of its sign, Inf a zero of its sign.
func FRcp(n int, m Mode, a uint64) uint64 {
	// The NaN rules see one operand: 1 is no NaN.
	return FDiv(n, m, formatOf(n).one(), a)
}

// FRsq is 1/sqrt(a), correctly rounded. A zero gives Inf of its sign, +Inf gives +0; a number
// below zero is invalid.
func FRsq(n int, m Mode, a uint64) uint64 {
	if r, ok := hostRsq(n, m, a); ok {
		return r
	}
	return softRsq(n, m, a)
}

// softRsq is FRsq without the shortcut.
func softRsq(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	p := f.unpack(m, a)
	switch {
	case p.sig == 0:
		return f.infinity(p.neg)
	case p.neg:
		return f.invalid(m)
	case f.isInf(a):
		return 0
	}
	if p.sig == 1<<63 && p.exp&1 == 0 {
		return f.round(m, parts{1 << 63, -p.exp / 2, false}, false)
	}
	// With a = s * 2^(2k), s in [1, 4): 2^128/s has 127 or 128 bits, its root 64.
	top := uint64(1) << 63
	if p.exp&1 != 0 {
		top = 1 << 62
	}
	hi, rem := bits.Div64(top, 0, p.sig)
	lo, rem := bits.Div64(rem, 0, p.sig)
	root, rest := sqrt128(hi, lo)
	return f.round(m, parts{root, -(p.exp >> 1) - 1, false}, rest || rem != 0)
}

// FExp2 is 2^a, correctly rounded. -Inf gives +0.
func FExp2(n int, m Mode, a uint64) uint64 {
	if r, ok := hostExp2(n, m, a); ok {
		return r
	}
	return softExp2(n, m, a)
}

// softExp2 is FExp2 without the shortcut.
func softExp2(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	p := f.unpack(m, a)
	switch {
	case p.sig == 0:
		return f.one()
	case f.isInf(a) && p.neg:
		return 0
	case f.isInf(a):
		return a
	case p.exp < -64:
		return f.roundNear(m, parts{1 << 63, 0, false}, !p.neg)
	case p.exp < 0:
		return f.roundReal(m, p, exp2Real)
	}
	e := int32(p.sig >> (63 - min(p.exp, 12)))
	if p.neg {
		e = -e
	}
	switch {
	case e > f.emax, e < f.emin-int32(f.mant)-2: // too large, or below half the smallest denormal
		return f.round(m, parts{1 << 63, e, false}, true)
	case p.sig<<(p.exp+1) == 0:
		return f.round(m, parts{1 << 63, e, false}, false)
	}
	return f.roundReal(m, p, exp2Real)
}

// FLog2 is the base-2 logarithm of a, correctly rounded. A zero of either sign gives -Inf,
// 1 gives +0; a number below zero is invalid.
func FLog2(n int, m Mode, a uint64) uint64 {
	if r, ok := hostLog2(n, m, a); ok {
		return r
	}
	return softLog2(n, m, a)
}

// softLog2 is FLog2 without the shortcut.
func softLog2(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	p := f.unpack(m, a)
	switch {
	case p.sig == 0:
		return f.infinity(true)
	case p.neg:
		return f.invalid(m)
	case f.isInf(a):
		return a
	case p.sig == 1<<63:
		return SToF(32, f.width, m, uint64(uint32(p.exp)))
	}
	return f.roundReal(m, p, log2Real)
}

// FSinRev is the sine of a revolutions, sin(2*pi*a), correctly rounded; the reduction is
// exact for any a. Where the sine is 0, it has the sign of a. Inf is invalid.
func FSinRev(n int, m Mode, a uint64) uint64 {
	if r, ok := hostSinRev(n, m, a); ok {
		return r
	}
	return softSinRev(n, m, a)
}

// softSinRev is FSinRev without the shortcut.
func softSinRev(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	if f.isInf(a) {
		return f.invalid(m)
	}
	p := f.unpack(m, a)
	quarter, r := reduceRev(p)
	if r.sig == 0 && quarter&1 == 0 {
		return f.zero(p.neg)
	}
	return f.sinCosRev(m, quarter, r)
}

// FCosRev is the cosine of a revolutions, cos(2*pi*a), correctly rounded; the reduction is
// exact for any a. Where the cosine is 0, it is +0. Inf is invalid.
func FCosRev(n int, m Mode, a uint64) uint64 {
	if r, ok := hostCosRev(n, m, a); ok {
		return r
	}
	return softCosRev(n, m, a)
}

// softCosRev is FCosRev without the shortcut.
func softCosRev(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	if f.isInf(a) {
		return f.invalid(m)
	}
	quarter, r := reduceRev(f.unpack(m, a))
	if r.sig == 0 && quarter&1 != 0 {
		return 0
	}
	return f.sinCosRev(m, quarter+1, r)
}

// sinCosRev is the sine of quarter/4 + r revolutions, |r| <= 1/8; it must not be 0.
func (f *format) sinCosRev(m Mode, quarter uint64, r parts) uint64 {
	neg := quarter&2 != 0
	if quarter&1 == 0 {
		r.neg = r.neg != neg
		return f.roundReal(m, r, sinRevReal)
	}
	one := parts{1 << 63, 0, neg}
	switch {
	case r.sig == 0:
		return f.round(m, one, false)
	case r.exp < -40:
		return f.roundNear(m, one, false)
	}
	r.neg = neg // the cosine is even: the sign of r carries the sign of the result
	return f.roundReal(m, r, cosRevReal)
}

// reduceRev splits p into quarter/4 + r, modulo 1, with |r| <= 1/8.
func reduceRev(p parts) (quarter uint64, r parts) {
	if p.sig == 0 || p.exp < -3 {
		return 0, p
	}
	var frac uint64 // |p| modulo 1, times 2^64; the low bits of a significand are 0
	if p.exp >= 0 {
		frac = p.sig << (p.exp + 1)
	} else {
		frac = p.sig >> (-p.exp - 1)
	}
	quarter = (frac + 1<<61) >> 62
	off := int64(frac - quarter<<62)
	if p.neg {
		quarter, off = -quarter, -off
	}
	if off == 0 {
		return quarter & 3, parts{}
	}
	r.neg = off < 0
	r.sig = uint64(max(off, -off))
	z := bits.LeadingZeros64(r.sig)
	r.sig <<= z
	r.exp = int32(-1 - z)
	return quarter & 3, r
}

// FSin is the sine of a radians, correctly rounded for any finite a. A zero passes; Inf is
// invalid.
func FSin(n int, m Mode, a uint64) uint64 {
	if r, ok := hostSin(n, m, a); ok {
		return r
	}
	return softSin(n, m, a)
}

// softSin is FSin without the shortcut.
func softSin(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	if f.isInf(a) {
		return f.invalid(m)
	}
	p := f.unpack(m, a)
	switch {
	case p.sig == 0:
		return f.zero(p.neg)
	case p.exp < -40: // a - a^3/6
		return f.roundNear(m, p, false)
	}
	return f.roundReal(m, p, sinReal)
}

// FCos is the cosine of a radians, correctly rounded for any finite a. Inf is invalid.
func FCos(n int, m Mode, a uint64) uint64 {
	if r, ok := hostCos(n, m, a); ok {
		return r
	}
	return softCos(n, m, a)
}

// softCos is FCos without the shortcut.
func softCos(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	if f.isInf(a) {
		return f.invalid(m)
	}
	p := f.unpack(m, a)
	switch {
	case p.sig == 0:
		return f.one()
	case p.exp < -40: // 1 - a^2/2
		return f.roundNear(m, parts{1 << 63, 0, false}, false)
	}
	return f.roundReal(m, p, cosReal)
}

// roundNear rounds a number whose relative difference to p is below 2^-64 and not 0. above says whether its
// magnitude is above that of p.
func (f *format) roundNear(m Mode, p parts, above bool) uint64 {
	if above {
		return f.round(m, p, true)
	}
	p.sig--
	if p.sig < 1<<63 {
		return f.round(m, parts{p.sig<<1 | 1, p.exp - 1, p.neg}, true)
	}
	return f.round(m, p, true)
}
