package isa

import (
	"github.com/heddle-gpu/heddle/bits"
)

// A Place is the position of the text of an Arg.
type Place uint8

const (
	Operand  Place = iota // after the mnemonic, in the order of the row, with the set's separator between
	Suffix                // after the mnemonic, without blank, in any order; before the operands
	Prefix                // before the mnemonic, in any order
	Modifier              // after the operands, with its own separator, in any order
	Required              // a modifier that must be present: it distinguishes the row from others of its name
	Hidden                // no text: the text of the bundle implies the bits, or nothing does
	numPlaces
)

// A Side is the position of the text of a Part relative to its operand.
type Side uint8

const (
	Silent Side = iota // no text of its own: the operand's kind prints and reads it
	Before             // before the operand
	Around             // before and after it
	After              // after it
)

// A Part is a named piece of an operand besides its base value: a sign, a swizzle, a bank, an index. Without its own
// At and Kind it is the layout's field of that name. Parts before and around an operand are listed and read from the
// outermost to the innermost; parts after it are printed in the order of the list.
type Part struct {
	Name    string
	At      bits.Ranges // empty: the text is known, and refused
	Kind    *Kind       // value 0 without text in its Table prints nothing
	Side    Side
	Default uint64 // the value if the text omits the part
	// Shared marks bits that all operands of the instruction with this part have in common. The first operand that
	// gives a value sets them; a different value in another operand is an error.
	Shared   bool
	Conflict string // the message then; "": a general one

	slot
	taken
	read *reading // of its Kind's Spell; nil: not read by the eight-byte fast path
}

// A taken says what a declaration took from the field of its name, and whether a row has it.
type taken struct{ at, kind, bound bool }

// An Arg is an operand or modifier of a row: a field, its kind, and its parts.
type Arg struct {
	Name  string
	Kind  *Kind
	At    bits.Ranges // empty: text without bits
	Parts []Part
	Place Place
	Tight bool // no separator before the operand
	// Optional is an operand that may be omitted if all operands after it may be, too; it then has the value Default.
	Optional bool
	// Needed is a suffix that must be present.
	Needed bool
	// AnyOrder lets the parts after the operand be read in any order.
	AnyOrder bool
	Role     Role
	// RoleIf replaces Role if the role depends on the rest of the instruction.
	RoleIf  func(in *Inst) Role
	Width   int    // bits of the operand: 16, 32, 64 ...
	Default uint64 // the value of an omitted suffix, prefix or modifier

	slot
	taken
	index  uint8    // in Def.Args
	bits   bool     // it has a field
	read   *reading // nil: the kind's parser reads all
	*sides          // of an arg with Parts
}

// sides are the parts of an operand by position.
type sides struct {
	heads, tails byteSet // first bytes of the parts before the operand, and after it
	front, back  []uint8 // indexes of these parts
	choice       *choice // of those after it; nil: not all are read by the fast path
}

// RoleIn returns what the instruction does with the operand.
func (a *Arg) RoleIn(in *Inst) Role {
	if a.RoleIf != nil {
		return a.RoleIf(in)
	}
	return a.Role
}

// Index returns the arg's index in Def.Args.
func (a *Arg) Index() int { return int(a.index) }

// Get returns the value of the operand's field.
func (a *Arg) Get(w bits.Word) uint64 { return a.get(w) }

// Put returns w with the value in the operand's field.
func (a *Arg) Put(w bits.Word, v uint64) bits.Word { return a.put(w, v) }

// Part returns the value of the operand's part i.
func (a *Arg) Part(w bits.Word, i int) uint64 { return a.Parts[i].get(w) }

// Get returns the value of the part.
func (pt *Part) Get(w bits.Word) uint64 { return pt.get(w) }

// Put returns w with the value in the part.
func (pt *Part) Put(w bits.Word, v uint64) bits.Word { return pt.put(w, v) }

// fits reports whether the field can hold v.
func (s *slot) fits(v uint64) bool { return v&^s.mask == 0 }
