package pass

import "github.com/heddle-gpu/heddle/ir"

// Options say what of a block somebody looks at. The zero Options keep the state at the end of the block and
// where it faults.
type Options struct {
	Keep Keep
	Out  *LiveSet // the cells that are looked at after the block; nil: all
	// Widen makes writes under a mask write all lanes, where nobody looks at those that the mask spares:
	// an engine then need not read the old contents. Inactive lanes hold what a debugger does not expect.
	Widen bool
}

// Optimise is all rewrites. It leaves the block's marks, and its accesses of memory in their order; the state at
// the places that the options name is that of the canonical block, in the cells that are live there. Markers of
// queues go: the canonical block has them.
func Optimise(m *ir.Machine, b *ir.Block, o Options) *ir.Block {
	out := o.Out
	if out == nil {
		all := NewLiveSet(AllCells(m))
		out = &all
	}
	w := rewriters.Get().(*rewriter)
	b = w.run(m, b, folds|forwards|numbers, nil)
	for range maxRounds {
		before := len(b.Ops)
		w.reset(w.defs, o.Keep)
		b = w.run(m, b, folds|forwards|numbers, w.sweep(*out))
		if len(b.Ops) == before {
			break
		}
	}
	if o.Widen {
		w.reset(w.defs, o.Keep)
		b = w.run(m, b, folds|forwards|numbers|widens, w.sweep(*out))
	}
	b = b.Compact()
	w.release()
	return b
}

// maxRounds bounds how often what is left of a block is looked at again.
const maxRounds = 5
