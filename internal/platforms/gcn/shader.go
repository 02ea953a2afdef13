package gcn

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/object"
)

// lanes is the number of lanes of a wave.
const lanes = 64

// A stage is a shader and the initial state of its waves.
type stage struct {
	name    string
	shader  *Shader
	program *exec.Program
	env     exec.Env
}

func (s *stage) entry() ir.Key { return ir.Key{PC: s.shader.Addr, Mode: modeOf(s.shader)} }

// sizes returns the registers of a wave, as RSRC1 says.
func (s *stage) sizes() *exec.Sizes {
	d := &object.Descriptor{Rsrc1: s.shader.Rsrc1, Rsrc2: s.shader.Rsrc2}
	return &exec.Sizes{Vector: d.VGPRs(), Scalar: allocatedSGPRs(d)}
}

// begin initialises the empty state of a wave with those lanes: user SGPRs, MODE. docs/reference/gcn.md 14.1.
func (s *stage) begin(st *exec.State, live uint64) {
	for _, u := range s.shader.UserSGPRs {
		st.Set(gcn.SGPR(u.SGPR), 0, u.Value)
	}
	st.Set(gcn.CellMode, 0, modeOf(s.shader))
	st.Start(s.shader.Addr, live)
}

// beginPixels also sets PRIM_MASK, and EXEC to the covered lanes.
func (s *stage) beginPixels(st *exec.State, live, covered uint64) {
	s.begin(st, live)
	at := s.shader.PrimMask
	if at < 0 {
		at = s.shader.Users
	}
	st.Set(gcn.SGPR(at), 0, primMask)
	st.Exec = covered
}

// A setup is a draw that is ready to run. It implements draw.Shader and is immutable.
type setup struct {
	vertex, pixel stage
	regs          registers
	attrs         []attribute
	engine        exec.Engine
	limits        exec.Limits
	watcher       exec.Prober            // nil: none
	name          string                 // of the draw, for the watcher
	channels      [draw.MaxTargets]uint8 // of targets that the draw reads
}

func (s *setup) Lanes() (vertices, fragments int) { return lanes, lanes }

func (s *setup) NewRunner(ctx context.Context, _ int) draw.ShaderRunner {
	r := &runner{s: s, meter: exec.NewMeter(ctx, s.limits)}
	r.verts = vertexOut{params: parameters(s.attrs)}
	r.frags = s.pixelOut()
	return r
}

func (s *setup) pixelOut() pixelOut {
	return pixelOut{colours: s.regs["SPI_SHADER_COL_FORMAT"], depths: s.regs.bits("SPI_SHADER_Z_FORMAT", 0, 3), useZ: s.regs.bit("DB_SHADER_CONTROL", 0)}
}

