package valhallrun

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// Varyings and pixels: requests and outputs of instructions, and the register formats.

// A pipeline serves inputs with words that encode the slot, the component and the lane, and records outputs.
type pipeline struct {
	how    ir.How
	slots  [valhall.Lanes]valhall.Varying
	offset [2]float32
	value  func(slot valhall.Varying, component, lane int) uint32
	out    []output
}

type output struct {
	slot  valhall.PixelOut
	lanes uint64
	value [ir.MaxComponents][valhall.Lanes]uint32
	count int
}

func (p *pipeline) Input(c *exec.IOCall) (uint64, error) {
	p.how, p.offset = c.How, [2]float32{c.X[0], c.Y[0]}
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		p.slots[lane] = valhall.Varying(c.Slot[lane])
		for k := range c.Count {
			c.Value[k][lane] = p.value(p.slots[lane], int(k), lane)
		}
	}
	return 0, nil
}

func (p *pipeline) Output(c *exec.IOCall) (uint64, error) {
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		o := output{slot: valhall.PixelOut(c.Slot[lane]), lanes: 1 << lane, count: int(c.Count)}
		if n := len(p.out); n > 0 && p.out[n-1].slot == o.slot {
			o = p.out[n-1]
			o.lanes |= 1 << lane
			p.out = p.out[:n-1]
		}
		for k := range c.Count {
			o.value[k][lane] = c.Put[k][lane]
		}
		p.out = append(p.out, o)
	}
	return 0, nil
}

// piped returns a warp with a pipeline whose inputs are floats.
func piped(t *testing.T) (*warp, *pipeline) {
	w := newWarp(t, nil)
	p := &pipeline{value: func(_ valhall.Varying, k, lane int) uint32 { return float(float64(k) + float64(lane)/16) }}
	w.env.Inputs, w.env.Outputs = p, p
	return w, p
}

// Layouts of the components of a varying load in registers: one per word, or two.
const wordOf, halfOf = "words", "halves"

// varyingLoads are varying loads, with the inputs that they request.
var varyingLoads = []struct {
	text   string
	how    ir.How
	offset int
	halves bool // of the record
	raw    bool // the record's words are not floats of 32 bits
	regs   string
}{
	{"LD_VAR_BUF_IMM.f32.slot0.v3.src_f32.center.store @r0:r1:r2, r8, index:0x14", ir.HowPerspective, 0x14, false, false, wordOf},
	{"LD_VAR_BUF_IMM.f32.slot0.v3.src_f16.centroid.store @r0:r1:r2, r8, index:0x14", ir.HowPerspective | ir.AtCentroid, 0x14, true, false, wordOf},
	{"LD_VAR_BUF_IMM.f16.slot0.v3.src_f32.sample.store @r0:r1, r8, index:0x10", ir.HowPerspective | ir.AtSample, 0x10, false, false, halfOf},
	{"LD_VAR_BUF_IMM.f32.slot0.v3.src_flat32.center.clobber @r0:r1:r2, r8, index:0x8", ir.HowFlat, 8, false, false, wordOf},
	{"LD_VAR_BUF_IMM.f16.slot0.v3.src_flat16.center.store @r0:r1, r8, index:0x8", ir.HowFlat, 8, true, true, halfOf},
	{"LD_VAR_BUF.f32.slot0.v3.src_f32.center.store @r0:r1:r2, r8, r9", ir.HowPerspective, 0x24, false, false, wordOf},
	{"LD_VAR_BUF.f16.slot0.v3.src_f32.center.store @r0:r1, r8, r9", ir.HowPerspective, 0x24, false, false, halfOf},
	{"LD_VAR_BUF_IMM.f32.slot0.v3.src_f32.explicit.store @r0:r1:r2, r8, index:0x0", ir.HowPerspective | ir.AtOffset, 0, false, false, wordOf},
	{"LD_VAR_BUF_IMM.f32.slot0.v3.src_f32.center.store @r0:r1:r2, r8, index:0x7f4", ir.HowPerspective, 0x7f4, false, false, wordOf},
	{"LD_VAR_BUF_IMM.f16.slot0.v3.src_f32.sample.store @r0:r1, r8, index:0x410", ir.HowPerspective | ir.AtSample, 0x410, false, false, halfOf},
	{"LD_VAR_BUF_FLAT_IMM.slot0.v3.flat32 @r0:r1:r2, index:0x8", ir.HowFlat, 8, false, false, wordOf},
	{"LD_VAR_BUF_FLAT.slot0.v3.flat16 @r0:r1, r9", ir.HowFlat, 0x24, true, true, halfOf},
}

