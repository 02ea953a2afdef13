package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Control flow. docs/reference/rogue.md 5.8.

var (
	linkCell = ir.Cell{File: FileLink}
	execCell = ir.Cell{File: FileExec}
)

// Branch conditions by code.
const (
	branchAny     = iota // a lane of the group's mask
	branchAllInst        // all lanes
)

// turns is the number of turns that an atomic group runs in: one per lane if it writes a register of the task, else one
// for all lanes. If each lane writes its own registers, and memory in the order of lanes, turns make no difference. A
// group of a single mark that touches only cells leaves its turns to the block.
func (st *state) turns(l *isa.Lift, h *isa.Inst) int {
	route(l.Bundle, &st.rt)
	shared, dynamic := false, false
	for i, has := range st.rt.has {
		shared = shared || has && st.rt.dst[i].isShared(l.Option(optSlots))
	}
	for _, r := range st.rt.src {
		bank, _, ok := r.indexed()
		dynamic = dynamic || ok && bank == idxDynamic
	}
	_, marks := runs(l.Bundle)
	switch {
	case !shared:
		return 1
	case marks > 1 || dynamic || h.Get(nameCC) == group.Always || group.Find(l.Bundle, group.Backend) != nil:
		return Lanes
	}
	l.Serial()
	return 1
}

// isShared reports whether the register belongs to the task.
func (r reg) isShared(slots int) bool {
	if bank, _, ok := r.indexed(); ok {
		return machine.Files[idxFiles[bank]].Kind == ir.Wave32
	}
	c, ok := r.cell(slots)
	return ok && machine.Kind(c) == ir.Wave32
}

// taken is whether the task takes the branch.
func taken(l *isa.Lift) V {
	live, m := l.Live(), mask(l)
	kind := l.In.Opt(nameBPred)
	if kind == branchAny {
		return m.Any(live)
	}
	if l.Option(optBranch) != branchSatisfied {
		m = m.Not()
	}
	if kind == branchAllInst {
		return m.All(live)
	}
	return m.Any(live)
}

// jump branches; with link, a taken branch saves the address of the next group.
func jump(link bool) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		to, _ := branch(l.Bundle, 0)
		always := data(l).all && l.In.Opt(nameBPred) == branchAny
		next := l.I32(uint32(l.Next))
		switch {
		case always && link:
			l.Set(linkCell, next, V{})
			fallthrough
		case always:
			l.Jump(to)
			return
		}
		yes := taken(l)
		if link {
			l.Set(linkCell, yes.Select(next, l.Get(linkCell, ir.I32)), V{})
		}
		l.Branch(yes, to, l.Next)
	}
}

// jumpLink branches to the link address.
func jumpLink(l *isa.Lift) {
	to := l.Get(linkCell, ir.I32).Pack(l.I32(uint32(l.Next>>32)), ir.I64)
	if !data(l).all {
		to = mask(l).Any(l.Live()).Select(to, l.I64(l.Next))
	}
	l.JumpX(to)
}

// saveLink returns the link address in units of 16 bits.
func saveLink(l *isa.Lift) {
	data(l).w[0] = l.Get(linkCell, ir.I32).ShrU(l.I32(1))
}

// setLink sets the link address to the result of the first lane of the group.
func setLink(l *isa.Lift) {
	st := data(l)
	st.link(l, st.output(l, int(l.In.Get(nameSink))), mask(l))
}

// link sets the link address to the value of the first lane of the mask, if there is one.
func (st *state) link(l *isa.Lift, v, m V) {
	if st.turn.Valid() { // the first lane of the group's mask, not of the current turn
		m = m.And(l.LaneID().Eq(l.LaneID().ReadFirst(st.whole)))
	}
	to := v.ReadFirst(m)
	if l.Option(optLink) != linkBytes {
		to = to.Shl(to.K(1))
	}
	st.sets = append(st.sets, set{cell: linkCell, v: m.Any(m).Select(to, l.Get(linkCell, ir.I32))})
}

// waitFence waits for the operations that are outstanding on a data fence.
func waitFence(l *isa.Lift) { l.Wait(int(l.In.Get(nameDRC)), 0) }

// baseBits are the widths of a base offset in the mode: for coefficients, then for shared registers.
const (
	baseBits = 8
	baseMask = 1<<baseBits - 1
)

// setBase sets the base that numbers of coefficients or shared registers are relative to. It ends the block: what
// follows is lifted again.
func setBase(l *isa.Lift) {
	base := ir.Cell{File: FileBase}
	old := l.Get(base, ir.I32)
	at := baseBits * l.In.Get(nameTarget)
	to := old.And(old.K(^(uint64(baseMask) << at))).Or(old.K(l.In.Get(nameOffset) << at))
	if !data(l).all {
		to = mask(l).Any(l.Live()).Select(to, old)
	}
	l.Set(base, to, V{})
	l.Jump(l.Next)
}

// indexedBanks are the banks of indexed registers that SBO applies to.
var indexedBanks = [8]uint8{idxCoeff: bankCoeff, idxShared: bankShared}

// based is register r with the base added.
func based(l *isa.Lift, r reg) reg {
	bank := r.bank
	if behind, _, ok := r.indexed(); ok {
		bank = indexedBanks[behind]
	}
	at := uint32(0)
	switch bank {
	case bankCoeff:
	case bankShared:
		at = baseBits
	default:
		return r
	}
	n := int(l.Mode >> at & baseMask)
	if l.Option(optBase) == baseSets {
		n *= setSize
	}
	return r.behind(n)
}

// rebase adds the bases to all registers of a group.
func (st *state) rebase(l *isa.Lift) {
	if l.Mode == 0 {
		return
	}
	for i := range st.rt.src {
		st.rt.src[i] = based(l, st.rt.src[i])
	}
	for i := range st.rt.dst {
		st.rt.dst[i] = based(l, st.rt.dst[i])
	}
}
