package valhallrun

import (
	"fmt"
	"math"
	"testing"

	"github.com/heddle-gpu/heddle/isa/valhall"
)

// Texture samples. Texels encode their position, so that results show which were read.

// placed returns texels that encode x, y, slice and level.
func placed(level, slice, x, y int) []byte {
	return []byte{byte(x), byte(y), byte(slice), byte(level)}
}

// Sampler codes.
const (
	wrapRepeat = 8
	wrapEdge   = 9
	mipNone    = 1
	mipNearest = 0
	mipLinear  = 3
)

// narrow returns a texture handle of one word.
func narrow(texture, sampler uint32) uint32 {
	half := func(h uint32) uint32 { return h&0x7ff | h>>24<<11 }
	return half(texture)<<16 | half(sampler)
}

// integers returns a texture of bytes as integers that encode their position.
func integers(dim uint32, tiled bool) picture {
	p := picture{dim: dim, format: pixel(155, 0), width: 16, height: 16, depth: 1, layers: 1, levels: 3, bytes: 4, tiled: tiled, swizzle: unswizzled, texel: placed, maxLod: 0x1000}
	return p
}

// samplesOf makes a warp with a texture and a sampler; r10 is the handle, r12 and r13 that with wide indexes.
func samplesOf(t *testing.T, p picture, s [8]uint32) *warp {
	t.Helper()
	return samplesIn(t, "v9", p, s)
}

// samplesIn is samplesOf of another architecture.
func samplesIn(t *testing.T, variant string, p picture, s [8]uint32) *warp {
	t.Helper()
	var a arena
	tex, smp := a.add(tabTexture, a.texture(p)), a.add(tabSampler, s)
	w := a.warpOf(t, variant)
	w.set(10, func(int) uint32 { return narrow(tex, smp) })
	w.set(12, func(int) uint32 { return smp })
	w.set(13, func(int) uint32 { return tex })
	return w
}

// expect compares registers of a lane.
func (w *warp) expect(what string, lane int, want map[int]uint32) {
	w.t.Helper()
	for r, x := range want {
		if got := w.get(r, lane); got != x {
			w.t.Fatalf("%s: lane %d r%d is %#x, want %#x", what, lane, r, got, x)
		}
	}
}

// TestTiled: nearest texels in both memory layouts, at levels given by the instruction, with narrow and wide handles;
// the write mask omits components.
func TestTiled(t *testing.T) {
	for _, tiled := range []bool{false, true} {
		p := integers(flat, tiled)
		p.width, p.height = 40, 24
		w := samplesOf(t, p, sampler([3]uint32{wrapRepeat, wrapEdge, wrapRepeat}, true, mipNearest, 0))
		for level := range 3 {
			for round := range 20 {
				x := func(lane int) int { return (lane*11 + round*3) % (40 >> level) }
				y := func(lane int) int { return (lane*5 + round*7) % (24 >> level) }
				// Two periods.
				w.set(0, func(lane int) uint32 { return float(float64(x(lane))/float64(int(40)>>level) + 0.3/40 + 2) })
				w.set(1, func(lane int) uint32 { return float(float64(y(lane))/float64(int(24)>>level) + 0.3/24) })
				w.set(2, func(int) uint32 { return uint32(level << 8) })
				w.run("TEX_SINGLE.slot0.u.32.2d.explicit @r4:r5:r6:r7, @r0:r1:r2, r10")
				w.run("TEX_SINGLE.slot0.u.32.ga.2d.wide_indices.explicit @r8:r9, @r0:r1:r2, r12")
				w.run("TEX_SINGLE.slot0.u.16.rgb.2d.explicit @r16:r17, @r0:r1:r2, r10")
				for lane := range valhall.Lanes {
					x, y := uint32(x(lane)), uint32(y(lane))
					w.expect(fmt.Sprintf("tiled %v, level %d", tiled, level), lane, map[int]uint32{4: x, 5: y, 6: 0, 7: uint32(level), 8: y, 9: uint32(level), 16: x | y<<16, 17: 0})
				}
			}
		}
	}
}

