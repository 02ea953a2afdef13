package lint

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// reconverges looks for blocks behind which threads part or meet without an instruction that says so. Where no branch looks
// at what threads hold, they never part.
func (a *analysis) reconverges() {
	r := a.rule(isa.RuleReconverge)
	if r == nil {
		return
	}
	preds, parts := make([]int32, len(a.blocks)), a.divided()
	if !slices.Contains(parts, true) {
		return
	}
	for i := range a.blocks {
		for _, s := range a.blocks[i].succ {
			preds[s]++
		}
	}
	for i := range a.blocks {
		b := &a.blocks[i]
		x := a.last(b)
		s := &a.steps[x]
		if !a.in[i].reached || s.traits&isa.TraitReconverge != 0 {
			continue
		}
		switch {
		case parts[i]:
			a.find(r, x, -1, fmt.Sprintf("%s: threads part here, and nothing says that they meet", s.in.Def.Name), a.reconverge())
		case len(b.succ) == 1 && preds[b.succ[0]] > 1:
			to := a.blocks[b.succ[0]].first
			a.find(r, x, to, fmt.Sprintf("%s: threads may come from elsewhere to %#x, and nothing says that they meet there", s.in.Def.Name, a.steps[to].in.Addr), a.reconverge())
		}
	}
}

// reconverge is the instruction at which threads meet.
func (a *analysis) reconverge() string {
	if a.flow.Reconverge == nil {
		return ""
	}
	return a.flow.Reconverge()
}
