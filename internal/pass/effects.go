package pass

import (
	"slices"
	"sort"

	"github.com/heddle-gpu/heddle/ir"
)

// A Span is cells of one file that an op reads or writes.
type Span struct {
	Cell  ir.Cell // the first
	Count int     // 1, or the whole file for an index computed at run time
	// Partial says that some bits of the cells may be unaffected: a write under a mask, or of one of several cells;
	// for reads, that only one of several cells is read.
	Partial bool
}

// Effects is what one guest instruction does to state and memory.
type Effects struct {
	Reads, Writes []Span
	Loads, Stores []ir.Mem // an atomic is in both; a check is in neither
}

// MarkEffects returns the effects of each mark of the block, in order, each span once.
func MarkEffects(m *ir.Machine, b *ir.Block) []Effects {
	es := make([]Effects, len(b.Marks))
	for i := range b.Ops {
		in, e := &b.Ops[i], &es[b.MarkAt(i)]
		if s, write, ok := Access(m, b, i); ok && write {
			e.Writes = addSpan(e.Writes, s)
		} else if ok {
			e.Reads = addSpan(e.Reads, s)
		}
		if in.Op == ir.Load || in.Op == ir.AtomicRMW {
			e.Loads = append(e.Loads, in.Mem)
		}
		if in.Op == ir.Store || in.Op == ir.AtomicRMW {
			e.Stores = append(e.Stores, in.Mem)
		}
	}
	return es
}

// addSpan adds s, once. If the same cells are accessed both partially and wholly, the whole access stays.
func addSpan(to []Span, s Span) []Span {
	i := slices.IndexFunc(to, func(t Span) bool { return t.Cell == s.Cell && t.Count == s.Count })
	if i < 0 {
		return append(to, s)
	}
	to[i].Partial = to[i].Partial && s.Partial
	return to
}

// Access returns the cells that op i reads or writes; ok is false if it accesses none.
func Access(m *ir.Machine, b *ir.Block, i int) (s Span, write, ok bool) {
	in := &b.Ops[i]
	switch in.Op {
	case ir.Get:
		return Span{Cell: in.Cell, Count: 1}, false, true
	case ir.GetX:
		return wholeFile(m, in.Cell), false, true
	case ir.Set:
		mask, masked := b.Mask(in)
		return Span{Cell: in.Cell, Count: 1, Partial: masked && !alwaysTrue(b, mask)}, true, true
	case ir.SetLast:
		return Span{Cell: in.Cell, Count: 1, Partial: true}, true, true
	case ir.SetX:
		return wholeFile(m, in.Cell), true, true
	}
	return Span{}, false, false
}

func wholeFile(m *ir.Machine, c ir.Cell) Span {
	return Span{Cell: ir.Cell{File: c.File}, Count: m.Files[c.File].Count, Partial: true}
}

// alwaysTrue reports whether v is the constant 1.
func alwaysTrue(b *ir.Block, v ir.Val) bool {
	d := defOf(b, v)
	return d.Op == ir.Const && d.Imm&1 == 1
}

// defOf returns the op that defines v: values are numbered in the order of their ops.
func defOf(b *ir.Block, v ir.Val) *ir.Inst {
	i := sort.Search(len(b.Ops), func(i int) bool { return b.Ops[i].Res+ir.Val(b.Ops[i].NRes) > v })
	return &b.Ops[i]
}
