package gcn

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/mem"
)

// TextureWords and SamplerWords are the sizes of descriptors.
const (
	TextureWords = 8
	SamplerWords = 4
)

// field returns n bits of a descriptor, from bit at of word w up.
func field(d []uint32, w, at, n int) uint32 { return d[w] >> at & (1<<n - 1) }

// Types of images.
const (
	type1D      = 8
	type2D      = 9
	type3D      = 10
	typeCube    = 11
	type1DArray = 12
	type2DArray = 13
	type2DMSAA  = 14
	type2DMSAAs = 15 // an array
)

// A shape is a type of image: a target, whether it has layers, and whether a pixel has several samples.
type shape struct {
	target                mem.Target
	array, known, samples bool
}

var shapes = [16]shape{
	type1D:      {mem.Texture1D, false, true, false},
	type2D:      {mem.Texture2D, false, true, false},
	type3D:      {mem.Texture3D, false, true, false},
	typeCube:    {mem.TextureCube, true, true, false},
	type1DArray: {mem.Texture1D, true, true, false},
	type2DArray: {mem.Texture2D, true, true, false},
	type2DMSAA:  {mem.Texture2D, false, true, true},
	type2DMSAAs: {mem.Texture2D, true, true, true},
}

// linearTiling is the tiling index of linear, aligned images.
const linearTiling = 8

// textureOf returns the image that a T# describes, in the given space. Level 0 of the texture is the base level.
// Without a tiling the image is linear. sliced reports whether the instruction addresses layers and faces; otherwise
// it accesses the first of them. Source: docs/reference/gcn.md 8.4.1.
func textureOf(t []uint32, space *mem.Space, tiling *Tiling, sliced bool) (*mem.Texture, error) {
	if len(t) != TextureWords {
		return nil, fmt.Errorf("gcn: T# of %d words, want %d", len(t), TextureWords)
	}
	kind := field(t, 3, 28, 4)
	s := shapes[kind]
	if err := check(t, kind, s.known); err != nil {
		return nil, err
	}
	format, err := formatOf(t)
	if err != nil {
		return nil, err
	}
	l, err := layoutOf(t, s, format, tiling)
	if err != nil {
		return nil, err
	}
	first, last := int(field(t, 3, 12, 4)), int(field(t, 3, 16, 4))
	if s.samples {
		first, last = 0, 0
	}
	tex := &mem.Texture{
		Target: s.target, Format: format, Last: last - first,
		Width: max(l.width>>first, 1), Height: max(l.height>>first, 1), Depth: 1,
		Guest: &mem.Placement{Space: space},
	}
	if l.volume {
		tex.Depth = max(l.depth>>first, 1)
	}
	slice := 0
	if s.array {
		slice = int(field(t, 5, 0, 13))
		err = l.layers(tex, slice, int(field(t, 5, 13, 13)), sliced)
	}
	if err != nil {
		return nil, err
	}
	planes, err := l.planes(last + 1)
	if err != nil {
		return nil, err
	}
	if s.samples {
		tex.Samples, tex.Last = l.samples, l.samples-1
		planes = slices.Repeat(planes, l.samples)
	}
	for sample, p := range planes[first:] {
		if p.First = uint32(slice); s.samples {
			p.First = uint32(slice*l.samples + sample)
		}
		tex.Guest.Levels = append(tex.Guest.Levels, p)
	}
	return tex, tex.Check()
}

// maxSamples is the largest number of samples of a pixel, as a power of two.
const maxSamples = 3

// check rejects unsupported descriptors.
func check(t []uint32, kind uint32, known bool) error {
	first, last := field(t, 3, 12, 4), field(t, 3, 16, 4)
	switch {
	case !known:
		return fmt.Errorf("gcn: T# of type %d, want 8 to 15: 1D, 2D, 3D, cube, 1D array, 2D array, 2D and 2D array of several samples", kind)
	case shapes[kind].samples && (first != 0 || last > maxSamples):
		return fmt.Errorf("gcn: T# of type %d: 2^%d samples a pixel from level %d on, want 1 to %d from 0 on", kind, last, first, 1<<maxSamples)
	case field(t, 6, 21, 1) != 0:
		return fmt.Errorf("gcn: T# of a compressed image (compression_en: DCC, or HTILE of depth), which is not built")
	case last < first:
		return fmt.Errorf("gcn: T# of levels %d to %d", first, last)
	}
	return nil
}

// A layout is the layout of the levels of an image in memory. Its texels are what the format stores: of a compressed
// format blocks.
type layout struct {
	base                 uint64
	width, height, depth int    // of level 0, in pixels
	pitch                int    // pixels of a row of level 0
	slices, texels       int    // layers and faces; bytes of a texel
	sides                [2]int // of a texel in pixels
	samples              int    // of a pixel
	volume               bool
	pow2                 bool // heights and slices are padded to powers of two
	index                uint32
	mode                 tileMode // of level 0
	tiling               *Tiling
}

