package lint

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// The control stack of a warp as one thread sees it: what its path through the code has pushed and not popped. Tokens
// that a divergent branch pushes are left out: they are gone before the thread reaches an instruction that pops what
// lies below. A step has the same stack on all paths, or the code breaks a rule. So each step is visited once.

// A token is an entry of the stack. Tokens with the same content above the same token are one.
type token struct {
	below  int32
	root   int32          // the bottom below it
	kind   ir.ControlKind // of the step that pushed it; 0: a bottom
	target uint64         // where threads continue that wait here
	depth  int32          // number of tokens up to this one, without bottoms
	from   int32          // the step that pushed it; -1: a callee has its caller's token
}

// Tokens that exist from the start.
const (
	bottomWave   = iota // a warp begins: the stack is empty
	bottomAny           // the entry is a guess: the stack is unknown
	bottomCaller        // what a caller has pushed
	inCall              // the call, above it
	numBottoms
)

type tokenKey struct {
	below  int32
	kind   ir.ControlKind
	target uint64
}

// stacks are the stacks at all steps.
type stacks struct {
	*analysis
	tokens []token
	known  map[tokenKey]int32
	top    []int32 // by step; -1: unreachable
	owner  []int32 // by step: the entry of the first path to it
	uneven []bool  // by step: it was reported
	todo   []int32 // steps
	calls  []int32 // steps
}

// lanes says which of the active lanes are in a mask.
type lanes uint8

const (
	someLanes lanes = iota
	noLanes
	allLanes
)

// lanesIn says which lanes a mask in a folded block has.
func (a *analysis) lanesIn(b *ir.Block, v ir.Val) lanes {
	for i := range b.Ops {
		op := &b.Ops[i]
		switch {
		case op.Res != v || op.NRes == 0:
		case op.Op == ir.Get && a.m.Files[op.Cell.File].Kind == ir.ExecMask:
			return allLanes
		case op.Op == ir.Const:
			if x, _ := ir.EvalLane(b, op, nil); x&1 == 0 {
				return noLanes
			}
			return allLanes
		}
	}
	return someLanes
}

// stackStep computes where a thread continues after a step at which lanes of a warp diverge, reconverge or terminate.
// It returns false for others.
func (a *analysis) stackStep(s *made, blk *ir.Block) bool {
	if op := blk.Term().Op; op != ir.Retire && op != ir.CtlStep && op != ir.CtlStepX {
		return false
	}
	blk = pass.Fold(a.m, blk)
	t := blk.Term()
	mask := a.lanesIn(blk, t.Args[len(t.Args)-1])
	s.falls, s.parts = mask != allLanes, mask == someLanes
	switch {
	case t.Op == ir.Retire:
		return true
	case t.Op == ir.CtlStepX:
		s.open = true
		s.traits |= isa.TraitLanes
		return true
	}
	s.ctl = ir.ControlKind(t.Alt)
	if s.ctl.HasTarget() {
		s.target = t.Imm
	}
	switch s.ctl {
	case ir.CtlDiverge:
		if s.jumps = mask != noLanes; s.parts {
			s.traits |= isa.TraitLanes
		}
	case ir.CtlBreak, ir.CtlReturn:
		s.open = mask != noLanes
	case ir.CtlCall, ir.CtlCallLimited:
		s.falls, s.names = true, true
		s.traits |= isa.TraitCall
		if a.inside(s.target) {
			a.callee(s.target)
		}
	default:
		s.falls, s.parts = true, false
		s.names = s.ctl.HasTarget()
		return true
	}
	if mask == noLanes { // no lane takes it
		s.ctl = 0
	}
	return true
}

// followStack computes the stack at each step, and where breaking threads continue.
func (a *analysis) followStack() {
	k := &stacks{analysis: a, known: map[tokenKey]int32{}, top: make([]int32, a.count), owner: make([]int32, a.count),
		uneven: make([]bool, a.count)}
	k.tokens = []token{bottomWave: {root: bottomWave, from: -1}, bottomAny: {root: bottomAny, from: -1}, bottomCaller: {root: bottomCaller, from: -1},
		inCall: {below: bottomCaller, root: bottomCaller, kind: ir.CtlCall, depth: 1, from: -1}}
	for i := range k.top {
		k.top[i] = -1
	}
	for _, guessed := range [...]bool{false, true} { // known entries come first
		for i := range a.code.Entries {
			e := &a.code.Entries[i]
			at := a.stepAt(e.Addr)
			if at < 0 || e.guessed != guessed {
				continue
			}
			k.owner[at] = int32(i)
			k.arrive(at, bottomOf(e), -1)
			for len(k.todo) > 0 {
				i := k.todo[len(k.todo)-1]
				k.todo = k.todo[:len(k.todo)-1]
				k.step(i)
			}
		}
	}
	k.depths()
	a.stack = k
}

