package rogue

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Dynamic constants: words of memory that groups read as registers. docs/reference/rogue.md 4.

// A dynamic constant is named by an index register and an offset.
type dynamic struct {
	index  uint8
	offset uint16
}

// constant is a dynamic constant that an earlier mark has loaded.
func (st *state) constant(l *isa.Lift, d dynamic) V {
	at := slices.Index(st.run.dynamic, d)
	switch {
	case at >= 0:
		return l.Get(ir.Cell{File: FileDyn, Index: uint16(at)}, ir.I32)
	case len(st.run.dynamic) == numDynamic:
		l.Fail(ir.TrapUnimplemented, fmt.Sprintf("a group that reads more than %d dynamic constants: not built", numDynamic))
	default:
		st.run.dynamic = append(st.run.dynamic, d)
	}
	return l.I32(0)
}

// loadDynamic loads dynamic constant i of the run.
func (st *state) loadDynamic(l *isa.Lift, i int) {
	d := st.run.dynamic[i]
	at := indexOf(l, d.index, d.offset)
	v := l.Load(ir.Mem{Space: ir.ConstSpace, Elem: 4, Count: 1}, ir.I32, at.Shl(l.I32(2)).ZExt(ir.I64), mask(l))[0]
	l.Set(ir.Cell{File: FileDyn, Index: uint16(i)}, v, mask(l))
}
