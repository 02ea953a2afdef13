package valhall

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// A stage is a program of a draw and its resources.
type stage struct {
	name    string
	from    *environment
	program *exec.Program
	env     exec.Env
	local   int // bytes of thread memory
}

// Stages of a draw.
const (
	stagePosition = iota
	stageVarying
	stageFragment
	numStages
)

var stageNames = [numStages]string{"position program", "varying program", "fragment program"}

// Registers that are preloaded if they are in the preload mask. docs/reference/valhall.md 7.1.
const (
	regPrimitive = 57
	regFacing    = 58
	regIndex     = 59 // of a vertex; for a fragment its pixel
	regVertex    = 60
	regInstance  = 61
	regPixel     = 59
	regCoverage  = 60
	regSample    = 61
	regDraw      = 62 // of a vertex
)

// positionBytes is the size of the record of a position: x, y, z in screen space, and 1/w.
const positionBytes = 16

// A setup is a draw that is ready to run. It implements draw.Shader; only its memory changes.
type setup struct {
	job    *drawJob
	space  *mem.Space
	stages [numStages]*stage
	span   uint64 // number of records of an instance
	engine exec.Engine
	limits exec.Limits

	watcher exec.Prober            // nil: none
	name    string                 // of the draw, for the watcher
	targets [draw.MaxTargets]uint8 // channels that the draw reads
}

// newSetup prepares the programs of a job, and memory for the records of its vertices.
func newSetup(j *drawJob, space *mem.Space, variant string, set launch.Settings) (*setup, error) {
	x := &setup{job: j, space: space, engine: set.Engine, limits: set.Limits, watcher: set.Watcher, span: uint64(j.count)}
	for _, i := range j.indices {
		x.span = max(x.span, uint64(i)+1)
	}
	var packets []packet
	for i, stride := range [...]uint64{positionBytes, uint64(j.stride)} {
		size := x.span * uint64(j.instances) * stride
		if i == stageVarying && !j.passes() || size == 0 {
			packets = append(packets, packet{})
			continue
		}
		if size > maxRecords {
			return nil, fmt.Errorf("valhall: records of %d vertices: %d bytes, at most %d", x.span*uint64(j.instances), size, maxRecords)
		}
		at := uint64(packetAddress) + uint64(i)*maxRecords
		packets = append(packets, packet{at, stride})
		if err := space.Add(mem.NewSegment("records of the "+stageNames[i], at, int(size), mem.ReadWrite)); err != nil {
			return nil, err
		}
	}
	for i, e := range [numStages]*environment{j.position, j.varying, j.fragment} {
		if e == nil {
			continue
		}
		var own []packet
		switch {
		case i == stagePosition && j.outputs != 0:
			own = packets
		case i != stageFragment:
			own = packets[i : i+1]
		}
		s, err := newStage(stageNames[i], e, space, own, variant, set.Programs)
		if err != nil {
			return nil, err
		}
		s.env.Policy, x.stages[i] = set.Policy, s
	}
	return x, nil
}

// maxRecords is the maximum size of all records in bytes.
const maxRecords = 1 << 28

// A shaderKey is what the program of a stage depends on: memory, where the code is, may be another in each draw.
type shaderKey struct {
	variant string
	base    uint64
	flush   bool
	code    string
}

