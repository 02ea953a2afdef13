package draw

import "math"

// A Plane is a linear function over the window: A*x + B*y + C is its value at x, y, in pixels: the centre of pixel
// 0, 0 is at 0.5, 0.5.
type Plane struct{ A, B, C float32 }

// A Setup is the triangle of a fragment for programs that evaluate planes themselves. Clipping may have cut it from
// a larger one.
type Setup struct {
	r    *triangle
	d    *Call
	outs *outs
	x, y float64    // of the first corner, in pixels
	dx   [2]float64 // from there to the others
	dy   [2]float64
	invW [3]float64 // of the corners
	area float64    // twice the area
}

// Setup returns the triangle of the fragment.
func (f *Fragment) Setup() Setup { return newSetup(f.tri, f.call, f.outs) }

func newSetup(r *triangle, d *Call, o *outs) Setup {
	c := &r.c
	s := Setup{r: r, d: d, outs: o, x: float64(c[0].x) / sub, y: float64(c[0].y) / sub,
		invW: [3]float64{float64(c[0].invW), float64(c[1].invW), float64(c[2].invW)}}
	for i := range s.dx {
		s.dx[i], s.dy[i] = float64(c[1+i].x)/sub-s.x, float64(c[1+i].y)/sub-s.y
	}
	s.area = float64(s.dx[0]*s.dy[1]) - float64(s.dx[1]*s.dy[0])
	return s
}

// plane returns the one with these values at the corners, in float64, each coefficient rounded once.
func (s *Setup) plane(v0, v1, v2 float64) Plane {
	d1, d2 := v1-v0, v2-v0
	a := (float64(d1*s.dy[1]) - float64(d2*s.dy[0])) / s.area
	b := (float64(d2*s.dx[0]) - float64(d1*s.dx[1])) / s.area
	return Plane{float32(a), float32(b), float32(v0 - float64(a*s.x) - float64(b*s.y))}
}

// InvW returns the plane of 1/w.
func (s *Setup) InvW() Plane {
	return s.plane(s.invW[0], s.invW[1], s.invW[2])
}

// Depth returns the plane of the depth in the window.
func (s *Setup) Depth() Plane {
	c := &s.r.c
	return s.plane(float64(c[0].z), float64(c[1].z), float64(c[2].z))
}

// Uses reports whether fragments read a varying.
func (s *Setup) Uses(n int) bool { return s.outs.used>>n&1 != 0 }

// A PlaneSet is the planes of the four components of a varying, as bits: A, B and C of each and a word that is 0.
type PlaneSet [16]uint32

// Vector stores the planes of varying n, which fragments read, divided by w, or of the varying itself if it is
// flat.
func (s *Setup) Vector(to *PlaneSet, n int) {
	if s.d.Flat>>n&1 != 0 {
		*to = PlaneSet{}
		for k, x := range s.outs.of(s.r.flat, n) {
			to[4*k+2] = math.Float32bits(x)
		}
		return
	}
	c, o := &s.r.c, s.outs
	v0, v1, v2 := o.of(c[0].out, n), o.of(c[1].out, n), o.of(c[2].out, n)
	if hasVectors() {
		planeRows(to, s, v0, v1, v2)
	} else {
		plainPlanes(to, s, v0, v1, v2)
	}
}

// plainPlanes is planeRows in Go: the planes of four values divided by w, given at the corners.
func plainPlanes(to *PlaneSet, s *Setup, v0, v1, v2 *Vec4) {
	for k := range v0 {
		over := func(v *Vec4, i int) float64 { return float64(float64(v[k]) * s.invW[i]) }
		p := s.plane(over(v0, 0), over(v1, 1), over(v2, 2))
		to[4*k], to[4*k+1], to[4*k+2], to[4*k+3] = math.Float32bits(p.A), math.Float32bits(p.B), math.Float32bits(p.C), 0
	}
}
