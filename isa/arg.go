package isa

import (
	"github.com/heddle-gpu/heddle/bits"
)

// A Place is where the text of an Arg stands.
type Place uint8

const (
	Operand  Place = iota // after the mnemonic, in the order of the row, with the set's separator between
	Suffix                // after the mnemonic, without blank, in any order; before the operands
	Prefix                // before the mnemonic, in any order
	Modifier              // after the operands, with its own separator, in any order
	Required              // a modifier that the text must have: it tells the row from others of its name
	Hidden                // no text: what the bits say is told by the text of the bundle, or by none
	numPlaces
)

// A Side is where the text of a Part stands beside its operand.
type Side uint8

const (
	Silent Side = iota // no text of its own: the operand's kind prints and reads it
	Before             // in front of the operand
	Around             // in front of it and behind it
	After              // behind it
)

// A Part is a named piece of an operand beside its base value: a sign, a swizzle, a bank, an index. Without At and Kind
// of its own it is the field of that name of the layout. Parts before and around an operand are listed from the
// outermost to the innermost, and read in that order; parts behind it are printed in the order of the list.
type Part struct {
	Name    string
	At      bits.Ranges // nothing: the text is known, and refused
	Kind    *Kind       // value 0 without text in its Table prints nothing
	Side    Side
	Default uint64 // the value of a part that the text leaves out
	// Shared marks bits that are one for all operands of the instruction that have the part: the first operand that
	// says something claims them, and one that says something else is an error.
	Shared   bool
	Conflict string // what is wrong then; "": said in general

	slot
	taken
	read *reading // of its Kind's Spell; nil: these are not read from eight bytes
}

// A taken says what a declaration left to the field of its name, and whether a row has it.
type taken struct{ at, kind, bound bool }

// An Arg is an operand or modifier of a row: a field seen through a kind, with its parts.
type Arg struct {
	Name  string
	Kind  *Kind
	At    bits.Ranges // nothing: text that stands for no bits
	Parts []Part
	Place Place
	Tight bool // an operand without separator in front
	// Optional is an operand that the text may leave out if all behind it may be, too; it is Default then.
	Optional bool
	// Needed is a suffix that the text must have.
	Needed bool
	// AnyOrder lets the parts behind the operand be read in any order.
	AnyOrder bool
	Role     Role
	// RoleIf, where the role depends on the rest of the instruction, takes the place of Role.
	RoleIf  func(in *Inst) Role
	Width   int    // bits of the operand: 16, 32, 64 ...
	Default uint64 // the value of a suffix, prefix or modifier that the text leaves out

	slot
	taken
	index  uint8    // in Def.Args
	bits   bool     // it has a field
	read   *reading // nil: the kind's parser reads all
	*sides          // of an arg with Parts
}

// sides are the parts of an operand by where they stand.
type sides struct {
	heads, tails byteSet // of the parts in front, and behind
	front, back  []uint8 // indexes of these parts
	choice       *choice // of those behind; nil: not all are read so
}

// RoleIn is what the instruction does with the operand.
func (a *Arg) RoleIn(in *Inst) Role {
	if a.RoleIf != nil {
		return a.RoleIf(in)
	}
	return a.Role
}

// Index is the arg's number in Def.Args.
func (a *Arg) Index() int { return int(a.index) }

// Get is the value of the operand's field.
func (a *Arg) Get(w bits.Word) uint64 { return a.get(w) }

// Put is w with the value in the operand's field.
func (a *Arg) Put(w bits.Word, v uint64) bits.Word { return a.put(w, v) }

// Part is the value of the operand's part of that number.
func (a *Arg) Part(w bits.Word, i int) uint64 { return a.Parts[i].get(w) }

// Get is the value of the part.
func (pt *Part) Get(w bits.Word) uint64 { return pt.get(w) }

// Put is w with the value in the part.
func (pt *Part) Put(w bits.Word, v uint64) bits.Word { return pt.put(w, v) }

// fits reports whether the field can hold v.
func (s *slot) fits(v uint64) bool { return v&^s.mask == 0 }
