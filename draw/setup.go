package draw

// A Plane is a linear function over the window: A*x + B*y + C is its value at x, y, in pixels: the centre of pixel 0, 0 is at 0.5, 0.5.
type Plane struct{ A, B, C float32 }

// A Setup is the triangle of a fragment for programs that iterate planes themselves. Clipping may have cut it from a larger one.
type Setup struct {
	r    *triangle
	d    *Call
	used uint32
	x, y float64    // of the first corner, in pixels
	dx   [2]float64 // from there to the others
	dy   [2]float64
	invW [3]float64 // of the corners
	area float64    // twice the area
}

// Setup is the triangle of the fragment.
func (f *Fragment) Setup() Setup { return newSetup(f.tri, f.call, f.used) }

func newSetup(r *triangle, d *Call, used uint32) Setup {
	c := &r.c
	s := Setup{r: r, d: d, used: used, x: float64(c[0].x) / sub, y: float64(c[0].y) / sub,
		invW: [3]float64{float64(c[0].invW), float64(c[1].invW), float64(c[2].invW)}}
	for i := range s.dx {
		s.dx[i], s.dy[i] = float64(c[1+i].x)/sub-s.x, float64(c[1+i].y)/sub-s.y
	}
	s.area = float64(s.dx[0]*s.dy[1]) - float64(s.dx[1]*s.dy[0])
	return s
}

// plane is the one with these values at the corners, in float64, each coefficient rounded once.
func (s *Setup) plane(v0, v1, v2 float64) Plane {
	d1, d2 := v1-v0, v2-v0
	a := (float64(d1*s.dy[1]) - float64(d2*s.dy[0])) / s.area
	b := (float64(d2*s.dx[0]) - float64(d1*s.dx[1])) / s.area
	return Plane{float32(a), float32(b), float32(v0 - float64(a*s.x) - float64(b*s.y))}
}

// InvW is the plane of 1/w.
func (s *Setup) InvW() Plane {
	return s.plane(s.invW[0], s.invW[1], s.invW[2])
}

// Depth is the plane of the depth in the window.
func (s *Setup) Depth() Plane {
	c := &s.r.c
	return s.plane(float64(c[0].z), float64(c[1].z), float64(c[2].z))
}

// Uses is whether fragments read a varying.
func (s *Setup) Uses(n int) bool { return s.used>>n&1 != 0 }

// Varying is the plane of component k of varying n divided by w, or of the component itself where the draw says that the varying is flat.
func (s *Setup) Varying(n, k int) Plane {
	if s.d.Flat>>n&1 != 0 {
		return Plane{C: s.r.flat[n][k]}
	}
	over := func(i int) float64 { return float64(float64(s.r.c[i].out[n][k]) * s.invW[i]) }
	return s.plane(over(0), over(1), over(2))
}
