package draw

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// A Shader is the two programs of a draw. Package draw knows of them only what goes in and what comes out.
type Shader interface {
	// Lanes is how many vertices, and how many fragments (a multiple of 4), run at a time.
	Lanes() (vertices, fragments int)
	// NewRunner makes a runner for the use of one goroutine. About so many waves are to come, for it and others.
	NewRunner(ctx context.Context, waves int) ShaderRunner
}

// A ShaderRunner runs programs over the lanes that it is given, at most as many as Lanes says.
type ShaderRunner interface {
	Vertices(in []VertexIn, out []Vertex) error
	// Fragments runs a wave. What it points out to may change with the next run.
	Fragments(in *Wave, out *Shots) error
	Count() exec.Counters
}

// A ShaderCrew is a ShaderRunner that runs several waves of fragments in one go.
type ShaderCrew interface {
	ShaderRunner
	// Together is how many are best begun before they run, at most MostTogether.
	Together() int
	// Begin takes a wave over, one of at most MostTogether: what is asked of it is asked before Begin returns.
	Begin(in *Wave) error
	// Finish runs the waves that have been begun, in their order, up to the first that has an error: so many have run to their ends, and
	// have left what out says until others begin.
	Finish(out []Shots) (n int, err error)
}

// MostTogether is how many waves are run together at the most: what they hold has to fit into a cache of the first level.
const MostTogether = 4

// A VertexIn is what a vertex begins with.
type VertexIn struct {
	Index    uint32
	Instance uint32
	Attr     [Varyings]Vec4
}

// A Vertex is what a vertex program leaves.
type Vertex struct {
	Position Vec4 // in clip space
	Out      [Varyings]Vec4
	Params   []uint32 // what fragment programs interpolate themselves; the draw hands it on

	weight [3]float64 // shares of the triangle's vertices, in clip space
}

// A Fragment is what a lane of a wave begins with.
type Fragment struct {
	X, Y    int
	Covered bool    // false: a helper, which lives for its neighbours' derivatives
	Front   bool    // of the triangle
	Depth   float32 // in the window
	InvW    float32 // 1/w, linear in the window
	Area    float32 // of the triangle in pixels, negative if clockwise

	tri  *triangle
	call *Call
	outs *outs
	p    [2]float32 // shares of the triangle's second and third corner in varyings

	// Of draws with Weights: the shares of the triangle's second and third vertex, with perspective and linear in the
	// window, and what the three vertices left, the first of which stands for all where a value is flat.
	Persp, Linear [2]float32
	Params        *[3][]uint32
}

// A Shot is what a fragment program leaves.
type Shot struct {
	Color    Vec4
	Depth    float32 // replaces the fragment's if HasDepth
	HasDepth bool
	Killed   bool
	// Out is the colours by target of the canvas, if it has any, bit i of Written for target i.
	Out     *[MaxTargets]Pixel
	Written uint8
}

// Stages is what an instruction set says about the stages of a draw: where programs find their
// inputs and leave their outputs. Its methods are called by several goroutines.
//
// What begins a wave sets the same cells in every wave, in all its lanes: beyond those that it is given, to anything that is always
// the same. Cells that neither it nor the program writes stay 0.
type Stages interface {
	// Lanes is the width of the waves of both stages; a program may be nil, where a draw has none.
	Lanes(vertex, fragment *Stage) (vertices, fragments int)
	InitVertices(st *exec.State, env *exec.Env, in []VertexIn)
	// VerticesOut fills in what vertices leave that are still empty: their positions, and the varyings of used, bit i for slot i.
	VerticesOut(st *exec.State, env *exec.Env, out []Vertex, used uint32)
	InitFragments(st *exec.State, env *exec.Env, in *Wave)
	// FragmentsOut fills in what fragments leave. See Shots.Keep for when it need not.
	FragmentsOut(st *exec.State, env *exec.Env, out *Shots)
}

// A Left is the cells that VerticesOut and FragmentsOut read; nil: any, or what begins a wave sets its mode.
type Left struct{ Vertices, Fragments []ir.Cell }