func bottomOf(e *Entry) int32 {
	switch {
	case e.Function:
		return inCall
	case e.guessed:
		return bottomAny
	}
	return bottomWave
}

// arrive records that a path reaches a step with a stack.
func (k *stacks) arrive(i, top, from int32) {
	switch was := k.top[i]; {
	case was < 0:
		if k.top[i] = top; from >= 0 {
			k.owner[i] = k.owner[from]
		}
		k.todo = append(k.todo, i)
	case was != top && k.tokens[was].root == k.tokens[top].root && !k.uneven[i]:
		k.uneven[i] = true
		k.find(k.rule(isa.RuleStackUneven), i, from, fmt.Sprintf("%s: on one way here the control stack holds %s, on another %s",
			k.look(i).in.Def.Name, k.describe(was), k.describe(top)), "")
	}
}

// describe lists the stack from the top on.
func (k *stacks) describe(top int32) string {
	var b strings.Builder
	for n := 0; k.tokens[top].kind != 0; n++ {
		if n > 0 {
			b.WriteString(" on ")
		}
		if n == 4 {
			fmt.Fprintf(&b, "%d more", k.tokens[top].depth)
			return b.String()
		}
		b.WriteString(k.named(top))
		top = k.tokens[top].below
	}
	if b.Len() == 0 {
		return "nothing"
	}
	return b.String()
}

// named returns the text of the step that pushed a token.
func (k *stacks) named(top int32) string {
	if from := k.tokens[top].from; from >= 0 {
		s := k.look(from)
		return fmt.Sprintf("%s at %#x", s.in.Def.Name, s.addr)
	}
	return "the call of this function"
}

// step advances a thread over a step.
func (k *stacks) step(i int32) {
	s, top := k.look(i), k.top[i]
	behind, there := top, top
	switch {
	case s.ctl == 0:
	case k.tokens[top].kind == ir.CtlQuadOn && s.ctl != ir.CtlQuadPop && (s.ctl != ir.CtlDiverge || s.parts):
		k.find(k.rule(isa.RuleStackQuad), i, k.tokens[top].from, fmt.Sprintf("%s: stands between %s and its end", s.in.Def.Name, k.named(top)), "")
	case s.ctl == ir.CtlJoin:
		behind = k.join(i, top)
	case s.ctl == ir.CtlQuadPop:
		behind = k.quadPop(i, top)
	case s.ctl == ir.CtlBreak || s.ctl == ir.CtlReturn:
		there = k.leave(i, top)
	case pushes(s.ctl):
		behind = k.push(i, top)
	case s.ctl == ir.CtlCall || s.ctl == ir.CtlCallLimited:
		k.calls = append(k.calls, i)
	}
	if next := k.after(i); next >= 0 {
		k.arrive(next, behind, i)
	}
	if to := k.to(i); to >= 0 {
		k.arrive(to, there, i)
	}
}

func pushes(c ir.ControlKind) bool {
	return c == ir.CtlPush || c == ir.CtlPushBreak || c == ir.CtlPushReturn || c == ir.CtlQuadOn
}

// push returns the stack with the token of a step on top. It is limited to the machine's depth.
func (k *stacks) push(i, top int32) int32 {
	s := k.look(i)
	key := tokenKey{top, s.ctl, s.target}
	if t, is := k.known[key]; is {
		return t
	}
	t := token{below: top, root: k.tokens[top].root, kind: s.ctl, target: s.target, depth: k.tokens[top].depth + 1, from: i}
	if int(t.depth) > k.m.StackDepth {
		k.find(k.rule(isa.RuleStackDepth), i, -1, fmt.Sprintf("%s: the control stack holds %d entries, and this is one more", s.in.Def.Name, k.m.StackDepth), "")
		return top
	}
	if to := k.stepAt(s.target); s.ctl == ir.CtlPush && to >= 0 && k.look(to).ctl != ir.CtlJoin && k.look(to).falls {
		k.find(k.rule(isa.RuleJoinPlace), i, to, fmt.Sprintf("%s: names %#x, where %s does not join", s.in.Def.Name, s.target, k.look(to).in.Def.Name), "")
	}
	k.tokens = append(k.tokens, t)
	k.known[key] = int32(len(k.tokens) - 1)
	return k.known[key]
}

// join returns the stack after a join.
func (k *stacks) join(i, top int32) int32 {
	t := &k.tokens[top]
	s := k.look(i)
	switch {
	case t.kind == ir.CtlPush && t.target != s.addr:
		k.find(k.rule(isa.RuleJoinPlace), i, t.from, fmt.Sprintf("%s: joins, and %s names %#x for that", s.in.Def.Name, k.named(top), t.target), "")
		return t.below
	case t.kind == ir.CtlPush:
		return t.below
	case k.reaches(top, ir.CtlPush, ir.CtlPush) >= 0 || t.kind != 0 && top != inCall:
		k.mismatch(isa.RuleStackMismatch, i, top, "joins")
	default:
		k.lacks(i, top, "joins", "nothing on the control stack says that threads meet here")
	}
	return top
}

