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
	for i, at := range st.LanePC {
		if st.Live>>i&1 != 0 {
			pc = min(pc, at)
		}
	}
	st.Exec = 0
	for i, at := range st.LanePC {
		if st.Live>>i&1 != 0 && at == pc {
			st.Exec |= 1 << i
			st.LanePC[i] = 0
		}
	}
	st.Goto(pc)
}