// TestFetch: texels by index, with offsets and a level; outside is 0.
func TestFetch(t *testing.T) {
	p := integers(flat, true)
	p.layers = 3
	w := samplesOf(t, p, sampler([3]uint32{wrapRepeat, wrapRepeat, wrapRepeat}, true, mipNone, 0))
	w.set(0, func(lane int) uint32 { return uint32(lane) })
	w.set(1, func(lane int) uint32 { return uint32(15 - lane) })
	w.set(2, func(lane int) uint32 { return uint32(lane % 4) })
	w.set(3, func(lane int) uint32 { return uint32(lane%3)<<24 | 0xfd | 2<<8 }) // x-3, y+2
	w.run("TEX_FETCH.slot0.u.32.2d.array_enable.texel_offset @r4:r5:r6:r7, @r0:r1:r2:r3, r10")
	w.run("TEX_FETCH.slot0.u.32.2d.array_enable @r16:r17:r18:r19, @r0:r1:r2, r10")
	for lane := range valhall.Lanes {
		for _, c := range []struct{ reg, x, y, level int }{{4, lane - 3, 17 - lane, lane % 3}, {16, lane, 15 - lane, 0}} {
			want := [4]uint32{}
			if side := 16 >> c.level; c.x >= 0 && c.x < side && c.y >= 0 && c.y < side && lane%4 < 3 {
				want = [4]uint32{uint32(c.x), uint32(c.y), uint32(lane % 4), uint32(c.level)}
			}
			for i, x := range want {
				w.expect("fetch", lane, map[int]uint32{c.reg + i: x})
			}
		}
	}
}

// TestGather: the four texels around a position, in the order (0,0) (1,0) (0,1) (1,1), and one component of them.
func TestGather(t *testing.T) {
	w := samplesOf(t, integers(flat, false), sampler([3]uint32{wrapRepeat, wrapEdge, wrapRepeat}, true, mipNone, 0))
	w.set(0, func(lane int) uint32 { return float((float64(lane) + 0.75) / 16) })
	w.set(1, func(lane int) uint32 { return float((float64(15-lane) + 0.25) / 16) })
	w.run("TEX_GATHER.slot0.u.32.2d.gather4_r @r4:r5:r6:r7, @r0:r1, r10")
	w.run("TEX_GATHER.slot0.u.32.2d.gather4_g @r16:r17:r18:r19, @r0:r1, r10")
	for lane := range valhall.Lanes {
		x0, x1 := uint32(lane), uint32((lane+1)%16)
		y0, y1 := uint32(max(14-lane, 0)), uint32(15-lane)
		w.expect("gather", lane, map[int]uint32{4: x0, 5: x1, 6: x0, 7: x1, 16: y0, 17: y0, 18: y1, 19: y1})
	}
}

// TestLayers: a layer is rounded to nearest, ties to even, and clamped.
func TestLayers(t *testing.T) {
	p := integers(flat, false)
	p.layers = 5
	w := samplesOf(t, p, sampler([3]uint32{wrapRepeat, wrapRepeat, wrapRepeat}, true, mipNone, 0))
	layers := [valhall.Lanes]float64{-3, -0.4, 0, 0.4, 0.5, 0.6, 1.5, 2.5, 3.4, 3.6, 4, 4.4, 5, 77, 2, 1}
	w.set(0, func(lane int) uint32 { return float((float64(lane) + 0.5) / 16) })
	w.set(1, func(int) uint32 { return float(0.1) })
	w.set(2, func(lane int) uint32 { return float(layers[lane]) })
	w.run("TEX_SINGLE.slot0.u.32.2d.array_enable.zero @r4:r5:r6:r7, @r0:r1:r2, r10")
	for lane := range valhall.Lanes {
		w.expect("layer", lane, map[int]uint32{4: uint32(lane), 5: 1, 6: uint32(min(max(math.RoundToEven(layers[lane]), 0), 4)), 7: 0})
	}
}

// TestCube: the face is in the upper bits of s and replaces its bit 29.
func TestCube(t *testing.T) {
	for _, layers := range []int{1, 2} {
		p := integers(cube, true)
		p.layers, p.levels = layers, 1
		w := samplesOf(t, p, sampler([3]uint32{wrapEdge, wrapEdge, wrapEdge}, true, mipNone, 0))
		s := func(lane int) float64 { return (float64(lane*7%16) + 0.4) / 16 }
		face := func(lane int) uint32 { return uint32(lane % 6) }
		w.set(0, func(lane int) uint32 { return float(s(lane))&0x1fffffff | face(lane)<<29 })
		w.set(1, func(lane int) uint32 { return float((float64(lane) + 0.6) / 16) })
		w.set(2, func(lane int) uint32 { return float(float64(lane / 6)) })
		text, base := "TEX_SINGLE.slot0.u.32.cube.zero @r4:r5:r6:r7, @r0:r1, r10", func(int) uint32 { return 0 }
		if layers > 1 {
			text = "TEX_SINGLE.slot0.u.32.cube.array_enable.zero @r4:r5:r6:r7, @r0:r1:r2, r10"
			base = func(lane int) uint32 { return uint32(6 * min(lane/6, layers-1)) }
		}
		w.run(text)
		for lane := range valhall.Lanes {
			w.expect("cube", lane, map[int]uint32{4: uint32(lane * 7 % 16), 5: uint32(lane), 6: face(lane) + base(lane), 7: 0})
		}
	}
}