// quadPop returns the stack after the end of quadon.
func (k *stacks) quadPop(i, top int32) int32 {
	switch t := &k.tokens[top]; {
	case t.kind == ir.CtlQuadOn:
		return t.below
	case k.reaches(top, ir.CtlQuadOn, ir.CtlQuadOn) >= 0:
		k.mismatch(isa.RuleStackMismatch, i, top, "ends whole quads")
	default:
		k.lacks(i, top, "ends whole quads", "they are not on")
	}
	return top
}

// leave returns the stack where threads continue after a break or return, and records where that is.
func (k *stacks) leave(i, top int32) int32 {
	s := k.look(i)
	at := k.reaches(top, ir.CtlPushBreak, ir.CtlPushBreak)
	if s.ctl == ir.CtlReturn {
		at = k.reaches(top, ir.CtlCall, ir.CtlPushReturn)
	}
	switch {
	case at < 0 && s.ctl == ir.CtlBreak:
		k.lacks(i, top, "breaks", "nothing on the control stack says where to")
		return top
	case at < 0:
		if k.tokens[top].root == bottomWave {
			k.find(k.rule(isa.RuleReturnTop), i, -1, fmt.Sprintf("%s: returns, and nothing is called here", s.in.Def.Name), "")
		}
		return top
	case at != top:
		k.mismatch(isa.RuleStackInner, i, top, [...]string{ir.CtlBreak: "breaks", ir.CtlReturn: "returns"}[s.ctl])
	}
	if t := &k.tokens[at]; t.from >= 0 {
		k.aim(i, t.target)
		*k.flags(i) |= flagJumps
	}
	return k.tokens[at].below
}

// reaches returns the innermost token of one of two kinds, or -1. A function does not look below its call.
func (k *stacks) reaches(top int32, a, b ir.ControlKind) int32 {
	for ; k.tokens[top].kind != 0; top = k.tokens[top].below {
		if c := k.tokens[top].kind; c == a || c == b {
			return top
		}
	}
	return -1
}

// lacks adds a finding about a step that pops what is not there. It adds none if the stack is unknown.
func (k *stacks) lacks(i, top int32, does, why string) {
	switch root := k.tokens[top].root; {
	case root == bottomAny:
		return
	case root == bottomCaller:
		why += " in this function"
	}
	k.find(k.rule(isa.RuleStackUnder), i, -1, fmt.Sprintf("%s: %s, and %s", k.look(i).in.Def.Name, does, why), "")
}

// mismatch adds a finding about a step that finds another token on top.
func (k *stacks) mismatch(rule string, i, top int32, does string) {
	k.find(k.rule(rule), i, k.tokens[top].from, fmt.Sprintf("%s: %s, and %s is on top of the control stack", k.look(i).in.Def.Name, does, k.named(top)), "")
}

// depths finds stacks that get too deep by nested calls, or grow without limit by recursion.
func (k *stacks) depths() {
	most := k.m.StackDepth
	extra := make([]int, len(k.code.Entries)) // by entry: tokens that callers have pushed
	of := make([][]int32, len(extra))         // calls
	entry := map[uint64]int32{}
	for i := range k.code.Entries {
		entry[k.code.Entries[i].Addr] = int32(i)
	}
	for _, c := range k.calls {
		of[k.owner[c]] = append(of[k.owner[c]], c)
	}
	told := map[int32]bool{}
	todo := make([]int32, 0, len(extra))
	for i := range extra {
		todo = append(todo, int32(i))
	}
	for budget := 64*len(k.calls) + 1<<16; len(todo) > 0 && budget > 0; {
		f := todo[0]
		todo = todo[1:]
		for _, c := range of[f] {
			budget--
			callee, is := entry[k.look(c).target]
			deep := extra[f] + int(k.tokens[k.top[c]].depth)
			switch {
			case !is || deep <= extra[callee]:
			case deep >= most && !told[c]:
				told[c] = true
				k.find(k.rule(isa.RuleStackDepth), c, -1, fmt.Sprintf("%s: calls nest until the control stack, which holds %d entries, is full", k.look(c).in.Def.Name, most), "")
			case deep < most:
				extra[callee] = deep
				todo = append(todo, callee)
			}
		}
	}
	for i := numBottoms; i < len(k.tokens); i++ {
		t := &k.tokens[i]
		if x := extra[k.owner[t.from]]; x > 0 && x+int(t.depth) > most {
			k.find(k.rule(isa.RuleStackDepth), t.from, -1, fmt.Sprintf("%s: the control stack holds %d entries, and with those of callers this is one more", k.look(t.from).in.Def.Name, most), "")
		}
	}
}
