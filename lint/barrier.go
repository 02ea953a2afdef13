package lint

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// around adds a finding about the first of the barriers of a block, which a branch leads some waves around, and about
// those after one that is reported again.
func (a *analysis) around(r *isa.Rule, branch int32, barriers []int32, told map[int32]bool) {
	s := a.look(branch)
	for _, j := range barriers {
		if !told[j] {
			told[j] = true
			a.find(r, j, branch, fmt.Sprintf("%s: waves for which %s at %#x goes the other way do not come here", a.look(j).in.Def.Name, s.in.Def.Name, s.addr), "")
		}
		if !a.keeps(r, j, branch) {
			return
		}
	}
}

// onlyEnds reports whether a block does nothing but terminate the wave.
func (a *analysis) onlyEnds(b *block) bool {
	return b.n == 1 && a.look(b.first).traits&isa.TraitEnd != 0
}

// postDominators holds, for each block of a region, the next one that all paths to the end of the wave go through.
type postDominators struct {
	*analysis
	next   []int32 // by block; the last is that of the exit; -1: no path ends
	exit   int32
	number []int32    // by block: its index in a walk back from the exit, higher than those of its successors; -1: none
	pred   []int32    // by block: 2 * a block that leads to it + which of its ways does; -1: none
	other  [][2]int32 // by block and way: the next one in the list of pred
	budget int        // remaining steps of the region
}

func (a *analysis) newPostDominators() *postDominators {
	n := len(a.blocks)
	p := &postDominators{analysis: a, exit: int32(n), next: make([]int32, n+1), number: make([]int32, n+1), pred: make([]int32, n+1),
		other: make([][2]int32, n)}
	for i := range p.next {
		p.next[i], p.number[i], p.pred[i] = -1, -1, -1
	}
	return p
}

// succ returns the blocks that follow, or the exit.
func (p *postDominators) succ(b int32) []int32 {
	if s := p.blocks[b].succ(); len(s) > 0 {
		return s
	}
	return []int32{p.exit}
}

// find computes them for a region, by the algorithm of Cooper, Harvey and Kennedy.
func (p *postDominators) find(r region) {
	for _, b := range r {
		for k, s := range p.succ(b) {
			p.other[b][k], p.pred[s] = p.pred[s], b<<1|int32(k)
		}
	}
	order := p.backward() // the exit last
	for i, b := range order {
		p.number[b] = int32(i)
	}
	p.next[p.exit] = p.exit
	for changed := true; changed && p.budget > 0; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			b := order[i]
			next := int32(-1)
			for _, s := range p.succ(b) {
				if p.next[s] >= 0 && next < 0 {
					next = s
				} else if p.next[s] >= 0 {
					next = p.meet(s, next)
				}
			}
			if p.budget--; next != p.next[b] {
				p.next[b], changed = next, true
			}
		}
	}
}

// forget makes room for another region.
func (p *postDominators) forget(r region) {
	for _, b := range r {
		p.next[b], p.number[b], p.pred[b] = -1, -1, -1
	}
	p.pred[p.exit] = -1
}

// meet returns the next block that the paths of both go through.
func (p *postDominators) meet(x, y int32) int32 {
	for x != y && p.budget > 0 {
		p.budget--
		if p.number[x] < p.number[y] {
			x = p.next[x]
		} else {
			y = p.next[y]
		}
	}
	return x
}

// backward returns the blocks of the region that lead to the exit, each after those that it leads to.
func (p *postDominators) backward() (order []int32) {
	type frame struct{ b, pred int32 }
	p.number[p.exit] = 0
	for stack := []frame{{p.exit, p.pred[p.exit]}}; len(stack) > 0; {
		f := &stack[len(stack)-1]
		if f.pred < 0 {
			order = append(order, f.b)
			stack = stack[:len(stack)-1]
			continue
		}
		b := f.pred >> 1
		f.pred = p.other[b][f.pred&1]
		if p.number[b] < 0 {
			p.number[b] = 0
			stack = append(stack, frame{b, p.pred[b]})
		}
	}
	return order
}
