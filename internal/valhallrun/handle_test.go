package valhallrun

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/valhall"
)

// What stands in the upper word of a handle with narrow indices, and levels of detail that instructions give. Fields
// are those of Mesa's pan_nir_lower_tex.c.

// nibbles are three signed offsets of four bits.
func nibbles(x, y, z int) uint32 { return uint32(x&15 | y&15<<4 | z&15<<8) }

// fetched compares the texels that TEX_FETCH gave in r4 to r7.
func (w *warp) fetched(what string, side, layers int, at func(lane int) (x, y, layer, level int)) {
	w.t.Helper()
	for lane := range valhall.Lanes {
		x, y, layer, level := at(lane)
		want := [4]int{}
		if n := side >> level; x >= 0 && x < n && y >= 0 && y < n && layer < layers {
			want = [4]int{x, y, layer, level}
		}
		for i, v := range want {
			w.expect(what, lane, map[int]uint32{4 + i: uint32(v)})
		}
	}
}

// TestNarrowFetch: TEX_FETCH takes offsets, level and layer from the handle. Before v11 the level has four bits, and
// is not affected by the register of offsets; then it has eight, and that register takes its place.
func TestNarrowFetch(t *testing.T) {
	for variant, early := range map[string]bool{"v9": true, "v10": true, "v11": false, "v14": false} {
		p := integers(flat, true)
		p.layers = 3
		w := samplesIn(t, variant, p, sampler([3]uint32{wrapRepeat, wrapRepeat, wrapRepeat}, true, mipNone, 0))
		w.set(0, func(lane int) uint32 { return uint32(lane) })
		w.set(1, func(lane int) uint32 { return uint32(15 - lane) })
		w.set(2, func(lane int) uint32 { return uint32(lane % 3) })
		w.set(3, func(lane int) uint32 { return uint32(lane%3)<<24 | 2 })
		at := func(dx, dy int) (x, y func(lane int) int) {
			return func(lane int) int { return lane + dx }, func(lane int) int { return 15 - lane + dy }
		}
		level := uint32(1) << 24
		if early {
			level = 1 << 12
		}
		x, y := at(-8, -3)
		w.set(11, func(int) uint32 { return nibbles(-8, -3, 0) | level })
		w.run("TEX_FETCH.slot0.u.32.2d.array_enable @r4:r5:r6:r7, @r0:r1:r2, r10")
		w.fetched(variant+": handle", 16, 3, func(lane int) (int, int, int, int) { return x(lane), y(lane), lane % 3, 1 })
		x, y = at(7, -1)
		layer := uint32(2)
		if w.set(11, func(int) uint32 { return nibbles(7, -1, 0) | layer<<12 }); early {
			w.set(11, func(int) uint32 { return nibbles(7, -1, 0) })
			layer = 0
		}
		w.run("TEX_FETCH.slot0.u.32.2d @r4:r5:r6:r7, @r0:r1, r10")
		w.fetched(variant+": layer", 16, 3, func(lane int) (int, int, int, int) { return x(lane), y(lane), int(layer), 0 })
		x, y = at(2, 0)
		w.set(11, func(int) uint32 { return nibbles(5, 5, 0) })
		w.run("TEX_FETCH.slot0.u.32.2d.array_enable.texel_offset @r4:r5:r6:r7, @r0:r1:r2:r3, r10")
		w.fetched(variant+": register", 16, 3, func(lane int) (int, int, int, int) { return x(lane), y(lane), lane % 3, lane % 3 })
		w.set(3, func(int) uint32 { return 2 })
		w.set(11, func(int) uint32 { return level })
		w.run("TEX_FETCH.slot0.u.32.2d.array_enable.texel_offset @r4:r5:r6:r7, @r0:r1:r2:r3, r10")
		w.fetched(variant+": register and level", 16, 3, func(lane int) (int, int, int, int) {
			return x(lane), y(lane), lane % 3, map[bool]int{true: 1, false: 0}[early]
		})
	}
}

