package gcn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/mem"
)

// TestSamplerCodes: the meaning of each value of each field of an S#. docs/reference/gcn.md 8.4.3.
func TestSamplerCodes(t *testing.T) {
	sampler := func(word, at int, code uint32) *mem.Sampler {
		w := []uint32{1 << 28, 0, 0, 2 << 30} // a border of ones, which some modes read
		w[word] |= code << at
		s, err := samplerOf(w)
		if err != nil {
			t.Fatalf("bits %d of word %d are %d: %v", at, word, code, err)
		}
		return s
	}
	modes := [...]mem.WrapMode{mem.Repeat, mem.MirroredRepeat, mem.ClampToEdge, mem.MirrorClampToEdge, mem.Clamp, mem.MirrorClamp, mem.ClampToBorder, mem.MirrorClampToBorder}
	// The reference is less than the texel where the texel is greater.
	compares := [...]mem.Compare{mem.CompareNever, mem.CompareGreater, mem.CompareEqual, mem.CompareGreaterEqual, mem.CompareLess, mem.CompareNotEqual, mem.CompareLessEqual, mem.CompareAlways}
	for code := range uint32(8) {
		for axis := range 3 {
			want := [3]mem.WrapMode{mem.Repeat, mem.Repeat, mem.Repeat}
			want[axis] = modes[code]
			if got := sampler(0, 3*axis, code).Wrap; got != want {
				t.Errorf("mode %d of axis %d: %v, want %v", code, axis, got, want)
			}
		}
		if got := sampler(0, 12, code).Compare; got != compares[code] {
			t.Errorf("comparison %d: %v, want %v", code, got, compares[code])
		}
	}
	for code, want := range []struct {
		filter mem.Filter
		aniso  bool
	}{{mem.Nearest, false}, {mem.Linear, false}, {mem.Nearest, true}, {mem.Linear, true}} {
		mag, low := sampler(2, 20, uint32(code)), sampler(2, 22, uint32(code))
		if mag.Mag != want.filter || mag.Min != mem.Nearest || low.Min != want.filter || low.Mag != mem.Nearest {
			t.Errorf("filter %d: magnifies by %v, minifies by %v, want %v", code, mag.Mag, low.Min, want.filter)
		}
		if (mag.MaxAniso > 0) != want.aniso || (low.MaxAniso > 0) != want.aniso {
			t.Errorf("filter %d: anisotropy %d and %d, want some: %v", code, mag.MaxAniso, low.MaxAniso, want.aniso)
		}
	}
	for code, want := range []mem.MipFilter{mem.MipNone, mem.MipNearest, mem.MipLinear} {
		if got := sampler(2, 26, uint32(code)).Mip; got != want {
			t.Errorf("filter of levels %d: %v, want %v", code, got, want)
		}
	}
	for code, want := range [][4]float32{{}, {0, 0, 0, 1}, {1, 1, 1, 1}} {
		s, err := samplerOf([]uint32{6, 0, 0, uint32(code) << 30})
		if err != nil || s.Border != want {
			t.Errorf("border %d: %v, %v, want %v", code, s, err, want)
		}
	}
}

// numbers are the values of a component of 8 bits by number format. docs/reference/gcn.md 8.1.1 and 8.4.2.
var numbers = map[uint32]func(v uint8) float64{
	0: func(v uint8) float64 { return float64(v) / 255 },
	1: func(v uint8) float64 { return max(float64(int8(v))/127, -1) },
	2: func(v uint8) float64 { return float64(v) },
	3: func(v uint8) float64 { return float64(int8(v)) },
	4: func(v uint8) float64 { return float64(math.Float32frombits(uint32(v))) },
	5: func(v uint8) float64 { return float64(math.Float32frombits(uint32(int32(int8(v))))) },
	6: func(v uint8) float64 { return (2*float64(int8(v)) + 1) / 255 },
	9: func(v uint8) float64 {
		c := float64(v) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	},
}

// TestNumberFormats: each number format converts all values of 8 bits, and other formats are rejected.
func TestNumberFormats(t *testing.T) {
	for code := range uint32(16) {
		r := plain()
		r.data, r.number = 1, code
		f, err := formatOf(r.words())
		value, ok := numbers[code]
		if (err == nil) != ok {
			t.Errorf("number format %d: %v, want one: %v", code, err, ok)
			continue
		}
		for v := 0; ok && v < 256; v++ {
			got, want := f.Decode([]byte{byte(v)})[0], value(byte(v))
			same := math.Float32bits(got) == math.Float32bits(float32(want)) || math.Abs(float64(got)-want) < 1e-6
			if !same {
				t.Fatalf("number format %d: %#x is %v, want %v", code, v, got, want)
			}
		}
	}
}

