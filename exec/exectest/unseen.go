package exectest

import (
	"math/rand/v2"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// unseen says how the engine differs from the oracle where nobody looks at registers but the instructions; "" if it does not. Some of the turns are
// the oracle's, which reads what the engine has left; after each turn the cells that are still read are those of a wave of the oracle alone.
func (w *Wave) unseen(e, oracle exec.Engine, r *rand.Rand) string {
	t := &tale{st: w.Start.Snapshot(), env: w.World.Env()}
	t.env.Unseen = true
	p := exec.NewProgram(w.Code)
	runs := []exec.Runner{e.NewRunner(p), e.NewRunner(p), oracle.NewRunner(p)}
	for turn := uint64(0); !t.over() && t.marks < w.Marks && turn < w.Marks; turn++ {
		b := exec.Budget{Counted: true, Yields: true, Steps: 1 + r.Uint64N(1<<r.IntN(12))}
		t.turn(runs[r.IntN(len(runs))].Run(t.st, t.env, b), true)
	}
	t.left = w.World.Left()
	want := w.exactly(t, []exec.Engine{oracle}, true, nil)
	w.spare(p, want.st, t)
	return want.diff(t, true)
}

// spare gives the state of a tale the contents of another in the cells, and lanes of them, that nobody reads any more.
func (w *Wave) spare(p *exec.Program, want *exec.State, t *tale) {
	live := pass.NewLiveSet(pass.NewCellSet(p.Machine()))
	switch {
	case t.over():
		t.st.Exec = want.Exec
	case t.st.At.Mark != 0 || t.st.At != want.At:
		return // nothing is spared
	default:
		g, err := p.Graph(t.st.At.Key)
		if err != nil {
			return
		}
		live = pass.Live(g, pass.KeepEnd, pass.NewCellSet(g.M)).In[g.At[t.st.At.Key]]
	}
	Spare(t.st, want, want.Exec, &live)
}

// Spare gives a state the contents of another in the cells, and lanes of them, that are not live; exec is the lanes that run.
func Spare(to, from *exec.State, exec uint64, live *pass.LiveSet) {
	for f, file := range to.Machine.Files {
		for i := range file.Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			for lane := range to.Lanes {
				set := &live.Inactive
				if exec>>lane&1 != 0 {
					set = &live.Active
				}
				if !set.Has(c) {
					to.Set(c, lane, from.Get(c, lane))
				}
			}
		}
	}
}
