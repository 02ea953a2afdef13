package draw

import "math"

// Positions in the window are whole numbers of 1/256 pixel.
const (
	subBits = 8
	sub     = 1 << subBits
)

// A corner is a vertex in the window.
type corner struct {
	x, y int64 // in 1/256 pixel
	z    float32
	invW float32
	out  *[Varyings]Vec4
	*exact
}

// An exact is what draws with Weights know of a corner besides, unrounded; others have none.
type exact struct {
	fx, fy, fz    float64 // in the window
	finvW         float64
	persp, linear [3]float64 // shares of the triangle's vertices
}

// A triangle is ready to be rasterised: its corners go counter-clockwise. First comes what every quad looks at.
type triangle struct {
	x0, y0    int // pixels that it may cover, both ends included
	x1, y1    int
	inclusive [3]int64 // by edge: 0 if its points are inside, 1 if not
	stepX     [3]int64 // change of the edge function from pixel to pixel
	stepY     [3]int64
	start     [3]int64 // edge function at the centre of pixel 0,0
	c         [3]corner
	area      int64   // twice the area, in 1/65536 pixel
	signed    float32 // area in pixels, negative if the vertices go clockwise
	front     bool
	flat      *[Varyings]Vec4 // of its last vertex
	params    *[3][]uint32
}

// corner puts a clipped vertex into the window: divide by w, scale, move, in this order, each step
// rounded to float32; then to the nearest 1/256 pixel, ties to even. x, if not nil, keeps what is not rounded.
func (v *Viewport) corner(p *Vertex, x *exact) corner {
	if v.Map != nil {
		return v.Map.corner(p, x)
	}
	w := p.Position[3]
	place := func(i, origin, size int) int64 {
		half := float32(size) / 2
		at := float32(p.Position[i]/w*half) + (float32(origin) + half)
		return int64(math.RoundToEven(float64(at) * sub))
	}
	near, far := v.depths()
	z := float32(p.Position[2]/w*((far-near)/2)) + (far+near)/2
	return corner{x: place(0, v.X, v.W), y: place(1, v.Y, v.H), z: z, invW: 1 / w, out: &p.Out, exact: x}
}

func (v *Viewport) depths() (near, far float32) {
	if v.Near == 0 && v.Far == 0 {
		return 0, 1
	}
	return v.Near, v.Far
}

// setUp makes a triangle of three corners; false if it covers nothing or its face is culled.
func (d *Call) setUp(r *triangle, a, b, e *corner, last *[Varyings]Vec4, t *Canvas) bool {
	r.c, r.params = [3]corner{*a, *b, *e}, nil
	c := &r.c
	area := cross(&c[0], &c[1], &c[2])
	r.signed = float32(area) / (2 * sub * sub)
	r.front = (area > 0) != d.FrontCW
	if area == 0 || d.Cull == BothFaces || d.Cull == FrontFace && r.front || d.Cull == BackFace && !r.front {
		return false
	}
	if area < 0 {
		c[1], c[2], area = c[2], c[1], -area
	}
	r.flat, r.area = last, area
	v := &d.Viewport
	r.x0 = max(v.X, 0, int(min(c[0].x, c[1].x, c[2].x)>>subBits))
	r.y0 = max(v.Y, 0, int(min(c[0].y, c[1].y, c[2].y)>>subBits))
	r.x1 = min(v.X+v.W, t.Width, int(max(c[0].x, c[1].x, c[2].x)>>subBits)+1) - 1
	r.y1 = min(v.Y+v.H, t.Height, int(max(c[0].y, c[1].y, c[2].y)>>subBits)+1) - 1
	for i := range 3 {
		a, b := &c[(i+1)%3], &c[(i+2)%3] // the edge that corner i is opposite to
		dx, dy := b.x-a.x, b.y-a.y
		r.stepX[i], r.stepY[i] = -dy*sub, dx*sub
		r.start[i] = dx*(sub/2-a.y) - dy*(sub/2-a.x)
		// A left edge goes down, a top edge to the left: their points belong to the triangle. With the top down
		// corners go clockwise, left edges up, where y is less, and top edges to the right.
		r.inclusive[i] = 0
		if !(dy < 0 || dy == 0 && dx < 0 != d.TopDown) {
			r.inclusive[i] = 1
		}
	}
	return r.x0 <= r.x1 && r.y0 <= r.y1
}

// cross is twice the area of a triangle, positive if it goes counter-clockwise.
func cross(a, b, c *corner) int64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }

// edges are the three edge functions at the centre of a pixel: corner i has the weight e[i]/area.
func (r *triangle) edges(x, y int) (e [3]int64) {
	for i := range e {
		e[i] = r.start[i] + int64(x)*r.stepX[i] + int64(y)*r.stepY[i]
	}
	return e
}

// mix3 is (a + p*(b-a)) + q*(c-a).
func mix3(a, b, c, p, q float32) float32 { return a + float32(p*(b-a)) + float32(q*(c-a)) }

// In is a varying of the fragment: 0 of one that fragments do not read, and of draws with Weights.
func (f *Fragment) In(n int) (v Vec4) {
	for k := range v {
		v[k] = f.component(n, k)
	}
	return v
}

func (f *Fragment) component(n, k int) float32 {
	r := f.tri
	switch {
	case r == nil || f.call.Weights || f.used>>n&1 == 0:
		return 0
	case f.call.Flat>>n&1 != 0:
		return r.flat[n][k]
	}
	return mix3(r.c[0].out[n][k], r.c[1].out[n][k], r.c[2].out[n][k], f.p[0], f.p[1])
}

// Uses is whether fragments read a varying. It is the same for all fragments of a draw.
func (f *Fragment) Uses(n int) bool { return f.used>>n&1 != 0 }