// TestLayerLimits: the last slice of an array, of a cube and of a plain image exists, and the next does not.
func TestLayerLimits(t *testing.T) {
	for _, c := range []struct {
		kind, depth, step uint32 // number of slices, and the number of slices per layer
	}{{13, 1, 1}, {13, 5, 1}, {13, 8192, 1}, {12, 5, 1}} {
		for _, last := range []uint32{0, c.depth - 2, c.depth - 1, c.depth} {
			if last > 8191 { // the field has 13 bits
				continue
			}
			r := plain()
			r.kind, r.depth, r.slice1 = c.kind, c.depth, last
			if c.kind == 12 {
				r.height = 1
			}
			tex, err := textureOf(r.words(), space(t), nil, true)
			name := fmt.Sprintf("type %d of %d layers, up to %d", c.kind, c.depth, last)
			switch {
			case last >= c.depth && err == nil:
				t.Errorf("%s: no error", name)
			case last < c.depth && (err != nil || tex.Layers != int(last)+1):
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// sizes are the bits of x, y, z, w of each data format, from the lowest bit of the texel up. docs/reference/gcn.md
// 8.1.1 and 8.4.2.
var sizes = map[uint32][]int{
	1: {8}, 2: {16}, 3: {8, 8}, 4: {32}, 5: {16, 16}, 6: {11, 11, 10}, 7: {10, 11, 11}, 8: {2, 10, 10, 10}, 9: {10, 10, 10, 2}, 10: {8, 8, 8, 8},
	11: {32, 32}, 12: {16, 16, 16, 16}, 13: {32, 32, 32}, 14: {32, 32, 32, 32}, 16: {5, 6, 5}, 17: {5, 5, 5, 1}, 18: {1, 5, 5, 5}, 19: {4, 4, 4, 4},
	20: {24, 8}, 21: {8, 24}, 22: {32, 8}, 34: {9, 9, 9}, 47: {2}, 49: {8}, 54: {32}, 57: {4, 4}, 58: {5, 5, 6},
}

// TestPairs: GB_GR and BG_RG, named from the highest byte down, are two pixels of a row with one red and one blue. Rows
// and levels count pairs.
func TestPairs(t *testing.T) {
	for code, order := range map[uint32]string{32: "rgbg", 33: "grgb"} { // from the lowest byte up
		r := plain()
		r.base, r.data, r.kind, r.width, r.height, r.pitch, r.last = 0x10000, code, type2D, 37, 9, 128, 1
		s := space(t)
		tex, err := textureOf(r.words(), s, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		u, err := mem.NewUnit(*tex, mem.Sampler{})
		if err != nil {
			t.Fatal(err)
		}
		data, _ := s.At(&mem.Cursor{}, 0x10000, 1<<16, mem.Read)
		for i := range data {
			data[i] = byte(i * 7 >> 2)
		}
		for level, size := range [][3]int{{37, 9, 0}, {18, 4, 9 * 256}} { // and the offset of the level
			row := 256 >> level // 64 pairs, then 32: 16 and a multiple of 64 pairs in four rows
			for at := range size[0] * size[1] {
				x, y := at%size[0], at/size[0]
				pair := data[size[2]+y*row+x/2*4:]
				got, err := u.Texel(&mem.Spot{At: [3]uint32{uint32(x), uint32(y)}, Level: uint32(level)})
				if err != nil {
					t.Fatal(err)
				}
				green := strings.Index(order, "g") + x%2*2
				for i, k := range []int{strings.Index(order, "r"), green, strings.Index(order, "b")} {
					if want := math.Float32bits(float32(pair[k]) / 255); got[i] != want {
						t.Fatalf("data format %d, level %d, %d, %d: component %d is %#x, want %#x", code, level, x, y, i, got[i], want)
					}
				}
			}
		}
	}
}

// TestBlockFormats: codes 35 to 41 are BC1 to BC7, with the sizes of their blocks; selects apply to their components,
// and srgb does not apply to alpha.
func TestBlockFormats(t *testing.T) {
	for code, bytes := range map[uint32]int{35: 8, 36: 16, 37: 16, 38: 8, 39: 16, 40: 16, 41: 16} {
		r := plain()
		r.data, r.selects = code, [4]uint32{7, 1, 0, 4}
		f, err := formatOf(r.words())
		if err != nil || f.Blocks == nil || f.Bytes != bytes || f.Blocks.From != [4]uint8{3, mem.BlockOne, mem.BlockZero, 0} {
			t.Errorf("data format %d: %+v, %v, want blocks of %d bytes", code, f, err, bytes)
		}
	}
	for _, c := range []struct {
		data, number uint32
		kind         mem.BlockKind
		srgb         bool
	}{
		{35, 0, mem.BC1, false}, {35, 9, mem.BC1, true}, {36, 9, mem.BC2, true}, {37, 9, mem.BC3, true}, {38, 0, mem.BC4, false},
		{38, 1, mem.BC4Signed, false}, {39, 1, mem.BC5Signed, false}, {40, 0, mem.BC6, false}, {40, 1, mem.BC6Signed, false}, {41, 9, mem.BC7, true},
	} {
		r := plain()
		r.data, r.number = c.data, c.number
		if f, err := formatOf(r.words()); err != nil || f.Blocks.Kind != c.kind || f.Blocks.SRGB != c.srgb {
			t.Errorf("data format %d, number format %d: %+v, %v", c.data, c.number, f, err)
		}
	}
}

// TestDataFormats: each data format has the components that it is named after, and no other code is one.
func TestDataFormats(t *testing.T) {
	for code := range uint32(64) {
		r := plain()
		r.data, r.number = code, 4
		if code == 34 {
			r.number = 7
		}
		if code == 32 || code == 33 || code >= 35 && code <= 41 {
			continue // TestBlockFormats
		}
		f, err := formatOf(r.words())
		bits, ok := sizes[code]
		if (err == nil) != ok {
			t.Errorf("data format %d: %v, want one: %v", code, err, ok)
		}
		if err != nil || !ok {
			continue
		}
		at := 0
		for i, n := range bits {
			if c := f.Comp[i]; int(c.Bits) != n || int(c.At) != at {
				t.Errorf("data format %d: component %d is %d bits from %d on, want %d from %d on", code, i, c.Bits, c.At, n, at)
			}
			at += n
		}
		whole := (at + 7) / 8
		if code == 22 || code == 34 {
			whole = map[uint32]int{22: 8, 34: 4}[code] // 24 bits are not used; the exponent
		}
		if f.Bytes != whole {
			t.Errorf("data format %d has %d bytes, want %d", code, f.Bytes, whole)
		}
	}
}

// TestAllFormats: each data format with each number format is supported, does not exist, or is not built, and the error
// says which. docs/reference/gcn.md 8.4.2.
func TestAllFormats(t *testing.T) {
	blocks := map[uint32][]uint32{32: {0}, 33: {0}, 35: {0, 9}, 36: {0, 9}, 37: {0, 9}, 38: {0, 1}, 39: {0, 1}, 40: {0, 1}, 41: {0, 9}}
	notBuilt := []uint32{44, 45, 46, 48, 50, 51, 52, 53, 55, 56, 59, 60, 61, 62, 63}
	supported, stored := 0, 0
	for data := range uint32(64) {
		for number := range uint32(16) {
			bits, texel := sizes[data]
			numbers, block := blocks[data]
			exists := texel && number < 7
			switch {
			case block:
				exists = slices.Contains(numbers, number)
			case !texel:
			case data == 34: // a shared exponent
				exists = number == 7
			case data == 47 || data == 49 || data == 54: // FMASK
				exists = number == 4
			case number == 7: // of 22 depth, and stencil as a number
				exists = data == 22 || !slices.ContainsFunc(bits, func(n int) bool { return n != 10 && n != 11 && n != 16 && n != 32 })
			case number == 9:
				exists = bits[0] == 8
			}
			want := "which does not exist"
			switch {
			case slices.Contains(notBuilt, data), (texel || block) && number >= 10 && number <= 13:
				want = "which is not built"
			case exists:
				want = ""
			}
			r := plain()
			r.data, r.number = data, number
			f, err := formatOf(r.words())
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("data format %d, number format %d: %v, want %q", data, number, err, want)
			}
			if err != nil {
				continue
			}
			supported++
			if err := f.Stores(); (err == nil) == (block || data == 34 || number == 9 || fragments(data)) {
				t.Errorf("data format %d, number format %d: stores %v", data, number, err)
			} else if err == nil {
				stored++
			}
		}
	}
	t.Logf("%d of 1024 are loaded and sampled, %d of these are stored", supported, stored)
}
