package launch

import "github.com/heddle-gpu/heddle/exec"

// In a Restartable target the waves of most groups start in the same state. After several groups of one size, the slot
// caches the initial state of their waves. A later group of that size starts from the cached state; only what depends
// on its position in the grid is set.

// An initCache caches the initial state of groups of the present size in a slot.
type initCache struct {
	sameSize int                  // the number of consecutive groups of that size
	initial  []*exec.InitialState // by wave; empty: not known
}

// minSameSize is the number of consecutive groups of one size before their initial state is cached, if the launch has
// as many groups after them. Finding out which registers matter takes as long as starting that many groups.
const minSameSize = 16

// learn caches the initial state of the waves if enough consecutive groups had the same size. same reports whether the
// present group has the size of the one before.
func (w *Slot) learn(same bool) {
	w.initial = w.initial[:0]
	if w.sameSize++; !same {
		w.sameSize = 1
	}
	if !w.deadAtExit || !w.restartable || w.sameSize < minSameSize || w.s.groups-w.Group.Index <= minSameSize || w.s.l.Own != nil || w.s.l.Private.Size > 0 {
		return
	}
	for i := range w.Waves {
		b := w.Waves[i].State.InitialState(w.s.l.Program)
		if b == nil {
			w.initial = w.initial[:0]
			return
		}
		w.initial = append(w.initial, b)
	}
}

// place puts the group of that index into the slot if its waves can start from the cached state. If it returns false,
// nothing has changed and the caller must use Begin.
func (w *Slot) place(index uint64) bool {
	if len(w.initial) == 0 || index >= w.s.groups {
		return false
	}
	for _, b := range w.initial {
		if !b.Valid() {
			return false
		}
	}
	grid, g := &w.s.l.Grid, &w.Group
	before, id := g.Index, g.ID
	next := grid.next(id)
	if index != before+1 {
		next = grid.id(index)
	}
	if grid.size(next) != g.Size {
		return false
	}
	g.Index, g.ID = index, next
	w.clearLocal()
	if err := w.newGroup(&w.env); err != nil {
		g.Index, g.ID = before, id
		return false
	}
	return true
}

// repeat starts the waves of the group that place has put into the slot.
func (w *Slot) repeat() {
	if l := w.s.l; l.Observer != nil {
		w.s.observe(exec.Event{Kind: exec.GroupStart, Where: exec.Where{Kernel: l.Kernel, Group: w.Group.ID}})
	}
	target := w.s.l.Target.(Restartable)
	for i, b := range w.initial {
		v := &w.Waves[i]
		v.Env.Group, v.Env.Footprint, v.Env.Count = w.Group.ID, w.foot, exec.Counters{}
		if v.Env.Faults.Count != 0 {
			v.Env.Faults = exec.FaultLog{}
		}
		v.Waiting, v.At = false, exec.Barrier{}
		b.Restart()
		target.Restart(&w.Group, i, v.State)
	}
	w.next, w.came = 0, w.came[:0]
}

// groups runs the group in the slot, all of whose waves are at their start, and the groups that next puts there, as
// long as that is faster. If not ok, as for all, nothing is gained by it and no wave has run.
func (w *Slot) groups(b exec.Budget, next func() bool) (stop exec.Stop, ok bool) {
	if w.crew == nil || w.apart {
		return stop, false
	}
	w.collect(0)
	b.Counted, b.Yields = b.Counted || w.s.l.Counted, len(w.turns) > 1
	return w.ran(w.s.meter.RunGroups(w.crew, w.turns, b, next))
}
