package tesla

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
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/mem"
)

// Graphics describes how scenes use programs of this instruction set.
var Graphics = &draw.Graphics{
	Stages: sceneStages{},
	LiveOut: draw.LiveOut{
		Vertices:  draw.Cells(tesla.FileO, 0, 4*draw.Varyings),
		Fragments: append(draw.Cells(tesla.FileR, 0, 5), ir.Cell{File: tesla.FileKill}),
	},
	Discard:  &ir.Cell{File: tesla.FileKill},
	NewEnv:   sceneEnv,
	Constant: sceneConstant,
	Reads:    reads,
	Place:    "component c of varying n is v[16n+4c], divided by w; v[0x0] is 1/w, v[0x4] v[0x8] v[0xc] the pixel x, y and the depth; the colour is $r0 to $r3",
}

// sceneStages: component c of vertex attribute n is a[16n+4c], of output n o[16n+4c]; output 0 is the position. In a
// fragment v[0] is 1/w, v[0x4], v[0x8], v[0xc] the pixel and its depth, v[16n+4c] varying n divided by w; interp flat
// returns it undivided. The colour is $r0 to $r3.
type sceneStages struct{}

// Lanes of a warp share a control stack. Several warps run side by side if the program cannot observe it.
func (sceneStages) Lanes(vertex, fragment *draw.Stage) (vertices, fragments int) {
	vertices, fragments = tesla.Lanes, tesla.Lanes
	if vertex.Packable(1, draw.Promise{}) {
		vertices = ir.MaxLanes
	}
	if fragment.Packable(4, draw.Promise{}) {
		fragments = ir.MaxLanes
	}
	return vertices, fragments
}

// sceneInputs executes the input ops for a[] or v[] of a wave.
type sceneInputs struct {
	env   *exec.Env
	verts []draw.VertexIn // of a wave of vertices
	frags *draw.Wave      // of a wave of fragments
}

// inputs returns the inputs of a wave, created when it first starts.
func inputs(env *exec.Env) *sceneInputs {
	in, ok := env.Inputs.(*sceneInputs)
	if !ok || in.env != env {
		in = &sceneInputs{env: env}
		env.Inputs, env.Steady, env.ImageOf = in, true, in.imageOf
	}
	return in
}

// Input implements exec.Inputs.
func (in *sceneInputs) Input(c *exec.IOCall) (uint64, error) {
	if in.frags == nil {
		return each(c, func(slot uint32, lane int) (uint32, error) {
			if slot >= 4*draw.Varyings {
				return 0, noWord(slot)
			}
			return math.Float32bits(in.verts[lane].Attr[slot/4][slot%4]), nil
		})
	}
	if slot, ok := c.Same(); ok {
		if !in.word(c, &c.Value[0], slot) {
			return c.Lanes, noWord(slot)
		}
		return 0, nil
	}
	var row [ir.MaxLanes]uint32
	return each(c, func(slot uint32, lane int) (uint32, error) {
		if !in.word(c, &row, slot) {
			return 0, noWord(slot)
		}
		return row[lane], nil
	})
}

func noWord(slot uint32) error {
	return fmt.Errorf("word %#x; a draw has %d vectors", 4*slot, draw.Varyings)
}

// word copies a word of v[] of all fragments; it returns false if there is none.
func (in *sceneInputs) word(c *exec.IOCall, to *[ir.MaxLanes]uint32, slot uint32) bool {
	f := in.frags
	switch {
	case slot == wordFront:
		draw.Spread(to[:], f.Facing())
	case slot >= 4*draw.Varyings:
		return false
	case slot == 0:
		draw.Bits(to[:], f.InvW())
	case slot == 3:
		draw.Bits(to[:], f.Depth())
	case slot < 3:
		for lane := range f.Lanes {
			x, y := f.Pixel(lane)
			to[lane] = math.Float32bits(float32([2]int{x, y}[slot-1]))
		}
	default:
		if c.How^c.How.At() == ir.HowFlat {
			f.Component(to[:], int(slot/4), int(slot%4))
		} else {
			f.OverW(to, int(slot/4), int(slot%4))
		}
	}
	return true
}

// imageOf returns the texture unit of that number, a texture with its sampler.
func (in *sceneInputs) imageOf(k *exec.ImageKey) (exec.Image, error) {
	n := k.Words[tesla.TexUnit]
	s, err := in.env.Texture(n)
	if err != nil {
		return nil, err
	}
	u, ok := s.(*mem.Unit)
	if !ok {
		return nil, fmt.Errorf("$t%d is no texture that this instruction can read", n)
	}
	smp := k.Words[tesla.TexSampler]
	switch {
	case k.Do == ir.ImagePlace: // independent of the sampler
		return u, nil
	case smp != n:
		return nil, fmt.Errorf("$t%d with $s%d: in scenes the sampler of a texture has its number", n, smp)
	}
	return u, fits(n, u, tesla.TexShape(k.Words[tesla.TexHow]))
}

