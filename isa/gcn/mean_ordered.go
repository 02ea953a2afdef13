package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Bits of the offset of ds_ordered_count. Source: LLVM, llvm.amdgcn.ds.ordered.add. docs/reference/gcn.md 8.3.
const (
	orderedIndex   = 0xfc    // the counter, times 4
	orderedRelease = 1 << 8  // the next wave may pass
	orderedDone    = 1 << 9  // the wave does not come again
	orderedStage   = 3 << 10 // 0: a compute shader
	orderedSwap    = 1 << 12 // the counter becomes the value
)

// ds_ordered_count vdst, addr offset:N gds. Unless the wave before this one is ahead of it by a release or more, or is
// done, the instruction is restarted, and other waves of the workgroup run. docs/reference/gcn.md 8.3.
func liftOrdered(l *isa.Lift) {
	offset := uint32(l.In.Get(nameOffset))
	release, done := offset&orderedRelease != 0, offset&orderedDone != 0
	switch {
	case offset&^(orderedIndex|orderedRelease|orderedDone|orderedStage|orderedSwap) != 0:
		l.Fail(ir.TrapUndefined, "ds_ordered_count: no source says what bits 0, 1 and 13 to 15 of its offset are")
		return
	case offset&orderedStage != 0:
		l.Fail(ir.TrapUnimplemented, "ds_ordered_count in the order of pixel, vertex or geometry waves (offset[11:10])")
		return
	case done && !release:
		l.Fail(ir.TrapUndefined, "ds_ordered_count: done without release; no source says who comes next")
		return
	}
	m0 := l.Get(CellM0, ir.I32)
	id := m0.And(l.I32(0xffff))
	slot := func(id V) V { return id.Shl(l.I32(2)).Add(l.I32(4)) }
	turnAt, mineAt, beforeAt := l.I32(0), slot(id), slot(id.Sub(l.I32(1)).And(l.I32(OrderIDs-1)))
	order := ir.Mem{Space: ir.GlobalSpace, Bank: BankOrder, Elem: 4, Count: 1, Align: 4, Load: ir.Volatile}
	for _, at := range []V{turnAt, mineAt, beforeAt} {
		checkAtomic(l, order, at, V{})
	}
	word := func(at V) V { return l.Load(order, ir.I32, at, V{})[0] }
	turn, mine, before := word(turnAt), word(mineAt), word(beforeAt)
	pass := turn.Eq(id)
	if !done {
		pass = pass.Or(mine.ULt(before))
	}

	op := uint8(ir.AtomicAdd)
	if offset&orderedSwap != 0 {
		op = ir.AtomicSwap
	}
	active := l.Mask().Ballot(l.I1(true))
	lowest := active.And(active.Neg()).Lanes()
	counter, m := atomicMem(ir.GlobalSpace, op, 4), lowest.And(pass)
	counter.Bank = BankGDS
	addr := m0.ShrU(l.I32(16)).Add(l.I32(offset & orderedIndex))
	checkAtomic(l, counter, addr, m)
	old := l.Atomic(counter, addr, l.Get(VGPR(field(l, nameAddr)), ir.I32), V{}, m)
	l.Set(VGPR(field(l, nameVdst)), old.ReadFirst(lowest), l.Mask().And(pass))

	order.Load, order.Atomic = 0, ir.AtomicSwap
	switch { // a wave that has to wait writes what is there
	case done:
		l.Atomic(order, mineAt, pass.Select(l.I32(0), mine), V{}, V{})
		order.Atomic = ir.AtomicCmpSwap
		l.Atomic(order, turnAt, id.Add(l.I32(1)).And(l.I32(OrderIDs-1)), pass.Select(id, l.I32(^uint32(0))), V{})
	case release:
		l.Atomic(order, mineAt, pass.Select(mine.Add(l.I32(1)), mine), V{}, V{})
	}
	l.Issue(queueGDS, []ir.Span{{Cell: VGPR(field(l, nameVdst)), Count: 1}}, nil)
	l.Issue(queueGDSData, nil, []ir.Span{{Cell: VGPR(field(l, nameAddr)), Count: 1}})
	l.Branch(pass, l.Next, l.In.Addr)
}
