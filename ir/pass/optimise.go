package pass

import "github.com/heddle-gpu/heddle/ir"

// Options say what of a block somebody looks at. The zero Options keep the state at the end of the block and
// where it faults.
type Options struct {
	Keep  Keep
	Looks Operands // what faults name, with KeepEnd
	Out   *LiveSet // the cells that are looked at after the block; nil: all
	// Apart: Out is of the lanes that run, and of the others, in front of the terminator. Otherwise any lane may be one that runs behind it.
	Apart bool
	// Widen makes writes under a mask write all lanes, where nobody looks at those that the mask spares:
	// an engine then need not read the old contents. Inactive lanes hold what a debugger does not expect.
	Widen bool
	// Free, if not nil, is for engines that decide themselves: instead of being widened such writes are listed, by the numbers of their ops.
	Free *[]int32
	// Usual makes a block for waves that have no lane where none is expected (ir.Seldom). Such ops stay: who runs the
	// block and meets one with a lane must go on with the canonical block, at the begin of the mark, where the state is
	// that of the canonical block; with KeepEnd, in the cells that are live there.
	Usual bool
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
	w.apart = o.Apart
	do := folds | forwards | numbers
	if o.Usual && !b.Serial && seldom(b) {
		if o.Keep == KeepEnd {
			w.enter(m, b, o.Looks, *out)
		}
		w.usual = true
		do |= usual
	}
	b = w.run(m, b, do, nil)
	for range maxRounds {
		before := len(b.Ops)
		w.reset(w.defs, o.Keep, o.Looks)
		b = w.run(m, b, do, w.sweep(*out))
		if len(b.Ops) == before {
			break
		}
	}
	if o.Widen || o.Free != nil {
		w.free = o.Free
		w.reset(w.defs, o.Keep, o.Looks)
		b = w.run(m, b, do|widens, w.sweep(*out))
	}
	b = b.Compact()
	w.release()
	return b
}

// seldom reports whether the block says what is.
func seldom(b *ir.Block) bool {
	for i := range b.Ops {
		if b.Ops[i].Op == ir.Seldom {
			return true
		}
	}
	return false
}

// enter finds what is live where somebody may go on in the canonical block.
func (w *rewriter) enter(m *ir.Machine, b *ir.Block, looks Operands, out LiveSet) {
	w.reset(defsOf(m, b), KeepEnd, looks)
	w.entries = map[int]LiveSet{}
	for i := range b.Ops {
		if b.Ops[i].Op == ir.Seldom {
			w.entries[b.MarkAt(i)] = LiveSet{}
		}
	}
	w.sweep(out)
}

// maxRounds bounds how often what is left of a block is looked at again.
const maxRounds = 5
