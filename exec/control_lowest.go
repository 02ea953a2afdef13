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
	for m := waiting; m != 0; m &= m - 1 {
		pc = min(pc, st.LanePC[bits.TrailingZeros64(m)])
	}
	run := st.waitAt(s.mask, s.target, pc) | st.waitAt(others, s.next, pc)
	for m := waiting; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); st.LanePC[lane] == pc {
			run |= 1 << lane
			st.LanePC[lane] = 0
		}
	}
	st.Exec = run
	st.Goto(pc)
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

// unlink ends the lanes of a step whose target is 0.
func (st *State) unlink(s *step) {
	for i := range st.LanePC {
		if s.mask>>i&1 != 0 && s.to(i) == 0 {
			st.Live &^= 1 << i
			st.Exec &^= 1 << i
			s.mask &^= 1 << i
		}
	}
}

// lowest runs the live lanes with the lowest pc. The pc of a lane that runs is that of the wave, and
// its own 0.
func (st *State) lowest() {
	pc := ^uint64(0)
	for m := st.Live; m != 0; m &= m - 1 {
		pc = min(pc, st.LanePC[bits.TrailingZeros64(m)])
	}
	st.Exec = 0
	for m := st.Live; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); st.LanePC[lane] == pc {
			st.Exec |= 1 << lane
			st.LanePC[lane] = 0
		}
	}
	st.Goto(pc)
}
