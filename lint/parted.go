package lint

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Divergence of the threads of a warp, on machines with a control stack: a branch whose condition may differ between
// threads makes them diverge until the join, or the end of the loop or call, that was set up before it.

// A warp is what may be true of the threads of a warp before a step.
type warp struct {
	vary  []uint64 // bits: cells that may differ between threads
	by    int32    // the branch at which threads have diverged; -1: they have not
	reach bool
}

func (w *warp) copyFrom(o *warp) {
	w.vary, w.by, w.reach = append(w.vary[:0], o.vary...), o.by, o.reach
}

// meet merges the paths of o and reports whether that changed anything.
func (w *warp) meet(o *warp) (changed bool) {
	if !w.reach {
		w.copyFrom(o)
		return true
	}
	for i, x := range o.vary {
		if n := w.vary[i] | x; n != w.vary[i] {
			w.vary[i], changed = n, true
		}
	}
	if w.by < 0 && o.by >= 0 {
		w.by, changed = o.by, true
	}
	return changed
}

// A parting computes the warps at the starts of blocks.
type parting struct {
	*stacks
	in       []warp // by block
	work     *worklist
	parted   []int32   // by token: the branch at which threads had diverged where it was pushed; -1: none
	users    [][]int32 // by token: the blocks that pop it
	of       []int32   // by block: the first one of its region
	blocksOf []region  // by the first block of a region
	steps    []int     // by the first block of a region: the steps that it may still take; below 0: it is given up
	w        warp      // the present warp
	there    int32     // where breaking threads continue: by of the warp there
	all      []uint64
}

// barriers finds barriers at which threads of a warp may have diverged: those that are elsewhere do not arrive with
// the others.
func (k *stacks) barriers(r *isa.Rule) {
	if k.seen&isa.TraitBarrier == 0 {
		return
	}
	p := &parting{stacks: k, in: make([]warp, len(k.blocks)), work: k.newWorklist()}
	p.solve()
	for i := range p.in {
		if !p.in[i].reach || p.steps[p.of[i]] < 0 {
			continue
		}
		p.w.copyFrom(&p.in[i])
		b := &k.blocks[i]
		for j, n := b.first, b.n; n > 0; j, n = k.next(j), n-1 {
			if s := k.look(j); s.traits&isa.TraitBarrier != 0 && p.w.by >= 0 {
				by := k.look(p.w.by)
				k.find(r, j, p.w.by, fmt.Sprintf("%s: threads for which %s at %#x goes the other way may not be here", s.in.Def.Name, by.in.Def.Name, by.addr), "")
			}
			p.step(j)
		}
	}
}

// budgets gives each region steps for its instructions, and a share of more.
func (p *parting) budgets() {
	p.of, p.steps, p.blocksOf = p.connected(), make([]int, len(p.blocks)), make([]region, len(p.blocks))
	regions := 0
	for _, b := range p.order {
		root := p.of[b]
		if root == b {
			regions++
		}
		p.blocksOf[root] = append(p.blocksOf[root], b)
		p.steps[p.of[b]] += p.each * int(p.blocks[b].n)
	}
	for b := range p.steps {
		if p.steps[b] > 0 {
			p.steps[b] += p.free / max(regions, 1)
		}
	}
}

// solve iterates over blocks until nothing changes, or the steps of a region do not suffice.
func (p *parting) solve() {
	p.budgets()
	p.all = make([]uint64, (p.cells+63)/64)
	for c := range p.cells {
		if p.m.Files[p.cellAt(c).File].Kind.PerLane() {
			setBit(p.all, c)
		}
	}
	begin := slices.Clone(p.all)
	for _, c := range p.flow.Alike {
		begin[p.index(c)>>6] &^= 1 << (p.index(c) & 63)
	}
	p.parted, p.users = make([]int32, len(p.tokens)), make([][]int32, len(p.tokens))
	for i := range p.parted {
		p.parted[i] = -1
	}
	for i := range p.in {
		p.in[i].by = -1
	}
	for i := range int32(p.count) {
		if at := p.ends(i); at >= 0 {
			p.users[at] = append(p.users[at], p.blockOf(i))
		}
	}
	for _, e := range p.code.Entries {
		if i := p.stepAt(e.Addr); i >= 0 {
			p.arrive(i, &warp{vary: begin, by: -1, reach: true})
		}
	}
	for b := p.work.take(); b >= 0; b = p.work.take() {
		left := &p.steps[p.of[b]]
		if *left < 0 {
			continue
		}
		remade := p.remade
		p.block(b)
		if *left -= int(p.blocks[b].n) + p.remade - remade; *left < 0 {
			p.saysUndecided(p.blocksOf[p.of[b]])
		}
	}
}

