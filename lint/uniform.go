package lint

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Divergence at branches, on machines without a control stack: a branch diverges if its condition may differ between
// threads.

// A uniform finds the branches at which threads diverge.
type uniform struct {
	*analysis
	post   *postDominators
	lanes  []uint64   // bits: cells with a value per thread
	in     [][]uint64 // by block: bits of the cells that may differ between threads; nil: not reached
	apart  []bool     // by block: threads may have diverged
	parts  []bool     // by block: they may diverge at its end
	w      []uint64   // the present cells
	budget int
}

// divided returns the blocks at whose end threads diverge: all whose last step has isa.TraitLanes if the analysis
// takes too long.
func (a *analysis) divided() []bool {
	u := &uniform{analysis: a, lanes: make([]uint64, (a.cells+63)/64), in: make([][]uint64, len(a.blocks)), apart: make([]bool, len(a.blocks)),
		parts: make([]bool, len(a.blocks)), budget: 64*a.count + 1<<20}
	may := make([]bool, len(a.blocks))
	if !u.candidates(may) {
		return may
	}
	u.post = a.postDominators()
	for c := range a.cells {
		if a.m.Files[a.cellAt(c).File].Kind.PerLane() {
			setBit(u.lanes, c)
		}
	}
	if !u.solve() {
		return may
	}
	return u.parts
}

// candidates marks the blocks that end with a branch on lane values, and reports whether there is one.
func (u *uniform) candidates(may []bool) (some bool) {
	for i := range u.blocks {
		if u.look(u.blocks[i].last).traits&isa.TraitLanes != 0 {
			may[i], some = true, true
		}
	}
	return some
}

// solve iterates over the blocks until nothing changes: after a divergent branch, what is written before
// reconvergence varies.
func (u *uniform) solve() bool {
	for _, e := range u.code.Entries {
		if i := u.stepAt(e.Addr); i >= 0 {
			u.in[u.look(i).block] = slices.Clone(u.lanes)
			for _, c := range u.flow.Alike {
				u.in[u.look(i).block][u.index(c)>>6] &^= 1 << (u.index(c) & 63)
			}
		}
	}
	order := u.order()
	for changed := true; changed; {
		changed = false
		for _, b := range order {
			if u.in[b] == nil {
				continue
			}
			if u.budget -= int(u.blocks[b].n); u.budget < 0 || u.post.budget <= 0 {
				return false
			}
			changed = u.block(b) || changed
		}
	}
	return true
}

// block walks a block, passes the result to its successors, and reports whether that changed anything.
func (u *uniform) block(at int32) (changed bool) {
	b := &u.blocks[at]
	u.w = append(u.w[:0], u.in[at]...)
	i := b.first
	for n := b.n; ; n-- {
		s := u.look(i)
		if n == 1 && s.traits&isa.TraitLanes != 0 && len(b.succ()) > 1 && !u.parts[at] && u.differs(s) {
			u.parts[at], changed = true, true
			u.part(at)
		}
		u.writes(s, u.apart[at] || s.traits&isa.TraitVaries != 0 || s.traits&isa.TraitSame == 0 && u.reads(s))
		if n == 1 {
			break
		}
		i = u.next(i)
	}
	for _, to := range b.succ() {
		if u.in[to] == nil {
			u.in[to], changed = slices.Clone(u.w), true
			continue
		}
		for k, x := range u.w {
			if n := u.in[to][k] | x; n != u.in[to][k] {
				u.in[to][k], changed = n, true
			}
		}
	}
	return changed
}

// part marks the blocks between one and its post-dominator.
func (u *uniform) part(at int32) {
	meet := u.post.next[at]
	todo := slices.Clone(u.blocks[at].succ())
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == meet || u.apart[n] {
			continue
		}
		u.budget--
		u.apart[n] = true
		todo = append(todo, u.blocks[n].succ()...)
	}
}

// differs reports whether the condition of a branch may differ: one that reads lane masks always may.
func (u *uniform) differs(s step) bool {
	masks := true
	for _, sp := range u.spans[s.reads.lo:s.reads.hi] {
		masks = masks && !u.m.Files[sp.Cell.File].Kind.PerLane()
	}
	return masks || u.reads(s)
}

func (u *uniform) reads(s step) bool {
	for _, sp := range u.spans[s.reads.lo:s.reads.hi] {
		lo := u.index(sp.Cell)
		for c := lo; c < lo+int(sp.Count); c++ {
			if bitOf(u.w, c) {
				return true
			}
		}
	}
	return false
}

// readsScalars reports whether a step reads cells that all lanes share.
func (u *uniform) readsScalars(s step) bool {
	return slices.ContainsFunc(u.spans[s.reads.lo:s.reads.hi], func(sp ir.Span) bool { return !u.m.Files[sp.Cell.File].Kind.PerLane() })
}

// writes records which cells vary. An execution mask from scalar registers is unknown: they may hold lane masks.
func (u *uniform) writes(s step, differ bool) {
	for _, sp := range u.spans[s.writes.lo:s.writes.hi] {
		lo := u.index(sp.Cell)
		mask := u.m.Files[sp.Cell.File].Kind == ir.ExecMask && u.readsScalars(s)
		for c := lo; c < lo+int(sp.Count); c++ {
			if u.w[c>>6] &^= 1 << (c & 63); (differ || mask) && bitOf(u.lanes, c) {
				setBit(u.w, c)
			}
		}
	}
}
