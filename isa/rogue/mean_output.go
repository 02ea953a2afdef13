package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Outputs of vertices and pixels. docs/reference/rogue.md 5.7.

// vertexOutput writes a vertex output, whose number is a field plus the repetition, or comes from a source.
func vertexOutput(l *isa.Lift) {
	st := data(l)
	to := set{cell: ir.Cell{File: FileVo}, v: st.output(l, int(l.In.Get(nameSink)))}
	to.mask = mask(l).And(l.Get(emittedCell, ir.I1).Not())
	if l.In.Has(nameSrc) {
		to.at = st.source(l, int(l.In.Get(nameSrc)))
	} else if to.cell.Index = uint16(l.In.Get(nameImm)) + uint16(st.gather.word); to.cell.Index >= numOutputs {
		l.Fail(ir.TrapUndefined, "a vertex output behind the last")
		return
	}
	st.sets = append(st.sets, to)
}

// vertexOutputEnd writes a vertex output, marks the vertex as done and ends the task.
func vertexOutputEnd(l *isa.Lift) {
	vertexOutput(l)
	emitVertexEnd(l)
}

// emittedCell holds per lane whether the vertex is done.
var emittedCell = ir.Cell{File: FileEmitted}

// emitVertex marks the vertex as done: the outputs have their final values, and later writes are for the next vertex.
// There is no place for a next vertex: it is an output of the stage, which launches reject.
func emitVertex(l *isa.Lift) {
	st := data(l)
	if l.In.Opt(nameStream) != 0 {
		l.Fail(ir.TrapUndefined, "where vertices of streams other than 0 go is not public")
		return
	}
	again := mask(l).And(l.Get(emittedCell, ir.I1))
	l.Output(ir.IOAttr{Count: 1}, l.I32(1), []V{l.I32(0)}, again)
	st.sets = append(st.sets, set{cell: emittedCell, v: l.I1(true)})
}

// emitVertexEnd does the same and ends the task.
func emitVertexEnd(l *isa.Lift) {
	emitVertex(l)
	endTask(l)
}

// dropOthers drops the pixels of active lanes that do not pass: those that the condition of the group excludes from
// feedback, and those that fail.
func (st *state) dropOthers(l *isa.Lift, pass V) {
	others := l.Exec().And(mask(l).And(pass).Not())
	if st.turn.Valid() {
		others = others.And(st.turn)
	}
	st.sets = append(st.sets, set{cell: ir.Cell{File: FileDrop}, v: l.I1(true), mask: others})
}

// depthFeedback sets the depth of the pixel.
func depthFeedback(l *isa.Lift) {
	st := data(l)
	st.sets = append(st.sets, set{cell: ir.Cell{File: FileDepth}, v: st.output(l, 0)})
	st.dropOthers(l, l.I1(true))
	l.Issue(0, nil, nil)
}

// alphaTest compares s1 with s0 by the comparison in the low three bits of s2, and drops pixels that fail if it is
// feedback.
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

// Masks of savmsk by code.
const (
	maskValid    = iota // samples of the lane
	maskCoverage        // samples that its pixel covers
)

// saveMask returns the samples of a lane as bits. There is one sample per lane here, which is valid and covered.
func saveMask(l *isa.Lift) {
	st := data(l)
	switch {
	case l.In.Get(nameMode) > maskCoverage:
		l.Fail(ir.TrapUndefined, "what the masks icmoc, icmi and caxy hold is not public")
	case st.rt.has[1]:
		l.Fail(ir.TrapUndefined, "what savmsk gives in w1 is not public")
	}
	st.w[0] = l.I32(1).Shl(st.read(l, reg{bankSpecial, SpecialSample}))
}
