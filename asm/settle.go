package asm

import "github.com/heddle-gpu/heddle/isa"

// maxRounds limits the search for addresses, and for a layout with them: sizes that depend on each other's addresses
// may never agree.
const (
	maxRounds  = 16
	maxLayouts = 64
	// A symbol that is defined by a later one gets its value one round after it. Rounds in which one did have a limit
	// of their own, and another for the statements that they read.
	maxChain     = 1 << 12
	maxChainWork = 1 << 22
)

// settle reads the statements until no label moves and the layout requests nothing more.
func (a *assembler) settle() {
	a.blind = a.target.Layout != nil
	chain := min(maxChain, maxChainWork/(a.stmts.n+1))
	for rounds, layouts := 0, 0; ; rounds++ {
		a.round()
		if a.blind {
			a.blind, a.changed = false, a.used
		}
		switch {
		case a.stopped:
			return
		case a.changed && a.resolved && chain > 0:
			rounds, chain = rounds-1, chain-1
			continue
		case a.changed && a.resolved:
			a.cur, a.late = a.moving, a.late[:0]
			a.stop(isa.ErrLimit, "too long a chain of symbols each of which is defined by a later one; define them in the other order")
			return
		case a.changed && rounds == maxRounds:
			a.cur = a.moving
			a.stop(isa.ErrSymbol, "the addresses of labels do not settle: sizes depend on each other")
			return
		case a.changed:
			continue
		case !a.layout():
			return
		case layouts == maxLayouts:
			a.stop(isa.ErrSymbol, "the layout of the instructions does not settle")
			return
		}
		rounds, layouts = -1, layouts+1
	}
}
