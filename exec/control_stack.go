package exec

import (
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
)

// A Token is an entry of the stack by which lanes of MaskStack machines part and meet. A lane that
// is live runs, or waits in exactly one token; helpers, between quadon and quadpop, may do both.
type Token struct {
	Kind   TokenKind
	PC     uint64 // where the lanes that wait go on; of a meeting place without such lanes, its join
	Mask   uint64 // the lanes that ran when it was pushed
	Parked uint64 // the lanes that wait here, as far as they are live
}

// A TokenKind says what a token is for.
type TokenKind uint8

const (
	TokenBranch      TokenKind = iota + 1 // lanes that wait for their turn after a divergent branch
	TokenMeet                             // lanes that have got to a join
	TokenBreak                            // lanes that have left a loop
	TokenCall                             // lanes that have returned
	TokenCallLimited                      // the same, of a call that counts against Machine.CallLimit
	TokenQuad                             // helpers run: Mask is without them
)

var tokenNames = [...]string{"none", "branch", "join", "break", "call", "limited call", "quadon"}

func (k TokenKind) String() string {
	if int(k) >= len(tokenNames) {
		return "token?"
	}
	return tokenNames[k]
}

// stackStep is one step of the policy MaskStack. Source: docs/reference/tesla.md 8.
func (st *State) stackStep(s *step) (StopReason, error) {
	if st.top() == TokenQuad && s.kind != ir.CtlQuadPop && !s.alone(st) {
		return StopFault, fmt.Errorf("%s between quadon and quadpop", s.kind)
	}
	switch s.kind {
	case ir.CtlPush:
		return st.push(Token{Kind: TokenMeet, PC: s.target}, s.next)
	case ir.CtlPushBreak:
		return st.push(Token{Kind: TokenBreak, PC: s.target}, s.next)
	case ir.CtlPushReturn:
		return st.push(Token{Kind: TokenCall, PC: s.target}, s.next)
	case ir.CtlCall:
		return st.call(s, TokenCall)
	case ir.CtlCallLimited:
		return st.call(s, TokenCallLimited)
	case ir.CtlDiverge:
		return st.diverge(s)
	case ir.CtlJoin:
		return st.join(s.next)
	case ir.CtlBreak:
		return st.leave(s, "a place to break to", TokenBreak, TokenBreak)
	case ir.CtlReturn:
		return st.leave(s, "a call", TokenCall, TokenCallLimited)
	case ir.CtlQuadOn:
		return st.quadOn(s.next)
	case ir.CtlQuadPop:
		return st.quadPop(s.next)
	}
	return st.refuse(s)
}

func (st *State) top() TokenKind {
	if n := len(st.Stack); n > 0 {
		return st.Stack[n-1].Kind
	}
	return 0
}

// room says whether n more tokens fit.
func (st *State) room(n int) error {
	if len(st.Stack)+n > st.Machine.StackDepth {
		return fmt.Errorf("the control stack is full: it holds %d tokens", st.Machine.StackDepth)
	}
	return nil
}

// push pushes the token; the running lanes go on at pc.
func (st *State) push(t Token, pc uint64) (StopReason, error) {
	if err := st.room(1); err != nil {
		return StopFault, err
	}
	t.Mask = st.Exec
	st.Stack = append(st.Stack, t)
	st.Exec &^= t.Parked
	st.Goto(pc)
	return 0, nil
}

// call sends the lanes of the mask to the target; the others wait behind the call.
func (st *State) call(s *step, k TokenKind) (StopReason, error) {
	if s.mask == 0 || k == TokenCallLimited && st.limited() {
		st.Goto(s.next)
		return 0, nil
	}
	return st.push(Token{Kind: k, PC: s.next, Parked: st.Exec &^ s.mask}, s.target)
}

// limited reports whether no further limited call is allowed.
func (st *State) limited() bool {
	n := 0
	for i := range st.Stack {
		if st.Stack[i].Kind == TokenCallLimited {
			n++
		}
	}
	return st.Machine.CallLimit > 0 && n >= st.Machine.CallLimit
}

// diverge runs the lanes that take the target first. Which side goes first is our choice, and retry
// loops around locks need this one.
func (st *State) diverge(s *step) (StopReason, error) {
	stay := st.Exec &^ s.mask
	switch {
	case s.mask == 0:
		st.Goto(s.next)
	case s.at != nil:
		return st.scatter(s, stay)
	case stay == 0:
		st.Goto(s.target)
	default:
		return st.push(Token{Kind: TokenBranch, PC: s.next, Parked: stay}, s.target)
	}
	return 0, nil
}

