package pass

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A CellSet is a set of cells of one machine.
type CellSet struct {
	m    *ir.Machine
	bits []uint64
}

// NewCellSet returns the empty set.
func NewCellSet(m *ir.Machine) CellSet { return CellSet{m, make([]uint64, (cells(m)+63)/64)} }

// AllCells returns the set of all cells.
func AllCells(m *ir.Machine) CellSet {
	s := NewCellSet(m)
	s.fill()
	return s
}

// cells returns the number of cells of the machine.
func cells(m *ir.Machine) (n int) {
	for i := range m.Files {
		n += m.Files[i].Count
	}
	return n
}

// fill adds all cells.
func (s CellSet) fill() {
	n := cells(s.m)
	for i := range s.bits {
		s.bits[i] = 1<<(min(n-64*i, 64)-1)<<1 - 1
	}
}

func (s CellSet) has(i int) bool { return s.bits[i/64]>>(i%64)&1 != 0 }
func (s CellSet) add(i int)      { s.bits[i/64] |= 1 << (i % 64) }
func (s CellSet) remove(i int)   { s.bits[i/64] &^= 1 << (i % 64) }

func (s CellSet) index(c ir.Cell) int {
	n := int(c.Index)
	for i := range int(c.File) {
		n += s.m.Files[i].Count
	}
	return n
}

// Has reports whether c is in the set.
func (s CellSet) Has(c ir.Cell) bool {
	return s.has(s.index(c))
}

// HasAny reports whether a cell of the span is in the set.
func (s CellSet) HasAny(sp Span) bool {
	for i, n := s.index(sp.Cell), sp.Count; n > 0; i, n = i+1, n-1 {
		if s.has(i) {
			return true
		}
	}
	return false
}

// Add adds the cells of the span.
func (s CellSet) Add(sp Span) {
	for i, n := s.index(sp.Cell), sp.Count; n > 0; i, n = i+1, n-1 {
		s.add(i)
	}
}

// Remove removes the cells of the span.
func (s CellSet) Remove(sp Span) {
	for i, n := s.index(sp.Cell), sp.Count; n > 0; i, n = i+1, n-1 {
		s.remove(i)
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

// and returns the intersection.
func (s CellSet) and(t CellSet) CellSet {
	both := s.Clone()
	for i, x := range t.bits {
		both.bits[i] &= x
	}
	return both
}

// Clone returns an independent set with the same cells.
func (s CellSet) Clone() CellSet { return CellSet{s.m, slices.Clone(s.bits)} }

// copy makes the set equal to t, reusing its memory.
func (s *CellSet) copy(t CellSet) { s.m, s.bits = t.m, append(s.bits[:0], t.bits...) }

// Cells returns the cells of the set, in the order of the machine's files.
func (s CellSet) Cells() (cs []ir.Cell) {
	i := 0
	for f := range s.m.Files {
		for k := range s.m.Files[f].Count {
			if s.has(i) {
				cs = append(cs, ir.Cell{File: uint8(f), Index: uint16(k)})
			}
			i++
		}
	}
	return cs
}
