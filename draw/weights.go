package draw

import "math"

// exactly is corner that also returns unrounded data, if there is a Map.
func (v *Viewport) exactly(p *Vec4, x *exact) corner {
	if v.Map != nil {
		return v.Map.corner(p, 0, x)
	}
	return v.corner(p, 0)
}

// corner transforms a vertex to the window, in float64; then to the nearest 1/256 pixel, ties to even. x receives
// the unrounded data.
func (m *Map) corner(p *Vec4, out uint32, x *exact) (c corner) {
	w := float64(p[3])
	at := func(i int) float64 {
		return float64(float64(p[i])/w*float64(m.Scale[i])) + float64(m.Offset[i])
	}
	*x = exact{fx: at(0), fy: at(1), fz: at(2), finvW: 1 / w}
	c.x, c.y = int32(math.RoundToEven(x.fx*sub)), int32(math.RoundToEven(x.fy*sub))
	c.z, c.invW, c.out = float32(x.fz), float32(x.finvW), out
	return c
}

// sound reports whether positions that are not clipped fit.
func (m *Map) sound() bool {
	for i := range 3 {
		for _, x := range [2]float32{m.Scale[i], m.Offset[i]} {
			if !(math.Abs(float64(x)) <= MaxSide) {
				return false
			}
		}
	}
	return true
}

// share computes the weights of the triangle's vertices, whose w are given, in the corner. With perspective these
// are the weights of clipping; for linear interpolation in the window each is multiplied by its vertex's w.
func (c *exact) share(p *Vertex, w *[3]float64) {
	c.persp = p.weight
	sum := 0.0
	for i := range w {
		c.linear[i] = p.weight[i] * w[i]
		sum += c.linear[i]
	}
	for i := range w {
		c.linear[i] /= sum
	}
}

// weigh fills in the depth, 1/w, weights and parameters of a fragment at the centre of its pixel. All in float64,
// each step rounded:
//
//	l[i] = area of the triangle with the pixel in place of corner i / area of the triangle
//	depth, 1/w, linear = sum of l[i] * that of corner i
//	persp = sum of l[i] * (1/w)[i] * that of corner i / sum of l[i] * (1/w)[i]
func (r *triangle) weigh(f *Fragment) {
	w := &f.outs.weighed[r.weighed]
	l := r.shares(w, float64(f.X)+0.5, float64(f.Y)+0.5)
	var z, sum float64
	var persp, linear [3]float64
	for i := range l {
		c := &w.exact[i]
		q := float64(l[i] * c.finvW)
		z += float64(l[i] * c.fz)
		sum += q
		for k := 1; k < len(persp); k++ { // the first is what the others leave of 1
			persp[k] += float64(q * c.persp[k])
			linear[k] += float64(l[i] * c.linear[k])
		}
	}
	f.Depth, f.InvW = float32(z), float32(sum)
	f.Persp = [2]float32{float32(persp[1] / sum), float32(persp[2] / sum)}
	f.Linear = [2]float32{float32(linear[1]), float32(linear[2])}
	f.Front, f.Area, f.Params = r.front, r.signed, w.params
}

// shares are the weights of the corners at a point. If rounding has reversed a triangle or made it from nothing,
// the rounded corners are used.
func (r *triangle) shares(w *weighed, x, y float64) (l [3]float64) {
	var px, py [3]float64
	for i := range r.c {
		px[i], py[i] = w.exact[i].fx, w.exact[i].fy
	}
	area := float64((px[1]-px[0])*(py[2]-py[0])) - float64((px[2]-px[0])*(py[1]-py[0]))
	if !(area > 0) {
		for i := range r.c {
			px[i], py[i] = float64(r.c[i].x)/sub, float64(r.c[i].y)/sub
		}
		area = float64(r.area) / (sub * sub)
	}
	for i := range l {
		a, b := (i+1)%3, (i+2)%3
		l[i] = (float64((px[a]-x)*(py[b]-y)) - float64((px[b]-x)*(py[a]-y))) / area
	}
	return l
}
