package gcn

import (
	"fmt"
	"math/bits"

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
)

// A shape is a type of image: a target, and whether it has layers.
type shape struct {
	target       mem.Target
	array, known bool
}

var shapes = [16]shape{
	type1D:      {mem.Texture1D, false, true},
	type2D:      {mem.Texture2D, false, true},
	type3D:      {mem.Texture3D, false, true},
	typeCube:    {mem.TextureCube, true, true},
	type1DArray: {mem.Texture1D, true, true},
	type2DArray: {mem.Texture2D, true, true},
}

// linearTiling is the tiling index of linear, aligned images.
const linearTiling = 8

// textureOf returns the image that a T# describes, in the given space. Level 0 of the texture is the base level. sliced
// reports whether the instruction addresses layers and faces; otherwise it accesses the first of them. Source:
// docs/reference/gcn.md 8.4.1.
func textureOf(t []uint32, space *mem.Space, sliced bool) (*mem.Texture, error) {
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
	l := layoutOf(t, s, format.Bytes)
	first, last := int(field(t, 3, 12, 4)), int(field(t, 3, 16, 4))
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
	for _, p := range l.planes(last + 1)[first:] {
		p.Base += uint64(slice) * p.Slice
		tex.Guest.Levels = append(tex.Guest.Levels, p)
	}
	return tex, tex.Check()
}

// check rejects unsupported descriptors.
func check(t []uint32, kind uint32, known bool) error {
	first, last := field(t, 3, 12, 4), field(t, 3, 16, 4)
	switch {
	case kind == 14 || kind == 15:
		return fmt.Errorf("gcn: T# of type %d: images with several samples a pixel are not built", kind)
	case !known:
		return fmt.Errorf("gcn: T# of type %d, want 8 to 13: 1D, 2D, 3D, cube, 1D array, 2D array", kind)
	case field(t, 3, 20, 5) != linearTiling:
		return fmt.Errorf("gcn: T# of tiling index %d: only %d, linear, is built", field(t, 3, 20, 5), linearTiling)
	case field(t, 6, 21, 1) != 0:
		return fmt.Errorf("gcn: T# of a compressed image (compression_en), which is not built")
	case last < first:
		return fmt.Errorf("gcn: T# of levels %d to %d", first, last)
	}
	return nil
}

// A layout is the layout of the levels of a linear image in memory.
type layout struct {
	base                  uint64
	width, height, depth  int // of level 0
	pitch, slices, texels int // texels of a row of level 0; layers and faces; bytes of a texel
	volume                bool
	pow2                  bool // heights and slices are padded to powers of two
}

func layoutOf(t []uint32, s shape, bytes int) *layout {
	l := &layout{
		base:  uint64(t[0])<<8 | uint64(field(t, 1, 0, 8))<<40,
		width: int(field(t, 2, 0, 14)) + 1, height: int(field(t, 2, 14, 14)) + 1, depth: int(field(t, 4, 0, 13)) + 1,
		pitch: int(field(t, 4, 13, 14)) + 1, texels: bytes, volume: s.target == mem.Texture3D, pow2: field(t, 3, 25, 1) != 0,
	}
	switch {
	case s.target == mem.TextureCube:
		l.slices = max(6, int(field(t, 5, 13, 13))+1)
	case s.array:
		l.slices = l.depth
	default:
		l.slices = 1
	}
	if s.target == mem.Texture1D {
		l.height = 1
	}
	return l
}

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
func (l *layout) planes(n int) (ps []mem.Plane) {
	align := max(8, 64/l.texels)
	whole := max(64, 256/l.texels)
	at := l.base
	for level := range n {
		height, slices := max(l.height>>level, 1), l.slices
		if l.volume {
			slices = max(l.depth>>level, 1)
		}
		if l.pow2 {
			height, slices = power(height), power(slices)
		}
		pitch := l.pitch
		if level > 0 {
			pitch = (max(l.pitch>>level, 1) + align - 1) / align * align
			for pitch*height%whole != 0 {
				pitch += align
			}
		}
		row := uint64(pitch) * uint64(l.texels)
		ps = append(ps, mem.Plane{Base: at, Row: row, Slice: row * uint64(height)})
		at += row * uint64(height) * uint64(slices)
	}
	return ps
}

// power returns n rounded up to a power of two.
func power(n int) int { return 1 << bits.Len(uint(n-1)) }
