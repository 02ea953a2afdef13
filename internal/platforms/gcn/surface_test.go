package gcn

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSurfaces: texels of surfaces of DMA packets are where the rules of AMD's address library have those of the tile
// mode that the fields are from, in all modes of tiles and of blocks of gfx7 and gfx8.
func TestSurfaces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	n := 0
	tiled(t, func(name string, chip *Tiling, index, texel int) {
		f := formulaOf(chip, index, texel, 1)
		if chip.Gen == 6 || f.array != 2 && f.array != 4 {
			return
		}
		n++
		width, height := 8, 8
		if f.macro {
			width, height = 8*f.width*f.pipes*f.aspect, 8*f.height*f.banks/f.aspect
		}
		f.pitch, f.rows = 2*width, 3*height
		log := func(v int) uint32 { return uint32(bits.TrailingZeros(uint(v))) }
		info := uint32(f.array)<<3 | uint32(f.order)<<8 | log(f.split/64)<<11 | uint32(f.pipeConfig)<<26
		if f.macro {
			info |= log(f.width)<<15 | log(f.height)<<18 | log(f.banks/2)<<21 | log(f.aspect)<<24
		}
		base := int(rnd.Uint32N(1<<10)) << 8
		at, err := chip.Texels(&Surface{Base: uint64(base), Info: info, Texel: texel, Pitch: uint32(f.pitch), Slice: uint32(f.pitch * f.rows)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		for range 200 {
			x, y, z := rnd.IntN(f.pitch), rnd.IntN(f.rows), rnd.IntN(40)
			if got, want := at(uint32(x), uint32(y), uint32(z)), uint64(f.address(base, x, y, z, 0)); got != want {
				t.Errorf("%s: (%d,%d,%d) is at %#x, want %#x", name, x, y, z, got, want)
				return
			}
		}
	})
	if n < 100 {
		t.Errorf("%d modes", n)
	}
}

// TestSurfacesKeepNothing: a stream of packets may have any fields, so nothing of a surface outlives its packet.
func TestSurfacesKeepNothing(t *testing.T) {
	chip := tilingOf("8 polaris10")
	before := len(chip.known)
	for split := range uint32(8) {
		for _, order := range []uint32{0, 1, 2} {
			s := &Surface{Info: 2<<3 | order<<8 | split<<11, Texel: 4, Pitch: 64, Slice: 64 * 64}
			if _, err := chip.Texels(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(chip.known); n != before {
		t.Errorf("%d modes are kept, %d before", n, before)
	}
}

// TestNoSurfaces: modes that are not built, and sizes that do not fit, are errors.
func TestNoSurfaces(t *testing.T) {
	chip := tilingOf("8 polaris10")
	for _, c := range []struct {
		s    Surface
		want string
	}{
		{Surface{Info: 1 << 3, Texel: 4, Pitch: 8, Slice: 64}, "LINEAR_ALIGNED"},
		{Surface{Info: 3 << 3, Texel: 4, Pitch: 8, Slice: 64}, "1D_TILED_THICK"},
		{Surface{Info: 2<<3 | 7<<8, Texel: 4, Pitch: 8, Slice: 64}, "order 7"},
		{Surface{Info: 2<<3 | 3<<8, Texel: 16, Pitch: 8, Slice: 64}, "rotated"},
		{Surface{Info: 2 << 3, Texel: 32, Pitch: 8, Slice: 64}, "32 bytes"},
		{Surface{Info: 4<<3 | 14<<26, Texel: 4, Pitch: 512, Slice: 512 * 512}, "P8_32x64_32x32"},
		{Surface{Info: 4<<3 | 12<<26 | 3<<24, Texel: 4, Pitch: 512, Slice: 512 * 512}, "aspect"},
		{Surface{Info: 4<<3 | 12<<26, Texel: 4, Pitch: 24, Slice: 24 * 64}, "no blocks"},
	} {
		if _, err := chip.Texels(&c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.s, err, c.want)
		}
	}
}
