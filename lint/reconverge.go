package lint

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// reconverges finds blocks after which threads reconverge without an instruction that says so. If no branch depends
// on thread values, they never diverge.
func (a *analysis) reconverges() {
	r := a.rule(isa.RuleReconverge)
	if r == nil {
		return
	}
	preds, parts := make([]int32, len(a.blocks)), a.parts
	if !slices.Contains(parts, true) {
		return
	}
	for i := range a.blocks {
		if a.blocks[i].entry {
			preds[i]++
		}
		for _, s := range a.blocks[i].succ() {
			preds[s]++
		}
	}
	for i := range a.blocks {
		b := &a.blocks[i]
		x := b.last
		s := a.look(x)
		if !b.reached || s.traits&isa.TraitReconverge != 0 || !parts[i] && len(b.succ()) != 1 {
			continue
		}
		for _, to := range b.succ() {
			if preds[to] < 2 || parts[i] && a.meetsThere(x, to) {
				continue
			}
			if parts[i] {
				a.find(r, x, -1, fmt.Sprintf("%s: threads part here, and nothing says that they meet", s.in.Def.Name), a.reconverge())
				break
			}
			first := a.blocks[to].first
			a.find(r, x, first, fmt.Sprintf("%s: threads may come from elsewhere to %#x, and nothing says that they meet there", s.in.Def.Name, a.look(first).addr), a.reconverge())
		}
	}
}

// meetsThere reports whether threads that a branch sends to a block wait there for the others: the branch goes to a
// later address, and the last threads to arrive execute a reconverging instruction.
func (a *analysis) meetsThere(branch, to int32) bool {
	falls := a.after(branch) >= 0 && a.blockOf(a.after(branch)) == to
	return !falls && a.place(a.blocks[to].first).at > a.place(branch).at
}

// reconverge returns the instruction at which threads reconverge.
func (a *analysis) reconverge() string {
	if a.flow.Reconverge == nil {
		return ""
	}
	return a.flow.Reconverge()
}
