package draw_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
)

// inside reports whether the centre of a pixel is in a triangle of corners in 1/256 pixel: to the left of all edges
// in counter-clockwise order, or on a left or top edge.
func inside(c [3][2]int64, x, y int64) bool {
	px, py := 256*x+128, 256*y+128
	side := func(a, b [2]int64, x, y int64) int64 { return (b[0]-a[0])*(y-a[1]) - (b[1]-a[1])*(x-a[0]) }
	if side(c[0], c[1], c[2][0], c[2][1]) < 0 {
		c[1], c[2] = c[2], c[1]
	}
	for i, a := range c {
		b := c[(i+1)%3]
		down, left := b[1] < a[1], b[1] == a[1] && b[0] < a[0]
		if s := side(a, b, px, py); s < 0 || s == 0 && !down && !left {
			return false
		}
	}
	return true
}

// TestCoverage: random triangles, from slivers to ones that fill many tiles, cover exactly those pixels of the
// viewport whose centres are inside, each once.
func TestCoverage(t *testing.T) {
	const side = 128 // so that corners are exact multiples of 1/256 pixel
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		var c [3][2]int64
		var pos []vec
		size := int64(1) << (6 + rnd.IntN(10))
		from := [2]int64{rnd.Int64N(256*side - size + 1), rnd.Int64N(256*side - size + 1)}
		grid := int64(1) << rnd.IntN(8) // coarse grids contain centres
		for i := range c {
			for k := range 2 {
				c[i][k] = (from[k] + rnd.Int64N(size+1)) / grid * grid
			}
			pos = append(pos, vec{float32(c[i][0])/(128*side) - 1, float32(c[i][1])/(128*side) - 1, 0, 1})
		}
		cv := canvas(t, side-n%3, side-n%5)
		s := &fake{lanes: 16, fragment: func([]draw.Fragment, int) draw.FragmentOut { return draw.FragmentOut{Color: vec{1.0 / 255}} }}
		d := drawOf(cv, s, pos)
		d.Viewport = draw.Viewport{W: side, H: side}
		if n%2 == 1 { // only the box clips
			d.Viewport = draw.Viewport{X: 40 + n/2%4, Y: 40 + n/2%3, W: 67 + n%5, H: 50 + n%7,
				Map: &draw.Map{Scale: [3]float32{side / 2, side / 2, 1}, Offset: [3]float32{side / 2, side / 2, 0}}}
		}
		d.Blend = draw.Blend{On: true, Color: draw.BlendTerms{Src: draw.One, Dst: draw.One}}
		run(t, d, cv)
		flat := c[1] == c[0] || (c[1][0]-c[0][0])*(c[2][1]-c[0][1]) == (c[1][1]-c[0][1])*(c[2][0]-c[0][0])
		for i := range cv.Depth {
			x, y := i%cv.Width, i/cv.Width
			want := byte(0)
			v := &d.Viewport
			if !flat && inside(c, int64(x), int64(y)) && x >= v.X && x < v.X+v.W && y >= v.Y && y < v.Y+v.H {
				want = 1
			}
			if got := cv.Color[4*i]; got != want {
				t.Fatalf("triangle %d, %v: pixel %d,%d is covered %d times, want %d", n, c, x, y, got, want)
			}
		}
	}
}

// TestBytes: colours are converted to bytes by rounding to nearest, ties to even, or by truncation.
func TestBytes(t *testing.T) {
	list := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, 255, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
		math.SmallestNonzeroFloat32, math.MaxFloat32, 1e-30}
	for i := range 256 {
		for _, off := range []float64{0, 0.25, 0.5} {
			x := float32((float64(i) + off) / 255)
			list = append(list, x, math.Nextafter32(x, -1), math.Nextafter32(x, 2))
		}
	}
	ties := 0
	for _, truncate := range []bool{false, true} {
		for _, x := range list {
			cv := canvas(t, 1, 1)
			d := drawOf(cv, &fake{lanes: 4, fragment: func([]draw.Fragment, int) draw.FragmentOut { return draw.FragmentOut{Color: vec{x, x, x, x}} }}, fullScreen(0))
			d.Truncate = truncate
			run(t, d, cv)
			scaled := float64(float32(x * 255))
			want := math.RoundToEven(scaled)
			if truncate {
				want = math.Floor(scaled)
			} else if scaled-math.Floor(scaled) == 0.5 {
				ties++
			}
			if want = min(max(want, 0), 255); want != want {
				want = 0
			}
			for k, got := range cv.Color {
				if float64(got) != want {
					t.Errorf("%g, cut off: %t: channel %d is %d, want %g", x, truncate, k, got, want)
				}
			}
		}
	}
	if ties < 100 {
		t.Errorf("only %d ties", ties)
	}
}

// pixels is a shader that outputs bytes, directly or as colours.
type pixels struct {
	fake
	bytes bool
}

func (s *pixels) NewRunner(context.Context, int) draw.ShaderRunner { return s }

func (s *pixels) Fragments(in *draw.Wave, out *draw.WaveOut) error {
	words, rows := make([]uint32, in.Lanes), [4][]uint32{}
	for lane := range words {
		x, y := in.Pixel(lane)
		words[lane] = uint32(y*16+x) * 0x01030507
		for k := range rows {
			rows[k] = append(rows[k], math.Float32bits(float32(words[lane]>>(8*k)&0xff)/255))
		}
	}
	out.Killed, out.HasDepth = 0xf0, 0
	if out.Color = rows; s.bytes {
		out.Bytes, out.Color = words, [4][]uint32{}
	}
	return nil
}

// TestBytePixels: pixels of bytes give the same results as colours that are fractions of 255, for every byte, with
// and without blending and truncation.
func TestBytePixels(t *testing.T) {
	for _, change := range []func(d *draw.Call){
		func(*draw.Call) {},
		func(d *draw.Call) { d.Truncate = true },
		func(d *draw.Call) {
			d.Blend = draw.Blend{On: true, Color: draw.BlendTerms{Src: draw.SrcAlpha, Dst: draw.OneMinusSrcAlpha}}
		},
	} {
		var got [2][]byte
		for i := range got {
			cv := canvas(t, 16, 16)
			d := drawOf(cv, &pixels{fake: fake{lanes: 16}, bytes: i == 1}, fullScreen(0))
			change(d)
			run(t, d, cv)
			got[i] = cv.Color
		}
		if !bytes.Equal(got[0], got[1]) {
			t.Errorf("%x, want %x", got[1], got[0])
		}
		var seen [256]bool
		for _, x := range got[0] {
			seen[x] = true
		}
		if n := len(slices.DeleteFunc(seen[:], func(x bool) bool { return !x })); n < 100 {
			t.Errorf("only %d values", n)
		}
	}
}
