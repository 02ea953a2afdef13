package num

import "math/bits"

// FAdd is a+b. An exact sum of 0 from nonzero or opposite operands is +0, under RDown -0.
// Inf-Inf is invalid.
func FAdd(n int, m Mode, a, b uint64) uint64 {
	if r, ok := hostAdd(n, m, a, b); ok {
		return r
	}
	return softAdd(n, m, a, b)
}

// softAdd is FAdd without the shortcut.
func softAdd(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) || f.isNaN(b) {
		return f.nan2(m, a, b)
	}
	return f.add(m, a, b)
}

// FSub is a-b: FAdd of a and the negated b, except that a NaN b keeps its sign.
func FSub(n int, m Mode, a, b uint64) uint64 {
	if r, ok := hostSub(n, m, a, b); ok {
		return r
	}
	return softSub(n, m, a, b)
}

// softSub is FSub without the shortcut.
func softSub(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) || f.isNaN(b) {
		return f.nan2(m, a, b)
	}
	return f.add(m, a, b^f.sign)
}

// add is the sum of two operands that are not NaNs.
func (f *format) add(m Mode, a, b uint64) uint64 {
	switch {
	case f.isInf(a):
		if f.isInf(b) && a != b {
			return f.invalid(m)
		}
		return a
	case f.isInf(b):
		return b
	}
	p, q := f.unpack(m, a), f.unpack(m, b)
	switch {
	case p.sig == 0 && q.sig == 0:
		if p.neg == q.neg {
			return f.zero(p.neg)
		}
		return f.zero(m&roundMask == RDown)
	case p.sig == 0:
		return f.round(m, q, false)
	case q.sig == 0:
		return f.round(m, p, false)
	}
	return f.sum(m, p, q)
}

// sum is the sum of two numbers other than zero, of at most 53 bits each and any exponent.
func (f *format) sum(m Mode, p, q parts) uint64 {
	if p.exp < q.exp || p.exp == q.exp && p.sig < q.sig {
		p, q = q, p
	}
	// 53 bits of 64 are in use: one bit of headroom, and a sticky last bit for the bits shifted out.
	x, y := p.sig>>1, shiftJam(q.sig>>1, uint(p.exp-q.exp))
	if p.neg == q.neg {
		x += y
	} else if x -= y; x == 0 {
		return f.zero(m&roundMask == RDown)
	}
	z := bits.LeadingZeros64(x)
	return f.round(m, parts{x << z, p.exp + 1 - int32(z), p.neg}, false)
}

// shiftJam is a shifted right by c; the last bit is set if any one bit was lost.
func shiftJam(a uint64, c uint) uint64 {
	if c > 63 {
		return truth(a != 0)
	}
	return a>>c | truth(a&(1<<c-1) != 0)
}

// FMul is a*b. 0*Inf is invalid.
func FMul(n int, m Mode, a, b uint64) uint64 {
	if r, ok := hostMul(n, m, a, b); ok {
		return r
	}
	return softMul(n, m, a, b)
}

// softMul is FMul without the shortcut.
func softMul(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) || f.isNaN(b) {
		return f.nan2(m, a, b)
	}
	neg := (a^b)&f.sign != 0
	p, q := f.unpack(m, a), f.unpack(m, b) // for Inf, some number that is not 0
	if f.isInf(a) || f.isInf(b) {
		if p.sig == 0 || q.sig == 0 {
			return f.invalid(m)
		}
		return f.infinity(neg)
	}
	if p.sig == 0 || q.sig == 0 {
		return f.zero(neg)
	}
	hi, lo := bits.Mul64(p.sig, q.sig)
	return f.roundWide(m, neg, p.exp+q.exp+1, hi, lo, false)
}

// FMulZ is a*b, but +0 if either operand is a zero, even if the other is Inf or NaN: the
// "legacy" product. An operand that the mode flushes is a zero.
func FMulZ(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	if f.isZero(f.flushIn(m, a)) || f.isZero(f.flushIn(m, b)) {
		return 0
	}
	return FMul(n, m, a, b)
}

