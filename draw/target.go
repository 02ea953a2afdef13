package draw

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/num"
)

// MaxTargets is the maximum number of colour targets of a canvas.
const MaxTargets = 8

// A Pixel is the colour for a target: red, green, blue, alpha as bits: of float32 for formats of numbers, else of
// integers.
type Pixel = [4]uint32

// A Target stores colours of one format.
type Target struct {
	Format *Format
	Data   []byte // Format.Bytes() per pixel, little-endian, rows in the order of the canvas
}

// A TargetState is the state of a draw for a target.
type TargetState struct {
	Blend Blend // not for integers
	Mask  uint8 // channels that are not written: bit 0 red to bit 3 alpha
}

// A Format is the layout of a target's pixels: channels of one kind, red first.
type Format struct {
	Name     string
	Channels int
	Bits     int // of a channel: 8, 16 or 32
	Kind     Kind
}

// A Kind is the interpretation of the bits of a channel.
type Kind uint8

const (
	Unorm Kind = iota // 0 to 1
	Snorm             // -1 to 1
	Uint
	Sint
	Float
)

// formats are the formats of targets, by name.
var formats = []Format{
	{"r8_unorm", 1, 8, Unorm}, {"rg8_unorm", 2, 8, Unorm}, {"rgba8_unorm", 4, 8, Unorm},
	{"r8_snorm", 1, 8, Snorm}, {"rg8_snorm", 2, 8, Snorm}, {"rgba8_snorm", 4, 8, Snorm},
	{"r8_uint", 1, 8, Uint}, {"rg8_uint", 2, 8, Uint}, {"rgba8_uint", 4, 8, Uint},
	{"r8_sint", 1, 8, Sint}, {"rg8_sint", 2, 8, Sint}, {"rgba8_sint", 4, 8, Sint},
	{"r16_unorm", 1, 16, Unorm}, {"rg16_unorm", 2, 16, Unorm}, {"rgba16_unorm", 4, 16, Unorm},
	{"r16_snorm", 1, 16, Snorm}, {"rg16_snorm", 2, 16, Snorm}, {"rgba16_snorm", 4, 16, Snorm},
	{"r16_uint", 1, 16, Uint}, {"rg16_uint", 2, 16, Uint}, {"rgba16_uint", 4, 16, Uint},
	{"r16_sint", 1, 16, Sint}, {"rg16_sint", 2, 16, Sint}, {"rgba16_sint", 4, 16, Sint},
	{"r16_float", 1, 16, Float}, {"rg16_float", 2, 16, Float}, {"rgba16_float", 4, 16, Float},
	{"r32_uint", 1, 32, Uint}, {"rg32_uint", 2, 32, Uint}, {"rgba32_uint", 4, 32, Uint},
	{"r32_sint", 1, 32, Sint}, {"rg32_sint", 2, 32, Sint}, {"rgba32_sint", 4, 32, Sint},
	{"r32_float", 1, 32, Float}, {"rg32_float", 2, 32, Float}, {"rgba32_float", 4, 32, Float},
}

// FormatOf returns a format of targets by its name, such as rgba8_unorm; nil if there is none.
func FormatOf(name string) *Format {
	for i := range formats {
		if formats[i].Name == name {
			return &formats[i]
		}
	}
	return nil
}

// Bytes is the size of a pixel.
func (f *Format) Bytes() int { return f.Channels * f.Bits / 8 }

// Integer reports whether channels are integers.
func (f *Format) Integer() bool { return f.Kind == Uint || f.Kind == Sint }

// Store writes the channels of a pixel that are not in mask. Numbers are clamped to the range of a channel, a NaN
// is 0 if the format has none, and rounded to nearest, ties to even; integers are clamped.
func (f *Format) Store(data []byte, p *Pixel, mask uint8) {
	for k := range f.Channels {
		if mask>>k&1 != 0 {
			continue
		}
		v := f.encode(p[k])
		switch at := data[k*f.Bits/8:]; f.Bits {
		case 8:
			at[0] = byte(v)
		case 16:
			binary.LittleEndian.PutUint16(at, uint16(v))
		default:
			binary.LittleEndian.PutUint32(at, v)
		}
	}
}

// Load returns the pixel that Store has written. Channels that the format does not have are 0, 0, 0, 1.
func (f *Format) Load(data []byte) (p Pixel) {
	p[3] = math.Float32bits(1)
	if f.Integer() {
		p[3] = 1
	}
	for k := range f.Channels {
		var v uint32
		switch at := data[k*f.Bits/8:]; f.Bits {
		case 8:
			v = uint32(at[0])
		case 16:
			v = uint32(binary.LittleEndian.Uint16(at))
		default:
			v = binary.LittleEndian.Uint32(at)
		}
		p[k] = f.decode(v)
	}
	return p
}

