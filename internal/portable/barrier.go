package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Where all waves of a group wait at one barrier, and nobody has to be asked, they go on in machine code: what they have run is accounted for when one of
// them leaves, or ends.

// A waits is the barrier at the end of a form.
type waits struct {
	barrier int // its number
	behind  ir.Key
	to      [2]*form // that begin there, by the index in node.forms; nil: not met yet
	marks   uint64   // of the block
	cost    exec.Cost
}

// waitsOf is the barrier at the end of a code, where waves need nothing else to be done; nil: there is none.
func waitsOf(c *code) *waits {
	behind, barrier, ok := c.Behind()
	if !ok || !c.over {
		return nil
	}
	marks, cost := c.Cost()
	return &waits{barrier: barrier, behind: behind, marks: uint64(marks), cost: cost}
}

// An onto is where a wave goes on behind a barrier.
type onto struct {
	from *waits
	to   *form
}

// barriers lets all waves, which have run to the ends of their chains, go on behind barriers as often as they meet at one. It returns what Worker.Again
// does at last. Waves behind that one, which still wait, are as they are then. enough is what must be left of their budgets.
func (r *runner) barriers(turns []exec.WaveTurn, enough int64) (passed int) {
	passed = len(turns) - 1
	n := uint64(0)
	for ; passed == len(turns)-1 && r.meet(len(turns), enough); n++ {
		passed = r.worker.Again()
	}
	if n == 0 {
		return passed
	}
	for i := range turns {
		t := &turns[i]
		if i > passed {
			r.worker.Passed(i, t.State, &r.ran)
			r.left(t, r.onto[i].to)
		}
		t.Env.Count.Barriers += n
	}
	return passed
}

// meet makes all n waves ready to go on, if they wait at one barrier.
func (r *runner) meet(n int, enough int64) bool {
	r.onto = r.onto[:0]
	first := 0 // number of the barrier
	for i := range n {
		number, mask, left, end := r.worker.Stopped(i)
		from := r.links[number]
		if !end || from.waits == nil {
			return false
		}
		w := from.waits
		if i == 0 {
			first = w.barrier
		}
		if w.barrier != first || left-int64(w.marks) < enough {
			return false
		}
		to := r.behind(w, mask)
		if to == nil {
			return false
		}
		r.onto = append(r.onto, onto{w, to})
	}
	for i := range r.onto {
		x := &r.onto[i]
		r.worker.Onward(i, x.to.link, x.from.marks, x.from.cost)
	}
	return true
}

// behind is the form in which a wave with such an execution mask goes on behind a barrier, if that is machine code as a whole; else nil.
func (r *runner) behind(w *waits, mask uint64) *form {
	k := 0
	if mask == r.full {
		k = 1
	}
	if f := w.to[k]; f != nil {
		return f
	}
	nd := r.nodes[w.behind]
	if nd == nil || !nd.hot {
		return nil
	}
	if f := nd.forms[k]; f != nil && f.link != nil && !f.asks {
		w.to[k] = f
	}
	return w.to[k]
}

// left leaves a wave behind a barrier at which all have met, by what it has run.
func (r *runner) left(t *exec.WaveTurn, to *form) {
	ran, k := &r.ran, &t.Env.Count
	r.counts(t.Env)
	t.State.At.Key = to.node.key
	t.State.Clock += ran.Marks
	k.Instructions += ran.Marks
	k.Ops += ran.Cost.Ops
	k.LaneOps += ran.Cost.LaneOps * uint64(bits.OnesCount64(t.State.Live))
}
