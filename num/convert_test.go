package num

import (
	"math"
	"math/big"
	"testing"
)

// wantCvt is FCvt by rational arithmetic.
func wantCvt(from, to int, m Mode, a uint64) uint64 {
	a = flushedOperand(from, m, a)
	fm, _ := layout(from)
	tm, bias := layout(to)
	if isNaNBits(from, a) {
		if rule := m & (7 << 6); rule == NaNCanon || rule == NaNOnes {
			return wantNaN(to, m)
		}
		payload := a & (1<<fm - 1)
		if fm > tm {
			payload >>= fm - tm
		} else {
			payload <<= tm - fm
		}
		return a>>(from-1)<<(to-1) | uint64(2*bias+1)<<tm | 1<<(tm-1) | payload
	}
	x := float64Of(from, a)
	if x == 0 || math.IsInf(x, 0) {
		return wantSpecial(to, x)
	}
	return roundRat(to, m, rat().SetFloat64(x), 0)
}

// wantInt is FToS and FToU: the rounded number, clamped.
func wantInt(from, to int, m Mode, a uint64, isSigned bool) uint64 {
	a = flushedOperand(from, m, a)
	x := float64Of(from, a)
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(to))
	if isSigned {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	var i *big.Int
	switch {
	case math.IsNaN(x):
		return 0
	case math.IsInf(x, 1) || x > 0x1p70:
		i = hi
	case math.IsInf(x, -1) || x < -0x1p70:
		i = lo
	default:
		r := gridRound(m, x < 0, rat().SetFloat64(math.Abs(x)), 0)
		i = new(big.Int).Set(r.Num())
		if x < 0 {
			i.Neg(i)
		}
	}
	if i.Cmp(lo) < 0 {
		i = lo
	}
	if i.Cmp(hi) > 0 {
		i = hi
	}
	return new(big.Int).And(i, new(big.Int).SetUint64(mask(to))).Uint64()
}

func TestFloatToFloat(t *testing.T) {
	modes := allModes()
	for _, from := range []int{16, 32, 64} {
		for _, to := range []int{16, 32, 64} {
			r := newRand(11)
			check := func(m Mode, a uint64) {
				if got, want := FCvt(from, to, m, a), wantCvt(from, to, m, a); got != want {
					fail(t, "FCvt to "+widthName(to)+" from", from, m, got, want, a)
				}
			}
			for _, m := range modes {
				for _, a := range edges(from) {
					check(m, a)
				}
				for _, a := range edges(to) { // midpoints and limits of the result
					if to < from && !isNaNBits(to, a) {
						wide := wantCvt(to, from, ModeSet, a)
						check(m, wide)
						check(m, wide^1)
						check(m, wide+1<<(formatOf(from).mant-formatOf(to).mant-1)&mask(from))
					}
				}
			}
			for range count(4000, 500_000) {
				check(modes[r.next()%uint64(len(modes))], r.float(from))
				check(modes[r.next()%uint64(len(modes))], wantCvt(to, from, ModeSet, r.float(to))^r.next()%3)
			}
		}
	}
}

func TestFloatToInt(t *testing.T) {
	modes := allModes()
	for _, from := range []int{16, 32, 64} {
		for _, to := range []int{1, 8, 16, 24, 32, 63, 64} {
			r := newRand(13)
			check := func(m Mode, a uint64) {
				if got, want := FToS(from, to, m, a), wantInt(from, to, m, a, true); got != want {
					fail(t, "FToS from", from, m, got, want, a, uint64(to))
				}
				if got, want := FToU(from, to, m, a), wantInt(from, to, m, a, false); got != want {
					fail(t, "FToU from", from, m, got, want, a, uint64(to))
				}
			}
			for _, a := range edges(from) {
				for _, m := range modes[:8] {
					check(m|Mode(r.next()&3), a)
				}
			}
			mant, bias := layout(from)
			for range count(2500, 300_000) { // exponents around the width
				e := uint64(bias-2) + r.next()%uint64(to+5)
				e = min(e, uint64(2*bias+1))
				a := r.float(from)&^(uint64(2*bias+1)<<mant) | e<<mant
				check(modes[r.next()%uint64(len(modes))], a)
			}
		}
	}
}

func TestIntToFloat(t *testing.T) {
	modes := allModes()
	for _, from := range []int{1, 8, 16, 32, 64} {
		for _, to := range []int{16, 32, 64} {
			r := newRand(17)
			for range count(4000, 500_000) {
				m := modes[r.next()%uint64(len(modes))]
				a := r.next() & mask(from) >> (r.next() % uint64(from))
				if r.next()&1 != 0 {
					a = -a & mask(from)
				}
				u := new(big.Int).SetUint64(a)
				s := new(big.Int).Set(u)
				if a>>(from-1) != 0 {
					s.Sub(s, new(big.Int).Lsh(big.NewInt(1), uint(from)))
				}
				var wantU, wantS uint64
				if a != 0 {
					wantU, wantS = roundRat(to, m, rat().SetInt(u), 0), roundRat(to, m, rat().SetInt(s), 0)
				}
				if got := UToF(from, to, m, a); got != wantU {
					fail(t, "UToF to", to, m, got, wantU, a, uint64(from))
				}
				if got := SToF(from, to, m, a); got != wantS {
					fail(t, "SToF to", to, m, got, wantS, a, uint64(from))
				}
			}
		}
	}
}

// TestHalfConvert takes every binary16 number up and back.
func TestHalfConvert(t *testing.T) {
	for _, m := range allModes()[:1] {
		for a := range uint64(1 << 16) {
			for _, n := range []int{32, 64} {
				up := FCvt(16, n, m, a)
				if x, y := float64Of(n, up), float64Of(16, a); x != y && y == y {
					fail(t, "FCvt from", 16, m, up, math.Float64bits(y), a)
				}
				if back := FCvt(n, 16, m, up); back != a && !isNaNBits(16, a) {
					fail(t, "FCvt to", 16, m, back, a, up)
				}
			}
		}
	}
}
