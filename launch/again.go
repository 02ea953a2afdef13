package launch

import "github.com/heddle-gpu/heddle/exec"

// Waves of a steady target begin alike in most groups. So once some groups of one size have begun, how their waves did is kept, and a group of that
// size is put into a slot by making the states what they were, but for what its place is.

// An again is how groups of the size of the present one begin in a slot.
type again struct {
	alike  int                  // so many groups in a row have had that size
	firsts []*exec.InitialState // by wave; none: they are not known
}

// mostAlike is how many groups of one size have begun before others begin as they did: finding out what matters of their registers takes as long as that
// of many.
const mostAlike = 16

// learn keeps how waves have begun, if enough groups have begun alike. same says that the present one has the size of the one before.
func (w *Slot) learn(same bool) {
	w.firsts = w.firsts[:0]
	if w.alike++; !same {
		w.alike = 1
	}
	if !w.unseen || !w.steady || w.alike < mostAlike || w.s.l.Own != nil || w.s.l.Private.Size > 0 {
		return
	}
	for i := range w.Waves {
		b := w.Waves[i].State.InitialState(w.s.l.Program)
		if b == nil {
			w.firsts = w.firsts[:0]
			return
		}
		w.firsts = append(w.firsts, b)
	}
}

// place makes the group of that index the slot's, where its waves begin as those did that were there before. False: nothing is done, it is for Begin.
func (w *Slot) place(index uint64) bool {
	if len(w.firsts) == 0 || index >= w.s.groups {
		return false
	}
	for _, b := range w.firsts {
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
	clear(w.bytes)
	if err := w.s.l.Target.NewGroup(g, &w.env); err != nil {
		g.Index, g.ID = before, id
		return false
	}
	return true
}

// repeat begins the waves of the group that place has put there.
func (w *Slot) repeat() {
	target := w.s.l.Target.(Steady)
	for i, b := range w.firsts {
		v := &w.Waves[i]
		v.Env.Group, v.Env.Footprint, v.Env.Count = w.Group.ID, w.foot, exec.Counters{}
		if v.Env.Faults.Count != 0 {
			v.Env.Faults = exec.FaultLog{}
		}
		v.Waiting, v.At = false, exec.Barrier{}
		b.Restart()
		target.Again(&w.Group, i, v.State)
	}
	w.next, w.came = 0, w.came[:0]
}

// groups runs the group in the slot, whose waves all begin, and those that next puts there, as far as that gains something: see all.
func (w *Slot) groups(b exec.Budget, next func() bool) (stop exec.Stop, ok bool) {
	if w.crew == nil {
		return stop, false
	}
	w.collect(0)
	b.Counted, b.Yields = b.Counted || w.s.l.Counted, len(w.turns) > 1
	return w.ran(w.s.meter.RunGroups(w.crew, w.turns, b, next))
}
