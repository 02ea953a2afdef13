package mem

import (
	"math"
	"math/bits"
)

// Fast paths for the most frequent textures: two axes, four bytes per texel, in memory of their own. Texels of
// these that are within the level are read here, with the same results as Format.Decode and mixFour.

// quick reports whether four and nearest can read the texels.
func (u *Unit) quick() bool {
	f := u.tex.Format
	return u.axes == 2 && u.plain && !u.raw && u.tex.Guest == nil && f.fourBytes() && !u.seams() && u.smp.Rules.Mix != MixAxes
}

// fourBytes reports whether the components are the four bytes of a texel, in order, from 0 to 1.
func (f *Format) fourBytes() bool {
	return f.Blocks == nil && f.Bytes == 4 && f.Comp == [4]Component{{Unorm, 0, 8}, {Unorm, 8, 8}, {Unorm, 16, 8}, {Unorm, 24, 8}}
}

// fourBytes is the texel with a number.
func fourBytes(data []byte, n uint32) *[4]byte { return (*[4]byte)(data[4*uint64(n):]) }

// nearest reads the texel i, j; false if there is none.
func (lv *level) nearest(t *[4]float32, face int, i, j uint32) bool {
	if i >= lv.size[0] || j >= lv.size[1] {
		return false
	}
	b := fourBytes(lv.faces[face], j*lv.size[0]+i)
	*t = [4]float32{unorm8[b[0]], unorm8[b[1]], unorm8[b[2]], unorm8[b[3]]}
	return true
}

// four is mixFour of the texels at i0 and i1 in rows j0 and j1; false if one of them does not exist.
func (lv *level) four(t *[4]float32, face int, i0, i1, j0, j1 uint32, a, b float32) bool {
	w, h := lv.size[0], lv.size[1]
	if i0 >= w || i1 >= w || j0 >= h || j1 >= h {
		return false
	}
	data := lv.faces[face]
	t00, t10 := fourBytes(data, j0*w+i0), fourBytes(data, j0*w+i1)
	t01, t11 := fourBytes(data, j1*w+i0), fourBytes(data, j1*w+i1)
	na, nb := 1-a, 1-b
	for i := range t {
		t[i] = float32(float32(unorm8[t00[i]]*na)*nb) + float32(float32(unorm8[t10[i]]*a)*nb) +
			float32(float32(unorm8[t01[i]]*na)*b) + float32(float32(unorm8[t11[i]]*a)*b)
	}
	return true
}

// sampleQuick is Sample of a plain 2D texture by a sampler without anisotropy, without offsets per lane; false for
// other samples, or for a texel that does not exist.
func (u *Unit) sampleQuick(q *Quad) bool {
	if !u.brief || q.Packed || q.Lod == LodSlopes || q.Offset != [4][3]int8{} {
		return false
	}
	log := 0.0
	if q.Lod == LodImplicit || q.Lod == LodBias {
		log = u.logOfPlane(q)
	}
	var v view
	at := float32(math.NaN()) // the level of detail of v
	for need := q.Need & 15; need != 0; need &= need - 1 {
		lane := bits.TrailingZeros8(need)
		if _, lod := u.lod(log, lane, q); lod != at {
			v, at = u.choose(lod), lod
		}
		var t [4]float32
		if !u.texelQuick(&t, &v, q.Coord[lane&3][0], q.Coord[lane&3][1]) {
			return false
		}
		for i, x := range t {
			q.Texel[lane&3][i] = math.Float32bits(0 + x)
		}
	}
	q.Fault = nil
	return true
}

// logOfPlane computes the level of detail of two axes without bias, as scale and measure do.
func (u *Unit) logOfPlane(q *Quad) float64 {
	var dx, dy [2]float32
	for i := range dx {
		n := float32(u.levels[0].size[i])
		at := float32(q.Coord[0][i] * n)
		dx[i], dy[i] = float32(q.Coord[1][i]*n)-at, float32(q.Coord[2][i]*n)-at
	}
	long := func(d *[2]float32) float32 {
		return float32(math.Sqrt(float64(float32(d[0]*d[0]) + float32(d[1]*d[1]))))
	}
	return log2(float64(larger(long(&dx), long(&dy))))
}

// texelQuick is mixLevels; false if a texel does not exist.
func (u *Unit) texelQuick(t *[4]float32, v *view, x, y float32) bool {
	if !u.levelQuick(t, v.filter, v.first, x, y) {
		return false
	}
	if v.weight > 0 {
		var t2 [4]float32
		if !u.levelQuick(&t2, v.filter, v.second, x, y) {
			return false
		}
		for i := range t {
			t[i] = float32(t[i]*(1-v.weight)) + float32(t2[i]*v.weight)
		}
	}
	return true
}

func (u *Unit) levelQuick(t *[4]float32, f Filter, l int, x, y float32) bool {
	lv := &u.levels[l]
	i0, i1, a := u.along(0, x, lv.size[0], f, 0)
	j0, j1, b := u.along(1, y, lv.size[1], f, 0)
	if f == Nearest {
		return lv.nearest(t, 0, i0, j0)
	}
	return lv.four(t, 0, i0, i1, j0, j1, a, b)
}
