package num

// FFloor is the greatest integer not above a. -0, Inf pass; a fraction in (0, 1) gives +0.
func FFloor(n int, m Mode, a uint64) uint64 { return integral(n, m, RDown, a) }

// FCeil is the least integer not below a. -0, Inf pass; a fraction in (-1, 0) gives -0.
func FCeil(n int, m Mode, a uint64) uint64 { return integral(n, m, RUp, a) }

// FTrunc is a without its fraction. The sign stays, of a zero too.
func FTrunc(n int, m Mode, a uint64) uint64 { return integral(n, m, RZ, a) }

// FRndne is the integer nearest to a, the even one of two. The sign stays, of a zero too. The mode's rounding is
// ignored.
func FRndne(n int, m Mode, a uint64) uint64 { return integral(n, m, RNE, a) }

// integral rounds a to an integer; only the flush and NaN rules of m are used.
func integral(n int, m, round Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	a = f.flushIn(m, a)
	e := int32(a&f.inf>>f.mant) - 1 + f.emin
	if e >= int32(f.mant) || a&f.abs == 0 {
		return a
	}
	away := round == RUp && a&f.sign == 0 || round == RDown && a&f.sign != 0
	if e < 0 {
		if away || round == RNE && a&f.abs > f.one()-1<<f.mant {
			return a&f.sign | f.one()
		}
		return a & f.sign
	}
	// A carry out of the significand increments the exponent, as it should. The last bit of an exponent field of 1
	// to 2 is set, so it replaces the implicit bit in the test for ties.
	drop := uint(int32(f.mant) - e)
	frac := uint64(1)<<drop - 1
	switch {
	case away:
		a += frac
	case round == RNE:
		a += frac>>1 + a>>drop&1
	}
	return a &^ frac
}

// FFract is a - FFloor(a), clamped below 1. It is not negative: a tiny negative a gives the
// largest number below 1. An integer gives +0 (-0 under RDown); Inf is invalid.
func FFract(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	r := FSub(n, m, a, FFloor(n, m, a))
	if !f.isNaN(r) && f.order(r) >= int64(f.one()) {
		return f.one() - 1
	}
	return r
}

// FLdexp is a * 2^e, rounded once; e is a signed 32-bit number.
func FLdexp(n int, m Mode, a, e uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	p := f.unpack(m, a)
	if f.isInf(a) || p.sig == 0 {
		return a & (f.sign | f.inf)
	}
	// More than twice the exponent range makes no difference.
	p.exp += max(min(int32(uint32(e)), 4*binary64.emax), -4*binary64.emax)
	return f.round(m, p, false)
}

// FFrexpMant is the m of a = m * 2^e with |m| in [0.5, 1). Zeros and Inf pass.
func FFrexpMant(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	p := f.unpack(m, a)
	if f.isInf(a) || p.sig == 0 {
		return a & (f.sign | f.inf)
	}
	p.exp = -1
	return f.round(m, p, false)
}

// FFrexpExp is the e of a = m * 2^e with |m| in [0.5, 1), as a signed 32-bit number; 0 for
// zeros, Inf and NaN.
func FFrexpExp(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	p := f.unpack(m, a)
	if a&f.inf == f.inf || p.sig == 0 {
		return 0
	}
	return uint64(uint32(p.exp + 1))
}
