package gcn

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// stageOf assembles a stage; user SGPRs s2 and up hold 0x100 and up.
func stageOf(t *testing.T, name, text string) stage {
	t.Helper()
	target := gcn.Set().At(0, 0)
	res, errs := asm.Assemble(target, []byte(text), asm.Options{File: name})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p := &Shader{Addr: 0x4000, Code: res.Code, Rsrc1: 0xc0<<12 | 1<<21, Users: 4, PrimMask: -1}
	for i := 2; i < 4; i++ {
		p.UserSGPRs = append(p.UserSGPRs, UserSGPR{SGPR: i, Value: 0x100 + uint32(i-2)})
	}
	return stage{name, p, exec.NewProgram(&isa.Program{Target: target, Base: p.Addr, Code: res.Code}), exec.Env{}}
}

const idle = "exp null off, off, off, off done vm\ns_endpgm\n"

// runOf returns a runner of two stages with registers.
func runOf(t *testing.T, vertex, pixel string, regs registers) draw.ShaderRunner {
	t.Helper()
	s := &setup{regs: regs, attrs: regs.attributes(), engine: ref.New(), vertex: stageOf(t, "vertex shader", vertex), pixel: stageOf(t, "pixel shader", pixel)}
	return s.NewRunner(context.Background(), 1)
}

// TestVertexWave: index, instance, user SGPRs and MODE at the start; position and parameters at the end. Exports of
// components that are not enabled, and of parameters that no attribute reads, have no effect.
func TestVertexWave(t *testing.T) {
	r := runOf(t, `
		s_getreg_b32 s8, hwreg(HW_REG_MODE, 0, 10)
		v_mov_b32 v4, s2
		v_mov_b32 v5, s3
		v_mov_b32 v6, s8
		exp pos0 v0, v1, v4, v5 done
		exp param0 v6, off, v1, off
		exp param2 v0, v0, v0, v0
		exp param31 v0, v0, v0, v0
		s_endpgm
	`, idle, registers{"SPI_PS_IN_CONTROL": 2, "SPI_PS_INPUT_CNTL_0": 0, "SPI_PS_INPUT_CNTL_1": 2})
	in := []draw.VertexIn{{Index: 7, Instance: 3}, {Index: 1 << 20, Instance: 0}, {Index: 0, Instance: 9}}
	out := make([]draw.Vertex, len(in))
	if err := r.Vertices(in, out); err != nil {
		t.Fatal(err)
	}
	for i, v := range out {
		for k, want := range []uint32{in[i].Index, in[i].Instance, 0x100, 0x101} {
			if got := math.Float32bits(v.Position[k]); got != want {
				t.Errorf("vertex %d: position %d is %#x, want %#x", i, k, got, want)
			}
		}
		x := in[i].Index
		want := []uint32{0x1c0, 0, in[i].Instance, 0, 0, 0, 0, 0, x, x, x, x}
		if len(v.Params) != len(want) {
			t.Fatalf("%d parameters", len(v.Params))
		}
		for k := range want {
			if v.Params[k] != want[k] {
				t.Errorf("vertex %d: parameter %d is %#x, want %#x", i, k, v.Params[k], want[k])
			}
		}
	}
	if n := r.Count().Instructions; n != 9 {
		t.Errorf("%d instructions", n)
	}
}

