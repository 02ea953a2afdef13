package gcnrun

import (
	"math/big"
)

// A real is the value of a float: a NaN, an infinity, or an exact number with the sign of its zero.
type real struct {
	nan, signaling, inf, neg bool
	x                        *big.Float // the magnitude; nil for NaN and infinity
}

// exactBits is enough for any sum or product of f64.
const exactBits = 4400

// real returns the value of a pattern; denormals are zeros if flush is set.
func (f floatType) real(p uint64, flush bool) real {
	top := uint64(1)<<(f.bits-1-f.mant) - 1
	e, frac := p>>f.mant&top, p&(1<<f.mant-1)
	r := real{neg: p>>(f.bits-1)&1 != 0}
	switch {
	case e == top && frac != 0:
		r.nan, r.signaling = true, frac>>(f.mant-1) == 0
	case e == top:
		r.inf = true
	default:
		if e == 0 {
			e = 1
			if flush {
				frac = 0
			}
		} else {
			frac |= 1 << f.mant
		}
		r.x = new(big.Float).SetPrec(exactBits).SetUint64(frac)
		r.x.SetMantExp(r.x, int(e)-f.bias-f.mant)
	}
	return r
}

func (r real) zero() bool { return r.x != nil && r.x.Sign() == 0 }

// signed returns the number with its sign.
func (r real) signed() *big.Float {
	if r.neg {
		return new(big.Float).Neg(r.x)
	}
	return r.x
}

// realOf returns a number; a zero has the sign given.
func realOf(x *big.Float, negZero bool) real {
	r := real{neg: x.Sign() < 0, x: new(big.Float).Abs(x)}
	if x.Sign() == 0 {
		r.neg = negZero
	}
	return r
}

func (r real) negate() real { r.neg = !r.neg; return r }

// times and plus are exact. down selects -0 for sums of zero, as rounding toward -infinity does.
func (r real) times(s real) real {
	neg := r.neg != s.neg
	switch {
	case r.nan || s.nan || r.inf && s.zero() || s.inf && r.zero():
		return real{nan: true}
	case r.inf || s.inf:
		return real{inf: true, neg: neg}
	}
	p := new(big.Float).SetPrec(exactBits).Mul(r.x, s.x)
	return real{neg: neg, x: p}
}

func (r real) plus(s real, down bool) real {
	switch {
	case r.nan || s.nan || r.inf && s.inf && r.neg != s.neg:
		return real{nan: true}
	case r.inf:
		return r
	case s.inf:
		return s
	}
	neg := down
	if r.zero() && s.zero() && r.neg == s.neg {
		neg = r.neg
	}
	return realOf(new(big.Float).SetPrec(exactBits).Add(r.signed(), s.signed()), neg)
}

// Rounding modes by their codes in MODE.
const (
	toNearest = iota
	toUp
	toDown
	toZero
)

// round rounds a value to a pattern of the format. odd reports an undocumented result, which is flushed or not
// depending on whether rounding comes first.
func (f floatType) round(r real, round uint32, flush bool) (p uint64, odd bool) {
	top := uint64(1)<<(f.bits-1-f.mant) - 1
	sign := uint64(0)
	if r.neg {
		sign = 1 << (f.bits - 1)
	}
	switch {
	case r.nan:
		return top<<f.mant | 1<<(f.mant-1), false
	case r.inf:
		return sign | top<<f.mant, false
	case r.zero():
		return sign, false
	}
	least := 1 - f.bias - f.mant // exponent of the last place of denormals
	last := max(r.x.MantExp(nil)-1-f.mant, least)
	scaled := new(big.Float).SetMantExp(r.x, -last)
	n, _ := scaled.Int(nil)
	rest := new(big.Float).SetPrec(exactBits).Sub(scaled, new(big.Float).SetInt(n))
	half := rest.Cmp(big.NewFloat(0.5))
	up := false
	switch round {
	case toNearest:
		up = half > 0 || half == 0 && n.Bit(0) == 1
	case toUp:
		up = rest.Sign() > 0 && !r.neg
	case toDown:
		up = rest.Sign() > 0 && r.neg
	}
	if up {
		n.Add(n, big.NewInt(1))
	}
	m := n.Uint64()
	small := r.x.MantExp(nil)-1 < 1-f.bias // below the normal numbers
	odd = flush && small && rest.Sign() != 0
	switch {
	case m == 0:
		return sign, odd
	case last == least && m < 1<<f.mant: // denormal
		if flush {
			return sign, odd
		}
		return sign | m, false
	case m == 1<<(f.mant+1):
		m, last = m>>1, last+1
	}
	e := uint64(last + f.mant + f.bias)
	if e >= top { // above the largest number
		if round == toZero || round == toUp && r.neg || round == toDown && !r.neg {
			return sign | (top<<f.mant - 1), false
		}
		return sign | top<<f.mant, false
	}
	return sign | e<<f.mant | m&(1<<f.mant-1), odd
}
