package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
)

// Waves of a group that begin their turns in machine code run them one behind the other without coming back: up to one whose turn does not
// end at an instruction that always ends it. That wave goes on by itself, and the others behind it follow.

// RunAll implements exec.Crew.
func (r *runner) RunAll(turns []exec.Turn, b exec.Budget) (n int) {
	for n < len(turns) {
		t := turns[n:]
		if k := r.crew(t, b); k > 0 {
			n += k
		} else {
			t[0].Stop = r.Run(t[0].State, t[0].Env, b)
			n++
		}
		if !turns[n-1].Stop.Passes() {
			break
		}
	}
	return n
}

// crew runs as many of the waves as it can begin at once, and has ended k of their turns then: those that have passed on, and the one behind
// them. 0: there is nothing to be gained.
func (r *runner) crew(turns []exec.Turn, b exec.Budget) (k int) {
	if r.worker == nil || b.Exact || len(turns) < 2 {
		return 0
	}
	r.take(turns[0].State, turns[0].Env)
	r.recall()
	r.starts = r.starts[:0]
	for i := range turns {
		f := r.begins(&turns[i])
		if f == nil {
			break
		}
		r.starts = append(r.starts, Start{turns[i].State, f.link, turns[i].Env.Wave})
	}
	if len(r.starts) < 2 {
		return 0
	}
	left := max(b.Steps, 1)
	passed := r.worker.Chains(r.starts, min(left, quantum), r.rows, r.vecs)
	for i := range passed {
		r.passed(i, &turns[i])
	}
	t := &turns[passed]
	r.take(t.State, t.Env)
	r.worker.Left(t.State, &r.ran)
	nd, stop := r.ended(&r.ran, &left)
	if stop.Reason == 0 {
		if r.rare {
			nd = nil
		}
		stop = r.run(nd, left, b)
	}
	t.Stop = stop
	return passed + 1
}

// begins is the form of a block in which a wave begins its turn, if that is machine code as a whole, and what is remembered of memory holds
// for the wave; else nil.
func (r *runner) begins(t *exec.Turn) *form {
	st := t.State
	if st.Ended() || st.At.Mark != 0 || st.Lanes != r.st.Lanes || t.Env.Probes != nil || t.Env.Steady || !r.holds(t.Env) {
		return nil
	}
	for _, nd := range r.doors {
		if nd == nil || nd.key != st.At.Key {
			continue
		}
		k := 0
		if st.Exec == r.full {
			k = 1
		}
		if f := nd.forms[k]; nd.hot && f != nil && f.link != nil && !f.asks {
			return f
		}
	}
	return nil
}

// passed ends the turn of a wave that has passed on.
func (r *runner) passed(i int, t *exec.Turn) {
	ran, k := &r.ran, &t.Env.Count
	r.worker.Passed(i, t.State, ran)
	k.BytesRead += ran.BytesRead
	k.BytesWritten += ran.BytesWritten
	k.Atomics += ran.Atomics
	last := r.links[ran.Last]
	t.State.At.Key = last.node.key
	t.Stop = last.Over(t.State, t.Env, ran.Marks, ran.Cost.Ops, ran.Cost.LaneOps)
}

// holds reports whether what is remembered of memory holds for a wave.
func (r *runner) holds(env *exec.Env) bool {
	m := &r.memories
	if env == r.env {
		return true
	}
	for i := range m.spaces {
		if k := &m.spaces[i]; env.Space(k.id, k.bank) != k.space {
			return false
		}
	}
	return slices.Equal(m.windows, env.Windows) && m.foot == env.Footprint
}
