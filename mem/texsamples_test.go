package mem

import (
	"math"
	"testing"
)

// TestFragments: FMASK has a field for each sample: 1 bit for each of two, 2 bits for each of four, 4 bits for each of
// eight. Each becomes 4 bits.
func TestFragments(t *testing.T) {
	for samples, bits := range map[int]string{2: "0+2", 4: "0+8", 8: "0+32"} {
		f, err := NewFormat("fmask", 4, Fragments, bits+" 0 0 1")
		if err != nil || !f.Integer() || f.Stores() == nil {
			t.Fatalf("%d samples: %v", samples, err)
		}
		width := map[int]int{2: 1, 4: 2, 8: 4}[samples]
		for k := range 1000 {
			v := uint32(k * 0x9e3779b1)
			want := uint32(0)
			for s := range samples {
				want |= v >> (s * width) % (1 << width) << (4 * s)
			}
			got := f.Decode([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
			if math.Float32bits(got[0]) != want || math.Float32bits(got[3]) != 1 {
				t.Fatalf("%d samples, %#x: %#x, want %#x", samples, v, math.Float32bits(got[0]), want)
			}
		}
	}
}

// TestSeveralSamples: samples of a pixel are read as levels of one size, and a layer has one slice for each.
func TestSeveralSamples(t *testing.T) {
	s, err := NewSpace("global", NewSegment("texels", 0x1000, 4096, Read))
	if err != nil {
		t.Fatal(err)
	}
	tex := Texture{Target: Texture2D, Format: FormatOf("R8"), Width: 16, Height: 8, Layers: 3, Last: 1, Samples: 2,
		Guest: &Placement{Space: s, Levels: []Plane{{Base: 0x1000, Row: 16, Slice: 128}, {Base: 0x1000, Row: 16, Slice: 128, First: 1}}}}
	u, err := NewUnit(tex, Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	for layer := range uint32(3) {
		for sample := range uint32(2) {
			at, n := u.Place([3]uint32{15, 7}, layer, sample)
			if want := 0x1000 + uint64(layer*2+sample)*128 + 127; at != want || n != 1 {
				t.Errorf("layer %d, sample %d: %d bytes at %#x, want %#x", layer, sample, n, at, want)
			}
		}
	}
	if _, err := NewUnit(tex, Sampler{Mag: Linear}); err == nil {
		t.Error("a sampler for several samples")
	}
	if tex.Samples = 3; tex.Check() == nil {
		t.Error("three samples in two places")
	}
}

// TestGatherIntegers: under GatherFrom a gather of integers begins at the texel that has the coordinate, half a texel
// after the one at which gathers of numbers begin.
func TestGatherIntegers(t *testing.T) {
	var texels []byte
	for i := range 64 {
		texels = append(texels, byte(i), 0, 0, 0)
	}
	for _, c := range []struct {
		format string
		rule   GatherRule
		first  int // the number of the first texel at (2.25, 3.75) of eight by eight
	}{{"R32_UINT", GatherAround, 3*8 + 1}, {"R32_UINT", GatherFrom, 3*8 + 2}, {"RGBA8888", GatherFrom, 3*8 + 1}} {
		tex := Texture{Target: Texture2D, Format: FormatOf(c.format), Width: 8, Height: 8, Levels: [][][]byte{{texels}}}
		u, err := NewUnit(tex, Sampler{Rules: Rules{Wrap: WrapTexel, Gather: c.rule}})
		if err != nil {
			t.Fatal(err)
		}
		q := Quad{Lod: LodZero, Need: 1}
		q.Coord[0] = [3]float32{2.25 / 8, 3.75 / 8}
		u.Gather(&q, 0)
		for i, k := range []int{8, 9, 1, 0} {
			want := uint32(c.first + k)
			if c.format == "RGBA8888" {
				want = math.Float32bits(float32(want) / 255)
			}
			if q.Texel[0][i] != want {
				t.Errorf("%s, rule %d: texel %d is %#x, want %#x", c.format, c.rule, i, q.Texel[0][i], want)
			}
		}
	}
}
