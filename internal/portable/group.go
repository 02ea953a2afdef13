package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Waves of a group whose turns begin in machine code run one after the other without a return to Go, up to the first
// whose turn does not end at an instruction that always ends it. That wave continues alone, and the ones after it
// follow.

// RunAll implements exec.GroupRunner.
func (r *runner) RunAll(turns []exec.WaveTurn, b exec.Budget) (n int) {
	return r.runTurns(turns, b, nil)
}

// runTurns is RunAll; see runTogether for known.
func (r *runner) runTurns(turns []exec.WaveTurn, b exec.Budget, known *uint64) (n int) {
	for n < len(turns) {
		t := turns[n:]
		if k := r.runTogether(t, b, known); k > 0 {
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
		n = r.runTurns(turns, b, &known)
		if over, wait := exec.Meet(turns); !over && !wait || !more(over) {
			return n
		}
	}
}

// runTogether runs as many of the waves as can begin at once, and ends k of their turns: those of the waves that
// passed on to the next, and of the one after them. 0: there is nothing to gain. known, if not nil, is the number of
// changes up to which the cached segments are known to hold for all the waves.
func (r *runner) runTogether(turns []exec.WaveTurn, b exec.Budget, known *uint64) (k int) {
	if r.worker == nil || b.Exact {
		return 0
	}
	r.setWave(turns[0].State, turns[0].Env)
	f := r.startForm(&turns[0], nil)
	if f == nil {
		return 0
	}
	r.checkCache()
	r.starts = r.starts[:0]
	sure := known != nil && *known == r.changes
	for i := range turns {
		if t := &turns[i]; !sure && !r.cacheValid(t.Env) {
			break
		} else if f = r.startForm(t, f); f == nil {
			break
		}
		turns[i].State.Runs(r.p)
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
		passed = r.passBarriers(turns, int64(budget/2))
	}
	for i := range passed {
		r.worker.WaveExit(i, turns[i].State, &r.ran)
		r.tellOf(&turns[i])
		r.endTurnOf(&turns[i])
	}
	t := &turns[passed]
	r.worker.LastExit(t.State, &r.ran)
	r.tellOf(t)
	if ran := &r.ran; ran.Step < 0 && !ran.Resumes && r.links[ran.Last].endsTurn {
		r.endTurnOf(t)
		return passed + 1
	}
	r.setWave(t.State, t.Env)
	nd, stop := r.finishChain(&r.ran, &left)
	if stop.Reason != 0 {
		r.flush()
	} else {
		if r.unlikely {
			nd = nil
		}
		stop = r.run(nd, left, b)
	}
	t.Stop = stop
	return passed + 1
}

// startForm returns the form of a block in which a wave begins its turn, if that is wholly compiled; nil otherwise.
// That of the wave before may be the same.
func (r *runner) startForm(t *exec.WaveTurn, before *form) *form {
	st := t.State
	if st.Live == 0 || st.At.Mark != 0 || st.Layout != r.st.Layout && st.Lanes != r.st.Lanes || t.Env.Steady {
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
	for _, nd := range r.entries {
		if nd == nil || nd.key != st.At.Key {
			continue
		}
		if f := nd.forms[k]; nd.highest && f != nil && f.link != nil && !f.exits {
			return f
		}
	}
	return nil
}

// endTurnOf ends the turn of a wave that has passed on, or would have, and accounts for what it has executed.
func (r *runner) endTurnOf(t *exec.WaveTurn) { t.Stop = r.endTurn(t.State, t.Env) }

// endTurn ends the turn of a wave at the end of a block that ends it.
func (r *runner) endTurn(st *exec.State, env *exec.Env) exec.Stop {
	ran, last := &r.ran, r.links[r.ran.Last]
	r.addCounts(env)
	st.At.Key = last.node.key
	return last.Over(st, env, ran.Marks, ran.Cost.Ops, ran.Cost.LaneOps)
}

// addCounts adds what has been done in memory, and by lanes that may have retired since.
func (r *runner) addCounts(env *exec.Env) {
	ran, k := &r.ran, &env.Count
	for i := ir.GlobalSpace; i < ir.FlatSpace; i++ {
		k.Memory[i].Add(&ran.Memory[i])
	}
	k.LaneOps += ran.EarlierLaneOps
}

// cacheValid reports whether the cached segments are valid for a wave.
func (r *runner) cacheValid(env *exec.Env) bool {
	m := &r.cacheKey
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
