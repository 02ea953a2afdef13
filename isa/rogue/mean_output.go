package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Outputs of vertices and pixels. docs/reference/rogue.md 5.7.

// vertexOutput writes a vertex output: the one that the instruction numbers, the next in each repetition, or a source does.
func vertexOutput(l *isa.Lift) {
	st := data(l)
	to := set{cell: ir.Cell{File: FileVo}, v: st.output(l, int(l.In.Get(nameSink)))}
	if l.In.Has(nameSrc) {
		to.at = st.source(l, int(l.In.Get(nameSrc)))
	} else if to.cell.Index = uint16(l.In.Get(nameImm)) + uint16(st.gather.word); to.cell.Index >= numOutputs {
		l.Fail(ir.TrapUndefined, "a vertex output behind the last")
		return
	}
	st.sets = append(st.sets, to)
}

// vertexOutputEnd does the same, and the task ends.
func vertexOutputEnd(l *isa.Lift) {
	vertexOutput(l)
	endTask(l)
}

// dropOthers drops the pixels of instances that run and do not pass: those that the condition of the group keeps from giving
// feedback, and those that it says fail.
func (st *state) dropOthers(l *isa.Lift, pass V) {
	st.sets = append(st.sets, set{cell: ir.Cell{File: FileDrop}, v: l.I1(true), mask: l.Exec().And(mask(l).And(pass).Not())})
}

// depthFeedback gives the pixel its depth.
func depthFeedback(l *isa.Lift) {
	st := data(l)
	st.sets = append(st.sets, set{cell: ir.Cell{File: FileDepth}, v: st.output(l, 0)})
	st.dropOthers(l, l.I1(true))
	l.Issue(0, nil, nil)
}

// alphaTest compares s1 with s0 as the low three bits of s2 say, and drops pixels that fail if it is feedback.
func alphaTest(l *isa.Lift) {
	st := data(l)
	ref, v, op := st.source(l, 0).As(ir.F32), st.source(l, 1).As(ir.F32), st.source(l, 2)
	if l.Option(optAlpha) == referenceFirst {
		ref, v = v, ref
	}
	bit := func(n uint32) V { return op.And(l.I32(n)).Ne(l.I32(0)) }
	less, equal, more := bit(1), bit(2), bit(4)
	pass := less.And(v.FLt(ref)).Or(equal.And(v.FEq(ref))).Or(more.And(ref.FLt(v))).Or(less.And(more).And(v.FUnord(ref)))
	if l.In.Get(namePred) != 0 {
		st.setPredicate(pass)
	}
	if l.In.Get(nameIFB) != 0 {
		st.dropOthers(l, pass)
	}
	l.Issue(0, nil, nil)
}