// Cells are n cells of a file from one on.
func Cells(file uint8, from, n int) (cells []ir.Cell) {
	for i := range n {
		cells = append(cells, ir.Cell{File: file, Index: uint16(from + i)})
	}
	return cells
}

// A Stage is one program of a draw and what it reaches.
type Stage struct {
	Name    string // for reports
	Program *exec.Program
	Entry   ir.Key
	Env     exec.Env // constants, textures
}

// WaveShader runs both programs in waves on an engine.
type WaveShader struct {
	Stages           Stages
	Left             Left
	Vertex, Fragment Stage
	Engine           exec.Engine
	Limits           exec.Limits
	Counted          bool // counters are exact, even if that is slower
	KeepDepth        bool // the depth that a fragment program leaves is dropped
	Given            bool // see [Graphics.Given]
	// Used are the varyings that fragments read, as [Call.Used] says.
	Used uint32

	once  sync.Once
	lanes [2]int

	residues [2]atomic.Pointer[exec.Residue] // by stage
}

// Lanes is the width of the waves of both stages; 0 without Stages, which no draw takes. It is found when it is first asked for.
func (s *WaveShader) Lanes() (vertices, fragments int) {
	if s.Stages == nil {
		return 0, 0
	}
	s.once.Do(func() { s.lanes[0], s.lanes[1] = s.Stages.Lanes(&s.Vertex, &s.Fragment) })
	return s.lanes[0], s.lanes[1]
}

// manyWaves is from how many on code that is faster is worth making at once.
const manyWaves = 100

// NewRunner makes a runner for the use of one goroutine. Limits hold for each runner.
func (s *WaveShader) NewRunner(ctx context.Context, waves int) ShaderRunner {
	r := &waveRunner{s: s, meter: exec.NewMeter(ctx, s.Limits), engine: s.Engine}
	if waves >= manyWaves && s.Engine != nil {
		r.engine = exec.Eager(s.Engine)
	}
	return r
}

// A waveRunner keeps what the stages run with, made when it is needed.
type waveRunner struct {
	s        *WaveShader
	engine   exec.Engine
	meter    *exec.Meter
	vertex   stageRun
	fragment [MostTogether]stageRun
	crew     exec.Crew               // the runner of fragments, if it is one
	turns    [MostTogether]exec.Turn // of fragments
	begun    int                     // of these
	marks    uint64                  // instructions of waves that have begun their state anew
}

// A stageRun is what a wave of a stage runs with. Those of fragments share a runner.
type stageRun struct {
	runner  exec.Runner
	st      *exec.State
	residue *exec.Residue // nil, or one that does not hold: not found yet
	env     exec.Env      // it counts for all waves, but for instructions: limits are for those of one
	moded   bool          // the machine has a mode cell
}

// begin makes the state of a stage fresh, with the first n lanes alive.
func (r *waveRunner) begin(run *stageRun, stage *Stage, n int) error {
	if run.st == nil {
		if err := r.prepare(run, stage); err != nil {
			return err
		}
	}
	r.start(run, stage, ^uint64(0)>>(64-n))
	r.marks += run.env.Count.Instructions
	run.env.Count.Instructions = 0
	return nil
}

// prepare makes what a wave of a stage runs with.
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
	first := &r.fragment[0]
	if stage == &r.s.Fragment && first.st != nil {
		run.st = first.st.Layout.NewState()
	} else {
		st, err := exec.NewState(stage.Program.Machine(), lanes)
		if err != nil {
			return fmt.Errorf("draw: program %s: %w", stage.Name, err)
		}
		run.st = st
	}
	run.moded = stage.Program.Machine().ModeMask != 0
	run.env = stage.Env
	run.env.Kernel, run.env.Count = stage.Name, exec.Counters{}
	if left := r.left(stage); left != nil && run.env.Probes == nil {
		run.env.Unseen = stage.Program.Unseen(stage.Entry, left...)
	}
	if stage == &r.s.Fragment && first.runner != nil {
		run.runner = first.runner
		return nil
	}
	run.runner = r.engine.NewRunner(stage.Program)
	if stage == &r.s.Fragment {
		r.crew, _ = run.runner.(exec.Crew)
	}
	return nil
}

