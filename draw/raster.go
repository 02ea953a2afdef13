package draw

import (
	"math"
	"math/bits"
)

// Positions in the window are integers in units of 1/256 pixel.
const (
	subBits = 8
	sub     = 1 << subBits
)

// A corner is a vertex in the window.
type corner struct {
	x, y int32 // in 1/256 pixel
	z    float32
	invW float32
	out  uint32 // the vertex whose varyings these are
}

// An exact is the additional unrounded data of a corner for draws with Weights.
type exact struct {
	fx, fy, fz    float64 // in the window
	finvW         float64
	persp, linear [3]float64 // weights of the triangle's vertices
}

// A weighed is the additional data of a triangle for draws with Weights.
type weighed struct {
	exact  [3]exact // of the corners
	params *[3][]uint32
}

// A triangle is ready to be rasterised: its corners are counter-clockwise. It is small, because a picture has many.
type triangle struct {
	box
	slopes
	c       [3]corner
	flat    uint32  // its last vertex
	area    int64   // twice the area, in 1/65536 pixel
	scaled  float32 // the same in the unit of the slopes
	signed  float32 // area in pixels, negative if the vertices are clockwise
	weighed int32   // with Weights: its index in outs.weighed
	front   bool
}

// A box is the pixels that a triangle may cover, both ends included.
type box struct{ x0, y0, x1, y1 int16 }

// ends returns the corners of the box.
func (b *box) ends() (x0, y0, x1, y1 int) { return int(b.x0), int(b.y0), int(b.x1), int(b.y1) }

// corner transforms a clipped vertex to the window: divide by w, scale, translate, in this order, each step rounded
// to float32; then to the nearest 1/256 pixel, ties to even.
func (v *Viewport) corner(p *Vec4, out uint32) corner {
	if v.Map != nil {
		return v.Map.corner(p, out, &exact{})
	}
	w := p[3]
	place := func(i, origin, size int) int32 {
		half := float32(size) / 2
		at := float32(p[i]/w*half) + (float32(origin) + half)
		return int32(math.RoundToEven(float64(at) * sub))
	}
	near, far := v.depths()
	z := float32(p[2]/w*((far-near)/2)) + (far+near)/2
	return corner{x: place(0, v.X, v.W), y: place(1, v.Y, v.H), z: z, invW: 1 / w, out: out}
}

func (v *Viewport) depths() (near, far float32) {
	if v.Near == 0 && v.Far == 0 {
		return 0, 1
	}
	return v.Near, v.Far
}

// setUp makes a triangle of three corners; false if it covers nothing or its face is culled.
func (d *Call) setUp(r *triangle, a, b, e *corner, last uint32, t *Canvas) bool {
	r.c, r.weighed = [3]corner{*a, *b, *e}, 0
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
	unit := unitOf(area)
	r.flat, r.area, r.scaled = last, area, float32(float64(area)*unit)
	v := &d.Viewport
	x0 := max(v.X, 0, int(min(c[0].x, c[1].x, c[2].x)>>subBits))
	y0 := max(v.Y, 0, int(min(c[0].y, c[1].y, c[2].y)>>subBits))
	x1 := min(v.X+v.W, t.Width, int(max(c[0].x, c[1].x, c[2].x)>>subBits)+1) - 1
	y1 := min(v.Y+v.H, t.Height, int(max(c[0].y, c[1].y, c[2].y)>>subBits)+1) - 1
	if x0 > x1 || y0 > y1 {
		return false
	}
	r.box = box{int16(x0), int16(y0), int16(x1), int16(y1)} // sides of a canvas are at most MaxSide
	r.edge(0, &c[1], &c[2], unit, d.TopDown)
	r.edge(1, &c[2], &c[0], unit, d.TopDown)
	r.edge(2, &c[0], &c[1], unit, d.TopDown)
	return true
}

// unitOf is the scale of edge functions of a triangle relative to integers: a power of two with which its area is
// at least 1, below 2. So a value divided by the area is not denormal, or 0, unless it nearly was already.
func unitOf(area int64) float64 {
	return math.Float64frombits(uint64(1024-bits.Len64(uint64(area))) << 52)
}

// edge sets up the edge opposite to corner i. A left edge goes down, a top edge to the left: their points belong to
// the triangle. With TopDown corners are clockwise, left edges go up, towards smaller y, and top edges to the
// right.
func (s *slopes) edge(i int, a, b *corner, unit float64, topDown bool) {
	dx, dy := int64(b.x-a.x), int64(b.y-a.y)
	s.dx[i], s.dy[i] = float32(float64(-dy*sub)*unit), float32(float64(dx*sub)*unit)
	s.start[i] = float64(float64(dx*(sub/2-int64(a.y))-dy*(sub/2-int64(a.x))) * unit)
	s.least[i] = 0
	if !(dy < 0 || dy == 0 && dx < 0 != topDown) {
		s.least[i] = float32(unit)
	}
}

// cross is twice the area of a triangle, positive if it is counter-clockwise.
func cross(a, b, c *corner) int64 {
	return int64(b.x-a.x)*int64(c.y-a.y) - int64(b.y-a.y)*int64(c.x-a.x)
}

// mix3 is (a + p*(b-a)) + q*(c-a).
func mix3(a, b, c, p, q float32) float32 { return a + float32(p*(b-a)) + float32(q*(c-a)) }

// In returns a varying of the fragment: 0 if fragments do not read it, and in draws with Weights.
func (f *Fragment) In(n int) (v Vec4) {
	for k := range v {
		v[k] = f.component(n, k)
	}
	return v
}

func (f *Fragment) component(n, k int) float32 {
	r, o := f.tri, f.outs
	switch {
	case r == nil || f.call.Weights || o.used>>n&1 == 0:
		return 0
	case f.call.Flat>>n&1 != 0:
		return o.of(r.flat, n)[k]
	}
	return mix3(o.of(r.c[0].out, n)[k], o.of(r.c[1].out, n)[k], o.of(r.c[2].out, n)[k], f.p[0], f.p[1])
}

// Uses reports whether fragments read a varying. It is the same for all fragments of a draw.
func (f *Fragment) Uses(n int) bool { return f.outs != nil && f.outs.used>>n&1 != 0 }
