package lower

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A TermKind says how the terminator of a block is executed.
type TermKind uint8

const (
	TermCaller   TermKind = iota // by the caller
	TermJump                     // to the first way
	TermIfBit                    // to the first way if the lowest bit of Cond is 1, else to the second
	TermIfNone                   // by exec.Shortcut with Cond as the mask; to the first way if it is not 0, else to the second
	TermIfAgreed                 // likewise
	TermIfWhole                  // likewise
	TermRetire                   // as TermIfNone; if the mask has all live lanes, as TermEnd
	TermEnd                      // by the caller, and the wave's turn ends there
	TermStack                    // by Step on the control stack
	TermFar                      // to the address in the word Cond
)

// An Ending describes the end of a block.
type Ending struct {
	Kind TermKind
	Cond Place
	exec.Cost
	Marks int  // at least one, as Cost for each visit
	Stack bool // lanes diverge and reconverge by a control stack
	// Lowest: lanes diverge or reconverge by the policy LowestPC; see ir.LowestPC. Machine code may execute the step if
	// not all lanes go the same way, or leave it to the caller.
	Lowest bool
	Step   ir.ControlKind
	Rarely bool      // there is a way on which waves yield rarely: see exec.State.Passes
	To     [2]uint64 // the addresses of the ways
}

// end sets the ending of the block.
func (b *Block) end() {
	in, e := b.Frame.Own.Term(), &b.Ending
	e.Stack = b.Machine.Control == ir.MaskStack
	e.Marks, e.Cost = b.Frame.Cost()
	if len(b.Term) > 0 {
		e.Cond = b.Term[len(b.Term)-1]
	}
	e.To = [2]uint64{in.Imm, b.Frame.Own.Next}
	switch in.Op {
	case ir.Jump:
		if in.Alt != ir.JumpYields {
			e.Kind = TermJump
		}
	case ir.End, ir.Barrier:
		if len(b.Term) == 0 {
			e.Kind = TermEnd
		}
		return
	case ir.Branch:
		e.Kind, e.To[1] = TermIfBit, in.Alt
	case ir.JumpX:
		e.Kind = TermFar
	case ir.Retire:
		e.Kind, e.To[1] = TermRetire, in.Imm
	case ir.CtlStep:
		e.Kind = shortcuts[exec.ShortcutOf(in)]
		if k := ir.ControlKind(in.Alt); e.Stack && onStack(k) {
			e.Kind, e.Step = TermStack, k
		}
		e.Lowest = b.Machine.Control == ir.LowestPC && e.Kind != TermCaller
	}
	if !b.Frame.Keeps() {
		e.Kind, e.Lowest = TermCaller, false
	}
	e.Rarely = b.Lanes > 0 && b.yieldsRarely()
}

// yieldsRarely reports whether there is a way, for machine code, on which waves yield rarely.
func (b *Block) yieldsRarely() bool {
	e, in, key := &b.Ending, b.Frame.Own.Term(), b.Frame.Block.Key
	ways := e.To[:]
	switch {
	case e.Kind == TermCaller:
		return false
	case e.Kind == TermFar || e.Step == ir.CtlBreak || e.Step == ir.CtlReturn:
		return true
	case in.Op == ir.CtlStep && !ir.ControlKind(in.Alt).HasTarget():
		ways = ways[1:]
	}
	return slices.ContainsFunc(ways, func(pc uint64) bool {
		return pc <= key.PC && b.Frame.Yields(ir.Key{PC: pc, Mode: key.Mode}) == exec.YieldsRarely
	})
}

// shortcuts are the kinds of control steps.
var shortcuts = [...]TermKind{
	exec.NoShortcut: TermCaller, exec.IfNone: TermIfNone, exec.IfAgreed: TermIfAgreed, exec.IfWhole: TermIfWhole,
}

// onStack reports whether machine code may execute a step of the control stack.
func onStack(k ir.ControlKind) bool {
	switch k {
	case ir.CtlPush, ir.CtlPushBreak, ir.CtlPushReturn, ir.CtlCall, ir.CtlDiverge, ir.CtlJoin, ir.CtlBreak, ir.CtlReturn:
		return true
	}
	return false
}
