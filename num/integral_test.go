package num

import (
	"math"
	"testing"
)

var integralOps = []struct {
	name string
	fn   func(int, Mode, uint64) uint64
	f64  func(float64) float64
}{
	{"FFloor", FFloor, math.Floor},
	{"FCeil", FCeil, math.Ceil},
	{"FTrunc", FTrunc, math.Trunc},
	{"FRndne", FRndne, math.RoundToEven},
}

// TestIntegral compares with package math, whose results fit every width exactly.
func TestIntegral(t *testing.T) {
	for _, n := range []int{16, 32, 64} {
		check := func(m Mode, bits uint64) {
			a := flushedOperand(n, m, bits)
			for _, op := range integralOps {
				want := wantNaN(n, m, a)
				if x := float64Of(n, a); x == x {
					want = exactBits(n, op.f64(x))
				}
				if got := op.fn(n, m, bits); got != want {
					fail(t, op.name, n, m, got, want, bits)
				}
			}
			if got, want := FFract(n, m, bits), wantFract(n, m, a); got != want {
				fail(t, "FFract", n, m, got, want, bits)
			}
		}
		everyOperand(n, 8000, check)
	}
}

// everyOperand calls check with many or all binary16 numbers, and with the edges and random numbers of any width,
// cycling through the modes.
func everyOperand(n, trials int, check func(m Mode, a uint64)) {
	modes := allModes()
	r := newRand(19)
	if n == 16 {
		for a := uint64(0); a < 1<<16; a += uint64(stride(3)) {
			check(modes[r.next()%uint64(len(modes))], a)
		}
	}
	for i, a := range edges(n) {
		for k := i % stride(4); k < len(modes); k += stride(4) {
			check(modes[k], a)
		}
	}
	for range count(trials, trials*30) {
		check(modes[r.next()%uint64(len(modes))], r.float(n))
	}
}

// exactBits is x as a pattern of width n, which holds it exactly.
func exactBits(n int, x float64) uint64 {
	if x == 0 || math.IsInf(x, 0) {
		return wantSpecial(n, x)
	}
	return roundRat(n, RNE, rat().SetFloat64(x), 0)
}

func wantFract(n int, m Mode, a uint64) uint64 {
	x := float64Of(n, a)
	switch {
	case math.IsNaN(x):
		return wantNaN(n, m, a)
	case math.IsInf(x, 0):
		return wantNaN(n, m)
	}
	fl := math.Floor(x)
	if fl == x {
		return wantSpecial(n, sumZero(m, x, -fl))
	}
	r := rat().Sub(rat().SetFloat64(x), rat().SetFloat64(fl))
	mant, bias := layout(n)
	return min(roundRat(n, m, r, 0), uint64(bias)<<mant-1)
}

func TestLdexpFrexp(t *testing.T) {
	for _, n := range []int{16, 32, 64} {
		r := newRand(23)
		mant, bias := layout(n)
		check := func(m Mode, bits uint64) {
			a := flushedOperand(n, m, bits)
			x := float64Of(n, a)
			special := x == 0 || math.IsInf(x, 0)
			// Exponents that bring the result near the ends of the range.
			for _, e := range []int32{0, 1, -1, math.MaxInt32, math.MinInt32, int32(r.next()%uint64(4*bias)) - 2*int32(bias), -int32(math.Ilogb(x)) - int32(bias) - int32(r.next()%uint64(mant+3))} {
				var want uint64
				switch {
				case math.IsNaN(x):
					want = wantNaN(n, m, a)
				case special:
					want = wantSpecial(n, x)
				default:
					want = roundRat(n, m, rat().Mul(rat().SetFloat64(x), pow2(int(max(min(e, 5000), -5000)))), 0)
				}
				if got := FLdexp(n, m, bits, uint64(uint32(e))); got != want {
					fail(t, "FLdexp", n, m, got, want, bits, uint64(uint32(e)))
				}
			}
			wantMant, wantExp := wantNaN(n, m, a), uint64(0)
			if x == x {
				fr, e := math.Frexp(x)
				if special {
					e = 0
				}
				wantMant, wantExp = exactBits(n, fr), uint64(uint32(e))
			}
			if got := FFrexpMant(n, m, bits); got != wantMant {
				fail(t, "FFrexpMant", n, m, got, wantMant, bits)
			}
			if got := FFrexpExp(n, m, bits); got != wantExp {
				fail(t, "FFrexpExp", n, m, got, wantExp, bits)
			}
		}
		everyOperand(n, 1000, check)
	}
}
