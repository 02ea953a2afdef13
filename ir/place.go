package ir

import (
	"fmt"
	"slices"
	"sort"
)

// A Place is where an instruction stands in what its code was made from, as people look for it.
type Place struct {
	Addr   uint64 // as a listing of the code has it
	Symbol string // the last function or label at or before it; "": there is none
	Offset uint64 // bytes behind Symbol
	File   string // of the source
	Line   int    // in File, from 1; 0: not known
}

// Name is symbol+offset, the symbol alone at its own place, "" without one.
func (p Place) Name() string {
	if p.Symbol == "" || p.Offset == 0 {
		return p.Symbol
	}
	return fmt.Sprintf("%s+%#x", p.Symbol, p.Offset)
}

// Source is FILE:LINE, "" if that is not known.
func (p Place) Source() string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// A Symbol is a name for an address of a listing.
type Symbol struct {
	Name string
	Addr uint64
}

// A Map says where code in memory came from. nil knows nothing.
type Map struct {
	Bias    uint64 // what has been added to addresses of the listing to get those in memory
	Symbols []Symbol
	// Line is the source of the instruction at an address of the listing; a line of 0: not known. nil: no address has one.
	Line func(addr uint64) (file string, line int)
}

// Sort puts the symbols in the order of their addresses, which Place needs. Of those at one address the first counts.
func (m *Map) Sort() {
	slices.SortStableFunc(m.Symbols, func(a, b Symbol) int {
		switch {
		case a.Addr < b.Addr:
			return -1
		case a.Addr > b.Addr:
			return 1
		}
		return 0
	})
}

// All are the symbols.
func (m *Map) All() []Symbol {
	if m == nil {
		return nil
	}
	return m.Symbols
}

// Memory is where what a listing has at an address lies in memory.
func (m *Map) Memory(addr uint64) uint64 {
	if m == nil {
		return addr
	}
	return addr + m.Bias
}

// Place is where the instruction at an address in memory stands.
func (m *Map) Place(pc uint64) Place {
	if m == nil {
		return Place{Addr: pc}
	}
	p := Place{Addr: pc - m.Bias}
	if i := sort.Search(len(m.Symbols), func(i int) bool { return m.Symbols[i].Addr > p.Addr }); i > 0 {
		at := m.Symbols[i-1].Addr
		for i > 1 && m.Symbols[i-2].Addr == at {
			i--
		}
		p.Symbol, p.Offset = m.Symbols[i-1].Name, p.Addr-at
	}
	if m.Line != nil {
		p.File, p.Line = m.Line(p.Addr)
	}
	return p
}

// Described is Code that can say of its instructions what people ask: see Describe.
type Described interface {
	Code
	// From says where the code came from; nil: nobody knows.
	From() *Map
	// Extent is where the code lies in memory: from the first address up to, and without, the last.
	Extent() (from, to uint64)
	// Operands are the cells that the operands of the instruction at pc read and write: none, if it is no instruction.
	Operands(pc uint64) (reads, writes []Span)
	// Behind is the address of the instruction that follows the one at pc, and call whether control comes back there.
	Behind(pc uint64) (next uint64, call bool)
	// RegisterName is how users write a cell.
	RegisterName(c Cell) string
	// ValueName is RegisterName of a value that is shown: with its part, where text names several cells at once.
	ValueName(c Cell) string
	// RegisterCells are the cells of a register by its name, lowest word first.
	RegisterCells(name string) ([]Cell, error)
	// Mnemonics are the names of instructions, in no order.
	Mnemonics() []string
}

// Describe is what can describe the code: the code itself or what it wraps, as its method Unwrap says. Nothing can in tests.
func Describe(c Code) (Described, bool) {
	for c != nil {
		if d, ok := c.(Described); ok {
			return d, true
		}
		w, ok := c.(interface{ Unwrap() Code })
		if !ok {
			return nil, false
		}
		c = w.Unwrap()
	}
	return nil, false
}

// PlaceOf is where the instruction at pc stands, as far as the code can say.
func PlaceOf(c Code, pc uint64) Place {
	if d, ok := Describe(c); ok {
		return d.From().Place(pc)
	}
	return Place{Addr: pc}
}
