package valhall

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/mem"
)

// A pixelCase is a format with its order and swizzle, and what it makes of bytes.
type pixelCase struct {
	name                 string
	code, order, swizzle uint32
	want                 [4]float64
}

// pixelCases are worked out by formulas over the bits of the bytes.
func pixelCases(raw []byte) []pixelCase {
	field := func(at, n int) (v uint64) {
		for i := range n {
			v |= uint64(raw[(at+i)/8]>>((at+i)%8)&1) << i
		}
		return v
	}
	unorm := func(at, n int) float64 { return float64(field(at, n)) / float64(uint64(1)<<n-1) }
	snorm := func(at, n int) float64 {
		x := int64(field(at, n)<<(64-n)) >> (64 - n)
		return max(float64(x)/float64(uint64(1)<<(n-1)-1), -1)
	}
	f32 := func(at int) float64 { return float64(math.Float32frombits(uint32(field(at, 32)))) }
	f16 := func(at int) float64 { // normal
		v := field(at, 16)
		return math.Copysign(math.Ldexp(float64(v&0x3ff|0x400), int(v>>10&31)-25), 1-2*float64(v>>15))
	}
	srgb := func(x float64) float64 {
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return []pixelCase{

		{"RGBA8", 187, 0, plainSwizzle, [4]float64{unorm(0, 8), unorm(8, 8), unorm(16, 8), unorm(24, 8)}},
		{"BGRA8", 187, 4, plainSwizzle, [4]float64{unorm(16, 8), unorm(8, 8), unorm(0, 8), unorm(24, 8)}},
		{"ARGB8", 187, 8, plainSwizzle, [4]float64{unorm(8, 8), unorm(16, 8), unorm(24, 8), unorm(0, 8)}},
		{"1BGR8", 187, 28, plainSwizzle, [4]float64{unorm(24, 8), unorm(16, 8), unorm(8, 8), 1}},
		{"RGBA8 snorm", 123, 0, plainSwizzle, [4]float64{snorm(0, 8), snorm(8, 8), snorm(16, 8), snorm(24, 8)}},
		{"RGBA8 sRGB", 187 | 1<<8, 0, plainSwizzle, [4]float64{srgb(unorm(0, 8)), srgb(unorm(8, 8)), srgb(unorm(16, 8)), unorm(24, 8)}},
		{"RG8", 171, 16, plainSwizzle, [4]float64{unorm(0, 8), unorm(8, 8), 0, 1}},
		{"R8 as RRRR", 163, 226, plainSwizzle, [4]float64{unorm(0, 8), unorm(0, 8), unorm(0, 8), unorm(0, 8)}},
		{"R8 as RRR1", 163, 227, plainSwizzle, [4]float64{unorm(0, 8), unorm(0, 8), unorm(0, 8), 1}},
		{"RG8 as RRRA", 171, 228, plainSwizzle, [4]float64{unorm(0, 8), unorm(0, 8), unorm(0, 8), unorm(8, 8)}},
		{"R8 as 000A", 163, 229, plainSwizzle, [4]float64{0, 0, 0, unorm(0, 8)}},
		{"RG16", 172, 16, plainSwizzle, [4]float64{unorm(0, 16), unorm(16, 16), 0, 1}},
		{"RGBA16F", 223, 0, plainSwizzle, [4]float64{f16(0), f16(16), f16(32), f16(48)}},
		{"RGBA32F", 191, 0, plainSwizzle, [4]float64{f32(0), f32(32), f32(64), f32(96)}},
		{"RGB32F", 183, 16, plainSwizzle, [4]float64{f32(0), f32(32), f32(64), 1}},
		{"R32F", 167, 16, 0 | 4<<3 | 4<<6 | 5<<9, [4]float64{f32(0), 0, 0, 1}},
		{"565", 64, 16, plainSwizzle, [4]float64{unorm(0, 5), unorm(5, 6), unorm(11, 5), 1}},
		{"565 BGR", 64, 20, plainSwizzle, [4]float64{unorm(11, 5), unorm(5, 6), unorm(0, 5), 1}},
		{"5551", 65, 0, plainSwizzle, [4]float64{unorm(0, 5), unorm(5, 5), unorm(10, 5), unorm(15, 1)}},
		{"1010102", 67, 0, plainSwizzle, [4]float64{unorm(0, 10), unorm(10, 10), unorm(20, 10), unorm(30, 2)}},
		{"4444", 186, 0, plainSwizzle, [4]float64{unorm(0, 4), unorm(4, 4), unorm(8, 4), unorm(12, 4)}},
		{"Z16", 75, 0, 0 | 4<<3 | 4<<6 | 5<<9, [4]float64{unorm(0, 16), 0, 0, 1}},
		{"Z24", 77, 0, 0 | 4<<3 | 4<<6 | 5<<9, [4]float64{unorm(0, 24), 0, 0, 1}},
		{"swizzled", 187, 0, 3 | 0<<3 | 2<<6 | 1<<9, [4]float64{unorm(24, 8), unorm(0, 8), unorm(16, 8), unorm(8, 8)}},
	}
}

// TestPixelFormats: texels of formats with their orders and swizzles; unsupported formats are errors.
func TestPixelFormats(t *testing.T) {
	raw := []byte{0x12, 0x9a, 0x56, 0xde, 0x78, 0x34, 0xbc, 0xf0, 0x11, 0x32, 0x53, 0x40, 0x95, 0xb6, 0xd7, 0x3f}
	for _, c := range pixelCases(raw) {
		f, err := formatOf(c.code<<codeAt|c.order, c.swizzle)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for k, x := range f.Decode(raw) {
			if math.Abs(float64(x)-c.want[k]) > 1e-6*(1+math.Abs(c.want[k])) {
				t.Errorf("%s: component %d is %g, want %g", c.name, k, x, c.want[k])
			}
		}
	}
	for name, pixel := range map[string]uint32{"YUV8": 32 << codeAt, "reserved": 190 << codeAt, "order": 187<<codeAt | 1, "swapped": 187<<codeAt | 1<<bigEndian,
		"sRGB of integers": 155<<codeAt | 1<<sRGBBit, "tile buffer": 237 << codeAt} {
		if _, err := formatOf(pixel, plainSwizzle); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
	if _, err := formatOf(187<<codeAt, 6); err == nil {
		t.Error("swizzle 6 is no error")
	}
}

// TestEquations: every supported blend equation is a + b*c; those that Mesa emits for the usual factors are among them.
func TestEquations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	taken := 0
	for e := range uint32(1 << 12) {
		terms, err := terms(e)
		if err != nil {
			continue
		}
		taken++
		for range 4 {
			s, d, sa, da, k := rnd.Float64(), rnd.Float64(), rnd.Float64(), rnd.Float64(), rnd.Float64()
			a := [4]float64{math.NaN(), 0, s, d}[e&3]
			b := [4]float64{s - d, s + d, s, d}[e>>4&3]
			c := [8]float64{math.NaN(), 0, s, d, 2 * s, sa, da, k}[e>>8&7]
			if e>>3&1 != 0 {
				a = -a
			}
			if e>>7&1 != 0 {
				b = -b
			}
			if e>>11&1 != 0 {
				c = 1 - c
			}
			factor := func(f draw.Factor) float64 {
				return map[draw.Factor]float64{draw.Zero: 0, draw.One: 1, draw.SrcColor: s, draw.OneMinusSrcColor: 1 - s, draw.DstColor: d, draw.OneMinusDstColor: 1 - d,
					draw.SrcAlpha: sa, draw.OneMinusSrcAlpha: 1 - sa, draw.DstAlpha: da, draw.OneMinusDstAlpha: 1 - da, draw.ConstantColor: k, draw.OneMinusConstantColor: 1 - k}[f]
			}
			x, y := s*factor(terms.Src), d*factor(terms.Dst)
			got := map[draw.BlendOp]float64{draw.BlendAdd: x + y, draw.BlendSubtract: x - y, draw.BlendReverse: y - x}[terms.Op]
			if math.Abs(got-(a+b*c)) > 1e-12 {
				t.Fatalf("equation %#x: %+v gives %g, want %g", e, terms, got, a+b*c)
			}
		}
	}
	for name, e := range map[string]uint32{"opaque": 0x122, "alpha": 0x503, "additive": 0x932&^0x830 | 0x022, "multiply": 0x321} {
		if _, err := terms(e); err != nil {
			t.Errorf("%s (%#x): %v", name, e, err)
		}
	}
	if taken < 300 {
		t.Errorf("only %d equations are taken", taken)
	}
}

// TestSamplers: fields of a sampler descriptor.
func TestSamplers(t *testing.T) {
	d := descriptor{1 | 12<<8 | 9<<12 | 8<<16 | 1<<25 | 1<<27 | 3<<30, 0x180 | 6<<13 | 0x240<<16, 0xff80 | 7<<16 | 3<<24, 0, 1, 2, 3, 4}
	s, err := samplerOf(d)
	if err != nil {
		t.Fatal(err)
	}
	want := mem.Sampler{Wrap: [3]mem.WrapMode{mem.Repeat, mem.ClampToEdge, mem.MirroredRepeat}, Min: mem.Nearest, Mag: mem.Linear, Mip: mem.MipLinear, Bias: -0.5,
		MinLod: 1.5, MaxLod: 2.25, MaxAniso: 8, Compare: mem.CompareGreaterEqual, Rules: rules}
	for i := range want.Border {
		want.Border[i] = math.Float32frombits(uint32(i + 1))
	}
	if *s != want {
		t.Errorf("got %+v, want %+v", *s, want)
	}
	d[0] |= 1 << 23
	if s, err := samplerOf(d); err != nil || s.Rules.Seam != mem.SeamAcross {
		t.Errorf("seamless: %+v, %v", s, err)
	}
}

// TestPlanes: from v12 on the words of a plane have other fields beside the address and the rows.
func TestPlanes(t *testing.T) {
	d := descriptor{10, 0, 0x1000, 0x2_0003, 5<<27 | 64, 0, 0x80000000, 0}
	for arch, want := range map[int][3]uint64{9: {0x2_0003_0000_1000, 5<<27 | 64, 0xffffffff_80000000}, 11: {0x2_0003_0000_1000, 5<<27 | 64, 0xffffffff_80000000},
		12: {0x3_0000_1000, 64, 0x5_8000_0000}, 14: {0x3_0000_1000, 64, 0x5_8000_0000}} {
		if addr, row, slice := placed(d, arch); [3]uint64{addr, row, slice} != want {
			t.Errorf("v%d: %#x, %#x, %#x, want %#x", arch, addr, row, slice, want)
		}
	}
}

// TestReductions: samplers that take the minimum or the maximum of texels, and the fast mode of levels, are rejected.
func TestReductions(t *testing.T) {
	mean := descriptor{1 | 9<<8 | 9<<12 | 9<<16 | 1<<25, 0, 0, 0, 0, 0, 0, 0}
	if _, err := samplerOf(mean); err != nil {
		t.Fatal(err)
	}
	for bits, want := range map[uint32]string{2 << 4: "reduction mode 2", 3 << 4: "reduction mode 3", 2 << 30: "mipmap mode 2"} {
		d := slices.Clone(mean)
		d[0] |= bits
		if _, err := samplerOf(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%#x: %v, want %q", bits, err, want)
		}
	}
}
