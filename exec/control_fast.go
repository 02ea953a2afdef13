package exec

import "github.com/heddle-gpu/heddle/ir"

// A Shortcut says when an engine may execute a control step without State.Leave, because the step only moves the
// active lanes together. Which shortcut a step has is known when its block is compiled. Whether it holds is known
// when the block is left.
type Shortcut uint8

const (
	NoShortcut Shortcut = iota // never: the step changes the stack, or lanes may diverge
	IfNone                     // no lane takes the step
	IfAgreed                   // none or all of the active lanes take it
	IfWhole                    // all live lanes are active, and none or all of them take the step
)

// shortcuts are those of the steps of both policies.
var shortcuts = [...]Shortcut{
	ir.CtlCall:        IfNone,
	ir.CtlCallLimited: IfNone,
	ir.CtlDiverge:     IfAgreed,
	ir.CtlBreak:       IfNone,
	ir.CtlReturn:      IfNone,
	ir.CtlReconverge:  IfWhole,
}

// ShortcutOf returns the shortcut of a terminator. Only ctl, ctlx and retire have one.
func ShortcutOf(in *ir.Inst) Shortcut {
	switch {
	case in.Op == ir.Retire:
		return IfNone
	case in.Op == ir.CtlStep && int(in.Alt) < len(shortcuts):
		return shortcuts[in.Alt]
	case in.Op == ir.CtlStepX && int(in.Alt) < len(shortcuts) && shortcuts[in.Alt] != NoShortcut:
		if shortcuts[in.Alt] == IfWhole {
			return NoShortcut
		}
		return IfNone // the lanes that take the step may have several targets
	}
	return NoShortcut
}

// Holds reports whether an engine may take the shortcut. live are the lanes that have not ended, running the lanes
// of the execution mask, mask the lanes of the step's operand. Under a policy the engine may clear inactive lanes
// of the mask, which take no step; it need not.
func (s Shortcut) Holds(live, running, mask uint64) bool {
	switch s {
	case IfNone:
		return mask == 0
	case IfAgreed:
		return mask == 0 || mask == running
	case IfWhole:
		return live == running && (mask == 0 || mask == running)
	}
	return false
}

// Fast reports whether the engine may execute the terminator of block b itself, and the address where the wave then
// continues. After [State.Goto] to it the state is as after [State.Leave].
func Fast(b *ir.Block, live, running, mask uint64) (pc uint64, ok bool) {
	in := b.Term()
	if !ShortcutOf(in).Holds(live, running, mask) {
		return 0, false
	}
	if mask != 0 || in.Op == ir.Retire {
		return in.Imm, true
	}
	return b.Next, true
}

// alone reports whether the step has a shortcut that holds.
func (s *step) alone(st *State) bool {
	in := ir.Inst{Op: ir.CtlStep, Alt: uint64(s.kind)}
	if s.at != nil {
		in.Op = ir.CtlStepX
	}
	return ShortcutOf(&in).Holds(st.Live, st.Exec, s.mask)
}
