package draw

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// A Shader is the two programs of a draw. Package draw knows only their inputs and outputs.
type Shader interface {
	// Lanes returns the number of vertices, and of fragments (a multiple of 4), that run at a time.
	Lanes() (vertices, fragments int)
	// NewRunner makes a runner for one goroutine. waves is the approximate number of waves to come, for all
	// runners.
	NewRunner(ctx context.Context, waves int) ShaderRunner
}

// A ShaderRunner runs programs over the given lanes, at most the number of Lanes.
type ShaderRunner interface {
	Vertices(in []VertexIn, out []Vertex) error
	// Fragments runs a wave. The data that out points to may change with the next run.
	Fragments(in *Wave, out *WaveOut) error
	Count() exec.Counters
}

// A BatchRunner is a ShaderRunner that runs several waves of fragments in one call.
type BatchRunner interface {
	ShaderRunner
	// BatchSize is the number of waves that should be begun before they run, at most MaxBatch.
	BatchSize() int
	// Begin accepts a wave, one of at most MaxBatch. It reads all that it needs of the wave before it returns.
	Begin(in *Wave) error
	// Finish runs the waves that have been begun, in order, up to the first that has an error. n is the number that
	// have completed; out refers to their results, valid until the next Begin.
	Finish(out []WaveOut) (n int, err error)
}

// MaxBatch is the maximum number of waves that run together: their data must fit into the first-level cache.
const MaxBatch = 4

// A VertexIn is the input of a vertex.
type VertexIn struct {
	Index    uint32
	Instance uint32
	Attr     [Varyings]Vec4
}

// A Vertex is the output of a vertex program.
type Vertex struct {
	Position Vec4 // in clip space
	Out      [Varyings]Vec4
	Params   []uint32 // interpolated by fragment programs themselves; the draw passes it on

	weight [3]float64 // weights of the triangle's vertices, in clip space
}

// A Fragment is the input of a lane of a wave.
type Fragment struct {
	X, Y    int
	Covered bool    // false: a helper lane, for its neighbours' derivatives
	Front   bool    // of the triangle
	Depth   float32 // in the window
	InvW    float32 // 1/w, linear in the window
	Area    float32 // of the triangle in pixels, negative if clockwise

	tri  *triangle
	call *Call
	outs *outs
	p    [2]float32 // weights of the triangle's second and third corner in varyings

	// Only in draws with Weights: the weights of the triangle's second and third vertex, with perspective and
	// linear in the window, and the outputs of the three vertices, of which the first is the flat value.
	Persp, Linear [2]float32
	Params        *[3][]uint32
}

// A FragmentOut is the output of a fragment program.
type FragmentOut struct {
	Color    Vec4
	Depth    float32 // replaces the fragment's if HasDepth
	HasDepth bool
	Killed   bool
	// Out is the colours by target of the canvas, if it has any; bit i of Written for target i.
	Out     *[MaxTargets]Pixel
	Written uint8
}

// Stages is what an instruction set defines about the stages of a draw: where programs find their inputs and leave
// their outputs. Its methods must be safe for concurrent use.
//
// Initialisation of a wave must set the same cells in every wave, in all its lanes, with fixed values in lanes
// beyond those that it is given. Cells that neither it nor the program writes stay 0.
type Stages interface {
	// Lanes returns the width of the waves of both stages; a program may be nil, if a draw has none.
	Lanes(vertex, fragment *Stage) (vertices, fragments int)
	InitVertices(st *exec.State, env *exec.Env, in []VertexIn)
	// VerticesOut fills in the empty outputs of vertices: their positions, and the varyings of used, bit i for slot
	// i.
	VerticesOut(st *exec.State, env *exec.Env, out []Vertex, used uint32)
	InitFragments(st *exec.State, env *exec.Env, in *Wave)
	// FragmentsOut fills in the outputs of fragments. See WaveOut.Keep for when it can be skipped.
	FragmentsOut(st *exec.State, env *exec.Env, out *WaveOut)
}

