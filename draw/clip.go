package draw

import "math"

// guard is how far triangles may extend beyond the picture, in pixels, without being clipped. Farther out,
// positions in fixed point would not fit. Within the guard band, pixels outside the picture are simply not
// rasterised.
const guard = 1 << 14

// A plane is a linear function of a position; positions where it is not negative are kept.
type plane [4]float32

func (p *plane) at(v *Vec4) float32 {
	return float32(float32(p[0]*v[0])+float32(p[1]*v[1])) + float32(float32(p[2]*v[2])+float32(p[3]*v[3]))
}

// planes are the clip planes: near (z >= -w, or 0), far (z <= w), the guard band in x and y, and w at least minW,
// so that dividing is safe.
func (v *Viewport) planes() []plane {
	near, far := plane{0, 0, 1, 1}, plane{0, 0, -1, 1}
	if m := v.Map; m != nil {
		if m.ZeroToOne {
			near[3] = 0
		}
		if m.NoNear {
			near = plane{}
		}
		if m.NoFar {
			far = plane{}
		}
	}
	w, h := float32(max(v.W, 1)), float32(max(v.H, 1))
	if m := v.Map; m != nil {
		w, h = max(2*m.Scale[0], -2*m.Scale[0], 1), max(2*m.Scale[1], -2*m.Scale[1], 1)
	}
	gx, gy := guard/w, guard/h
	return []plane{near, far, {1, 0, 0, gx}, {-1, 0, 0, gx}, {0, 1, 0, gy}, {0, -1, 0, gy}}
}

// minW is the smallest w of a vertex that is drawn.
const minW = 1.0 / (1 << 20)

// clip clips a triangle to the polygon inside all planes, at most 10 vertices, none if nothing is left. A new
// vertex is on an edge from a vertex inside (a) to one outside (b) at a + t*(b-a), t = d(a) / (d(a)-d(b)), which is
// the same for both triangles that share the edge.
func (v *Viewport) clip(tri [3]Vertex) []Vertex {
	poly := tri[:]
	for i := range poly {
		if !finite(&poly[i].Position) {
			return nil
		}
	}
	for _, p := range v.planes() {
		poly = cut(poly, func(v *Vertex) float32 { return p.at(&v.Position) })
	}
	poly = cut(poly, func(v *Vertex) float32 { return v.Position[3] - minW })
	if len(poly) < 3 {
		return nil
	}
	return poly
}

// finite reports whether all components are finite.
func finite(at *Vec4) bool {
	for _, x := range at {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}

// cut returns the part of a polygon where d is not negative.
func cut(poly []Vertex, d func(*Vertex) float32) []Vertex {
	inside := true
	for i := range poly {
		inside = inside && d(&poly[i]) >= 0
	}
	if inside {
		return poly
	}
	var out []Vertex
	for i := range poly {
		a, b := &poly[i], &poly[(i+1)%len(poly)]
		da, db := d(a), d(b)
		if da >= 0 {
			out = append(out, *a)
		}
		switch {
		case da >= 0 && db < 0:
			out = append(out, between(a, b, da/(da-db)))
		case da < 0 && db >= 0:
			out = append(out, between(b, a, db/(db-da)))
		}
	}
	return out
}

// between interpolates: a + t*(b-a).
func between(a, b *Vertex, t float32) (v Vertex) {
	v.Position = lerp4(&a.Position, &b.Position, t)
	for i := range v.Out {
		v.Out[i] = lerp4(&a.Out[i], &b.Out[i], t)
	}
	for i := range v.weight {
		v.weight[i] = a.weight[i] + float64(float64(t)*(b.weight[i]-a.weight[i]))
	}
	return v
}

func lerp4(a, b *Vec4, t float32) (v Vec4) {
	for k := range v {
		v[k] = a[k] + float32(t*(b[k]-a[k]))
	}
	return v
}