// TestWaveErrors: an invalid operation of a shader is an error that names it.
func TestWaveErrors(t *testing.T) {
	attr := registers{"SPI_PS_IN_CONTROL": 1, "SPI_SHADER_COL_FORMAT": 0x4}
	for _, c := range []struct{ vertex, pixel, want string }{
		{"s_endpgm", idle, "vertex shader ended without an export that is done"},
		{"exp mrt0 v0, v0, v0, v0 done\ns_endpgm", idle, "a vertex shader exports to mrt0"},
		{"exp pos0 v0, v0, v0, v0 compr done\ns_endpgm", idle, "a vertex shader exports halves to pos0"},
		{"", "s_endpgm", "pixel shader ended without an export that is done"},
		{"", "exp pos0 v0, v0, v0, v0 done\ns_endpgm", "a pixel shader exports to pos0"},
		{"", "exp mrt0 v0, v0, v0, v0 done\ns_endpgm", "mrt0 is of format FP16_ABGR, and the export has compr false"},
		{"", "exp mrtz v0, off, off, off done\ns_endpgm", "SPI_SHADER_Z_FORMAT is 0"},
		{"", "v_interp_p1_f32 v0, v0, attr0.x\ns_endpgm", "interpolation with M0 other than PRIM_MASK: 0x0, want 0x2c0de0"},
		{"", "s_mov_b32 m0, s4\nv_interp_p1_f32 v0, v0, attr1.x\ns_endpgm", "attribute 1; SPI_PS_IN_CONTROL says there are 1"},
	} {
		var err error
		if c.vertex != "" {
			err = runOf(t, c.vertex, c.pixel, attr).Vertices(make([]draw.VertexIn, 1), make([]draw.Vertex, 1))
		} else {
			in := []draw.Fragment{{Covered: true}, {}, {}, {}}
			err = runOf(t, idle, c.pixel, attr).(*runner).fragments(in, make([]draw.FragmentOut, 4))
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.vertex, c.pixel, err, c.want)
		}
	}
}

// inputBits are the registers of each bit of SPI_PS_INPUT_ADDR, and their values for the fragment of TestPixelInputs.
var inputBits = [][]uint32{
	{f(0.25), f(0.125)}, {f(0.25), f(0.125)}, {f(0.25), f(0.125)},
	{f(0.0625), f(0.03125), f(0.25)},
	{f(0.75), f(0.5)}, {f(0.75), f(0.5)}, {f(0.75), f(0.5)},
	{0}, {f(12.5)}, {f(7.5)}, {f(0.875)}, {f(4)}, {0xffffffff}, {0}, {1}, {7<<16 | 12},
}

func f(x float32) uint32 { return math.Float32bits(x) }

// TestPixelInputs: with any set of inputs the registers follow each other in the order of the bits; inputs that are not
// enabled still take their registers. The fragment is at 12,7 with w = 4.
func TestPixelInputs(t *testing.T) {
	frag := draw.Fragment{X: 12, Y: 7, Covered: true, Front: true, Depth: 0.875, InvW: 0.25, Persp: [2]float32{0.25, 0.125}, Linear: [2]float32{0.75, 0.5}}
	masks := []uint32{0xffff, 0x0002, 0x0022, 0x1302, 0x8001, 0x5b8d, 0xa472, 0}
	for b := range 16 {
		masks = append(masks, 1<<b, 0xffff&^(1<<b))
	}
	for _, addr := range masks {
		for _, ena := range []uint32{addr, addr & 0x5a5a} {
			st, err := exec.NewState(gcn.Set().Machine(0), lanes)
			if err != nil {
				t.Fatal(err)
			}
			s := &setup{regs: registers{"SPI_PS_INPUT_ADDR": addr, "SPI_PS_INPUT_ENA": ena}}
			s.fillPixels(st, []draw.Fragment{{}, frag})
			n := 0
			for b, want := range inputBits {
				if addr>>b&1 == 0 {
					continue
				}
				for _, w := range want {
					if ena>>b&1 == 0 {
						w = 0
					}
					if got := st.Get(gcn.VGPR(n), 1); got != w {
						t.Fatalf("inputs %#x of %#x: v%d, of bit %d, is %#x, want %#x", ena, addr, n, b, got, w)
					}
					n++
				}
			}
			if got := st.Get(gcn.VGPR(n), 1); got != 0 {
				t.Errorf("inputs %#x: v%d is %#x", addr, n, got)
			}
		}
	}
	back := draw.Fragment{}
	if w := pixelInputs[12].fill(&back); w[0] != 0 {
		t.Errorf("front face of a back: %#x", w[0])
	}
}