func (sceneStages) InitVertices(_ *exec.State, env *exec.Env, list []draw.VertexIn) {
	in := inputs(env)
	in.verts, in.frags = list, nil
}

func (sceneStages) VerticesOut(st *exec.State, _ *exec.Env, out []draw.Vertex, used uint32) {
	for n := range out[0].Out {
		for k := 0; k < 4 && (used|1)>>n&1 != 0; k++ {
			from := word(st, tesla.FileO, 4*n+k)
			for lane := range out {
				out[lane].Out[n][k] = math.Float32frombits(from[lane])
			}
		}
	}
	for lane := range out {
		out[lane].Position = out[lane].Out[0]
	}
}

func word(st *exec.State, file, n int) []uint32 {
	return st.Row(ir.Cell{File: uint8(file), Index: uint16(n)})
}

func (sceneStages) InitFragments(_ *exec.State, env *exec.Env, list *draw.Wave) {
	in := inputs(env)
	in.verts, in.frags = nil, list
}

func (sceneStages) FragmentsOut(st *exec.State, _ *exec.Env, out *draw.WaveOut) {
	for k := range out.Color {
		out.Color[k] = word(st, tesla.FileR, k)
	}
	out.Depth, out.HasDepth = word(st, tesla.FileR, 4), ^uint64(0) // used if the scene says that the program writes depth
	out.Keep(st, ir.Cell{File: tesla.FileKill})
}

// sceneBank is the size in bytes of a c[] in scenes.
const sceneBank = 4096

// sceneEnv returns an environment with constants, all zero.
func sceneEnv() (exec.Env, error) {
	var data [tesla.Banks][]byte
	for bank := range data {
		data[bank] = make([]byte, sceneBank)
	}
	return newEnv(data, nil)
}

// sceneConstant sets consecutive words of constants, beginning at the one named, c0[0x10], or at the start of c0.
func sceneConstant(env *exec.Env, name string, words []uint32) error {
	head, text, indexed := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if !indexed {
		text = "0"
	}
	number, ok := strings.CutPrefix(head, "c")
	bank, err := strconv.ParseUint(number, 10, 8)
	at, err2 := strconv.ParseUint(text, 0, 32)
	switch {
	case !ok || err != nil || err2 != nil || bank >= tesla.Banks || at%4 != 0 || indexed != strings.HasSuffix(name, "]"):
		return fmt.Errorf("tesla: no constant %q; such as c0, c1[0x10]", name)
	case at+4*uint64(len(words)) > sceneBank:
		return fmt.Errorf("tesla: %d constants from %q on; the last word is at %#x", len(words), name, sceneBank-4)
	}
	g := env.Space(ir.ConstSpace, uint8(bank)).Segments()[0]
	for i, w := range words {
		binary.LittleEndian.PutUint32(g.Data[at+4*uint64(i):], w)
	}
	return nil
}

// reads returns the components of varyings that are operands of instructions of the code, and the position.
func reads(code []byte) (read draw.Components) {
	read[0] = 15
	for word := range wordsRead(code) {
		if word < 4*draw.Varyings { // beyond is the front face
			read[word/4] |= 1 << (word % 4)
		}
	}
	return read
}

// wordsRead returns the words of v[] that are operands of instructions of the code.
func wordsRead(code []byte) map[int]bool {
	read := map[int]bool{}
	tg := tesla.Set().At(tesla.GT215, tesla.FP)
	var b isa.Bundle
	for at := 0; at < len(code); {
		if tg.DecodeBundle(code[at:], uint64(at), &b) != nil {
			at += tg.Unit
			continue
		}
		if word, ok := tesla.Varying(&b.Parts[0]); ok {
			for i := 0; word < 0 && i < 4*draw.Varyings; i++ { // by an address: all
				read[i] = true
			}
			if word >= 0 {
				read[word] = true
			}
		}
		at += b.Size()
	}
	return read
}

func output(n, k int) ir.Cell { return ir.Cell{File: tesla.FileO, Index: uint16(4*n + k)} }

func (sceneStages) VertexOutputs(read *draw.Components, lanes uint64) []exec.OutputRead {
	return draw.OutputsIn(read, lanes, output)
}

func (sceneStages) FragmentOutputs(channels uint8, depth bool) []exec.OutputRead {
	register := func(n int) ir.Cell { return ir.Cell{File: tesla.FileR, Index: uint16(n)} }
	return draw.ColoursIn(channels, depth, register, register(4), ir.Cell{File: tesla.FileKill})
}

// Wants: there are no output ops.
func (sceneStages) Wants(uint32, int, uint8, bool) uint32 { return 0 }

// VertexMemory: outputs are registers.
func (sceneStages) VertexMemory() (addr, bytes uint64) { return 0, 0 }
