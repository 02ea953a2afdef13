package valhall

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/mem"
)

// Textures and samplers. docs/reference/valhall.md 9.3.

// targets are the types of textures by the dimension in their descriptor.
var targets = [4]mem.Target{mem.TextureCube, mem.Texture1D, mem.Texture2D, mem.Texture3D}

// textureOf returns the texture that a descriptor describes, in the space, and the range of levels of detail. sliced
// reports whether the instruction addresses layers; otherwise it accesses the first.
func textureOf(s *mem.Space, d descriptor, arch int, sliced bool) (t *mem.Texture, lods [2]float32, err error) {
	if d.bit(0, 8) || d.field(3, 13, 3) != 0 {
		return nil, lods, fmt.Errorf("valhall: a texture with samples at the corner, or %d samples: not built", 1<<d.field(3, 13, 3))
	}
	format, err := formatOf(d.field(0, 10, 22), d.field(2, 0, 12))
	if err != nil {
		return nil, lods, err
	}
	levels := int(d.field(2, 16, 5)) + 1
	t = &mem.Texture{Target: targets[d.field(0, 4, 2)], Format: format, Width: int(d.field(1, 0, 16)) + 1, Height: int(d.field(1, 16, 16)) + 1, Depth: 1,
		Base: int(d.field(2, 24, 5)), Last: levels - 1, Guest: &mem.Placement{Space: s}}
	layers := int(d.field(6, 0, 16)) + 1
	if t.Target == mem.Texture3D {
		t.Depth, layers = int(d.field(7, 0, 16))+1, 1
	} else if sliced {
		t.Layers = layers
	}
	faces := 1
	if t.Target == mem.TextureCube {
		faces = 6
	}
	if t.Guest.Levels, err = planes(s, d.pair(4), arch, format.Bytes, levels, faces*layers, t.Target == mem.Texture3D); err != nil {
		return nil, lods, err
	}
	return t, [2]float32{lod(d.field(3, 0, 13)), lod(d.field(3, 16, 13))}, t.Check()
}

// lod converts a level of detail with 8 bits of fraction.
func lod(x uint32) float32 { return float32(x) / 256 }

// clumps are the bytes of a texel by clump format.
var clumps = [256]int{1, 2, 4, 8, 16, 8: 3, 9: 6, 10: 12, 20: 4, 21: 4, 22: 1, 124: 4, 125: 4}

// Orderings of texels in a plane.
const (
	orderTiled  = 1
	orderLinear = 2
)

// orders are the orderings as swizzles.
var orders = [...]*mem.Swizzle{orderTiled: tiles(), orderLinear: nil}

// tiles are of 16 by 16 texels. Bit 2k of the number of a texel is bit k of x ^ y, bit 2k+1 that of y.
func tiles() *mem.Swizzle {
	var number []mem.SwizzleBit
	for k := range 4 {
		number = append(number, mem.SwizzleBit{1 << k, 1 << k, 0}, mem.SwizzleBit{0, 1 << k, 0})
	}
	s, err := mem.NewSwizzle([3]uint8{4, 4, 0}, number, 0)
	if err != nil {
		panic(err)
	}
	return s
}

// planes returns the locations of levels. There is a plane descriptor for each level of each slice, levels first.
// Slices of a level must be equally far apart.
func planes(s *mem.Space, at uint64, arch, bytes, levels, slices int, volume bool) ([]mem.Plane, error) {
	list := make([]mem.Plane, levels)
	for slice := range slices {
		for level := range levels {
			d, err := readDescriptor(s, typePlane, at+uint64(slice*levels+level)*valhall.DescriptorBytes)
			if err != nil {
				return nil, err
			}
			p := &list[level]
			addr, row, step := placed(d, arch)
			order := d.field(0, 8, 4)
			switch {
			case d.field(0, 4, 4) != 1:
				return nil, fmt.Errorf("valhall: a plane of type %d: only 1, of texels as they are, is built", d.field(0, 4, 4))
			case order != orderTiled && order != orderLinear:
				return nil, fmt.Errorf("valhall: a plane in order %d, want 1 or 2: tiled, linear", order)
			case clumps[d.field(0, 24, 8)] != bytes:
				return nil, fmt.Errorf("valhall: a plane of clump format %d for texels of %s", d.field(0, 24, 8), spell.Count(bytes, "byte"))
			case slice == 0:
				*p = mem.Plane{Base: addr, Row: row, Swizzle: orders[order]}
				if volume {
					p.Slice = step
				}
				continue
			case slice == 1:
				p.Slice = addr - p.Base
			}
			if want := (mem.Plane{Base: p.Base, Row: row, Slice: p.Slice, Swizzle: orders[order]}); *p != want || addr != p.Base+uint64(slice)*p.Slice {
				return nil, fmt.Errorf("valhall: level %d, slice %d at %#x: slices that are not equally far apart, or differ, are not built", level, slice, addr)
			}
		}
	}
	return list, nil
}

