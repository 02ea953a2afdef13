package draw_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/draw"
)

// TestSnap: corners are rounded to the nearest 1/256 pixel, ties to even. The area shows the position of a corner:
// the triangle's other corners are 64 pixels to the right of a whole pixel.
func TestSnap(t *testing.T) {
	for _, c := range []struct{ off, want float64 }{ // in 1/256 pixel
		{0, 0}, {0.25, 0}, {0.5, 0}, {0.75, 1}, {1, 1}, {1.25, 1}, {1.5, 2}, {1.75, 2}, {2.5, 2}, {3.5, 4}, {254.5, 254}, {255.5, 256},
	} {
		for _, base := range []float64{16, 128} { // left of the middle and at the middle
			cv := canvas(t, 256, 256)
			at := func(x, y float64) vec { return vec{float32(x/128 - 1), float32(y/128 - 1), 0, 1} }
			d := drawOf(cv, &fake{lanes: 4, fragment: colored}, []vec{at(base+c.off/256, 8), at(base+64, 8), at(base+64, 72)})
			got := math.NaN()
			d.Capture = func(f *draw.Fragment, _ *draw.FragmentOut) { got = float64(f.Area) }
			run(t, d, cv)
			if want := (64 - c.want/256) * 64 / 2; math.Abs(got-want) > 1e-4 {
				t.Errorf("%g/256 pixel right of %g: the area is %g, want %g", c.off, base, got, want)
			}
		}
	}
}

// TestDepthRange: z from -1 to 1 is mapped to depths from near to far, whichever is larger; nothing is drawn before
// the near plane or beyond the far plane.
func TestDepthRange(t *testing.T) {
	for _, r := range [][2]float32{{0, 0}, {0, 1}, {0.25, 0.75}, {0.75, 0.25}, {0.5, 0.5}, {1, 0}} {
		near, far := float64(r[0]), float64(r[1])
		if r[0] == 0 && r[1] == 0 {
			far = 1
		}
		for _, z := range []float64{-1.01, -1, -0.5, 0, 0.25, 1, 1.01, 1.5, 5} {
			c := canvas(t, 4, 4)
			p := float32(z)
			d := drawOf(c, &fake{lanes: 4, fragment: colored}, []vec{{-1, -1, p, 1}, {3, -1, p, 1}, {-1, 3, p, 1}})
			d.Viewport.Near, d.Viewport.Far = r[0], r[1]
			n := 0
			d.Capture = func(f *draw.Fragment, _ *draw.FragmentOut) {
				n++
				if want := near + (z+1)/2*(far-near); math.Abs(float64(f.Depth)-want) > 1e-6 {
					t.Errorf("range %v, z %g: depth %g, want %g", r, z, f.Depth, want)
				}
			}
			run(t, d, c)
			if want := z >= -1 && z <= 1; (n == 16) != want || !want && n != 0 {
				t.Errorf("range %v, z %g: %d fragments", r, z, n)
			}
		}
		// A depth output of the program is clamped to the range.
		for _, c := range []struct{ gives, want float64 }{{-3, math.Min(near, far)}, {7, math.Max(near, far)}, {(near + far) / 2, (near + far) / 2}} {
			cv := canvas(t, 2, 2)
			s := &fake{lanes: 4, fragment: func([]draw.Fragment, int) draw.FragmentOut {
				return draw.FragmentOut{Depth: float32(c.gives), HasDepth: true}
			}}
			d := drawOf(cv, s, []vec{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}})
			d.Viewport.Near, d.Viewport.Far = r[0], r[1]
			d.Depth, d.LateDepth = draw.DepthTest{Write: true}, true
			run(t, d, cv)
			if got := float64(cv.Depth[0]); got != c.want {
				t.Errorf("range %v, depth %g of the program: %g, want %g", r, c.gives, got, c.want)
			}
		}
	}
}