// TestNarrowSample: samples and gathers take offsets from the handle, and layers from v11 on; with wide indices both
// words are handles.
func TestNarrowSample(t *testing.T) {
	for variant, layer := range map[string]uint32{"v9": 0, "v11": 2} {
		p := integers(flat, false)
		p.layers, p.levels = 3, 1
		w := samplesIn(t, variant, p, sampler([3]uint32{wrapRepeat, wrapEdge, wrapRepeat}, true, mipNone, 0))
		w.set(0, func(lane int) uint32 { return float((float64(lane) + 0.5) / 16) })
		w.set(1, func(int) uint32 { return float(4.5 / 16) })
		w.set(11, func(int) uint32 { return nibbles(-8, 7, 0) | layer<<12 })
		w.run("TEX_SINGLE.slot0.u.32.2d.zero @r4:r5:r6:r7, @r0:r1, r10")
		w.run("TEX_SINGLE.slot0.u.32.2d.wide_indices.zero @r16:r17:r18:r19, @r0:r1, r12")
		w.run("TEX_GATHER.slot0.u.32.2d.gather4_b @r20:r21:r22:r23, @r0:r1, r10")
		w.run("TEX_GATHER.slot0.u.32.2d.gather4_g @r24:r25:r26:r27, @r0:r1, r10")
		for lane := range valhall.Lanes {
			w.expect(variant, lane, map[int]uint32{4: uint32(lane+8) % 16, 5: 11, 6: layer, 16: uint32(lane), 17: 4, 18: 0, 20: layer, 24: 11, 27: 12})
		}
		p = integers(cube, true)
		p.layers, p.levels = 3, 1
		w = samplesIn(t, variant, p, sampler([3]uint32{wrapEdge, wrapEdge, wrapEdge}, true, mipNone, 0))
		w.set(0, func(lane int) uint32 { return float((float64(lane)+0.4)/16)&0x1fffffff | uint32(lane%6)<<29 })
		w.set(1, func(int) uint32 { return float(0.5) })
		w.set(11, func(int) uint32 { return layer << 12 })
		w.run("TEX_SINGLE.slot0.u.32.cube.zero @r4:r5:r6:r7, @r0:r1, r10")
		for lane := range valhall.Lanes {
			w.expect(variant+" cube", lane, map[int]uint32{4: uint32(lane), 5: 8, 6: 6*layer + uint32(lane%6)})
		}
	}
}

// TestGradient: the level of detail by coordinates or by their derivatives, in 8.8 fixed point, with or without bias
// and limits of the sampler. The derivatives of a coordinate stand together.
func TestGradient(t *testing.T) {
	p := integers(flat, false)
	p.width, p.height, p.levels, p.maxLod = 64, 64, 7, 0x1fff
	smp := sampler([3]uint32{wrapRepeat, wrapRepeat, wrapRepeat}, true, mipNearest, 0)
	smp[1] = 1<<8 | 2<<24                                    // levels from 1 to 2
	smp[2] |= 0xff80                                         // bias -0.5
	steps := [4][2]float64{{1, 3}, {2, 0.5}, {8, 8}, {0, 0}} // texels from pixel to pixel, along x and y, by quad
	for _, flags := range []string{"", ".lod_bias_disable", ".lod_clamp_disable", ".lod_bias_disable.lod_clamp_disable"} {
		w := samplesIn(t, "v10", p, smp)
		w.set(0, func(lane int) uint32 { return float(steps[lane/4][0] * float64(lane%2) / 64) })
		w.set(1, func(lane int) uint32 { return float(steps[lane/4][1] * float64(lane/2%2) / 64) })
		w.run("TEX_GRADIENT.slot0.u.32.rg.2d" + flags + " @r4:r5, @r0:r1, r10")
		w.run("TEX_GRADIENT.slot0.u.32.rg.2d" + flags + ".force_delta @r6:r7, @r0:r1, r10")
		w.set(16, func(lane int) uint32 { return float(steps[lane/4][0] / 64) }) // x to the next pixel, and to the next row
		w.set(17, func(int) uint32 { return 0 })
		w.set(18, func(int) uint32 { return 0 })
		w.set(19, func(lane int) uint32 { return float(-steps[lane/4][1] / 64) })
		w.run("TEX_GRADIENT.slot0.u.32.rg.2d.derivative" + flags + " @r20:r21, @r16:r17:r18:r19, r10")
		for lane := range valhall.Lanes {
			s := steps[lane/4]
			lod := math.Log2(max(s[0], s[1]))
			if !strings.Contains(flags, "bias") {
				lod -= 0.5
			}
			if !strings.Contains(flags, "clamp") {
				lod = min(max(lod, 1), 2)
			}
			want := uint32(int(math.RoundToEven(max(lod, -128)*256))) & 0xffff
			if math.IsInf(lod, -1) {
				want = 0x8000
			}
			w.expect(fmt.Sprintf("gradient%s", flags), lane, map[int]uint32{4: want, 5: 0, 6: want, 7: 0, 20: want, 21: 0})
		}
	}
	w := samplesOf(t, integers(cube, false), smp)
	if f := w.try("TEX_GRADIENT.slot0.u.32.rg.cube.derivative @r4:r5, @r0:r1:r2:r3, r10"); f == nil {
		t.Error("the derivatives of a cube do not fault")
	}
}
