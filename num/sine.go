//go:build !heddle_softfloat

package num

import (
	"math"
	"math/bits"
)

// Sines of turns in 64 bits on rows. Lanes are computed as in hostTurns, with fewer terms as pairs, and tested for
// certain rounding at once. The few that fail use hostTurns. With AVX2 and FMA four lanes are computed at a time.

// RowsSinRev64 is FSinRev on rows.
func RowsSinRev64(m Mode, d *[64]uint64, a Arg64, n int) { rowsTurns(m, d, a, n, 0, FSinRev) }

// RowsCosRev64 is FCosRev on rows.
func RowsCosRev64(m Mode, d *[64]uint64, a Arg64, n int) { rowsTurns(m, d, a, n, 1, FCosRev) }

func rowsTurns(m Mode, d *[64]uint64, a Arg64, n int, quarters float64, exact func(n int, m Mode, a uint64) uint64) {
	if !asHost(m) {
		each64to64(m, d, exact, a, 0, n)
		return
	}
	var from, to [64]uint64
	for i := range n {
		from[i&63] = a.At(i)
	}
	rest := ^uint64(0) >> (64 - n)
	if hasSine() {
		rest &^= sineRows(&to, &from, n, quarters, &sines)
	} else {
		rest &^= plainSines(&to, &from, n, quarters)
	}
	for ; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		to[i&63] = exact(64, m, from[i&63])
	}
	copy(d[:n], to[:n])
}

// A sineTable holds the constants of sineRows, each for four lanes.
type sineTable struct {
	four, least, most, magic [4]float64
	half, halfLow            [4]float64 // half of pi
	slack                    [4]float64 // bound of the relative error of a sum
	one                      [4]float64
	size, sign               [4]uint64
	sine, cosine             [rowTerms + 1][4]float64
	sineLow, cosineLow       [pairTerms][4]float64
}

// rowTerms is the number of terms after the first in the series of rows: up to an eighth of a turn the next is
// below 2^-78 of the sum. From pairTerms on 53 bits are enough: terms are below 2^-11 of the sum there, and the
// relative error of the sum is less than 2^-63.
const (
	rowTerms  = 11
	pairTerms = 3
)

var sines = newSines()

func newSines() (t sineTable) {
	same := func(x float64) [4]float64 { return [4]float64{x, x, x, x} }
	t.four, t.least, t.most, t.magic = same(4), same(0x1p-400), same(1<<50), same(3<<51)
	t.half, t.halfLow = same(twoPi.hi/4), same(twoPi.lo/4)
	t.slack, t.one = same(0x1p-62), same(1)
	for i := range t.size {
		t.size[i], t.sign[i] = 1<<63-1, 1<<63
	}
	for k := range t.sine {
		t.sine[k], t.cosine[k] = same(sineSeries[k].hi), same(cosineSeries[k].hi)
	}
	for k := range t.sineLow {
		t.sineLow[k], t.cosineLow[k] = same(sineSeries[k].lo), same(cosineSeries[k].lo)
	}
	return t
}

// plainSines is the sine of each of n lanes plus some quarter turns, to nearest. ok are the lanes whose result is
// certain.
func plainSines(d, a *[64]uint64, n int, quarters float64) (ok uint64) {
	for i := range n {
		x, sure := plainSine(f64(a[i&63]), quarters)
		if d[i&63] = math.Float64bits(x); sure {
			ok |= 1 << i
		}
	}
	return ok
}

func plainSine(a, quarters float64) (r float64, ok bool) {
	a = float64(a * 4)
	q := math.RoundToEven(a)
	t := a - q // exact
	if !(math.Abs(t) >= 0x1p-400 && math.Abs(q) < 1<<50) {
		return 0, false
	}
	turn := math.Float64bits(q + quarters + 3<<51)
	y := float64(t * sines.half[0])
	yLow := math.FMA(t, sines.halfLow[0], math.FMA(t, sines.half[0], -y))
	z := float64(y * y)
	zLow := math.FMA(y+y, yLow, math.FMA(y, y, -z))
	series, low, by, byLow := &sines.sine, &sines.sineLow, y, yLow
	if turn&1 != 0 {
		series, low, by, byLow = &sines.cosine, &sines.cosineLow, 1, 0
	}
	small := series[rowTerms][0]
	for k := rowTerms - 1; k >= pairTerms; k-- {
		small = math.FMA(small, z, series[k][0])
	}
	sum, rest := small, 0.0
	for k := pairTerms - 1; k >= 0; k-- {
		p := float64(sum * z)
		e := math.FMA(rest, z, math.FMA(sum, zLow, math.FMA(sum, z, -p)))
		sum = series[k][0] + p
		rest = (p - (sum - series[k][0])) + e + low[k][0]
	}
	p := float64(sum * by)
	e := math.FMA(rest, by, math.FMA(sum, byLow, math.FMA(sum, by, -p)))
	slack := float64(math.Abs(p) * sines.slack[0])
	high, under := p+(e+slack), p+(e-slack)
	return math.Float64frombits(math.Float64bits(high) ^ turn<<62&(1<<63)), high == under
}