func (f *Format) encode(bits uint32) uint32 {
	x := float64(math.Float32frombits(bits))
	top := float64(uint64(1)<<f.Bits - 1)
	switch {
	case f.Kind == Float && f.Bits == 16:
		return uint32(num.FCvt(32, 16, num.ModeSet, uint64(bits)))
	case f.Kind == Unorm:
		return uint32(math.RoundToEven(clampTo(x, 0, 1) * top))
	case f.Kind == Snorm:
		return uint32(int32(math.RoundToEven(clampTo(x, -1, 1) * math.Floor(top/2))))
	case f.Kind == Uint && f.Bits < 32:
		return min(bits, uint32(top))
	case f.Kind == Sint && f.Bits < 32:
		limit := int32(1) << (f.Bits - 1)
		return uint32(min(max(int32(bits), -limit), limit-1))
	}
	return bits
}

func (f *Format) decode(v uint32) uint32 {
	signed := int32(v<<(32-f.Bits)) >> (32 - f.Bits)
	top := float64(uint64(1)<<f.Bits - 1)
	switch {
	case f.Kind == Float && f.Bits == 16:
		return uint32(num.FCvt(16, 32, num.ModeSet, uint64(v)))
	case f.Kind == Unorm:
		return math.Float32bits(float32(float64(v) / top))
	case f.Kind == Snorm:
		return math.Float32bits(float32(max(float64(signed)/math.Floor(top/2), -1)))
	case f.Kind == Sint:
		return uint32(signed)
	}
	return v
}

// clampTo clamps x to lo to hi; NaN is 0.
func clampTo(x, lo, hi float64) float64 {
	if x != x {
		return 0
	}
	return min(max(x, lo), hi)
}

// NewTarget makes a target of one colour for a canvas of that size.
func NewTarget(f *Format, width, height int, color Pixel) *Target {
	t := &Target{Format: f, Data: make([]byte, width*height*f.Bytes())}
	if len(t.Data) > 0 {
		f.Store(t.Data, &color, 0)
	}
	for n := f.Bytes(); n < len(t.Data); n *= 2 {
		copy(t.Data[n:], t.Data[:n])
	}
	return t
}

// Pixels returns all pixels, in the order of Data.
func (t *Target) Pixels() []Pixel {
	list := make([]Pixel, len(t.Data)/t.Format.Bytes())
	if t.Format.Bits == 8 {
		t.bytePixels(list)
		return list
	}
	for i := range list {
		list[i] = t.Format.Load(t.Data[i*t.Format.Bytes():])
	}
	return list
}

// bytePixels is Pixels of a format whose channels have eight bits: each of their values is converted once.
func (t *Target) bytePixels(list []Pixel) {
	f := t.Format
	missing := f.Load(make([]byte, f.Bytes())) // of channels that the format does not have
	var values [256]uint32
	for v := range values {
		values[v] = f.decode(uint32(v))
	}
	for i := range list {
		p := &list[i]
		*p = missing
		for k, v := range t.Data[i*f.Channels:][:f.Channels] {
			p[k] = values[v]
		}
	}
}

// checkTargets returns what is wrong with the targets of a canvas.
func (t *Canvas) checkTargets() error {
	n := t.Width * t.Height
	if len(t.Targets) > MaxTargets || len(t.Depth) != n {
		return fmt.Errorf("canvas of %d targets, with %d depths; at most %d targets, and %d depths", len(t.Targets), len(t.Depth), MaxTargets, n)
	}
	for i, x := range t.Targets {
		if x != nil && (x.Format == nil || len(x.Data) != n*x.Format.Bytes()) {
			return fmt.Errorf("target %d: no format, or %d bytes for %d pixels", i, len(x.Data), n)
		}
	}
	return nil
}

// targets writes the colours of a pixel.
func (p *painter) targets(at int, s *FragmentOut) {
	for i, t := range p.t.Targets {
		if t == nil || s.Written>>i&1 == 0 {
			continue
		}
		var state TargetState
		if i < len(p.d.Targets) {
			state = p.d.Targets[i]
		}
		data, color := t.Data[at*t.Format.Bytes():], s.Out[i]
		if state.Blend.On && !t.Format.Integer() {
			color = state.Blend.over(color, t.Format.Load(data), t.Format.Kind)
		}
		t.Format.Store(data, &color, state.Mask)
	}
}

// over returns the pixel for a target of numbers. The source is clamped as the format requires.
func (b *Blend) over(src, dst Pixel, kind Kind) (out Pixel) {
	var s, d Vec4
	for k := range s {
		s[k], d[k] = math.Float32frombits(src[k]), math.Float32frombits(dst[k])
		switch kind {
		case Unorm:
			s[k] = clamp01(s[k])
		case Snorm:
			s[k] = float32(clampTo(float64(s[k]), -1, 1))
		}
	}
	for k, x := range b.sum(s, d) {
		out[k] = math.Float32bits(x)
	}
	return out
}
