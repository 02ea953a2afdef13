package portable

import (
	"github.com/heddle-gpu/heddle/exec"
)

// Wholly compiled blocks are chained: one continues at the next without a return to Go if the successor is linked,
// that is, if an earlier visit went that way. Terminators that machine code does not decide are left to the step that
// all engines share: the code exits before the terminator.

// quantum is the largest number of marks that a chain runs: garbage collection waits for its end.
const quantum = 4096

// chain runs compiled blocks from f on, and executes what the last one has left to the caller.
func (r *runner) chain(f *form, left *uint64, exact bool) (*node, exec.Stop) {
	if r.previous != nil {
		r.link(r.previous, f)
	}
	budget := min(*left, quantum)
	if exact {
		budget = 0
	}
	r.checkCache()
	r.worker.Enter(f.words, r.rows, r.vecs)
	ran := &r.ran
	r.worker.Chain(Start{r.st, f.link, r.env.Wave}, budget, ran)
	r.tell(r.env)
	return r.finishChain(ran, left)
}

// finishChain finishes a chain of the current wave: it runs the rest of the last block.
func (r *runner) finishChain(ran *ChainExit, left *uint64) (*node, exec.Stop) {
	failed := r.resume(ran)
	last := r.links[ran.Last]
	if ran.Step < 0 && last.endsTurn {
		*left -= min(*left, ran.Marks+uint64(last.Marks()))
		r.previous = nil
		return last.node, r.endTurn(r.st, r.env)
	}
	r.addCounts(r.env)
	r.st.At.Key = last.node.key
	var visit exec.Visit
	r.visit(&visit, last)
	visit.Before(ran.Marks, ran.Cost.Ops, ran.Cost.LaneOps)
	*left -= ran.Marks
	r.previous = last
	*left -= min(*left, uint64(last.Marks()))
	if failed != nil {
		return last.node, r.stopAt(&visit, last.node, failed.mark, left)
	}
	if r.slow.on && ran.Step >= 0 && ran.Step < len(last.ops) {
		r.slow.rest(last.ops[ran.Step:])
	}
	for i := ran.Step; i >= 0 && i < len(last.ops); i++ {
		if o := &last.ops[i]; !o.run(r, o) {
			return last.node, r.stopAt(&visit, last.node, o.mark, left)
		}
	}
	return last.node, visit.Leave(r.termOperands(last.code))
}

// link links a block to the next, if it is the target of one of its ways, and waves do not always yield there.
func (r *runner) link(from, to *form) {
	key := to.node.key
	if from.linked[to.lanes] == to && !from.linksFar {
		return
	}
	y := from.Yields(key)
	rarely := y == exec.YieldsRarely
	if key.Mode != from.node.key.Mode || y == exec.YieldsAlways || rarely && !from.rarely {
		return
	}
	for way, pc := range from.targets[:from.ways] { // both may lead there
		if pc == key.PC {
			r.worker.Join(from.link, 2*way+to.lanes, to.link, rarely)
			from.linked[to.lanes] = to
		}
	}
	if from.linksFar {
		r.worker.JoinFar(from.link, key.PC, to.lanes, to.link, rarely)
	}
}
