package mem

import (
	"encoding/binary"
	"math"

	"github.com/heddle-gpu/heddle/num"
)

// Place is where in guest memory the texel at whole coordinates lies, and how many bytes it has; 0 bytes if there is
// none: a coordinate, slice or level that the texture lacks. Levels count from Texture.Base up. slice is layer*6 + face,
// or layer; that of a texture which is no array and no cube does not matter. Of blocks a texel has no place.
func (u *Unit) Place(at [3]uint32, slice, level uint32) (addr uint64, bytes uint32) {
	if u.tex.Guest == nil || u.tex.Format.Blocks != nil || uint64(level)+uint64(u.tex.Base) > uint64(u.tex.top()) {
		return 0, 0
	}
	lv := &u.levels[int(level)+u.tex.Base]
	for i := range at {
		if i >= u.axes {
			at[i] = 0
		}
		if at[i] >= lv.size[i] {
			return 0, 0
		}
	}
	if u.tex.Layers == 0 && u.tex.Target != TextureCube {
		slice = 0
	}
	if slice >= uint32(u.tex.slices()) {
		return 0, 0
	}
	return u.address(lv, at[0], at[1], at[2]+slice), uint32(u.tex.Format.Bytes)
}

// top is the highest level in use.
func (t *Texture) top() int { return min(t.Last, t.levels()-1) }

// Dims is how many texels a level has along x, y and z, and how many levels there are from Texture.Base up. Of an array
// the layers take the place of the first axis that its layers lack. What lies above the last level is 0.
func (u *Unit) Dims(level uint32) (d [4]uint32) {
	d[3] = uint32(u.tex.top() - u.tex.Base + 1)
	if level >= d[3] {
		return d
	}
	lv := &u.levels[int(level)+u.tex.Base]
	copy(d[:3], lv.size[:])
	if u.tex.Layers > 0 {
		d[u.axes] = uint32(u.tex.Layers)
	}
	return d
}

// Decode is the texel in raw bytes, little-endian words, as bits of floats or of integers.
func (u *Unit) Decode(raw [4]uint32) (t [4]uint32) {
	var b [16]byte
	for i, w := range raw {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	for i, x := range u.tex.Format.Decode(b[:]) {
		t[i] = math.Float32bits(x)
	}
	return t
}

// Encode is the inverse of Decode; the error is that of Format.Stores.
func (u *Unit) Encode(t [4]uint32) (raw [4]uint32, err error) {
	if err := u.tex.Format.Stores(); err != nil {
		return raw, err
	}
	var b [16]byte
	u.tex.Format.Encode(b[:], t)
	for i := range raw {
		raw[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return raw, nil
}

// Narrow is components as 16 bits: floats rounded to nearest even, of integers the low bits. Widen is the other way
// round: integers are extended as the format has them.
func (u *Unit) Narrow(t [4]uint32) [4]uint32 {
	for i, x := range t {
		if u.raw {
			t[i] = x & 0xffff
		} else {
			t[i] = uint32(num.FCvt(32, 16, num.ModeSet|num.RNE, uint64(x)))
		}
	}
	return t
}

// Widen is components of 16 bits, in the low halves, as 32 bits.
func (u *Unit) Widen(t [4]uint32) [4]uint32 {
	signed := u.tex.Format.signed()
	for i, x := range t {
		switch {
		case u.raw && signed:
			t[i] = uint32(int32(int16(x)))
		case u.raw:
			t[i] = x & 0xffff
		default:
			t[i] = uint32(num.FCvt(16, 32, num.ModeSet, uint64(x&0xffff)))
		}
	}
	return t
}

// signed is whether components are signed integers.
func (f *Format) signed() bool {
	for _, c := range f.Comp {
		if c.Conv == SInt {
			return true
		}
	}
	return false
}