// placed returns the address of the plane, and the strides of rows and of slices of volumes.
func placed(d descriptor, arch int) (addr, row, slice uint64) {
	if arch < 12 {
		return d.pair(2), uint64(d[4]), uint64(int64(int32(d[6])))
	}
	return d.pair(2) & (1<<48 - 1), uint64(d.field(4, 0, 27)), uint64(d.field(4, 27, 5))<<32 | uint64(d[6])
}

// wraps are wrap modes by code; others are not ok.
var wraps = [16]struct {
	mode mem.WrapMode
	ok   bool
}{8: {mem.Repeat, true}, 9: {mem.ClampToEdge, true}, 11: {mem.ClampToBorder, true}, 12: {mem.MirroredRepeat, true},
	13: {mem.MirrorClampToEdge, true}, 15: {mem.MirrorClampToBorder, true}}

// compares are comparisons of a texel with the reference, by code.
var compares = [8]mem.Compare{mem.CompareNever, mem.CompareLess, mem.CompareEqual, mem.CompareLessEqual,
	mem.CompareGreater, mem.CompareNotEqual, mem.CompareGreaterEqual, mem.CompareAlways}

// mips are mipmap modes by code.
var mips = [4]mem.MipFilter{mem.MipNearest, mem.MipNone, 2: 255, 3: mem.MipLinear}

var rules = mem.Rules{Face: mem.FaceUnit, Wrap: mem.WrapTexel, Border: mem.BorderColour, Lod: mem.LodLength, Ref: mem.RefGiven, Mix: mem.MixAxes}

// samplerOf returns the sampler that a descriptor describes.
func samplerOf(d descriptor) (*mem.Sampler, error) {
	filter := func(nearest bool) mem.Filter {
		if nearest {
			return mem.Nearest
		}
		return mem.Linear
	}
	s := &mem.Sampler{Min: filter(d.bit(0, 27)), Mag: filter(d.bit(0, 28)), Mip: mips[d.field(0, 30, 2)], Unnormalised: !d.bit(0, 25),
		MinLod: lod(d.field(1, 0, 13)), MaxLod: lod(d.field(1, 16, 13)), Compare: compares[d.field(1, 13, 3)],
		Bias: float32(int16(d.field(2, 0, 16))) / 256, Rules: rules}
	if d.bit(0, 23) {
		s.Rules.Seam = mem.SeamAcross
	}
	for i, at := range [3]int{16, 12, 8} {
		w := wraps[d.field(0, at, 4)]
		if !w.ok {
			return nil, fmt.Errorf("valhall: a sampler with wrap mode %d, which does not exist", d.field(0, at, 4))
		}
		s.Wrap[i] = w.mode
	}
	if d.field(2, 24, 2) != 0 {
		s.MaxAniso = int(d.field(2, 16, 5)) + 1
	}
	for i := range s.Border {
		s.Border[i] = math.Float32frombits(d[4+i])
	}
	switch {
	case s.Mip == 255:
		return nil, fmt.Errorf("valhall: a sampler with mipmap mode 2, fast trilinear, which is not built")
	case d.field(0, 4, 2) != 0:
		return nil, fmt.Errorf("valhall: a sampler of reduction mode %d, not the average: not built", d.field(0, 4, 2))
	case d.bit(0, 29):
		return nil, fmt.Errorf("valhall: a sampler that magnifies up to level 0.5, which is not built")
	}
	return s, s.Check()
}

// join creates a unit from a texture and a sampler.
func join(t *mem.Texture, s *mem.Sampler, lods [2]float32, pixel uint32, compare bool) (*mem.Unit, error) {
	s.MinLod, s.MaxLod = max(s.MinLod, lods[0]), min(s.MaxLod, lods[1])
	switch {
	case !compare:
		s.Compare = mem.CompareNone
	default:
		if p, _ := divided(pixel >> codeAt & 0xff); p.conv == mem.Unorm {
			s.Rules.Ref = mem.RefWithin
		}
	}
	if t.Format.Integer() { // no texels are blended
		s.Min, s.Mag, s.MaxAniso, s.Mip = mem.Nearest, mem.Nearest, 0, min(s.Mip, mem.MipNearest)
	}
	return mem.NewUnit(*t, *s)
}
