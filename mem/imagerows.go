package mem

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// Image ops of whole waves: Block, Decode and Encode of many lanes in one call. What depends on the texture alone is
// decided once per call, or once per unit. Values of lanes beyond n are undefined.

// A Row is a value of each lane of a wave.
type Row = [rowLanes]uint32

// Spots are texels by integer coordinates, one per lane.
type Spots struct {
	At           [3]*Row // those of axes that the texture does not have are ignored
	Slice, Level *Row
}

// BlockRows is Block for the lanes of need: the low and the high half of the address, and the size in bytes.
func (u *Unit) BlockRows(s *Spots, need uint64, to *[4]Row) {
	n := bits.Len64(need)
	level, ok := s.level(need)
	if !ok || !u.flat(level) {
		for lane := range n {
			addr, bytes := u.Block([3]uint32{s.At[0][lane], s.At[1][lane], s.At[2][lane]}, s.Slice[lane], s.Level[lane])
			to[0][lane], to[1][lane], to[2][lane] = uint32(addr), uint32(addr>>32), bytes
		}
		return
	}
	lv := &u.levels[int(level)+u.tex.Base]
	width, height, size := lv.size[0], lv.size[1], u.tex.Format.Bytes
	base, row, step := u.address(lv, 0, 0, 0), lv.plane.Row, max(uint64(size), lv.plane.Texel)
	for lane := range n {
		x, y := s.At[0][lane], s.At[1][lane]
		addr, bytes := base+uint64(y)*row+uint64(x)*step, uint32(size)
		if x >= width || y >= height {
			addr, bytes = 0, 0
		}
		to[0][lane], to[1][lane], to[2][lane] = uint32(addr), uint32(addr>>32), bytes
	}
}

// level returns the level of the lanes of need, if they have the same.
func (s *Spots) level(need uint64) (level uint32, same bool) {
	level = s.Level[bits.TrailingZeros64(need)&(rowLanes-1)]
	for ; need != 0; need &= need - 1 {
		if s.Level[bits.TrailingZeros64(need)&(rowLanes-1)] != level {
			return 0, false
		}
	}
	return level, true
}

// flat reports whether the level exists in guest memory, and its texels are in rows of one slice.
func (u *Unit) flat(level uint32) bool {
	if u.tex.Guest == nil || uint64(level)+uint64(u.tex.Base) > uint64(u.tex.top()) {
		return false
	}
	p := &u.levels[int(level)+u.tex.Base].plane
	return u.axes == 2 && u.tex.Target != TextureCube && u.tex.Layers == 0 && p.Swizzle == nil && !p.Twiddled && u.tex.Format.Blocks == nil
}

// Places reports whether Place is Block: the format has no blocks of texels.
func (u *Unit) Places() bool { return u.tex.Format.Blocks == nil }

// TexelBytes returns the size of a texel, or of a block of texels.
func (u *Unit) TexelBytes() uint32 { return uint32(u.tex.Format.Bytes) }

// DecodeRows is Decode for the lanes below n; to must not be raw. It returns false if the format has blocks of texels.
func (u *Unit) DecodeRows(raw *[4]*Row, n int, to *[4]Row) bool {
	f := u.tex.Format
	if f.Blocks != nil {
		return false
	}
	n = min(n, rowLanes)
	for i := range to {
		if c := &u.fields[i]; !c.decode(raw, to[i][:n]) {
			for lane := range n {
				to[i][lane] = u.Decode([4]uint32{raw[0][lane], raw[1][lane], raw[2][lane], raw[3][lane]}, 0, 0)[i]
			}
		}
	}
	return true
}

// EncodeRows is Encode for the lanes below n; to must not be t. It returns false if the format has no such rule, or if
// components cross words.
func (u *Unit) EncodeRows(t *[4]*Row, n int, to *[4]Row) bool {
	if u.tex.Format.Stores() != nil {
		return false
	}
	for i := range u.fields {
		if u.fields[i].how == fieldOther && u.fields[i].Bits > 0 {
			return false
		}
	}
	n = min(n, rowLanes)
	for i := range to {
		clear(to[i][:n])
	}
	for i := len(u.fields) - 1; i >= 0; i-- {
		if c := &u.fields[i]; c.Bits > 0 {
			c.encode(t[i][:n], to[c.word][:n])
		}
	}
	return true
}

// A field is a component of a format, prepared for rows.
type field struct {
	Component
	how   fieldKind
	word  uint8 // that has its bits
	shift uint8
	mask  uint32
	value uint32       // of fieldConstant
	table *[256]uint32 // of fieldTable
}

type fieldKind uint8

const (
	fieldOther    fieldKind = iota // lane by lane
	fieldConstant                  // the same for all texels
	fieldBits                      // the bits as they are
	fieldTable                     // up to 8 bits
	fieldConvert                   // more
)

// fieldsOf prepares the components of a format.
func fieldsOf(f *Format) (fields [4]field) {
	for i := range fields {
		c := &fields[i]
		c.Component = f.Comp[i]
		c.word, c.shift, c.mask = c.At/32, c.At%32, uint32(uint64(1)<<c.Bits-1)
		switch {
		case f.Blocks != nil || c.Conv == SharedExp || c.shift+c.Bits > 32:
		case c.Bits == 0:
			c.how, c.value = fieldConstant, math.Float32bits(c.convert(0))
		case c.Conv == UInt || c.Conv == Float && c.Bits == 32:
			c.how = fieldBits
		case c.Bits <= 8:
			c.how, c.table = fieldTable, tableOf(c.Conv, c.Bits)
		default:
			c.how = fieldConvert
		}
	}
	return fields
}

// decode converts a row; false if the field is not prepared.
func (c *field) decode(raw *[4]*Row, to []uint32) bool {
	from := raw[c.word&3][:len(to)]
	switch c.how {
	case fieldConstant:
		for lane := range to {
			to[lane] = c.value
		}
	case fieldBits:
		for lane, w := range from {
			to[lane] = w >> (c.shift & 31) & c.mask
		}
	case fieldTable:
		for lane, w := range from {
			to[lane] = c.table[uint8(w>>(c.shift&31)&c.mask)]
		}
	case fieldConvert:
		for lane, w := range from {
			to[lane] = math.Float32bits(c.convert(w >> (c.shift & 31) & c.mask))
		}
	}
	return c.how != fieldOther
}

// encode writes a component to its bits of a word.
func (c *field) encode(t, to []uint32) {
	keep, shift, to := ^(c.mask << (c.shift & 31)), c.shift&31, to[:len(t)]
	switch {
	case c.how == fieldBits && c.Conv == Float:
		copy(to, t)
	case c.Conv == Unorm:
		top := float64(c.mask)
		for lane, x := range t {
			to[lane] = to[lane]&keep | uint32(scaled(x, 0, 1, top))<<shift
		}
	default:
		for lane, x := range t {
			to[lane] = to[lane]&keep | c.Component.encode(x)&c.mask<<shift
		}
	}
}

// tables are the values of components of up to eight bits, by conversion and number of bits, each made on first use.
var tables [numConvs][9]atomic.Pointer[[256]uint32]

// tableOf returns the values of a component.
func tableOf(conv Conv, bits uint8) *[256]uint32 {
	t := &tables[conv][bits]
	if values := t.Load(); values != nil {
		return values
	}
	c, values := Component{Conv: conv, Bits: bits}, new([256]uint32)
	for v := range uint32(1) << bits {
		values[v] = math.Float32bits(c.convert(v))
	}
	t.Store(values)
	return values
}
