package pass

import "github.com/heddle-gpu/heddle/ir"

// Options say what of a block somebody looks at. The zero Options keep the state at the end of the block and
// where it faults.
type Options struct {
	Keep Keep
	Out  *LiveSet // the cells that are looked at after the block; nil: all
}

// Optimise is all rewrites. It leaves the block's marks, and its accesses of memory in their order; the state at
// the places that the options name is that of the canonical block, in the cells that are live there. Markers of
// queues go: the canonical block has them.
func Optimise(m *ir.Machine, b *ir.Block, o Options) *ir.Block {
	out := NewLiveSet(AllCells(m))
	if o.Out != nil {
		out = *o.Out
	}
	b = rewrite(m, b, folds|forwards|numbers, nil)
	for range maxRounds {
		before := len(b.Ops)
		s := newSweeper(m, b, o.Keep)
		b = rewrite(m, b, folds|forwards|numbers, s.sweep(out))
		if len(b.Ops) == before {
			break
		}
	}
	return b
}

// maxRounds bounds how often what is left of a block is looked at again.
const maxRounds = 5
