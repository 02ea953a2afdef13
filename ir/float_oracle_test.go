package ir_test

import (
	"math/big"

	"github.com/heddle-gpu/heddle/num"
)

// Floats as exact rational numbers, rounded once at the end, by the definition of IEEE 754.

// A layout is a float format: exponent and mantissa bits.
type layout struct{ e, m int }

func layoutOf(n int) layout {
	return map[int]layout{16: {5, 10}, 32: {8, 23}, 64: {11, 52}}[n]
}

func (l layout) bias() int      { return 1<<(l.e-1) - 1 }
func (l layout) emin() int      { return 1 - l.bias() }
func (l layout) inf() uint64    { return (1<<l.e - 1) << l.m }
func (l layout) sign() uint64   { return 1 << (l.e + l.m) }
func (l layout) quiet() uint64  { return 1 << (l.m - 1) }
func (l layout) one() uint64    { return uint64(l.bias()) << l.m }
func (l layout) normal() uint64 { return 1 << l.m } // the smallest normal number

// A number is the value of a float: NaN, infinity, or r; neg is the sign, also of a zero.
type number struct {
	nan, inf, neg bool
	r             *big.Rat
}

func (x number) zero() bool { return !x.nan && !x.inf && x.r.Sign() == 0 }

func zeroOf(neg bool) number { return number{neg: neg, r: new(big.Rat)} }
func infOf(neg bool) number  { return number{neg: neg, inf: true} }

// real returns the number of a rational that is not 0, or +0.
func real(r *big.Rat) number { return number{neg: r.Sign() < 0, r: r} }

var invalid = number{nan: true}

// scaled is x * 2^e.
func scaled(x *big.Rat, e int) *big.Rat {
	f := new(big.Rat).SetInt(pow2(max(e, -e)))
	if e < 0 {
		f.Inv(f)
	}
	return f.Mul(f, x)
}

// decode is the number that a has in width n; denormals are zeros if the mode flushes operands.
func decode(n int, m num.Mode, a uint64) number {
	l := layoutOf(n)
	frac, exp := a&(l.normal()-1), int(a>>l.m)&(1<<l.e-1)
	x := number{neg: a&l.sign() != 0}
	switch {
	case exp == 1<<l.e-1:
		x.nan, x.inf = frac != 0, frac == 0
		return x
	case exp == 0 && m.Has(num.FlushIn):
		frac = 0
	case exp > 0:
		frac |= l.normal()
		exp--
	}
	x.r = scaled(new(big.Rat).SetInt(unsigned(frac)), exp+l.emin()-l.m)
	if x.neg {
		x.r.Neg(x.r)
	}
	return x
}

// log2 is the e with 2^e <= |x| < 2^(e+1).
func log2(x *big.Rat) int {
	e := x.Num().BitLen() - x.Denom().BitLen()
	if new(big.Rat).Abs(x).Cmp(scaled(big.NewRat(1, 1), e)) < 0 {
		e--
	}
	return e
}

// roundInt is x >= 0 rounded to an integer; neg is the sign of what is rounded.
func roundInt(x *big.Rat, mode num.Mode, neg bool) *big.Int {
	q, rem := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if rem.Sign() == 0 {
		return q
	}
	up := false
	switch mode.Round() {
	case num.RNE:
		half := rem.Lsh(rem, 1).Cmp(x.Denom())
		up = half > 0 || half == 0 && q.Bit(0) == 1
	case num.RUp:
		up = !neg
	case num.RDown:
		up = neg
	}
	if up {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// encode rounds x to width n, as the mode says; nan is the result for a NaN.
func encode(n int, m num.Mode, x number, nan uint64) uint64 {
	l := layoutOf(n)
	var sign uint64
	if x.neg {
		sign = l.sign()
	}
	switch {
	case x.nan:
		return nan
	case x.inf:
		return sign | l.inf()
	case x.r.Sign() == 0:
		return sign
	}
	abs := new(big.Rat).Abs(x.r)
	e := log2(abs)
	ulp := max(e, l.emin()) - l.m
	mant := roundInt(scaled(abs, -ulp), m, x.neg)
	if mant.BitLen() > l.m+1 {
		mant.Rsh(mant, 1)
		ulp++
	}
	if ulp+l.m > l.bias() { // greater than the largest number
		if r := m.Round(); r == num.RZ || r == num.RUp && x.neg || r == num.RDown && !x.neg {
			return sign | l.inf() - 1
		}
		return sign | l.inf()
	}
	if m.Has(num.FlushOut) && l.tiny(m, abs, mant, x.neg) {
		return sign
	}
	return sign | uint64(ulp-(l.emin()-l.m))<<l.m + mant.Uint64()
}

// tiny reports whether a result that is not zero counts as denormal.
func (l layout) tiny(m num.Mode, abs *big.Rat, mant *big.Int, neg bool) bool {
	smallest := scaled(big.NewRat(1, 1), l.emin())
	switch {
	case m.Has(num.FlushBefore):
		return abs.Cmp(smallest) < 0
	case m.Has(num.FlushUnbounded):
		ulp := log2(abs) - l.m
		return scaled(new(big.Rat).SetInt(roundInt(scaled(abs, -ulp), m, neg)), ulp).Cmp(smallest) < 0
	}
	return mant.BitLen() <= l.m
}

// defaultNaN is the result of an invalid operation.
func defaultNaN(n int, m num.Mode) uint64 {
	l := layoutOf(n)
	switch {
	case m.NaN() == num.NaNOnes:
		return l.sign() - 1
	case m.NaN() != num.NaNCanon && m.Has(num.NaNNegative):
		return l.sign() | l.inf() | l.quiet()
	}
	return l.inf() | l.quiet()
}

// chosenNaN returns the NaN among the operands that the mode's rule propagates, quieted.
func chosenNaN(n int, m num.Mode, a []uint64) (nan uint64, some bool) {
	order := append([]uint64{}, a...)
	if m.NaN() == num.NaNSecond {
		order = append(order[1:], order[0])
	}
	for _, x := range order {
		if decode(n, 0, x).nan {
			if r := m.NaN(); r == num.NaNCanon || r == num.NaNOnes {
				return defaultNaN(n, m), true
			}
			return x | layoutOf(n).quiet(), true
		}
	}
	return 0, false
}

// sqrtReal is the square root of x > 0: exact if it is rational, else a number that rounds like the root in every
// format: the midpoint between two neighbours of a grid finer than any format's.
func sqrtReal(x *big.Rat) *big.Rat {
	const k = 1300
	s := scaled(x, 2*k)
	root := new(big.Int).Sqrt(new(big.Int).Quo(s.Num(), s.Denom()))
	r := new(big.Rat).SetInt(root)
	if new(big.Rat).Mul(r, r).Cmp(s) != 0 {
		r.Add(r, big.NewRat(1, 2))
	}
	return scaled(r, -k)
}