// unorms returns a texture of bytes as normalised numbers: 16x, 16y, 16z, level.
func unorms(dim uint32) picture {
	p := integers(dim, false)
	p.format = pixel(187, 0)
	p.texel = func(level, z, x, y int) []byte { return []byte{byte(16 * x), byte(16 * y), byte(16 * z), byte(level)} }
	return p
}

// TestLinear: linear filtering between texels of a ramp gives the ramp, also along z, and between levels.
func TestLinear(t *testing.T) {
	p := unorms(deep)
	p.depth, p.levels = 8, 1
	w := samplesOf(t, p, sampler([3]uint32{wrapEdge, wrapEdge, wrapEdge}, false, mipNone, 0))
	// In texels from the centre of the first.
	at := func(lane, n, from int) float64 { return float64(from) + float64(lane*n%13)/2.7 }
	w.set(0, func(lane int) uint32 { return float((at(lane, 3, 2) + 0.5) / 16) })
	w.set(1, func(lane int) uint32 { return float((at(lane, 5, 1) + 0.5) / 16) })
	w.set(2, func(lane int) uint32 { return float((at(lane, 7, 1) + 0.5) / 8) })
	w.run("TEX_SINGLE.slot0.f.32.3d.zero @r4:r5:r6:r7, @r0:r1:r2, r10")
	for lane := range valhall.Lanes {
		for i, want := range []float64{16 * at(lane, 3, 2) / 255, 16 * at(lane, 5, 1) / 255, 16 * at(lane, 7, 1) / 255, 0} {
			if got := toFloat(w.get(4+i, lane)); math.Abs(got-want) > 2e-6 {
				t.Errorf("3D: lane %d component %d is %g, want %g", lane, i, got, want)
			}
		}
	}
	w = samplesOf(t, unorms(flat), sampler([3]uint32{wrapEdge, wrapEdge, wrapEdge}, false, mipLinear, 0))
	w.set(0, func(int) uint32 { return float(0.5) })
	w.set(1, func(int) uint32 { return float(0.5) })
	w.set(2, func(lane int) uint32 { return uint32(lane * 40) }) // 8.8
	w.run("TEX_SINGLE.slot0.f.32.a.2d.explicit @r4, @r0:r1:r2, r10")
	for lane := range valhall.Lanes {
		want := min(float64(lane*40)/256, 2) / 255
		if got := toFloat(w.get(4, lane)); math.Abs(got-want) > 1e-7 {
			t.Errorf("levels: lane %d is %g, want %g", lane, got, want)
		}
	}
}

// TestComputedLevel: the differences in a quad determine the level, a bias is added, and a register can limit it.
func TestComputedLevel(t *testing.T) {
	p := integers(flat, false)
	p.width, p.height, p.levels = 64, 64, 7
	w := samplesOf(t, p, sampler([3]uint32{wrapRepeat, wrapRepeat, wrapRepeat}, true, mipNearest, 0))
	// Texels of level 0 between pixels, by quad.
	step := func(lane int) float64 { return float64(int(1) << (lane / 4)) }
	w.set(0, func(lane int) uint32 { return float(step(lane) * float64(lane%2) / 64) })
	w.set(1, func(lane int) uint32 { return float(step(lane) * float64(lane/2%2) / 64) })
	w.set(2, func(int) uint32 { return 1 << 8 })
	w.set(3, func(int) uint32 { return 0xff00 | 3<<24 }) // -1, at least 3
	w.run("TEX_SINGLE.slot0.u.32.a.2d.computed @r4, @r0:r1, r10")
	w.run("TEX_SINGLE.slot0.u.32.a.2d.computed_bias @r5, @r0:r1:r2, r10")
	w.set(2, func(int) uint32 { return 0xff00 | 3<<24 })
	w.run("TEX_SINGLE.slot0.u.32.a.2d.computed_bias @r6, @r0:r1:r2, r10")
	w.set(2, func(int) uint32 { return 2 << 8 })
	w.run("TEX_SINGLE.slot0.u.32.a.2d.grdesc @r7, @r0:r1:r2, r10")
	for lane := range valhall.Lanes {
		l := uint32(lane / 4)
		w.expect("level", lane, map[int]uint32{4: l, 5: l + 1, 6: 3, 7: 2})
	}
}

