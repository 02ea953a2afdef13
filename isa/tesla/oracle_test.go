package tesla

import (
	"cmp"
	"math/big"
)

// Floats as exact rational numbers, by docs/reference/tesla.md 7.

// Roundings as instructions number them.
const (
	toNearest = iota
	toDown
	toUp
	toZero
)

// A real is the value of a float: NaN, an infinity, or r; neg is its sign, of a zero too.
type real struct {
	nan, inf, neg bool
	r             *big.Rat
}

func (x real) zero() bool { return !x.nan && !x.inf && x.r.Sign() == 0 }

// minus has the other sign.
func (x real) minus() real {
	x.neg = !x.neg
	if x.r != nil {
		x.r = new(big.Rat).Neg(x.r)
	}
	return x
}

// A format is bits of the fraction and the exponent of the least normal number.
type format struct{ m, emin int }

var formats = map[int]format{16: {10, -14}, 32: {23, -126}, 64: {52, -1022}}

// realOf is the value of n bits; denormals count if they are kept.
func realOf(n int, a uint64, denormals bool) real {
	f := formats[n]
	x := real{neg: a>>(n-1)&1 != 0}
	frac, exp := a&(1<<f.m-1), int(a<<(65-n)>>(65-n)>>f.m)
	switch {
	case exp == 3-2*f.emin:
		x.nan, x.inf = frac != 0, frac == 0
		return x
	case exp == 0 && !denormals:
		frac = 0
	case exp == 0:
		exp = 1
	default:
		frac |= 1 << f.m
	}
	x.r = scaled(new(big.Rat).SetInt(new(big.Int).SetUint64(frac)), exp-1+f.emin-f.m)
	if x.neg {
		x.r.Neg(x.r)
	}
	return x
}

// scaled is x * 2^e.
func scaled(x *big.Rat, e int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if e < 0 {
		p.Inv(p)
	}
	return p.Mul(p, x)
}

// exponent is the e with 2^e <= |x| < 2^(e+1).
func exponent(x *big.Rat) int {
	e := x.Num().BitLen() - x.Denom().BitLen()
	if new(big.Rat).Abs(x).Cmp(scaled(big.NewRat(1, 1), e)) < 0 {
		e--
	}
	return e
}

// onGrid is |x| as a multiple of 2^grid, rounded.
func onGrid(x *big.Rat, grid, round int) *big.Int {
	q := scaled(new(big.Rat).Abs(x), -grid)
	k, rest := new(big.Int).QuoRem(q.Num(), q.Denom(), new(big.Int))
	half := new(big.Int).Lsh(rest, 1).Cmp(q.Denom())
	if rest.Sign() != 0 && (round == toNearest && (half > 0 || half == 0 && k.Bit(0) == 1) || round == toUp && x.Sign() > 0 || round == toDown && x.Sign() < 0) {
		k.Add(k, big.NewInt(1))
	}
	return k
}

// The treatment of numbers below the normal ones.
const (
	kept      = iota // denormals
	flushed          // zeros, in place of denormals
	unbounded        // zeros, if the number with an unbounded exponent is below
)

// bitsOf is x, no NaN, rounded to n bits.
func bitsOf(n, round, small int, x real) uint64 {
	f := formats[n]
	sign, inf := flagOf(x.neg)<<(n-1), uint64(3-2*f.emin)<<f.m
	if x.inf {
		return sign | inf
	}
	if x.r.Sign() == 0 {
		return sign
	}
	grid := max(exponent(x.r), f.emin) - f.m
	if small == unbounded {
		grid = exponent(x.r) - f.m
	}
	k := onGrid(x.r, grid, round)
	v := scaled(new(big.Rat).SetInt(k), grid)
	switch e := exponent(v); {
	case v.Sign() == 0:
		return sign
	case e < f.emin && small != kept:
		return sign
	case e < f.emin:
		return sign | k.Uint64()
	case e > -f.emin+1:
		if round == toZero || round == toDown && !x.neg || round == toUp && x.neg {
			return sign | (inf - 1)
		}
		return sign | inf
	default:
		frac := scaled(v, f.m-e).Num().Uint64()
		return sign | uint64(e-f.emin)<<f.m + frac
	}
}

// sumOf is x+y exactly, neither a NaN; invalid if there is none. A sum that is 0 of others than zeros is minus if so.
func sumOf(x, y real, minus bool) (s real, invalid bool) {
	switch {
	case x.inf && y.inf && x.neg != y.neg:
		return s, true
	case x.inf:
		return x, false
	case y.inf:
		return y, false
	}
	s.r = new(big.Rat).Add(x.r, y.r)
	s.neg = s.r.Sign() < 0
	if s.r.Sign() == 0 {
		s.neg = x.neg && y.neg || minus && x.neg != y.neg || minus && !x.zero()
	}
	return s, false
}

// productOf is x*y exactly, neither a NaN.
func productOf(x, y real) (p real, invalid bool) {
	p.neg = x.neg != y.neg
	switch {
	case x.inf && y.zero() || x.zero() && y.inf:
		return p, true
	case x.inf || y.inf:
		p.inf = true
		return p, false
	}
	p.r = new(big.Rat).Mul(x.r, y.r)
	return p, false
}

// order is -1, 0 or 1 as x and y compare; neither is a NaN.
func order(x, y real) int {
	rank := func(x real) int {
		if !x.inf {
			return 0
		}
		return 1 - 2*int(flagOf(x.neg))
	}
	if x.inf || y.inf {
		return cmp.Compare(rank(x), rank(y))
	}
	return x.r.Cmp(y.r)
}

// floatSigns are the flags of n bits as a float.
func floatSigns(n int, v uint64, denormals bool) (cc uint64) {
	x := realOf(n, v, denormals)
	if x.nan || x.zero() {
		cc = ccZ
	}
	if x.nan || x.neg && !x.zero() {
		cc |= ccS
	}
	return cc
}

// f32NaN is the only NaN that instructions on f32 make.
const f32NaN = 0x7fffffff

// saturatedBits is v in [0, 1].
func saturatedBits(v uint64, nan uint64) uint64 {
	x := realOf(32, v, true)
	switch {
	case x.nan:
		return nan
	case x.neg:
		return 0
	case x.inf || x.r.Cmp(big.NewRat(1, 1)) > 0:
		return 0x3f800000
	}
	return v
}