// LiveOut is the cells that VerticesOut and FragmentsOut read; nil: any, or the initialisation of a wave sets its
// mode.
type LiveOut struct{ Vertices, Fragments []ir.Cell }

// Cells returns n cells of a file, starting at from.
func Cells(file uint8, from, n int) (cells []ir.Cell) {
	for i := range n {
		cells = append(cells, ir.Cell{File: file, Index: uint16(from + i)})
	}
	return cells
}

// A Stage is one program of a draw and its environment.
type Stage struct {
	Name    string // for reports
	Program *exec.Program
	Entry   ir.Key
	Env     exec.Env // constants, textures
}

// WaveShader runs both programs in waves on an engine.
type WaveShader struct {
	Stages           Stages
	LiveOut          LiveOut
	Vertex, Fragment Stage
	Engine           exec.Engine
	Limits           exec.Limits
	Counted          bool        // counters must be exact, even if that is slower
	KeepDepth        bool        // the depth output of a fragment program is ignored
	Given            bool        // see [Graphics.Given]
	Name             string      // of the draw, for what a watcher reports
	Watcher          exec.Prober // nil: none. With one, a draw must have one worker
	// Used are the varyings that fragments read, as [Call.Used] says, and Reads their components, for a watcher.
	Used  uint32
	Reads Components

	once  sync.Once
	lanes [2]int

	residues [2]atomic.Pointer[exec.Residue] // by stage
}

// Lanes returns the width of the waves of both stages; 0 without Stages, which is an invalid draw. It is computed
// on first use.
func (s *WaveShader) Lanes() (vertices, fragments int) {
	if s.Stages == nil {
		return 0, 0
	}
	s.once.Do(func() { s.lanes[0], s.lanes[1] = s.Stages.Lanes(&s.Vertex, &s.Fragment) })
	return s.lanes[0], s.lanes[1]
}

// manyWaves is the number of waves from which compiling faster code at once pays.
const manyWaves = 100

// NewRunner makes a runner for one goroutine. Limits apply to each runner.
func (s *WaveShader) NewRunner(ctx context.Context, waves int) ShaderRunner {
	r := &waveRunner{s: s, meter: exec.NewMeter(ctx, s.Limits), engine: s.Engine}
	if waves >= manyWaves && s.Engine != nil {
		r.engine = exec.Eager(s.Engine)
	}
	return r
}

// A waveRunner holds what the stages need to run, made on first use.
type waveRunner struct {
	s        *WaveShader
	engine   exec.Engine
	meter    *exec.Meter
	vertex   stageRun
	fragment [MaxBatch]stageRun
	crew     exec.GroupRunner        // the runner of fragments, if it is a GroupRunner
	turns    [MaxBatch]exec.WaveTurn // of fragments
	begun    int                     // of these
	marks    uint64                  // instructions of waves before their state was initialised again
	watched  StageWave               // the wave under way, for a watcher
}

// A stageRun is what a wave of a stage needs to run. Waves of fragments share a runner.
type stageRun struct {
	runner  exec.Runner
	st      *exec.State
	residue *exec.Residue // nil or invalid: not computed yet
	env     exec.Env      // its counters are for all waves, except instructions: limits are per wave
	moded   bool          // the machine has a mode cell
	watch   *Watch        // nil: there is no watcher
}

// program returns what a stage runs.
func (run *stageRun) program(stage *Stage) *exec.Program {
	if run.watch != nil {
		return run.watch.Program
	}
	return stage.Program
}

