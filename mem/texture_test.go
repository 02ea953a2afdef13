package mem

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/num"
)

func TestFormats(t *testing.T) {
	i := func(x int32) float32 { return math.Float32frombits(uint32(x)) }
	for _, tt := range []struct {
		name, bytes string
		want        [4]float32
	}{
		{"RGBA8888", "00ff8001", [4]float32{0, 1, 128.0 / 255, 1.0 / 255}},
		{"BGRA8888", "00ff8001", [4]float32{128.0 / 255, 1, 0, 1.0 / 255}},
		{"RG88", "3366", [4]float32{0.2, 0.4, 0, 1}},
		{"RGBA8888_SNORM", "7f818000", [4]float32{1, -1, -1, 0}},
		{"L8A8_SIGNED", "7f80", [4]float32{1, 1, 1, -128.0 / 127}},
		{"RGB565", "e007", [4]float32{0, 1, 0, 1}},
		{"RGBA8888_UINT", "00ff8001", [4]float32{0, i(255), i(128), i(1)}},
		{"RGBA8888_SINT", "00ff8001", [4]float32{0, i(-1), i(-128), i(1)}},
		{"R32_UINT", "efbeadde", [4]float32{math.Float32frombits(0xdeadbeef), 0, 0, i(1)}},
		{"R11G11B10F", "c0031e70", [4]float32{1, 1, 0.5, 1}}, // 0x3c0 | 0x3c0<<11 | 0x1c0<<22
		{"RGB32F", "0000803f000000c00000003f", [4]float32{1, -2, 0.5, 1}},
		{"DEPTH16", "ffff", [4]float32{1, 1, 1, 1}},
		{"DEPTH24", "000000ff", [4]float32{0, 0, 0, 1}},
		{"R16F", "0100", [4]float32{1.0 / (1 << 24), 0, 0, 1}},
	} {
		b, err := hex.DecodeString(tt.bytes)
		f := FormatOf(tt.name)
		if err != nil || f == nil || f.Bytes != len(b) {
			t.Errorf("%s: %v, %v", tt.name, f, err)
			continue
		}
		got := f.Decode(append(b, 0xff)) // later bytes are ignored
		for k := range got {
			if math.Float32bits(got[k]) != math.Float32bits(tt.want[k]) {
				t.Errorf("%s %s: component %d is %v, want %v", tt.name, tt.bytes, k, got[k], tt.want[k])
			}
		}
	}
}

func TestFormatErrors(t *testing.T) {
	for _, tt := range []struct {
		bytes int
		conv  Conv
		comps string
	}{{4, Unorm, "0+8 8+8 16+8"}, {4, Unorm, "0+8 8+8 16+8 25+8"}, {16, Unorm, "60+8 0 0 0"}, {4, Float, "0+24 0 0 0"}, {4, Unorm, "2 0 0 0"}, {32, Unorm, "0 0 0 0"}} {
		if f, err := NewFormat("f", tt.bytes, tt.conv, tt.comps); err == nil {
			t.Errorf("%+v: %+v", tt, f)
		}
	}
	if FormatOf("RGBA") != nil || StreamFormatOf("unorm64") != nil {
		t.Error("formats that do not exist")
	}
}

// ramp is a line of texels of 0, 10, 20, ... as integers, so that results identify their texel.
func ramp(n int) Texture {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(10 * i)
	}
	f, err := NewFormat("scaled", 1, UScaled, "0+8 0+8 0+8 0+8")
	if err != nil {
		panic(err)
	}
	return Texture{Target: Texture1D, Format: f, Width: n, Levels: [][][]byte{{data}}}
}

// at samples at one place and returns the first component.
func at(t *testing.T, u *Unit, x float32) float32 {
	t.Helper()
	q := Quad{Lod: LodZero, Need: 1}
	q.Coord[0][0] = x
	u.Sample(&q)
	return math.Float32frombits(q.Texel[0][0])
}

