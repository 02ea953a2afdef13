package exec

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// A Token is an entry of the divergence stack of MaskStack machines. A live lane is active, or waits in exactly one
// token. Helper lanes, between quadon and quadpop, may do both.
type Token struct {
	Kind   TokenKind
	PC     uint64 // where the waiting lanes continue; for a TokenMeet without waiting lanes, its join
	Mask   uint64 // the lanes that were active when it was pushed
	Parked uint64 // the lanes that wait here; some may have ended
}

// A TokenKind says what a token is for.
type TokenKind uint8

const (
	TokenBranch      TokenKind = iota + 1 // lanes of the other side of a divergent branch
	TokenMeet                             // lanes that have reached a join
	TokenBreak                            // lanes that have left a loop
	TokenCall                             // lanes that have returned
	TokenCallLimited                      // the same, for a call that counts against Machine.CallLimit
	TokenQuad                             // helper lanes are active; Mask excludes them
)

var tokenNames = [...]string{"none", "branch", "join", "break", "call", "limited call", "quadon"}

func (k TokenKind) String() string {
	if int(k) >= len(tokenNames) {
		return "token?"
	}
	return tokenNames[k]
}

// TokenKindOf returns the kind of that name.
func TokenKindOf(name string) (TokenKind, error) {
	if i := slices.Index(tokenNames[:], name); i > 0 {
		return TokenKind(i), nil
	}
	return 0, fmt.Errorf("no kind of token %q, only %s", name, strings.Join(tokenNames[1:], ", "))
}

// stackRefuses returns the reason why the policy MaskStack refuses a step, before it has any effect, or nil.
// Source: docs/reference/tesla.md 8.
func (st *State) stackRefuses(s *step) error {
	if st.top() == TokenQuad && s.kind != ir.CtlQuadPop && !s.alone(st) {
		return fmt.Errorf("%s between quadon and quadpop", s.kind)
	}
	switch s.kind {
	case ir.CtlJoin:
		if k := st.top(); k != 0 && k != TokenMeet && k != TokenBranch {
			return fmt.Errorf("join with a %s token on top of the control stack", k)
		}
		return st.lacks(s, "a reconvergence point", TokenMeet, TokenMeet)
	case ir.CtlBreak:
		return st.lacks(s, "a place to break to", TokenBreak, TokenBreak)
	case ir.CtlReturn:
		return nil
	case ir.CtlQuadPop:
		if st.top() != TokenQuad {
			return fmt.Errorf("quadpop without a quadon on top of the control stack")
		}
		return nil
	}
	if len(st.Stack)+st.pushes(s) > st.Machine.StackDepth {
		return fmt.Errorf("the control stack is full: it holds %d tokens", st.Machine.StackDepth)
	}
	return nil
}

// lacks refuses a step whose lanes must wait in a token of one of two kinds, if the stack has no such token.
func (st *State) lacks(s *step, what string, a, b TokenKind) error {
	if s.mask == 0 && s.kind != ir.CtlJoin || st.innermost(a, b) >= 0 {
		return nil
	}
	return fmt.Errorf("%s without %s on the control stack", s.kind, what)
}

// pushes returns the number of tokens that the step pushes.
func (st *State) pushes(s *step) int {
	switch s.kind {
	case ir.CtlCall, ir.CtlCallLimited:
		if !st.calls(s) {
			return 0
		}
	case ir.CtlDiverge:
		return max(st.ways(s)-1, 0)
	}
	return 1
}

// ways returns the number of addresses at which lanes continue after a diverge.
func (st *State) ways(s *step) (n int) {
	if st.Exec&^s.mask != 0 {
		n++
	}
	for left := s.mask; left != 0; n++ {
		_, left = s.same(st, left)
	}
	return n
}

// stackStep executes one step of the policy MaskStack that stackRefuses has allowed. Source:
// docs/reference/tesla.md 8.
func (st *State) stackStep(s *step) StopReason {
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
		return st.leave(s, TokenBreak, TokenBreak)
	case ir.CtlReturn:
		if st.innermost(TokenCall, TokenCallLimited) < 0 { // not in a call
			return st.retire(s.mask, s.next)
		}
		return st.leave(s, TokenCall, TokenCallLimited)
	case ir.CtlQuadOn:
		return st.quadOn(s.next)
	case ir.CtlQuadPop:
		return st.quadPop(s.next)
	}
	panic("exec: no step of a stack: " + s.kind.String())
}

