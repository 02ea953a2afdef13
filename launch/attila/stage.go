package attila

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/attila"
	"github.com/heddle-gpu/heddle/mem"
)

// Graphics is how draws use programs of this instruction set. docs/reference/attila.md 14.
var Graphics = &draw.Graphics{
	Stages:   stages{},
	NewEnv:   newEnv,
	Constant: setConstant,
	Reads:    reads,
	Place:    "varying n is input i<n>; i0 holds the pixel x, y, the depth and 0; the colour is o1",
}

// stages: a wave of one vertex, a wave of one quad. Vertex attribute and output n are i<n> and o<n>, output 0 the
// position. Of a fragment i<n> is varying n, but i0 is the pixel's x, y, its depth and 0, and i15.w the signed area
// of the triangle. The colour is o1.
type stages struct{}

func (stages) Lanes() (vertices, fragments int) { return 1, 4 }

// vector is the first cell of register n of a file.
func vector(file, n int) ir.Cell { return ir.Cell{File: uint8(file), Index: uint16(4 * n)} }

func put(st *exec.State, lane, n int, v draw.Vec4) {
	at := st.Index(vector(attila.FileI, n))*st.Stride + lane
	for k := range v {
		st.V[at+k*st.Stride] = math.Float32bits(v[k])
	}
}

func get(st *exec.State, lane, n int) (v draw.Vec4) {
	at := st.Index(vector(attila.FileO, n))*st.Stride + lane
	for k := range v {
		v[k] = math.Float32frombits(st.V[at+k*st.Stride])
	}
	return v
}

func (stages) InitVertex(st *exec.State, _ *exec.Env, lane int, v *draw.VertexIn) {
	for n := range v.Attr {
		put(st, lane, n, v.Attr[n])
	}
}

func (stages) VertexOut(st *exec.State, _ *exec.Env, lane int, out *draw.Vertex) {
	out.Position = get(st, lane, 0)
	for n := range out.Out {
		out.Out[n] = get(st, lane, n)
	}
}

func (stages) InitFragment(st *exec.State, _ *exec.Env, lane int, f *draw.Fragment) {
	for n := 1; n < len(f.In); n++ {
		put(st, lane, n, f.In[n])
	}
	put(st, lane, 0, draw.Vec4{float32(f.X), float32(f.Y), f.Depth, 0})
	st.Set(ir.Cell{File: attila.FileI, Index: 15*4 + 3}, lane, math.Float32bits(f.Area))
}

func (stages) FragmentOut(st *exec.State, _ *exec.Env, lane int, out *draw.Shot) {
	out.Color = get(st, lane, 1)
	out.Killed = st.Mask(ir.Cell{File: attila.FileKill})>>lane&1 != 0
	out.Depth, out.HasDepth = math.Float32frombits(st.Get(ir.Cell{File: attila.FileZ}, lane)), true
}

// newEnv holds constants, all zero.
func newEnv() (env exec.Env, err error) {
	space, err := Constants(nil)
	env.Spaces[ir.ConstSpace] = []*mem.Space{space}
	return env, err
}

// setConstant sets c<n> or c<n>.x and what follows it.
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

// reads are the inputs that the instructions of the code name as sources.
func reads(code []byte) uint32 {
	used := uint32(1)
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
						used |= 1 << (c.Index / 4 % 16)
					}
				}
			}
		}
		at += b.Size()
	}
	return used
}
