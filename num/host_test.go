//go:build !heddle_softfloat

package num

import (
	"math"
	"math/big"
	"testing"
)

// TestShortcuts compares every shortcut with the general path. A build with the tag heddle_softfloat always takes
// the general path, so both builds give the same bits.
func TestShortcuts(t *testing.T) {
	modes := allModes()
	type op struct {
		name       string
		args       int
		trials     int
		fast, soft func(n int, m Mode, a, b, c uint64) uint64
	}
	one := func(name string, trials int, fast, soft func(int, Mode, uint64) uint64) op {
		return op{name, 1, trials,
			func(n int, m Mode, a, b, c uint64) uint64 { return fast(n, m, a) },
			func(n int, m Mode, a, b, c uint64) uint64 { return soft(n, m, a) }}
	}
	two := func(name string, fast, soft func(int, Mode, uint64, uint64) uint64) op {
		return op{name, 2, 150_000,
			func(n int, m Mode, a, b, c uint64) uint64 { return fast(n, m, a, b) },
			func(n int, m Mode, a, b, c uint64) uint64 { return soft(n, m, a, b) }}
	}
	for _, op := range []op{
		two("FAdd", FAdd, softAdd), two("FSub", FSub, softSub), two("FMul", FMul, softMul), two("FDiv", FDiv, softDiv),
		{"FMA", 3, 150_000, FMA, softFMA},
		{"FMad", 3, 150_000, FMad, softMad},
		one("FSqrt", 150_000, FSqrt, softSqrt), one("FRsq", 150_000, FRsq, softRsq),
		one("FExp2", 6000, FExp2, softExp2), one("FLog2", 6000, FLog2, softLog2),
		one("FSinRev", 6000, FSinRev, softSinRev), one("FCosRev", 6000, FCosRev, softCosRev),
		one("FSin", 6000, FSin, softSin), one("FCos", 6000, FCos, softCos),
	} {
		for _, n := range []int{16, 32, 64} {
			r := newRand(uint64(n) + 51)
			check := func(m Mode, a, b, c uint64) {
				if got, want := op.fast(n, m, a, b, c), op.soft(n, m, a, b, c); got != want {
					fail(t, op.name, n, m, got, want, []uint64{a, b, c}[:op.args]...)
				}
			}
			trials := op.trials
			if n == 64 && trials == 6000 {
				if op.name != "FSinRev" && op.name != "FCosRev" {
					continue // no shortcut
				}
				trials = 1000 // most operands are too large or too small for it: see TestTurns
			}
			for range count(trials, trials*30) {
				m := modes[r.next()%uint64(len(modes))]
				if r.next()&1 != 0 {
					m = m.WithRound(RNE)
				}
				check(m, r.float(n), r.float(n), r.float(n))
			}
			ed := edges(n)
			for i, a := range ed {
				for j, b := range ed {
					if op.args == 1 && j > 0 {
						break
					}
					check(modes[(i+j)%len(modes)].WithRound(RNE), a, b, ed[r.next()%uint64(len(ed))])
				}
			}
		}
	}
}

// TestTurns compares the sine and cosine of turns, in 64 bits, with the exact path where the shortcut is taken: for
// operands of all sizes, and near multiples of an eighth of a turn.
func TestTurns(t *testing.T) {
	modes := allModes()
	r := newRand(52)
	taken := 0
	n := count(3000, 60_000)
	for i := range n {
		x := math.Ldexp(1+float64(r.next()>>12)*0x1p-52, int(r.next()%70)-45)
		if i&1 != 0 {
			x = float64(r.next()%64)/8 + float64(int64(r.next()%17)-8)*math.Ldexp(1, -int(r.next()%55))
		}
		if r.next()&1 != 0 {
			x = -x
		}
		a, m := math.Float64bits(x), modes[r.next()%uint64(len(modes))]
		for q, soft := range []func(int, Mode, uint64) uint64{softSinRev, softCosRev} {
			got, ok := hostTurns(m, a, uint64(q))
			if !ok {
				continue
			}
			taken++
			if want := soft(64, m, a); got != want {
				fail(t, [...]string{"FSinRev", "FCosRev"}[q], 64, m, got, want, a)
			}
		}
	}
	if taken < n*3/2 {
		t.Errorf("the shortcut decides %d of %d operands", taken, 2*n)
	}
}

// TestKernels measures the error of the float64 evaluations: it must be far less than errUnits, or a shortcut could
// round the wrong way.
func TestKernels(t *testing.T) {
	r := newRand(61)
	for _, k := range []struct {
		name   string
		fn     func(x float64) float64
		oracle func(x float64) *big.Float
		lo, hi int // exponents of operands
		neg    bool
	}{
		{"exp2", math.Exp2, oracleExp2, -30, 6, true},
		{"log2", func(x float64) float64 { return math.Log(x) * math.Log2E }, oracleLog2, -149, 127, false},
		{"log2 near 1", func(x float64) float64 { return math.Log(x) * math.Log2E }, oracleLog2, -1, 0, false},
		{"sin turns", func(x float64) float64 { return sineOfTurns(x, 0) }, func(x float64) *big.Float { return oracleTurns(x, 0) }, -126, 24, true},
		{"cos turns", func(x float64) float64 { return sineOfTurns(x, 1) }, func(x float64) *big.Float { return oracleTurns(x, 1) }, -30, 24, true},
		{"sin", func(x float64) float64 { return sineOfRadians(x, 0) }, func(x float64) *big.Float { return oracleRadians(x, 0) }, -126, 127, true},
		{"cos", func(x float64) float64 { return sineOfRadians(x, 1) }, func(x float64) *big.Float { return oracleRadians(x, 1) }, -30, 127, true},
	} {
		worst := 0.0
		for range count(3000, 300_000) {
			e := k.lo + int(r.next()%uint64(k.hi-k.lo+1))
			x := float64(float32(math.Ldexp(1+float64(r.next()>>41)*0x1p-23, e)))
			if k.neg && r.next()&1 != 0 {
				x = -x
			}
			y, exact := k.fn(x), k.oracle(x)
			if y == 0 || exact.Sign() == 0 || math.IsInf(y, 0) {
				continue
			}
			d := new(big.Float).Sub(exact, big.NewFloat(y))
			units, _ := d.SetMantExp(d, 53-exact.MantExp(nil)).Float64()
			worst = max(worst, math.Abs(units))
		}
		t.Logf("%s: at most %.2f units", k.name, worst)
		if worst > errUnits/16 {
			t.Errorf("%s is off by %g units in the last place", k.name, worst)
		}
	}
}