func layoutOf(t []uint32, s shape, f *mem.Format, tiling *Tiling) (*layout, error) {
	l := &layout{
		base:  uint64(t[0])<<8 | uint64(field(t, 1, 0, 8))<<40,
		width: int(field(t, 2, 0, 14)) + 1, height: int(field(t, 2, 14, 14)) + 1, depth: int(field(t, 4, 0, 13)) + 1,
		pitch: int(field(t, 4, 13, 14)) + 1, texels: f.Bytes, sides: [2]int{1, 1}, samples: 1, volume: s.target == mem.Texture3D, pow2: field(t, 3, 25, 1) != 0,
		index: field(t, 3, 20, 5), tiling: tiling, mode: tileMode{array: linearAligned, texel: f.Bytes, samples: 1, chunk: 256},
	}
	if f.Blocks != nil {
		x, y := f.Blocks.Sides()
		l.sides = [2]int{int(x), int(y)}
	}
	if s.samples {
		l.samples = 1 << field(t, 3, 16, 4)
	}
	switch {
	case s.target == mem.TextureCube:
		l.slices = max(6*l.depth, int(field(t, 5, 13, 13))+1)
	case s.array:
		l.slices = l.depth
	default:
		l.slices = 1
	}
	if s.target == mem.Texture1D {
		l.height = 1
	}
	if tiling == nil {
		if l.index != linearTiling {
			return nil, fmt.Errorf("gcn: T# of tiling index %d: only %d, linear, is the same on all chips; heddle gpu --chip, or a manifest with tiling, has the tile modes of a chip", l.index, linearTiling)
		}
		return l, l.check()
	}
	var err error
	if l.mode, err = tiling.mode(l.index, l.texels, l.samples); err != nil {
		return nil, err
	}
	return l, l.check()
}

// check reports what is wrong with a tiled image.
func (l *layout) check() error {
	width, _ := l.mode.block()
	switch {
	case l.mode.linear() && l.samples > 1:
		return fmt.Errorf("gcn: T# of tiling index %d: %d samples a pixel in linear images do not exist", l.index, l.samples)
	case l.mode.linear():
		return nil
	case l.texels&(l.texels-1) != 0:
		return fmt.Errorf("gcn: T# of tiling index %d: texels of %d bytes are not tiled", l.index, l.texels)
	case l.inTexels(l.pitch, 0)%width != 0:
		return fmt.Errorf("gcn: T# of tiling index %d: a pitch of %d texels, want a multiple of %d", l.index, l.inTexels(l.pitch, 0), width)
	}
	return nil
}

// inTexels returns a number of pixels along an axis in texels.
func (l *layout) inTexels(n, axis int) int { return (n + l.sides[axis] - 1) / l.sides[axis] }

// layers gives the texture the slices from first to last, or the first alone.
func (l *layout) layers(tex *mem.Texture, first, last int, sliced bool) error {
	n := last - first + 1
	if n < 1 || last >= max(l.slices, 1) {
		return fmt.Errorf("gcn: T# of layers %d to %d of %d", first, last, l.slices)
	}
	cube := tex.Target == mem.TextureCube
	switch {
	case !sliced && cube:
		tex.Target = mem.Texture2D
	case !sliced:
	case !cube:
		tex.Layers = n
	case n%6 != 0:
		return fmt.Errorf("gcn: T# of a cube of %d faces", n)
	case n > 6:
		tex.Layers = n / 6
	}
	return nil
}

// planes returns the locations of the first n levels.
func (l *layout) planes(n int) (ps []mem.Plane, err error) {
	at := l.base &^ l.mode.swizzleBits()
	for level := range n {
		height, slices := l.inTexels(max(l.height>>level, 1), 1), l.slices
		if l.volume {
			slices = max(l.depth>>level, 1)
		}
		if l.pow2 {
			height, slices = power(height), power(slices)
		}
		m, pitch := l.mode, l.inTexels(l.pitch, 0)
		if level > 0 {
			pitch = l.inTexels(max(l.pitch>>level, 1), 0)
			if !m.linear() {
				pitch = power(pitch)
				if m, err = l.mode.level(l.index, l.tiling.rowBytes(), pitch, height, slices); err != nil {
					return nil, err
				}
				at = (at + m.align() - 1) &^ (m.align() - 1)
			}
		}
		_, side := m.block()
		height, slices = ceil(height, side), ceil(slices, m.thick())
		if level > 0 {
			pitch = m.pitch(pitch, height)
		}
		p := mem.Plane{Base: at, Row: uint64(pitch * side * m.deep() * l.texels / m.parts()), Slice: uint64(pitch) * uint64(height*m.deep()*l.texels)}
		p.Part = p.Slice / uint64(m.parts())
		if p.Swizzle, err = l.swizzle(&m, slices); err != nil {
			return nil, err
		}
		ps = append(ps, p)
		at += uint64(pitch) * uint64(height*l.texels) * uint64(slices)
	}
	return ps, nil
}

// swizzle returns the order of texels of a level, nil if it is linear.
func (l *layout) swizzle(m *tileMode, slices int) (*mem.Swizzle, error) {
	if m.linear() {
		return nil, nil
	}
	s, err := l.tiling.swizzle(*m)
	if err != nil || !m.macro() {
		return s, err
	}
	return s.Turned(m.turns(l.base, slices/m.thick()))
}

// pitch returns the texels of a row of a level after the first, from those that it has without padding.
func (m *tileMode) pitch(n, height int) int {
	align, whole := 1, 1 // of texels, and of the bytes of a slice
	switch {
	case m.macro():
		align, _ = m.block()
	case !m.linear():
		align, whole = 8, m.chunk
	case m.array == linearAligned:
		align, whole = max(8, 64/m.texel), max(64, m.chunk/m.texel)*m.texel
	}
	n = ceil(n, align)
	for n*height*m.thick()*m.texel%whole != 0 {
		n += align
	}
	return n
}

// ceil returns n rounded up to a multiple of m.
func ceil(n, m int) int { return (n + m - 1) / m * m }

// power returns n rounded up to a power of two.
func power(n int) int { return 1 << bits.Len(uint(n-1)) }
