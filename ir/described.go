package ir

import "github.com/heddle-gpu/heddle/loc"

// Described is Code that can say of its instructions what people ask: see Describe.
type Described interface {
	Code
	// From says where the code came from; nil: nobody knows.
	From() *loc.Map
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
func PlaceOf(c Code, pc uint64) loc.Place {
	if d, ok := Describe(c); ok {
		return d.From().Place(pc)
	}
	return loc.Place{Addr: pc}
}
