package exec

import (
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
)

// A Token is an entry of the stack by which MaskStack machines part and meet.
type Token struct {
	Kind  TokenKind
	PC    uint64 // TokenElse: where its lanes go on; TokenMeet: the join instruction
	After uint64 // TokenMeet: behind the join instruction, once lanes have got there
	Mask  uint64
}

// A TokenKind says what a token is for.
type TokenKind uint8

const (
	TokenElse TokenKind = iota + 1 // lanes that wait for their turn after a divergent branch
	TokenMeet                      // the lanes that meet at a join
)

// maxTokens bounds the stack of a wave: a loop that pushes and never joins is a fault, not a hang.
const maxTokens = 1 << 16

// Leave carries out the terminator of block b and makes the state ready for what follows. x is
// the terminator's operand: the condition of a branch, the address of an indirect jump, the lane
// mask of retire and ctl. The reason is 0 if the wave goes on at st.At, else StopEnd, StopBarrier
// or, with an error that says what is wrong, StopFault. Trap is not for Leave.
func (st *State) Leave(b *ir.Block, x uint64) (StopReason, error) {
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
		st.Live, st.Exec = 0, 0
		return st.ended(), nil
	case ir.Retire:
		return st.retire(x, in.Imm), nil
	case ir.Barrier:
		st.Goto(in.Imm)
		return StopBarrier, nil
	case ir.CtlStep:
		return st.control(ir.ControlKind(in.Alt), x&st.Exec, in.Imm, b.Next)
	default:
		panic("exec: " + in.Op.String() + " ends a block")
	}
	return 0, nil
}

// retire ends the lanes of the mask; the others go on at pc.
func (st *State) retire(mask, pc uint64) StopReason {
	st.Live &^= mask
	st.Exec &= st.Live
	if st.Live == 0 {
		return st.ended()
	}
	st.Goto(pc)
	switch {
	case st.Machine.Control == ir.LowestPC:
		st.park(st.Exec, pc)
		st.lowest()
	case st.Machine.Control == ir.MaskStack && st.Exec == 0:
		return st.unwind()
	}
	return 0
}

// control is one step of the machine's policy. The lanes of the mask, all of them running, take
// the target; the other running lanes go on at next.
func (st *State) control(k ir.ControlKind, mask, target, next uint64) (StopReason, error) {
	switch st.Machine.Control {
	case ir.MaskStack:
		switch k {
		case ir.CtlPush:
			return st.push(Token{Kind: TokenMeet, PC: target, Mask: st.Exec}, next)
		case ir.CtlDiverge:
			return st.diverge(mask, target, next)
		case ir.CtlJoin:
			return st.join(next)
		}
	case ir.LowestPC:
		switch k {
		case ir.CtlDiverge, ir.CtlReconverge:
			st.park(st.Exec, next)
			st.park(mask, target)
			st.lowest()
			return 0, nil
		}
	}
	return StopFault, fmt.Errorf("control step %s is not built for machine %s", k, st.Machine.Name)
}

func (st *State) push(t Token, pc uint64) (StopReason, error) {
	if len(st.Stack) >= maxTokens {
		return StopFault, fmt.Errorf("the control stack has %d tokens", maxTokens)
	}
	st.Stack = append(st.Stack, t)
	st.Goto(pc)
	return 0, nil
}

// diverge runs the lanes that take the target first. Source: isa/tesla.md section 8, bra; which
// side goes first is our choice, and retry loops around locks need this one.
func (st *State) diverge(mask, target, next uint64) (StopReason, error) {
	switch mask {
	case 0:
		st.Goto(next)
	case st.Exec:
		st.Goto(target)
	default:
		t := Token{Kind: TokenElse, PC: next, Mask: st.Exec &^ mask}
		st.Exec = mask
		return st.push(t, target)
	}
	return 0, nil
}

// join lets the lanes that wait run, or all lanes that met go on. Source: isa/tesla.md section 8, join.
func (st *State) join(next uint64) (StopReason, error) {
	for i := len(st.Stack) - 1; i >= 0; i-- {
		if st.Stack[i].Kind == TokenMeet {
			st.Stack[i].After = next
			return st.unwind(), nil
		}
	}
	return StopFault, fmt.Errorf("join without a place to meet on the control stack")
}

// unwind takes tokens off the stack until one has lanes that live. With none left the wave has
// lanes that nothing can start again, and ends.
func (st *State) unwind() StopReason {
	for n := len(st.Stack); n > 0; n = len(st.Stack) {
		t := st.Stack[n-1]
		st.Stack = st.Stack[:n-1]
		st.Exec = t.Mask & st.Live
		if st.Exec == 0 {
			continue
		}
		switch {
		case t.Kind == TokenMeet && t.After != 0:
			st.Goto(t.After)
		case t.Kind == TokenMeet: // no lane has got there yet
			st.Stack = append(st.Stack, t)
			st.Goto(t.PC)
		default:
			st.Goto(t.PC)
		}
		return 0
	}
	st.Live = 0
	return st.ended()
}

// ended leaves the position at the block that ended the wave, so that states that ended in one
// place are equal however they got there.
func (st *State) ended() StopReason {
	st.At.Mark = 0
	return StopEnd
}

// park notes where lanes go on.
func (st *State) park(lanes, pc uint64) {
	for i := range st.LanePC {
		if lanes>>i&1 != 0 {
			st.LanePC[i] = pc
		}
	}
}

// lowest runs the live lanes with the lowest pc. Source: isa/valhall.md section 7.
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
		}
	}
	st.Goto(pc)
}
