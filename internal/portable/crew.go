package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
)

// Waves of a group whose turns begin in machine code run one after the other without a return to Go, up to the first
// whose turn does not end at an instruction that always ends it. That wave continues alone, and the ones after it
// follow.

// RunAll implements exec.GroupRunner.
func (r *runner) RunAll(turns []exec.WaveTurn, b exec.Budget) (n int) { return r.all(turns, b, nil) }

// all is RunAll; see crew for known.
func (r *runner) all(turns []exec.WaveTurn, b exec.Budget, known *uint64) (n int) {
	for n < len(turns) {
		t := turns[n:]
		if k := r.crew(t, b, known); k > 0 {
			n += k
		} else {
			t[0].Stop = r.Run(t[0].State, t[0].Env, b)
			n++
		}
		known = nil // it is not checked for the others
		if !turns[n-1].Stop.Passes() {
			break
		}
	}
	return n
}

// RunGroups implements exec.GroupRunner.
func (r *runner) RunGroups(turns []exec.WaveTurn, b exec.Budget, more func(over bool) bool) (n int) {
	known := ^uint64(0)
	for {
		n = r.all(turns, b, &known)
		if over, wait := exec.Meet(turns); !over && !wait || !more(over) {
			return n
		}
	}
}

// crew runs as many of the waves as can begin at once, and ends k of their turns: those of the waves that passed on to
// the next, and of the one after them. 0: there is nothing to gain. known, if not nil, is the number of changes up to
// which the cached segments are known to hold for all the waves.
func (r *runner) crew(turns []exec.WaveTurn, b exec.Budget, known *uint64) (k int) {
	if r.worker == nil || b.Exact {
		return 0
	}
	r.take(turns[0].State, turns[0].Env)
	f := r.begins(&turns[0], nil)
	if f == nil {
		return 0
	}
	r.recall()
	r.starts = r.starts[:0]
	sure := known != nil && *known == r.changes
	for i := range turns {
		if t := &turns[i]; !sure && !r.holds(t.Env) {
			break
		} else if f = r.begins(t, f); f == nil {
			break
		}
		r.starts = append(r.starts, Start{turns[i].State, f.link, turns[i].Env.Wave})
	}
	switch {
	case len(r.starts) == 0:
		return 0
	case len(r.starts) == len(turns) && known != nil:
		*known = r.changes
	}
	left := max(b.Steps, 1)
	budget := min(left, quantum)
	passed := r.worker.Chains(r.starts, budget, r.rows, r.vecs)
	if known != nil && passed == len(turns)-1 {
		passed = r.barriers(turns, int64(budget/2))
	}
	for i := range passed {
		r.worker.WaveExit(i, turns[i].State, &r.ran)
		r.passed(&turns[i])
	}
	t := &turns[passed]
	r.worker.LastExit(t.State, &r.ran)
	if ran := &r.ran; ran.Step < 0 && !ran.Resumes && r.links[ran.Last].over {
		r.passed(t)
		return passed + 1
	}
	r.take(t.State, t.Env)
	nd, stop := r.ended(&r.ran, &left)
	if stop.Reason == 0 {
		if r.unlikely {
			nd = nil
		}
		stop = r.run(nd, left, b)
	}
	t.Stop = stop
	return passed + 1
}

// begins returns the form of a block in which a wave begins its turn, if that is wholly compiled; nil otherwise. That
// of the wave before may be the same.
func (r *runner) begins(t *exec.WaveTurn, before *form) *form {
	st := t.State
	if st.Live == 0 || st.At.Mark != 0 || st.Layout != r.st.Layout && st.Lanes != r.st.Lanes || t.Env.Probes != nil || t.Env.Steady {
		return nil
	}
	if n := len(st.Stack); n > 0 && st.Stack[n-1].Kind == exec.TokenQuad {
		return nil // helper lanes retire without ending
	}
	k := 0
	if st.Exec == r.full {
		k = 1
	}
	if before != nil && before.lanes == k && before.node.key == st.At.Key {
		return before
	}
	for _, nd := range r.doors {
		if nd == nil || nd.key != st.At.Key {
			continue
		}
		if f := nd.forms[k]; nd.hot && f != nil && f.link != nil && !f.exits {
			return f
		}
	}
	return nil
}

// passed ends the turn of a wave that has passed on, or would have, and accounts for what it has executed.
func (r *runner) passed(t *exec.WaveTurn) { t.Stop = r.over(t.State, t.Env) }

// over ends the turn of a wave at the end of a block that ends it.
func (r *runner) over(st *exec.State, env *exec.Env) exec.Stop {
	ran, last := &r.ran, r.links[r.ran.Last]
	r.counts(env)
	st.At.Key = last.node.key
	return last.Over(st, env, ran.Marks, ran.Cost.Ops, ran.Cost.LaneOps)
}

// counts adds what has been done in memory, and by lanes that may have retired since.
func (r *runner) counts(env *exec.Env) {
	ran, k := &r.ran, &env.Count
	k.BytesRead += ran.BytesRead
	k.BytesWritten += ran.BytesWritten
	k.Atomics += ran.Atomics
	k.LaneOps += ran.EarlierLaneOps
}

// holds reports whether the cached segments are valid for a wave.
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
