package isa

import (
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
)

// An Arch is an instruction set as its package declares it: plain data and a few functions
// for what is truly its own.
type Arch struct {
	Name     string
	Doc      string
	Variants []Variant // the first is the default
	Stages   []string  // where decoding depends on the stage; else empty
	Unit     int       // bytes: instructions are multiples of this
	Longest  int       // bytes of the longest instruction, literals included
	Defs     []Def
	Machine  func(variant int) *ir.Machine
	Sep      string                   // between operands: ", " or " "
	Suffix   string                   // bytes besides '.' at which a mnemonic may end and a suffix begin
	Comments []string                 // what opens a comment to the end of the line, the one that listings use first; "/*" opens one to "*/"
	Nop      func(variant int) []byte // the instruction that .align fills code with; nil: zero bytes
	// Blocks that the lift must end early are ended by the meanings themselves; Start prepares a Lift.
	Start func(l *Lift)
	// Cell resolves a register name to its cells (several for pairs and vectors). CellName is the name of one cell, for sets
	// whose operand tables do not hold it; nil: none.
	Cell     func(variant int, name string) ([]ir.Cell, error)
	CellName func(c ir.Cell) string
	// Validate reports the rules that a legal encoding breaks.
	Validate func(in *Inst, variant int) []Finding
	Options  []Option
	// Split, where several parts make a bundle, decodes all of them; nil: one part.
	Split func(d *Decoder, code []byte, addr uint64, b *Bundle) error
	// Join prints the parts of a bundle, ParseParts reads them; nil: one part.
	Join       func(p *Printer, dst []byte, b *Bundle) []byte
	ParseParts func(s *Scan, variant, stage int, b *Bundle) error
	// Missing says what is known of a word that no row of the variant matches; nil or "": nothing.
	Missing func(variant int, w bits.Word) string
	// Target is the address that a branch names in its encoding, for the labels of listings; nil: no branches.
	Target func(in *Inst) (addr uint64, ok bool)
}

// A Variant is a generation of an instruction set.
type Variant struct {
	Name    string
	Aliases []string // names that other tools use
	Doc     string
	Lacks   string // what is not built yet; nothing if it is whole
}

// An Option is a documented choice where the sources are silent.
type Option struct {
	Name    string
	Values  []string
	Default string
	Source  string
	Doc     string
}

// A Finding is a rule that an instruction breaks although it decodes.
type Finding struct {
	Rule   string // stable name
	Msg    string
	Source string // section of the document that states the rule
}

// Variant is the index of the variant of that name or alias; "" is the default.
func (a *Arch) Variant(name string) (int, bool) {
	if name == "" {
		return 0, true
	}
	for i, v := range a.Variants {
		if strings.EqualFold(v.Name, name) {
			return i, true
		}
		for _, al := range v.Aliases {
			if strings.EqualFold(al, name) {
				return i, true
			}
		}
	}
	return 0, false
}

// Stage is the index of the stage of that name; "" and "-" are the first.
func (a *Arch) Stage(name string) (int, bool) {
	if name == "" || name == "-" {
		return 0, true
	}
	for i, s := range a.Stages {
		if s == name {
			return i, true
		}
	}
	return 0, false
}
