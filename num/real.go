package num

import "math/big"

// This file evaluates the functions that are not rational, to as many bits as correct rounding requires. It is
// slow, tens of microseconds, and decides every case that no shortcut does.

// A realFunc returns the value at p with a relative error below 2^-prec. It is called only where the value is
// neither a float nor midway between two, so that some precision suffices.
type realFunc func(p parts, prec uint) *big.Float

// maxPrec bounds the search. Hard cases of binary64 need about 120 bits; an answer forced
// at this bound would be one in 2^1900.
const maxPrec = 2048

// roundReal rounds the value of fn at p as the mode says.
func (f *format) roundReal(m Mode, p parts, fn realFunc) uint64 {
	for prec := uint(128); ; prec *= 2 {
		v := fn(p, prec)
		slack := new(big.Float).SetMantExp(big.NewFloat(1), v.MantExp(nil)-int(prec))
		lo := f.roundBig(m, new(big.Float).SetPrec(prec+64).Sub(v, slack))
		hi := f.roundBig(m, new(big.Float).SetPrec(prec+64).Add(v, slack))
		if lo == hi || prec >= maxPrec {
			return lo
		}
	}
}

// roundBig rounds v, which is not 0.
func (f *format) roundBig(m Mode, v *big.Float) uint64 {
	abs := new(big.Float).Abs(v)
	exp := abs.MantExp(nil)
	top := new(big.Float).SetPrec(64).SetMode(big.ToZero).Set(abs)
	rest := top.Cmp(abs) != 0
	sig, _ := top.SetMantExp(top, 64-exp).Uint64()
	return f.round(m, parts{sig, int32(exp - 1), v.Signbit()}, rest)
}

// real is p as a number of prec bits, at least 64: exactly.
func (p parts) real(prec uint) *big.Float {
	v := new(big.Float).SetPrec(prec).SetUint64(p.sig)
	v.SetMantExp(v, int(p.exp)-63)
	if p.neg {
		v.Neg(v)
	}
	return v
}

// guard is the number of extra bits carried. Sums here have at most a few hundred terms, each off by a few units in
// the last place.
const guard = 32

// inverseSeries is atan(1/k), or atanh(1/k), times 2^prec: the sum of (+-)1/(i*k^i), i odd.
func inverseSeries(k int64, atan bool, prec uint) *big.Int {
	power := new(big.Int).Lsh(big.NewInt(1), prec)
	power.Quo(power, big.NewInt(k))
	sum, term, square := new(big.Int), new(big.Int), big.NewInt(k*k)
	for i := int64(1); power.Sign() != 0; i += 2 {
		term.Quo(power, big.NewInt(i))
		if atan && i&2 != 0 {
			sum.Sub(sum, term)
		} else {
			sum.Add(sum, term)
		}
		power.Quo(power, square)
	}
	return sum
}

// combine is the sum of coefficient * series(k), as a number of prec bits.
func combine(atan bool, prec uint, terms ...[2]int64) *big.Float {
	sum := new(big.Int)
	for _, t := range terms {
		s := inverseSeries(t[1], atan, prec+guard)
		sum.Add(sum, s.Mul(s, big.NewInt(t[0])))
	}
	v := new(big.Float).SetPrec(prec).SetInt(sum)
	return v.SetMantExp(v, -int(prec+guard))
}

// pi to prec bits, by Machin's formula.
func pi(prec uint) *big.Float { return combine(true, prec, [2]int64{16, 5}, [2]int64{-4, 239}) }

// ln2 to prec bits.
func ln2(prec uint) *big.Float {
	return combine(false, prec, [2]int64{14, 31}, [2]int64{10, 49}, [2]int64{6, 161})
}

// taylor is first * (1 + x/(d*(d+1)) + x^2/(d*...*(d+3)) + ...), with two factors per term; with step 1, one factor
// per term. It is used for exp, sin and cos.
func taylor(first, x *big.Float, d, step int64) *big.Float {
	prec := x.Prec()
	sum := new(big.Float).SetPrec(prec).Set(first)
	term := new(big.Float).SetPrec(prec).Set(first)
	k := new(big.Float).SetPrec(prec)
	for end := sum.MantExp(nil) - int(prec); term.Sign() != 0 && term.MantExp(nil) >= end; d += step {
		term.Mul(term, x)
		for i := range step {
			term.Quo(term, k.SetInt64(d+i))
		}
		sum.Add(sum, term)
	}
	return sum
}

// sinSeries is sin(t), |t| < 1.
func sinSeries(t *big.Float) *big.Float {
	x := new(big.Float).SetPrec(t.Prec()).Mul(t, t)
	return taylor(t, x.Neg(x), 2, 2)
}