func newStage(name string, e *environment, space *mem.Space, packets []packet, variant string, made *launch.Programs) (*stage, error) {
	set := valhall.Set()
	v, ok := set.Variant(variant)
	if !ok {
		return nil, fmt.Errorf("there is no valhall:%s", variant)
	}
	t := set.At(v, 0)
	if e.flush {
		var err error
		if t, err = t.With(t.Dialect, map[string]string{"subnormals": "flush"}); err != nil {
			return nil, err
		}
	}
	r := NewResources(space, t.Variant)
	r.packets = packets
	key := shaderKey{variant, e.binary, e.flush, string(e.code)}
	s := &stage{name: name, from: e, program: made.Of(key, &isa.Program{Target: t, Base: e.binary, Code: e.code})}
	s.env = exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}, Resources: exec.Resources{ImageOf: r.Of}}
	s.env.Kernel = name
	if d := e.storage; d != nil && d.field(0, 0, 5) != 0 {
		s.local = 16 << d.field(0, 0, 5)
		if s.local > maxLocal {
			return nil, fmt.Errorf("valhall: %s: %d bytes of memory per thread, at most %d", name, s.local, maxLocal)
		}
		s.env.Windows = []exec.Window{{Base: e.threadMemory(), Size: uint64(s.local), Space: ir.PrivateSpace}}
	}
	return s, nil
}

// maxLocal is the maximum size of a thread's memory in bytes.
const maxLocal = 1 << 20

// threadMemory returns the address of thread memory in the threads' address space.
func (e *environment) threadMemory() uint64 { return e.storage.pair(2) & (1<<48 - 1) }

func (s *stage) entry() ir.Key { return ir.Key{PC: s.from.binary} }

// begin initialises the empty state of a warp whose lanes below n are live.
func (s *stage) begin(st *exec.State, n int) {
	for i, w := range s.from.fau {
		st.Set(ir.Cell{File: valhall.FileU, Index: uint16(i)}, 0, w)
	}
	s.special(st, valhall.PagePointers, valhall.SpecialTable, s.from.resources)
	if s.local > 0 {
		s.special(st, valhall.PagePointers, valhall.SpecialTLS, s.from.threadMemory())
	}
	st.Start(s.from.binary, ^uint64(0)>>(64-n))
}

func (s *stage) special(st *exec.State, page, number int, v uint64) {
	st.Set(valhall.Special(page, number, 0), 0, uint32(v))
	st.Set(valhall.Special(page, number, 1), 0, uint32(v>>32))
}

// preload sets a register if it is in the mask.
func (s *stage) preload(st *exec.State, reg, lane int, v uint32) {
	if s.from.preload>>(reg-firstPreload)&1 != 0 {
		st.Set(ir.Cell{File: valhall.FileR, Index: uint16(reg)}, lane, v)
	}
}

func (x *setup) Lanes() (vertices, fragments int) { return valhall.Lanes, valhall.Lanes }

func (x *setup) NewRunner(ctx context.Context, _ int) draw.ShaderRunner { return x.newRunner(ctx) }

func (x *setup) newRunner(ctx context.Context) *runner {
	return &runner{x: x, meter: exec.NewMeter(ctx, x.limits)}
}

// A runner runs all stages, for one goroutine.
type runner struct {
	x     *setup
	meter *exec.Meter
	warps [numStages]warp
	count exec.Counters
	frags fragments
	stage draw.StageWave // for a watcher
}

// A warp is the state of a stage, created on first use.
type warp struct {
	runner exec.Runner
	st     *exec.State
	env    exec.Env
	watch  *draw.Watch // nil: there is no watcher
	code   *exec.Program
}

// begin starts a warp by init, which initialises an empty state.
func (r *runner) begin(w *warp, init func(st *exec.State)) error {
	if w.watch != nil {
		return w.watch.Begin(&r.stage, w.st, &w.env, func(st *exec.State, _ *exec.Env) { init(st) })
	}
	w.st.Reset()
	init(w.st)
	return nil
}

