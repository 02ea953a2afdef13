package exec

import "github.com/heddle-gpu/heddle/ir"

// A Shortcut says when an engine may carry a control step out itself: when the step does nothing
// but move the running lanes together. It is known when a block is compiled; whether it holds, when
// the block is left.
type Shortcut uint8

const (
	NoShortcut Shortcut = iota // never: the step changes the stack, or lanes may part
	IfNone                     // no lane takes the step
	IfAgreed                   // none or all of the running lanes take it
	IfWhole                    // all live lanes run, and none or all of them take the step
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

// ShortcutOf is the shortcut of a terminator: ctl, ctlx and retire have one.
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

// Holds reports whether an engine may take the shortcut: live are the lanes that have not ended,
// running those of the execution mask, mask those that the step's operand names. Under a policy the
// engine may, but need not, clear lanes of the mask that do not run: they take no step.
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

// Fast is where the wave goes on if the engine carries out the terminator of block b itself, and
// whether it may. It leaves the state as [State.Leave] does, once it is there ([State.Goto]).
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
