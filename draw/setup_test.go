package draw_test

import (
	"math"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
)

// TestSetup: planes of a clipped triangle equal the interpolation of the draw; those of flat varyings are
// constants, and unused varyings have none.
func TestSetup(t *testing.T) {
	c := canvas(t, 40, 30)
	points := []vec{{-0.9, -0.8, -3, 1}, {2.4, -1.5, 0.5, 2}, {-0.5, 2.7, 1, 3}}
	smooth, flat := []vec{{1, 0, 5, -2}, {0, 4, 5, 1}, {-3, 1, 5, 0.5}}, []vec{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}
	d := drawOf(c, &fake{lanes: 32, fragment: colored}, points, smooth, flat, smooth)
	d.Used, d.Flat, d.Workers = 1<<1|1<<2, 1<<2, 1
	seen := 0
	d.Capture = func(f *draw.Fragment, _ *draw.FragmentOut) {
		s := f.Setup()
		x, y := float64(f.X)+0.5, float64(f.Y)+0.5
		at := func(p draw.Plane) float64 { return float64(p.A)*x + float64(p.B)*y + float64(p.C) }
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("pixel %d, %d: %s is %g, want %g", f.X, f.Y, what, got, want)
			}
		}
		near("1/w", at(s.InvW()), float64(f.InvW))
		near("depth", at(s.Depth()), float64(f.Depth))
		var one, two draw.PlaneSet
		s.Vector(&one, 1)
		s.Vector(&two, 2)
		number := math.Float32frombits
		for k := range 4 {
			near("a component", at(draw.Plane{A: number(one[4*k]), B: number(one[4*k+1]), C: number(one[4*k+2])})/at(s.InvW()), float64(f.In(1)[k]))
			if p := two[4*k : 4*k+4]; p[0] != 0 || p[1] != 0 || number(p[2]) != flat[2][k] || p[3] != 0 {
				t.Fatalf("a flat component is %#x, want %g", p, flat[2][k])
			}
		}
		if !s.Uses(1) || !s.Uses(2) || s.Uses(3) {
			t.Fatal("varyings 1 and 2 are read, 3 is not")
		}
		seen++
	}
	run(t, d, c)
	if seen < 100 {
		t.Fatalf("%d pixels", seen)
	}
}

// TestByTriangle: with ByTriangle waves hold one triangle each, in whole quads; other waves are packed.
func TestByTriangle(t *testing.T) {
	c := canvas(t, 8, 8)
	var points []vec
	for i := range 4 { // one quad of pixels each
		x := float32(i)/2 - 1
		points = append(points, vec{x, -1, 0, 1}, vec{x + 0.5, -1, 0, 1}, vec{x, -0.5, 0, 1})
	}
	for _, by := range []bool{false, true} {
		s := &fake{lanes: 32, fragment: colored}
		d, want := drawOf(c, s, points), int64(1)
		if by {
			d.ByTriangle, want = true, 4
		}
		run(t, d, c)
		if n := s.waves.Load(); n != want {
			t.Errorf("by triangle %v: %d waves, want %d", by, n, want)
		}
	}
}