// begin initialises the state of a stage, with the first n lanes live, for vertices, or else for a wave of fragments.
func (r *waveRunner) begin(run *stageRun, stage *Stage, n int, vertices []VertexIn, wave *Wave) error {
	if run.st == nil {
		if err := r.prepare(run, stage); err != nil {
			return err
		}
	}
	r.marks += run.env.Count.Instructions
	run.env.Count.Instructions = 0
	if run.watch != nil {
		r.watched.Draw, r.watched.Vertices, r.watched.Wave = r.s.Name, vertices, wave
		return run.watch.Begin(&r.watched, run.st, &run.env, func(st *exec.State, env *exec.Env) {
			st.Start(stage.Entry.PC, ^uint64(0)>>(64-n))
			r.enter(run, st, env, vertices, wave)
		})
	}
	r.start(run, stage, ^uint64(0)>>(64-n))
	r.enter(run, run.st, &run.env, vertices, wave)
	return nil
}

// enter sets the inputs of a wave, and makes it continue under the mode that is set then.
func (r *waveRunner) enter(run *stageRun, st *exec.State, env *exec.Env, vertices []VertexIn, wave *Wave) {
	if wave == nil {
		r.s.Stages.InitVertices(st, env, vertices)
	} else {
		r.s.Stages.InitFragments(st, env, wave)
	}
	if run.moded {
		st.Goto(st.At.Key.PC)
	}
}

// prepare makes what a wave of a stage needs to run.
func (r *waveRunner) prepare(run *stageRun, stage *Stage) error {
	switch {
	case r.engine == nil:
		return errors.New("draw: no engine")
	case stage.Program == nil || stage.Program.Code == nil:
		return fmt.Errorf("draw: program %q: there is none", stage.Name)
	}
	vertices, fragments := r.s.Lanes()
	lanes := vertices
	if stage == &r.s.Fragment {
		lanes = fragments
	}
	if r.s.Watcher != nil {
		run.watch = NewWatch(r.s.Watcher, stage.Name, stage.Program, stage.Entry, stage.Env.Windows, r.readAtEnd(stage), nil)
		if s, ok := r.s.Stages.(Reader); ok && stage == &r.s.Vertex {
			run.watch.Empty(s.VertexMemory())
		} else if ok {
			r.watched.Read = func(slot uint32, k int) uint32 { return s.Wants(slot, k, r.watched.Wave.Channels(), !r.s.KeepDepth) }
		}
	}
	program := run.program(stage)
	first := &r.fragment[0]
	if stage == &r.s.Fragment && first.st != nil {
		run.st = first.st.Layout.NewState()
	} else {
		st, err := exec.NewState(program.Machine(), lanes)
		if err != nil {
			return fmt.Errorf("draw: program %s: %w", stage.Name, err)
		}
		run.st = st
	}
	run.moded = stage.Program.Machine().ModeMask != 0
	run.env = stage.Env
	run.env.Kernel, run.env.Count = stage.Name, exec.Counters{}
	if live := r.liveOut(stage); live != nil && run.env.Probes == nil && run.watch == nil {
		run.env.LiveOut = stage.Program.LiveOut(stage.Entry, live...)
	}
	if stage == &r.s.Fragment && first.runner != nil {
		run.runner = first.runner
		return nil
	}
	run.runner = r.engine.NewRunner(program)
	if stage == &r.s.Fragment {
		r.crew, _ = run.runner.(exec.GroupRunner)
	}
	return nil
}

// liveOut returns the cells of which a stage's output is read; nil: any.
func (r *waveRunner) liveOut(stage *Stage) []ir.Cell {
	if stage == &r.s.Fragment {
		return r.s.LiveOut.Fragments
	}
	return r.s.LiveOut.Vertices
}

// start initialises the state for programs that begin with these lanes.
func (r *waveRunner) start(run *stageRun, stage *Stage, lanes uint64) {
	if x := run.residue; x != nil && x.Valid(stage.Program) {
		run.st.StartAfter(x, stage.Entry.PC, lanes)
		return
	}
	run.st.ResetAfter(stage.Program)
	run.st.Start(stage.Entry.PC, lanes)
	live, known := r.liveOut(stage), &r.s.residues[0]
	if stage == &r.s.Fragment {
		known = &r.s.residues[1]
	}
	if live == nil {
		return
	}
	if run.residue = known.Load(); run.residue != nil && run.residue.Valid(stage.Program) {
		return
	}
	cells := pass.NewCellSet(stage.Program.Machine())
	for _, c := range live {
		cells.Add(pass.Span{Cell: c, Count: 1})
	}
	run.residue = stage.Program.Residue(stage.Entry, cells)
	known.Store(run.residue)
}

