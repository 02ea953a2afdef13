package mem

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPacked: packed values in the unit's order equal those put in their fields by hand; excess values are ignored.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 4))
	for i := range 800 {
		target, layers := Target(i%4), 0
		if target != Texture3D && i%3 == 0 {
			layers = 1 + r.IntN(3)
		}
		s := Sampler{Min: Filter(r.IntN(2)), Mag: Filter(r.IntN(2)), Mip: MipFilter(r.IntN(3)), MaxLod: 5,
			Compare: Compare(r.IntN(3)), Rules: Rules{Face: FaceRule(r.IntN(2)), Wrap: WrapTexel, Ref: RefRule(r.IntN(3))}}
		u, err := NewUnit(noise(r, target, layers), s)
		if err != nil {
			t.Fatal(err)
		}
		coords := []int{1, 2, 3, 3}[target]
		plain, packed := randomQuad(r), &Quad{QuadMore: QuadMore{Packed: true}}
		plain.Lod, plain.Limit = LodKind(r.IntN(4)), false
		packed.Lod, packed.Need, packed.Offset = plain.Lod, plain.Need, plain.Offset
		count := 0
		for lane := range 4 {
			values := append([]float32(nil), plain.Coord[lane][:coords]...)
			layer := uint32(r.IntN(5))
			if plain.Slice[lane] = float32(layer); layers > 0 {
				values = append(values, math.Float32frombits(layer))
			}
			if s.Compare != CompareNone {
				values = append(values, plain.Ref[lane])
				if s.Rules.Ref == RefThird {
					plain.Coord[lane][2] = plain.Ref[lane]
				}
			}
			if plain.Lod == LodBias || plain.Lod == LodExplicit {
				values = append(values, plain.W[lane])
			}
			if count = len(values); count > 4 {
				break
			}
			for len(values) < 4 {
				values = append(values, 77)
			}
			packed.Coord[lane], packed.Slice[lane] = [3]float32(values), values[3]
		}
		if got := u.Values(plain.Lod); got != count {
			t.Fatalf("%s, %d layers, %+v: %d values, want %d", target, layers, s, got, count)
		}
		if count > 4 || s.Rules.Ref == RefThird && s.Compare != CompareNone && coords+min(layers, 1) > 2 {
			continue // the third coordinate cannot be both
		}
		u.Sample(plain)
		before := packed.Coord
		u.Sample(packed)
		if packed.Texel != plain.Texel || packed.Coord != before {
			t.Fatalf("%s, %d layers, %+v: %x, want %x", target, layers, s, packed.Texel, plain.Texel)
		}
	}
}

// TestTexel: a texel by its coordinates, and 0 if there is none; with Packed the coordinates are consecutive.
func TestTexel(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for i := range 900 {
		target, layers := Target(i%4), 0
		if target != Texture3D && i%3 == 0 {
			layers = 1 + r.IntN(3)
		}
		tex := noise(r, target, layers)
		tex.Format = FormatOf("RGBA8888_UINT")
		own, err := NewUnit(tex, Sampler{})
		if err != nil {
			t.Fatal(err)
		}
		guest, err := NewUnit(guestOf(t, tex), Sampler{})
		if err != nil {
			t.Fatal(err)
		}
		axes := []int{1, 2, 3, 2}[target]
		p := Spot{Level: uint32(r.IntN(4)), Slice: uint32(r.IntN(max(layers, 1)))}
		face := uint32(r.IntN(6))
		var values []uint32
		for a := range axes {
			p.At[a], p.Offset[a] = uint32(r.IntN(8)), int8(r.IntN(5)-2)
			values = append(values, p.At[a])
		}
		p.Offset[2] = 3 // of an axis that only 3D has
		if layers > 0 {
			values = append(values, p.Slice)
		}
		if target == TextureCube {
			p.Slice = 6*p.Slice + face
			values = append(values, face)
		}
		want := texelOf(&tex, &p)
		check := func(what string, u *Unit, p Spot) {
			if got, err := u.Texel(&p); got != want || err != nil {
				t.Errorf("%s %s, %d layers, %+v: %x, %v, want %x", what, target, layers, p, got, err, want)
			}
		}
		check("own", own, p)
		check("guest", guest, p)
		if values = append(values, p.Level, 0, 0, 0); target != TextureCube || layers == 0 {
			p.Packed, p.At, p.Slice, p.Level = true, [3]uint32(values), values[3], 99
			check("packed", own, p)
		}
	}
}

// texelOf finds the bytes by counting.
func texelOf(tex *Texture, p *Spot) (want [4]uint32) {
	if p.Level >= 3 {
		return want
	}
	size := tex.Size(int(p.Level))
	at := [3]int{}
	for i := range tex.Target.axes() {
		at[i] = int(p.At[i]) + int(p.Offset[i])
		if at[i] < 0 || at[i] >= size[i] {
			return want
		}
	}
	slice := 0
	if tex.Layers > 0 || tex.Target == TextureCube {
		slice = int(p.Slice)
	}
	data := tex.Levels[p.Level][slice][4*(at[0]+size[0]*(at[1]+size[1]*at[2])):]
	for k := range want {
		want[k] = uint32(data[k])
	}
	return want
}

// TestTexelFault: a texel that memory refuses is an error.
func TestTexelFault(t *testing.T) {
	tex := guestOf(t, noise(rand.New(rand.NewPCG(1, 1)), Texture2D, 0))
	tex.Guest.Levels[0].Base = 0x4000 - 4
	u, err := NewUnit(tex, Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := u.Texel(&Spot{}); err == nil || got != [4]uint32{} {
		t.Errorf("%x, %v", got, err)
	}
	if _, err := u.Texel(&Spot{At: [3]uint32{1}}); err != nil {
		t.Error(err)
	}
}