// warp returns the warp of a stage.
func (r *runner) warp(i int) (*stage, *warp, error) {
	s, w := r.x.stages[i], &r.warps[i]
	if w.st != nil {
		if s.local > 0 {
			clear(w.env.Private[0].Data)
		}
		w.env.Count = exec.Counters{}
		return s, w, nil
	}
	if r.x.engine == nil {
		return nil, nil, errors.New("valhall: no engine")
	}
	code, watch := s.program, (*draw.Watch)(nil)
	if r.x.watcher != nil {
		watch = r.x.watch(i)
		code = watch.Program
	}
	st, err := exec.NewState(code.Machine(), valhall.Lanes)
	if err != nil {
		return nil, nil, err
	}
	*w = warp{r.x.engine.NewRunner(code), st, s.env, watch, code}
	if s.local > 0 {
		p, err := mem.NewPrivate(mem.Extent{Size: uint64(s.local), Rights: mem.ReadWrite}, valhall.Lanes, 4)
		if err != nil {
			return nil, nil, err
		}
		p.Space = ir.PrivateSpace.String()
		w.env.Private = []*mem.Private{p}
	}
	return s, w, nil
}

// run runs a warp to its end.
func (r *runner) run(i int, w *warp) error {
	defer func() { r.count.Add(&w.env.Count) }()
	for {
		switch stop := r.meter.Run(w.runner, w.code.Code, w.st, &w.env, exec.Budget{}); stop.Reason {
		case exec.StopEnd:
			if w.watch != nil {
				w.watch.End(w.st, &w.env, r.outputs(i))
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

func (r *runner) Count() exec.Counters { return r.count }

// record returns the index of a vertex's records.
func (x *setup) record(v *draw.VertexIn) uint64 { return uint64(v.Instance)*x.span + uint64(v.Index) }

// words reads the record that a stage has written for a vertex.
func (x *setup) words(i int, v *draw.VertexIn, bytes int) ([]uint32, error) {
	return readWords(x.space, "record of a vertex", packetAddress+uint64(i)*maxRecords+x.record(v)*uint64(bytes), bytes/4)
}

// Vertices implements draw.ShaderRunner. Each vertex passes its 1/w, then the record of attributes, to the fragments.
func (r *runner) Vertices(in []draw.VertexIn, out []draw.Vertex) error {
	r.stage = draw.StageWave{Draw: r.x.name, Vertices: in}
	for i := range [...]int{stagePosition, stageVarying} {
		if r.x.stages[i] == nil {
			continue
		}
		s, w, err := r.warp(i)
		if err != nil {
			return err
		}
		if err := r.begin(w, func(st *exec.State) { r.x.beginVertices(s, st, in) }); err != nil {
			return err
		}
		if err := r.run(i, w); err != nil {
			return err
		}
	}
	for i := range out {
		p, err := r.x.words(stagePosition, &in[i], positionBytes)
		if err != nil {
			return err
		}
		out[i] = draw.Vertex{Params: []uint32{p[3]}, Position: r.x.job.clip(p)}
		if !r.x.job.passes() || r.x.job.stride < 4 {
			continue
		}
		w, err := r.x.words(stageVarying, &in[i], r.x.job.stride&^3)
		if err != nil {
			return err
		}
		out[i].Params = append(out[i].Params, w...)
	}
	return nil
}

// beginVertices initialises the empty state of a warp of vertices.
func (x *setup) beginVertices(s *stage, st *exec.State, in []draw.VertexIn) {
	s.begin(st, len(in))
	s.special(st, valhall.PageIdentity, valhall.SpecialOutput, uint64(x.job.outputs))
	for lane := range in {
		v := &in[lane]
		s.preload(st, regIndex, lane, uint32(x.record(v)))
		s.preload(st, regVertex, lane, v.Index+x.job.base)
		s.preload(st, regInstance, lane, v.Instance)
		if id := x.job.drawID; id != nil {
			s.preload(st, regDraw, lane, *id)
		}
	}
}

// clip converts a position in screen space, with 1/w, back to clip space, where the draw clips it.
func (j *drawJob) clip(p []uint32) (v draw.Vec4) {
	w := 1 / float64(math.Float32frombits(p[3]))
	near, far := float64(j.near), float64(j.far)
	for i := range 3 {
		x := float64(math.Float32frombits(p[i]))
		if i == 2 && near != far {
			x = (x - near) / (far - near)
		}
		v[i] = float32(x * w)
	}
	v[3] = float32(w)
	return v
}
