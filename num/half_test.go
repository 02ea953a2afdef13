package num

import (
	"math"
	"testing"
)

// Binary16 is small enough to be tested exhaustively. The oracle is a table of all its numbers and exact
// comparisons in float64.

// table16 are the numbers from 0 up, by pattern; 2^16 in the place of Inf.
var table16 = func() (v [0x7c01]float64) {
	for i := range v[:0x7c00] {
		v[i] = float64Of(16, uint64(i))
	}
	v[0x7c00] = 65536
	return v
}()

// want16 rounds a positive magnitude that cmp compares with a given number; cmp must be
// exact for halves of sums of neighbours too.
func want16(m Mode, neg bool, cmp func(v float64) int) uint64 {
	sign := truth(neg) << 15
	lo, hi := 0, 0x7c01 // table16[lo] <= magnitude < table16[hi], 2^16 standing for all above
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; cmp(table16[mid]) >= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	away := m&3 == RUp && !neg || m&3 == RDown && neg
	exact := lo < 0x7c00 && cmp(table16[lo]) == 0
	if m&FlushOut != 0 && lo < 0x400 {
		const below = 0x1p-14 - 0x1p-25 // largest with 11 bits below the normal numbers
		up := m&3 == RNE && cmp(below+0x1p-26) >= 0 || away && cmp(below) > 0
		if m&FlushBefore != 0 || m&FlushUnbounded != 0 && !up {
			return sign
		}
	}
	r := lo
	if lo == 0x7c00 {
		if m&3 != RNE && !away {
			r = 0x7bff
		}
	} else if !exact {
		half := cmp((table16[lo] + table16[lo+1]) / 2)
		if away || m&3 == RNE && (half > 0 || half == 0 && lo&1 != 0) {
			r++
		}
	}
	if m&FlushOut != 0 && r < 0x400 {
		r = 0
	}
	return sign | uint64(r)
}