// scatter is diverge with a target for each lane: the lanes with the target of the lowest run first,
// then of those that are left the ones with the target of the lowest, and so on; last those that stay.
func (st *State) scatter(s *step, stay uint64) (StopReason, error) {
	var turns [ir.MaxLanes]uint64
	n := 0
	for left := s.mask; left != 0; n++ {
		turns[n], left = s.same(st, left)
	}
	tokens := n - 1
	if stay != 0 {
		tokens++
	}
	if err := st.room(tokens); err != nil {
		return StopFault, err
	}
	all := st.Exec
	if stay != 0 {
		st.Stack = append(st.Stack, Token{TokenBranch, s.next, all, stay})
	}
	for n--; n > 0; n-- {
		st.Stack = append(st.Stack, Token{TokenBranch, s.to(bits.TrailingZeros64(turns[n])), all, turns[n]})
	}
	st.Exec = turns[0]
	st.Goto(s.to(bits.TrailingZeros64(turns[0])))
	return 0, nil
}

// same divides lanes into those with the target of the lowest, and the rest.
func (s *step) same(st *State, lanes uint64) (same, rest uint64) {
	pc := s.to(bits.TrailingZeros64(lanes))
	for i := range st.Lanes {
		if lanes>>i&1 != 0 && s.to(i) == pc {
			same |= 1 << i
		}
	}
	return same, lanes &^ same
}

// join lets the running lanes wait in the innermost meeting place; those that wait above it are next.
func (st *State) join(next uint64) (StopReason, error) {
	if k := st.top(); k != 0 && k != TokenMeet && k != TokenBranch {
		return StopFault, fmt.Errorf("join with a %s token on top of the control stack", k)
	}
	i := st.innermost(TokenMeet, TokenMeet)
	if i < 0 {
		return StopFault, fmt.Errorf("join without a place to meet on the control stack")
	}
	st.Stack[i].PC = next
	st.Stack[i].Parked |= st.Exec
	st.Exec = 0
	return st.unwind(), nil
}

// leave lets the lanes of the mask wait in the innermost token of the two kinds.
func (st *State) leave(s *step, what string, a, b TokenKind) (StopReason, error) {
	if s.mask == 0 {
		st.Goto(s.next)
		return 0, nil
	}
	i := st.innermost(a, b)
	if i < 0 {
		return StopFault, fmt.Errorf("%s without %s on the control stack", s.kind, what)
	}
	st.Stack[i].Parked |= s.mask
	st.Exec &^= s.mask
	if st.Exec == 0 {
		return st.unwind(), nil
	}
	st.Goto(s.next)
	return 0, nil
}

// innermost is the index of the highest token of one of the kinds, -1 if there is none.
func (st *State) innermost(a, b TokenKind) int {
	for i := len(st.Stack) - 1; i >= 0; i-- {
		if k := st.Stack[i].Kind; k == a || k == b {
			return i
		}
	}
	return -1
}

// quadOn runs the quads of the running lanes.
func (st *State) quadOn(next uint64) (StopReason, error) {
	reason, err := st.push(Token{Kind: TokenQuad}, next)
	if err == nil {
		st.Exec = quads(st.Exec) & st.Full
	}
	return reason, err
}

// quads is all lanes of the quads that have one in the mask.
func quads(mask uint64) uint64 {
	mask |= mask >> 1
	mask |= mask >> 2
	return mask & 0x1111_1111_1111_1111 * 15
}

// quadPop runs the lanes that ran before quadon.
func (st *State) quadPop(next uint64) (StopReason, error) {
	if st.top() != TokenQuad {
		return StopFault, fmt.Errorf("quadpop without a quadon on top of the control stack")
	}
	n := len(st.Stack) - 1
	st.Exec = st.Stack[n].Mask & st.Live
	st.Stack = st.Stack[:n]
	if st.Exec == 0 {
		return st.unwind(), nil
	}
	st.Goto(next)
	return 0, nil
}

// unwind takes tokens off the stack until one has live lanes that wait, and runs these. With none
// left the wave ends.
func (st *State) unwind() StopReason {
	for n := len(st.Stack); n > 0; n = len(st.Stack) {
		t := st.Stack[n-1]
		st.Stack = st.Stack[:n-1]
		if st.Exec = t.Parked & st.Live; st.Exec != 0 {
			st.Goto(t.PC)
			return 0
		}
	}
	return st.ended()
}
