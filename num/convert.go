package num

import "math/bits"

// FCvt converts between float widths, rounding as the mode says. A NaN keeps the top bits of its payload, quieted,
// unless the rule is NaNCanon or NaNOnes. FlushIn applies to denormals of width from, FlushOut to those of width
// to.
func FCvt(from, to int, m Mode, a uint64) uint64 {
	f, g := formatOf(from), formatOf(to)
	if e := a & f.inf; e != 0 && e != f.inf && f.mant <= g.mant {
		// A normal number stays normal: only the positions of the fields and the bias differ.
		abs := a&f.abs<<(g.mant-f.mant) + uint64(f.emin-g.emin)<<g.mant
		return g.zero(a&f.sign != 0) | abs
	}
	if f.isNaN(a) {
		payload := a << (63 - f.mant) & (1<<63 - 1) >> (63 - g.mant)
		return g.nan1(m, g.zero(a&f.sign != 0)|g.inf|g.quiet|payload)
	}
	p := f.unpack(m, a)
	switch {
	case f.isInf(a):
		return g.infinity(p.neg)
	case p.sig == 0:
		return g.zero(p.neg)
	}
	return g.round(m, p, false)
}

// FToS is a, rounded to an integer as the mode says, as a signed number of to bits. Values out of range saturate; a
// NaN gives 0.
func FToS(from, to int, m Mode, a uint64) uint64 {
	f := formatOf(from)
	neg := a&f.sign != 0
	limit := mask(to) >> 1
	if neg {
		limit++
	}
	i := min(f.magnitude(m, a), limit)
	if neg {
		i = -i
	}
	return i & mask(to)
}

// FToU is a, rounded to an integer as the mode says, as an unsigned number of to bits. Values out of range
// saturate; a NaN gives 0.
func FToU(from, to int, m Mode, a uint64) uint64 {
	f := formatOf(from)
	if a&f.sign != 0 {
		return 0
	}
	return min(f.magnitude(m, a), mask(to))
}

// magnitude is |a| after a is rounded to an integer; 2^64-1 if that is too large, 0 for a NaN.
func (f *format) magnitude(m Mode, a uint64) uint64 {
	if f.isNaN(a) {
		return 0
	}
	p := f.unpack(m, a)
	switch {
	case p.exp > 63 || f.isInf(a):
		return ^uint64(0)
	case p.sig == 0:
		return 0
	case p.exp == 63:
		return p.sig
	}
	return roundShift(m, p.neg, p.sig, uint(63-p.exp), false)
}

// SToF is the signed number a of from bits, rounded to a float of width to. 0 gives +0.
func SToF(from, to int, m Mode, a uint64) uint64 {
	s := signed(from, a)
	if s < 0 {
		return formatOf(to).fromInt(m, true, -uint64(s))
	}
	return formatOf(to).fromInt(m, false, uint64(s))
}

// UToF is the unsigned number a of from bits, rounded to a float of width to. 0 gives +0.
func UToF(from, to int, m Mode, a uint64) uint64 {
	return formatOf(to).fromInt(m, false, a&mask(from))
}

// fromInt is the integer a, negated if neg, as a float.
func (f *format) fromInt(m Mode, neg bool, a uint64) uint64 {
	if a == 0 {
		return 0
	}
	z := bits.LeadingZeros64(a)
	return f.round(m, parts{a << z, int32(63 - z), neg}, false)
}