// TestShadow: the texel is compared with the reference as the sampler says.
func TestShadow(t *testing.T) {
	for compare, holds := range []func(texel, ref float64) bool{
		func(_, _ float64) bool { return false }, func(a, b float64) bool { return a < b }, func(a, b float64) bool { return a == b }, func(a, b float64) bool { return a <= b },
		func(a, b float64) bool { return a > b }, func(a, b float64) bool { return a != b }, func(a, b float64) bool { return a >= b }, func(_, _ float64) bool { return true }} {
		p := integers(flat, false)
		p.format, p.bytes, p.levels, p.swizzle = pixel(76, 0), 4, 1, 0|4<<3|4<<6|5<<9
		p.texel = func(_, _, x, _ int) []byte {
			b := float(float64(x) / 8)
			return []byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)}
		}
		w := samplesOf(t, p, sampler([3]uint32{wrapEdge, wrapEdge, wrapEdge}, true, mipNone, uint32(compare)))
		w.set(0, func(lane int) uint32 { return float((float64(lane) + 0.5) / 16) })
		w.set(1, func(int) uint32 { return float(0.5) })
		w.set(2, func(int) uint32 { return float(1) })
		w.run("TEX_SINGLE.slot0.f.32.r.2d.shadow.zero @r4, @r0:r1:r2, r10")
		for lane := range valhall.Lanes {
			want := uint32(0)
			if holds(float64(lane)/8, 1) {
				want = float(1)
			}
			w.expect(fmt.Sprintf("comparison %d", compare), lane, map[int]uint32{4: want})
		}
	}
}

// TestDual: two textures at one position, each with its own width.
func TestDual(t *testing.T) {
	var a arena
	p := integers(flat, false)
	one := a.add(tabTexture, a.texture(p))
	p.texel = func(level, slice, x, y int) []byte { return []byte{byte(x + 100), byte(y + 100), 0, 9} }
	two, smp := a.add(tabTexture, a.texture(p)), a.add(tabSampler, sampler([3]uint32{wrapEdge, wrapEdge, wrapEdge}, true, mipNone, 0))
	w := a.warp(t)
	w.set(10, func(int) uint32 { return narrow(one, smp) })
	w.set(11, func(int) uint32 { return narrow(two, smp) })
	w.set(0, func(lane int) uint32 { return float((float64(lane) + 0.5) / 16) })
	w.set(1, func(int) uint32 { return float(0.5) })
	w.run("TEX_DUAL.slot0.u.32.16.rg.2d.zero @r4:r5:r6, @r0:r1, r10")
	for lane := range valhall.Lanes {
		w.expect("dual", lane, map[int]uint32{4: uint32(lane), 5: 8, 6: uint32(lane+100) | 108<<16})
	}
	// Handles may differ from thread to thread.
	w.set(10, func(lane int) uint32 { return narrow([2]uint32{one, two}[lane/3%2], smp) })
	w.set(11, func(int) uint32 { return 0 })
	w.run("TEX_SINGLE.slot0.u.32.rg.2d.zero @r4:r5, @r0:r1, r10")
	for lane := range valhall.Lanes {
		more := uint32(lane / 3 % 2 * 100)
		w.expect("handles of threads", lane, map[int]uint32{4: uint32(lane) + more, 5: 8 + more})
	}
}

// TestTextureFaults: invalid descriptors, or unsupported features, are faults that name them.
func TestTextureFaults(t *testing.T) {
	good := sampler([3]uint32{wrapEdge, wrapEdge, wrapEdge}, true, mipNone, 0)
	for _, c := range []struct {
		what  string
		spoil func(tex, smp *[8]uint32)
		text  string
	}{
		{"type 9", func(tex, _ *[8]uint32) { tex[0] = tex[0]&^15 | 9 }, ""},
		{"format", func(tex, _ *[8]uint32) { tex[0] = tex[0]&0x3ff | pixel(32, 0)<<10 }, ""},
		{"order", func(tex, _ *[8]uint32) { tex[0] |= 7 << 10 }, ""},
		{"samples", func(tex, _ *[8]uint32) { tex[3] |= 1 << 13 }, ""},
		{"planes", func(tex, _ *[8]uint32) { tex[5] ^= 0x80 }, ""},
		{"wrap", func(_, smp *[8]uint32) { smp[0] &^= 15 << 16 }, ""},
		{"mipmap", func(_, smp *[8]uint32) { smp[0] = smp[0]&^(3<<30) | 2<<30 }, ""},
		{"cube of a 2D texture", func(_, _ *[8]uint32) {}, "TEX_SINGLE.slot0.u.32.cube.zero @r4:r5:r6:r7, @r0:r1, r10"},
	} {
		var a arena
		tex, smp := a.texture(integers(flat, false)), good
		c.spoil(&tex, &smp)
		a.add(tabTexture, tex)
		a.add(tabSampler, smp)
		w := a.warp(t)
		w.set(10, func(int) uint32 { return narrow(tabTexture<<24, tabSampler<<24) })
		if c.text == "" {
			c.text = "TEX_SINGLE.slot0.u.32.2d.zero @r4:r5:r6:r7, @r0:r1, r10"
		}
		if f := w.try(c.text); f == nil {
			t.Errorf("%s: no fault", c.what)
		}
	}
}