// TestAttributes: which parameter is the source of an attribute, and the values of P0, P10 and P20.
func TestAttributes(t *testing.T) {
	as := registers{"SPI_PS_IN_CONTROL": 6, "SPI_PS_INPUT_CNTL_0": 3, "SPI_PS_INPUT_CNTL_1": 0x405, "SPI_PS_INPUT_CNTL_2": 0x120,
		"SPI_PS_INPUT_CNTL_3": 0x320, "SPI_PS_INPUT_CNTL_4": 0x80001, "SPI_PS_INPUT_CNTL_5": 0x220}.attributes()
	if len(as) != 6 || parameters(as) != 6 {
		t.Fatalf("%d attributes of %d parameters", len(as), parameters(as))
	}
	in := &inputs{attrs: as, corners: func(lane, attr, component int) [3]uint32 {
		x := float32(lane + 10*as[attr].param + 100*component)
		if as[attr].halves { // low 1, 2, 4; high 0.5, -0.5, 0.25
			return [3]uint32{0x38003c00, 0xb8004000, 0x34004400}
		}
		return [3]uint32{f(x), f(x + 3), f(x - 5)}
	}}
	for _, c := range []struct {
		attr, component int
		want            [3]uint32
	}{
		{0, 2, [3]uint32{f(235), f(3), f(-5)}},
		{1, 0, [3]uint32{f(55), 0, 0}},                            // flat
		{2, 0, [3]uint32{0, 0, 0}}, {2, 3, [3]uint32{f(1), 0, 0}}, // 0,0,0,1
		{3, 0, [3]uint32{f(1), 0, 0}}, {3, 3, [3]uint32{f(1), 0, 0}},
		{5, 0, [3]uint32{f(1), 0, 0}}, {5, 3, [3]uint32{0, 0, 0}},
		{4, 0, [3]uint32{0x38003c00, 0xbc003c00, 0xb4004200}}, // by halves: 1, -1; 3, -0.25
	} {
		for i, how := range []ir.How{ir.HowP0, ir.HowP10, ir.HowP20} {
			call := &exec.IOCall{IOAttr: ir.IOAttr{Count: 1, How: how}, Width: lanes, Lanes: 1 << 5, Value: new(exec.IOValue)}
			call.Slot[5] = uint32(primMask<<8 | c.attr<<2 | c.component)
			if refused, err := in.Input(call); refused != 0 || call.Value[0][5] != c.want[i] {
				t.Errorf("attribute %d component %d %v: %#x, want %#x (%v)", c.attr, c.component, how, call.Value[0][5], c.want[i], err)
			}
		}
	}
}

