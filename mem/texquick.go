package mem

// Most textures are of two axes, hold four bytes a texel and lie in memory of their own. Texels of these that are within the level are
// read here, with the bits that Format.Decode and mixFour give.

// quick reports whether texels can be read by four and nearest.
func (u *Unit) quick() bool {
	f := u.tex.Format
	return u.axes == 2 && u.plain && !u.raw && u.tex.Guest == nil && f.bytes && f.Bytes == 4 && !u.seams() && u.smp.Rules.Mix != MixAxes &&
		f.Comp == [4]Component{{Unorm, 0, 8}, {Unorm, 8, 8}, {Unorm, 16, 8}, {Unorm, 24, 8}}
}

// fourBytes is the texel with a number.
func fourBytes(data []byte, n uint32) *[4]byte { return (*[4]byte)(data[4*uint64(n):]) }

// nearest is the texel i, j; false if there is none.
func (lv *level) nearest(face int, i, j uint32) (t [4]float32, ok bool) {
	if i >= lv.size[0] || j >= lv.size[1] {
		return t, false
	}
	b := fourBytes(lv.faces[face], j*lv.size[0]+i)
	return [4]float32{unorm8[b[0]], unorm8[b[1]], unorm8[b[2]], unorm8[b[3]]}, true
}

// four is mixFour; false if one of the texels is not there.
func (lv *level) four(face int, p, q *axisPos) (t [4]float32, ok bool) {
	w, h := lv.size[0], lv.size[1]
	if p.i[0] >= w || p.i[1] >= w || q.i[0] >= h || q.i[1] >= h {
		return t, false
	}
	data := lv.faces[face]
	t00, t10 := fourBytes(data, q.i[0]*w+p.i[0]), fourBytes(data, q.i[0]*w+p.i[1])
	t01, t11 := fourBytes(data, q.i[1]*w+p.i[0]), fourBytes(data, q.i[1]*w+p.i[1])
	a, b := p.w, q.w
	na, nb := 1-a, 1-b
	for i := range t {
		t[i] = float32(float32(unorm8[t00[i]]*na)*nb) + float32(float32(unorm8[t10[i]]*a)*nb) +
			float32(float32(unorm8[t01[i]]*na)*b) + float32(float32(unorm8[t11[i]]*a)*b)
	}
	return t, true
}
