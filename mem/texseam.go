package mem

import "math"

// Filters that continue across the edges of a cube's faces.

// seams reports whether filters do that.
func (u *Unit) seams() bool {
	return u.smp.Rules.Seam == SeamAcross && u.given() && !u.smp.Unnormalised
}

// bySeam finds the place along an axis of a face of n texels. Texels -1 and n, as unsigned numbers, are on other
// faces.
func bySeam(x float32, n uint32) (p axisPos) {
	x = float32(x*float32(n)) - 0.5
	whole := math.Floor(float64(x))
	i := int32(-1) // NaN
	if whole >= 0 {
		i = int32(min(whole, float64(n)-1))
	}
	p.i = [2]uint32{uint32(i), uint32(i + 1)}
	p.w = x - float32(whole)
	return p
}

// across returns texel i, j of a face, where one or both are -1 or the size: the texel of the adjacent face in that
// direction.
func (s *quadSample) across(lv *level, i, j int32) [4]float32 {
	n := int32(lv.size[0])
	if (i < 0 || i >= n) && (j < 0 || j >= n) {
		j = min(max(j, 0), n-1) // a corner has no texel of its own
	}
	face := s.face % 6
	a := &faceAxes[face]
	at := func(k int32, negative bool) float32 { // of the centre of a texel, from -1 to 1 on the face
		x := float32(2*k+1)/float32(n) - 1
		if negative {
			return -x
		}
		return x
	}
	var d [3]float32
	d[face/2] = float32(1 - 2*(face&1))
	d[a.s], d[a.t] = at(i, a.negS), at(j, a.negT)
	next := quadSample{coord: [4][3]float32{d}}
	next.project(faceOf(&d))
	on := func(x float32) uint32 { return uint32(min(max(int32(x*float32(n)), 0), n-1)) }
	keep := s.face
	s.face = s.face - face + next.face
	t := s.texel(lv, on(next.coord[0][0]), on(next.coord[0][1]), 0)
	s.face = keep
	return t
}

// corner replaces a texel beyond two edges by the mean of the other three.
func (s *quadSample) corner(lv *level, p *[3]axisPos, t *[8][4]float32) {
	if !s.u.seams() {
		return
	}
	n := lv.size[0]
	for k := range 4 {
		if p[0].i[k&1] < n || p[1].i[k>>1] < n {
			continue
		}
		for c := range 4 {
			t[k][c] = (t[k^1][c] + t[k^2][c] + t[k^3][c]) / 3
		}
	}
}
