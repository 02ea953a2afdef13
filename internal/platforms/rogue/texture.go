package rogue

import (
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// State words of images and samplers in the layout of Mesa's driver. docs/reference/rogue.md 7.4.

// Types of textures by code.
const (
	type1D = iota
	type2D
	type3D
	typeCube
	typeStride
)

var targets = [...]mem.Target{type1D: mem.Texture1D, type2D: mem.Texture2D, type3D: mem.Texture3D, typeCube: mem.TextureCube, typeStride: mem.Texture2D}

// Bits of the image state by their lowest: word 0, then word 1, which begins at bit 64.
const (
	imageType     = 0
	imageGamma    = 3 // 2 bits: see gammaOf
	imageSwizzle  = 14
	imageMinLod   = 17
	imageFormat   = 27
	imageWidth    = 34
	imageHeight   = 48
	imageSamples  = 62
	imageLevels   = 64
	imageDepth    = 68
	imageMipmaps  = 79
	imageAddress  = 80
	imagePacked   = 118 // 4 bits: a compression mode in 3, 1 for block-compressed formats; in older cores tiles and indexed look-up
	imageBorder   = 122
	imageBase     = 124
	packedBlocks  = 1
	blockLog      = 2 // of the side of a block
	strideTexels  = 64
	strideLevels  = 124
	addressBits   = 38
	addressShift  = 2
	layerAlign    = 4096
	volumeAlign   = 4 // of sides of 3D textures, in texels
	swizzleStep   = 3
	levelFraction = 64
)

// textureOf returns the texture that an image state describes.
func textureOf(s *mem.Space, w *words, how rogue.TexUse) (*mem.Texture, error) {
	kind := w.field(imageType, 3)
	switch {
	case kind > typeStride:
		return nil, fmt.Errorf("a texture of type %d: 0 to 4 are 1D, 2D, 3D, cube, stride; the layout of others is not public", kind)
	case how.Sample() >= 1<<w.field(imageSamples, 2):
		return nil, fmt.Errorf("sample %d of a texture with %d a texel", how.Sample(), 1<<w.field(imageSamples, 2))
	case ofBlocks(w) && kind != type2D && kind != typeCube:
		return nil, fmt.Errorf("a texture of blocks, format %d, and of type %d: 1 and 3 are built, 2D and cube", w.field(imageFormat, 7), kind)
	case w.field(imagePacked, 4) != 0 && !ofBlocks(w):
		return nil, fmt.Errorf("a texture that is a compressed frame buffer, in tiles or looked up by index: its layout is not public")
	case kind != typeStride && w.bit(imageBorder):
		return nil, fmt.Errorf("a texture with a border of texels: its layout is not public")
	}
	f, err := formatOf(w, how.Normal())
	if err != nil {
		return nil, err
	}
	t := &mem.Texture{Target: targets[kind], Format: f, Width: int(w.field(imageWidth, 14)) + 1, Height: int(w.field(imageHeight, 14)) + 1, Depth: 1,
		Guest: &mem.Placement{Space: s}}
	if kind == type1D {
		t.Height = 1
	}
	smp := samples{n: 1 << w.field(imageSamples, 2), at: uint64(how.Sample()), bytes: uint64(f.Bytes), planes: how.Planes()}
	addr := uint64(w.field(imageAddress, 32)) | uint64(w.field(imageAddress+32, addressBits-32))<<32
	addr <<= addressShift
	if kind == typeStride {
		err = rows(t, w, addr, &smp)
	} else {
		err = chain(t, w, addr, kind, how, &smp)
	}
	if err != nil {
		return nil, err
	}
	return t, t.Check()
}

// samples is the layout of a texel's samples: next to each other, or as planes of a whole level, one for each sample
// number.
type samples struct {
	n, at  uint64 // number of samples, index of the accessed one
	bytes  uint64 // of a sample
	planes bool
}

// step returns the number of bytes from a texel to the next.
func (s *samples) step() uint64 {
	if s.planes {
		return s.bytes
	}
	return s.bytes * s.n
}

// offset returns the offset of the accessed sample from the first one; size is the number of bytes of a plane.
func (s *samples) offset(size uint64) uint64 {
	if s.planes {
		return s.at * size
	}
	return s.at * s.bytes
}

// rows places a texture whose rows are a stride apart. It has one level.
func rows(t *mem.Texture, w *words, addr uint64, smp *samples) error {
	if n := w.field(strideLevels, 4); w.bit(imageMipmaps) && n > 1 {
		return fmt.Errorf("a texture of rows with %d levels: where the others lie is not public", n)
	}
	row := uint64(w.field(strideTexels, 15)+1) * smp.step()
	t.Guest.Levels = []mem.Plane{{Base: addr + smp.offset(row*uint64(t.Height)), Row: row, Texel: smp.step()}}
	return nil
}

// chain places a texture whose levels follow each other. The size of each is a power of two of texels along each axis,
// and slices are as far apart as a full chain down to one texel is long. The described part begins at the base level,
// and the address is that level's.
func chain(t *mem.Texture, w *words, addr uint64, kind uint32, how rogue.TexUse, smp *samples) error {
	layers, levels, base := 1, 1, int(w.field(imageBase, 4))
	switch n := int(w.field(imageDepth, 11)) + 1; {
	case kind == type3D:
		t.Depth = n
	case how.Array():
		t.Layers, layers = n, n
	}
	if kind == typeCube {
		layers *= 6
	}
	if w.bit(imageMipmaps) {
		levels = max(int(w.field(imageLevels, 4)), 1)
	}
	t.Last = levels - 1
	var logs [3]uint8
	for i, n := range [3]int{t.Width, t.Height, t.Depth} {
		logs[i] = uint8(bits.Len(uint(n - 1)))
	}
	top := int(max(logs[0], logs[1], logs[2]))
	if t.Format.Blocks != nil { // sizes count blocks
		for i := range 2 {
			logs[i] -= min(logs[i], blockLog)
		}
	}
	v := volume{of: kind == type3D, bytes: smp.step(), round: levels > 1}
	if base > top || base+levels > top+1 {
		return fmt.Errorf("a texture of %d levels from %d on: %dx%dx%d texels have %d", levels, base, t.Width, t.Height, t.Depth, top+1)
	}
	all, at := uint64(0), addr
	for l := range top + 1 {
		row, slice, size := v.level(&logs)
		offset := smp.offset(size)
		if smp.planes {
			size *= smp.n
		}
		if l >= base && l < base+levels {
			t.Guest.Levels = append(t.Guest.Levels, mem.Plane{Base: at + offset, Row: row, Slice: slice, Texel: smp.step(), Twiddled: !how.Rows(), Logs: logs})
			at += size
		}
		all += size
		for i := range logs {
			logs[i] -= min(logs[i], 1)
		}
	}
	if layers > 1 {
		for i := range t.Guest.Levels {
			t.Guest.Levels[i].Slice = (all + layerAlign - 1) &^ (layerAlign - 1)
		}
	}
	t.Width, t.Height, t.Depth = max(t.Width>>base, 1), max(t.Height>>base, 1), max(t.Depth>>base, 1)
	return nil
}

// A volume holds what the size of levels depends on.
type volume struct {
	of    bool   // 3D
	bytes uint64 // of a texel
	round bool   // levels begin at multiples of 4
}

// level returns the bytes of a row, of a slice and of a whole level whose sides are these powers of two.
func (v *volume) level(logs *[3]uint8) (row, slice, size uint64) {
	var sides [3]uint64
	for i, log := range logs {
		if sides[i] = 1 << log; v.of {
			sides[i] = max(sides[i], volumeAlign)
		}
	}
	row = v.bytes * sides[0]
	slice = row * sides[1]
	if size = slice * sides[2]; v.round {
		size = (size + 3) &^ 3
	}
	return row, slice, size
}

// wraps are wrap modes by code; others are not ok.
var wraps = [8]struct {
	mode mem.WrapMode
	ok   bool
}{{mem.Repeat, true}, {mem.MirroredRepeat, true}, {mem.ClampToEdge, true}, {mem.MirrorClampToEdge, true}, {mem.ClampToBorder, true}, {mem.Clamp, true}}

// filters are filters by code; others are not ok.
var filters = [4]struct {
	filter mem.Filter
	ok     bool
}{{mem.Nearest, true}, {mem.Linear, true}}

// Bits of the sampler state by their lowest.
const (
	samplerAdjust  = 0
	samplerMinLod  = 13
	samplerMaxLod  = 23
	samplerAniso   = 33
	samplerMag     = 36
	samplerMin     = 38
	samplerMip     = 40
	samplerLuma    = 47 // 2 bits of luminance keys
	samplerTexels  = 49
	samplerColour  = 50
	samplerCompare = 59
	adjustZero     = 4095
	adjustFraction = 256
)

var rules = mem.Rules{Face: mem.FaceEach, Wrap: mem.WrapTexel, Border: mem.BorderColour, Lod: mem.LodLength, Ref: mem.RefGiven, Mix: mem.MixAxes}

// compares are comparisons by code, as comparisons of the texel with the reference: first for instructions that compare
// the texel with the reference, then for those that compare the reference with the texel.
var compares = [2][8]mem.Compare{
	{mem.CompareNever, mem.CompareLess, mem.CompareEqual, mem.CompareLessEqual, mem.CompareGreater, mem.CompareNotEqual, mem.CompareGreaterEqual, mem.CompareAlways},
	{mem.CompareNever, mem.CompareGreater, mem.CompareEqual, mem.CompareGreaterEqual, mem.CompareLess, mem.CompareNotEqual, mem.CompareLessEqual, mem.CompareAlways},
}

// comparison returns the comparison of a sample that compares.
func comparison(w *words, how rogue.TexUse) mem.Compare {
	of := 1
	if how.TexelFirst() {
		of = 0
	}
	return compares[of][w.field(samplerCompare, 3)]
}

// samplerOf returns the sampler that a sampler state describes. Where the nearest level is read, half a level is added
// to the limits of levels.
func samplerOf(w *words, border *[4]float32) (*mem.Sampler, error) {
	mag, low := filters[w.field(samplerMag, 2)], filters[w.field(samplerMin, 2)]
	if !mag.ok || !low.ok {
		return nil, fmt.Errorf("a sampler with filters %d and %d; 0 and 1 are point and linear; what others do is not public", w.field(samplerMag, 2), w.field(samplerMin, 2))
	}
	s := &mem.Sampler{Min: low.filter, Mag: mag.filter, Mip: mem.MipNearest, Unnormalised: w.bit(samplerTexels), Rules: rules,
		MinLod: level(w.field(samplerMinLod, 10)), MaxLod: level(w.field(samplerMaxLod, 10)), Bias: float32(int(w.field(samplerAdjust, 13))-adjustZero) / adjustFraction}
	if w.bit(samplerMip) {
		s.Mip = mem.MipLinear
	} else {
		s.MinLod, s.MaxLod = max(s.MinLod-0.5, 0), max(s.MaxLod-0.5, 0)
	}
	if n := w.field(samplerAniso, 3); n > 4 {
		return nil, fmt.Errorf("a sampler with anisotropy %d, which does not exist", n)
	} else if n > 0 {
		s.MaxAniso = 1 << n
	}
	if w.field(samplerLuma, 2) != 0 {
		return nil, fmt.Errorf("a sampler with a luminance key: what it does is not public")
	}
	s.Border = *border
	for i, at := range [3]int{41, 44, 56} {
		m := wraps[w.field(at, 3)]
		if !m.ok {
			return nil, fmt.Errorf("a sampler with address mode %d, which does not exist", w.field(at, 3))
		}
		s.Wrap[i] = m.mode
	}
	return s, s.Check()
}

// bordered reports whether a sampler reads its border.
func bordered(w *words) bool {
	for _, at := range [3]int{41, 44, 56} {
		if m := wraps[w.field(at, 3)].mode; m == mem.ClampToBorder || m == mem.Clamp {
			return true
		}
	}
	return false
}

// level converts a level of detail with six bits of fraction.
func level(x uint32) float32 { return float32(x) / levelFraction }

// join creates a unit from a texture and a sampler.
func join(t *mem.Texture, s *mem.Sampler, w *words, with ir.ImageWith) (*mem.Unit, error) {
	s.MinLod = max(s.MinLod, level(w.field(imageMinLod, 10)))
	s.MaxLod = max(s.MinLod, s.MaxLod)
	s.Unnormalised = s.Unnormalised || with&ir.ImageTexels != 0
	if len(t.Guest.Levels) == 1 {
		s.Mip = mem.MipNone
	}
	if t.Target != mem.Texture2D && t.Target != mem.TextureCube {
		s.MaxAniso = 0
	}
	if t.Format.Integer() { // no texels are blended
		s.Min, s.Mag, s.MaxAniso, s.Mip = mem.Nearest, mem.Nearest, 0, min(s.Mip, mem.MipNearest)
	}
	return mem.NewUnit(*t, *s)
}
