package attila

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/attila"
	"github.com/heddle-gpu/heddle/mem"
)

// Graphics describes how draws use programs of this instruction set. docs/reference/attila.md 14.
var Graphics = &draw.Graphics{
	Stages: stages{},
	Given:  true,
	LiveOut: draw.LiveOut{
		Vertices:  draw.Cells(attila.FileO, 0, 4*attila.NumOut),
		Fragments: append(draw.Cells(attila.FileO, 4, 4), ir.Cell{File: attila.FileZ}, ir.Cell{File: attila.FileKill}),
	},
	Discard:  &ir.Cell{File: attila.FileKill},
	NewEnv:   newEnv,
	Constant: setConstant,
	Reads:    reads,
	Place:    "varying n is input i<n>; i0 holds the pixel x, y, the depth and 0; the colour is o1",
}

// stages: vertex attribute and output n are i<n> and o<n>; output 0 is the position. In a fragment i<n> is varying n,
// but i0 holds the pixel's x, y, its depth and 0, and i15.w the signed area of the triangle. The colour is o1.
type stages struct{}

// Lanes of a group share a program counter, so a group is one vertex or one quad unless the program cannot observe it.
func (stages) Lanes(vertex, fragment *draw.Stage) (vertices, fragments int) {
	vertices, fragments = 1, 4
	own := draw.Promise{Numbers: true} // no instruction reads them
	if vertex.Packable(vertices, own) {
		vertices = ir.MaxLanes
	}
	if fragment.Packable(fragments, own) {
		fragments = ir.MaxLanes
	}
	return vertices, fragments
}

// row returns component k of register n of a file, for all lanes.
func row(st *exec.State, file, n, k int) []uint32 {
	return st.Row(ir.Cell{File: uint8(file), Index: uint16(4*n + k)})
}

func (stages) InitVertices(st *exec.State, _ *exec.Env, in []draw.VertexIn) {
	for n := range in[0].Attr {
		for k := range in[0].Attr[n] {
			to := row(st, attila.FileI, n, k)
			for lane := range in {
				to[lane] = math.Float32bits(in[lane].Attr[n][k])
			}
			clear(to[len(in):])
		}
	}
}

func (stages) VerticesOut(st *exec.State, _ *exec.Env, out []draw.Vertex, used uint32) {
	for n := range out[0].Out {
		for k := 0; k < 4 && (used|1)>>n&1 != 0; k++ {
			from := row(st, attila.FileO, n, k)
			for lane := range out {
				out[lane].Out[n][k] = math.Float32frombits(from[lane])
			}
		}
	}
	for lane := range out {
		out[lane].Position = out[lane].Out[0]
	}
}

func (stages) InitFragments(st *exec.State, _ *exec.Env, in *draw.Wave) {
	used := in.Used()
	for m := used &^ 1; m != 0; m &= m - 1 {
		n := bits.TrailingZeros32(m)
		if to := st.Vector(ir.Cell{File: attila.FileI, Index: uint16(4 * n)}); to != nil {
			in.Vector(to, n)
			continue
		}
		for k := range 4 {
			in.Component(row(st, attila.FileI, n, k), n, k)
		}
	}
	if used&1 != 0 {
		x, y, z := row(st, attila.FileI, 0, 0), row(st, attila.FileI, 0, 1), row(st, attila.FileI, 0, 2)
		for lane := range in.Lanes {
			px, py := in.Pixel(lane)
			x[lane], y[lane] = math.Float32bits(float32(px)), math.Float32bits(float32(py))
		}
		draw.Bits(z, in.Depth())
		clear(x[in.Lanes:])
		clear(y[in.Lanes:])
		clear(z[in.Lanes:])
	}
	if used>>15 != 0 {
		area := row(st, attila.FileI, 15, 3)
		for lane := range in.Lanes {
			area[lane] = math.Float32bits(in.Area(lane))
		}
		clear(area[in.Lanes:])
	}
}

func (stages) FragmentsOut(st *exec.State, _ *exec.Env, out *draw.WaveOut) {
	for k := range out.Color {
		out.Color[k] = row(st, attila.FileO, 1, k)
	}
	out.Depth, out.HasDepth = st.Row(ir.Cell{File: attila.FileZ}), ^uint64(0)
	out.Keep(st, ir.Cell{File: attila.FileKill})
}

// newEnv returns an environment with constants, all zero.
func newEnv() (env exec.Env, err error) {
	space, err := Constants(nil)
	env.Spaces[ir.ConstSpace] = []*mem.Space{space}
	return env, err
}

// setConstant sets consecutive words of constants, beginning at c<n> or c<n>.x.
func setConstant(env *exec.Env, name string, words []uint32) error {
	at, err := constAt(name)
	if err != nil {
		if at, err = constAt(name + ".x"); err != nil {
			return fmt.Errorf("attila: no constant %q; they are c0 to c%d", name, attila.NumConst-1)
		}
	}
	data := env.Space(ir.ConstSpace, 0).Segments()[0].Data
	if at+4*len(words) > len(data) {
		return fmt.Errorf("attila: %d values from %s on; the last constant is c%d", len(words), name, attila.NumConst-1)
	}
	for i, w := range words {
		binary.LittleEndian.PutUint32(data[at+4*i:], w)
	}
	return nil
}

// reads returns the components of inputs that are sources of instructions of the code.
func reads(code []byte) (read draw.Components) {
	tg := attila.Set().At(attila.Text, 0)
	var b isa.Bundle
	var cells []isa.Span
	for at := 0; at < len(code); {
		if tg.DecodeBundle(code[at:], uint64(at), &b) != nil {
			at += tg.Unit
			continue
		}
		in := &b.Parts[0]
		for i := range in.Def.Args {
			if a := &in.Def.Args[i]; a.Kind.Cells != nil && a.RoleIn(in) == isa.Use {
				cells = a.Kind.Cells(cells[:0], in, a, a.Get(in.Word))
				for _, c := range cells {
					if c.File == attila.FileI {
						read[c.Index/4%draw.Varyings] |= 1 << (c.Index % 4)
					}
				}
			}
		}
		at += b.Size()
	}
	return read
}

// cell returns the register of component k of register n of a file.
func cell(file, n, k int) ir.Cell { return ir.Cell{File: uint8(file), Index: uint16(4*n + k)} }

func (stages) VertexOutputs(read *draw.Components, lanes uint64) []exec.OutputRead {
	return draw.OutputsIn(read, lanes, func(n, k int) ir.Cell { return cell(attila.FileO, n, k) })
}

func (stages) FragmentOutputs(channels uint8, depth bool) []exec.OutputRead {
	colour := func(k int) ir.Cell { return cell(attila.FileO, 1, k) }
	return draw.ColoursIn(channels, depth, colour, ir.Cell{File: attila.FileZ}, ir.Cell{File: attila.FileKill})
}

// Wants: there are no output ops.
func (stages) Wants(uint32, int, uint8, bool) uint32 { return 0 }

// VertexMemory: outputs are registers.
func (stages) VertexMemory() (addr, bytes uint64) { return 0, 0 }
