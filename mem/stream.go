package mem

import (
	"encoding/binary"
	"math"
)

// A Stream is an array of attributes in memory. If its Format is nil it is inactive and returns its default.
type Stream struct {
	Addr, Stride uint64 // of element 0, and the distance between elements; in bytes
	Format       *StreamFormat
	Elements     int       // 1 to 4 components in memory
	BGR          bool      // x and z are swapped
	Default      [4]uint32 // bits of the components that are not in memory
}

// A StreamFormat is the format of one component in memory.
type StreamFormat struct {
	Name  string
	Bytes int // 1, 2 or 4
	of    func(v uint32) float32
}

// The formats of components. A normalised number is the integer times the reciprocal of its largest value, rounded
// to single precision first: not a division as in textures. The most negative number is not clamped.
var streamFormats = []StreamFormat{
	{"unorm8", 1, func(v uint32) float32 { return float32(v) * (1.0 / 255) }},
	{"snorm8", 1, func(v uint32) float32 { return float32(int8(v)) * (1.0 / 127) }},
	{"unorm16", 2, func(v uint32) float32 { return float32(v) * (1.0 / 65535) }},
	{"snorm16", 2, func(v uint32) float32 { return float32(int16(v)) * (1.0 / 32767) }},
	{"unorm32", 4, func(v uint32) float32 { return float32(v) * (1.0 / (1 << 32)) }}, // 2^32-1 in single precision is 2^32
	{"snorm32", 4, func(v uint32) float32 { return float32(int32(v)) * (1.0 / (1 << 31)) }},
	{"uint8", 1, func(v uint32) float32 { return float32(v) }},
	{"sint8", 1, func(v uint32) float32 { return float32(int8(v)) }},
	{"uint16", 2, func(v uint32) float32 { return float32(v) }},
	{"sint16", 2, func(v uint32) float32 { return float32(int16(v)) }},
	{"uint32", 4, func(v uint32) float32 { return float32(v) }},
	{"sint32", 4, func(v uint32) float32 { return float32(int32(v)) }},
	{"float16", 2, func(v uint32) float32 { return floatOf(16, v) }},
	{"float32", 4, math.Float32frombits},
}

// StreamFormatOf returns the component format of that name, nil if there is none.
func StreamFormatOf(name string) *StreamFormat {
	for i := range streamFormats {
		if streamFormats[i].Name == name {
			return &streamFormats[i]
		}
	}
	return nil
}

// Bytes is the size of an element in memory.
func (s *Stream) Bytes() int {
	if s.Format == nil {
		return 0
	}
	return s.Format.Bytes * s.Elements
}

// Place returns the address of an element.
func (s *Stream) Place(index uint32) uint64 { return s.Addr + s.Stride*uint64(index) }

// Read returns an element, as bits of four floats. The fault is that of memory.
func (s *Stream) Read(space *Space, c *Cursor, index uint32) (t [4]uint32, f *Fault) {
	t = s.Default
	if s.Format == nil {
		return t, nil
	}
	b, f := space.At(c, s.Place(index), uint64(s.Bytes()), Read)
	if f != nil {
		return t, f
	}
	n := s.Format.Bytes
	for i := range s.Elements {
		var w [4]byte
		copy(w[:], b[i*n:(i+1)*n])
		t[i] = math.Float32bits(s.Format.of(binary.LittleEndian.Uint32(w[:])))
	}
	if s.BGR {
		t[0], t[2] = t[2], t[0]
	}
	return t, nil
}