// TestWrapTexel: the wrap modes on texel numbers, by the definitions of OpenGL.
func TestWrapTexel(t *testing.T) {
	xs := []float32{-1.4, -0.4, -0.1, 0, 0.3, 0.9, 1, 1.1, 1.6, 2.1}
	for _, tt := range []struct {
		mode WrapMode
		want [10]float32 // 99: border
	}{
		{Repeat, [10]float32{20, 20, 30, 0, 10, 30, 0, 0, 20, 0}},
		{ClampToEdge, [10]float32{0, 0, 0, 0, 10, 30, 30, 30, 30, 30}},
		{ClampToBorder, [10]float32{99, 99, 99, 0, 10, 30, 99, 99, 99, 99}},
		{MirroredRepeat, [10]float32{20, 10, 0, 0, 10, 30, 30, 30, 10, 0}},
	} {
		s := Sampler{MaxLod: 12, Border: [4]float32{99}, Rules: Rules{Wrap: WrapTexel, Border: BorderColour}}
		s.Wrap[0] = tt.mode
		u, err := NewUnit(ramp(4), s)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range xs {
			if got := at(t, u, x); got != tt.want[i] {
				t.Errorf("%s at %v: %v, want %v", tt.mode, x, got, tt.want[i])
			}
		}
	}
}

