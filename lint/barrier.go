package lint

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// barriers finds divergent branches that lead some waves of a workgroup around a barrier and others to it: a barrier
// on a path between the branch and the point where its sides join. Waves that terminate instead do no harm: a barrier
// does not wait for them.
func (a *analysis) barriers() {
	r := a.rule(isa.RuleBarrier)
	if r == nil {
		return
	}
	if a.stack != nil {
		a.stack.barriers(r)
		return
	}
	a.aroundBranches(isa.TraitBarrier, func(branch int32, barriers []int32, told map[int32]bool) { a.around(r, branch, barriers, told) })
}

// aroundBranches calls f, for each branch on lane values, with the instructions with one of traits on the paths
// between the branch and the point where its sides join, block by block.
func (a *analysis) aroundBranches(traits isa.Traits, f func(branch int32, inside []int32, told map[int32]bool)) {
	at := map[int32][]int32{} // such instructions by block
	lanes := false
	for i := range int32(a.count) {
		s := a.look(i)
		lanes = lanes || s.traits&isa.TraitLanes != 0
		if s.traits&traits != 0 {
			at[s.block] = append(at[s.block], i)
		}
	}
	if len(at) == 0 || !lanes {
		return
	}
	p, parts := a.postDominators(), a.divided()
	told := map[int32]bool{}
	for i := range a.blocks {
		b := &a.blocks[i]
		x := b.last
		meet := p.next[i]
		if !parts[i] || meet < 0 || meet == p.exit || a.onlyEnds(&a.blocks[meet]) {
			continue
		}
		for _, n := range b.succ() {
			for ; n != meet && n != p.exit && n >= 0 && p.budget > 0; n = p.next[n] {
				p.budget--
				f(x, at[n], told)
			}
		}
	}
}

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

// postDominators holds, for each block, the next one that all paths to the end of the wave go through.
type postDominators struct {
	next   []int32 // by block; the last is that of the exit; -1: no path ends
	exit   int32
	number []int32 // by block: its index in a walk back from the exit, higher than those of its successors
	budget int     // remaining steps: code that is too tangled is not analysed
}

// postDominators computes them by the algorithm of Cooper, Harvey and Kennedy.
func (a *analysis) postDominators() *postDominators {
	n := len(a.blocks)
	p := &postDominators{exit: int32(n), number: make([]int32, n+1), budget: 64*n + 1<<20}
	preds := make([][]int32, n+1)
	for i := range a.blocks {
		succ := a.blocks[i].succ()
		if len(succ) == 0 {
			succ = []int32{p.exit}
		}
		for _, s := range succ {
			preds[s] = append(preds[s], int32(i))
		}
	}
	order := backward(preds, p.exit) // the exit last
	for i := range n + 1 {
		p.next, p.number[i] = append(p.next, -1), -1
	}
	for i, b := range order {
		p.number[b] = int32(i)
	}
	p.next[p.exit] = p.exit
	for changed := true; changed && p.budget > 0; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			b := order[i]
			succ := a.blocks[b].succ()
			if len(succ) == 0 {
				succ = []int32{p.exit}
			}
			next := int32(-1)
			for _, s := range succ {
				if p.next[s] >= 0 && next < 0 {
					next = s
				} else if p.next[s] >= 0 {
					next = p.meet(s, next)
				}
			}
			if next != p.next[b] {
				p.next[b], changed = next, true
			}
		}
	}
	return p
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

// backward returns the blocks that lead to one, each after those that it leads to.
func backward(preds [][]int32, from int32) (order []int32) {
	seen := make([]bool, len(preds))
	type frame struct {
		b    int32
		next int
	}
	seen[from] = true
	for stack := []frame{{from, 0}}; len(stack) > 0; {
		f := &stack[len(stack)-1]
		if f.next == len(preds[f.b]) {
			order = append(order, f.b)
			stack = stack[:len(stack)-1]
			continue
		}
		b := preds[f.b][f.next]
		f.next++
		if !seen[b] {
			seen[b] = true
			stack = append(stack, frame{b, 0})
		}
	}
	return order
}