// left are the cells of which a stage leaves something; nil: it may be any.
func (r *waveRunner) left(stage *Stage) []ir.Cell {
	if stage == &r.s.Fragment {
		return r.s.Left.Fragments
	}
	return r.s.Left.Vertices
}

// start makes of the state what programs expect that begin with these lanes.
func (r *waveRunner) start(run *stageRun, stage *Stage, lanes uint64) {
	if x := run.residue; x != nil && x.Holds(stage.Program) {
		run.st.StartAfter(x, stage.Entry.PC, lanes)
		return
	}
	run.st.ResetAfter(stage.Program)
	run.st.Start(stage.Entry.PC, lanes)
	left, known := r.left(stage), &r.s.residues[0]
	if stage == &r.s.Fragment {
		known = &r.s.residues[1]
	}
	if left == nil {
		return
	}
	if run.residue = known.Load(); run.residue != nil && run.residue.Holds(stage.Program) {
		return
	}
	cells := pass.NewCellSet(stage.Program.Machine())
	for _, c := range left {
		cells.Add(pass.Span{Cell: c, Count: 1})
	}
	run.residue = stage.Program.Residue(stage.Entry, cells)
	known.Store(run.residue)
}

// run runs a stage to its end.
func (r *waveRunner) run(run *stageRun, stage *Stage) error {
	for {
		stop := r.meter.Run(run.runner, stage.Program.Code, run.st, &run.env, exec.Budget{Counted: r.s.Counted})
		if over, err := stopped(&stop); over {
			return err
		}
	}
}

// stopped is whether a wave is over. The error is its fault.
func stopped(stop *exec.Stop) (over bool, err error) {
	switch stop.Reason {
	case exec.StopEnd:
		return true, nil
	case exec.StopFault:
		return true, stop.Fault
	}
	return false, nil
}

// enter lets the wave go on under the mode that is set now.
func (run *stageRun) enter() {
	if run.moded {
		run.st.Goto(run.st.At.Key.PC)
	}
}

func (r *waveRunner) Vertices(in []VertexIn, out []Vertex) error {
	run, stage := &r.vertex, &r.s.Vertex
	if err := r.begin(run, stage, len(in)); err != nil {
		return err
	}
	r.s.Stages.InitVertices(run.st, &run.env, in)
	run.enter()
	if err := r.run(run, stage); err != nil {
		return err
	}
	r.s.Stages.VerticesOut(run.st, &run.env, out, usedOr(r.s.Used))
	return nil
}

func (r *waveRunner) Fragments(in *Wave, out *Shots) error {
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

// Together implements ShaderCrew. It does not depend on the engine: where a wave fails, what has been drawn is the same.
func (r *waveRunner) Together() int {
	if !r.s.Given || r.s.Fragment.Env.Probes != nil {
		return 1
	}
	return MostTogether
}

// Begin implements ShaderCrew.
func (r *waveRunner) Begin(in *Wave) error {
	run := &r.fragment[r.begun]
	if err := r.begin(run, &r.s.Fragment, in.Lanes); err != nil {
		r.begun = 0
		return err
	}
	r.s.Stages.InitFragments(run.st, &run.env, in)
	run.enter()
	if t := &r.turns[r.begun]; t.State == nil {
		t.State, t.Env = run.st, &run.env
	}
	r.begun++
	return nil
}

// Finish implements ShaderCrew.
func (r *waveRunner) Finish(out []Shots) (n int, err error) {
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

// leave takes over what a wave of fragments has left.
func (r *waveRunner) leave(run *stageRun, out *Shots) {
	if out.keeps(run.st) {
		return
	}
	r.s.Stages.FragmentsOut(run.st, &run.env, out)
	if r.s.KeepDepth {
		out.HasDepth = 0
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
