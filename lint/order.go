package lint

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// orders finds instructions that execute after others which they must not follow: what may have executed before is
// computed for each block.
func (a *analysis) orders() {
	if len(a.flow.Orders) == 0 {
		return
	}
	var firsts isa.Traits
	for i := range a.flow.Orders {
		firsts |= a.flow.Orders[i].First
	}
	if a.seen&firsts == 0 {
		return
	}
	in := make([][]int32, len(a.blocks)) // by order, the first instruction that may have executed; -1: none
	var work []int32
	for i := range a.blocks {
		in[i] = make([]int32, len(a.flow.Orders))
		for k := range in[i] {
			in[i][k] = -1
		}
		if a.blocks[i].reached {
			work = append(work, int32(i))
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		out := append([]int32(nil), in[b]...)
		a.eachStep(b, func(x int32, s step) {
			for k := range a.flow.Orders {
				if s.traits&a.flow.Orders[k].First != 0 && out[k] < 0 {
					out[k] = x
				}
			}
		})
		for _, to := range a.blocks[b].succ() {
			changed := false
			for k := range out {
				if out[k] >= 0 && in[to][k] < 0 {
					in[to][k], changed = out[k], true
				}
			}
			if changed {
				work = append(work, to)
			}
		}
	}
	for i := range a.blocks {
		if a.blocks[i].reached {
			a.follows(int32(i), in[i])
		}
	}
}

// follows checks a block; ran is what may have executed before.
func (a *analysis) follows(b int32, ran []int32) {
	a.eachStep(b, func(x int32, s step) {
		for k := range a.flow.Orders {
			o := &a.flow.Orders[k]
			if s.traits&o.Then != 0 && ran[k] >= 0 {
				a.find(a.rule(o.Rule), x, ran[k], s.in.Def.Name+": "+o.Says, "")
			}
			if s.traits&o.First != 0 && ran[k] < 0 {
				ran[k] = x
			}
		}
	})
}

// eachStep calls f with the instructions of a block in order.
func (a *analysis) eachStep(b int32, f func(x int32, s step)) {
	x := a.blocks[b].first
	for range a.blocks[b].n {
		s := a.look(x)
		f(x, s)
		x = a.next(x)
	}
}

// apart adds findings about instructions that read other lanes although a branch leads some lanes around them.
func (a *analysis) apart(r *isa.Rule, p *isa.Parted, branch int32, steps []int32, told map[int32]bool) {
	for _, x := range steps {
		if !told[x] {
			told[x] = true
			at := a.look(branch)
			a.find(r, x, branch, fmt.Sprintf("%s: %s: %s at %#x goes the other way in some", a.look(x).in.Def.Name, p.Says, at.in.Def.Name, at.addr), "")
		}
	}
}
