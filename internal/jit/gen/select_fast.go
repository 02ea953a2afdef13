package gen

import (
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/internal/lower"
)

// unneeded marks steps of the fast plan that have no code since nothing needs what they do, onEntry those whose code is
// in the test on entry.
const (
	unneeded = -1
	onEntry  = -2
)

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
	q := &selector{&plan{target: k.target, b: &b, whole: true, choices: slices.Clone(k.choices), affine: f.accesses, tables: k.tables.fast}}
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
	for _, l := range f.logged {
		q.choices[l.step].form = formLogKnown
	}
	q.known = f.logged
	q.early()
	q.exitFrom = slices.IndexFunc(q.choices, choice.mayExit)
	if q.exitFrom < 0 {
		q.exitFrom = len(q.choices)
	}
	q.leaveOutDead()
	q.finish()
	q.keepEarly()
	f.plan = q.plan
	return &f
}

// early finds guards of the fast plan that can be tested on entry, and the steps that compute what they test: of
// uniform values that nothing in the block changes before.
func (k *selector) early() {
	k.makers()
	known := map[lower.Place]bool{} // words that can be computed on entry
	cells := map[cell]bool{}        // registers that a step has written
	unknown := func(p lower.Place) bool {
		_, made := k.made.get(p)
		return p.Kind != lower.InWord || made && !known[p]
	}
	var mark func(p lower.Place)
	mark = func(p lower.Place) {
		i := k.maker(p)
		if i < 0 || k.choices[i].into != 0 || k.choices[i].form == formCount {
			return
		}
		k.choices[i].into = onEntry
		for _, q := range k.b.Steps[i].Args {
			mark(q)
		}
	}
	for i := range k.b.Steps {
		s, c := &k.b.Steps[i], &k.choices[i]
		switch {
		case c.form == formCaller || writesUnnamed(s): // it may change any register
			return
		case c.into != 0:
		case s.Kind == lower.SetWord || s.Kind == lower.SetMask || s.Kind == lower.SetExec:
			cells[cellOf(s)] = true
		case c.form == formCount, c.form == formUniform && !slices.ContainsFunc(s.Args, unknown), c.form == formGetWord && !cells[cellOf(s)]:
			for _, p := range s.Res {
				known[p] = p.Kind == lower.InWord && k.maker(p) == i
			}
		case c.form == formGuard && s.Mask.Kind == lower.InWord && known[s.Mask]:
			c.into = onEntry
			mark(s.Mask)
		}
	}
}

// keepEarly makes the words that are computed on entry stay in memory, for the rest of the code and for the caller.
func (k *selector) keepEarly() {
	for i := range k.choices {
		c := &k.choices[i]
		if c.into != onEntry {
			continue
		}
		for r := range c.uses {
			c.uses[r] = use{out: true}
		}
		for r, p := range k.b.Steps[i].Res {
			for j := i + 1; j < len(k.choices) && r < len(c.uses); j++ {
				if s := &k.b.Steps[j]; k.choices[j].into == onEntry && slices.Contains(operands(s), p) {
					c.uses[r].last = j
				}
			}
		}
	}
}

// mayExit reports whether the code may exit before the step.
func (c choice) mayExit() bool {
	return c.into == 0 && (c.form.class() == classMemory || c.form.class() == classCaller)
}

// isAffine reports whether the step is an access of the fast plan that was checked on entry.
func (c *choice) isAffine() bool { return c.form == formAffine || c.form == formUniformLoad }

// leaveOut makes a step one without code.
func (k *selector) leaveOut(i int) { k.choices[i] = choice{into: unneeded, nan: -1, phase: noPhase} }

// A liveness is which values are needed from a step on.
type liveness struct {
	places map[lower.Place]bool
	dead   map[lower.Place]lower.Place // rows of the state that are overwritten first, and the mask; Kind 0: in all lanes
	words  map[int32]bool              // likewise uniform registers
}

// needs reports whether a step needs to write a place, in the lanes of a mask.
func (l *liveness) needs(p, mask lower.Place) bool {
	if p.Kind == lower.InRow && p.At >= 0 {
		in, dead := l.dead[p]
		return !dead || in.Kind != 0 && in != mask
	}
	return l.places[placeOf(p)]
}

// merges reports whether a step writes some lanes of a row.
func merges(s *lower.Step) bool {
	return s.Mask.Kind != 0 && !s.MayWriteAll && s.Kind != lower.MemoryAccess
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
	for _, p := range s.Res {
		switch row := p.Kind == lower.InRow && p.At >= 0; {
		case row && merges(s):
			if in, dead := l.dead[p]; !dead || in.Kind != 0 {
				l.dead[p] = s.Mask
			}
		case row:
			l.dead[p] = lower.Place{}
		default:
			delete(l.places, placeOf(p))
		}
	}
	for _, p := range reads {
		l.places[placeOf(p)] = true
		delete(l.dead, p)
	}
	switch s.Kind {
	case lower.SetWord:
		l.words[s.Cell] = true
	case lower.GetWord:
		delete(l.words, s.Cell)
	}
}

// leaveOutDead leaves out steps whose results nothing needs: neither other steps nor, where the code may exit, the
// caller, which may continue with all steps of the block.
func (k *selector) leaveOutDead() {
	of := func() *liveness {
		return &liveness{map[lower.Place]bool{}, map[lower.Place]lower.Place{}, map[int32]bool{}}
	}
	code, all := of(), of()
	for _, p := range append(slices.Clone(k.b.Term), k.b.Ending.Cond) {
		code.places[placeOf(p)], all.places[placeOf(p)] = true, true
	}
	for i := len(k.b.Steps) - 1; i >= 0; i-- {
		s, c := &k.b.Steps[i], &k.choices[i]
		all.step(s, operands(s))
		switch {
		case c.into != 0:
		case k.isPure(i) && !slices.ContainsFunc(s.Res, func(p lower.Place) bool { return code.needs(p, s.Mask) }),
			s.Kind == lower.SetWord && code.words[s.Cell]:
			k.leaveOut(i)
		case c.isAffine() && s.Full:
			code.step(s, valuesOf(s))
		case c.isAffine():
			code.step(s, append(slices.Clone(valuesOf(s)), s.Mask))
		case c.form == formLogKnown:
			code.step(s, []lower.Place{s.Mask})
		default:
			code.step(s, operands(s))
		}
		if c.mayExit() {
			maps.Copy(code.places, all.places)
			clear(code.dead)
			clear(code.words)
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
