package num

import (
	"math"
	"testing"
)

// isSignalling restates which NaNs signal.
func isSignalling(n int, a uint64) bool {
	mant, _ := layout(n)
	return isNaNBits(n, a) && a>>(mant-1)&1 == 0
}

// flushedResult is a result that was not rounded.
func flushedResult(n int, m Mode, a uint64) uint64 {
	if m&FlushOut != 0 {
		return flushedOperand(n, FlushIn, a)
	}
	return a
}

// minMaxModes adds the flags that only min, max and sat use.
func minMaxModes() []Mode {
	var out []Mode
	for i, m := range allModes() {
		out = append(out, m|Mode(i)&1*IEEE, m|IEEE|DX10Clamp, m|SatNegZero, m|SatNaNOne)
	}
	return out
}

// TestMinMaxCompare crosses edges: comparisons by the host, selection by the documented rules.
func TestMinMaxCompare(t *testing.T) {
	for _, n := range []int{16, 32, 64} {
		modes := minMaxModes()
		for i, p := range edges(n) {
			for j, q := range edges(n) {
				for k, m := range modes {
					if long || (i+j+k)%stride(7) == 0 {
						checkCompare(t, n, m, p, q)
						checkMinMax(t, n, m, p, q)
					}
				}
			}
		}
		r := newRand(29)
		for range count(50_000, 5_000_000) {
			m := modes[r.next()%uint64(len(modes))]
			p, q := r.float(n), r.float(n)
			checkCompare(t, n, m, p, q)
			checkMinMax(t, n, m, p, q)
		}
	}
}

func checkCompare(t *testing.T, n int, m Mode, p, q uint64) {
	x, y := float64Of(n, flushedOperand(n, m, p)), float64Of(n, flushedOperand(n, m, q))
	for _, c := range []struct {
		name string
		got  uint64
		want bool
	}{
		{"FEq", FEq(n, m, p, q), x == y},
		{"FLt", FLt(n, m, p, q), x < y},
		{"FLe", FLe(n, m, p, q), x <= y},
		{"FUnord", FUnord(n, m, p, q), x != x || y != y},
	} {
		if c.got != truth(c.want) {
			fail(t, c.name, n, m, c.got, truth(c.want), p, q)
		}
	}
}

func checkMinMax(t *testing.T, n int, m Mode, p, q uint64) {
	a, b := flushedOperand(n, m, p), flushedOperand(n, m, q)
	x, y := float64Of(n, a), float64Of(n, b)
	// math.Min and Max order the zeros as documented; they decide which operand it is.
	wantMin, wantMax := b, b
	if x == x && y == y {
		if lo := math.Min(x, y); lo == x && math.Signbit(lo) == math.Signbit(x) {
			wantMin = a
		}
		if hi := math.Max(x, y); hi == x && math.Signbit(hi) == math.Signbit(x) {
			wantMax = a
		}
	} else {
		wantMin = wantMinMaxNaN(n, m, a, b)
		wantMax = wantMin
	}
	sel := func(first bool) uint64 {
		r := b
		if first {
			r = a
		}
		if rule := m & (7 << 6); isNaNBits(n, r) && (rule == NaNCanon || rule == NaNOnes) {
			return wantNaN(n, m)
		}
		return flushedResult(n, m, r)
	}
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"FMinNum", FMinNum(n, m, p, q), flushedResult(n, m, wantMin)},
		{"FMaxNum", FMaxNum(n, m, p, q), flushedResult(n, m, wantMax)},
		{"FMinSel", FMinSel(n, m, p, q), sel(x < y)},
		{"FMaxSel", FMaxSel(n, m, p, q), sel(x > y)},
	} {
		if c.got != c.want {
			fail(t, c.name, n, m, c.got, c.want, p, q)
		}
	}
}

func wantMinMaxNaN(n int, m Mode, a, b uint64) uint64 {
	rule := m & (7 << 6)
	switch {
	case m&IEEE != 0 && (isSignalling(n, a) || isSignalling(n, b)):
		return wantNaN(n, m, a, b)
	case !isNaNBits(n, a):
		return a
	case !isNaNBits(n, b):
		return b
	case m&IEEE != 0 || rule == NaNCanon || rule == NaNOnes:
		return wantNaN(n, m, a, b)
	case rule == NaNSecond:
		return b
	}
	return a
}

// TestUnaryRules covers FSat, FNeg, FAbs, FMulZ and FClass.
func TestUnaryRules(t *testing.T) {
	for _, n := range []int{16, 32, 64} {
		mant, bias := layout(n)
		one := uint64(bias) << mant
		r := newRand(31)
		partners := edges(n)[:8]
		extra := []Mode{0, IEEE, DX10Clamp, SatNaNOne, SatNegZero, SatNegZero | SatNaNOne, DX10Clamp | SatNaNOne}
		everyOperand(n, 20_000, func(m Mode, bits uint64) {
			m |= extra[r.next()%uint64(len(extra))]
			a := flushedOperand(n, m, bits)
			x := float64Of(n, a)
			var sat uint64
			switch {
			case x != x && m&DX10Clamp != 0:
			case x != x && m&SatNaNOne != 0, x > 1:
				sat = one
			case x != x:
				sat = wantNaN(n, m, a)
			case x == 0 && m&SatNegZero != 0 || x > 0:
				sat = flushedResult(n, m, a)
			}
			if got := FSat(n, m, bits); got != sat {
				fail(t, "FSat", n, m, got, sat, bits)
			}
			if got, want := FNeg(n, m, bits), bits^1<<(n-1); got != want {
				fail(t, "FNeg", n, m, got, want, bits)
			}
			if got, want := FAbs(n, m, bits), bits&^(1<<(n-1)); got != want {
				fail(t, "FAbs", n, m, got, want, bits)
			}
			if got, want := FClass(n, m, bits), wantClass(n, a); got != want {
				fail(t, "FClass", n, m, got, want, bits)
			}
			b := partners[r.next()%8]
			want := arithOps[2].want(n, m, bits, b, 0)
			if x == 0 || float64Of(n, flushedOperand(n, m, b)) == 0 {
				want = 0
			}
			if got := FMulZ(n, m, bits, b); got != want {
				fail(t, "FMulZ", n, m, got, want, bits, b)
			}
		})
	}
}

// wantClass is the bit of v_cmp_class that the GCN page gives for a.
func wantClass(n int, a uint64) uint64 {
	mant, bias := layout(n)
	x := float64Of(n, a)
	denormal := a>>mant&uint64(2*bias+1) == 0
	neg := math.Signbit(x)
	bit := 0
	switch {
	case isSignalling(n, a):
		return 1 << 0
	case x != x:
		return 1 << 1
	case math.IsInf(x, -1):
		bit = 2
	case neg && !denormal:
		bit = 3
	case neg && x != 0:
		bit = 4
	case neg:
		bit = 5
	case x == 0:
		bit = 6
	case denormal:
		bit = 7
	case math.IsInf(x, 1):
		bit = 9
	default:
		bit = 8
	}
	return 1 << bit
}
