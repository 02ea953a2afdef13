package roguerun

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	launch "github.com/heddle-gpu/heddle/internal/platforms/rogue"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// textureAt is the address of the texels in these tests.
const textureAt = 0x1000_0000

// textured gives the task a texture with eight texels of four bytes along each axis, in rows, and its state in sh0 to
// sh7: nearest filter, clamped to the edge. It returns the bytes of the texture.
func (k *task) textured(dim int) []byte {
	k.t.Helper()
	g := mem.NewSegment("texels", textureAt, 4*8*8*8, mem.ReadWrite)
	for i := range g.Data {
		g.Data[i] = byte(i*167 + i>>5*41 + 11)
	}
	space, err := mem.NewSpace("global", g)
	if err != nil {
		k.t.Fatal(err)
	}
	k.env.Spaces[ir.GlobalSpace] = []*mem.Space{space}
	k.env.ImageOf = launch.NewResources(space).Of
	image := [2]uint64{uint64(dim-1) | 1<<11 | 2<<8 | 3<<5 | 12<<27 | 7<<34 | 7<<48, 7<<4 | textureAt>>2<<16}
	sampler := uint64(4095 | 959<<23 | 2<<41 | 2<<44 | 2<<56)
	for i, w := range [...]uint32{uint32(image[0]), uint32(image[0] >> 32), uint32(image[1]), uint32(image[1] >> 32), uint32(sampler), uint32(sampler >> 32), 0, 0} {
		k.st.Set(cell(rogue.FileSh, i), 0, w)
	}
	return g.Data
}

// texelOf returns the texel along an axis that an instance reads; texelNumber its number.
func texelOf(lane, axis int) int { return (lane*(axis+1) + lane>>3) & 7 }

func texelNumber(lane, dim int) (n int) {
	for axis := range dim {
		n |= texelOf(lane, axis) << (3 * axis)
	}
	return n
}

// sampleForms are modifiers of SMP that require each of its lengths, and the coordinates.
var sampleForms = []struct {
	mods  string
	at    func(lane, axis int) uint32
	write bool
}{
	{".fcnorm", middleOf, false}, {".replace.pplod.fcnorm", middleOf, false}, {".fcnorm.schedswap", middleOf, false}, {".fcnorm.integer", wholeOf, false},
	{".fcnorm.wrt", func(lane, axis int) uint32 { return math.Float32bits(float32(texelOf(lane, axis))) }, true}, {".fcnorm.integer.wrt", wholeOf, true},
}

func middleOf(lane, axis int) uint32 {
	return math.Float32bits((float32(texelOf(lane, axis)) + 0.5) / 8)
}
func wholeOf(lane, axis int) uint32 { return uint32(texelOf(lane, axis)) }

// TestSampleForms: each length of SMP in each dimension reads the texel at its coordinates, or stores one.
func TestSampleForms(t *testing.T) {
	for dim := 1; dim <= 3; dim++ {
		for _, c := range sampleForms {
			k := newTask(t, map[string]string{"texture": "rows"})
			data := k.textured(dim)
			want := append([]byte(nil), data...)
			for axis := range dim {
				k.set(axis, func(lane int) uint32 { return c.at(lane, axis) })
			}
			k.set(dim, func(lane int) uint32 { return map[bool]uint32{true: uint32(lane) * 0x01010101}[c.write] })
			k.run(fmt.Sprintf("{ s0 = sh0..3, s1 = r0..%d, s2 = sh4..7, s4 = r20..23 backend: smp.%dd%s s4, drc0, s0, s1, s2, _, 0x4; }", dim, dim, c.mods))
			for lane := range rogue.Lanes {
				at := 4 * texelNumber(lane, dim)
				if c.write {
					binary.LittleEndian.PutUint32(want[at:], uint32(lane)*0x01010101)
					continue
				}
				for i := range 4 {
					if got, v := k.get(20+i, lane), math.Float32bits(float32(want[at+i])/255); got != v {
						t.Fatalf("%dd%s: instance %d, channel %d is %#x, want %#x", dim, c.mods, lane, i, got, v)
					}
				}
			}
			if string(data) != string(want) {
				t.Errorf("%dd%s: memory differs", dim, c.mods)
			}
		}
	}
}

// TestIteratedForms: each length of ITRSMP in each dimension reads the texel at the coordinates that it iterates: x on
// the first axis, y on the second, their sum on the third.
func TestIteratedForms(t *testing.T) {
	for dim := 1; dim <= 3; dim++ {
		for _, form := range []string{"pixel.fcnorm.schedwdf r20, 0, drc0, cf4, sh0, sh4, 1, cf0", "pixel.fcnorm.schedwdf r20, 0, drc0, cf4, sh0, sh4, 1, 1, cf0", "centroid.fcnorm.schedwdf r20, 0, drc0, cf4, sh0, sh4, 1, 1, cf0"} {
			k := newTask(t, map[string]string{"texture": "rows"})
			data := k.textured(dim)
			for axis := range dim {
				for i, v := range [3]float32{[]float32{0.125, 0, 0.125}[axis], []float32{0, 0.125, 0.125}[axis], 0} {
					k.st.Set(cell(rogue.FileCf, 4+4*axis+i), 0, math.Float32bits(v))
				}
			}
			for lane := range rogue.Lanes {
				k.st.Set(cell(rogue.FileSr, rogue.SpecialX), lane, math.Float32bits(float32(lane&3)+0.5))
				k.st.Set(cell(rogue.FileSr, rogue.SpecialY), lane, math.Float32bits(float32(lane>>3)+0.25))
			}
			text := fmt.Sprintf("{ ctrl: itrsmp.%dd.%s; }", dim, form)
			k.run(text)
			for lane := range rogue.Lanes {
				x, y := lane&3, lane>>3
				n := [...]int{x, x | y<<3, x | y<<3 | (x+y)<<6}[dim-1]
				if got, want := k.get(20, lane), math.Float32bits(float32(data[4*n])/255); got != want {
					t.Fatalf("%s: instance %d is %#x, want %#x", text, lane, got, want)
				}
			}
		}
	}
}
