package exectest

import (
	"math/rand/v2"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// unseen compares the engine with the oracle for waves whose registers are dead at exit, perhaps except some; "" if
// they agree. Some of the slices run on the oracle, which reads what the engine has left. After each slice the live
// cells must be those of a run of the oracle alone.
func (w *Wave) unseen(e, oracle exec.Engine, r *rand.Rand) string {
	w = w.begun()
	t := &tale{st: w.Start.Snapshot(), env: w.World.Env()}
	p := exec.NewProgram(w.Code)
	t.env.LiveOut = p.LiveOut(t.st.At.Key, someCells(p.Machine(), r)...)
	runs := []exec.Runner{e.NewRunner(p), e.NewRunner(p), oracle.NewRunner(p)}
	for turn := uint64(0); !t.over() && t.marks < w.Marks && turn < w.Marks; turn++ {
		b := exec.Budget{Counted: true, Yields: true, Steps: 1 + r.Uint64N(1<<r.IntN(12))}
		t.turn(runs[r.IntN(len(runs))].Run(t.st, t.env, b), true)
	}
	t.left = w.World.Left()
	want := w.exactly(t, []exec.Engine{oracle}, true, nil)
	w.spare(want.st, t)
	return want.diff(t, true)
}

// begun returns a wave all of whose lanes begin together: the given one, or one started in its place.
func (w *Wave) begun() *Wave {
	if w.Start.At.Mark == 0 && !w.Start.Diverged() {
		return w
	}
	x := *w
	x.Start = w.Start.Snapshot()
	x.Start.Start(x.Start.At.Key.PC, x.Start.Live)
	return &x
}

// someCells are none, or some cells.
func someCells(m *ir.Machine, r *rand.Rand) (list []ir.Cell) {
	for n := r.IntN(4); n > 0; n-- {
		f := r.IntN(len(m.Files))
		if m.Files[f].Count > 0 {
			list = append(list, ir.Cell{File: uint8(f), Index: uint16(r.IntN(m.Files[f].Count))})
		}
	}
	return list
}

// spare copies to the state of a tale the dead cells, and dead lanes of cells, of another.
func (w *Wave) spare(want *exec.State, t *tale) {
	u := t.env.LiveOut
	switch {
	case t.over():
		t.st.Exec = want.Exec
		live := pass.NewLiveSet(u.Cells())
		if t.last.Reason == exec.StopFault { // before the lanes end
			live = w.named(t.last.Fault)
		}
		Spare(t.st, want, want.Exec, &live)
	case t.st.At.Mark != 0 || t.st.At != want.At: // nothing is dead
	default:
		if g, live, ok := u.Live(t.st.At.Key); ok {
			left := u.Cells()
			in := &live.In[g.At[t.st.At.Key]]
			spareIn(t.st, want, func(c ir.Cell, lane int) bool {
				switch k := want.Machine.Kind(c); {
				case !liveIn(in, want.Exec, c, lane):
					return false
				case k != ir.Lane32 && k != ir.Lane1, want.Exec>>lane&1 != 0:
					return true
				case want.Live>>lane&1 == 0: // it has ended; reads of it by others show in them, as they do if it waits
					return left.Has(c)
				}
				return readsAt(g, live, want, lane, c)
			})
		}
	}
}

// named returns the registers that a fault names.
func (w *Wave) named(f *exec.Fault) pass.LiveSet {
	cells := pass.NewCellSet(w.Start.Machine)
	if d, ok := ir.Describe(w.Code); ok {
		reads, _ := d.Operands(f.PC)
		for _, sp := range reads {
			cells.Add(pass.Span{Cell: sp.Cell, Count: min(int(sp.Count), w.Start.Machine.Files[sp.Cell.File].Count-int(sp.Cell.Index))})
		}
	}
	live := pass.NewLiveSet(cells)
	for _, c := range cells.Cells() {
		if k := w.Start.Machine.Kind(c); k == ir.Lane32 || k == ir.Lane1 {
			live.Inactive.Remove(pass.Span{Cell: c, Count: 1})
		}
	}
	return live
}

// readsAt reports whether a waiting lane may still read a register. At its address fewer registers may be live than
// at all such addresses together.
func readsAt(g *pass.Graph, live *pass.Liveness, st *exec.State, lane int, c ir.Cell) bool {
	if st.Machine.Control != ir.LowestPC {
		return true
	}
	at := ir.Key{PC: st.LanePC[lane], Mode: st.At.Key.Mode}
	return g.Has(at) && live.In[g.At[at]].Active.Has(c)
}

// Spare copies to a state the dead cells, and dead lanes of cells, of another; exec is the active lanes.
func Spare(to, from *exec.State, exec uint64, live *pass.LiveSet) {
	spareIn(to, from, func(c ir.Cell, lane int) bool { return liveIn(live, exec, c, lane) })
}

func liveIn(live *pass.LiveSet, exec uint64, c ir.Cell, lane int) bool {
	if exec>>lane&1 != 0 {
		return live.Active.Has(c)
	}
	return live.Inactive.Has(c)
}

// spareIn is Spare with a function that says what is live.
func spareIn(to, from *exec.State, looked func(c ir.Cell, lane int) bool) {
	for f, file := range to.Machine.Files {
		for i := range file.Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			for lane := range to.Lanes {
				if !looked(c, lane) {
					to.Set(c, lane, from.Get(c, lane))
				}
			}
		}
	}
}
