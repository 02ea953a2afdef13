package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Elimination of redundant guards. Before an access there are steps that exit if the address of a lane is of an
// unlikely kind: its upper half is that of a window, or it is above a limit. The access itself exits if an address is
// out of its segment. So it is enough to compare the segment once with the unlikely addresses: if it has none, no lane
// can fail the guard. The mask that the guard tests is not computed, except where the access exits, for the caller.

// A guardGroup is a sequence of guards that later accesses imply.
type guardGroup struct {
	first, last int // the first guard, the last access that implies one
	guards      []impliedGuard
}

// An impliedGuard is a guard, a step that exits if its mask has a lane, with the operands from which the mask is
// computed.
type impliedGuard struct {
	access int
	kind   guardKind
	at     lower.Place    // upper halves of addresses, or addresses
	words  [2]lower.Place // the unlikely upper half; or the limit, and the distance below it that addresses must keep
	lanes  lower.Place    // those of the access
	mask   lower.Place
	steps  []int // the guard and the steps that compute its mask, which have no code
}

// A guardKind says which addresses are unlikely.
type guardKind uint8

const (
	guardWindow guardKind = iota // with that upper half
	guardLimit                   // at or above the limit, or too close below it
)

// impliedGuards finds the guards without code. Split addresses have been found before.
func (k *selector) impliedGuards() {
	if !k.wide() || !k.whole {
		return
	}
	k.readers()
	for i := 0; i < len(k.b.Steps); i++ {
		from := i
		for i < len(k.b.Steps) && k.choices[i].form == formGuard {
			i++
		}
		if i == from {
			continue
		}
		x := guardGroup{first: i}
		for x.first > from && k.impliedBy(x.first-1, i, &x) {
			x.first--
		}
		if len(x.guards) == 0 {
			continue
		}
		k.guards = append(k.guards, x)
		for _, g := range x.guards {
			for _, p := range g.steps {
				k.drop(p, g.access)
			}
		}
	}
}

// impliedBy adds the guard of step i to the group if one of the accesses from step first on implies it, with nothing
// but checks before that access.
func (k *selector) impliedBy(i, first int, x *guardGroup) bool {
	if k.b.Steps[i].Mask.Kind != lower.InMask {
		return false
	}
	for at := first; at < len(k.b.Steps); at++ {
		s := &k.b.Steps[at]
		if k.choices[at].form != formVectors || s.Recorded {
			return false
		}
		if g, ok := k.guardOf(i, at); ok {
			x.guards, x.last = append(x.guards, g), max(x.last, at)
			return true
		}
		if s.TransferKind.Do != lower.CheckOnly {
			return false
		}
	}
	return false
}

// guardOf returns the guard of step i, if the access implies it.
func (k *selector) guardOf(i, access int) (g impliedGuard, ok bool) {
	s, a := &k.b.Steps[i], &k.b.Steps[access]
	g = impliedGuard{access: access, mask: s.Mask, lanes: a.Mask}
	and, ok := k.onlyMaker(s.Mask, i, ir.And, ir.I1)
	if !ok || g.lanes.Kind != lower.InMask || !slices.Contains(k.b.Steps[and].Args, g.lanes) {
		return g, false
	}
	g.steps = append(g.steps, i, and)
	unlikely := otherOperand(k.b.Steps[and].Args, g.lanes)
	switch x := k.splitOf(access); {
	case x != nil:
		ok = k.inWindow(&g, unlikely, and, x.high)
	case a.Args[0].Kind != lower.InVec:
		ok = k.nearLimit(&g, unlikely, and, a.Args[0])
	default:
		ok = false
	}
	return g, ok && k.unchanged([]lower.Place{g.at, g.lanes, g.words[0], g.words[1]}, slices.Min(g.steps), i)
}

// inWindow reports whether step i reads the mask of the lanes whose addresses have a given upper half.
func (k *selector) inWindow(g *impliedGuard, unlikely lower.Place, i int, high lower.Place) bool {
	equal, ok := k.onlyMaker(unlikely, i, ir.Eq, ir.I32)
	if !ok || !slices.Contains(k.b.Steps[equal].Args, high) {
		return false
	}
	g.kind, g.at, g.words[0] = guardWindow, high, otherOperand(k.b.Steps[equal].Args, high)
	g.steps = append(g.steps, equal)
	return g.words[0].Kind == lower.InWord
}

// nearLimit reports whether step i reads the mask of the lanes whose addresses are too close to a limit, or above it.
func (k *selector) nearLimit(g *impliedGuard, unlikely lower.Place, i int, addresses lower.Place) bool {
	less, ok := k.onlyMaker(unlikely, i, ir.ULt, ir.I32)
	if !ok {
		return false
	}
	left, n := k.b.Steps[less].Args[0], k.b.Steps[less].Args[1]
	sub, ok := k.onlyMaker(left, less, ir.USubSat, ir.I32)
	if !ok || k.b.Steps[sub].Args[1] != addresses {
		return false
	}
	g.kind, g.at, g.words = guardLimit, addresses, [2]lower.Place{k.b.Steps[sub].Args[0], n}
	g.steps = append(g.steps, less, sub)
	return g.words[0].Kind == lower.InWord && n.Kind == lower.InWord
}

// otherOperand returns the operand of a pair that is not p.
func otherOperand(args []lower.Place, p lower.Place) lower.Place {
	if args[0] == p {
		return args[1]
	}
	return args[0]
}

// onlyMaker returns the step that defines what step i reads, if it is the given op, is in a loop, has no other reader,
// and no exit lies in between. Before a guard other guards may.
func (k *selector) onlyMaker(p lower.Place, i int, op ir.Op, from ir.Type) (at int, ok bool) {
	for at = i - 1; at >= 0; at-- {
		s, form := &k.b.Steps[at], k.choices[at].form
		if slices.Contains(s.Res, p) {
			break
		}
		exits := s.Kind == lower.MemoryAccess || form.class() == classCaller || form == formLogged || form == formGuard && k.choices[i].form != formGuard
		if exits || slices.Contains(s.Args, p) || s.Mask == p {
			return 0, false
		}
	}
	if at < 0 || p.Kind == lower.InRow && p.At >= 0 {
		return 0, false
	}
	s, c := &k.b.Steps[at], &k.choices[at]
	known := s.Kind == lower.Compute && s.Op == op && s.From == from && len(s.Args) == 2 && len(s.Res) == 1 && c.phase == inLoop
	return at, known && c.into == 0 && c.form != formTernary && int(c.last[0]) == i
}

// guardsAt returns the guards before which the access of step i exits, nil if there are none.
func (p *plan) guardsAt(i int) *guardGroup {
	for n := range p.guards {
		if x := &p.guards[n]; x.first < i && i <= x.last {
			return x
		}
	}
	return nil
}

// exitBefore returns the step before which the code exits if it cannot carry out the access of step i.
func (p *plan) exitBefore(i int) int {
	if x := p.guardsAt(i); x != nil {
		return x.first
	}
	return i
}

// implies returns the guards that the access of step i implies.
func (p *plan) implies(i int) (list []*impliedGuard) {
	if x := p.guardsAt(i); x != nil {
		for n := range x.guards {
			if x.guards[n].access == i {
				list = append(list, &x.guards[n])
			}
		}
	}
	return list
}