// FDiv is a/b. x/0 is Inf of the product of the signs; 0/0 and Inf/Inf are invalid.
func FDiv(n int, m Mode, a, b uint64) uint64 {
	if r, ok := hostDiv(n, m, a, b); ok {
		return r
	}
	return softDiv(n, m, a, b)
}

// softDiv is FDiv without the shortcut.
func softDiv(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) || f.isNaN(b) {
		return f.nan2(m, a, b)
	}
	neg := (a^b)&f.sign != 0
	switch {
	case f.isInf(a):
		if f.isInf(b) {
			return f.invalid(m)
		}
		return f.infinity(neg)
	case f.isInf(b):
		return f.zero(neg)
	}
	p, q := f.unpack(m, a), f.unpack(m, b)
	switch {
	case p.sig == 0 && q.sig == 0:
		return f.invalid(m)
	case q.sig == 0:
		return f.infinity(neg)
	case p.sig == 0:
		return f.zero(neg)
	}
	// (p.sig/2 << 64) / q.sig is below 2^64, and has at least 63 bits.
	quo, rem := bits.Div64(p.sig>>1, 0, q.sig)
	return f.roundWide(m, neg, p.exp-q.exp+64, 0, quo, rem != 0)
}

// FSqrt is the square root of a. -0 gives -0; a number below zero is invalid.
func FSqrt(n int, m Mode, a uint64) uint64 {
	if r, ok := hostSqrt(n, m, a); ok {
		return r
	}
	return softSqrt(n, m, a)
}

// softSqrt is FSqrt without the shortcut.
func softSqrt(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	p := f.unpack(m, a)
	switch {
	case p.sig == 0:
		return f.zero(p.neg)
	case p.neg:
		return f.invalid(m)
	case f.isInf(a):
		return a
	}
	// hi:lo = sig * 2^63, times 2 if the exponent is odd: its root has exactly 64 bits.
	hi, lo := p.sig>>1, p.sig<<63
	if p.exp&1 != 0 {
		hi, lo = p.sig, 0
	}
	root, rest := sqrt128(hi, lo)
	return f.round(m, parts{root, p.exp >> 1, false}, rest)
}

// sqrt128 is the integer square root of hi:lo, hi at least 2^62, and whether it is inexact.
func sqrt128(hi, lo uint64) (root uint64, rest bool) {
	// Newton's iteration decreases until it reaches the root.
	x := ^uint64(0)
	for hi < x {
		q, _ := bits.Div64(hi, lo, x)
		if q >= x {
			break
		}
		x = q + (x-q)>>1
	}
	sh, sl := bits.Mul64(x, x)
	return x, sh != hi || sl != lo
}

// FMA is a*b+c, rounded once. 0*Inf is invalid, as is Inf-Inf; a NaN operand, including c, has priority over both.
// An exact sum of 0 has its sign as in FAdd.
func FMA(n int, m Mode, a, b, c uint64) uint64 {
	if r, ok := hostFMA(n, m, a, b, c); ok {
		return r
	}
	return softFMA(n, m, a, b, c)
}

// softFMA is FMA without the shortcut.
func softFMA(n int, m Mode, a, b, c uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) || f.isNaN(b) || f.isNaN(c) {
		return f.nan3(m, a, b, c)
	}
	neg := (a^b)&f.sign != 0
	p, q, r := f.unpack(m, a), f.unpack(m, b), f.unpack(m, c)
	if f.isInf(a) || f.isInf(b) {
		if p.sig == 0 || q.sig == 0 || f.isInf(c) && neg != r.neg {
			return f.invalid(m)
		}
		return f.infinity(neg)
	}
	switch {
	case f.isInf(c):
		return c
	case p.sig == 0 || q.sig == 0:
		return f.add(m, f.zero(neg), c)
	case r.sig == 0:
		hi, lo := bits.Mul64(p.sig, q.sig)
		return f.roundWide(m, neg, p.exp+q.exp+1, hi, lo, false)
	}
	return f.mulAdd(m, p, q, r)
}

