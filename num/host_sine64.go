//go:build !heddle_softfloat

package num

import "math"

// A pair is an unevaluated sum of two float64, the second below half a unit in the last place of the first: about
// 106 bits. Results of the functions below have a relative error of a few parts in 2^100; nothing overflows or
// underflows in the range where they are used.
type pair struct{ hi, lo float64 }

// fastSum is a + b as a pair, |a| >= |b|.
func fastSum(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

// plus is x + y.
func (x pair) plus(y pair) pair {
	s := x.hi + y.hi
	t := s - x.hi
	return fastSum(s, (x.hi-(s-t))+(y.hi-t)+(x.lo+y.lo))
}

// times is x * y.
func (x pair) times(y pair) pair {
	p := float64(x.hi * y.hi)
	e := math.FMA(x.hi, y.hi, -p)
	return fastSum(p, e+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

// over is x / n.
func (x pair) over(n float64) pair {
	q := x.hi / n
	return fastSum(q, (math.FMA(-q, n, x.hi)+x.lo)/n)
}

// sineTerms is the number of terms of a series that are summed after the first: up to an eighth of a turn the next
// is below 2^-100.
const sineTerms = 13

// smallTerms is the first term for which 53 bits are enough: up to an eighth of a turn it is below 2^-17 of the
// sum, so its error is a few parts in 2^69 of the sum, a small part of what roundPair allows for.
const smallTerms = 4

// sineSeries are 1/(2k+1)! and cosineSeries 1/(2k)!, with the signs of the series.
var sineSeries, cosineSeries = inverseFactorials(1), inverseFactorials(0)

func inverseFactorials(odd int) (c [sineTerms + 1]pair) {
	c[0].hi = 1
	for k := 1; k <= sineTerms; k++ {
		n := 2*k + odd
		c[k] = c[k-1].over(float64(-n * (n - 1)))
	}
	return c
}

// twoPi is 2*pi.
var twoPi = pair{6.283185307179586, 2.4492935982947064e-16}

// leastTurn is the smallest exponent of operands for hostTurns, so that nothing underflows.
const leastTurn = -400

// hostTurns rounds to binary64 the sine of a revolutions plus some quarters, if the result is certain.
func hostTurns(m Mode, a, quarters uint64) (uint64, bool) {
	f := formatOf(64)
	if a&f.inf == f.inf {
		return 0, false
	}
	q, r := reduceRev(f.unpack(m, a))
	if q += quarters; r.sig == 0 || r.exp < leastTurn {
		return 0, false
	}
	scale := math.Float64frombits(uint64(1023+r.exp-63) << 52)
	y := twoPi.times(pair{float64(r.sig&^(1<<11-1)) * scale, float64(r.sig&(1<<11-1)) * scale})
	square, series := y.times(y), &sineSeries
	if q&1 != 0 {
		series = &cosineSeries
	}
	small := series[sineTerms].hi
	for k := sineTerms - 1; k >= smallTerms; k-- {
		small = math.FMA(small, square.hi, series[k].hi)
	}
	sum := pair{hi: small}
	for k := smallTerms - 1; k >= 0; k-- {
		sum = sum.times(square).plus(series[k])
	}
	neg := q&2 != 0
	if q&1 == 0 {
		sum, neg = sum.times(y), neg != r.neg
	}
	return f.roundPair(m, sum, neg)
}

// roundPair rounds a positive number with a small error, if the result is certain.
func (f *format) roundPair(m Mode, x pair, neg bool) (uint64, bool) {
	u := math.Float64bits(x.hi)
	exp := int32(u>>52) - 1023
	// In units of the 64 bits of a significand, lo is small, and the error is far below one.
	rest := x.lo * math.Float64frombits(uint64(1023+63-exp)<<52)
	p := parts{1<<63 | u<<11, exp, neg}
	lo, hi := p, p
	whole := int64(math.Floor(rest))
	lo.sig += uint64(whole - 1)
	hi.sig += uint64(whole + 2)
	for _, end := range [...]*parts{&lo, &hi} {
		switch {
		case end.sig < 1<<62: // it has wrapped
			return 0, false
		case end.sig < 1<<63:
			end.sig, end.exp = end.sig<<1, end.exp-1
		}
	}
	r := f.round(m, lo, true)
	return r, r == f.round(m, hi, false)
}