// TestColourFormats: the colour of a target after an export in each format of SPI_SHADER_COL_FORMAT.
func TestColourFormats(t *testing.T) {
	words := [4]uint32{0x3c00b800, 0x7c008001, 0x12345678, 0x9abcdef0}
	for _, c := range []struct {
		code, enable int
		want         draw.Pixel
	}{
		{1, 15, draw.Pixel{words[0]}},
		{2, 15, draw.Pixel{words[0], words[1]}},
		{3, 9, draw.Pixel{words[0], 0, 0, words[3]}},
		{4, 15, draw.Pixel{f(-0.5), f(1), 0xb3800000, 0x7f800000}}, // 8001 is -2^-24
		{4, 3, draw.Pixel{f(-0.5), f(1)}},
		{5, 15, draw.Pixel{f(0xb800 / 65535.0), f(0x3c00 / 65535.0), f(0x8001 / 65535.0), f(0x7c00 / 65535.0)}},
		{6, 15, draw.Pixel{f(-18432 / 32767.0), f(15360 / 32767.0), f(-1), f(31744 / 32767.0)}},
		{7, 15, draw.Pixel{0xb800, 0x3c00, 0x8001, 0x7c00}},
		{8, 15, draw.Pixel{0xffffb800, 0x3c00, 0xffff8001, 0x7c00}},
		{9, 15, draw.Pixel(words)},
		{9, 5, draw.Pixel{words[0], 0, words[2]}},
	} {
		p := pixelOut{colours: uint32(c.code) << 8} // of MRT 2
		slot := uint32(c.enable | 2<<4 | 1<<11 | 1<<12 | 1<<13)
		if c.code >= 4 && c.code <= 8 {
			slot |= 1 << 10
		}
		call, put := &exec.IOCall{Width: lanes, Lanes: ^uint64(0)}, new(exec.IOValue)
		for k := range put {
			call.Put[k] = &put[k]
		}
		for lane := range lanes {
			call.Slot[lane] = slot
			for k := range words {
				put[k][lane] = words[k]
			}
		}
		call.Slot[3] &^= 1 << 13 // is inactive
		if refused, err := p.Output(call); refused != 0 || err != nil {
			t.Fatalf("format %d: %v", c.code, err)
		}
		shot := p.shot(9)
		if shot.Out[2] != c.want || shot.Written != 4 || shot.Killed || !p.done {
			t.Errorf("format %d, enable %d: %x, written %d; want %x", c.code, c.enable, shot.Out[2], shot.Written, c.want)
		}
		if dead := p.shot(3); !dead.Killed || dead.Written != 0 {
			t.Errorf("format %d: a lane that does not run lives", c.code)
		}
	}
	p := pixelOut{}
	if shot := p.shot(0); shot.Killed {
		t.Error("killed without an export with vm")
	}
}

// TestRegisters: blending, masks, depth, culling and clipping as the registers configure them.
func TestRegisters(t *testing.T) {
	regs := registers{"CB_TARGET_MASK": 0x0fff, "CB_SHADER_MASK": 0x17f, "CB_BLEND0_CONTROL": 1<<30 | 4 | 5<<8, "CB_BLEND1_CONTROL": 1<<30 | 1<<29 | 13 | 1<<5 | 9<<8 | 10<<16 | 4<<21 | 20<<24,
		"CB_BLEND_GREEN": f(0.25), "PA_SU_SC_MODE_CNTL": 0x246, "DB_DEPTH_CONTROL": 0x36, "DB_SHADER_CONTROL": 0x2010, "PA_CL_CLIP_CNTL": 0x01080000,
		"PA_CL_VPORT_YSCALE": f(-32), "PA_CL_VPORT_ZOFFSET": f(0.5), "PA_SC_VPORT_ZMAX_0": f(1)}
	c := &draw.Call{}
	if err := regs.apply(c, 64, 48, true); err != nil {
		t.Fatal(err)
	}
	alpha := draw.BlendTerms{Op: draw.BlendAdd, Src: draw.SrcAlpha, Dst: draw.OneMinusSrcAlpha}
	if b := c.Targets[0].Blend; !b.On || b.Color != alpha || b.Alpha != alpha {
		t.Errorf("blend 0: %+v", b)
	}
	if b := c.Targets[1].Blend; b.Color != (draw.BlendTerms{Op: draw.BlendSubtract, Src: draw.ConstantColor, Dst: draw.OneMinusDstColor}) ||
		b.Alpha != (draw.BlendTerms{Op: draw.BlendReverse, Src: draw.SrcAlphaSaturate, Dst: draw.OneMinusConstantAlpha}) || b.Constant[1] != 0.25 {
		t.Errorf("blend 1: %+v", b)
	}
	if c.Targets[0].Mask != 0 || c.Targets[1].Mask != 8 || c.Targets[2].Mask != 14 || c.Targets[3].Mask != 15 || c.Targets[2].Blend.On {
		t.Errorf("masks: %+v", c.Targets)
	}
	if c.Depth != (draw.DepthTest{Func: draw.LessEqual, Write: true}) || !c.EarlyDepth || c.LateDepth || c.Cull != draw.BackFace || c.FrontCW {
		t.Errorf("%+v", c)
	}
	if m := c.Viewport.Map; m.Scale[1] != -32 || m.Offset[2] != 0.5 || !m.ZeroToOne || m.NoNear || c.Viewport.Far != 1 || c.Viewport.W != 64 {
		t.Errorf("%+v", c.Viewport)
	}
	if regs["CB_BLEND2_CONTROL"] = 1<<30 | 15; regs.apply(c, 64, 48, true) == nil {
		t.Error("a second source is taken")
	}
	if m := modeOf(&Shader{Rsrc1: 0xa5<<12 | 1<<21 | 1<<23}); m != 0x3a5 {
		t.Errorf("mode %#x", m)
	}
}

