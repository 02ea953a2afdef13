package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Control flow. docs/reference/tesla.md 8.

func nothingDone(*isa.Lift) {}

// step returns a control stack operation for the threads of the predicate; those that ignore the predicate have none.
func step(k ir.ControlKind) isa.Effect {
	return func(l *isa.Lift) { l.Control(k, l.Mask(), l.In.Opt(nameTarget)*codeUnit) }
}

// branchTo is bra: without predicate no threads diverge.
func branchTo(l *isa.Lift) {
	to := l.In.Get(nameTarget) * codeUnit
	if l.In.Get(nameGuard)&31 == condAlways {
		l.Jump(to)
		return
	}
	l.Control(ir.CtlDiverge, l.Mask(), to)
}

// limitable returns a control stack operation with a form that is subject to the call limit.
func limitable(plain, limited ir.ControlKind) isa.Effect {
	return func(l *isa.Lift) {
		k := plain
		if l.In.Get(nameLim) != 0 {
			k = limited
		}
		l.Control(k, l.Exec(), l.In.Get(nameTarget)*codeUnit)
	}
}

// preret pushes the return address. The documents do not describe its limited form.
func preret(l *isa.Lift) {
	if l.In.Get(nameLim) != 0 {
		l.Fail(ir.TrapUndefined, "preret lim: the documents give no meaning to the limit")
		return
	}
	l.Control(ir.CtlPushReturn, l.Exec(), l.In.Get(nameTarget)*codeUnit)
}

// branchThrough jumps to an address in c[].
func branchThrough(l *isa.Lift) {
	if l.In.Get(nameLim) != 0 {
		l.Fail(ir.TrapUndefined, "bra lim: the documents give no meaning to the limit")
		return
	}
	to := loadTyped(l, ir.Mem{Space: ir.ConstSpace, Bank: uint8(l.In.Get(nameBank))}, typeB32, fullValue(l, 1))
	l.ControlX(ir.CtlDiverge, l.Exec(), to.ZExt(ir.I64))
}

// discard terminates fragments, which then have no colour.
func discard(l *isa.Lift) {
	l.Set(ir.Cell{File: FileKill}, l.I1(true), l.Mask())
	l.Retire(l.Mask(), l.Next)
}

func trap(l *isa.Lift) { l.Trap(ir.TrapGuest, "trap") }

// Words of bar.
const (
	syncInc  = 1 << iota // the warp arrives
	syncWait             // it waits until all have
)

// barrierKinds are the operations of warps at a barrier, by these words.
var barrierKinds = [...]int{syncInc: ir.BarrierArrive, syncWait: ir.BarrierWait, syncInc | syncWait: ir.BarrierSync}

// allThreads is the number of threads with which ptxas means all of a block.
const allThreads = 0xfff

// barrierOf is bar with some of its words: a barrier counts the warps that arrive, and is complete with the last.
// all: of all threads of the block.
func barrierOf(words int, all bool) isa.Effect {
	if words == 0 {
		return nothingDone
	}
	return func(l *isa.Lift) {
		var n V
		if count := uint32(l.In.Opt(nameThreads)); !all && count != allThreads {
			if l.Option(optBarrier) == barrierWarps {
				count *= Lanes
			}
			n = l.I32(count)
		}
		l.BarrierOf(barrierKinds[words], int(l.In.Get(nameBarrier)), n, l.Next)
	}
}

// vote evaluates the predicate, which is no guard here, over the active threads.
func vote(over func(v, mask V) V) isa.Effect {
	return func(l *isa.Lift) {
		c, _ := predicate(l)
		r := over(c, l.Exec())
		setFlags(l, result{z: r.Not(), s: r})
	}
}

// emit makes a vertex of the outputs and then zeros them: a record in memory, with the number of its primitive after
// the words.
func emit(l *isa.Lift) {
	n, prim := l.Get(ir.Cell{File: FileEmit, Index: EmitVertices}, ir.I32), l.Get(ir.Cell{File: FileEmit, Index: EmitPrimitives}, ir.I32)
	vals := make([]V, 0, NumO+1)
	for i := range NumO {
		vals = append(vals, l.Get(ir.Cell{File: FileO, Index: uint16(i)}, ir.I32))
	}
	m := ir.Mem{Space: ir.PrivateSpace, Bank: EmitBank, Elem: 4, Count: NumO + 1, Align: 4}
	l.Store(m, n.Mul(l.I32(EmitBytes)).ZExt(ir.I64), append(vals, prim), l.Mask())
	for i := range NumO {
		l.Set(ir.Cell{File: FileO, Index: uint16(i)}, l.I32(0), l.Mask())
	}
	l.Set(ir.Cell{File: FileEmit, Index: EmitVertices}, n.Add(l.I32(1)), l.Mask())
}

// restart ends a primitive.
func restart(l *isa.Lift) {
	c := ir.Cell{File: FileEmit, Index: EmitPrimitives}
	l.Set(c, l.Get(c, ir.I32).Add(l.I32(1)), l.Mask())
}