// TestVaryings: which varyings loads request, where, and how they convert.
func TestVaryings(t *testing.T) {
	half := func(x float64) uint32 { return uint32(math.Float32bits(float32(x))>>13 - 112<<10) } // exact, normal, positive
	for _, c := range varyingLoads {
		w, p := piped(t)
		if c.offset > 0xff { // offsets of 11 bits
			w.target = newWarpOf(t, "v11", nil).target
		}
		if strings.HasPrefix(c.text, "LD_VAR_BUF_FLAT") {
			w.target = newWarpOf(t, "v14", nil).target
		}
		w.set(8, func(int) uint32 { return 0xff80_0040 }) // 1/4 and -1/2 pixel
		w.set(9, func(int) uint32 { return 0x24 })
		values := p.value
		if c.raw {
			p.value = func(_ valhall.Varying, k, lane int) uint32 { return half(float64(k+1) + float64(lane)/16) }
		}
		w.run(c.text)
		if p.how != c.how || p.slots[3].Offset() != c.offset || p.slots[3].Halves() != c.halves {
			t.Errorf("%s: asks %s at %#x, halves %v", c.text, p.how, p.slots[3].Offset(), p.slots[3].Halves())
		}
		if c.how.At() == ir.AtOffset && p.offset != [2]float32{0.25, -0.5} {
			t.Errorf("%s: offset %v", c.text, p.offset)
		}
		for lane := range valhall.Lanes {
			x := func(k int) uint32 {
				switch {
				case c.raw:
					return half(float64(k+1) + float64(lane)/16)
				case c.regs == halfOf && k == 0 && lane == 0:
					return 0
				case c.regs == halfOf:
					return half(toFloat(values(0, k, lane)))
				}
				return values(0, k, lane)
			}
			want := map[int]uint32{0: x(0), 1: x(1), 2: x(2)}
			if c.regs == halfOf {
				want = map[int]uint32{0: x(0) | x(1)<<16, 1: x(2)}
			}
			w.expect(c.text, lane, want)
		}
	}
}

// TestVaryingsByHandle: LD_VAR requests by table and index, flat or not; LD_VAR_SPECIAL by number.
func TestVaryingsByHandle(t *testing.T) {
	for _, c := range []struct {
		text   string
		handle uint32
		how    ir.How
	}{
		{"LD_VAR_IMM.slot0.v2.f32.center.store @r0:r1, r8, table:0x1, index:0x7", 0x01000007, ir.HowPerspective},
		{"LD_VAR_FLAT_IMM.slot0.v2.f32 @r0:r1, table:0x1, index:0x7", 0x01000007, ir.HowFlat},
		{"LD_VAR.slot0.v2.f32.center.store @r0:r1, r8, r9", 0x02000003, ir.HowPerspective},
		{"LD_VAR_FLAT.slot0.v2.f32 @r0:r1, r9", 0x02000003, ir.HowFlat},
	} {
		w, p := piped(t)
		w.set(9, func(int) uint32 { return 0x02000003 })
		w.run(c.text)
		if h, ok := p.slots[5].Handle(); !ok || h != c.handle || p.how != c.how {
			t.Errorf("%s: handle %#x, %s", c.text, h, p.how)
		}
		w.expect(c.text, 5, map[int]uint32{0: float(5. / 16), 1: float(1 + 5./16)})
	}
	for number, text := range map[int]string{3: "LD_VAR_SPECIAL.f32.center.clobber.slot0 @r0, 0x0, index:0x3", 2: "LD_VAR_SPECIAL.f32.center.clobber.slot0 @r0, 0x0, index:0x2"} {
		w, p := piped(t)
		w.run(text)
		if n, ok := p.slots[5].Special(); !ok || n != number {
			t.Errorf("%s: number %d", text, n)
		}
		w.expect(text, 5, map[int]uint32{0: float(5. / 16)})
	}
}

