package isa

import (
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// A Kind is a class of operand, part or modifier: how a field's value reads as text, and back.
// Printer and parser stand side by side so that they cannot drift apart.
type Kind struct {
	Name string // in messages: "a VGPR"
	// Table holds the text of value i. An empty entry is left to Text, or prints nothing.
	Table []string
	// Close, of a part that stands around its operand, holds the text behind the operand of value i.
	Close []string
	// Reserved marks values that no instruction may hold; the index is the value.
	Reserved []bool
	// Plain, of an operand whose text depends on other fields, holds the text of value i if the Hidden Args of the names Beside hold 0
	// or the row lacks them; an empty entry prints nothing.
	Plain  []string
	Beside []string
	// Native, of an operand that Text writes, holds the text of value i in the first dialect, where that needs no look at anything
	// else. All values of the field have one.
	Native []string
	// Text appends the text of a value that the table lacks. It is not asked for the value 0 of a part.
	Text func(p Printer, dst []byte, in *Inst, a *Arg, v uint64) []byte
	// CloseText is Text for what stands behind the operand, where Close has nothing.
	CloseText func(p Printer, dst []byte, in *Inst, a *Arg, v uint64) []byte
	// Parse reads the text of a value. On failure it has called s.Fail. A prefix, suffix, modifier or part that is not
	// there moves nothing and fails. A prefix is read before the row is known: in is nil then.
	Parse func(s *Scan, in *Inst, a *Arg) (uint64, bool)
	// Spell are the spellings that are read, in the order in which they are tried; it takes the place of Parse.
	Spell []Spelling
	// Words, where Parse reads an operand, are words that stand in all its texts, each apart from other letters and digits. Rows
	// whose words are not in a text are not tried. OneOf are some of which one stands there.
	Words, OneOf []string
	// Only, where Parse reads an operand or part, are texts that have all words that any of its texts may have outside of square
	// brackets; nil: not known. Rows that do not know a word of a text are not tried. 0 stands for all numbers, $r0 for $r with any
	// number, c0[ for c in front of a bracket with anything between.
	Only []string
	// Expr says that Parse reads an expression: there is a number or the name of a symbol, and there may be any words.
	Expr bool
	// Begin, where Parse reads a part in front of an operand, is what all its texts begin with; "": not known. What stands there
	// otherwise is no such part, and Parse is not asked.
	Begin string
	// First, where Parse reads a part, prefix or suffix, are the bytes with which its text may begin; "": not known, and Parse
	// is always asked.
	First string
	// Numbered are texts, registers mostly, that Parse would read as these values, whatever else the instruction holds, and do nothing
	// else: they are read without it. Unless, if it is set, tells of instructions in which Parse does more.
	Numbered []Numbered
	Unless   func(in *Inst) bool
	// Written, if it is set, are such texts, too: those that are a number as it stands.
	Written *Written
	// Steady says of Parse that it looks at nothing but its text and fields that words of the line tell, and writes what its text tells: no
	// symbol and no number that stands elsewhere has a part in it. What it refuses for a number it refuses with ErrRange.
	Steady bool
	// Again says of a Steady Parse that a register stands in its text of which counts, too, whether its number is that of the first register
	// of the line. Steady says so of no other.
	Again bool
	// Linear says of a Steady Parse how the value that it has read grows with the only number in its text, which stands between before
	// and after, whatever else the instruction holds; nil: this is not known. Symbols are no part of such texts.
	Linear func(in *Inst, before, after string, v uint64) Linear
	// Canon clears the bits of a value that its text does not tell; nil: the text tells all.
	Canon func(v uint64) uint64
	// Samples are values worth testing; all of a field of up to four bits are tested anyway.
	Samples []uint64
	// Cells appends the cells that a value names, nothing for a constant; nil: not known. Roles speak of them.
	Cells func(dst []Span, in *Inst, a *Arg, v uint64) []Span
}

// A Spelling is a text that is read as a value.
type Spelling struct {
	// Text is what is read. A blank in front of it stands for one or more: so suffixes, and parts behind an operand, are
	// words of their own.
	Text  string
	Value uint64
	Close string                 // what must follow the operand
	What  string                 // in messages, where Text says too little
	Not   func(rest string) bool // what follows makes it part of the operand itself; nil: never
}

// A Span is N cells from one on, or some bytes of each.
type Span struct {
	ir.Cell
	N     int
	Bytes uint8 // bit i: byte i of each cell; 0: all
	Role  Role  // where it is not that of the operand: an index that is read, or read and written
}

// Cells are n cells of a file, from one on.
func Cells(file, from, n int) []ir.Cell {
	cs := make([]ir.Cell, n)
	for i := range cs {
		cs[i] = ir.Cell{File: uint8(file), Index: uint16(from + i)}
	}
	return cs
}

// A Role says what an instruction does with an operand.
type Role uint8

const (
	NoRole Role = iota
	Use
	Define
	UseDef
)

// reserved reports whether no instruction may hold the value.
func (k *Kind) reserved(v uint64) bool { return v < uint64(len(k.Reserved)) && k.Reserved[v] }

// readable reports whether text can be read as a value.
func (k *Kind) readable() bool {
	for _, sp := range k.Spell {
		if strings.TrimLeft(sp.Text, " ") == "" {
			return false
		}
	}
	return k.Spell != nil || k.Parse != nil
}

// read reads a value by the kind's spellings, or its Parse.
func (k *Kind) read(s *Scan, in *Inst, a *Arg) (uint64, bool) {
	if k.Spell == nil {
		if !k.Steady {
			s.spoil()
		}
		return k.Parse(s, in, a)
	}
	if sp := s.spelled(k); sp != nil {
		return sp.Value, true
	}
	return 0, false
}
