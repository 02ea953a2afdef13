package ir

// A ControlKind is a step of a divergence policy: what ctl and ctlx do with the lanes of a wave.
//
// A machine with the policy MaskStack has a stack of tokens. A token has an address and lanes that wait in it; the
// stack holds at most Machine.StackDepth tokens. A live lane is active, or waits in exactly one token. When no lane
// is active, tokens are popped until one has waiting lanes; these become active at its address. If the stack is
// empty the wave ends.
//
// A machine with the policy LowestPC has an address for each waiting lane. At the points where the policy selects,
// the lanes with the lowest address become active, all that are there together.
//
// The row of a step says whether it has a target and which lanes take it: those of the operand, the mask, that are
// active; or all active lanes, and then the mask is ignored. Lanes that do not take the step continue at
// Block.Next, after the instruction.
//
// Lanes end by Builder.Retire, which is not a control step: Tesla's exit and discard, Valhall's .end. A branch that
// all active lanes take is Builder.Jump under both policies, unless lanes may reconverge at its target.
type ControlKind uint8

const (
	// CtlPush pushes a join token for the active lanes, which continue at Block.Next. The target is the instruction
	// that joins them. Tesla: joinat.
	CtlPush ControlKind = iota + 1
	// CtlPushBreak pushes a token for lanes that break, which continue at the target. Tesla: breakaddr.
	CtlPushBreak
	// CtlPushReturn pushes a token for lanes that return, which continue at the target: a call without its jump.
	// Tesla: preret.
	CtlPushReturn
	// CtlCall pushes a token for lanes that return, with address Block.Next, and sends the lanes of the mask to the
	// target. The others wait in the token as if they had returned. An empty mask pushes nothing. Tesla: call.
	CtlCall
	// CtlCallLimited is CtlCall, but no lane is sent to the target if Machine.CallLimit tokens of this kind are on
	// the stack. Tesla: call lim.
	CtlCallLimited
	// CtlDiverge sends the lanes of the mask to the target. If the lanes diverge, under MaskStack those of the mask
	// run first and the others wait in a token; under LowestPC the policy selects. If they do not, waiting lanes
	// stay where they are. Tesla: bra. Valhall: a branch without .reconverge.
	CtlDiverge
	// CtlJoin makes the active lanes wait in the innermost join token until those that wait above it have arrived
	// too; then all continue at Block.Next. The top of the stack must be that token, or lanes of the other side of
	// a divergent branch. Tesla: join.
	CtlJoin
	// CtlBreak makes the lanes of the mask wait in the innermost token of CtlPushBreak. Tokens above it are popped
	// when no lane is active or waits there any more. Tesla: break.
	CtlBreak
	// CtlReturn is CtlBreak for tokens of CtlPushReturn, CtlCall and CtlCallLimited. If none is on the stack the
	// lanes of the mask end. Tesla: ret.
	CtlReturn
	// CtlQuadOn activates all lanes of every quad (lanes 4k to 4k+3) with an active lane, including those that
	// wait, have ended or never began: helper lanes, whose writes persist. Until CtlQuadPop lanes may end, and
	// steps are allowed if no lanes diverge and none start to wait. Tesla: quadon.
	CtlQuadOn
	// CtlQuadPop activates the lanes that were active before CtlQuadOn and have not ended. Tesla: quadpop.
	CtlQuadPop
	// CtlReconverge sends the lanes of the mask to the target and lets the policy select, so that lanes of several
	// paths may reconverge. Valhall: any instruction with .reconverge; the target is that of a branch.
	CtlReconverge
	// CtlLink is CtlReconverge, but lanes of the mask whose target is Nowhere end. Valhall: a branch to an address
	// in a register, where 0 means that there is no caller, and a branch that terminates discarded threads.
	CtlLink
	numControls
)

// Nowhere is the target of lanes that end at CtlLink: no instruction has this address.
const Nowhere = ^uint64(0)

// A controlRow is the row of a control step.
type controlRow struct {
	name   string
	in     [LowestPC + 1]bool // per policy
	target bool               // Imm, or the operand of ctlx, is an address
	each   bool               // ctlx: may have an address per lane
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

// Controls returns the number of control steps, plus 1; they are 1 to Controls()-1.
func Controls() int { return int(numControls) }

func (k ControlKind) String() string {
	if k >= numControls {
		return "ctl?"
	}
	return controlNames[k]
}

// Doc returns a sentence that says what the step does.
func (k ControlKind) Doc() string { return controls[k].doc }

// In reports whether a policy has the step.
func (k ControlKind) In(c Control) bool {
	return k < numControls && int(c) < len(controls[k].in) && controls[k].in[c]
}

// HasTarget reports whether the step has an address where lanes continue, at once or later.
func (k ControlKind) HasTarget() bool { return k < numControls && controls[k].target }

// EachTarget reports whether the step may have an address per lane, as ctlx.
func (k ControlKind) EachTarget() bool { return k < numControls && controls[k].each }

// Control ends the block with a step of the machine's divergence policy: the lanes of the mask take the step, with
// that target; 0 if the step has none.
func (b *Builder) Control(k ControlKind, mask V, target uint64) {
	b.push(Inst{Op: CtlStep, Alt: uint64(k), Imm: target, Args: b.args(mask)})
}

// CheckControl faults if the Control that ends this instruction, of the same kind and mask, would be refused. An
// instruction with other effects must check first, because a refused instruction must have no effect.
func (b *Builder) CheckControl(k ControlKind, mask V) {
	b.push(Inst{Op: CtlCheck, Alt: uint64(k), Args: b.args(mask)})
}

// ControlX is Control with a target per lane, i64: a branch to a register. The step is CtlDiverge, CtlReconverge or
// CtlLink.
func (b *Builder) ControlX(k ControlKind, mask, target V) {
	b.push(Inst{Op: CtlStepX, Alt: uint64(k), Args: b.args(target, mask)})
}
