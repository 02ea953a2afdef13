package gcn

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/draw"
)

// Context registers of a draw. docs/reference/gcn.md 14.4.

// registers are context registers by name; registers that are not given are 0.
type registers map[string]uint32

// bits returns bits lo to hi of a register.
func (r registers) bits(name string, lo, hi int) int {
	return int(r[name] >> lo & (1<<(hi-lo+1) - 1))
}

func (r registers) bit(name string, at int) bool { return r[name]>>at&1 != 0 }

func (r registers) float(name string) float32 { return math.Float32frombits(r[name]) }

// unbuilt lists unsupported states: fields that must have a certain value, and what other values request.
var unbuilt = []struct {
	name       string
	lo, hi     int
	want       int
	what       string
	missingTo0 bool // the register must be there
}{
	{"VGT_PRIMITIVE_TYPE", 0, 5, 4, "primitives other than a list of triangles", true},
	{"VGT_SHADER_STAGES_EN", 0, 31, 0, "stages besides vertex and pixel shader", false},
	{"VGT_PRIMITIVEID_EN", 0, 0, 0, "primitive ids", false},
	{"PA_SC_AA_CONFIG", 0, 2, 0, "several samples a pixel", false},
	{"PA_SU_SC_MODE_CNTL", 3, 4, 0, "polygons as points or lines", false},
	{"PA_SU_SC_MODE_CNTL", 11, 13, 0, "polygon offset", false},
	{"PA_SU_SC_MODE_CNTL", 19, 19, 0, "the last vertex as the provoking one", false},
	{"PA_CL_VS_OUT_CNTL", 0, 15, 0, "clip and cull distances", false},
	{"PA_CL_VS_OUT_CNTL", 16, 20, 0, "positions with point size, edge flag, layer or viewport", false},
	{"DB_DEPTH_CONTROL", 0, 0, 0, "stencil", false},
	{"DB_DEPTH_CONTROL", 3, 3, 0, "depth bounds", false},
	{"DB_SHADER_CONTROL", 1, 2, 0, "stencil values of the pixel shader", false},
	{"DB_SHADER_CONTROL", 8, 8, 0, "a sample mask of the pixel shader", false},
	{"DB_ALPHA_TO_MASK", 0, 0, 0, "alpha to mask", false},
	{"CB_COLOR_CONTROL", 4, 6, 1, "colour modes other than normal", true},
	{"CB_COLOR_CONTROL", 16, 23, 0xcc, "logical operations on colours", true},
}

// check returns an error that names the first unsupported state.
func (r registers) check() error {
	for _, u := range unbuilt {
		if _, there := r[u.name]; !there && u.missingTo0 {
			return fmt.Errorf("registers: no %s", u.name)
		}
		if got := r.bits(u.name, u.lo, u.hi); got != u.want {
			return fmt.Errorf("registers.%s: bits %d:%d are %#x: %s are not built", u.name, u.hi, u.lo, got, u.what)
		}
	}
	if r.bit("SPI_PS_INPUT_ADDR", inputFace) && !r.bit("SPI_BARYC_CNTL", 24) {
		return fmt.Errorf("registers.SPI_BARYC_CNTL: %#x: a front face that is not all bits is not built", r["SPI_BARYC_CNTL"])
	}
	return nil
}

// compares are depth tests by ZFUNC.
var compares = [8]draw.Compare{draw.Never, draw.Less, draw.Equal, draw.LessEqual, draw.Greater, draw.NotEqual, draw.GreaterEqual, draw.Always}

// factors are blend factors by number; zero, except for number 0, for those of a second source, which are unsupported.
var factors = [21]draw.Factor{
	0: draw.Zero, 1: draw.One, 2: draw.SrcColor, 3: draw.OneMinusSrcColor, 4: draw.SrcAlpha, 5: draw.OneMinusSrcAlpha,
	6: draw.DstAlpha, 7: draw.OneMinusDstAlpha, 8: draw.DstColor, 9: draw.OneMinusDstColor, 10: draw.SrcAlphaSaturate,
	13: draw.ConstantColor, 14: draw.OneMinusConstantColor, 19: draw.ConstantAlpha, 20: draw.OneMinusConstantAlpha,
}

