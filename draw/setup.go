package draw

// A Plane is a linear function over the window: A*x + B*y + C is its value at x, y, in pixels: the centre of pixel 0, 0 is at 0.5, 0.5.
type Plane struct{ A, B, C float32 }

// A Setup is the triangle of a fragment for programs that iterate planes themselves. Clipping may have cut it from a larger one.
type Setup struct {
	r    *triangle
	d    *Call
	used uint32
	x, y [3]float64 // of the corners, in pixels
	area float64    // twice the area
}

// Setup is the triangle of the fragment.
func (f *Fragment) Setup() Setup { return newSetup(f.tri, f.call, f.used) }

func newSetup(r *triangle, d *Call, used uint32) Setup {
	s := Setup{r: r, d: d, used: used}
	for i := range s.r.c {
		s.x[i], s.y[i] = float64(s.r.c[i].x)/sub, float64(s.r.c[i].y)/sub
	}
	s.area = (s.x[1]-s.x[0])*(s.y[2]-s.y[0]) - (s.x[2]-s.x[0])*(s.y[1]-s.y[0])
	return s
}

// plane is the one with these values at the corners, in float64, each coefficient rounded once.
func (s *Setup) plane(v [3]float64) Plane {
	d1, d2 := v[1]-v[0], v[2]-v[0]
	a := (float64(d1*(s.y[2]-s.y[0])) - float64(d2*(s.y[1]-s.y[0]))) / s.area
	b := (float64(d2*(s.x[1]-s.x[0])) - float64(d1*(s.x[2]-s.x[0]))) / s.area
	return Plane{float32(a), float32(b), float32(v[0] - float64(a*s.x[0]) - float64(b*s.y[0]))}
}

// InvW is the plane of 1/w.
func (s *Setup) InvW() Plane {
	c := &s.r.c
	return s.plane([3]float64{float64(c[0].invW), float64(c[1].invW), float64(c[2].invW)})
}

// Depth is the plane of the depth in the window.
func (s *Setup) Depth() Plane {
	c := &s.r.c
	return s.plane([3]float64{float64(c[0].z), float64(c[1].z), float64(c[2].z)})
}

// Uses is whether fragments read a varying.
func (s *Setup) Uses(n int) bool { return s.used>>n&1 != 0 }

// Varying is the plane of component k of varying n divided by w, or of the component itself where the draw says that the varying is flat.
func (s *Setup) Varying(n, k int) Plane {
	if s.d.Flat>>n&1 != 0 {
		return Plane{C: s.r.flat[n][k]}
	}
	var v [3]float64
	for i := range v {
		c := &s.r.c[i]
		v[i] = float64(c.out[n][k]) * float64(c.invW)
	}
	return s.plane(v)
}