const drawn3 = "../../../cases/render/gcn"

// TestWeightsOfSamples: I and J that the draw passes to pixels are those that scenes list for their sample waves.
func TestWeightsOfSamples(t *testing.T) {
	for _, name := range []string{"mvp_cube", "mandelbrot_discard", "mrt"} {
		s, err := ReadSceneFile(filepath.Join(drawn3, name, "scene.json"))
		if err != nil {
			t.Fatal(err)
		}
		v := s.Variant("gfx8")
		call, canvas, _, err := newCall(s, v, launch.Settings{Engine: ref.New()})
		if err != nil {
			t.Fatal(err)
		}
		want := map[[2]int]int{} // lane by pixel
		for lane, xy := range v.Sample.Pixels {
			if v.Sample.Exec>>lane&1 != 0 {
				want[xy] = lane
			}
		}
		found := 0
		call.Capture = func(f *draw.Fragment, _ *draw.FragmentOut) {
			lane, ok := want[[2]int{f.X, f.Y}]
			if !ok {
				return
			}
			i, j := math.Float32frombits(v.Sample.VGPRs[0][lane]), math.Float32frombits(v.Sample.VGPRs[1][lane])
			if math.Abs(float64(f.Persp[0]-i)) < 2e-6 && math.Abs(float64(f.Persp[1]-j)) < 2e-6 {
				found++
			}
		}
		if _, err := call.Run(context.Background(), canvas); err != nil {
			t.Fatal(err)
		}
		if found != len(want) {
			t.Errorf("%s: %d of %d pixels have the weights of the sample wave", name, found, len(want))
		}
	}
}

// TestSceneWorkers: the picture does not depend on the number of workers.
func TestSceneWorkers(t *testing.T) {
	s, err := ReadSceneFile(filepath.Join(drawn3, "mvp_cube", "scene.json"))
	if err != nil {
		t.Fatal(err)
	}
	var first *launch.Drawn
	for _, n := range []int{1, 3, 8} {
		d, err := Draw(context.Background(), s, s.Variant("gfx8"), launch.Settings{Engine: ref.New(), Workers: n})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = d
		}
		for i, p := range d.Targets[0].Pixels {
			if p != first.Targets[0].Pixels[i] {
				t.Fatalf("%d workers: pixel %d is %x, and of one worker %x", n, i, p, first.Targets[0].Pixels[i])
			}
		}
	}
}

// TestWrites: a program that stores or does not.
func TestWrites(t *testing.T) {
	for text, want := range map[string]bool{idle: false, "buffer_store_dword v0, off, s[4:7], 0\n" + idle: true, "s_setpc_b64 s[0:1]\n": true,
		"buffer_atomic_add v0, off, s[4:7], 0\n" + idle: true, "buffer_load_dword v0, off, s[4:7], 0\n" + idle: false} {
		if s := stageOf(t, "stage", text); launch.Writes(s.program, s.entry()) != want {
			t.Errorf("%s: writes is %v", text, !want)
		}
	}
}

