package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Removal of redundant guards. Before an access there are steps that exit if the address of a lane is of an unlikely
// kind: its upper half is that of a window, or it is above a limit. The access itself exits if an address is out of
// its segment. So it is enough to compare the segment once with the unlikely addresses: if it has none, no lane can
// fail the guard. The mask that the guard tests is not computed, except where the access exits, for the caller.

// An implied is a sequence of guards that later accesses imply.
type implied struct {
	first, last int // the first guard, the last access that implies one
	by          []expectation
}

// An expectation is a guard, a step that exits if its mask has a lane, with the operands from which the mask is
// computed.
type expectation struct {
	access int
	rare   rarity
	at     lower.Place    // upper halves of addresses, or addresses
	words  [2]lower.Place // the unlikely upper half; or the limit, and the distance below it that addresses must keep
	lanes  lower.Place    // those of the access
	mask   lower.Place
	passed []int // the steps that are skipped
}

// A rarity says which addresses are unlikely.
type rarity uint8

const (
	ofWindow   rarity = iota // with that upper half
	aboveLimit               // at or above the limit, or too close below it
)

// implications finds the steps that can be skipped. Splits have been found before.
func (c *compiler) implications() {
	if !c.wide() || !c.cut.whole {
		return
	}
	for i := 0; i < len(c.b.Steps); i++ {
		from := i
		for i < len(c.b.Steps) && c.b.Steps[i].Kind == lower.Expect {
			i++
		}
		if i == from {
			continue
		}
		x := implied{first: i}
		for x.first > from && c.implication(x.first-1, i, &x) {
			x.first--
		}
		if len(x.by) == 0 {
			continue
		}
		c.implied = append(c.implied, x)
		for k := range x.by {
			for _, p := range x.by[k].passed {
				c.passed[p] = true
			}
		}
	}
}

// implication adds the guard of step i if one of the accesses from step first on implies it, with nothing but checks
// before that access.
func (c *compiler) implication(i, first int, x *implied) bool {
	if c.b.Steps[i].Mask.Kind != lower.InMask {
		return false
	}
	for at := first; at < len(c.b.Steps); at++ {
		s := &c.b.Steps[at]
		if s.Kind != lower.MemoryAccess || c.once(s) || s.Recorded || s.TransferKind.Do == lower.AtomicElem {
			return false
		}
		r, ok := (&accessor{c: c, s: s, wide: true}).rounder()
		if !ok {
			return false
		}
		if e, ok := c.expectation(i, at, r); ok {
			x.by, x.last = append(x.by, e), max(x.last, at)
			return true
		}
		if s.TransferKind.Do != lower.CheckOnly {
			return false
		}
	}
	return false
}

// expectation returns the guard of step i, if the access implies it.
func (c *compiler) expectation(i, access int, r *rounder) (e expectation, ok bool) {
	s := &c.b.Steps[i]
	e = expectation{access: access, mask: s.Mask, lanes: c.b.Steps[access].Mask}
	and, ok := c.onlyMaker(s.Mask, i, ir.And, ir.I1)
	if !ok || e.lanes.Kind != lower.InMask || !slices.Contains(c.b.Steps[and].Args, e.lanes) {
		return e, false
	}
	e.passed = append(e.passed, i, and)
	rare := other(c.b.Steps[and].Args, e.lanes)
	switch x := c.splitOf(access); {
	case x != nil:
		ok = c.inWindow(&e, rare, and, x.high)
	case !r.quads:
		ok = c.nearLimit(&e, rare, and, r.low)
	default:
		ok = false
	}
	return e, ok && c.unchanged([]lower.Place{e.at, e.lanes, e.words[0], e.words[1]}, slices.Min(e.passed), i)
}

// inWindow reports whether step i reads the mask of the lanes whose addresses have a given upper half.
func (c *compiler) inWindow(e *expectation, rare lower.Place, i int, high lower.Place) bool {
	equal, ok := c.onlyMaker(rare, i, ir.Eq, ir.I32)
	if !ok || !slices.Contains(c.b.Steps[equal].Args, high) {
		return false
	}
	e.rare, e.at, e.words[0] = ofWindow, high, other(c.b.Steps[equal].Args, high)
	e.passed = append(e.passed, equal)
	return e.words[0].Kind == lower.InWord
}

// nearLimit reports whether step i reads the mask of the lanes whose addresses are too close to a limit, or above it.
func (c *compiler) nearLimit(e *expectation, rare lower.Place, i int, addresses lower.Place) bool {
	less, ok := c.onlyMaker(rare, i, ir.ULt, ir.I32)
	if !ok {
		return false
	}
	left, n := c.b.Steps[less].Args[0], c.b.Steps[less].Args[1]
	sub, ok := c.onlyMaker(left, less, ir.USubSat, ir.I32)
	if !ok || c.b.Steps[sub].Args[1] != addresses {
		return false
	}
	e.rare, e.at, e.words = aboveLimit, addresses, [2]lower.Place{c.b.Steps[sub].Args[0], n}
	e.passed = append(e.passed, less, sub)
	return e.words[0].Kind == lower.InWord && n.Kind == lower.InWord
}

