// Package listing is the dialect of the listings of PowerVR Rogue's instruction set reference: groups of one statement
// per line, whose operands are registers. docs/reference/rogue.md 9.
//
// A listing does not say which source of a group a register is. Where an operand stands tells it (s0 to s2 in phase 0,
// s3 to s5 in phase 1), and a register that no position tells becomes the source that IS0 selects (Slot). Results are
// moves: the first that moves a feed-through to a register is w0, the second w1. What the statements do not tell is
// written after the group: .route(s2 = r1, is0 = s4).
//
// Read reads a group's text into group.Contents. It rewrites each statement into the syntax of its row (reword) and has
// the instruction set parse it (Text.Part). Append is the inverse: it takes the text of each row and rewrites it.
package listing

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// A Set is the instruction set, as far as the dialect asks for it.
type Set interface {
	// ReadRegister reads the name of one register.
	ReadRegister(s *isa.Scan) (group.Operand, bool)
	AppendRegister(dst []byte, x group.Operand) []byte
	Row(d *isa.Def) Row
	Route(b *isa.Bundle) Routing
	// Omitted reports whether text leaves the unit out.
	Omitted(b *isa.Bundle, in *isa.Inst) bool
	// Overlaps reports whether the registers of the group need the check of overlaps.
	Overlaps(b *isa.Bundle) bool
	// AppendFlags appends the flags after the group, AppendForms what text alone would not give back.
	AppendFlags(dst []byte, b *isa.Bundle) []byte
	AppendForms(dst []byte, b *isa.Bundle) []byte
}

// A Row is a row as text needs it.
type Row struct {
	Name     string
	Spelling string // in listings
	Encoding string
	Entry    string  // the name in the reference's list
	Writes   [2]bool // it drives the result itself
}

// A Routing is how values move in a group.
type Routing struct {
	Src       [6]group.Operand
	Used      uint8 // sources that something reads
	IS0       uint8
	Sel       [6]uint8 // codes of IS1 to IS5
	Dst       [2]group.Operand
	Has       [2]bool // there is the result
	Writes    [2]bool // an instruction drives the result itself
	Selects   [2]bool // IS4, or IS5, selects it
	Condition uint64
	Repeat    int
	InText    InText
}

// An InText is what the instructions in a group's text imply about its routing.
type InText struct {
	Sources uint8 // sources that the text names
	IS0     uint8 // the source that the text gives IS0; 0xff: none is left that can hold the register
	Picks   bool  // registers replace the sources that instructions select
	High    bool  // FTE is the upper word of 64 bits
	FTE     bool  // FTE is a source that the text names
}

// A Text is the reader of a group's text, of which listings share a part with other dialects.
type Text interface {
	Contents() *group.Contents
	// Part parses an instruction of one of the classes from a text of its own. place is where byte i of it comes from.
	Part(classes []uint8, text string, place func(i int) int) error
	// Assigns reports whether an assignment continues at a position, Assignment reads it: s0 = r1, is0 = s4.
	Assigns(at int) bool
	Assignment(word string) error
	// Flags reads the flags after the group.
	Flags() error
}

// Fields of rows that the dialect reads.
const (
	FieldMove0     = "movw0" // of a move: the code of what w0 takes
	FieldMove1     = "movw1"
	FieldCondition = "pcnd" // of a mask counter instruction
)

// field is the value of a field of an instruction, which has it.
func field(in *isa.Inst, name string) uint64 { return in.Def.Find(name).Get(in.Word) }

// moveOf is the move of phase 2 that chooses the values of w0 and w1, or nil.
func moveOf(b *isa.Bundle) *isa.Inst {
	if in := group.Find(b, group.Move); in != nil && in.Def.Find(FieldMove0) != nil {
		return in
	}
	return nil
}
