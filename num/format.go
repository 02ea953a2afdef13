package num

import "math/bits"

// A format describes an IEEE binary interchange format.
type format struct {
	width int
	mant  uint   // bits of the stored significand
	emin  int32  // exponent of the smallest normal number
	emax  int32  // exponent of the largest
	sign  uint64 // the sign bit
	inf   uint64 // the exponent field; also +Inf
	abs   uint64 // all but the sign
	quiet uint64 // set in quiet NaNs: the top bit of the stored significand
}

var (
	binary16 = format{16, 10, -14, 15, 1 << 15, 0x7c00, 0x7fff, 1 << 9}
	binary32 = format{32, 23, -126, 127, 1 << 31, 0x7f800000, 0x7fffffff, 1 << 22}
	binary64 = format{64, 52, -1022, 1023, 1 << 63, 0x7ff0000000000000, 0x7fffffffffffffff, 1 << 51}
)

// formatOf takes the width of a float type; any other width counts as 64.
func formatOf(n int) *format {
	switch n {
	case 32:
		return &binary32
	case 16:
		return &binary16
	}
	return &binary64
}

// one is the bit pattern of 1.
func (f *format) one() uint64 { return f.inf >> 1 & f.inf }

func (f *format) isNaN(a uint64) bool  { return a&f.abs > f.inf }
func (f *format) isInf(a uint64) bool  { return a&f.abs == f.inf }
func (f *format) isZero(a uint64) bool { return a&f.abs == 0 }

// isSNaN reports whether a is a signalling NaN: without the quiet bit.
func (f *format) isSNaN(a uint64) bool { return f.isNaN(a) && a&f.quiet == 0 }

// flushIn returns the operand a after the mode's flush of operands.
func (f *format) flushIn(m Mode, a uint64) uint64 {
	if m&FlushIn != 0 && a&f.inf == 0 {
		return a & f.sign
	}
	return a
}

// flushOut is for results that need no rounding, such as one of the operands.
func (f *format) flushOut(m Mode, a uint64) uint64 {
	if m&FlushOut != 0 && a&f.inf == 0 {
		return a & f.sign
	}
	return a
}

// invalid is the result of an op such as 0*Inf that has no NaN operand.
func (f *format) invalid(m Mode) uint64 {
	switch {
	case m.NaN() == NaNCanon:
		return f.inf | f.quiet
	case m.NaN() == NaNOnes:
		return f.abs
	case m&NaNNegative != 0:
		return f.sign | f.inf | f.quiet
	}
	return f.inf | f.quiet
}

// nan1 is the result of an op whose only operand is the NaN a.
func (f *format) nan1(m Mode, a uint64) uint64 {
	switch m.NaN() {
	case NaNCanon, NaNOnes:
		return f.invalid(m)
	}
	return a | f.quiet
}

// nan2 is the result of an op on a and b, at least one of them a NaN.
func (f *format) nan2(m Mode, a, b uint64) uint64 {
	if m.NaN() == NaNSecond {
		a, b = b, a
	}
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	return f.nan1(m, b)
}

// nan3 is the result of an op on a, b and c, at least one of them a NaN.
func (f *format) nan3(m Mode, a, b, c uint64) uint64 {
	if m.NaN() == NaNSecond {
		a, b, c = b, c, a
	}
	switch {
	case f.isNaN(a):
		return f.nan1(m, a)
	case f.isNaN(b):
		return f.nan1(m, b)
	}
	return f.nan1(m, c)
}

// parts is a finite number: sig * 2^(exp-63), negated if neg. Bit 63 of sig is set, except
// that sig is 0 for zero.
type parts struct {
	sig uint64
	exp int32
	neg bool
}

