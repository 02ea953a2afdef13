package lint

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// A region is the blocks between which control passes in either direction, in the order of analysis.order. Regions do
// not affect each other: each has the steps for its instructions, and is reported if they do not suffice.
type region []int32

// regions returns those with a branch on lane values and, unless all is set, an instruction of analysis.watched.
func (a *analysis) regions(all bool) (list []region) {
	if a.seen&isa.TraitLanes == 0 || !all && len(a.watched) == 0 {
		return nil
	}
	of := a.connected()
	const branches, watches = 1, 2
	has, count := make([]uint8, len(a.blocks)), make([]int32, len(a.blocks))
	for _, b := range a.order {
		if *a.flags(a.blocks[b].last)&flagLanes != 0 {
			has[of[b]] |= branches
		}
		count[of[b]]++
	}
	for _, i := range a.watched {
		has[of[a.blockOf(i)]] |= watches
	}
	number := make([]int32, len(a.blocks)) // by the first block: 1 + the region
	for _, b := range a.order {
		root := of[b]
		if has[root]&branches == 0 || !all && has[root]&watches == 0 {
			continue
		}
		if number[root] == 0 {
			list = append(list, make(region, 0, count[root]))
			number[root] = int32(len(list))
		}
		list[number[root]-1] = append(list[number[root]-1], b)
	}
	return list
}

// connected returns for each block the first one of its region.
func (a *analysis) connected() []int32 {
	of := make([]int32, len(a.blocks))
	for i := range of {
		of[i] = int32(i)
	}
	root := func(b int32) int32 {
		for of[b] != b {
			of[b] = of[of[b]]
			b = of[b]
		}
		return b
	}
	for i := range a.blocks {
		for _, to := range a.blocks[i].succ() {
			x, y := root(int32(i)), root(to)
			of[max(x, y)] = min(x, y)
		}
	}
	for i := range of {
		of[i] = root(int32(i))
	}
	return of
}

// An inside is a rule about instructions with traits on the paths between a branch at which threads diverge and the
// point where its sides join. says adds the findings about those of a block.
type inside struct {
	traits isa.Traits
	says   func(branch int32, steps []int32, told map[int32]bool)
}

// insides returns the rules of the set, if they are selected.
func (a *analysis) insides() (list []inside) {
	if a.stack != nil {
		return nil
	}
	if r := a.rule(isa.RuleBarrier); r != nil {
		list = append(list, inside{isa.TraitBarrier, func(branch int32, steps []int32, told map[int32]bool) { a.around(r, branch, steps, told) }})
	}
	for i := range a.flow.Parted {
		p := &a.flow.Parted[i]
		if r := a.rule(p.Rule); r != nil {
			list = append(list, inside{p.Traits, func(branch int32, steps []int32, told map[int32]bool) { a.apart(r, p, branch, steps, told) }})
		}
	}
	return list
}

// diverges finds the blocks at whose end threads diverge, and what is wrong between those and where they meet.
func (a *analysis) diverges() {
	rules, all := a.insides(), a.rule(isa.RuleReconverge) != nil
	a.parts = make([]bool, len(a.blocks))
	if len(rules) == 0 && !all {
		return
	}
	list := a.regions(all)
	if len(list) == 0 {
		return
	}
	at := map[int32][]int32{} // by block: its steps of watched
	for _, i := range slices.Sorted(slices.Values(a.watched)) {
		at[a.blockOf(i)] = append(at[a.blockOf(i)], i)
	}
	n := 0
	for _, r := range list {
		n += a.size(r)
	}
	p := a.newPurse(n)
	post := a.newPostDominators()
	u := a.newUniform(post)
	for _, r := range list {
		post.budget = p.take(a.size(r))
		post.find(r)
		if !u.solve(r) {
			for _, b := range r {
				a.parts[b] = u.branches(b)
			}
		}
		for i := range rules {
			a.within(r, post, &rules[i], at)
		}
		if post.budget <= 0 {
			a.saysUndecided(r)
		}
		p.giveBack(post.budget)
		post.forget(r)
		u.forget(r)
	}
}

// within checks a rule in a region.
func (a *analysis) within(r region, p *postDominators, rule *inside, at map[int32][]int32) {
	told := map[int32]bool{}
	for _, i := range slices.Sorted(slices.Values(r)) {
		b := &a.blocks[i]
		meet := p.next[i]
		if !a.parts[i] || meet < 0 || meet == p.exit || a.onlyEnds(&a.blocks[meet]) {
			continue
		}
		for _, n := range b.succ() {
			for ; n != meet && n != p.exit && n >= 0 && p.budget > 0; n = p.next[n] {
				p.budget--
				if steps := at[n]; len(steps) > 0 {
					rule.says(b.last, a.with(rule.traits, steps), told)
				}
			}
		}
	}
}

// with returns the steps that have one of the traits.
func (a *analysis) with(traits isa.Traits, steps []int32) []int32 {
	if a.watch&^traits == 0 {
		return steps
	}
	return slices.DeleteFunc(slices.Clone(steps), func(i int32) bool { return a.look(i).traits&traits == 0 })
}

// saysUndecided reports a region that is too tangled to tell where its threads diverge.
func (a *analysis) saysUndecided(r region) {
	first := a.addr(a.place(a.blocks[slices.Min(r)].first))
	for _, b := range r {
		first = min(first, a.addr(a.place(a.blocks[b].first)))
	}
	a.findAt(a.rule(ruleTangle), first, fmt.Sprintf("the paths of %s are too tangled to tell where threads diverge and meet", plural(a.size(r), "instruction")))
}