func sign(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// wantHalf is FAdd, FSub, FMul or FDiv of binary16, op being its first letter after F.
func wantHalf(op byte, m Mode, a, b uint64) uint64 {
	a, b = flushedOperand(16, m, a), flushedOperand(16, m, b)
	if isNaNBits(16, a) || isNaNBits(16, b) {
		return wantNaN(16, m, a, b)
	}
	x, y := float64Of(16, a), float64Of(16, b)
	var r float64 // exact but for quotients
	switch op {
	case 'A':
		r = x + y
	case 'S':
		r = x - y
	case 'M':
		r = x * y
	case 'D':
		r = x / y
	}
	switch {
	case math.IsNaN(r):
		return wantNaN(16, m)
	case r == 0 && op == 'A':
		return wantSpecial(16, sumZero(m, x, y))
	case r == 0 && op == 'S':
		return wantSpecial(16, sumZero(m, x, -y))
	case r == 0 || math.IsInf(r, 0):
		return wantSpecial(16, r)
	}
	mag := math.Abs(r)
	if op == 'D' {
		return want16(m, r < 0, func(v float64) int { return sign(math.Abs(x) - v*math.Abs(y)) })
	}
	return want16(m, r < 0, func(v float64) int { return sign(mag - v) })
}

// TestHalfBinary takes all 2^16 first operands and 300 second ones, to nearest, and a sample of them in each other
// mode; with HEDDLE_LONG=1 all in all modes, and all pairs to nearest.
func TestHalfBinary(t *testing.T) {
	ops := []struct {
		name string
		fn   func(int, Mode, uint64, uint64) uint64
	}{{"FAdd", FAdd}, {"FSub", FSub}, {"FMul", FMul}, {"FDiv", FDiv}}
	modes := allModes()
	seconds := edges(16)
	r := newRand(3)
	for len(seconds) < 300 {
		seconds = append(seconds, r.float(16))
	}
	step, sample := uint64(1), uint64(17)
	switch {
	case long:
		sample = 1
	case raceEnabled:
		step, sample = 61, 331
	}
	for i, op := range ops {
		nearestPairs(t, op.name, op.fn, step, seconds)
		for j, b := range seconds {
			for k, m := range modes {
				if !long && k != (i+j)%len(modes) {
					continue
				}
				for a := uint64(j+k) % sample; a < 1<<16; a += sample {
					if got, want := op.fn(16, m, a, b), wantHalf(op.name[1], m, a, b); got != want {
						fail(t, op.name, 16, m, got, want, a, b)
					}
				}
			}
		}
		if long {
			all := make([]uint64, 1<<16)
			for b := range all {
				all[b] = uint64(b)
			}
			nearestPairs(t, op.name, op.fn, 1, all)
		}
	}
}

// nearestPairs tests an op to nearest on each step-th first operand with each of seconds.
func nearestPairs(t *testing.T, name string, fn func(int, Mode, uint64, uint64) uint64, step uint64, seconds []uint64) {
	m := RNE.With(NaNCanon)
	for a := uint64(0); a < 1<<16; a += step {
		for _, b := range seconds {
			if got, want := fn(16, m, a, b), quickHalf(name[1], a, b); got != want {
				fail(t, name, 16, m, got, want, a, b)
			}
		}
	}
}

// quickHalf is wantHalf to nearest with canonical NaNs: adding and subtracting a large power of two rounds a
// float64 at the required bit. A quotient of 11-bit numbers rounded to 53 bits is on the same side of every
// midpoint, so rounding it again is right.
func quickHalf(op byte, a, b uint64) uint64 {
	x, y := values16[a], values16[b]
	var r float64
	switch op {
	case 'A':
		r = x + y
	case 'S':
		r = x - y
	case 'M':
		r = x * y
	case 'D':
		r = x / y
	}
	if r != r {
		return 0x7e00
	}
	bits := math.Float64bits(r)
	sign, mag := bits>>63<<15, math.Abs(r)
	if mag >= 65520 {
		return sign | 0x7c00
	}
	e := max(int(math.Float64bits(mag)>>52)-1023, -14)
	magic := math.Float64frombits(uint64(e+42+1023) << 52) // its last place is 2^(e-10)
	q := (mag + magic) - magic                             // a multiple of 2^(e-10)
	units := uint64(q * math.Float64frombits(uint64(10-e+1023)<<52))
	return sign | (uint64(e+14)<<10 + units)
}

// values16 are the values of all patterns.
var values16 = func() (v [1 << 16]float64) {
	for i := range v {
		v[i] = float64Of(16, uint64(i))
	}
	return v
}()

// TestHalfQuick checks one oracle with the other.
func TestHalfQuick(t *testing.T) {
	r := newRand(5)
	m := RNE.With(NaNCanon)
	for range count(300_000, 10_000_000) {
		a, b := r.next()&0xffff, r.next()&0xffff
		op := "ASMD"[r.next()%4]
		if x, y := quickHalf(op, a, b), wantHalf(op, m, a, b); x != y {
			fail(t, string(op), 16, m, x, y, a, b)
		}
	}
}

// TestHalfUnary covers every operand in every mode for ops with a rational meaning.
func TestHalfUnary(t *testing.T) {
	step := uint64(stride(3))
	for k, m := range allModes() {
		for bits := uint64(k) % step; bits < 1<<16; bits += step {
			a := flushedOperand(16, m, bits)
			x := float64Of(16, a)
			mag := math.Abs(x)
			for _, op := range []struct {
				name string
				fn   func(int, Mode, uint64) uint64
				f64  float64
				cmp  func(v float64) int
			}{
				{"FSqrt", FSqrt, math.Sqrt(x), func(v float64) int { return sign(x - v*v) }},
				{"FRsq", FRsq, 1 / math.Sqrt(x), func(v float64) int { return sign(1 - v*v*x) }},
				{"FRcp", FRcp, 1 / x, func(v float64) int { return sign(1 - v*mag) }},
				{"FCanon", FCanon, x, func(v float64) int { return sign(mag - v) }},
			} {
				var want uint64
				switch {
				case math.IsNaN(x):
					want = wantNaN(16, m, a)
				case math.IsNaN(op.f64):
					want = wantNaN(16, m)
				case op.f64 == 0 || math.IsInf(op.f64, 0):
					want = wantSpecial(16, op.f64)
				default:
					want = want16(m, op.f64 < 0, op.cmp)
				}
				if got := op.fn(16, m, bits); got != want {
					fail(t, op.name, 16, m, got, want, bits)
				}
			}
		}
	}
}
