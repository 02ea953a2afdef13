package draw_test

import (
	"math"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
)

// factors are the blend factors by their names in scenes, as OpenGL defines them, for channel k.
var factors = map[string]func(src, dst, constant [4]float64, k int) float64{
	"zero":                     func(_, _, _ [4]float64, _ int) float64 { return 0 },
	"one":                      func(_, _, _ [4]float64, _ int) float64 { return 1 },
	"src_color":                func(s, _, _ [4]float64, k int) float64 { return s[k] },
	"one_minus_src_color":      func(s, _, _ [4]float64, k int) float64 { return 1 - s[k] },
	"dst_color":                func(_, d, _ [4]float64, k int) float64 { return d[k] },
	"one_minus_dst_color":      func(_, d, _ [4]float64, k int) float64 { return 1 - d[k] },
	"src_alpha":                func(s, _, _ [4]float64, _ int) float64 { return s[3] },
	"one_minus_src_alpha":      func(s, _, _ [4]float64, _ int) float64 { return 1 - s[3] },
	"dst_alpha":                func(_, d, _ [4]float64, _ int) float64 { return d[3] },
	"one_minus_dst_alpha":      func(_, d, _ [4]float64, _ int) float64 { return 1 - d[3] },
	"constant_color":           func(_, _, c [4]float64, k int) float64 { return c[k] },
	"one_minus_constant_color": func(_, _, c [4]float64, k int) float64 { return 1 - c[k] },
	"constant_alpha":           func(_, _, c [4]float64, _ int) float64 { return c[3] },
	"one_minus_constant_alpha": func(_, _, c [4]float64, _ int) float64 { return 1 - c[3] },
	"src_alpha_saturate": func(s, d, _ [4]float64, k int) float64 {
		if k == 3 {
			return 1
		}
		return math.Min(s[3], 1-d[3])
	},
}

// operations are the blend operations by their names in scenes, of the colours and of their products with the
// factors.
var operations = map[string]func(src, dst, s, d float64) float64{
	"add":              func(_, _, s, d float64) float64 { return s + d },
	"subtract":         func(_, _, s, d float64) float64 { return s - d },
	"reverse_subtract": func(_, _, s, d float64) float64 { return d - s },
	"min":              func(src, dst, _, _ float64) float64 { return math.Min(src, dst) },
	"max":              func(src, dst, _, _ float64) float64 { return math.Max(src, dst) },
}

// TestBlendTerms: every operation with every pair of factors, for colours and for alpha, each with different terms
// for the other, by the formula in float64. All channels, factors and sums differ, and one source is to be clamped.
func TestBlendTerms(t *testing.T) {
	if len(factors) != len(draw.FactorNames) || len(operations) != len(draw.BlendOpNames) {
		t.Fatalf("%d factors and %d operations", len(draw.FactorNames), len(draw.BlendOpNames))
	}
	old := [4]byte{60, 110, 140, 90}
	constant := [4]float64{0.1875, 0.4375, 0.8125, 0.3125}
	for _, source := range [][4]float64{{0.75, 0.25, 0.5625, 0.6875}, {-0.5, 1.5, math.NaN(), 0.375}, {0.5, 0.125, 0.875, 2}} {
		for oi, op := range draw.BlendOpNames {
			for si, sf := range draw.FactorNames {
				for di, df := range draw.FactorNames {
					terms := draw.BlendTerms{Op: draw.BlendOp(oi), Src: draw.Factor(si), Dst: draw.Factor(di)}
					// The terms that are not tested have other factors, so that a mix-up is found.
					other := draw.BlendTerms{Op: draw.BlendAdd, Src: draw.One, Dst: draw.Zero}
					wantBlend(t, draw.Blend{On: true, Color: terms, Alpha: other}, source, old, constant, 0, 3, op, sf, df)
					wantBlend(t, draw.Blend{On: true, Color: other, Alpha: terms}, source, old, constant, 3, 4, op, sf, df)
				}
			}
		}
	}
	if i := slices.Index(draw.BlendOpNames[:], "reverse_subtract"); draw.BlendOp(i) != draw.BlendReverse {
		t.Errorf("reverse_subtract is operation %d", i)
	}
}

// wantBlend draws a source over one pixel and compares channels from to to-1 with the formula.
func wantBlend(t *testing.T, b draw.Blend, source [4]float64, old [4]byte, constant [4]float64, from, to int, op, sf, df string) {
	t.Helper()
	c := canvas(t, 1, 1)
	copy(c.Color, old[:])
	var src, dst [4]float64
	var colour vec
	for k := range colour {
		colour[k], b.Constant[k] = float32(source[k]), float32(constant[k])
		src[k], dst[k] = source[k], float64(old[k])/255
		if !(src[k] > 0) {
			src[k] = 0
		}
		src[k] = math.Min(src[k], 1)
	}
	shader := &fake{lanes: 4, fragment: func([]draw.Fragment, int) draw.FragmentOut { return draw.FragmentOut{Color: colour} }}
	d := drawOf(c, shader, []vec{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}})
	d.Blend = b
	run(t, d, c)
	for k := from; k < to; k++ {
		s, e := src[k]*factors[sf](src, dst, constant, k), dst[k]*factors[df](src, dst, constant, k)
		want := 255 * math.Max(0, math.Min(operations[op](src[k], dst[k], s, e), 1))
		if got := float64(c.Color[k]); math.Abs(got-want) > 0.501 {
			t.Errorf("%s of %s and %s, channel %d: %g, want %g", op, sf, df, k, got, want)
		}
	}
}
