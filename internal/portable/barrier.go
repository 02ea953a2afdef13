package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// If all waves of a group wait at one barrier, and nothing outside the machine code must be informed, they continue in
// machine code. What they have executed is accounted for when one of them exits or ends.

// A barrierEnd is the barrier at the end of a form.
type barrierEnd struct {
	barrier int // its number
	after   ir.Key
	to      [2]*form // forms of the block after it, by the index in node.forms; nil: not yet found
	marks   uint64   // of the block
	cost    exec.Cost
}

// barrierEndOf returns the barrier at the end of a code if waves need nothing else there; nil otherwise.
func barrierEndOf(c *code) *barrierEnd {
	after, barrier, ok := c.AfterBarrier()
	if !ok || !c.endsTurn {
		return nil
	}
	marks, cost := c.Cost()
	return &barrierEnd{barrier: barrier, after: after, marks: uint64(marks), cost: cost}
}

// A resumption is where a wave continues after a barrier.
type resumption struct {
	from *barrierEnd
	to   *form
}

// passBarriers makes all waves, which have run to the ends of their chains, continue after barriers as long as all of
// them wait at the same one. It returns the last result of ContinueAll. Waves after that one wait again, and their
// states are up to date. enough is the least rest of their budgets.
func (r *runner) passBarriers(turns []exec.WaveTurn, enough int64) (passed int) {
	passed = len(turns) - 1
	n := uint64(0)
	for ; passed == len(turns)-1 && r.readyToPass(len(turns), enough); n++ {
		passed = r.worker.ContinueAll()
	}
	if n == 0 {
		return passed
	}
	for i := range turns {
		t := &turns[i]
		if i > passed {
			r.worker.WaveExit(i, t.State, &r.ran)
			r.tellOf(t)
			r.leaveBarrier(t, r.resumptions[i].to)
		}
		t.Env.Count.Barriers += n
	}
	return passed
}

// readyToPass makes all n waves ready to continue, if they wait at one barrier.
func (r *runner) readyToPass(n int, enough int64) bool {
	r.resumptions = r.resumptions[:0]
	first := 0 // the number of the barrier
	for i := range n {
		number, mask, left, end := r.worker.StoppedAt(i)
		from := r.links[number]
		if !end || from.barrier == nil {
			return false
		}
		w := from.barrier
		if i == 0 {
			first = w.barrier
		}
		if w.barrier != first || left-int64(w.marks) < enough {
			return false
		}
		to := r.formAfter(w, mask)
		if to == nil {
			return false
		}
		r.resumptions = append(r.resumptions, resumption{w, to})
	}
	for i := range r.resumptions {
		x := &r.resumptions[i]
		r.worker.ContinueAt(i, x.to.link, x.from.marks, x.from.cost)
	}
	return true
}

// formAfter returns the form in which a wave with such an execution mask continues after a barrier, if that is wholly
// compiled; nil otherwise.
func (r *runner) formAfter(w *barrierEnd, mask uint64) *form {
	k := 0
	if mask == r.full {
		k = 1
	}
	if f := w.to[k]; f != nil {
		return f
	}
	nd := r.nodes[w.after]
	if nd == nil || !nd.highest {
		return nil
	}
	if f := nd.forms[k]; f != nil && f.link != nil && !f.exits {
		w.to[k] = f
	}
	return w.to[k]
}

// leaveBarrier moves a wave past a barrier that all have reached, and accounts for what it has executed.
func (r *runner) leaveBarrier(t *exec.WaveTurn, to *form) {
	ran, k := &r.ran, &t.Env.Count
	r.addCounts(t.Env)
	t.State.At.Key = to.node.key
	t.State.Clock += ran.Marks
	k.Instructions += ran.Marks
	k.Ops += ran.Cost.Ops
	k.LaneOps += ran.Cost.LaneOps * uint64(bits.OnesCount64(t.State.Live))
}
