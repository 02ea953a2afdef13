package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Flow, and the parts that all lifts share. docs/reference/valhall.md 6 to 8.

// roundings are the float modes by round mode. Lifts with roundAway round themselves.
var roundings = [...]num.Mode{num.RNE, num.RUp, num.RDown, num.RZ, roundAway: num.RNE}

// start sets the float mode of an instruction: its rounding, to nearest if it names none; subnormals and NaNs by the
// options.
func start(l *isa.Lift) {
	m := roundings[l.In.Opt(nameRound)]
	if l.Option(optSubnormals) == flushSubnormals {
		m |= num.FlushIn | num.FlushOut
	}
	if l.Option(optNaN) != keepNaN {
		m |= num.NaNCanon
	}
	l.Float(num.RNE.With(m))
}

// before saves state that the flow needs and the instruction may change.
func before(l *isa.Lift) {
	if !explained(l) {
		return
	}
	if l.In.Get(nameFlow) == flowDiscard {
		l.Scratch[scratchHelper] = helpers(l)
	}
}

// scratchHelper holds the discarded threads for the flow after the instruction: before saves them, DISCARD changes
// them.
const scratchHelper = 0

// scratchJump holds the threads that BLEND sends to its target at the end; invalid: none.
const scratchJump = 1

func helpers(l *isa.Lift) V { return l.Get(ir.Cell{File: FileHelper}, ir.I1) }

// messageSlot is the slot of a message: 0 if it names none.
func messageSlot(in *isa.Inst) int { return int(in.Opt(nameSlot)) }

// pending are the registers that a message writes and reads.
func pending(in *isa.Inst) (writes, reads []ir.Span) {
	for _, i := range rowOf(in).form.regs {
		a := &in.Def.Args[i]
		first, n := touched(in, a)
		if n == 0 {
			continue
		}
		sp := ir.Span{Cell: regCell(first), Count: uint16(n)}
		if a.Role == isa.Use {
			reads = append(reads, sp)
		} else {
			writes = append(writes, sp)
		}
	}
	return writes, reads
}

// isMessage reports whether an instruction is a message, which can be waited for.
func (r *row) isMessage() bool {
	return r.unit > unitNone || r.unit == unitNone && (len(r.form.regs) > 0 || r.form.slot)
}

// after applies the flow of an instruction, at its end.
func after(l *isa.Lift) {
	if l.Done() {
		return
	}
	issue(l)
	if gone := l.Scratch[scratchJump]; gone.Valid() {
		l.Control(ir.CtlDiverge, gone, l.Next+wordBytes*l.In.Get(nameTarget))
		return
	}
	switch l.In.Get(nameFlow) {
	case flowReconverge, flowWait:
		l.Control(ir.CtlReconverge, l.I1(false), l.Next)
	case flowDiscard:
		l.Retire(l.Scratch[scratchHelper].And(l.Exec()), l.Next)
	case flowEnd:
		l.Retire(l.Exec(), l.Next)
	}
}

// issue starts a message, and waits for the slots of the flow. Instructions that end the block themselves call it
// earlier. Hardware protects the registers that a message reads. docs/reference/valhall.md 8.
func issue(l *isa.Lift) {
	if r := rowOf(l.In); r.isMessage() {
		writes, _ := pending(l.In)
		l.Issue(messageSlot(l.In), writes, nil)
	}
	for _, s := range waitsOf(l.In.Get(nameFlow)) {
		l.Wait(int(s), 0)
	}
}

// waits are the slots that a flow waits for. docs/reference/valhall.md 6.
var waits = [16][]uint8{1: {0}, {1}, {0, 1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}, flowWait0126: {0, 1, 2, SlotDepth}, flowWait: {0, 1, 2, SlotDepth, SlotGroup}}

func waitsOf(flow uint64) []uint8 { return waits[flow] }

// branchz branches to an address in the lanes in which the tested value is not 0, or is 0.
func branchz(l *isa.Lift) {
	to := jumpTo(l.In, l.In.Get(nameTarget))
	switch kind, ok := branchKind(l); {
	case !ok:
	case kind == ir.CtlLink:
		jump(l, kind, l.I64(to))
	default:
		l.Control(kind, taken(l), to)
	}
}

// branchzi branches to the address in b. With absolute it is the low word, where 0 is the address of a missing caller
// and ends the lanes; else a distance from the next instruction.
func branchzi(l *isa.Lift) {
	kind, ok := branchKind(l)
	if !ok {
		return
	}
	b := l.Src(1)
	if l.In.Get(nameAbsolute) == 0 {
		far := b.SExt(ir.I64)
		if l.Option(optDistance) == distanceWords {
			far = far.Shl(far.K(3))
		}
		jump(l, kind, l.I64(l.Next).Add(far))
		return
	}
	to := b.Pack(l.I32(uint32(l.Next>>32)), ir.I64)
	jump(l, ir.CtlLink, b.Eq(b.K(0)).Select(l.I64(ir.Nowhere), to))
}

// jump branches in the lanes in which the branch is taken. Lanes that its flow ends do not branch: the order of branch
// and flow makes no difference, since nothing that these lanes do has an effect.
func jump(l *isa.Lift, kind ir.ControlKind, to V) {
	yes := taken(l)
	if gone := l.Scratch[scratchHelper]; gone.Valid() {
		gone = gone.And(l.Exec())
		yes, to = yes.Or(gone), gone.Select(l.I64(ir.Nowhere), to)
	}
	l.ControlX(kind, yes, to)
}

// branchKind is how a branch and its flow move lanes. Waits apply on both paths.
func branchKind(l *isa.Lift) (ir.ControlKind, bool) {
	issue(l)
	switch l.In.Get(nameFlow) {
	case flowReconverge, flowWait:
		return ir.CtlReconverge, true
	case flowDiscard:
		return ir.CtlLink, true
	case flowEnd:
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": no source says what comes first, the branch or its flow; a NOP with the flow says it")
		return 0, false
	}
	return ir.CtlDiverge, true
}

// Tests of branches with and and with lowbits: whether all bits are ones, and whether bits 3 to 20 are neither all
// zeros nor all ones.
const (
	combineOnes   = 0xffffffff
	combineMiddle = 0x001ffff8
)

// taken is the mask of lanes in which a branch is taken.
func taken(l *isa.Lift) V {
	v := l.Src(0)
	yes := v.Ne(v.K(0))
	switch l.In.Get(nameSwzA) {
	case combineAnd:
		yes = v.Eq(v.K(combineOnes))
	case combineLowBits:
		some := v.And(v.K(combineMiddle))
		yes = some.Ne(some.K(0)).And(some.Ne(some.K(combineMiddle)))
	}
	if l.In.Get(nameEq) != 0 {
		yes = yes.Not()
	}
	return yes.And(l.Mask())
}

// barrier waits for the workgroup at once, even if only a later instruction waits for the slot. The difference is
// visible only to a thread that others wait for in between. Threads that end there need not arrive, since a barrier
// waits for live threads. With flow discard, discarded threads stay helpers until a later flow ends them, which only
// CLPER and WMASK could observe. If the warp has diverged, the active threads arrive for it, and the others arrive
// again: docs/reference/valhall.md 7.
func barrier(l *isa.Lift) {
	switch l.In.Get(nameFlow) {
	case flowEnd:
		return
	case flowReconverge:
		l.Fail(ir.TrapUndefined, "BARRIER: no source says what comes first, the barrier or its flow; .wait and a NOP with the flow say it")
		return
	}
	issue(l)
	l.Barrier(l.Next)
}

func nothing(*isa.Lift) {}
