package render

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/ir"
)

// spoilt are stages that get garbage in the cells that they declare not to read.
type spoilt struct {
	draw.Stages
	left draw.LiveOut
}

func (s spoilt) VerticesOut(st *exec.State, env *exec.Env, out []draw.Vertex, used uint32) {
	s.Stages.VerticesOut(spoil(st, s.left.Vertices), env, out, used)
}

func (s spoilt) FragmentsOut(st *exec.State, env *exec.Env, out *draw.WaveOut) {
	s.Stages.FragmentsOut(spoil(st, s.left.Fragments), env, out)
}

// spoil returns a copy of the state with other values in all cells except those in but.
func spoil(st *exec.State, but []ir.Cell) *exec.State {
	st = st.Snapshot()
	for file, f := range st.Machine.Files {
		for i := range f.Count {
			c := ir.Cell{File: uint8(file), Index: uint16(i)}
			if f.Kind == ir.ExecMask || slices.Contains(but, c) {
				continue
			}
			for lane := range st.Lanes {
				st.Set(c, lane, ^st.Get(c, lane))
			}
		}
	}
	return st
}

// TestLeft: at the end of a program, stages read only the cells that they declare.
func TestLeft(t *testing.T) {
	for _, name := range []string{"cube", "torus", "knot", "rope"} {
		s, err := casefile.ReadSceneFile(filepath.Join("..", "..", "examples", name, "scene.json"))
		if err != nil {
			t.Fatal(err)
		}
		s.Width, s.Height = 40, 30
		p, err := Prepare(context.Background(), s, Options{Engine: engines.Fastest(engines.Use{})})
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.Draw(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range p.draws {
			shader, ok := d.Shader.(*draw.WaveShader)
			if pass, passes := d.Shader.(passThrough); passes {
				shader, ok = pass.WaveShader, true
			}
			if !ok || shader.LiveOut.Vertices == nil || shader.LiveOut.Fragments == nil {
				t.Fatalf("%s: it is not said what stages read", name)
			}
			shader.Stages = spoilt{shader.Stages, shader.LiveOut}
		}
		got, err := p.Draw(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Image.Pix, want.Image.Pix) {
			t.Errorf("%s: stages read more", name)
		}
	}
}