func (st *State) top() TokenKind {
	if n := len(st.Stack); n > 0 {
		return st.Stack[n-1].Kind
	}
	return 0
}

// push pushes the token; the active lanes continue at pc.
func (st *State) push(t Token, pc uint64) StopReason {
	t.Mask = st.Exec
	st.Stack = append(st.Stack, t)
	st.Exec &^= t.Parked
	st.Goto(pc)
	return 0
}

// call sends the lanes of the mask to the target; the others wait after the call.
func (st *State) call(s *step, k TokenKind) StopReason {
	if !st.calls(s) {
		st.Goto(s.next)
		return 0
	}
	return st.push(Token{Kind: k, PC: s.next, Parked: st.Exec &^ s.mask}, s.target)
}

// calls reports whether the call is executed: some lane takes it, and a limited call is below the limit.
func (st *State) calls(s *step) bool {
	if s.mask == 0 || s.kind != ir.CtlCallLimited || st.Machine.CallLimit == 0 {
		return s.mask != 0
	}
	n := 0
	for i := range st.Stack {
		if st.Stack[i].Kind == TokenCallLimited {
			n++
		}
	}
	return n < st.Machine.CallLimit
}

// diverge runs the lanes that take the target first. The manuals leave the order open. Retry loops around locks
// need this one.
func (st *State) diverge(s *step) StopReason {
	stay := st.Exec &^ s.mask
	switch {
	case s.mask == 0:
		st.Goto(s.next)
	case s.at != nil:
		st.scatter(s, stay)
	case stay == 0:
		st.Goto(s.target)
	default:
		return st.push(Token{Kind: TokenBranch, PC: s.next, Parked: stay}, s.target)
	}
	return 0
}

// scatter is diverge with a target per lane. The lanes with the same target as the lowest lane run first, then
// those with the target of the lowest remaining lane, and so on. Lanes that do not branch run last.
func (st *State) scatter(s *step, stay uint64) {
	var turns [ir.MaxLanes]uint64
	n := 0
	for left := s.mask; left != 0; n++ {
		turns[n], left = s.same(st, left)
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
}

// same divides lanes into those with the target of the lowest lane, and the rest.
func (s *step) same(st *State, lanes uint64) (same, rest uint64) {
	if s.at == nil {
		return lanes, 0
	}
	pc := s.to(bits.TrailingZeros64(lanes))
	for i := range st.Lanes {
		if lanes>>i&1 != 0 && s.to(i) == pc {
			same |= 1 << i
		}
	}
	return same, lanes &^ same
}

// join makes the active lanes wait in the innermost TokenMeet. The lanes that wait above it run next.
func (st *State) join(next uint64) StopReason {
	t := &st.Stack[st.innermost(TokenMeet, TokenMeet)]
	t.PC = next
	t.Parked |= st.Exec
	st.Exec = 0
	return st.unwind()
}

// leave makes the lanes of the mask wait in the innermost token of one of the two kinds.
func (st *State) leave(s *step, a, b TokenKind) StopReason {
	if s.mask == 0 {
		st.Goto(s.next)
		return 0
	}
	st.Stack[st.innermost(a, b)].Parked |= s.mask
	st.Exec &^= s.mask
	if st.Exec == 0 {
		return st.unwind()
	}
	st.Goto(s.next)
	return 0
}

// innermost returns the index of the highest token of one of the kinds, or -1.
func (st *State) innermost(a, b TokenKind) int {
	for i := len(st.Stack) - 1; i >= 0; i-- {
		if k := st.Stack[i].Kind; k == a || k == b {
			return i
		}
	}
	return -1
}

// quadOn activates all lanes of the quads that have an active lane.
func (st *State) quadOn(next uint64) StopReason {
	st.push(Token{Kind: TokenQuad}, next)
	st.Exec = quads(st.Exec) & st.Full
	return 0
}

// quads returns all lanes of the quads that have a lane in the mask.
func quads(mask uint64) uint64 {
	mask |= mask >> 1
	mask |= mask >> 2
	return mask & 0x1111_1111_1111_1111 * 15
}

// quadPop activates the lanes that were active before quadon.
func (st *State) quadPop(next uint64) StopReason {
	n := len(st.Stack) - 1
	st.Exec = st.Stack[n].Mask & st.Live
	st.Stack = st.Stack[:n]
	if st.Exec == 0 {
		return st.unwind()
	}
	st.Goto(next)
	return 0
}

// unwind pops tokens until one has live waiting lanes, and activates these. If the stack becomes empty the wave
// ends.
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
