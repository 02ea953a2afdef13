package exec

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
)

// lowestStep is one step of the policy LowestPC. Which lanes run is chosen anew where they part, at
// reconverge, and where no lane is left that runs; nowhere else. Source: docs/reference/valhall.md 7.
func (st *State) lowestStep(s *step) StopReason {
	if s.kind == ir.CtlLink {
		if st.unlink(s); st.Live == 0 {
			return st.ended()
		}
	}
	switch {
	case s.kind != ir.CtlDiverge:
	case s.mask == 0:
		st.Goto(s.next)
		return 0
	case s.mask == st.Exec:
		if _, rest := s.same(st, s.mask); rest == 0 {
			st.Goto(s.to(bits.TrailingZeros64(s.mask)))
			return 0
		}
	}
	if s.at == nil && st.Exec&^st.Live == 0 && s.mask&^st.Exec == 0 { // nobody has ended lanes from outside
		st.part(s)
		return 0
	}
	for i := range st.LanePC {
		switch {
		case s.mask>>i&1 != 0:
			st.LanePC[i] = s.to(i)
		case st.Exec>>i&1 != 0:
			st.LanePC[i] = s.next
		}
	}
	st.lowest()
	return 0
}

// part is the same for a step with one target: lanes are looked at one by one only where they wait.
func (st *State) part(s *step) {
	waiting, others := st.Live&^st.Exec, st.Exec&^s.mask
	pc := ^uint64(0)
	if s.mask != 0 {
		pc = s.target
	}
	if others != 0 {
		pc = min(pc, s.next)
	}
	pc, run := st.take(waiting, pc)
	st.Exec = run | st.waitAt(s.mask, s.target, pc) | st.waitAt(others, s.next, pc)
	st.Goto(pc)
}

// take is the lowest pc at which some of the lanes wait, or least if that is lower, and the lanes that waited there: they do no more.
func (st *State) take(lanes, least uint64) (pc, at uint64) {
	pc = least
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		switch x := st.LanePC[lane&63]; {
		case x < pc:
			pc, at = x, 1<<lane
		case x == pc:
			at |= 1 << lane
		}
	}
	for m := at; m != 0; m &= m - 1 {
		st.LanePC[bits.TrailingZeros64(m)&63] = 0
	}
	return pc, at
}

// waitAt lets lanes wait at a place, unless it is pc: then it gives those that run.
func (st *State) waitAt(lanes, at, pc uint64) (run uint64) {
	if at == pc {
		return lanes
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		st.LanePC[bits.TrailingZeros64(lanes)] = at
	}
	return 0
}

// unlink ends the lanes of a step that go nowhere.
func (st *State) unlink(s *step) {
	for i := range st.LanePC {
		if s.mask>>i&1 != 0 && s.to(i) == ir.Nowhere {
			st.Live &^= 1 << i
			st.Exec &^= 1 << i
			s.mask &^= 1 << i
		}
	}
}

// lowest runs the live lanes with the lowest pc. The pc of a lane that runs is that of the wave, and
// its own 0.
func (st *State) lowest() {
	pc, run := st.take(st.Live, ^uint64(0))
	st.Exec = run
	st.Goto(pc)
}

// SetLanePC moves a lane to an address, whether it runs, waits or has ended; pc is that of the running lanes. The lanes with the lowest pc run next.
func (st *State) SetLanePC(lane int, pc, to uint64) {
	for m := st.Exec; m != 0; m &= m - 1 {
		st.LanePC[bits.TrailingZeros64(m)] = pc
	}
	st.Live |= 1 << lane
	st.LanePC[lane] = to
	st.lowest()
}
