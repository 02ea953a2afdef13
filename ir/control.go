package ir

// A ControlKind is a step of a divergence policy: what ctl and ctlx do with the lanes of a wave.
//
// A machine with the policy MaskStack keeps a stack of tokens. A token has an address and lanes
// that wait in it; at most Machine.StackDepth tokens fit. A lane that has not ended runs, or
// waits in exactly one token. When no lane runs any more, tokens are taken off the stack until
// one has lanes that wait: they run on at its address. With an empty stack the wave ends.
//
// A machine with the policy LowestPC keeps an address for each lane that waits. Where it chooses,
// the lanes with the lowest address run, all that are there together.
//
// Every step says in its row whether it has a target and which lanes it is about: those of the
// operand, the mask, as far as they run; or all that run, and then the mask is not looked at.
// Lanes that do not take the step go on at Block.Next, behind the instruction.
//
// Lanes end by Builder.Retire, which is no step of its own: Tesla's exit and discard, Valhall's .end. A
// branch that all running lanes take is Builder.Jump under both policies, unless lanes may meet there.
type ControlKind uint8

const (
	// CtlPush pushes a meeting place for the running lanes, which go on at Block.Next. The target is
	// the instruction that joins them. Tesla: joinat.
	CtlPush ControlKind = iota + 1
	// CtlPushBreak pushes a place for lanes that break, which go on at the target. Tesla: breakaddr.
	CtlPushBreak
	// CtlPushReturn pushes a place for lanes that return, which go on at the target: a call that does
	// not go anywhere yet. Tesla: preret.
	CtlPushReturn
	// CtlCall pushes a place for lanes that return, which is Block.Next, and sends the lanes of the
	// mask to the target. The others wait in the token as if they had returned. An empty mask pushes
	// nothing. Tesla: call.
	CtlCall
	// CtlCallLimited is CtlCall, but no lane goes anywhere if Machine.CallLimit tokens of this kind
	// are on the stack. Tesla: call lim.
	CtlCallLimited
	// CtlDiverge sends the lanes of the mask to the target. If the lanes part, under MaskStack those
	// of the mask run first and the others wait in a token; under LowestPC the policy chooses. If they
	// do not, lanes that wait stay where they are. Tesla: bra. Valhall: a branch without .reconverge.
	CtlDiverge
	// CtlJoin lets the running lanes wait in the innermost meeting place until those that wait above
	// it have come too; then all go on at Block.Next. On top of the stack must be that place, or lanes
	// that wait for their turn after a divergent branch. Tesla: join.
	CtlJoin
	// CtlBreak lets the lanes of the mask wait in the innermost token of CtlPushBreak. Tokens above it
	// are taken off when no lane runs or waits there any more. Tesla: break.
	CtlBreak
	// CtlReturn is CtlBreak for tokens of CtlPushReturn, CtlCall and CtlCallLimited. Without one of them on the stack the
	// lanes of the mask end. Tesla: ret.
	CtlReturn
	// CtlQuadOn runs all lanes of every quad (lanes 4k to 4k+3) of which one runs, also those that
	// wait, have ended or never began: helpers, which keep what they write. Until CtlQuadPop lanes may
	// end, and steps of which no lanes part and none come to wait are allowed. Tesla: quadon.
	CtlQuadOn
	// CtlQuadPop runs the lanes that ran before CtlQuadOn and have not ended. Tesla: quadpop.
	CtlQuadPop
	// CtlReconverge sends the lanes of the mask to the target and lets the policy choose, so that
	// lanes of several paths may meet. Valhall: any instruction with .reconverge; the target is that
	// of a branch.
	CtlReconverge
	// CtlLink is CtlReconverge, but lanes of the mask whose target is Nowhere end. Valhall: a branch to an address in a
	// register, where 0 is that of no caller, and a branch that ends discarded threads.
	CtlLink
	numControls
)

// Nowhere is the target of lanes that end at CtlLink: no instruction has this address.
const Nowhere = ^uint64(0)

// A controlRow is what is known about a step.
type controlRow struct {
	name   string
	in     [LowestPC + 1]bool // by policy
	target bool               // Imm, or the operand of ctlx, is an address
	each   bool               // ctlx: may be an address a lane
	doc    string
}