// other returns the operand of a pair that is not p.
func other(args []lower.Place, p lower.Place) lower.Place {
	if args[0] == p {
		return args[1]
	}
	return args[0]
}

// onlyMaker returns the step that defines what step i reads, if it is the given op, is in a loop, has no other reader,
// and no exit lies in between. Before a guard other guards may.
func (c *compiler) onlyMaker(p lower.Place, i int, op ir.Op, from ir.Type) (at int, ok bool) {
	steps := c.b.Steps
	for at = i - 1; at >= 0; at-- {
		s := &steps[at]
		if slices.Contains(s.Res, p) {
			break
		}
		among := s.Kind == lower.Expect && steps[i].Kind == lower.Expect
		if cl := c.class(s); cl == onMemory && !among || cl == onCaller || slices.Contains(s.Args, p) || s.Mask == p {
			return 0, false
		}
	}
	if at < 0 || p.Kind == lower.InRow && p.At >= 0 {
		return 0, false
	}
	s := &steps[at]
	known := s.Kind == lower.Compute && s.Op == op && s.From == from && len(s.Args) == 2 && len(s.Res) == 1 && c.cut.phases[at] == inside
	return at, known && !c.passed[at] && c.fused[at].steps <= 1 && int(c.ends[at][0]) == i
}

// impliedAt returns the guards before which the access of step i exits, nil if there are none.
func (c *compiler) impliedAt(i int) *implied {
	for k := range c.implied {
		if x := &c.implied[k]; x.first < i && i <= x.last {
			return x
		}
	}
	return nil
}

// front returns the step before which the code exits if it cannot carry out the access of step i.
func (c *compiler) front(i int) int {
	if x := c.impliedAt(i); x != nil {
		return x.first
	}
	return i
}

// implies returns the guards that the access of step i implies.
func (c *compiler) implies(i int) (list []*expectation) {
	if x := c.impliedAt(i); x != nil {
		for k := range x.by {
			if x.by[k].access == i {
				list = append(list, &x.by[k])
			}
		}
	}
	return list
}

// assure exits if the segment has unlikely addresses. A window concerns all addresses of the segment, which has one
// upper half.
func (e *expectation) assure(w *rounder) {
	a := w.a
	if e.rare == ofWindow {
		a.Emit(x86.MOV, x86.RAX, regBase)
		a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
		a.Emit(x86.CMP, x86.R32(0), wordAt(e.words[0].At).Size(4))
		a.Emit(x86.JE, x86.To(w.leave))
		return
	}
	a.Emit(x86.LEA, x86.RCX, x86.At(regBase, 0).Index(regLast, 1))
	a.Emit(x86.MOV, x86.R32(0), wordAt(e.words[1].At))
	a.Emit(x86.ADD, x86.RCX, x86.RAX)
	a.Emit(x86.MOV, x86.R32(0), wordAt(e.words[0].At))
	a.Emit(x86.CMP, x86.RCX, x86.RAX)
	a.Emit(x86.JA, x86.To(w.leave))
}

// expected computes the masks that the caller reads from step i on.
func (c *compiler) expected(i int) {
	for k := range c.implied {
		if x := &c.implied[k]; i <= x.first {
			x.make(c, i)
		}
	}
}

// make computes the masks that would have been computed before step i.
func (x *implied) make(c *compiler, i int) {
	a := c.a
	for k := range x.by {
		e := &x.by[k]
		if made := e.passed[1]; made >= i {
			continue
		}
		a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
		a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
		a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
		a.Emit(x86.VPBROADCASTD, x86.Z(0), wordAt(e.words[0].At))
		if e.rare == aboveLimit {
			a.Emit(x86.VPBROADCASTD, x86.Z(1), wordAt(e.words[1].At))
		}
		a.Emit(x86.XOR, x86.R32(rax), x86.R32(rax))
		for i := c.parts() - 1; i >= 0; i-- {
			at := c.row(e.at).Plus(int32(64 * i))
			if e.rare == aboveLimit {
				a.Emit(x86.VPMAXUD, x86.Z(2), x86.Z(0), at)
				a.Emit(x86.VPSUBD, x86.Z(2), x86.Z(2), at)
				a.Emit(x86.VPCMPUD, x86.K(1), x86.Z(2), x86.Z(1), x86.Imm(1))
			} else {
				a.Emit(x86.VPCMPEQD, x86.K(1), x86.Z(0), at)
			}
			a.Emit(x86.KMOVW, x86.R32(1), x86.K(1))
			a.Emit(x86.SHL, x86.RAX, x86.Imm(16))
			a.Emit(x86.OR, x86.RAX, x86.RCX)
		}
		a.Emit(x86.AND, x86.RAX, wordAt(e.lanes.At))
		a.Emit(x86.MOV, wordAt(e.mask.At), x86.RAX)
	}
}