func factorOf(n int) (f draw.Factor, ok bool) {
	if n >= len(factors) {
		return 0, false
	}
	return factors[n], n == 0 || factors[n] != draw.Zero
}

// blendOps are blend operations by COMB_FCN.
var blendOps = []draw.BlendOp{draw.BlendAdd, draw.BlendSubtract, draw.BlendMin, draw.BlendMax, draw.BlendReverse}

// apply copies the state of the registers into a call. depth reports whether there is a depth buffer.
func (r registers) apply(c *draw.Call, width, height int, depth bool) error {
	m := &draw.Map{ZeroToOne: r.bit("PA_CL_CLIP_CNTL", 19), NoNear: r.bit("PA_CL_CLIP_CNTL", 26), NoFar: r.bit("PA_CL_CLIP_CNTL", 27)}
	for i, axis := range "XYZ" {
		m.Scale[i] = r.float("PA_CL_VPORT_" + string(axis) + "SCALE")
		m.Offset[i] = r.float("PA_CL_VPORT_" + string(axis) + "OFFSET")
	}
	c.Viewport = draw.Viewport{W: width, H: height, Near: r.float("PA_SC_VPORT_ZMIN_0"), Far: r.float("PA_SC_VPORT_ZMAX_0"), Map: m}
	c.Weights, c.TopDown = true, true
	// FACE 0: triangles that are counter-clockwise where y grows downwards are front faces; their area is negative.
	c.FrontCW = !r.bit("PA_SU_SC_MODE_CNTL", 2)
	c.Cull = [4]draw.Face{draw.NoFace, draw.FrontFace, draw.BackFace, draw.BothFaces}[r.bits("PA_SU_SC_MODE_CNTL", 0, 1)]
	if depth && r.bit("DB_DEPTH_CONTROL", 1) {
		c.Depth = draw.DepthTest{Func: compares[r.bits("DB_DEPTH_CONTROL", 4, 6)], Write: r.bit("DB_DEPTH_CONTROL", 2)}
	}
	c.EarlyDepth = r.bit("DB_SHADER_CONTROL", 13)
	c.LateDepth = r.bit("DB_SHADER_CONTROL", 0) || r.bits("DB_SHADER_CONTROL", 4, 5) == 0
	for i := range draw.MaxTargets {
		t, err := r.target(i)
		if err != nil {
			return err
		}
		c.Targets = append(c.Targets, t)
	}
	return nil
}

// target returns the state of target i.
func (r registers) target(i int) (t draw.TargetState, err error) {
	t.Mask = 15
	for _, name := range []string{"CB_TARGET_MASK", "CB_SHADER_MASK"} {
		if _, there := r[name]; there {
			t.Mask &= uint8(r.bits(name, 4*i, 4*i+3))
		}
	}
	t.Mask ^= 15
	name := fmt.Sprintf("CB_BLEND%d_CONTROL", i)
	if !r.bit(name, 30) {
		return t, nil
	}
	terms := func(at int) (b draw.BlendTerms) {
		src, ok1 := factorOf(r.bits(name, at, at+4))
		dst, ok2 := factorOf(r.bits(name, at+8, at+12))
		op := r.bits(name, at+5, at+7)
		if !ok1 || !ok2 || op >= len(blendOps) {
			err = fmt.Errorf("registers.%s: %#x: a factor or operation that is not built", name, r[name])
			return b
		}
		return draw.BlendTerms{Op: blendOps[op], Src: src, Dst: dst}
	}
	t.Blend = draw.Blend{On: true, Color: terms(0)}
	t.Blend.Alpha = t.Blend.Color
	if r.bit(name, 29) {
		t.Blend.Alpha = terms(16)
	}
	for k, c := range []string{"RED", "GREEN", "BLUE", "ALPHA"} {
		t.Blend.Constant[k] = r.float("CB_BLEND_" + c)
	}
	return t, err
}

// modeOf returns the initial MODE register, as RSRC1 configures it. docs/reference/gcn.md 3 and 9.1.
func modeOf(p *Shader) uint32 {
	return p.Rsrc1>>12&0xff | p.Rsrc1>>21&1<<8 | p.Rsrc1>>23&1<<9
}
