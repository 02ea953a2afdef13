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
	// Partial says that some of the bits named may stay as they are: a write under a mask, or to one of several
	// cells; of reads, that one of several cells is read.
	Partial bool
}

// Effects are what one guest instruction does to state and memory.
type Effects struct {
	Reads, Writes []Span
	Loads, Stores []ir.Mem // an atomic is in both; a check is in neither
}

// MarkEffects are the effects of each mark of the block, in order, each span once.
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

// addSpan adds s, once; of a partial and a whole write of the same cells the whole one stays.
func addSpan(to []Span, s Span) []Span {
	i := slices.IndexFunc(to, func(t Span) bool { return t.Cell == s.Cell && t.Count == s.Count })
	if i < 0 {
		return append(to, s)
	}
	to[i].Partial = to[i].Partial && s.Partial
	return to
}

// Access is what op i reads or writes of cells, if it does.
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

// defOf is the op that made v: values are numbered in the order of their ops.
func defOf(b *ir.Block, v ir.Val) *ir.Inst {
	i := sort.Search(len(b.Ops), func(i int) bool { return b.Ops[i].Res+ir.Val(b.Ops[i].NRes) > v })
	return &b.Ops[i]
}

// A CellSet is a set of cells of one machine.
type CellSet struct {
	m    *ir.Machine
	bits []uint64
}

// NewCellSet is the empty set.
func NewCellSet(m *ir.Machine) CellSet {
	n := 0
	for i := range m.Files {
		n += m.Files[i].Count
	}
	return CellSet{m, make([]uint64, (n+63)/64)}
}

func (s CellSet) index(c ir.Cell) int {
	n := int(c.Index)
	for i := range int(c.File) {
		n += s.m.Files[i].Count
	}
	return n
}

// Has reports whether c is in the set.
func (s CellSet) Has(c ir.Cell) bool {
	i := s.index(c)
	return s.bits[i/64]>>(i%64)&1 != 0
}

// Add adds the cells of the span.
func (s CellSet) Add(sp Span) {
	for i, n := s.index(sp.Cell), sp.Count; n > 0; i, n = i+1, n-1 {
		s.bits[i/64] |= 1 << (i % 64)
	}
}

// Remove takes the cells of the span out.
func (s CellSet) Remove(sp Span) {
	for i, n := s.index(sp.Cell), sp.Count; n > 0; i, n = i+1, n-1 {
		s.bits[i/64] &^= 1 << (i % 64)
	}
}

// AddAll adds the cells of t and reports whether any was new.
func (s CellSet) AddAll(t CellSet) (grew bool) {
	for i, x := range t.bits {
		grew = grew || x&^s.bits[i] != 0
		s.bits[i] |= x
	}
	return grew
}

// Clone is a set of its own with the same cells.
func (s CellSet) Clone() CellSet { return CellSet{s.m, slices.Clone(s.bits)} }

// Cells are the cells of the set, in the order of the machine's files.
func (s CellSet) Cells() (cs []ir.Cell) {
	i := 0
	for f := range s.m.Files {
		for k := range s.m.Files[f].Count {
			if s.bits[i/64]>>(i%64)&1 != 0 {
				cs = append(cs, ir.Cell{File: uint8(f), Index: uint16(k)})
			}
			i++
		}
	}
	return cs
}

// everything is the set of all cells.
func everything(m *ir.Machine) CellSet {
	s := NewCellSet(m)
	for f := range m.Files {
		s.Add(Span{Cell: ir.Cell{File: uint8(f)}, Count: m.Files[f].Count})
	}
	return s
}
