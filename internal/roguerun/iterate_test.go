package roguerun

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/rogue"
)

// Numbers of the special registers for the position of a pixel and of a sample.
const (
	pixelX, sampleX = 97, 98
	pixelY, sampleY = 100, 101
)

// planes fills coefficients and positions with small numbers, so that sums and products are exact.
func (k *task) planes(rnd *rand.Rand) {
	for n := range 512 {
		k.st.Set(cell(rogue.FileCf, n), 0, math.Float32bits(float32(rnd.IntN(64)-20)/8))
	}
	for _, n := range []int{pixelX, sampleX, pixelY, sampleY} {
		for lane := range rogue.Lanes {
			k.st.Set(cell(rogue.FileSr, n), lane, math.Float32bits(float32(rnd.IntN(64))/2))
		}
	}
}

// plane returns a x + b y + c of the set at coefficient n.
func (k *task) plane(n, lane int, sample bool, first bool) float32 {
	w := func(i int) float32 { return math.Float32frombits(k.st.Get(cell(rogue.FileCf, n+i), 0)) }
	x, y := pixelX, pixelY
	if sample {
		x, y = sampleX, sampleY
	}
	at := func(n int) float32 { return math.Float32frombits(k.st.Get(cell(rogue.FileSr, n), lane)) }
	if first {
		return w(1)*at(x) + w(2)*at(y) + w(0)
	}
	return w(0)*at(x) + w(1)*at(y) + w(2)
}

// toUnit is .sat.
func toUnit(x float32) float32 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// TestIterations: FITR and FITRP, all counts.
func TestIterations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 1))
	for _, mode := range []string{"pixel", "sample", "centroid"} {
		for n := 1; n <= 16; n++ {
			for _, form := range []string{"fitr.%s s3, drc0, s0, %d", "fitr.sat.%s s3, drc1, s0, %d", "fitrp.%s s3, drc0, s0, s2, %d", "fitrp.sat.%s s3, drc0, s0, s2, %d"} {
				words := []string{"abc", "cab"}[n%2]
				k := newTask(t, map[string]string{"coefficients": words})
				k.planes(rnd)
				which := k.half(rnd)
				text := "if(p0) { s0 = cf8, s2 = cf4, s3 = r10 backend: " + fmt.Sprintf(form, mode, n) + "; }"
				k.run(text)
				for lane := range rogue.Lanes {
					for i := range 20 {
						want := float32(0)
						if i < n && which>>lane&1 != 0 {
							want = k.plane(8+4*i, lane, mode == "sample", words == "cab")
							if strings.HasPrefix(form, "fitrp") {
								want /= k.plane(4, lane, mode == "sample", words == "cab")
							}
							if strings.Contains(form, ".sat") {
								want = toUnit(want)
							}
						}
						if got := math.Float32frombits(k.get(10+i, lane)); got != want && (got == got || want == want) {
							t.Fatalf("%s: instance %d, value %d is %g, want %g", text, lane, i, got, want)
						}
					}
				}
			}
		}
	}
}

// TestDirectIterations: DITR, which names registers by numbers, divides by a kept result, and packs halves.
func TestDirectIterations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 2))
	k := newTask(t, nil)
	k.planes(rnd)
	for lane := range rogue.Lanes {
		k.st.Set(cell(rogue.FileIdx, 1), lane, uint32(4*lane))
	}
	k.run("{ ctrl: ditrp.write.pixel r40, drc0, cf16, cf12, 2; }")
	for _, c := range []struct {
		text  string
		n     int
		value func(i, lane int) float32
		half  bool
	}{
		{"ditrp.write.pixel r40, drc0, cf16, cf12, 2", 2, func(i, lane int) float32 {
			return k.plane(16+4*i, lane, false, false) / k.plane(12, lane, false, false)
		}, false},
		{"ditr.pixel r40, drc0, cf16, 16", 16, func(i, lane int) float32 { return k.plane(16+4*i, lane, false, false) }, false},
		{"ditr.sample.sat.schedwdf r40, drc1, cf0, 3", 3, func(i, lane int) float32 { return toUnit(k.plane(4*i, lane, true, false)) }, false},
		{"ditrp.pixel r40, drc0, cf16, cf4, 5", 5, func(i, lane int) float32 { return k.plane(16+4*i, lane, false, false) / k.plane(4, lane, false, false) }, false},
		{"ditrp.read.pixel r40, drc0, cf32, 2", 2, func(i, lane int) float32 {
			return k.plane(32+4*i, lane, false, false) / k.plane(12, lane, false, false)
		}, false},
		{"ditr.pixel r40, drc0, cf16[idx1], 2", 2, func(i, lane int) float32 { return k.plane(16+4*lane+4*i, lane, false, false) }, false},
		{"ditr.f16.sat.pixel r40, drc0, cf16, 5", 5, func(i, lane int) float32 { return toUnit(k.plane(16+4*i, lane, false, false)) }, true},
	} {
		for n := range 20 {
			k.set(40+n, func(int) uint32 { return 0 })
		}
		k.run("{ ctrl: " + c.text + "; }")
		for lane := range rogue.Lanes {
			for i := range c.n {
				want := c.value(i, lane)
				if c.half {
					if got := uint16(k.get(40+i/2, lane) >> (16 * (i % 2))); uint64(got) != half.Near(single.Read(uint64(math.Float32bits(want)))) {
						t.Fatalf("%s: instance %d, value %d is %#x, want %g", c.text, lane, i, got, want)
					}
				} else if got := math.Float32frombits(k.get(40+i, lane)); got != want && (got == got || want == want) {
					t.Fatalf("%s: instance %d, value %d is %g, want %g", c.text, lane, i, got, want)
				}
			}
		}
	}
}
