package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Conditional execution: a per-lane counter in a register of the program holds the number of blocks that the lane waits
// for. Lanes with counter 0 execute. docs/reference/rogue.md 5.9.

// Conditions of these instructions, by code.
const (
	whenTrue = iota
	whenSet
	whenFalse
	whenClear
)

// condition is the condition that the instruction names.
func condition(l *isa.Lift) V {
	switch l.In.Get(namePCnd) {
	case whenSet:
		return l.Get(p0, ir.I1)
	case whenClear:
		return l.Get(p0, ir.I1).Not()
	}
	return l.I1(l.In.Get(namePCnd) == whenTrue)
}

// counts sets the new counter and whether the lane is active. Lanes outside the group's mask are unchanged.
func counts(l *isa.Lift, counter, runs V) {
	st := data(l)
	st.w[0] = counter
	st.sets = append(st.sets, set{cell: execCell, v: mask(l).Select(runs, l.Exec())}, set{cell: ir.Cell{File: FileStopped}, v: runs.Not()})
}

// adjust is the number that a block adds to the counter.
func adjust(l *isa.Lift) V { return l.I32(uint32(l.In.Get(nameAdjust))) }

// condStart begins a block.
func condStart(l *isa.Lift) {
	old := data(l).source(l, 0)
	zero := l.I32(0)
	runs := condition(l).And(old.Eq(zero))
	counts(l, runs.Select(zero, old.Add(adjust(l))), runs)
}

// condElse begins the else branch of a block.
func condElse(l *isa.Lift) {
	old := data(l).source(l, 0)
	zero, by := l.I32(0), adjust(l)
	ran := old.Eq(zero)
	next := condition(l).And(old.Eq(l.I32(1)))
	counts(l, ran.Select(by, next.Select(zero, old)), ran.Select(by.Eq(zero), next))
}

// condSet sets the counter of the active lanes for which the condition holds.
func condSet(l *isa.Lift) {
	st := data(l)
	old := st.source(l, 0)
	zero := l.I32(0)
	to := condition(l).And(old.Eq(zero)).Select(st.source(l, 2), old)
	counts(l, to, to.Eq(zero))
}

// ended is the counter after a block, and whether the lane is active there.
func ended(l *isa.Lift, old V) (counter, runs V) {
	by := adjust(l)
	runs = old.ULe(by)
	return runs.Select(l.I32(0), old.Sub(by)), runs
}

// condEnd ends a block.
func condEnd(l *isa.Lift) {
	counter, runs := ended(l, data(l).source(l, 0))
	counts(l, counter, runs)
}

// condLoop is the test of a loop. P0 is whether the loop continues: the condition holds for an active lane. If it does
// not continue, all lanes do as after a block; else active lanes for which the condition does not hold wait.
func condLoop(l *isa.Lift) {
	st := data(l)
	old, c := st.source(l, 0), condition(l)
	again := c.And(l.Exec()).Any(l.Live())
	zero := l.I32(0)
	runs := old.Eq(zero)
	leaves := runs.And(c.Not())
	behind, after := ended(l, old)
	st.setPredicate(again)
	counts(l, again.Select(leaves.Select(adjust(l), old), behind), again.Select(runs.And(c), after))
}

// condCallLook is the first half of the choice of an address to call. It changes nothing that a program can see.
func condCallLook(l *isa.Lift) { data(l).rt.has[0] = false }

// condCall chooses the address that the first active lane calls: it becomes the link address, and lanes that call
// another address wait. If no lane is active there is nothing to choose.
func condCall(l *isa.Lift) {
	st := data(l)
	old, to := st.source(l, 0), st.source(l, 2)
	zero, exec := l.I32(0), l.Exec()
	runs := old.Eq(zero)
	other := runs.And(to.Ne(to.ReadFirst(exec))).And(exec.Any(l.Live()))
	st.link(l, to, exec)
	counts(l, other.Select(l.I32(1), old), runs.And(other.Not()))
}

// condCalled makes the lanes that called wait, and activates those that waited.
func condCalled(l *isa.Lift) {
	old := data(l).source(l, 0)
	zero, one := l.I32(0), l.I32(1)
	next := old.Eq(one)
	counts(l, old.Eq(zero).Select(l.I32(2), next.Select(zero, old)), next)
}
