package draw_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
)

// TestClear: a canvas with any contents that is cleared tile by tile during a draw equals a new one, in both orders
// of rows.
func TestClear(t *testing.T) {
	color, depth := vec{0.2, 0.4, 0.6, 0.8}, float32(0.75)
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		w, h := 33+rnd.IntN(80), 33+rnd.IntN(80)
		want, err := draw.NewCanvas(w, h, color, depth)
		if err != nil {
			t.Fatal(err)
		}
		got := &draw.Canvas{Width: w, Height: h, Color: bytes.Repeat([]byte{7}, 4*w*h), Depth: slices.Repeat([]float32{0.1}, w*h), Turned: seed%2 == 0}
		got.Clear(color, depth)
		for range rnd.IntN(3) {
			s := &rower{fake: fake{lanes: 4 << rnd.IntN(5)}, each: rnd.IntN(2) == 0}
			d := s.draw(t, rnd, want)
			d.Shader, d.Blend.On = shaderOf{s}, rnd.IntN(4) == 0
			if rnd.IntN(2) == 0 {
				d.Depth = draw.DepthTest{}
			}
			run(t, d, want)
			run(t, d, got)
		}
		got.Settle(true)
		if got.Turned {
			for y := range h / 2 {
				for x := range 4 * w {
					a, b := 4*w*y+x, 4*w*(h-1-y)+x
					got.Color[a], got.Color[b] = got.Color[b], got.Color[a]
				}
			}
		}
		if !bytes.Equal(got.Color, want.Color) || !slices.Equal(got.Depth, want.Depth) {
			t.Fatalf("seed %d: %dx%d: other colours or depths than on a new canvas", seed, w, h)
		}
	}
}

// TestSettleColors: depths that are not read are not cleared.
func TestSettleColors(t *testing.T) {
	c := &draw.Canvas{Width: 40, Height: 40, Color: make([]byte, 6400), Depth: make([]float32, 1600)}
	c.Clear(vec{1, 1, 1, 1}, 1)
	c.Settle(false)
	if slices.Contains(c.Color, 0) || slices.Contains(c.Depth, 1) {
		t.Errorf("colours are not cleared, or depths are")
	}
}
