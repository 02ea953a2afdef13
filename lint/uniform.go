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
	post  *postDominators
	lanes []uint64   // bits: cells with a value per thread
	in    [][]uint64 // by block: bits of the cells that may differ between threads; nil: not reached
	spare [][]uint64
	apart []bool  // by block: threads may have diverged
	until []int32 // by block: 2 + the block up to which all that follow are marked apart, or what stands for none
	work  *worklist
	w     []uint64 // the present cells
}

func (a *analysis) newUniform(post *postDominators) *uniform {
	u := &uniform{analysis: a, post: post, lanes: make([]uint64, (a.cells+63)/64), in: make([][]uint64, len(a.blocks)), apart: make([]bool, len(a.blocks)),
		until: make([]int32, len(a.blocks)), work: a.newWorklist()}
	for c := range a.cells {
		if a.m.Files[a.cellAt(c).File].Kind.PerLane() {
			setBit(u.lanes, c)
		}
	}
	for _, e := range u.code.Entries {
		if i := u.stepAt(e.Addr); i >= 0 {
			b := u.blockOf(i)
			u.in[b] = slices.Clone(u.lanes)
			for _, c := range u.flow.Alike {
				u.in[b][u.index(c)>>6] &^= 1 << (u.index(c) & 63)
			}
		}
	}
	return u
}

// branches reports whether a block ends with a branch on lane values.
func (u *uniform) branches(b int32) bool { return *u.flags(u.blocks[b].last)&flagLanes != 0 }

// solve iterates over the blocks of a region until nothing changes: after a divergent branch, what is written before
// reconvergence varies. It returns false if that takes too long.
func (u *uniform) solve(r region) bool {
	for _, b := range r {
		if u.in[b] != nil {
			u.work.add(b)
		}
	}
	for b := u.work.take(); b >= 0; b = u.work.take() {
		if u.post.budget -= int(u.blocks[b].n); u.post.budget <= 0 {
			u.work.clear()
			break
		}
		remade := u.remade
		u.block(b)
		u.post.budget -= u.remade - remade
	}
	return u.post.budget > 0
}

// forget makes room for another region.
func (u *uniform) forget(r region) {
	for _, b := range r {
		if u.in[b] != nil {
			u.spare = append(u.spare, u.in[b])
			u.in[b] = nil
		}
	}
}

// block walks a block and passes the result to its successors.
func (u *uniform) block(at int32) {
	b := &u.blocks[at]
	u.w = append(u.w[:0], u.in[at]...)
	i := b.first
	for n := b.n; ; n-- {
		s := u.look(i)
		if n == 1 && s.traits&isa.TraitLanes != 0 && len(b.succ()) > 1 && !u.parts[at] && u.differs(s) {
			u.parts[at] = true
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
			if n := len(u.spare); n > 0 {
				u.in[to], u.spare = u.spare[n-1], u.spare[:n-1]
			}
			u.in[to] = append(u.in[to][:0], u.w...)
			u.work.add(to)
			continue
		}
		for k, x := range u.w {
			if n := u.in[to][k] | x; n != u.in[to][k] {
				u.in[to][k] = n
				u.work.add(to)
			}
		}
	}
}

// part marks the blocks between one and its post-dominator. It stops where it came before with the same one.
func (u *uniform) part(at int32) {
	meet := u.post.next[at]
	todo := slices.Clone(u.blocks[at].succ())
	for len(todo) > 0 && u.post.budget > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == meet || u.until[n] == meet+2 {
			continue
		}
		u.post.budget--
		if u.until[n] = meet + 2; !u.apart[n] {
			if u.apart[n] = true; u.in[n] != nil {
				u.work.add(n)
			}
		}
		todo = append(todo, u.blocks[n].succ()...)
	}
}

// differs reports whether the condition of a branch may differ: one that reads lane masks always may.
func (u *uniform) differs(s step) bool {
	masks := true
	for _, sp := range s.reads {
		masks = masks && !u.m.Files[sp.Cell.File].Kind.PerLane()
	}
	return masks || u.reads(s)
}

func (u *uniform) reads(s step) bool {
	for _, sp := range s.reads {
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
	return slices.ContainsFunc(s.reads, func(sp ir.Span) bool { return !u.m.Files[sp.Cell.File].Kind.PerLane() })
}

// writes records which cells vary. An execution mask from scalar registers is unknown: they may hold lane masks.
func (u *uniform) writes(s step, differ bool) {
	for _, sp := range s.writes {
		lo := u.index(sp.Cell)
		mask := u.m.Files[sp.Cell.File].Kind == ir.ExecMask && u.readsScalars(s)
		for c := lo; c < lo+int(sp.Count); c++ {
			if u.w[c>>6] &^= 1 << (c & 63); (differ || mask) && bitOf(u.lanes, c) {
				setBit(u.w, c)
			}
		}
	}
}