// mulAdd is p*q+r for numbers other than zero.
func (f *format) mulAdd(m Mode, p, q, r parts) uint64 {
	// Both terms as 128 bits with two of headroom. The product of two 53-bit numbers leaves room below it, so bits
	// shifted out may be collected in a sticky last bit.
	hi, lo := bits.Mul64(p.sig, q.sig)
	exp, neg := p.exp+q.exp+1, p.neg != q.neg
	lo, hi = hi<<62|lo>>2, hi>>2
	chi, clo := r.sig>>2, r.sig<<62
	if d := exp - r.exp; d >= 0 {
		chi, clo = shiftJam128(chi, clo, uint(d))
	} else {
		hi, lo = shiftJam128(hi, lo, uint(-d))
		exp = r.exp
	}
	exp += 2
	var carry uint64
	if neg == r.neg {
		lo, carry = bits.Add64(lo, clo, 0)
		hi += chi + carry
		return f.roundWide(m, neg, exp, hi, lo, false)
	}
	if hi < chi || hi == chi && lo < clo {
		hi, lo, chi, clo, neg = chi, clo, hi, lo, r.neg
	}
	lo, carry = bits.Sub64(lo, clo, 0)
	hi -= chi + carry
	if hi|lo == 0 {
		return f.zero(m&roundMask == RDown)
	}
	return f.roundWide(m, neg, exp, hi, lo, false)
}

// FMad is a*b+c in two steps: the product is truncated to the width's precision, whatever its exponent, and the sum
// is rounded once. If c is a zero nothing is truncated: it is FAdd of FMul and c. NaNs and infinities are as in
// FMA. FlushUnbounded applies to FMul only.
func FMad(n int, m Mode, a, b, c uint64) uint64 {
	f := formatOf(n)
	if f.isZero(f.flushIn(m, c)) {
		return FAdd(n, m, FMul(n, m, a, b), c)
	}
	m &^= FlushUnbounded
	if r, ok := hostMad(n, m, a, b, c); ok {
		return r
	}
	return f.mad(m, a, b, c)
}

// softMad is FMad without the shortcuts.
func softMad(n int, m Mode, a, b, c uint64) uint64 {
	f := formatOf(n)
	if f.isZero(f.flushIn(m, c)) {
		return softAdd(n, m, softMul(n, m, a, b), c)
	}
	return f.mad(m&^FlushUnbounded, a, b, c)
}

// mad is FMad where c is not zero.
func (f *format) mad(m Mode, a, b, c uint64) uint64 {
	if f.isNaN(a) || f.isNaN(b) || f.isNaN(c) {
		return f.nan3(m, a, b, c)
	}
	neg := (a^b)&f.sign != 0
	p, q, r := f.unpack(m, a), f.unpack(m, b), f.unpack(m, c)
	switch {
	case f.isInf(a) || f.isInf(b):
		if p.sig == 0 || q.sig == 0 || f.isInf(c) && neg != r.neg {
			return f.invalid(m)
		}
		return f.infinity(neg)
	case f.isInf(c):
		return c
	case p.sig == 0 || q.sig == 0:
		return f.round(m, r, false)
	}
	hi, lo := bits.Mul64(p.sig, q.sig)
	exp := p.exp + q.exp + 1
	if hi>>63 == 0 {
		hi, exp = hi<<1|lo>>63, exp-1
	}
	return f.sum(m, parts{hi &^ mask(int(63-f.mant)), exp, neg}, r)
}

// shiftJam128 is hi:lo shifted right by c; the last bit is set if any one bit was lost.
func shiftJam128(hi, lo uint64, c uint) (uint64, uint64) {
	switch {
	case c == 0:
		return hi, lo
	case c < 64:
		return hi >> c, hi<<(64-c) | lo>>c | truth(lo<<(64-c) != 0)
	case c < 128:
		lost := lo | hi<<(128-c)
		return 0, hi>>(c-64) | truth(lost != 0)
	}
	return 0, truth(hi|lo != 0)
}