// unpack splits a finite number into its parts, after the operand flush.
func (f *format) unpack(m Mode, a uint64) parts {
	neg := a&f.sign != 0
	e := int32(a & f.inf >> f.mant)
	frac := a << (63 - f.mant) & (1<<63 - 1)
	if e != 0 {
		return parts{1<<63 | frac, e - 1 + f.emin, neg}
	}
	if frac == 0 || m&FlushIn != 0 {
		return parts{0, 0, neg}
	}
	z := bits.LeadingZeros64(frac)
	return parts{frac << z, f.emin - int32(z), neg}
}

// zero is the zero with that sign.
func (f *format) zero(neg bool) uint64 {
	if neg {
		return f.sign
	}
	return 0
}

// infinity is the infinity with that sign.
func (f *format) infinity(neg bool) uint64 { return f.zero(neg) | f.inf }

// round packs p, whose bit 63 is set, into the nearest number the mode allows. rest says that the exact magnitude
// is above p.sig, by less than one unit of it.
func (f *format) round(m Mode, p parts, rest bool) uint64 {
	if p.exp > f.emax {
		return f.overflow(m, p.neg)
	}
	drop := 63 - f.mant // bits of sig below the result's last place
	exp := p.exp
	if exp < f.emin {
		if m&FlushOut != 0 && f.flushesTiny(m, p, rest) {
			return f.zero(p.neg)
		}
		drop += uint(f.emin-exp) & 0xffff
		exp = f.emin
	}
	// The implicit bit, if there, adds 1 to the exponent field; so does a carry.
	r := uint64(exp-f.emin)<<f.mant + roundShift(m, p.neg, p.sig, drop, rest)
	if r >= f.inf {
		return f.overflow(m, p.neg)
	}
	if r&f.inf == 0 && m&FlushOut != 0 {
		r = 0
	}
	return f.zero(p.neg) | r
}

// flushesTiny decides FlushOut for a number below the normal ones if the decision does not depend on the rounded
// result. If it returns false the rounded result decides.
func (f *format) flushesTiny(m Mode, p parts, rest bool) bool {
	if m&FlushBefore != 0 {
		return true
	}
	if m&FlushUnbounded == 0 {
		return false
	}
	// Only a carry out of a full significand reaches the smallest normal number.
	return p.exp < f.emin-1 || roundShift(m, p.neg, p.sig, 63-f.mant, rest) < 2<<f.mant
}

// roundShift is sig shifted right by drop, at least 1, and rounded to an integer as part of
// a number of the given sign. rest is as in round.
func roundShift(m Mode, neg bool, sig uint64, drop uint, rest bool) uint64 {
	var kept, lost uint64 // lost: the bits dropped, left-justified
	switch {
	case drop < 64:
		kept, lost = sig>>drop, sig<<(64-drop)
	case drop == 64:
		lost = sig
	default:
		lost, rest = 0, rest || sig != 0
	}
	if lost == 0 && !rest {
		return kept
	}
	switch m & roundMask {
	case RNE:
		if lost > 1<<63 || lost == 1<<63 && (rest || kept&1 != 0) {
			kept++
		}
	case RUp:
		if !neg {
			kept++
		}
	case RDown:
		if neg {
			kept++
		}
	}
	return kept
}

// overflow is the result if the exact one is beyond the largest finite number.
func (f *format) overflow(m Mode, neg bool) uint64 {
	switch r := m & roundMask; {
	case r == RZ, r == RUp && neg, r == RDown && !neg:
		return f.zero(neg) | f.inf - 1
	}
	return f.infinity(neg)
}

// roundWide is round for a significand of 128 bits, hi:lo * 2^(exp-127), not all zero and
// in any position.
func (f *format) roundWide(m Mode, neg bool, exp int32, hi, lo uint64, rest bool) uint64 {
	if hi == 0 {
		hi, lo, exp = lo, 0, exp-64
	}
	z := uint(bits.LeadingZeros64(hi))
	hi, lo, exp = hi<<z|lo>>(64-z), lo<<z, exp-int32(z)
	return f.round(m, parts{hi, exp, neg}, rest || lo != 0)
}
