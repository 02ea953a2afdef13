package tesla

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// A stage is a program of a draw and its resources.
type stage struct {
	name    string
	program *exec.Program
	env     exec.Env
	private bool // it may use l[]
}

// A setup is a draw that is ready to run. It implements draw.Shader and is immutable.
type setup struct {
	s        *Scene
	stages   [2]stage
	attrs    map[uint32]attribute
	varyings map[uint32]*Varying
	outs     int // words of o[] that are passed from vertices to fragments
	engine   exec.Engine
	limits   exec.Limits
	watcher  exec.Prober          // nil: none
	name     string               // of the draw, for the watcher
	read     [2][]exec.OutputRead // by stage: what the draw reads at the end of a wave, but for the lanes
}

// An attribute is the source of a word of a[].
type attribute struct {
	values    [][4]uint32 // by vertex
	component int
}

// wordFront is the word of v[] that is not 0 for a front face.
const wordFront = 0x3fc / 4

func newSetup(s *Scene, variant string, set launch.Settings) (*setup, error) {
	x := &setup{s: s, attrs: map[uint32]attribute{}, varyings: map[uint32]*Varying{}, engine: set.Engine, limits: set.Limits, watcher: set.Watcher, name: s.Name + " " + variant}
	textures := &Textures{}
	for i := range s.Textures {
		texels, err := s.ReadTexels(i)
		if err != nil {
			return nil, err
		}
		if err := textures.AddTexture(&s.Textures[i], texels); err != nil {
			return nil, err
		}
	}
	for i := range s.Samplers {
		if err := textures.AddSampler(&s.Samplers[i]); err != nil {
			return nil, err
		}
	}
	for i, name := range [2]string{vertexStage: "vertex", fragmentStage: "fragment"} {
		target, err := targetOf(variant, name)
		if err != nil {
			return nil, err
		}
		st := &x.stages[i]
		st.name = name + " program"
		st.program = set.Programs.Of(name+variant, &isa.Program{Target: target, Code: s.Program(variant, i)})
		st.private = launch.Uses(st.program, ir.Key{}, ir.PrivateSpace)
		if st.env, err = stageEnv([...][]Constants{vertexStage: s.Constants.Vertex, fragmentStage: s.Constants.Fragment}[i], textures); err != nil {
			return nil, fmt.Errorf("%s: %w", st.name, err)
		}
	}
	for _, a := range s.Attributes {
		for i := range s.Inputs {
			if s.Inputs[i].Location == a.Input {
				x.attrs[uint32(a.Word)] = attribute{s.Inputs[i].Values, a.Component}
			}
		}
	}
	for i := range s.Varyings.Words {
		v := &s.Varyings.Words[i]
		x.varyings[uint32(v.Word)] = v
		if v.Source == "" {
			x.outs = max(x.outs, v.Out+1)
		}
	}
	return x, nil
}

// stageEnv returns the environment of a stage: constants and textures.
func stageEnv(list []Constants, t *Textures) (exec.Env, error) {
	var data [tesla.Banks][]byte
	for _, c := range list {
		end := c.Addr + uint64(len(c.Data))
		if c.Addr > maxConst || end > maxConst {
			return exec.Env{}, fmt.Errorf("%s at c%d[%#x]; it has %d", spell.Count(len(c.Data), "byte"), c.Bank, c.Addr, maxConst)
		}
		d := &data[c.Bank]
		if uint64(len(*d)) < end {
			*d = append(*d, make([]byte, end-uint64(len(*d)))...)
		}
		copy((*d)[c.Addr:], c.Data)
	}
	return newEnv(data, t)
}

func (x *setup) Lanes() (vertices, fragments int) { return tesla.Lanes, tesla.Lanes }

func (x *setup) NewRunner(ctx context.Context, _ int) draw.ShaderRunner { return x.newRunner(ctx) }

func (x *setup) newRunner(ctx context.Context) *runner {
	return &runner{x: x, meter: exec.NewMeter(ctx, x.limits)}
}

// A runner runs both stages, for one goroutine.
type runner struct {
	x     *setup
	meter *exec.Meter
	waves [2]wave
	count exec.Counters
	shots [tesla.Lanes][draw.MaxTargets]draw.Pixel
	stage draw.StageWave // for a watcher
}

// A wave is the state of a stage, created on first use.
type wave struct {
	runner exec.Runner
	st     *exec.State
	env    exec.Env
	watch  *draw.Watch // nil: there is no watcher
	code   *exec.Program
}