// A runner runs both stages, for one goroutine.
type runner struct {
	s     *setup
	meter *exec.Meter
	waves [2]wave // vertex, pixel
	count exec.Counters
	verts vertexOut
	frags pixelOut
	in    []draw.Fragment // of the pixel wave that runs

	primitives []uint64 // of in: see inputs

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

// begin starts a wave by init, which initialises an empty state.
func (r *runner) begin(s *stage, w *wave, init func(st *exec.State)) error {
	if w.watch != nil {
		return w.watch.Begin(&r.stage, w.st, &w.env, func(st *exec.State, _ *exec.Env) { init(st) })
	}
	w.st.ResetFor(s.program)
	init(w.st)
	return nil
}

// wave returns the wave of a stage.
func (r *runner) wave(s *stage, i int) (*wave, error) {
	w := &r.waves[i]
	if w.st != nil {
		w.env.Count = exec.Counters{}
		return w, nil
	}
	if r.s.engine == nil {
		return nil, errors.New("gcn: no engine")
	}
	code, watch := s.program, (*draw.Watch)(nil)
	if r.s.watcher != nil {
		watch = draw.NewWatch(r.s.watcher, s.name, s.program, s.entry(), s.env.Windows, nil, s.sizes())
		code = watch.Program
		r.stage.Draw = r.s.name
		r.stage.Read = [...]func(slot uint32, k int) uint32{r.s.readsOfVertices(), r.s.readsOfPixels}[i]
	}
	st, err := exec.NewState(code.Machine(), lanes)
	if err != nil {
		return nil, err
	}
	*w = wave{r.s.engine.NewRunner(code), st, s.env, watch, code}
	w.env.Kernel = s.name
	return w, nil
}

// run runs a wave to its end.
func (r *runner) run(w *wave) error {
	defer func() { r.count.Add(&w.env.Count) }()
	for {
		switch stop := r.meter.Run(w.runner, w.code.Code, w.st, &w.env, exec.Budget{}); stop.Reason {
		case exec.StopEnd:
			if w.watch != nil {
				w.watch.End(w.st, &w.env, nil)
			}
			return nil
		case exec.StopFault:
			if w.watch != nil {
				w.watch.Fault(w.st, &w.env, stop.Fault)
			}
			return stop.Fault
		}
	}
}

// Vertices implements draw.ShaderRunner. v0 is the index of the vertex, v1 the instance.
func (r *runner) Vertices(in []draw.VertexIn, out []draw.Vertex) error {
	s := &r.s.vertex
	w, err := r.wave(s, 0)
	if err != nil {
		return err
	}
	r.stage.Vertices = in
	err = r.begin(s, w, func(st *exec.State) {
		s.begin(st, ^uint64(0)>>(lanes-len(in)))
		for i := range in {
			st.Set(gcn.VGPR(0), i, in[i].Index)
			st.Set(gcn.VGPR(1), i, in[i].Instance)
		}
	})
	if err != nil {
		return err
	}
	v := &r.verts
	v.lanes, v.done, v.out = len(in), false, v.out[:0]
	all := make([]uint32, 4*v.params*len(in))
	for i := range in {
		v.pos[i] = [4]uint32{}
		v.out = append(v.out, all[4*v.params*i:4*v.params*(i+1)])
	}
	w.env.Outputs = v
	if err := r.run(w); err != nil {
		return err
	}
	if !v.done {
		return fmt.Errorf("%s ended without an export that is done", s.name)
	}
	for i := range out {
		out[i] = draw.Vertex{Params: v.out[i]}
		for k, x := range v.pos[i] {
			out[i].Position[k] = math.Float32frombits(x)
		}
	}
	return nil
}

// Fragments implements draw.ShaderRunner.
func (r *runner) Fragments(in *draw.Wave, out *draw.WaveOut) error {
	r.stage.Wave = in
	return in.Each(out, r.fragments)
}

func (r *runner) fragments(in []draw.Fragment, out []draw.FragmentOut) error {
	s := &r.s.pixel
	w, err := r.wave(s, 1)
	if err != nil {
		return err
	}
	covered := uint64(0)
	for i := range in {
		if in[i].Covered {
			covered |= 1 << i
		}
	}
	err = r.begin(s, w, func(st *exec.State) {
		s.beginPixels(st, ^uint64(0)>>(lanes-len(in)), covered)
		r.s.fillPixels(st, in)
	})
	if err != nil {
		return err
	}
	r.in = in
	r.primitives = primitivesOf(r.primitives[:0], len(in), func(lane int) *[3][]uint32 { return in[lane].Params })
	if w.env.Inputs == nil {
		w.env.Inputs, w.env.Outputs = r.ofFragments(), &r.frags
	}
	r.frags.reset()
	if err := r.run(w); err != nil {
		return err
	}
	if !r.frags.done {
		return fmt.Errorf("%s ended without an export that is done", s.name)
	}
	for i := range out {
		out[i] = r.frags.shot(i)
	}
	return nil
}

func (r *runner) Count() exec.Counters { return r.count }
