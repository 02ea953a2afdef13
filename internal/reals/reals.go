// Package reals represents floats of any format as exact numbers, for tests: they are rounded only when written in a
// format.
package reals

import (
	"math/big"
	"math/rand/v2"
)

// A Real is the exact value of a float: big.Float has signed zeros and infinities. nil is a NaN. Sums and products of
// three f32 are exact; those of wider formats need more bits.
type Real = *big.Float

// exactBits is enough for any sum of an f32 and a product of f32.
const exactBits = 800

// A Format is the encoding of floats: total bits, bits of the fraction, and the exponent bias.
type Format struct{ Bits, Mant, Bias int }

// Formats of IEEE 754.
var (
	Half   = Format{16, 10, 15}
	Single = Format{32, 23, 127}
)

// Top returns the exponent field of infinities.
func (f Format) Top() uint64 { return 1<<(f.Bits-1-f.Mant) - 1 }

// NaN returns the quiet NaN without a payload.
func (f Format) NaN() uint64 { return f.Top()<<f.Mant | 1<<(f.Mant-1) }

// IsNaN reports whether a pattern is a NaN.
func (f Format) IsNaN(p uint64) bool { return p&(1<<(f.Bits-1)-1) > f.Top()<<f.Mant }

// Read returns the value of a pattern.
func (f Format) Read(p uint64) Real {
	e, frac := p>>f.Mant&f.Top(), p&(1<<f.Mant-1)
	neg := p>>(f.Bits-1)&1 != 0
	x := New()
	switch {
	case e == f.Top() && frac != 0:
		return nil
	case e == f.Top():
		return x.SetInf(neg)
	case e == 0:
		e = 1
	default:
		frac |= 1 << f.Mant
	}
	x.SetUint64(frac)
	x.SetMantExp(x, int(e)-f.Bias-f.Mant)
	if neg {
		x.Neg(x)
	}
	return x
}

// New returns 0, with enough precision for exact results.
func New() Real { return new(big.Float).SetPrec(exactBits) }

// Of returns a number of the host, which must not be a NaN.
func Of(v float64) Real { return New().SetFloat64(v) }

// Whole returns an integer.
func Whole(v int64) Real { return New().SetInt64(v) }

// IsZero, IsInf and IsNeg are false for a NaN.
func IsZero(x Real) bool { return x != nil && x.Sign() == 0 }
func IsInf(x Real) bool  { return x != nil && x.IsInf() }
func IsNeg(x Real) bool  { return x != nil && x.Signbit() }

// Scaled returns x * 2^e.
func Scaled(x Real, e int) Real {
	if x == nil {
		return nil
	}
	return New().SetMantExp(x, e)
}

// Plus returns x + y without rounding; x - x is +0.
func Plus(x, y Real) Real {
	if x == nil || y == nil || IsInf(x) && IsInf(y) && IsNeg(x) != IsNeg(y) {
		return nil
	}
	return New().Add(x, y)
}

// Times returns x * y without rounding.
func Times(x, y Real) Real {
	if x == nil || y == nil || IsInf(x) && IsZero(y) || IsZero(x) && IsInf(y) {
		return nil
	}
	return New().Mul(x, y)
}

// Integer rounds a number to an integer; a zero keeps the sign.
func Integer(x Real, mode big.RoundingMode) Real {
	if x == nil || IsInf(x) || IsZero(x) {
		return x
	}
	n, _ := x.Int(nil) // toward zero
	rest := New().Sub(x, New().SetInt(n))
	rest.Abs(rest)
	up := false
	switch tie := rest.Cmp(Of(0.5)); mode {
	case big.ToNearestEven:
		up = tie > 0 || tie == 0 && n.Bit(0) == 1
	case big.ToNearestAway:
		up = tie >= 0
	case big.ToPositiveInf:
		up = rest.Sign() > 0 && !IsNeg(x)
	case big.ToNegativeInf:
		up = rest.Sign() > 0 && IsNeg(x)
	}
	if up {
		n.Add(n, big.NewInt(int64(x.Sign())))
	}
	r := New().SetInt(n)
	if n.Sign() == 0 && IsNeg(x) {
		r.Neg(r)
	}
	return r
}

// Write rounds a value to a pattern, with subnormals.
func (f Format) Write(x Real, mode big.RoundingMode) uint64 {
	if x == nil {
		return f.NaN()
	}
	sign := uint64(0)
	if IsNeg(x) {
		sign = 1 << (f.Bits - 1)
	}
	switch {
	case IsInf(x):
		return sign | f.Top()<<f.Mant
	case IsZero(x):
		return sign
	}
	last := max(x.MantExp(nil)-1-f.Mant, 1-f.Bias-f.Mant) // exponent of the last place
	n, _ := Integer(Scaled(x, -last), mode).Int(nil)
	m := n.Abs(n).Uint64()
	if m == 2<<f.Mant {
		m, last = m/2, last+1
	}
	e := last + f.Mant + f.Bias
	switch {
	case e >= int(f.Top()): // too large
		if mode == big.ToZero || mode == big.ToPositiveInf && sign != 0 || mode == big.ToNegativeInf && sign == 0 {
			return sign | (f.Top()<<f.Mant - 1)
		}
		return sign | f.Top()<<f.Mant
	case m>>f.Mant == 0:
		return sign | m
	}
	return sign | uint64(e)<<f.Mant | m&(1<<f.Mant-1)
}

// Near rounds a value to a pattern, to nearest even.
func (f Format) Near(x Real) uint64 { return f.Write(x, big.ToNearestEven) }

// Edge returns a random pattern: one in three is a special one, the others mostly have an exponent near that of 1.
func (f Format) Edge(rnd *rand.Rand) uint64 {
	one, inf := uint64(f.Bias)<<f.Mant, f.Top()<<f.Mant
	special := []uint64{0, 0, 1, 2, 3, 1<<f.Mant - 1, 1 << f.Mant, 1<<f.Mant + 1, one, one, one + 1, one - 1, inf - 1, inf, inf, f.NaN(),
		inf | 1, inf | 1<<f.Mant - 1, one + 1<<f.Mant, one + 1<<(f.Mant-1), one - 1<<f.Mant, 1 << (f.Mant - 1)}
	sign := uint64(rnd.IntN(2)) << (f.Bits - 1)
	if rnd.IntN(3) == 0 {
		return sign | special[rnd.IntN(len(special))]
	}
	e := f.Bias + rnd.IntN(12) - 6
	if rnd.IntN(5) == 0 {
		e = rnd.IntN(int(f.Top()))
	}
	frac := rnd.Uint64() & (1<<f.Mant - 1)
	if rnd.IntN(2) == 0 {
		frac &= ^uint64(0) << rnd.IntN(f.Mant) // short fractions, so that ties occur
	}
	return sign | uint64(max(e, 0))<<f.Mant | frac
}

// EdgeInts are words at which instructions may go wrong.
var EdgeInts = []uint32{0, 1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 0x3f, 0x7f, 0x80, 0xff, 0x100, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x10000,
	0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xffff8000, 0xffffff80, 0xfffffffe, 0xffffffff,
	0x7fff8000, 0x80007fff, 0x3fffffe0, 0xffff0000, 0x7f80807f, 0x80ff0001, 0x01000100, 0xfe7f8001}

// EdgeInt returns a random word: every second one is a special one.
func EdgeInt(rnd *rand.Rand) uint32 {
	if rnd.IntN(2) == 0 {
		return EdgeInts[rnd.IntN(len(EdgeInts))]
	}
	return rnd.Uint32() >> rnd.UintN(32)
}
