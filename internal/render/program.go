package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// A target is an instruction set to draw with, and the data that the programs of a scene share.
type target struct {
	isa      *isa.Target
	graphics *draw.Graphics
	scene    *casefile.Scene
	textures map[string]*mem.Unit
	text     func(t *isa.Target, file string, text []byte) // Options.Text

	files, texels budget // for the whole scene
}

func newTarget(name string) (*target, error) {
	set, err := sets.Lookup(name)
	if err != nil {
		return nil, err
	}
	g := platforms.Graphics(set.Name)
	if g == nil {
		return nil, fmt.Errorf("programs of %s cannot draw yet; those of attila can", set.Name)
	}
	return &target{isa: set.AskedBy(name, ""), graphics: g, textures: map[string]*mem.Unit{}}, nil
}

// stage prepares a program to run; read are the components of varyings that it may read.
func (t *target) stage(file string, source []byte, stage string, constants []casefile.SceneConstant, units map[int]*mem.Unit) (*draw.Stage, draw.Components, error) {
	var none draw.Components
	code, err := t.assemble(file, source, stage)
	if err != nil {
		return nil, none, err
	}
	env, err := t.graphics.NewEnv()
	if err != nil {
		return nil, none, err
	}
	for _, c := range constants {
		if err := t.graphics.Constant(&env, c.Name, words(c.Values)); err != nil {
			return nil, none, fmt.Errorf("%s: %w", file, err)
		}
	}
	for unit, u := range units {
		for len(env.Textures) <= unit {
			env.Textures = append(env.Textures, nil)
		}
		env.Textures[unit] = u
	}
	if err := env.MapCode(code); err != nil {
		return nil, none, fmt.Errorf("%s: %w", file, err)
	}
	return &draw.Stage{Name: file, Program: exec.NewProgram(code), Entry: ir.Key{}, Env: env}, t.graphics.Reads(code.Code), nil
}

// assemble returns a program: file contents with zero bytes are machine code, others are text.
func (t *target) assemble(file string, source []byte, name string) (*isa.Program, error) {
	stage, _ := t.isa.Arch.Stage(name) // for sets with decoding by stage
	tg := t.isa.Move(t.isa.Variant, stage)
	if bytes.IndexByte(source, 0) >= 0 {
		return &isa.Program{Target: tg, Code: source}, nil
	}
	res, errs := asm.Assemble(tg, source, asm.Options{File: file})
	if len(errs) > 0 {
		var text []string
		for _, e := range errs {
			text = append(text, e.Detail())
		}
		return nil, errors.New(strings.Join(text, "\n"))
	}
	if len(res.Code) == 0 {
		return nil, fmt.Errorf("%s: no instructions", file)
	}
	if t.text != nil {
		t.text(res.Target, file, source)
	}
	return &isa.Program{Target: res.Target, Code: res.Code, Map: res.Map()}, nil
}

// read reads a program that the scene names.
func (t *target) read(name string) ([]byte, error) {
	data, err := t.scene.ReadProgram(name)
	if err == nil {
		err = t.files.take(len(data))
	}
	return data, err
}

// A budget is a limit for all parts of a scene together, so that many small ones cannot exceed it.
type budget struct {
	limit.Size
	left int64
}

func newBudget(s limit.Size) budget { return budget{s, s.Bytes} }

func (b *budget) take(n int) error {
	if b.left -= int64(n); b.left < 0 {
		return errors.New(b.Short())
	}
	return nil
}

// shader combines two stages; without a vertex program attributes pass through. If keepDepth is set, the depth output
// of fragment programs is ignored and the draw uses the triangle's.
func (t *target) shader(name string, vertex, fragment *draw.Stage, read draw.Components, keepDepth bool, o Options) draw.Shader {
	s := &draw.WaveShader{Stages: t.graphics.Stages, LiveOut: t.graphics.LiveOut, Fragment: *fragment, Engine: o.Engine, Limits: o.Limits, Used: read.Varyings(), Reads: read, KeepDepth: keepDepth, Given: t.graphics.Given,
		Name: name, Watcher: o.Watcher}
	s.Fragment.Env.Policy = o.Policy
	if vertex == nil {
		return passThrough{s}
	}
	s.Vertex = *vertex
	s.Vertex.Env.Policy = o.Policy
	return s
}

// passThrough copies attributes to varyings; attribute 0 is the position.
type passThrough struct{ *draw.WaveShader }

func (s passThrough) NewRunner(ctx context.Context, waves int) draw.ShaderRunner {
	return passRunner{s.WaveShader.NewRunner(ctx, waves).(draw.BatchRunner)}
}

type passRunner struct{ draw.BatchRunner }

func (passRunner) Vertices(in []draw.VertexIn, out []draw.Vertex) error {
	for i := range in {
		out[i] = draw.Vertex{Position: in[i].Attr[0], Out: in[i].Attr}
	}
	return nil
}