// TestPrimitives: which three vertices make a triangle, that all triangles of a strip have the same orientation,
// and that a flat value is that of the triangle's last vertex. The vertices are on two lines, so that the position
// of each triangle is known.
func TestPrimitives(t *testing.T) {
	const n = 7
	var zigzag, circle, val []vec
	for i := range n {
		x, y := float64(i)/3-1, float64(i%2)*1.8-0.9
		zigzag = append(zigzag, vec{float32(x), float32(y), 0, 1})
		a := float64(i-1) * math.Pi / 6
		circle = append(circle, vec{float32(math.Cos(a)), float32(math.Sin(a)), 0, 1})
		val = append(val, vec{float32(i), 1, 1, 1})
	}
	circle[0] = vec{0, 0, 0, 1}
	for _, c := range []struct {
		kind draw.Primitive
		pos  []vec
		last []float32
		ccw  bool // the first is counter-clockwise
		alt  bool // every second one has the opposite orientation
	}{
		{draw.Strip, zigzag, []float32{2, 3, 4, 5, 6}, false, false}, // up, then down and to the right
		{draw.Fan, circle, []float32{2, 3, 4, 5, 6}, true, false},
		{draw.Triangles, zigzag, []float32{2, 5}, false, true}, // vertices 3, 4, 5 begin at the top; one is unused
	} {
		cv := canvas(t, 128, 128)
		d := drawOf(cv, &fake{lanes: 16, fragment: colored}, c.pos, val)
		d.Primitive, d.Flat = c.kind, 1<<1
		seen, front := map[float32]int{}, map[float32]bool{}
		d.Capture = func(f *draw.Fragment, _ *draw.FragmentOut) {
			seen[f.In(1)[0]]++
			front[f.In(1)[0]] = f.Front
		}
		res := run(t, d, cv)
		if len(seen) != len(c.last) || res.Triangles != len(c.last) {
			t.Errorf("primitive %d: %v, %d triangles", c.kind, seen, res.Triangles)
		}
		for i, v := range c.last {
			if seen[v] < 50 || front[v] != (c.ccw != (c.alt && i%2 == 1)) {
				t.Errorf("primitive %d: vertex %g is the last of %d fragments, front %t", c.kind, v, seen[v], front[v])
			}
		}
	}
}

// TestFirstError: the error is that of the first tile, even if a later one fails before it.
func TestFirstError(t *testing.T) {
	c := canvas(t, 32, 64)
	late := make(chan bool)
	s := &fake{lanes: 4, fragment: colored, fail: func(f *draw.Fragment) error {
		if f.Y >= 32 {
			close(late)
			return errors.New("the upper tile")
		}
		select {
		case <-late:
			time.Sleep(50 * time.Millisecond) // its error has been recorded by now
		case <-time.After(10 * time.Second):
			t.Error("the upper tile was not drawn beside the lower one")
		}
		return errors.New("the lower tile")
	}}
	d := drawOf(c, s, []vec{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}})
	d.Workers = 2
	if _, err := d.Run(context.Background(), c); err == nil || err.Error() != "the lower tile" {
		t.Error(err)
	}
}

// TestHomogeneous: a position times a number is the same point. A power of two only changes 1/w, by that power;
// near the limits of float32 some numbers are denormal, so the results are only nearly equal.
func TestHomogeneous(t *testing.T) {
	const side = 300
	picture := func(k int) (list []vec) {
		c := canvas(t, side, side)
		list = make([]vec, side*side)
		s := &fake{lanes: 16, fragment: func(q []draw.Fragment, lane int) draw.FragmentOut {
			if f := &q[lane]; f.Covered {
				v := f.In(1)
				list[f.Y*side+f.X] = vec{v[0], v[1], f.Depth, float32(math.Ldexp(float64(f.InvW), k))}
			}
			return draw.FragmentOut{}
		}}
		positions := []vec{{-1, -1, 0, 1}, {6, -2, 1, 2}, {-1, 3, 0, 1}}
		for i := range positions {
			for n := range positions[i] {
				positions[i][n] = float32(math.Ldexp(float64(positions[i][n]), k))
			}
		}
		d := drawOf(c, s, positions, []vec{{0.5, 0, 0, 1}, {0.5, 1, 0, 1}, {0.5, 0, 1, 1}})
		d.Workers = 1
		run(t, d, c)
		return list
	}
	want := picture(0)
	for _, c := range []struct {
		k    int
		near float32
	}{{-15, 0}, {1, 0}, {80, 0}, {112, 1e-6}, {120, 1e-3}} {
		for i, got := range picture(c.k) {
			for n := range got {
				if d := got[n] - want[i][n]; !(d <= c.near && -d <= c.near) {
					t.Fatalf("times 2^%d: pixel %d, %d has %v, want %v", c.k, i%side, i/side, got, want[i])
				}
			}
		}
	}
}