// TestVaryingTextures: samples at a varying read the texel that its components select. Between rows of a quad there are
// two texels, so that the level of detail is 1.
func TestVaryingTextures(t *testing.T) {
	for _, c := range []struct {
		text string
		want func(lane int) map[int]uint32
	}{
		{"VAR_TEX_BUF_SINGLE.slot0.center_store.u.32.2d.zero @r0:r1:r2:r3, r10, r8", func(lane int) map[int]uint32 { return map[int]uint32{0: uint32(lane), 1: 3, 2: 0, 3: 0} }},
		{"VAR_TEX_SINGLE.slot0.center_store.u.16.2d.computed @r0:r1, r10, r9", func(lane int) map[int]uint32 { return map[int]uint32{0: uint32(lane) | 3<<16} }},
		{"VAR_TEX_BUF_DUAL.slot0.sample_store.u.32.32.2d.zero @r0:r1:r2:r3:r4:r5:r6:r7, r10, r8", func(lane int) map[int]uint32 { return map[int]uint32{0: uint32(lane), 1: 3, 4: uint32(lane), 5: 3} }},
		{"VAR_TEX_DUAL.slot0.center_store.u.16.32.2d.zero @r0:r1:r2:r3:r4:r5, r10, r9", func(lane int) map[int]uint32 { return map[int]uint32{0: uint32(lane) | 3<<16, 2: uint32(lane), 3: 3} }},
		{"VAR_TEX_BUF_GATHER.slot0.center_store.u.32.2d.gather4_g @r0:r1:r2:r3, r10, r8", func(int) map[int]uint32 { return map[int]uint32{0: 2, 1: 2, 2: 3, 3: 3} }},
		{"VAR_TEX_GATHER.slot0.center_store.u.32.2d.gather4_g @r0:r1:r2:r3, r10, r9", func(int) map[int]uint32 { return map[int]uint32{0: 2, 1: 2, 2: 3, 3: 3} }},
		{"VAR_TEX_BUF_GRADIENT.slot0.center_store.u.32.2d @r0, r10, r8", func(int) map[int]uint32 { return map[int]uint32{0: 0x100} }},
		{"VAR_TEX_GRADIENT.slot0.center_store.u.32.2d @r0, r10, r9", func(int) map[int]uint32 { return map[int]uint32{0: 0x100} }},
	} {
		w := samplesOf(t, integers(flat, false), sampler([3]uint32{wrapEdge, wrapEdge, wrapEdge}, true, mipNone, 0))
		p := &pipeline{value: func(_ valhall.Varying, k, lane int) uint32 {
			return float([2]float64{(float64(lane) + 0.4) / 16, 3.4 / 16}[k])
		}}
		w.env.Inputs = p
		w.set(8, func(int) uint32 { return 0x30 })
		w.set(9, func(int) uint32 { return 0x01000002 })
		w.set(11, func(lane int) uint32 { return w.get(10, lane) })
		w.run(c.text)
		if h, ok := p.slots[2].Handle(); ok && h != 0x01000002 || !ok && p.slots[2].Offset() != 0x30 {
			t.Errorf("%s: asks for %#x", c.text, uint32(p.slots[2]))
		}
		for lane := range valhall.Lanes {
			w.expect(c.text, lane, c.want(lane))
		}
	}
}

// TestDiscard: the conditions, also with NaNs; only active threads become helpers, and helpers stay helpers.
func TestDiscard(t *testing.T) {
	nan := math.NaN()
	values := []float64{-1, 0, math.Copysign(0, -1), 1, nan, math.Inf(1)}
	for cond, holds := range map[string]func(a, b float64) bool{
		"eq": func(a, b float64) bool { return a == b }, "gt": func(a, b float64) bool { return a > b }, "ge": func(a, b float64) bool { return a >= b },
		"ne": func(a, b float64) bool { return a != b }, "lt": func(a, b float64) bool { return a < b }, "le": func(a, b float64) bool { return a <= b },
		"gtlt": func(a, b float64) bool { return a < b || a > b }, "total": func(a, b float64) bool { return inTotalOrder(single, uint64(float(a)), uint64(float(b))) },
	} {
		for at := 0; at < len(values)*len(values); at += valhall.Lanes {
			w := newWarp(t, nil)
			pair := func(lane int) (a, b float64) {
				i := (at + lane) % (len(values) * len(values))
				return values[i%len(values)], values[i/len(values)]
			}
			w.set(4, func(lane int) uint32 { a, _ := pair(lane); return float(a) })
			w.set(5, func(lane int) uint32 { _, b := pair(lane); return float(b) })
			w.st.SetMask(ir.Cell{File: valhall.FileHelper}, 0x11)
			w.run(fmt.Sprintf("DISCARD.f32.%s r4, r5", cond))
			got := w.st.Mask(ir.Cell{File: valhall.FileHelper})
			for lane := range valhall.Lanes {
				a, b := pair(lane)
				if want := holds(a, b) || 0x11>>lane&1 != 0; got>>lane&1 != 0 != want {
					t.Errorf("%s %g %g: discarded %v", cond, a, b, !want)
				}
			}
		}
	}
}

