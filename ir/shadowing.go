package ir

import "slices"

// A Shadowing describes a machine that is another one with a shadow: a second file for each file of registers, and a
// second bank for each bank of memory, at the same addresses. A bit of the shadow says that the bit in its place is
// undefined. Code for such a machine computes both (package internal/shadow). Accesses of the shadow are silent
// (Mem.Silent).
type Shadowing struct {
	Of    *Machine
	Files []int  // by file of Of: the index of its shadow; 0: none, its cells are always defined
	Banks Spaces // by address space: the number of the bank that shadows bank 0; 0: none, memory is always defined
	Some  int    // the file with a bit for each cell of most files: if it is 0, so is the shadow of the cell; see Bit
	first []int  // by file of Of: the first bit of Some; -1: none
}

// Shadowed returns the machine with a shadow. Its own files and banks keep their numbers. The execution mask and
// constant memory have none, as they are always defined.
func Shadowed(m *Machine) *Machine {
	n, s, bits := *m, &Shadowing{Of: m, Files: make([]int, len(m.Files)), first: make([]int, len(m.Files))}, 0
	n.Shadow, n.Files = s, slices.Clone(m.Files)
	for i, f := range m.Files {
		if s.first[i] = -1; f.Kind == ExecMask {
			continue
		}
		if !f.Group { // what waves share would need a bit that they share
			s.first[i], bits = bits, bits+f.Count
		}
		s.Files[i] = len(n.Files)
		f.Name, f.Awaited = f.Name+"'", false
		n.Files = append(n.Files, f)
	}
	s.Some, n.Files = len(n.Files), append(n.Files, File{Name: "undefined", Kind: Wave32, Count: (bits + 31) / 32})
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

// Bit returns the cell of Some with the bit for a cell of Of, and the bit; false: there is none.
func (s *Shadowing) Bit(c Cell) (some Cell, bit uint32, ok bool) {
	at := s.first[c.File]
	if at < 0 {
		return Cell{}, 0, false
	}
	at += int(c.Index)
	return Cell{File: uint8(s.Some), Index: uint16(at / 32)}, 1 << (at % 32), true
}

// indexes reports whether an op reads or writes a register of the shadow by its number. The op that it belongs to has
// faulted if the number is out of range.
func (s *Shadowing) indexes(in *Inst) bool {
	return s != nil && (in.Op == GetX || in.Op == SetX) && int(in.Cell.File) >= len(s.Of.Files)
}
