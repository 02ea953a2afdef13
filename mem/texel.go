package mem

import (
	"encoding/binary"
	"math"

	"github.com/heddle-gpu/heddle/num"
)

// Place returns the address of the texel at integer coordinates in guest memory, and its size in bytes; 0 bytes if
// there is none, because the texture has no such coordinate, slice or level. Levels count from Texture.Base. slice
// is layer*6 + face, or layer; it is ignored for a texture that is neither array nor cube. Texels of block formats
// have no address.
func (u *Unit) Place(at [3]uint32, slice, level uint32) (addr uint64, bytes uint32) {
	if u.tex.Format.Blocks != nil {
		return 0, 0
	}
	return u.Block(at, slice, level)
}

// Block is as Place, but a texel of a block format has the address and the size of its block.
func (u *Unit) Block(at [3]uint32, slice, level uint32) (addr uint64, bytes uint32) {
	if u.tex.Guest == nil || uint64(level)+uint64(u.tex.Base) > uint64(u.tex.top()) {
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
	return u.locate(lv, at[0], at[1], at[2]+slice), uint32(u.tex.Format.Bytes)
}

// top is the highest level in use.
func (t *Texture) top() int { return min(t.Last, t.levels()-1) }

// Dims returns the number of texels of a level along x, y and z, and the number of levels starting at Texture.Base.
// For an array the number of layers replaces the first axis that its layers do not have. It is 0 above the last
// level.
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

// Decode converts raw bytes, little-endian words, to a texel, as bits of floats or of integers. If they are a block, x
// and y say which of its texels: coordinates in the image.
func (u *Unit) Decode(raw [4]uint32, x, y uint32) (t [4]uint32) {
	var b [16]byte
	for i, w := range raw {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	for i, c := range u.tex.Format.texel(b[:], x, y) {
		t[i] = math.Float32bits(c)
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

// Narrow converts components to 16 bits: floats are rounded to nearest even, integers truncated. Widen is the
// opposite: integers are extended as the format defines.
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

// Widen converts components of 16 bits, in the low halves, to 32 bits.
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

// signed reports whether components are signed integers.
func (f *Format) signed() bool {
	for _, c := range f.Comp {
		if c.Conv == SInt {
			return true
		}
	}
	return false
}
