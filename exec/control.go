package exec

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// Leave executes the terminator of block b and moves the state to the next position. x is the terminator's operand:
// the condition of a branch, the address of an indirect jump, the lane mask of retire and ctl. at is the operand of
// ctlx, an address per lane; nil for other terminators. The reason is 0 if the wave continues at st.At, else
// StopEnd, StopBarrier or StopFault. With StopFault the error says what is wrong, and the state is unchanged. Leave
// does not handle Trap.
func (st *State) Leave(b *ir.Block, x uint64, at *ir.Vec) (StopReason, error) {
	in := b.Term()
	switch in.Op {
	case ir.Jump:
		st.Goto(in.Imm)
	case ir.Branch:
		if x&1 != 0 {
			st.Goto(in.Imm)
		} else {
			st.Goto(in.Alt)
		}
	case ir.JumpX:
		st.Goto(x)
	case ir.End:
		st.last = st.Exec
		return st.ended(), nil
	case ir.Retire:
		if st.Machine.Control != ir.MaskData {
			x &= st.Exec
		}
		return st.retire(x, in.Imm), nil
	case ir.Barrier:
		st.Goto(in.Imm)
		return StopBarrier, nil
	case ir.CtlStep, ir.CtlStepX:
		s := step{kind: ir.ControlKind(in.Alt), mask: x & st.Exec, target: in.Imm, at: at, next: b.Next}
		if err := st.refuses(&s); err != nil {
			return StopFault, err
		}
		if st.Machine.Control == ir.LowestPC {
			return st.lowestStep(&s), nil
		}
		return st.stackStep(&s), nil
	default:
		panic("exec: " + in.Op.String() + " ends a block")
	}
	return 0, nil
}

// A step is what a ctl or ctlx op asks of the machine's divergence policy.
type step struct {
	kind   ir.ControlKind
	mask   uint64  // the lanes that take it, all of them active
	target uint64  // common target, if at is nil
	at     *ir.Vec // target per lane
	next   uint64  // where the other active lanes continue
}

// to returns the target of a lane.
func (s *step) to(lane int) uint64 {
	if s.at == nil {
		return s.target
	}
	return s.at[lane]
}

// Refuses returns the reason why the policy would refuse a step with the lanes of the mask and one common target,
// or nil. It implements op ctlcheck.
func (st *State) Refuses(k ir.ControlKind, mask uint64) error {
	return st.refuses(&step{kind: k, mask: mask & st.Exec})
}

func (st *State) refuses(s *step) error {
	switch {
	case !s.kind.In(st.Machine.Control): // the verifier rejects such blocks
		return fmt.Errorf("control step %s is none of machine %s", s.kind, st.Machine.Name)
	case st.Machine.Control == ir.MaskStack:
		return st.stackRefuses(s)
	}
	return nil
}

// Retire terminates the active lanes at the wave's position; waiting lanes run next. The reason is 0 if there are
// any, else StopEnd.
func (st *State) Retire() StopReason { return st.retire(st.Exec, st.At.Key.PC) }

// retire terminates the lanes of the mask; the others continue at pc. If no active lane remains, waiting lanes run
// next. Between quadon and quadpop, helper lanes of the mask stop helping and are not terminated.
func (st *State) retire(mask, pc uint64) StopReason {
	ends := mask
	if st.top() == TokenQuad {
		ends &= st.Stack[len(st.Stack)-1].Mask
	}
	st.Live &^= ends
	st.Exec &^= mask
	if len(st.LanePC) > 0 && st.Live != 0 { // otherwise ended clears it
		for m := ends & st.Full; m != 0; m &= m - 1 {
			st.LanePC[bits.TrailingZeros64(m)] = 0
		}
	}
	switch {
	case st.Live == 0:
		return st.ended()
	case mask != 0 && st.Exec == 0 && st.Machine.Control == ir.MaskStack:
		return st.unwind()
	case mask != 0 && st.Exec == 0 && st.Machine.Control == ir.LowestPC:
		st.lowest()
	default:
		st.Goto(pc)
	}
	return 0
}

// ended clears everything but the cells and the position of the block that ended the wave, so that states that
// ended at the same place are equal whatever path they took.
func (st *State) ended() StopReason {
	st.Live, st.Exec, st.Passed, st.Stack = 0, 0, 0, st.Stack[:0]
	clear(st.LanePC)
	st.At.Mark = 0
	return StopEnd
}

// Diverged reports whether lanes may wait: under a divergence policy some live lanes are inactive, the stack has a
// token, or a lane has an address of its own.
func (st *State) Diverged() bool {
	return st.Machine.Control != ir.MaskData && st.Live != st.Exec ||
		len(st.Stack) > 0 || slices.ContainsFunc(st.LanePC, func(pc uint64) bool { return pc != 0 })
}

// WaitsAt returns the address where a live, inactive lane continues. ok is false if the lane is active or has
// ended.
func (st *State) WaitsAt(lane int) (pc uint64, ok bool) {
	if st.Live&^st.Exec>>lane&1 == 0 {
		return 0, false
	}
	if st.Machine.Control == ir.LowestPC {
		return st.LanePC[lane], true
	}
	for i := range st.Stack {
		if t := &st.Stack[i]; t.Parked>>lane&1 != 0 {
			return t.PC, true
		}
	}
	return 0, false
}
