package isa

import (
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// A Kind is a class of operands, parts or modifiers: how the value of a field is printed as text, and parsed. Printer
// and parser are declared side by side so that they cannot drift apart.
type Kind struct {
	Name string // in messages: "a VGPR"
	// Table holds the text of value i. For an empty entry Text is called, or nothing is printed.
	Table []string
	// Other holds, by dialect number less one, the texts of the values in the other dialects; nil: those of Table. It is
	// for Arch.PrintDialect and Arch.Reword.
	Other [][]string
	// Close holds the text after the operand for value i of a part that encloses its operand.
	Close []string
	// Reserved marks reserved values; the index is the value.
	Reserved []bool
	// Plain, for an operand whose text depends on other fields, holds the text of value i for words in which the
	// Hidden Args named in Beside hold 0 or are absent; an empty entry prints nothing.
	Plain  []string
	Beside []string
	// Native, for an operand that Text prints, holds the text of value i in the first dialect if that depends on
	// nothing else. All values of the field must have one.
	Native []string
	// Text appends the text of a value that the table lacks. It is not called for the value 0 of a part.
	Text func(p Printer, dst []byte, in *Inst, a *Arg, v uint64) []byte
	// CloseText is Text for the text after the operand, if Close has none.
	CloseText func(p Printer, dst []byte, in *Inst, a *Arg, v uint64) []byte
	// Parse reads the text of a value. On failure it must have called s.Fail. If a prefix, suffix, modifier or part
	// is absent, it does not move Pos, and fails. A prefix is read before the row is known: in is nil then.
	Parse func(s *Scan, in *Inst, a *Arg) (uint64, bool)
	// Spell are the accepted spellings, in the order in which they are tried; it replaces Parse.
	Spell []Spelling
	// Words, for an operand that Parse reads, are words that all its texts contain, each apart from other letters and
	// digits. Rows are not tried on texts that lack their words. OneOf are words of which each text contains at least
	// one.
	Words, OneOf []string
	// Only, for an operand or part that Parse reads, are texts with all words that any of its texts may have outside
	// of square brackets; nil: unknown. Rows are not tried on texts with other words. 0 stands for all numbers, $r0
	// for $r with any number, c0[ for c before a bracket with anything between.
	Only []string
	// Expr says that Parse reads an expression: its text has a number or the name of a symbol, and may have any
	// words.
	Expr bool
	// Begin, for a part before an operand that Parse reads, is a common prefix of all its texts; "": unknown. Parse
	// is not called for other texts.
	Begin string
	// First, for a part, prefix or suffix that Parse reads, are the possible first bytes of its text; "": unknown,
	// and Parse is always called.
	First string
	// Numbered are texts, mostly registers, that Parse would read as these values, whatever else the instruction
	// holds, without any other effect: the fast path reads them. Unless, if set, reports instructions in which Parse
	// does more.
	Numbered []Numbered
	Unless   func(in *Inst) bool
	// Written, if set, are further texts of this sort: those that are a plain number.
	Written *Written
	// Canon clears the bits of a value that its text does not express; nil: there are none.
	Canon func(v uint64) uint64
	// Samples are values worth testing; fields of up to four bits are tested with all values anyway.
	Samples []uint64
	// Cells appends the cells that a value names, none for a constant; nil: unknown. Roles apply to them.
	Cells func(dst []Span, in *Inst, a *Arg, v uint64) []Span
}

// A Spelling is a text that is read as a value.
type Spelling struct {
	// Text is what is read. A leading blank stands for one or more: suffixes, and parts after an operand, are then
	// words of their own.
	Text  string
	Value uint64
	Close string                 // what must follow the operand
	What  string                 // in messages, if Text is not clear
	Not   func(rest string) bool // what follows makes it part of the operand itself; nil: never
}

// A Span is N cells from one on, or some bytes of each.
type Span struct {
	ir.Cell
	N     int
	Bytes uint8 // bit i: byte i of each cell; 0: all
	Role  Role  // if it is not that of the operand: an index that is read, or read and written
}

// Cells returns n cells of a file, beginning with from.
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

// reserved reports whether the value is reserved.
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
		return k.Parse(s, in, a)
	}
	if sp := s.spelled(k); sp != nil {
		return sp.Value, true
	}
	return 0, false
}
