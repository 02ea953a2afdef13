package mem

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSwizzleOffset: the place of a texel in blocks of 8 by 4 by 2, two parts and turns, against arithmetic on whole
// numbers.
func TestSwizzleOffset(t *testing.T) {
	number := []SwizzleBit{{1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {4 | 8, 2, 0}, {0, 0, 1}, {0, 2, 0}}
	s, err := NewSwizzle([3]uint8{3, 2, 1}, number, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Turned([]uint32{0, 5, 7, 16}); err != nil {
		t.Fatal(err)
	}
	if s.Sides() != [3]uint8{3, 2, 1} {
		t.Errorf("sides %v", s.Sides())
	}
	tex := Texture{Target: Texture2D, Format: FormatOf("RGBA8888"), Width: 50, Height: 30, Layers: 20, Guest: &Placement{}}
	tex.Guest.Levels = []Plane{{Base: 0x1000, Row: 0x4000, Slice: 0x100000, Part: 0x80000, First: 3, Swizzle: s}}
	if tex.Guest.Space, err = NewSpace("global", NewSegment("texels", 0x1000, 16, Read)); err != nil {
		t.Fatal(err)
	}
	u, err := NewUnit(tex, Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		x, y, layer := r.IntN(50), r.IntN(30), r.IntN(20)
		z := layer + 3
		inPart := x%2 + y%2*2 + x/2%2*4 + (x/4+x/8+y/2)%2*8 + z%2*16
		inPart ^= []int{0, 5, 7, 16}[z/2%4]
		want := 0x1000 + z/2*0x100000 + y/4*0x4000 + y/2%2*0x80000 + (x/8*32+inPart)*4
		got, bytes := u.Place([3]uint32{uint32(x), uint32(y)}, uint32(layer), 0)
		if got != uint64(want) || bytes != 4 {
			t.Fatalf("%d, %d of layer %d: %#x, want %#x", x, y, layer, got, want)
		}
	}
}

// TestSwizzleErrors: what is not a swizzle.
func TestSwizzleErrors(t *testing.T) {
	for _, c := range []struct {
		sides  [3]uint8
		number []SwizzleBit
		parts  int
		want   string
	}{
		{[3]uint8{1, 1, 0}, []SwizzleBit{{1}}, 0, "blocks of 2^2 texels, numbers of 1 bits"},
		{[3]uint8{1, 0, 0}, []SwizzleBit{{1}}, 2, "2 of them for parts"},
		{[3]uint8{1, 0, 0}, []SwizzleBit{{0, 1 << 20}}, 0, "bit 20 of coordinate 1"},
	} {
		if _, err := NewSwizzle(c.sides, c.number, c.parts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	s, err := NewSwizzle([3]uint8{1, 1, 0}, []SwizzleBit{{1}, {0, 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, turns := range [][]uint32{nil, {0, 1, 0}, {2}} {
		if _, err := s.Turned(turns); err == nil {
			t.Errorf("turns %v are no error", turns)
		}
	}
}