// cosSeries is cos(t), |t| < 1.
func cosSeries(t *big.Float) *big.Float {
	x := new(big.Float).SetPrec(t.Prec()).Mul(t, t)
	return taylor(big.NewFloat(1), x.Neg(x), 1, 2)
}

// nearest is the integer nearest to v, either one in a tie.
func nearest(v *big.Float) *big.Int {
	half := big.NewFloat(0.5)
	if v.Signbit() {
		half.Neg(half)
	}
	i, _ := new(big.Float).SetPrec(v.Prec()).Add(v, half).Int(nil)
	return i
}

// exp2Real is 2^p for |p| < 4096: 2^k * exp(r ln 2) with k an integer and |r| <= 1/2.
func exp2Real(p parts, prec uint) *big.Float {
	prec += guard
	x := p.real(prec)
	k := nearest(x)
	x.Sub(x, new(big.Float).SetInt(k))
	x.Mul(x, ln2(prec))
	v := taylor(big.NewFloat(1), x, 1, 1)
	return v.SetMantExp(v, int(k.Int64()))
}

// log2Real is log2(p) for positive p: k + 2 atanh(z)/ln 2, z = (s-1)/(s+1), p = s * 2^k.
// With s in [3/4, 3/2) the sum keeps its leading bits.
func log2Real(p parts, prec uint) *big.Float {
	prec += guard
	k := p.exp
	p.exp = 0
	if p.sig >= 3<<62 {
		p.exp = -1
		k++
	}
	s, one := p.real(prec), big.NewFloat(1)
	z := new(big.Float).SetPrec(prec).Sub(s, one)
	z.Quo(z, s.Add(s, one))
	square := new(big.Float).SetPrec(prec).Mul(z, z)
	sum := new(big.Float).SetPrec(prec)
	term := new(big.Float).SetPrec(prec)
	for i, end := int64(1), z.MantExp(nil)-int(prec); z.MantExp(nil) >= end; i += 2 {
		sum.Add(sum, term.Quo(z, new(big.Float).SetInt64(i)))
		z.Mul(z, square)
	}
	sum.Quo(sum, ln2(prec))
	sum.SetMantExp(sum, 1)
	return sum.Add(sum, new(big.Float).SetInt64(int64(k)))
}

// turn is 2*pi*|p|.
func turn(p parts, prec uint) *big.Float {
	p.neg = false
	p.exp++
	x := p.real(prec)
	return x.Mul(x, pi(prec))
}

// sinRevReal is sin(2*pi*p), |p| <= 1/8.
func sinRevReal(p parts, prec uint) *big.Float {
	return withSign(p.neg, sinSeries(turn(p, prec+guard)))
}

// cosRevReal is cos(2*pi*p), |p| <= 1/8, with the sign of p.
func cosRevReal(p parts, prec uint) *big.Float {
	return withSign(p.neg, cosSeries(turn(p, prec+guard)))
}

// withSign negates v if neg.
func withSign(neg bool, v *big.Float) *big.Float {
	if neg {
		v.Neg(v)
	}
	return v
}

// sinReal is sin(p), p in radians and not 0.
func sinReal(p parts, prec uint) *big.Float {
	quarter, r := reduceRadians(p, prec)
	return sinQuarter(quarter, r)
}

// cosReal is cos(p), p in radians and not 0.
func cosReal(p parts, prec uint) *big.Float {
	quarter, r := reduceRadians(p, prec)
	return sinQuarter(quarter+1, r)
}

// sinQuarter is sin(quarter*pi/2 + r), |r| < 1.
func sinQuarter(quarter uint64, r *big.Float) *big.Float {
	if quarter&1 != 0 {
		return withSign(quarter&2 != 0, cosSeries(r))
	}
	return withSign(quarter&2 != 0, sinSeries(r))
}

// reduceRadians splits p into quarter*pi/2 + r, |r| < 1, quarter modulo 4.
func reduceRadians(p parts, prec uint) (quarter uint64, r *big.Float) {
	prec += guard
	if p.exp < -1 {
		return 0, p.real(prec)
	}
	// r loses as many bits as the quotient has, and those by which it is smaller than 1: for binary64, 62 at most.
	wide := prec + uint(p.exp+1) + 80
	half := pi(wide)
	half.SetMantExp(half, -1)
	x := p.real(wide)
	q := nearest(new(big.Float).SetPrec(wide).Quo(x, half))
	x.Sub(x, half.Mul(half, new(big.Float).SetInt(q)))
	// Bit uses two's complement, so this is right for negative quotients.
	return uint64(q.Bit(0) | q.Bit(1)<<1), x.SetPrec(prec)
}
