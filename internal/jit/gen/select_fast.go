package gen

import (
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/internal/lower"
)

// unneeded marks steps of the fast plan that have no code since nothing needs what they do.
const unneeded = -1

// fast returns the fast plan of a block; nil if it has no affine accesses. The block's own plan is not finished yet.
func (k *selector) fast() *fastPath {
	if k.single || !k.whole || k.b.Lanes%16 != 0 {
		return nil
	}
	f, guards := k.affineAccesses()
	if !slices.ContainsFunc(f.accesses, func(a affineAccess) bool { return k.b.Steps[a.step].TransferKind.Do != lower.CheckOnly }) {
		return nil
	}
	if k.tables.fast == nil {
		k.tables.fast = new(tables)
	}
	b := *k.b
	b.Steps = slices.Clone(b.Steps) // selection replaces steps
	q := &selector{&plan{target: k.target, b: &b, whole: true, choices: slices.Clone(k.choices), tables: k.tables.fast}}
	for _, i := range guards {
		q.leaveOut(i)
	}
	for _, a := range f.accesses {
		if q.choices[a.step].form = formAffine; q.b.Steps[a.step].TransferKind.Do == lower.CheckOnly {
			q.leaveOut(a.step)
		} else if a.stride == 0 {
			q.choices[a.step].form = formUniformLoad
		}
	}
	q.exitFrom = slices.IndexFunc(q.choices, choice.mayExit)
	if q.exitFrom < 0 {
		q.exitFrom = len(q.choices)
	}
	q.leaveOutDead()
	q.finish()
	f.plan = q.plan
	return &f
}

// mayExit reports whether the code may exit before the step.
func (c choice) mayExit() bool { return c.form.class() == classMemory || c.form.class() == classCaller }

// isAffine reports whether the step is an access of the fast plan that was checked on entry.
func (c *choice) isAffine() bool { return c.form == formAffine || c.form == formUniformLoad }

// leaveOut makes a step one without code.
func (k *selector) leaveOut(i int) { k.choices[i] = choice{into: unneeded, nan: -1, phase: noPhase} }

// A liveness is which values are needed from a step on.
type liveness struct {
	places map[lower.Place]bool
	dead   map[lower.Place]bool // rows of the state that are overwritten first
}

func (l *liveness) needs(p lower.Place) bool {
	if p.Kind == lower.InRow && p.At >= 0 {
		return !l.dead[p]
	}
	return l.places[placeOf(p)]
}

// placeOf is the place of a value; masks are words, too.
func placeOf(p lower.Place) lower.Place {
	if p.Kind == lower.InMask {
		return wordOf(p)
	}
	return p
}

// step goes back to before a step that reads places.
func (l *liveness) step(s *lower.Step, reads []lower.Place) {
	merges := s.Mask.Kind != 0 && !s.MayWriteAll && s.Kind != lower.MemoryAccess
	for _, p := range s.Res {
		switch row := p.Kind == lower.InRow && p.At >= 0; {
		case merges:
			delete(l.dead, p)
		case row:
			l.dead[p] = true
		default:
			delete(l.places, placeOf(p))
		}
	}
	for _, p := range reads {
		l.places[placeOf(p)] = true
		delete(l.dead, p)
	}
}

// leaveOutDead leaves out steps whose results nothing needs: neither other steps nor, where the code may exit, the
// caller, which may continue with all steps of the block.
func (k *selector) leaveOutDead() {
	of := func() *liveness { return &liveness{map[lower.Place]bool{}, map[lower.Place]bool{}} }
	code, all := of(), of()
	for _, p := range append(slices.Clone(k.b.Term), k.b.Ending.Cond) {
		code.places[placeOf(p)], all.places[placeOf(p)] = true, true
	}
	for i := len(k.b.Steps) - 1; i >= 0; i-- {
		s, c := &k.b.Steps[i], &k.choices[i]
		all.step(s, operands(s))
		switch {
		case c.into != 0:
		case k.isPure(i) && !slices.ContainsFunc(s.Res, code.needs):
			k.leaveOut(i)
		case c.isAffine():
			code.step(s, valuesOf(s))
		default:
			code.step(s, operands(s))
		}
		if c.mayExit() {
			maps.Copy(code.places, all.places)
			clear(code.dead)
		}
	}
}

// isPure reports whether a step has no effect but its results.
func (k *selector) isPure(i int) bool {
	switch s := &k.b.Steps[i]; s.Kind {
	case lower.Compute, lower.CopyRow, lower.GetWord, lower.GetMask, lower.GetExec, lower.SetRow:
		return k.choices[i].form.class() == classLane || k.choices[i].form.class() == classUniform
	}
	return false
}

// valuesOf returns the values that an access stores.
func valuesOf(s *lower.Step) []lower.Place {
	if s.TransferKind.Do == lower.StoreElems {
		return s.Args[1 : 1+s.Count]
	}
	return nil
}