// TestIndexBuffer: both index sizes, and a buffer that is out of bounds.
func TestIndexBuffer(t *testing.T) {
	g := mem.NewSegment("indices", 0x1000, 16, mem.Read)
	copy(g.Data, []byte{1, 0, 2, 0, 3, 0, 0xff, 0xff, 4, 0, 0, 1, 5, 0, 0, 0})
	space, err := mem.NewSpace("global", g)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		d    DrawCommand
		want []uint32
	}{
		{DrawCommand{Count: 4, IndexType: "u16", IndexAddr: 0x1000}, []uint32{1, 2, 3, 0xffff}},
		{DrawCommand{Count: 2, IndexType: "u32", IndexAddr: 0x1008}, []uint32{0x01000004, 5}},
		{DrawCommand{Count: 9}, nil},
	} {
		got, err := indices(space, &c.d)
		if err != nil || len(got) != len(c.want) {
			t.Fatalf("%v, %v", got, err)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("index %d is %d, want %d", i, got[i], c.want[i])
			}
		}
	}
	if _, err := indices(space, &DrawCommand{Count: 9, IndexType: "u16", IndexAddr: 0x1000}); err == nil || !strings.Contains(err.Error(), "index buffer") {
		t.Error(err)
	}
}

// TestPrimitives: lanes get the same values with and without the primitive numbers, wherever one primitive ends and the
// next begins.
func TestPrimitives(t *testing.T) {
	as := registers{"SPI_PS_IN_CONTROL": 2, "SPI_PS_INPUT_CNTL_0": 0, "SPI_PS_INPUT_CNTL_1": 0x320}.attributes()
	var triangles [3][3][]uint32
	of := func(lane int) *[3][]uint32 { return &triangles[[]int{0, 0, 1, 0, 2, 2}[lane%6]] }
	for n := range triangles {
		for i := range triangles[n] {
			triangles[n][i] = []uint32{f(float32(n)), f(float32(3 * i)), f(float32(n * i)), f(7)}
		}
	}
	const covered = lanes - 5 // lanes after them have no primitive
	alone := &inputs{attrs: as, corners: func(lane, attr, component int) (v [3]uint32) {
		for i := 0; i < len(v) && lane < covered; i++ {
			v[i] = of(lane)[i][component]
		}
		return v
	}}
	primitives := primitivesOf(nil, covered, of)
	if want := []uint64{3, 4, 8, 0x30}; !slices.Equal(primitives[:4], want) {
		t.Errorf("lanes by primitive begin with %x, want %x", primitives[:4], want)
	}
	together := &inputs{attrs: as, corners: alone.corners, primitives: &primitives}
	for slot := uint32(0); slot < 12; slot++ { // the last four belong to no attribute
		for _, how := range []ir.How{ir.HowP0, ir.HowP10, ir.HowP20} {
			var calls [2]exec.IOCall
			for k, in := range []*inputs{alone, together} {
				c, stale := &calls[k], uint32(0)
				if slot < 8 {
					stale = uint32(k)
				}
				c.IOAttr, c.Width, c.Lanes, c.Value = ir.IOAttr{Count: 1, How: how}, lanes, 0xffff_0f0f_3333_fff7, new(exec.IOValue)
				for lane := range c.Slot {
					c.Slot[lane], c.Value[0][lane] = primMask<<8|slot, uint32(c.Lanes>>lane&1)*stale
				}
				if refused, err := in.Input(c); (slot >= 8) != (refused == c.Lanes) || (slot >= 8) != (err != nil) {
					t.Fatalf("slot %d: %#x refused, %v", slot, refused, err)
				}
			}
			if *calls[0].Value != *calls[1].Value {
				t.Errorf("slot %d %v: %#x, want %#x", slot, how, calls[1].Value[0], calls[0].Value[0])
			}
		}
	}
}