// TestCoverage: ATEST and ZS_EMIT pass coverage on, but not that of helpers.
func TestCoverage(t *testing.T) {
	w, p := piped(t)
	w.st.SetMask(ir.Cell{File: valhall.FileHelper}, 0xf0)
	w.set(4, func(lane int) uint32 { return uint32(lane % 2) })
	w.set(5, func(lane int) uint32 { return float(float64(lane)) })
	w.set(6, func(lane int) uint32 { return uint32(lane + 7) })
	w.run("ATEST @r0, r4, r5, atest_datum.w0")
	w.run("ZS_EMIT.z.slot0 @r1, r5, r6, r4")
	w.run("ZS_EMIT.z.stencil.slot0 @r2, r5, r6, r4")
	for lane := range valhall.Lanes {
		want := uint32(lane % 2)
		if lane/4 == 1 {
			want = 0
		}
		w.expect("coverage", lane, map[int]uint32{0: want, 1: want, 2: want})
		if got := p.out[0].value[0][lane]; got != want {
			t.Errorf("ATEST puts out %d in lane %d, want %d", got, lane, want)
		}
	}
	if a, z, s := p.out[0], p.out[1], p.out[2]; len(p.out) != 3 || a.slot != valhall.PixelCoverage || a.lanes != 0xffff ||
		!z.slot.Depth() || z.slot.Stencil() || z.lanes != 0xaa0a || z.value[0][3] != float(3) || !s.slot.Stencil() || s.value[1][3] != 10 {
		t.Errorf("outputs %+v", p.out)
	}
}

// TestBlend: components of all formats, the target of the descriptor, coverage; the call of a blend shader is skipped,
// or executed if the descriptor requests it.
func TestBlend(t *testing.T) {
	for _, c := range []struct {
		text    string
		integer bool
		want    [4]uint32
	}{
		{"BLEND.slot0.v4.f32 @r0:r1:r2:r3, r10, r4, target:0x0", false, [4]uint32{0x3c003800, 0x40003400, 3, 4}},
		{"BLEND.slot0.v4.f16 @r0:r1, r10, r4, target:0x0", false, [4]uint32{float(0.5), float(1), float(0.25), float(2)}},
		{"BLEND.slot0.v4.auto @r0:r1, r10, r4, target:0x0", false, [4]uint32{float(0.5), float(1), float(0.25), float(2)}},
		{"BLEND.slot0.v4.u32 @r0:r1:r2:r3, r10, r4, target:0x0", true, [4]uint32{0x3c003800, 0x40003400, 3, 4}},
		{"BLEND.slot0.v4.u16 @r0:r1, r10, r4, target:0x0", true, [4]uint32{0x3800, 0x3c00, 0x3400, 0x4000}},
		{"BLEND.slot0.v2.s16 @r5, r10, r4, target:0x0", true, [4]uint32{0xffffffff, 2}},
	} {
		w, p := piped(t)
		w.st.SetMask(ir.Cell{File: valhall.FileHelper}, 2)
		for r, v := range []uint32{0x3c003800, 0x40003400, 3, 4} {
			w.set(r, func(int) uint32 { return v })
		}
		w.set(4, func(lane int) uint32 { return uint32(lane % 4) })
		w.set(5, func(int) uint32 { return 0x0002ffff })
		w.set(10, func(int) uint32 { return 1 | 5<<16 })
		w.run(c.text)
		if len(p.out) != 1 || p.out[0].slot.Target() != 5 || p.out[0].slot.Integer() != c.integer || p.out[0].lanes != 0xeeec {
			t.Fatalf("%s: %+v", c.text, p.out)
		}
		for k := range p.out[0].count {
			if got := p.out[0].value[k][3]; got != c.want[k] {
				t.Errorf("%s: component %d is %#x, want %#x", c.text, k, got, c.want[k])
			}
		}
	}
	for mode, want := range map[uint32]uint32{0: 0x63, 1: 0x60, 2: 0x60} {
		w, p := piped(t)
		w.set(4, func(int) uint32 { return 1 })
		w.set(10, func(int) uint32 { return mode })
		w.program("BLEND.slot0.v4.f32 @r0:r1:r2:r3, r10, r4, target:0x2\nIADD_IMM.i32 r20, r20, #0x1\nIADD_IMM.i32 r20, r20, #0x2\nIADD_IMM.i32.end r20, r20, #0x60\n")
		if w.expect("calls", 7, map[int]uint32{20: want}); len(p.out) == 0 != (mode == 0) {
			t.Errorf("mode %d: %d outputs", mode, len(p.out))
		}
	}
}

// TestTile: LD_TILE reads a target's pixel, ST_TILE writes one without blending.
func TestTile(t *testing.T) {
	w, p := piped(t)
	w.set(4, func(int) uint32 { return 3 })
	w.set(5, func(int) uint32 { return 1 })
	w.run("LD_TILE.v2.f32.slot0 @r0:r1, r4, r5, r6")
	if n, ok := p.slots[5].Pixel(); !ok || n != 3 {
		t.Errorf("LD_TILE asks for %#x", uint32(p.slots[5]))
	}
	w.expect("tile", 5, map[int]uint32{0: float(5. / 16), 1: float(1 + 5./16)})
	w.run("ST_TILE.v2.f32.slot0 @r0:r1, r4, r5, r6")
	if o := p.out[0]; o.slot.Target() != 3 || o.slot&valhall.PixelStore == 0 || o.value[1][5] != float(1+5./16) {
		t.Errorf("ST_TILE puts out %+v", o)
	}
}