// TestWrapRules: inside the texture the rules agree; outside a linear filter reads half of the border.
func TestWrapRules(t *testing.T) {
	for _, tt := range []struct {
		rule   WrapRule
		border BorderRule
		mode   WrapMode
		x      float32
		want   float32
	}{
		{WrapCoordinate, BorderZeroBytes, Repeat, 0.5, 15},
		{WrapTexel, BorderZeroBytes, Repeat, 0.5, 15},
		{WrapCoordinate, BorderZeroBytes, Repeat, 0, 15}, // between 30 and 0
		{WrapTexel, BorderZeroBytes, Repeat, -3, 15},
		{WrapCoordinate, BorderZeroBytes, Clamp, 7, 15}, // between 30 and a texel of zero bytes
		{WrapTexel, BorderColour, Clamp, 7, 34},         // between 30 and 38
		{WrapTexel, BorderColour, ClampToBorder, 7, 38},
		{WrapTexel, BorderColour, ClampToEdge, 7, 30},
	} {
		s := Sampler{Min: Linear, Mag: Linear, Border: [4]float32{38}, Rules: Rules{Wrap: tt.rule, Border: tt.border}}
		s.Wrap[0] = tt.mode
		u, err := NewUnit(ramp(4), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := at(t, u, tt.x); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestFaces: by vote the quad reads one face, otherwise each lane its own.
func TestFaces(t *testing.T) {
	tex := ramp(6)
	tex.Target, tex.Width, tex.Height = TextureCube, 1, 1
	data := tex.Levels[0][0]
	tex.Levels[0] = nil
	for i := range data {
		tex.Levels[0] = append(tex.Levels[0], data[i:i+1])
	}
	for rule, want := range map[FaceRule][4]float32{FaceVote: {40, 40, 40, 40}, FaceEach: {10, 40, 40, 30}} {
		u, err := NewUnit(tex, Sampler{Wrap: [3]WrapMode{ClampToEdge, ClampToEdge}, Rules: Rules{Face: rule}})
		if err != nil {
			t.Fatal(err)
		}
		q := Quad{Need: 15, Coord: [4][3]float32{{-2, 1, 0}, {0, 0, 1}, {.5, .5, 1}, {1, -3, 2}}}
		u.Sample(&q)
		for lane, x := range want {
			if got := math.Float32frombits(q.Texel[lane][0]); got != x {
				t.Errorf("rule %d, lane %d: %v, want %v", rule, lane, got, x)
			}
		}
	}
}

// TestNeed: lanes that are not needed get no result, but their coordinates count.
func TestNeed(t *testing.T) {
	tex := ramp(4)
	tex.Levels = append(tex.Levels, [][]byte{{100, 100}}, [][]byte{{200}})
	tex.Last = 2
	u, err := NewUnit(tex, Sampler{Mip: MipNearest, MaxLod: 12})
	if err != nil {
		t.Fatal(err)
	}
	q := Quad{Need: 4, Coord: [4][3]float32{{0}, {0.5}, {0.1}, {7}}} // two texels from lane 0 to lane 1: level 1
	u.Sample(&q)
	if want := [4][4]uint32{2: q.Texel[2]}; q.Texel != want || q.Texel[2][0] != math.Float32bits(100) {
		t.Errorf("texels %x", q.Texel)
	}
}

func TestUnitErrors(t *testing.T) {
	for _, tt := range []struct {
		spoil func(t *Texture, s *Sampler)
		want  string
	}{
		{func(t *Texture, s *Sampler) { t.Format = nil }, "format <nil>"},
		{func(t *Texture, s *Sampler) { t.Target = 9 }, "target ?"},
		{func(t *Texture, s *Sampler) { t.Width = 0 }, "0 texels along axis 0, want 1 to 65536"},
		{func(t *Texture, s *Sampler) { t.Width = 5 }, "level 0, face 0: 4 bytes, want 5 of scaled"},
		{func(t *Texture, s *Sampler) { t.Target, t.Height = TextureCube, 1 }, "level 0 has 1 faces, want 6"},
		{func(t *Texture, s *Sampler) { t.Base, t.Last = 1, 1 }, "levels 1 to 1 of 1"},
		{func(t *Texture, s *Sampler) { s.Wrap[2] = numWraps }, "a mode that does not exist"},
		{func(t *Texture, s *Sampler) { s.MaxAniso = 65 }, "anisotropy 65, want up to 64"},
		{func(t *Texture, s *Sampler) {
			t.Format, t.Width, s.Mag = FormatOf("RGBA8888_UINT"), 1, Linear
		}, "mixes texels of integers (RGBA8888_UINT)"},
	} {
		tex, s := ramp(4), Sampler{}
		tt.spoil(&tex, &s)
		if _, err := NewUnit(tex, s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	for f := range numFilters {
		for m := range numMips {
			if g, n, ok := FilterOf(filterNames[m][f]); g != f || n != m || !ok {
				t.Errorf("%s is %d, %d, %t", filterNames[m][f], g, n, ok)
			}
		}
	}
	if _, _, ok := FilterOf("CUBIC"); ok {
		t.Error("CUBIC is a filter")
	}
	if w, ok := WrapOf("MIRRORED_REPEAT"); w != MirroredRepeat || !ok || w.String() != "MIRRORED_REPEAT" {
		t.Errorf("%s, %t", w, ok)
	}
}

// TestLog2: within a unit in the last place of the correctly rounded logarithm, and exact for powers of two.
func TestLog2(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		x := math.Exp2(40*r.Float64() - 20)
		got := math.Float64bits(log2(x))
		want := num.FLog2(64, num.ModeSet, math.Float64bits(x))
		if d := int64(got - want); d < -1 || d > 1 {
			t.Fatalf("log2(%v) = %#x, want %#x", x, got, want)
		}
	}
	for e := -1074; e < 1024; e++ {
		if got := log2(math.Ldexp(1, e)); got != float64(e) {
			t.Errorf("log2(2^%d) = %v", e, got)
		}
	}
	if x := log2(0); !math.IsInf(x, -1) {
		t.Errorf("log2(0) = %v", x)
	}
	if x := log2(-1); x == x {
		t.Errorf("log2(-1) = %v", x)
	}
}

func TestCurves(t *testing.T) {
	for _, tt := range []struct {
		c       Curve
		x, want float32
	}{
		{CurveNone, 0.5, 0.5}, {Curve22, 0, 0}, {Curve22, 1, 1}, {Curve22, 0.5, 0.21763763}, // 2^-2.2 = 0.217637640...; 2.2 in single is above 2.2
		{CurveSRGB, 0.04, 0.04 / 12.92}, {CurveSRGB, 1, 1}, {CurveSRGB, 0.5, 0.21404114}, {CurveSRGB, 128.0 / 255, 0.21586053},
	} {
		if got := tt.c.apply(tt.x); got != tt.want {
			t.Errorf("curve %d of %v: %.9g, want %.9g", tt.c, tt.x, got, tt.want)
		}
	}
	if x := pow(-1, 2.2); x == x {
		t.Errorf("pow(-1, 2.2) = %v", x)
	}
}

// FuzzSample: no coordinates, whatever the modes, access memory outside of a texture.
func FuzzSample(f *testing.F) {
	f.Add(uint64(0), uint64(0x7fc000007f800000), uint64(0xff800000cf000000), uint64(1))
	f.Fuzz(func(t *testing.T, modes, a, b, c uint64) {
		tex := ramp(7)
		tex.Target, tex.Width, tex.Height, tex.Depth = Target(modes%4), 1+int(modes>>2%3), 1, 2
		if tex.Target != Texture3D {
			tex.Layers = int(modes >> 44 % 3)
		}
		if tex.Target == TextureCube {
			tex.Levels[0] = [][]byte{make([]byte, 7), make([]byte, 7), make([]byte, 7), make([]byte, 7), make([]byte, 7), make([]byte, 7)}
		}
		if tex.Layers > 1 {
			tex.Levels[0] = append(tex.Levels[0], tex.Levels[0]...)
		}
		s := Sampler{Min: Filter(modes >> 4 % 2), Mag: Filter(modes >> 5 % 2), Mip: MipFilter(modes >> 6 % 3), MinLod: -1, MaxLod: 3,
			MaxAniso: int(modes >> 8 % 17), Unnormalised: modes>>13&1 != 0, FlipV: modes>>14&1 != 0,
			Rules: Rules{Face: FaceRule(modes >> 32 % 3), Wrap: WrapRule(modes >> 16 % 2), Border: BorderRule(modes >> 17 % 2), Lod: LodRule(modes >> 34 % 2),
				Ref: RefRule(modes >> 35 % 3), Mix: MixRule(modes >> 37 % 2), Seam: SeamRule(modes >> 38 % 2)}}
		for i := range s.Wrap {
			s.Wrap[i] = WrapMode(modes >> (18 + 3*i) % uint64(numWraps))
		}
		u, err := NewUnit(tex, s)
		if err != nil {
			t.Fatal(err)
		}
		q := Quad{Need: 15, Lod: LodKind(modes >> 40 % 5)}
		words := [6]uint32{uint32(a), uint32(a >> 32), uint32(b), uint32(b >> 32), uint32(c), uint32(c >> 32)}
		for lane := range 4 {
			for i := range 3 {
				q.Coord[lane][i] = math.Float32frombits(words[(lane+2*i)%6])
			}
			q.W[lane], q.Slice[lane], q.Least[lane] = math.Float32frombits(words[lane]), math.Float32frombits(words[lane]), math.Float32frombits(words[lane+1])
			q.Dx[lane], q.Dy[lane], q.Offset[lane] = q.Coord[lane], q.Coord[3-lane], [3]int8{int8(a), int8(b), int8(c)}
		}
		q.Limit = modes>>43&1 != 0
		u.Sample(&q)
		u.Gather(&q, uint8(c))
		u.Lods(&q)
	})
}

func benchUnit(b *testing.B, s Sampler) *Unit {
	tex := Texture{Target: Texture2D, Format: FormatOf("RGBA8888"), Width: 256, Height: 256, Last: 12}
	for l := range 9 {
		n := tex.Size(l)
		data := make([]byte, n[0]*n[1]*4)
		for i := range data {
			data[i] = byte(7 * i)
		}
		tex.Levels = append(tex.Levels, [][]byte{data})
	}
	s.MaxLod = 12
	u, err := NewUnit(tex, s)
	if err != nil {
		b.Fatal(err)
	}
	return u
}

// BenchmarkSample measures a quad of four lanes on a 2D texture.
func BenchmarkSample(b *testing.B) {
	for name, s := range map[string]Sampler{
		"nearest":   {},
		"bilinear":  {Min: Linear, Mag: Linear},
		"trilinear": {Min: Linear, Mag: Linear, Mip: MipLinear, Bias: 1.5},
	} {
		u := benchUnit(b, s)
		b.Run(name, func(b *testing.B) {
			q := Quad{Need: 15}
			for i := 0; b.Loop(); i++ {
				x := float32(i&1023) / 1024
				q.Coord = [4][3]float32{{x, 0.3}, {x + 1.0/256, 0.3}, {x, 0.3 + 1.0/256}, {x + 1.0/256, 0.3 + 1.0/256}}
				u.Sample(&q)
			}
		})
	}
}
