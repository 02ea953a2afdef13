package rogue

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// Graphics describes how scenes use programs of this instruction set.
var Graphics = &draw.Graphics{
	Stages:     sceneStages{},
	ByTriangle: true,
	Given:      true,
	LiveOut: draw.LiveOut{
		Vertices:  draw.Cells(rogue.FileVo, 0, 4*draw.Varyings),
		Fragments: []ir.Cell{{File: rogue.FilePo}, {File: rogue.FileDepth}, {File: rogue.FileDrop}},
	},
	Discard:  &ir.Cell{File: rogue.FileDrop},
	NewEnv:   sceneEnv,
	Constant: sceneConstant,
	Reads:    reads,
	Place: "the coefficients of component c of varying n begin at cf[16n+4c-12], of its value over w; those of 1/w at cf0, of the depth at cf248; SR 97 and 100 are " +
		"x and y of the centre of the pixel; the colour is four bytes in po0",
}

// sceneStages: component c of vertex attribute n is vi[4n+c], vi64 the vertex, vi65 the instance. vo0 to vo3 are the
// position, component c of output n is vo[4n+c]. All fragments of a task belong to one triangle, whose coefficients are
// in cf. docs/reference/rogue.md 7.2 and 7.3.
type sceneStages struct{}

// Lanes of a task share its registers. Several tasks of one triangle run side by side if the program cannot observe it.
func (sceneStages) Lanes(vertex, fragment *draw.Stage) (vertices, fragments int) {
	vertices, fragments = rogue.Lanes, rogue.Lanes
	if vertex.Packable(1, draw.Promise{Outputs: true}) {
		vertices = ir.MaxLanes
	}
	if fragment.Packable(4, draw.Promise{}) {
		fragments = ir.MaxLanes
	}
	return vertices, fragments
}

// Locations of inputs and state in scenes.
const (
	attrVertex   = 4 * draw.Varyings // vertex input: number of the vertex, then of the instance
	setWords     = 4                 // of a coefficient set: A, B, C, one unused
	firstVarying = 1                 // varying 0 is the position, which has no coefficients
	depthSet     = 248
	unitShared   = 128 // from here up sh holds the states of texture units
	unitWords    = 2 * rogue.StateWords
	units        = 256 // that scenes can name
)