// run runs a stage to its end.
func (r *waveRunner) run(run *stageRun, stage *Stage) error {
	for {
		stop := r.meter.Run(run.runner, run.program(stage).Code, run.st, &run.env, exec.Budget{Counted: r.s.Counted})
		if over, err := stopped(&stop); over {
			if run.watch != nil && stop.Fault != nil {
				run.watch.Fault(run.st, &run.env, stop.Fault)
			}
			return err
		}
	}
}

// stopped reports whether a wave has ended. The error is its fault.
func stopped(stop *exec.Stop) (over bool, err error) {
	switch stop.Reason {
	case exec.StopEnd:
		return true, nil
	case exec.StopFault:
		return true, stop.Fault
	}
	return false, nil
}

func (r *waveRunner) Vertices(in []VertexIn, out []Vertex) error {
	run, stage := &r.vertex, &r.s.Vertex
	if err := r.begin(run, stage, len(in), in, nil); err != nil {
		return err
	}
	if err := r.run(run, stage); err != nil {
		return err
	}
	if run.watch != nil {
		run.watch.End(run.st, &run.env, r.vertexOutputs(len(in)))
	}
	r.s.Stages.VerticesOut(run.st, &run.env, out, usedOr(r.s.Used))
	return nil
}

func (r *waveRunner) Fragments(in *Wave, out *WaveOut) error {
	if err := r.Begin(in); err != nil {
		return err
	}
	r.begun = 0
	run := &r.fragment[0]
	if err := r.run(run, &r.s.Fragment); err != nil {
		return err
	}
	r.leave(run, out)
	return nil
}

// BatchSize implements BatchRunner. It does not depend on the engine, so that if a wave fails what has been drawn is
// the same.
func (r *waveRunner) BatchSize() int {
	if !r.s.Given || r.s.Fragment.Env.Probes != nil || r.s.Watcher != nil {
		return 1
	}
	return MaxBatch
}

// Begin implements BatchRunner.
func (r *waveRunner) Begin(in *Wave) error {
	run := &r.fragment[r.begun]
	if err := r.begin(run, &r.s.Fragment, in.Lanes, nil, in); err != nil {
		r.begun = 0
		return err
	}
	if t := &r.turns[r.begun]; t.State == nil {
		t.State, t.Env = run.st, &run.env
	}
	r.begun++
	return nil
}

// Finish implements BatchRunner.
func (r *waveRunner) Finish(out []WaveOut) (n int, err error) {
	turns, ran := r.turns[:r.begun], 0
	r.begun = 0
	if r.crew != nil {
		ran = r.meter.RunAll(r.crew, turns, exec.Budget{Counted: r.s.Counted})
	}
	for i := range turns {
		run, over := &r.fragment[i], false
		if i < ran {
			over, err = stopped(&turns[i].Stop)
		}
		if !over {
			err = r.run(run, &r.s.Fragment)
		}
		if err != nil {
			return i, err
		}
		r.leave(run, &out[i])
	}
	return len(turns), nil
}

// leave collects the outputs of a wave of fragments.
func (r *waveRunner) leave(run *stageRun, out *WaveOut) {
	if !out.keeps(run.st) {
		r.s.Stages.FragmentsOut(run.st, &run.env, out)
		if r.s.KeepDepth {
			out.HasDepth = 0
		}
	}
	if run.watch != nil {
		run.watch.End(run.st, &run.env, r.fragmentOutputs(out.Killed))
	}
}

func (r *waveRunner) Count() exec.Counters {
	count := r.vertex.env.Count
	for i := range r.fragment {
		count.Add(&r.fragment[i].env.Count)
	}
	count.Instructions += r.marks
	return count
}
