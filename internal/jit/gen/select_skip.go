package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// If lanes are inactive, whole iterations often have no active lane. A loop skips such an iteration if that has no
// visible effect: what its steps leave in these lanes is not written to the state, and is read only under masks
// without these lanes.

// minSkipped is the least number of per-lane steps that are worth a test per iteration; maxActive is how many execution
// masks are tried, the last first.
const (
	minSkipped = 6
	maxActive  = 2
)

// An inactiveSkip decides whether the loop of a segment may skip iterations without active lanes.
type inactiveSkip struct {
	*selector
	g      *segment
	active lower.Place // the active lanes
}

// activeMask returns a mask outside of which the effects of the segment's steps are not visible; Kind 0: there is none.
func (k *selector) activeMask(g *segment) lower.Place {
	if !k.whole {
		return lower.Place{}
	}
	x := &inactiveSkip{selector: k, g: g}
	for i, tried := g.to-1, 0; i >= 0 && tried < maxActive; i-- {
		if k.choices[i].form != formGetExec {
			continue
		}
		x.active = k.b.Steps[i].Res[0]
		if k.maker(x.active) != i || i >= g.from && k.choices[i].phase != beforeLoop {
			continue
		}
		if x.invisible() {
			return x.active
		}
		tried++
	}
	return lower.Place{}
}

// within reports whether a mask is a subset of the active lanes.
func (x *inactiveSkip) within(m lower.Place) bool {
	if m == x.active {
		return true
	}
	i := x.maker(m)
	if i < 0 || m.Kind != lower.InMask {
		return false
	}
	s := &x.b.Steps[i]
	return s.Kind == lower.Compute && s.Op == ir.And && s.Type == ir.I1 && slices.ContainsFunc(s.Args, x.within)
}

// invisible reports whether skipped iterations have no visible effect.
func (x *inactiveSkip) invisible() bool {
	x.stale.clear()
	for i := x.g.from; i < len(x.b.Steps); i++ {
		if !x.step(i) {
			return false
		}
	}
	return !slices.ContainsFunc(x.b.Term, x.isStale) && !x.isStale(x.b.Ending.Cond)
}

// isStale reports whether a location holds a wrong value in skipped iterations.
func (x *inactiveSkip) isStale(p lower.Place) bool {
	stale, _ := x.stale.get(p)
	return stale
}

// step propagates staleness through a step. It reports whether the step has the same effect whatever the stale
// locations hold.
func (x *inactiveSkip) step(i int) bool {
	s := &x.b.Steps[i]
	perLane := x.choices[i].phase == inLoop
	stale := perLane && i < x.g.to || slices.ContainsFunc(s.Args, x.isStale)
	if s.Mask.Kind != 0 && x.isStale(s.Mask) {
		return false
	}
	switch {
	case x.choices[i].form == formShuffle && x.isStale(s.Args[0]) && !x.within(s.Args[2]):
		return false
	case s.Kind == lower.SetRow, s.Kind == lower.SetMask && s.Mask.Kind != 0:
		return !stale || x.within(s.Mask)
	case x.choices[i].form == formLogKnown:
		return true
	case x.choices[i].form == formLogged:
		return !stale || x.within(s.Mask)
	case s.Kind == lower.MemoryAccess:
		if stale && (s.Full || !x.within(s.Mask)) {
			return false
		}
		stale = x.choices[i].isAffine() // others run outside of loops, for all lanes
	case !perLane && stale:
		_, masks := uniformOps().masks[s.Op]
		if !masks || s.Kind != lower.Compute || len(s.Args) != 2 || x.isStale(s.Args[1]) || !x.within(s.Args[1]) {
			return false
		}
		stale = false
	}
	for _, r := range s.Res {
		if stale && r.Kind == lower.InRow && r.At >= 0 {
			return false
		}
		x.stale.put(r, stale && !x.within(r))
	}
	return true
}
