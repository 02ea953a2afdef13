package roguerun

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
)

// sharedFloat returns the value, clamped to [0, 65408], of one of three floats with a shared exponent.
func sharedFloat(w uint32) real {
	x := single.Read(uint64(w))
	switch {
	case x == nil || x.Sign() <= 0:
		return reals.New()
	case x.Cmp(reals.Of(65408)) > 0:
		return reals.Of(65408)
	}
	return x
}

// joined returns the word for three values: with the smallest exponent for which all significands fit in 9 bits.
func joined(x [3]real, mode big.RoundingMode) (w uint32) {
	for e := range 32 {
		w = uint32(e) << 27
		fit := true
		for i := range x {
			n, _ := reals.Integer(reals.Scaled(x[i], 24-e), mode).Int64()
			fit = fit && n < 512
			w |= uint32(n&511) << (9 * i)
		}
		if fit {
			return w
		}
	}
	panic("too large")
}

func apart(w uint32, i int) real {
	return reals.Scaled(reals.Whole(int64(w>>(9*i)&511)), int(w>>27)-24)
}

// TestShared: three floats with a shared exponent, all three or some of them.
func TestShared(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 24))
	k := newTask(t, nil)
	for _, mode := range []big.RoundingMode{big.ToNearestEven, big.ToZero} {
		for n := 1; n <= 3; n++ {
			r := k.group(fmt.Sprintf("{ %s, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck%s.se9995 ft2, is3; w0 = r4 }", repeated(n), map[bool]string{true: ".roundzero"}[mode == big.ToZero]))
			var before [32][5]uint32
			for range 40 {
				for i := range 5 {
					k.set(i, func(lane int) uint32 {
						if before[lane][i] = math.Float32bits(float32(math.Ldexp(rnd.Float64(), rnd.IntN(36)-18))); rnd.IntN(6) == 0 || i == 4 {
							before[lane][i] = edge(rnd)
						}
						return before[lane][i]
					})
				}
				if f := k.step(r, 1); f != nil {
					t.Fatal(f)
				}
				for lane := range before {
					b := &before[lane]
					var x [3]real
					for i := range x {
						if x[i] = apart(b[4], i); i < n {
							x[i] = sharedFloat(b[i])
						}
					}
					if want, got := joined(x, mode), k.get(4, lane); got != want {
						t.Fatalf("%d of %#x give %#x, want %#x", n, b[:], got, want)
					}
				}
			}
		}
	}
	for i := range 3 {
		k.words(fmt.Sprintf("{ s0 = r0, is4 = ft0 p0: unpck.se9995 ft0, s0.e%d; w0 = r16 }", i), integers(200, rnd), func(in row) uint32 { return uint32(single.Near(apart(in.a, i))) })
	}
}

// TestCoverage: the value gives the number of samples, lowest first.
func TestCoverage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 26))
	for _, samples := range []int{1, 2, 4, 8} {
		k := newTask(t, map[string]string{"coverage-samples": fmt.Sprint(samples)})
		rows := append(fractions(100, rnd), row{a: nan}, row{a: 0x3f800000}, row{a: 0x40000000}, row{a: inf}, row{a: minusInf}, row{a: 0x3f000000}, row{a: 0x3ec00000})
		k.words("{ s0 = r0, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.cov ft2, is3; w0 = r16 }", rows, func(in row) uint32 {
			x := saturated(single.Read(uint64(in.a)))
			n, _ := reals.Integer(reals.Times(x, reals.Whole(int64(samples))), big.ToNearestEven).Int64()
			return uint32(1)<<n - 1
		})
	}
}