// arrive merges a warp into the start of a block.
func (p *parting) arrive(i int32, w *warp) {
	if b := p.blockOf(i); p.in[b].meet(w) {
		p.work.add(b)
	}
}

// block walks a block and passes the result to its successors.
func (p *parting) block(at int32) {
	b := &p.blocks[at]
	p.w.copyFrom(&p.in[at])
	i := b.first
	for n := b.n; ; n-- {
		p.step(i)
		if n == 1 {
			break
		}
		i = p.next(i)
	}
	if next := p.after(i); next >= 0 {
		p.arrive(next, &p.w)
	}
	if to := p.to(i); to >= 0 {
		p.w.by = p.there
		p.arrive(to, &p.w)
	}
}

// step advances the warp over a step.
func (p *parting) step(i int32) {
	s := p.look(i)
	varies := s.traits&isa.TraitVaries != 0 || s.traits&isa.TraitSame == 0 && p.reads(s)
	p.writes(s, varies)
	parts := s.traits&isa.TraitLanes != 0 && (varies || s.ctl == 0) || s.parts && s.ctl != 0 && varies
	p.there = p.w.by
	top := p.top[i]
	switch {
	case top < 0:
	case s.ctl == ir.CtlJoin:
		if at := p.ends(i); at >= 0 {
			p.w.by = p.parted[at]
		}
	case pushes(s.ctl):
		if t, is := p.known[tokenKey{top, s.ctl, s.target}]; is && p.parted[t] < 0 && p.w.by >= 0 {
			p.parted[t] = p.w.by
			for _, b := range p.users[t] {
				p.work.add(b)
			}
		}
	case s.ctl == ir.CtlBreak || s.ctl == ir.CtlReturn:
		if at := p.ends(i); at >= 0 {
			p.there = p.parted[at]
		} else {
			parts = false // a return outside of a call terminates
		}
	case s.traits&isa.TraitCall != 0:
		if to := p.stepAt(s.target); to >= 0 {
			p.arrive(to, &warp{vary: p.all, by: p.w.by, reach: true})
		}
		copy(p.w.vary, p.all)
	}
	if parts && p.w.by < 0 {
		p.w.by = i
		if s.ctl == ir.CtlDiverge {
			p.there = i
		}
	}
}

// ends returns the token that a step pops for the threads that take it; -1: none.
func (p *parting) ends(i int32) int32 {
	s, top := p.look(i), p.top[i]
	switch {
	case top < 0:
	case s.ctl == ir.CtlJoin && p.tokens[top].kind == ir.CtlPush:
		return top
	case s.ctl == ir.CtlBreak:
		return p.reaches(top, ir.CtlPushBreak, ir.CtlPushBreak)
	case s.ctl == ir.CtlReturn:
		return p.reaches(top, ir.CtlCall, ir.CtlPushReturn)
	}
	return -1
}

func (p *parting) reads(s step) bool {
	for _, sp := range s.reads {
		lo := p.index(sp.Cell)
		for c := range int(sp.Count) {
			if bitOf(p.w.vary, lo+c) {
				return true
			}
		}
	}
	return false
}

// writes records which cells vary. What only some threads write differs from what the others have.
func (p *parting) writes(s step, varies bool) {
	for _, sp := range s.writes {
		lo := p.index(sp.Cell)
		for c := lo; c < lo+int(sp.Count); c++ {
			switch {
			case !bitOf(p.all, c):
			case varies || p.w.by >= 0:
				setBit(p.w.vary, c)
			case s.traits&isa.TraitPart == 0:
				p.w.vary[c>>6] &^= 1 << (c & 63)
			}
		}
	}
}
