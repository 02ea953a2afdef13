package ir

import "github.com/heddle-gpu/heddle/loc"

// Described is Code that can describe its instructions to users: see Describe.
type Described interface {
	Code
	// From maps the code to its source; nil if that is not known.
	From() *loc.Map
	// Extent returns the address range of the code in memory, excluding to.
	Extent() (from, to uint64)
	// Operands returns the cells that the operands of the instruction at pc read and write; none if there is no
	// instruction.
	Operands(pc uint64) (reads, writes []Span)
	// Behind returns the address of the instruction that follows the one at pc. call reports whether control
	// returns there.
	Behind(pc uint64) (next uint64, call bool)
	// RegisterName returns the name of a cell as users write it.
	RegisterName(c Cell) string
	// ValueName is RegisterName for a value that is shown: with its component, if a name covers several cells.
	ValueName(c Cell) string
	// RegisterCells returns the cells of a register by its name, lowest word first.
	RegisterCells(name string) ([]Cell, error)
	// Mnemonics returns the names of instructions, in no particular order.
	Mnemonics() []string
}

// Describe returns the description of the code: the code itself or the code that it wraps, found by its method
// Unwrap. Code of tests may have none.
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

// PlaceOf returns the source place of the instruction at pc, as far as it is known.
func PlaceOf(c Code, pc uint64) loc.Place {
	if d, ok := Describe(c); ok {
		return d.From().Place(pc)
	}
	return loc.Place{Addr: pc}
}