// run runs a stage with that many lanes.
func (r *runner) run(stage, lanes int, in exec.Inputs) (*exec.State, error) {
	s, w := &r.x.stages[stage], &r.waves[stage]
	if w.st == nil {
		if r.x.engine == nil {
			return nil, errors.New("tesla: no engine")
		}
		code, watch := s.program, (*draw.Watch)(nil)
		if r.x.watcher != nil {
			watch = draw.NewWatch(r.x.watcher, s.name, s.program, ir.Key{}, s.env.Windows, draw.CellsOf(r.x.read[stage]), nil)
			code, r.stage.Draw = watch.Program, r.x.name
		}
		st, err := exec.NewState(code.Machine(), tesla.Lanes)
		if err != nil {
			return nil, err
		}
		*w = wave{r.x.engine.NewRunner(code), st, s.env, watch, code}
		w.env.Kernel = s.name
		if s.private {
			p, err := mem.NewPrivate(mem.Extent{Size: maxLocal, Rights: mem.ReadWrite}, tesla.Lanes, 4)
			if err != nil {
				return nil, err
			}
			p.Space = ir.PrivateSpace.String()
			w.env.Private = []*mem.Private{p}
		}
	}
	if s.private {
		clear(w.env.Private[0].Data)
	}
	w.env.Count, w.env.Inputs = exec.Counters{}, in
	start := func(st *exec.State, _ *exec.Env) {
		for _, n := range [...]uint16{63, 127} { // Mesa's zero: beyond the registers of the program. docs/reference/tesla.md 3.1
			clear(st.Row(ir.Cell{File: tesla.FileR, Index: n}))
		}
		st.Start(0, ^uint64(0)>>(64-lanes))
	}
	if w.watch == nil {
		w.st.Reset()
		start(w.st, nil)
	} else if err := w.watch.Begin(&r.stage, w.st, &w.env, start); err != nil {
		return nil, err
	}
	defer func() { r.count.Add(&w.env.Count) }()
	for {
		switch stop := r.meter.Run(w.runner, w.code.Code, w.st, &w.env, exec.Budget{}); stop.Reason {
		case exec.StopEnd:
			if w.watch != nil {
				w.watch.End(w.st, &w.env, r.outputs(stage, lanes, w.st.Mask(ir.Cell{File: tesla.FileKill})))
			}
			return w.st, nil
		case exec.StopFault:
			if w.watch != nil {
				w.watch.Fault(w.st, &w.env, stop.Fault)
			}
			return w.st, stop.Fault
		}
	}
}

func (r *runner) Count() exec.Counters { return r.count }

// each executes an input op lane by lane.
func each(c *exec.IOCall, word func(slot uint32, lane int) (uint32, error)) (refused uint64, err error) {
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := lowest(m)
		v, e := word(c.Slot[lane], lane)
		if e != nil {
			if refused |= 1 << lane; err == nil {
				err = e
			}
			continue
		}
		c.Value[0][lane] = v
	}
	return refused, err
}

// A vertexInputs executes the input ops for a[] of vertices.
type vertexInputs struct {
	x  *setup
	in []draw.VertexIn
}

// Input implements exec.Inputs.
func (v vertexInputs) Input(c *exec.IOCall) (uint64, error) {
	return each(c, func(slot uint32, lane int) (uint32, error) {
		a, ok := v.x.attrs[slot]
		if !ok {
			return 0, fmt.Errorf("there is no attribute word a[%#x]", 4*slot)
		}
		return a.values[v.x.s.First+int(v.in[lane].Index)][a.component], nil
	})
}

// Vertices implements draw.ShaderRunner. Each vertex passes its w, then words of o[], to the fragments.
func (r *runner) Vertices(in []draw.VertexIn, out []draw.Vertex) error {
	r.stage.Vertices = in
	st, err := r.run(vertexStage, len(in), vertexInputs{r.x, in})
	if err != nil {
		return err
	}
	word := func(n, lane int) uint32 { return st.Get(ir.Cell{File: tesla.FileO, Index: uint16(n)}, lane) }
	for i := range out {
		v := draw.Vertex{Params: make([]uint32, 1+r.x.outs)}
		for k, n := range r.x.s.Varyings.Position {
			v.Position[k] = math.Float32frombits(word(n, i))
		}
		v.Params[0] = word(r.x.s.Varyings.Position[3], i)
		for n := range r.x.outs {
			v.Params[1+n] = word(n, i)
		}
		out[i] = v
	}
	return nil
}

// A fragmentInputs executes the input ops for v[] of fragments.
type fragmentInputs struct {
	x  *setup
	in []draw.Fragment
}

// Input implements exec.Inputs. The words of v[] are linear in screen space, whatever the instruction requests: the
// program itself multiplies by w.
func (v fragmentInputs) Input(c *exec.IOCall) (uint64, error) {
	return each(c, func(slot uint32, lane int) (uint32, error) {
		f := &v.in[lane]
		w, ok := v.x.varyings[slot]
		switch {
		case !ok && slot == wordFront:
			if f.Front {
				return ^uint32(0), nil
			}
			return 0, nil
		case !ok:
			return 0, fmt.Errorf("there is no varying word v[%#x]", 4*slot)
		case w.Source != "":
			return math.Float32bits(f.InvW), nil
		case w.Interp == "flat":
			return f.Params[2][1+w.Out], nil
		}
		return overW(f, w.Out), nil
	})
}

// overW interpolates a word of o[], divided by the w of each vertex, at the position of a fragment.
func overW(f *draw.Fragment, out int) uint32 {
	l1, l2 := float64(f.Linear[0]), float64(f.Linear[1])
	sum := 0.0
	for i, share := range [3]float64{1 - l1 - l2, l1, l2} {
		p := f.Params[i]
		sum += share * float64(math.Float32frombits(p[1+out])) / float64(math.Float32frombits(p[0]))
	}
	return math.Float32bits(float32(sum))
}

// Fragments implements draw.ShaderRunner.
func (r *runner) Fragments(in *draw.Wave, out *draw.WaveOut) error {
	r.stage.Wave = in
	return in.Each(out, r.fragments)
}

func (r *runner) fragments(in []draw.Fragment, out []draw.FragmentOut) error {
	st, err := r.run(fragmentStage, len(in), fragmentInputs{r.x, in})
	if err != nil {
		return err
	}
	killed := st.Mask(ir.Cell{File: tesla.FileKill})
	for lane := range out {
		shot := draw.FragmentOut{Killed: killed>>lane&1 != 0, Out: &r.shots[lane]}
		for i := range r.x.s.Targets {
			t := &r.x.s.Targets[i]
			shot.Written |= 1 << t.Index
			shot.Out[t.Index] = draw.Pixel{}
			for k, n := range t.Registers {
				shot.Out[t.Index][k] = st.Get(ir.Cell{File: tesla.FileR, Index: uint16(n)}, lane)
			}
		}
		out[lane] = shot
	}
	return nil
}
