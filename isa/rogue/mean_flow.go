package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Flow of control. docs/reference/rogue.md 5.8.

var (
	linkCell = ir.Cell{File: FileLink}
	execCell = ir.Cell{File: FileExec}
)

// Branch conditions by code.
const (
	branchAny     = iota // an instance that the group is about
	branchAllInst        // all instances
)

// turns is in how many turns an atomic group runs: one an instance, if it writes a register of the task, else one for all. Where each
// instance writes its own, and memory in the order of instances, turns make no difference. A group that is a single mark and touches
// cells only leaves its turns to the block.
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
	case marks > 1 || dynamic || h.Get(nameCC) == condAll || find(l.Bundle, classBackend) != nil:
		return Lanes
	}
	l.Serial()
	return 1
}

// isShared reports whether the register is one of the task.
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

// jump goes on elsewhere; with link the address of the next group is kept if it does.
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

// jumpLink goes on at the link address.
func jumpLink(l *isa.Lift) {
	to := l.Get(linkCell, ir.I32).Pack(l.I32(uint32(l.Next>>32)), ir.I64)
	if !data(l).all {
		to = mask(l).Any(l.Live()).Select(to, l.I64(l.Next))
	}
	l.JumpX(to)
}

// saveLink gives the link address in units of 16 bits.
func saveLink(l *isa.Lift) {
	data(l).w[0] = l.Get(linkCell, ir.I32).ShrU(l.I32(1))
}

// setLink makes the result of the first instance of the group the link address.
func setLink(l *isa.Lift) {
	st := data(l)
	st.link(l, st.output(l, int(l.In.Get(nameSink))), mask(l))
}

// link makes what the first instance of the mask has the link address, if there is one.
func (st *state) link(l *isa.Lift, v, m V) {
	if st.turn.Valid() { // of all instances of the group, not of the one whose turn it is
		m = m.And(l.LaneID().Eq(l.LaneID().ReadFirst(st.whole)))
	}
	to := v.ReadFirst(m)
	if l.Option(optLink) != linkBytes {
		to = to.Shl(to.K(1))
	}
	st.sets = append(st.sets, set{cell: linkCell, v: m.Any(m).Select(to, l.Get(linkCell, ir.I32))})
}

// waitFence waits for what is pending on a data fence.
func waitFence(l *isa.Lift) { l.Wait(int(l.In.Get(nameDRC)), 0) }

// baseBits is how many bits of the mode a base offset has: that of coefficients, then that of shared registers.
const (
	baseBits = 8
	baseMask = 1<<baseBits - 1
)

// setBase makes numbers of coefficients or shared registers count from elsewhere. It ends the block: what follows is lifted anew.
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

// indexedBanks are the banks of what is behind an index register, where SBO means them.
var indexedBanks = [8]uint8{idxCoeff: bankCoeff, idxShared: bankShared}

// based is the register that r is where numbers count from elsewhere.
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

// rebase lets all registers of a group count from where numbers count.
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
