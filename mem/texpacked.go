package mem

import "math"

// coordinates is the number of coordinates of a lane: a direction if each lane selects its face of a cube.
func (u *Unit) coordinates() int {
	if u.tex.Target == TextureCube && !u.given() {
		return 3
	}
	return u.axes
}

// Target returns the shape of the texture.
func (u *Unit) Target() Target { return u.tex.Target }

// Compares reports whether texels are replaced by the result of a comparison with a reference.
func (u *Unit) Compares() bool { return u.smp.Compare != CompareNone }

// Values is the number of values that a packed quad uses of each lane: coordinates, a layer, a reference, and, if
// lod has one, a bias or level of detail.
func (u *Unit) Values(lod LodKind) int {
	n := u.coordinates()
	if u.tex.Layers > 0 {
		n++
	}
	if u.smp.Compare != CompareNone {
		n++
	}
	if lod == LodBias || lod == LodExplicit {
		n++
	}
	return n
}

// unpacked returns the quad with its values in their fields. Those beyond the four are 0.
func (u *Unit) unpacked(q *Quad) *Quad {
	p := *q
	p.Packed = false
	for lane := range q.Coord {
		c := &q.Coord[lane]
		values := [5]float32{c[0], c[1], c[2], q.Slice[lane]}
		rest := values[u.coordinates():]
		take := func() float32 {
			if len(rest) == 0 {
				return 0
			}
			x := rest[0]
			rest = rest[1:]
			return x
		}
		p.Coord[lane] = [3]float32{}
		copy(p.Coord[lane][:], values[:u.coordinates()])
		if p.Slice[lane] = 0; u.tex.Layers > 0 {
			p.Slice[lane] = float32(math.Float32bits(take()))
		}
		if u.smp.Compare != CompareNone {
			p.Ref[lane] = take()
			if u.smp.Rules.Ref == RefThird {
				p.Coord[lane][2] = p.Ref[lane]
			}
		}
		if q.Lod == LodBias || q.Lod == LodExplicit {
			p.W[lane] = take()
		}
	}
	return &p
}

// A Spot selects a texel by integer coordinates.
type Spot struct {
	At           [3]uint32
	Slice, Level uint32  // Slice is a layer, or layer*6 + face; levels count from Texture.Base
	Offset       [3]int8 // added to At
	// Packed means that At and Slice are four values: as many coordinates as the texture has axes, a layer if it is
	// an array, a face after its layer if it is a cube, the level.
	Packed bool
	Reads  Reads // callback for the texel, as that of lane 0, if it is in guest memory; may be nil
}

// Texel returns the components of a texel, 0 if the texture has no such coordinate, slice or level. No sampler
// state is involved. The error is the *Fault of guest memory.
func (u *Unit) Texel(p *Spot) (t [4]uint32, err error) {
	at := *p
	if p.Packed {
		at = u.unpackedSpot(p)
	}
	if uint64(at.Level)+uint64(u.tex.Base) > uint64(u.tex.top()) {
		return t, nil
	}
	lv := &u.levels[int(at.Level)+u.tex.Base]
	for i := range at.At {
		if i >= u.axes {
			at.At[i] = 0
			continue
		}
		if at.At[i] += uint32(at.Offset[i]); at.At[i] >= lv.size[i] {
			return t, nil
		}
	}
	if u.tex.Layers == 0 && u.tex.Target != TextureCube {
		at.Slice = 0
	}
	if at.Slice >= uint32(u.tex.slices()) {
		return t, nil
	}
	x, err := u.fetch(lv, &at)
	for i := range t {
		t[i] = math.Float32bits(x[i])
	}
	return t, err
}

// fetch reads a texel that exists.
func (u *Unit) fetch(lv *level, p *Spot) (t [4]float32, err error) {
	if u.tex.Guest == nil {
		at := int((p.At[2]*lv.size[1]+p.At[1])*lv.size[0] + p.At[0])
		return u.tex.Format.Decode(lv.faces[p.Slice][u.tex.Format.Bytes*at:]), nil
	}
	var c Cursor
	addr := u.locate(lv, p.At[0], p.At[1], p.At[2]+p.Slice)
	b, f := u.tex.Guest.Space.At(&c, addr, uint64(u.tex.Format.Bytes), Read)
	if f != nil {
		return t, f
	}
	if p.Reads != nil {
		p.Reads(0, addr, b)
	}
	return u.tex.Format.texel(b, p.At[0], p.At[1]), nil
}

func (u *Unit) unpackedSpot(p *Spot) Spot {
	values := [5]uint32{p.At[0], p.At[1], p.At[2], p.Slice}
	s := Spot{Offset: p.Offset, Reads: p.Reads}
	n := copy(s.At[:], values[:u.axes])
	if u.tex.Layers > 0 {
		s.Slice = values[n]
		n++
	}
	if u.tex.Target == TextureCube {
		s.Slice = 6*s.Slice + values[n]
		n++
	}
	s.Level = values[n]
	return s
}
