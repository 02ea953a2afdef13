package ir

import "slices"

// A Shadowing describes a machine that is another one with a shadow: a second file for each file of registers, and a
// second bank for each bank of memory, at the same addresses. A bit of the shadow says that the bit in its place is
// undefined. Code for such a machine computes both (package internal/shadow). Accesses of the shadow do not fault,
// where memory refuses them a load gives 0, and they are not counted.
type Shadowing struct {
	Of    *Machine
	Files []int  // by file of Of: the index of its shadow; 0: none, its cells are always defined
	Banks Spaces // by address space: the number of the bank that shadows bank 0; 0: none, memory is always defined
}

// Shadowed returns the machine with a shadow. Its own files and banks keep their numbers. The execution mask and
// constant memory have none, as they are always defined.
func Shadowed(m *Machine) *Machine {
	n, s := *m, &Shadowing{Of: m, Files: make([]int, len(m.Files))}
	n.Shadow, n.Files = s, slices.Clone(m.Files)
	for i, f := range m.Files {
		if f.Kind == ExecMask {
			continue
		}
		s.Files[i] = len(n.Files)
		f.Name, f.Awaited = f.Name+"'", false
		n.Files = append(n.Files, f)
	}
	for id, banks := range m.Spaces {
		if SpaceID(id) != ConstSpace {
			s.Banks[id], n.Spaces[id] = banks, 2*banks
		}
	}
	return &n
}

// Cell returns the shadow of a cell; false: it has none.
func (s *Shadowing) Cell(c Cell) (Cell, bool) {
	f := s.Files[c.File]
	return Cell{File: uint8(f), Index: c.Index}, f != 0
}

// Accesses reports whether an op accesses the shadow; nil has none.
func (s *Shadowing) Accesses(in *Inst) bool {
	if s == nil {
		return false
	}
	switch in.Op {
	case GetX, SetX:
		return int(in.Cell.File) >= len(s.Of.Files)
	case Load, Store, AtomicRMW:
		first := s.Banks[min(in.Mem.Space, numSpaces-1)]
		return first != 0 && int(in.Mem.Bank) >= first
	}
	return false
}
