package exec

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
)

// lowestStep executes one step of the policy LowestPC. It selects the active lanes anew only when lanes diverge, at
// reconverge, and when no active lane remains. Source: docs/reference/valhall.md 7.
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
	if s.at == nil && st.Exec&^st.Live == 0 && s.mask&^st.Exec == 0 { // no lane was terminated from outside
		st.stepOneTarget(s)
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

// stepOneTarget is lowestStep for a step with one common target. It visits single lanes only where they wait.
func (st *State) stepOneTarget(s *step) {
	waiting, others := st.Live&^st.Exec, st.Exec&^s.mask
	pc := ^uint64(0)
	if s.mask != 0 {
		pc = s.target
	}
	if others != 0 {
		pc = min(pc, s.next)
	}
	pc, run := st.takeWaiting(waiting, pc)
	st.Exec = run | st.waitAt(s.mask, s.target, pc) | st.waitAt(others, s.next, pc)
	st.Goto(pc)
}

// takeWaiting returns the lowest pc at which some of the lanes wait, or least if that is lower, and the lanes that
// waited there. Those wait no longer.
func (st *State) takeWaiting(lanes, least uint64) (pc, at uint64) {
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

// waitAt makes the lanes wait at an address, unless it equals pc. In that case it returns them: they run.
func (st *State) waitAt(lanes, at, pc uint64) (run uint64) {
	if at == pc {
		return lanes
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		st.LanePC[bits.TrailingZeros64(lanes)] = at
	}
	return 0
}

// unlink terminates the lanes whose target is ir.Nowhere.
func (st *State) unlink(s *step) {
	for i := range st.LanePC {
		if s.mask>>i&1 != 0 && s.to(i) == ir.Nowhere {
			st.Live &^= 1 << i
			st.Exec &^= 1 << i
			s.mask &^= 1 << i
		}
	}
}

// lowest activates the live lanes with the lowest pc. The pc of an active lane is that of the wave; its own is 0.
func (st *State) lowest() {
	pc, run := st.takeWaiting(st.Live, ^uint64(0))
	st.Exec = run
	st.Goto(pc)
}

// SetLanePC moves a lane to an address, whether it is active, waits or has ended. pc is that of the active lanes.
// The lanes with the lowest pc run next.
func (st *State) SetLanePC(lane int, pc, to uint64) {
	for m := st.Exec; m != 0; m &= m - 1 {
		st.LanePC[bits.TrailingZeros64(m)] = pc
	}
	st.Live |= 1 << lane
	st.LanePC[lane] = to
	st.lowest()
}