// shared fills the shared registers of a task: constants, and the states of texture units.
func shared(st *exec.State, env *exec.Env) {
	sh := st.S[st.Index(ir.Cell{File: rogue.FileSh}):]
	data := constants(env)
	for i := range len(data) / 4 {
		sh[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	for n := range min(len(env.Textures), units) {
		at := unitShared + n*unitWords
		clear(sh[at:][:unitWords])
		sh[at], sh[at+rogue.StateWords] = uint32(n), uint32(n)
	}
}

// register returns a register of all lanes; lanes from n on are zeroed.
func register(st *exec.State, file, number, n int) []uint32 {
	r := st.Row(ir.Cell{File: uint8(file), Index: uint16(number)})
	clear(r[n:])
	return r
}

func (sceneStages) InitVertices(st *exec.State, env *exec.Env, in []draw.VertexIn) {
	shared(st, env)
	bind(env)
	for n := range in[0].Attr {
		for k := range in[0].Attr[n] {
			r := register(st, rogue.FileVi, 4*n+k, len(in))
			for lane := range in {
				r[lane] = math.Float32bits(in[lane].Attr[n][k])
			}
		}
	}
	vertex, instance := register(st, rogue.FileVi, attrVertex, len(in)), register(st, rogue.FileVi, attrVertex+1, len(in))
	for lane := range in {
		vertex[lane], instance[lane] = in[lane].Index, in[lane].Instance
	}
}

func (sceneStages) VerticesOut(st *exec.State, _ *exec.Env, out []draw.Vertex, used uint32) {
	for n := range out[0].Out {
		for k := 0; k < 4 && (used|1)>>n&1 != 0; k++ {
			r := st.Row(ir.Cell{File: rogue.FileVo, Index: uint16(4*n + k)})
			for lane := range out {
				out[lane].Out[n][k] = math.Float32frombits(r[lane])
			}
		}
	}
	for lane := range out {
		out[lane].Position = out[lane].Out[0]
	}
}

func (sceneStages) InitFragments(st *exec.State, env *exec.Env, in *draw.Wave) {
	shared(st, env)
	bind(env)
	coefficients(st, in.Setup())
	special := func(number int) []uint32 { return st.Row(ir.Cell{File: rogue.FileSr, Index: uint16(number)}) }
	var x, y [ir.MaxLanes]uint32
	in.Centres(&x, &y)
	for i := range 2 {
		copy(special(rogue.SpecialX+i), x[:])
		copy(special(rogue.SpecialY+i), y[:])
	}
	face, back := special(rogue.SpecialFace), uint32(1)
	if in.Front(0) {
		back = 0
	}
	for lane := range face[:in.Lanes] {
		face[lane] = back
	}
	clear(face[in.Lanes:])
}

// coefficients fills cf with the coefficient sets of a triangle.
func coefficients(st *exec.State, s draw.Setup) {
	cf := st.S[st.Index(ir.Cell{File: rogue.FileCf}):]
	set := func(at int, p draw.Plane) {
		cf[at], cf[at+1], cf[at+2] = math.Float32bits(p.A), math.Float32bits(p.B), math.Float32bits(p.C)
	}
	set(0, s.InvW())
	set(depthSet, s.Depth())
	for n := firstVarying; n < draw.Varyings; n++ {
		if s.Uses(n) {
			s.Vector((*draw.PlaneSet)(cf[setWords*(1+4*(n-firstVarying)):]), n)
		}
	}
}

func (sceneStages) FragmentsOut(st *exec.State, _ *exec.Env, out *draw.WaveOut) {
	out.Bytes = st.Row(ir.Cell{File: rogue.FilePo})
	out.Depth, out.HasDepth = st.Row(ir.Cell{File: rogue.FileDepth}), ^uint64(0) // used if the scene says that the program writes depth
	out.Killed = st.Mask(ir.Cell{File: rogue.FileDrop})
}

// sceneShared is the number of words of sh that scenes can set: those before the states of texture units.
const sceneShared = unitShared

// sceneConstants is the name of the segment that holds them.
const sceneConstants = "constants"

// sceneEnv returns an environment without constants.
func sceneEnv() (exec.Env, error) {
	return exec.Env{Spaces: exec.Spaces{ir.ConstSpace: {{Name: ir.ConstSpace.String()}}}}, nil
}

// constants returns the words that a scene has set, from sh0 up.
func constants(env *exec.Env) []byte {
	g, _ := env.Space(ir.ConstSpace, 0).Segment(sceneConstants)
	return g.Data
}

// sceneConstant sets consecutive shared registers, beginning at the one named: sh0, sh12.
func sceneConstant(env *exec.Env, name string, words []uint32) error {
	number, ok := strings.CutPrefix(name, "sh")
	n, err := strconv.ParseUint(number, 10, 16)
	switch {
	case !ok || err != nil || n >= sceneShared:
		return fmt.Errorf("rogue: no constant %q; sh0 to sh%d", name, sceneShared-1)
	case n+uint64(len(words)) > sceneShared:
		return fmt.Errorf("rogue: %d constants from sh%d on; the last is sh%d", len(words), n, sceneShared-1)
	}
	old := constants(env)
	g := mem.NewSegment(sceneConstants, 0, max(len(old), 4*(int(n)+len(words))), mem.Read)
	copy(g.Data, old)
	for i, w := range words {
		binary.LittleEndian.PutUint32(g.Data[4*(int(n)+i):], w)
	}
	space, err := mem.NewSpace(ir.ConstSpace.String(), g)
	env.Spaces[ir.ConstSpace] = []*mem.Space{space}
	return err
}

// reads returns the components of varyings whose coefficients are operands of groups of the code, and the position.
func reads(code []byte) (read draw.Components) {
	read[0] = 15
	tg := rogue.Set().At(0, 0)
	mark := func(first, n int) {
		for i := first; i < first+n; i++ {
			if i >= setWords && i < depthSet {
				read[(i/setWords-1)/4+firstVarying] |= 1 << ((i/setWords - 1) % 4)
			}
		}
	}
	var b isa.Bundle
	for at := 0; at < len(code); {
		if tg.DecodeBundle(code[at:], uint64(at), &b) != nil {
			at += tg.Unit
			continue
		}
		if !rogue.Coefficients(&b, mark) {
			return draw.AllComponents
		}
		at += b.Size()
	}
	return read
}

// bind maps image ops to the texture units of the scene, each a texture with its sampler, by the number in their
// states.
func bind(env *exec.Env) {
	env.Outputs = oneVertex{}
	if env.ImageOf == nil {
		env.ImageOf = func(k *exec.ImageKey) (exec.Image, error) { return sceneUnit(env, k) }
	}
}

func sceneUnit(env *exec.Env, k *exec.ImageKey) (exec.Image, error) {
	if k.Count != rogue.TexWords {
		return nil, fmt.Errorf("rogue: %d words of a sample, want %d", k.Count, rogue.TexWords)
	}
	n, how := k.Words[rogue.TexImage], rogue.TexUse(k.Words[rogue.TexHow])
	if smp := k.Words[rogue.TexSampler]; smp != n {
		return nil, fmt.Errorf("the image of unit %d with the sampler of unit %d: in scenes a texture has its own", n, smp)
	}
	s, err := env.Texture(n)
	if err != nil {
		return nil, err
	}
	u, ok := s.(*mem.Unit)
	if !ok {
		return nil, fmt.Errorf("unit %d cannot be read by this instruction", n)
	}
	if how.Sample() != 0 {
		return nil, fmt.Errorf("sample %d of unit %d: textures of scenes have one a texel", how.Sample(), n)
	}
	if k.With&ir.ImageCompare != 0 && !u.Compares() {
		return nil, fmt.Errorf("a comparison with texels of unit %d, whose sampler has none", n)
	}
	if err := fits(u.Target(), how); err != nil {
		return nil, err
	}
	return asked(u, &words{}, how)
}

func (sceneStages) VertexOutputs(read *draw.Components, lanes uint64) []exec.OutputRead {
	return draw.OutputsIn(read, lanes, func(n, k int) ir.Cell { return ir.Cell{File: rogue.FileVo, Index: uint16(4*n + k)} })
}

// FragmentOutputs: a channel is a byte of po0.
func (sceneStages) FragmentOutputs(channels uint8, depth bool) []exec.OutputRead {
	list := draw.ColoursIn(0, depth, nil, ir.Cell{File: rogue.FileDepth}, ir.Cell{File: rogue.FileDrop})
	bits := uint32(0)
	for k := range 4 {
		bits |= uint32(channels>>k&1) * 0xff << (8 * k)
	}
	return append(list, exec.OutputRead{Cell: ir.Cell{File: rogue.FilePo}, Bits: bits})
}

// Wants: what is emitted to memory, or for another stage, is not read.
func (sceneStages) Wants(uint32, int, uint8, bool) uint32 { return 0 }

// VertexMemory: outputs are registers.
func (sceneStages) VertexMemory() (addr, bytes uint64) { return 0, 0 }
