package check

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A frameWatch watches the runs of a program of a frame. It implements exec.Stage.
type frameWatch struct {
	*draw.Watch
	name     string // of the frame
	outputs  []exec.OutputRead
	fragment bool
	run      *casefile.FrameRun
	number   int // of run
}

// watch makes what the checks of the sanitizer need. A picture is made of the position of vertices, of what all
// fragment programs of the frame read, and of the red, green and blue of fragments.
func (p *frameProgram) watch(t *frame, i int, w exec.Prober) error {
	graphics := platforms.Graphics(t.ISA)
	var reader draw.Reader
	if graphics != nil {
		reader, _ = graphics.Stages.(draw.Reader)
	}
	if reader == nil {
		return fmt.Errorf("%s: the sanitizer does not know what a draw reads", t.ISA)
	}
	x := &frameWatch{name: t.Name, fragment: t.Programs[i].Stage == "fragment"}
	if x.fragment {
		x.outputs = reader.FragmentOutputs(7, false)
	} else {
		read := draw.AllComponents
		for k := range t.Programs {
			if f := &t.Programs[k]; f.Stage == "fragment" {
				also := graphics.Reads(f.Code)
				for n := range read {
					read[n] &= also[n]
				}
			}
		}
		read[0] = 15
		x.outputs = reader.VertexOutputs(&read, 1)
	}
	wave := &p.k.Waves[0]
	if t.Sanitize&sanitize.CheckMemory != 0 {
		wave.Env.Policy = exec.RecordFaults
	}
	name := fmt.Sprintf("%s %d", t.Programs[i].Stage, i)
	x.Watch = draw.NewWatch(w, name, p.program, ir.Key{}, wave.Env.Windows, draw.CellsOf(x.outputs), nil)
	p.program, p.watched = x.Program, x
	st, err := exec.NewState(p.program.Machine(), wave.State.Lanes)
	wave.State, wave.Env.Kernel = st, name
	return err
}

// begin starts a run.
func (p *frameProgram) begin(run *casefile.FrameRun, number int) (err error) {
	w := &p.k.Waves[0]
	if x := p.watched; x != nil {
		x.run, x.number = run, number
		failed := x.Begin(x, w.State, &w.Env, func(st *exec.State, _ *exec.Env) {
			if e := p.enter(st, run.In); e != nil {
				err = e
			}
		})
		if err == nil {
			err = failed
		}
		return err
	}
	w.State.ResetFor(p.program)
	return p.enter(w.State, run.In)
}

// faulted tells what counts that a run has ended by a fault.
func (p *frameProgram) faulted(err error) {
	var f *exec.Fault
	if w := &p.k.Waves[0]; errors.As(err, &f) {
		p.watched.Fault(w.State, &w.Env, f)
	}
}

// end tells the checks that a run has ended.
func (p *frameProgram) end(run *casefile.FrameRun) {
	x, w := p.watched, &p.k.Waves[0]
	if x == nil {
		return
	}
	x.End(w.State, &w.Env, p.reads(run))
}

// reads returns what a picture needs of a run that has ended.
func (p *frameProgram) reads(run *casefile.FrameRun) []exec.OutputRead {
	x := p.watched
	list := slices.Clone(x.outputs)
	if x.fragment {
		covered, killed := uint64(0), uint64(0)
		for lane := range run.In {
			if lane < len(run.Covered) && run.Covered[lane] {
				covered |= 1 << lane
			}
			if v, err := p.get(p.platform.Captures.Killed, lane); err == nil && v != 0 {
				killed |= 1 << lane
			}
		}
		for i := range list {
			list[i].Lanes = covered &^ killed
		}
	}
	return list
}

// Item implements exec.Stage. Runs have their numbers in the frame.
func (x *frameWatch) Item(lane int) exec.Item {
	i := exec.Item{Draw: x.name, Fragment: x.fragment, Vertex: x.number, Primitive: -1}
	if at, ok := x.run.In[min(lane, len(x.run.In)-1)][frameWhere]; ok && x.fragment {
		i.X, i.Y = int(math.Float32frombits(at[0])), int(math.Float32frombits(at[1]))
	}
	return i
}

// Wants implements exec.Stage.
func (x *frameWatch) Wants(int, uint32, int) uint32 { return ^uint32(0) }
