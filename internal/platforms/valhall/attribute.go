package valhall

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/mem"
)

// Types of attributes: how the index of an element is computed from an id.
const (
	attributeOne    = 1
	attributePOT    = 2 // the id is shifted right
	attributeNPOT   = 3 // it is divided, by multiplication
	attributePacket = 6
)

// An attribute is that of a vertex or an instance: elements of a buffer.
type attribute struct {
	*mem.Unit       // for conversion
	space           *mem.Space
	format          *mem.Format
	pixel           uint32
	kind            uint32
	byInstance      bool
	shift, more, by uint32
	base, size      uint64 // of the buffer
	stride          uint64
	offset          int64
}

// newAttribute reads the buffer of an attribute descriptor.
func newAttribute(s *mem.Space, pointer uint64, d descriptor, arch int) (*attribute, error) {
	a := &attribute{space: s, kind: d.field(0, 4, 4), pixel: d.field(0, 10, 22), byInstance: d.field(1, 6, 2) == 1,
		shift: d.field(1, 24, 5), more: d.field(1, 29, 1), by: d[5], stride: uint64(d[4]), offset: int64(int32(d[2]))}
	if a.kind < attributeOne || a.kind > attributeNPOT {
		return nil, fmt.Errorf("valhall: an attribute of type %d, want 1 to 3: by number, or divided", a.kind)
	}
	b, err := lookup(s, pointer, d.field(1, 0, 6)<<valhall.HandleTable|d[3]&valhall.HandleIndex, typeBuffer)
	if err != nil {
		return nil, err
	}
	if a.base, a.size = b.pair(2), uint64(b[1]); arch >= 12 {
		a.size |= uint64(b[5]) << 32
	}
	if a.Unit, err = converter(s, a.pixel); err != nil {
		return nil, err
	}
	a.format, err = formatOf(a.pixel, plainSwizzle)
	return a, err
}

// Place returns the address of the element of a vertex, x, and an instance, y; 0 bytes: it is outside of the buffer.
func (a *attribute) Place(at [3]uint32, _, _ uint32) (addr uint64, bytes uint32) {
	id := uint64(at[0])
	if a.byInstance {
		id = uint64(at[1])
	}
	switch a.kind {
	case attributePOT:
		id >>= a.shift
	case attributeNPOT: // the highest bit of the factor is implicit
		id = (id + uint64(a.more)) * uint64(a.by|1<<31) >> (32 + a.shift)
	}
	n := int64(a.format.Bytes)
	first := int64(id*a.stride) + a.offset
	if id > math.MaxUint32 || first < 0 || first > int64(a.size)-n {
		return 0, 0
	}
	return a.base + uint64(first), uint32(n)
}

// Texel returns the components of an element; outside of the buffer they are 0.
func (a *attribute) Texel(p *mem.Spot) (t [4]uint32, err error) {
	addr, n := a.Place(p.At, 0, 0)
	if n == 0 {
		return t, nil
	}
	var c mem.Cursor
	b, f := a.space.At(&c, addr, uint64(n), mem.Read)
	if f != nil {
		return t, f
	}
	for i, x := range a.format.Decode(b) {
		t[i] = math.Float32bits(x)
	}
	return t, nil
}

// Dims returns the conversion: an attribute has no size.
func (a *attribute) Dims(level uint32) (d [4]uint32) {
	if level == valhall.ConversionOf {
		d[0] = a.pixel
	}
	return d
}
