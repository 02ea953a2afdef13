package teslarun

import (
	"math/big"
)

// An exact is the value of a float: a NaN, an infinity, or m * 2^e without any rounding. Zeros have a sign.
type exact struct {
	nan, inf, neg bool
	m             *big.Int // the magnitude; nil for NaN and infinity
	e             int
}

// A format is the encoding of floats.
type format struct{ bits, mant, bias int }

var (
	half   = format{16, 10, 15}
	single = format{32, 23, 127}
	double = format{64, 52, 1023}
)

// Rounding modes by their codes in instructions.
const (
	rn = iota
	rm
	rp
	rz
)

func (f format) top() uint64 { return 1<<(f.bits-1-f.mant) - 1 }

// read returns the value of a pattern.
func (f format) read(p uint64) exact {
	e, frac := p>>f.mant&f.top(), p&(1<<f.mant-1)
	x := exact{neg: p>>(f.bits-1)&1 != 0}
	switch {
	case e == f.top() && frac != 0:
		x.nan = true
		return x
	case e == f.top():
		x.inf = true
		return x
	case e == 0:
		e = 1
	default:
		frac |= 1 << f.mant
	}
	x.m, x.e = new(big.Int).SetUint64(frac), int(e)-f.bias-f.mant
	return x
}

// flushed returns the value of a pattern with denormals as zeros.
func (f format) flushed(p uint64) exact {
	if p>>f.mant&f.top() == 0 {
		p &= 1 << (f.bits - 1)
	}
	return f.read(p)
}

func (x exact) zero() bool { return x.m != nil && x.m.Sign() == 0 }

// number returns an integer as a value.
func number(n *big.Int, negZero bool) exact {
	return exact{neg: n.Sign() < 0 || n.Sign() == 0 && negZero, m: new(big.Int).Abs(n)}
}

func (x exact) negate(when bool) exact { x.neg = x.neg != when; return x }

func (x exact) times(y exact) exact {
	neg := x.neg != y.neg
	switch {
	case x.nan || y.nan || x.inf && y.zero() || y.inf && x.zero():
		return exact{nan: true}
	case x.inf || y.inf:
		return exact{inf: true, neg: neg}
	}
	return exact{neg: neg, m: new(big.Int).Mul(x.m, y.m), e: x.e + y.e}
}

// plus adds. negZero is the sign of x + -x.
func (x exact) plus(y exact, negZero bool) exact {
	switch {
	case x.nan || y.nan || x.inf && y.inf && x.neg != y.neg:
		return exact{nan: true}
	case x.inf:
		return x
	case y.inf:
		return y
	case x.zero() && y.zero() && x.neg == y.neg:
		return x
	}
	e := min(x.e, y.e)
	sum := new(big.Int).Add(x.at(e), y.at(e))
	return exact{neg: sum.Sign() < 0 || sum.Sign() == 0 && negZero, m: sum.Abs(sum), e: e}
}

// at returns the number in units of 2^e; e must not be above its own exponent.
func (x exact) at(e int) *big.Int {
	n := new(big.Int).Lsh(x.m, uint(x.e-e))
	if x.neg {
		n.Neg(n)
	}
	return n
}

// to rounds to a multiple of 2^e.
func (x exact) to(e, mode int) exact {
	if x.m == nil || x.e >= e {
		return x
	}
	k := uint(e - x.e)
	n := new(big.Int).Rsh(x.m, k)
	rest := new(big.Int).Sub(x.m, new(big.Int).Lsh(n, k))
	tie := rest.Cmp(new(big.Int).Lsh(big.NewInt(1), k-1))
	up := false
	switch mode {
	case rn:
		up = tie > 0 || tie == 0 && n.Bit(0) == 1
	case rm:
		up = x.neg && rest.Sign() > 0
	case rp:
		up = !x.neg && rest.Sign() > 0
	}
	if up {
		n.Add(n, big.NewInt(1))
	}
	return exact{neg: x.neg, m: n, e: e}
}

// high returns the exponent of the highest bit, plus one.
func (x exact) high() int { return x.m.BitLen() + x.e }

// cut rounds to so many significant bits, with unlimited exponents.
func (x exact) cut(bits, mode int) exact {
	if x.m == nil || x.m.BitLen() <= bits {
		return x
	}
	return x.to(x.high()-bits, mode)
}

// least returns the exponent of the last place of denormals.
func (f format) least() int { return 1 - f.bias - f.mant }

// write rounds a value to a pattern, with denormals. nan is the result for NaN.
func (f format) write(x exact, mode int, nan uint64) uint64 {
	sign := uint64(0)
	if x.neg {
		sign = 1 << (f.bits - 1)
	}
	switch {
	case x.nan:
		return nan
	case x.inf:
		return sign | f.top()<<f.mant
	case x.zero():
		return sign
	}
	x = x.to(max(x.high()-1-f.mant, f.least()), mode)
	if x.zero() {
		return sign
	}
	if x.high()-1 > f.bias {
		if mode == rz || mode == rp && x.neg || mode == rm && !x.neg {
			return sign | (f.top()<<f.mant - 1)
		}
		return sign | f.top()<<f.mant
	}
	last := max(x.high()-1-f.mant, f.least())
	m := new(big.Int).Set(x.m)
	if x.e >= last {
		m.Lsh(m, uint(x.e-last))
	} else {
		m.Rsh(m, uint(last-x.e)) // zeros: it was rounded
	}
	if p := m.Uint64(); p>>f.mant == 0 {
		return sign | p
	}
	return sign | uint64(last+f.mant+f.bias)<<f.mant | m.Uint64()&(1<<f.mant-1)
}

// less compares values other than NaN; -0 equals 0.
func less(x, y exact) bool {
	switch {
	case x.inf && y.inf:
		return x.neg && !y.neg
	case x.inf:
		return x.neg
	case y.inf:
		return !y.neg
	}
	e := min(x.e, y.e)
	return x.at(e).Cmp(y.at(e)) < 0
}

// integer rounds a finite value to an integer.
func (x exact) integer(mode int) *big.Int {
	x = x.to(0, mode)
	return x.at(0)
}
