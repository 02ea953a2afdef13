package pass

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// Options say what of a block's state is live. With the zero Options it is the state at the end of the block and
// where it faults.
type Options struct {
	Keep  Keep
	Looks Operands // what faults name, with KeepEnd
	Out   *LiveSet // the cells that are live after the block; nil: all
	// Apart says that the active and inactive lanes of Out are those before the terminator. Otherwise any lane may
	// be active after it.
	Apart bool
	// Widen makes masked writes write all lanes, if the lanes outside the mask are dead: an engine then need not
	// read the old contents. Inactive lanes then have values that a debugger does not expect.
	Widen bool
	// WriteAll, if not nil, is for engines that decide themselves: instead of being widened such writes are listed, by
	// the numbers of their ops.
	WriteAll *[]int32
	// Likely makes a block for the case that no unlikely mask (ir.Unlikely) has lanes. The Unlikely ops stay. If one has
	// a lane, the caller must continue in the canonical block, at the start of the mark. There the state is that of
	// the canonical block; with KeepEnd, only in the cells that are live there.
	Likely bool
	// Guess, with Likely, returns the value that the operand of an op Stable is expected to have; false: not known. The
	// block is made for that value if the operand is uniform: other values make an unlikely mask. Ops are those of
	// Block.Likely, if there is one.
	Guess func(op int) (value uint64, ok bool)
}

// Optimise performs all rewrites. It keeps the block's marks and the order of its memory accesses. At the places
// that the options name, live cells have the values that they have in the canonical block. Queue markers are
// removed; the canonical block has them.
func Optimise(m *ir.Machine, b *ir.Block, o Options) *ir.Block {
	out := o.Out
	if out == nil {
		all := NewLiveSet(AllCells(m))
		out = &all
	}
	out = mixIfDead(m, b, out)
	w := rewriters.Get().(*rewriter)
	w.apart = o.Apart
	do := folds | forwards | numbers
	w.guess = o.Guess
	all := b
	if o.Likely && b.Likely != nil {
		b = b.Likely
	}
	if o.Likely && !b.Serial && slices.ContainsFunc(b.Ops, mayExit) {
		if o.Keep == KeepEnd {
			w.enter(m, all, b, o.Looks, *out)
		}
		w.likely = true
		do |= likely
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
	if o.Widen || o.WriteAll != nil {
		w.writeAll = o.WriteAll
		w.reset(w.defs, o.Keep, o.Looks)
		b = w.run(m, b, do|widens, w.sweep(*out))
	}
	b = b.Compact()
	w.release()
	return b
}

// mixIfDead returns the set out of what is live after a block. If the block sets the execution mask and the mask is
// dead after it, the op that sets it is dropped, so the optimised block has other active lanes at its end. Then each
// cell of the set is live in all lanes.
func mixIfDead(m *ir.Machine, b *ir.Block, out *LiveSet) *LiveSet {
	exec, ok := m.Exec()
	if !ok || out.Active.Has(exec) || out.Inactive.Has(exec) || !writes(m, b, exec) {
		return out
	}
	mixed := out.Clone()
	mixed.mix()
	return &mixed
}

// mayExit reports whether execution may continue in the canonical block at the mark of an op, with [Options].Likely.
func mayExit(in ir.Inst) bool { return in.Op == ir.Unlikely || in.Op == ir.Stable }

// enter computes what is live at the places where execution may continue in the canonical block, from block b.
func (w *rewriter) enter(m *ir.Machine, canonical, b *ir.Block, looks Operands, out LiveSet) {
	w.reset(defsOf(m, canonical), KeepEnd, looks)
	w.entries = map[int]LiveSet{}
	for i := range b.Ops {
		if mayExit(b.Ops[i]) {
			w.entries[b.MarkAt(i)] = LiveSet{}
		}
	}
	w.sweep(out)
}

// maxRounds is how often the remaining block is optimised again.
const maxRounds = 5