var (
	stackOnly  = [LowestPC + 1]bool{MaskStack: true}
	lowestOnly = [LowestPC + 1]bool{LowestPC: true}
	bothHave   = [LowestPC + 1]bool{MaskStack: true, LowestPC: true}
)

var controls = [numControls]controlRow{
	0:              {name: "none"},
	CtlPush:        {"push", stackOnly, true, false, "Pushes a meeting place of the running lanes; the target is the join."},
	CtlPushBreak:   {"pushbreak", stackOnly, true, false, "Pushes the target as the place where lanes that break go on."},
	CtlPushReturn:  {"pushreturn", stackOnly, true, false, "Pushes the target as the place where lanes that return go on."},
	CtlCall:        {"call", stackOnly, true, false, "Pushes the next address as the place where lanes that return go on; the lanes of the mask go to the target, the others wait there."},
	CtlCallLimited: {"calllim", stackOnly, true, false, "As call; nothing happens if as many of this kind as the machine allows are on the stack."},
	CtlDiverge:     {"diverge", bothHave, true, true, "The lanes of the mask go to the target: first, if others stay and the machine has a stack."},
	CtlJoin:        {"join", stackOnly, false, false, "The running lanes wait in the innermost meeting place for those that wait above it."},
	CtlBreak:       {"break", stackOnly, false, false, "The lanes of the mask wait in the innermost token of pushbreak."},
	CtlReturn:      {"return", stackOnly, false, false, "The lanes of the mask wait in the innermost token of call, calllim or pushreturn; without one they end."},
	CtlQuadOn:      {"quadon", stackOnly, false, false, "All lanes of every quad of which one runs run, ended or waiting ones too, until quadpop."},
	CtlQuadPop:     {"quadpop", stackOnly, false, false, "The lanes that ran before quadon and have not ended run again."},
	CtlReconverge:  {"reconverge", lowestOnly, true, true, "The lanes of the mask go to the target; then the lanes with the lowest address run."},
	CtlLink:        {"link", lowestOnly, true, true, "As reconverge, but lanes of the mask whose target is all ones end."},
}

var controlNames = func() (names [numControls]string) {
	for k := range controls {
		names[k] = controls[k].name
	}
	return names
}()

// Controls is the number of control steps; they are 1 to Controls()-1.
func Controls() int { return int(numControls) }

func (k ControlKind) String() string {
	if k >= numControls {
		return "ctl?"
	}
	return controlNames[k]
}

// Doc says in a sentence what the step does.
func (k ControlKind) Doc() string { return controls[k].doc }

// In reports whether a policy has the step.
func (k ControlKind) In(c Control) bool {
	return k < numControls && int(c) < len(controls[k].in) && controls[k].in[c]
}

// HasTarget reports whether the step has an address where lanes go on, at once or later.
func (k ControlKind) HasTarget() bool { return k < numControls && controls[k].target }

// EachTarget reports whether the step may have an address for each lane: as ctlx.
func (k ControlKind) EachTarget() bool { return k < numControls && controls[k].each }

// Control ends the block with a step of the machine's divergence policy: the lanes of the mask take
// the step, with that target; 0 for a step that has none.
func (b *Builder) Control(k ControlKind, mask V, target uint64) {
	b.push(Inst{Op: CtlStep, Alt: uint64(k), Imm: target, Args: b.args(mask)})
}

// CheckControl faults if the step would be refused that ends this instruction by Control with the same mask.
// An instruction that has effects of its own asks before them: what is refused must leave nothing behind.
func (b *Builder) CheckControl(k ControlKind, mask V) {
	b.push(Inst{Op: CtlCheck, Alt: uint64(k), Args: b.args(mask)})
}

// ControlX is Control with a target for each lane, i64: a branch to a register. The step is CtlDiverge,
// CtlReconverge or CtlLink.
func (b *Builder) ControlX(k ControlKind, mask, target V) {
	b.push(Inst{Op: CtlStepX, Alt: uint64(k), Args: b.args(target, mask)})
}
