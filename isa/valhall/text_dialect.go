package valhall

import (
	"cmp"
	mathbits "math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// The dialects other than the first are views of the rows: a syntax has the name of a row, the order of its modifiers
// and operands, and the spelling of their values. Printing and parsing use the same syntaxes.
// docs/reference/valhall.md 5.1.

// Dialects by index: Mesa 24.1's disassembler, Mesa of 2026, and kraid with Arm's names.
const (
	Mesa24 = iota
	Mesa26
	Kraid
)

var dialects = []string{Mesa24: "mesa24", Mesa26: "mesa26", Kraid: "kraid"}

// A syntax is how a dialect writes words of a row: all words, or those that have value in the bits of mask.
type syntax struct {
	def         *isa.Def
	name        string
	mask, value uint64
	rank        int // number of bits that the name fixes: the syntax of a word with the most applies
	mods        []modSyntax
	operands    []operandSyntax
	fixed       []string // operands of the row that the dialect omits, in the first dialect; "": not omitted
	implied     string   // modifiers that the name implies, in the first dialect
	signs       []sign   // signs of operands that the name implies
	since       int      // the first architecture that has the name
}

// A sign is a sign of an operand that a name implies.
type sign struct {
	at   int
	text string
}

// A modSyntax is a modifier of the mnemonic or of an operand.
type modSyntax struct {
	choices []choice
	// derived returns the number, from 1 on, of the text in texts that follows from other fields; other texts do not
	// exist. Text that was read is checked against it.
	derived func(w uint64) int
	texts   []string
	sets    bool // parsing stores the value, which the first dialect cannot express
}

// A choice is the text for words that have value in the bits of mask, and its text in the first dialect. The first
// match applies.
type choice struct {
	mask, value  uint64
	text, native string
}

// An operandSyntax is an operand.
type operandSyntax struct {
	arg   *isa.Arg
	at    int // its index in the row
	parts []modSyntax
}

// Voices by dialect: by row, made when a row is first printed, and by name for a set, made when a text is first read.
var (
	syntaxesByRow  [Kraid + 1]sync.Map // of *isa.Def: []*syntax
	syntaxesByName [Kraid + 1]sync.Map // of *isa.Set: map[string][]*syntax
)

// syntaxesOfRow are the syntaxes of a row, the most specific first.
func syntaxesOfRow(dialect int, d *isa.Def) []*syntax {
	if list, ok := syntaxesByRow[dialect].Load(d); ok {
		return list.([]*syntax)
	}
	list := syntaxesOf(dialect, d)
	slices.SortStableFunc(list, func(x, y *syntax) int { return cmp.Or(cmp.Compare(y.rank, x.rank), strings.Compare(x.name, y.name)) })
	syntaxesByRow[dialect].Store(d, list)
	return list
}

// syntaxesNamed are the syntaxes of a set, by name.
func syntaxesNamed(dialect int, s *isa.Set) map[string][]*syntax {
	if names, ok := syntaxesByName[dialect].Load(s); ok {
		return names.(map[string][]*syntax)
	}
	names := map[string][]*syntax{}
	for i := range s.Arch.Defs {
		for _, v := range syntaxesOfRow(dialect, &s.Arch.Defs[i]) {
			names[v.name] = append(names[v.name], v)
		}
	}
	syntaxesByName[dialect].Store(s, names)
	return names
}

// syntaxesOf are the syntaxes of a row in a dialect.
func syntaxesOf(dialect int, d *isa.Def) (list []*syntax) {
	plain := newSyntax(dialect, d)
	list = append(list, plain)
	for i := range respellings {
		if r := &respellings[i]; dialect == Kraid || r.mesa26 {
			list = append(list, r.syntaxes(dialect, plain)...)
		}
	}
	return list
}

// newSyntax is the syntax of all words of a row.
func newSyntax(dialect int, d *isa.Def) *syntax {
	v := &syntax{def: d, fixed: make([]string, d.Operands())}
	var implied []string
	v.name, implied = dialectName(dialect, d.Name)
	suffixes := make([]int, 0, len(d.Args))
	for i := range d.Args {
		if a := &d.Args[i]; a.Place == isa.Suffix || dialect == Kraid && isWordOf(d, a) {
			suffixes = append(suffixes, i)
		}
	}
	order := orderOf(dialect, d)
	slices.SortStableFunc(suffixes, func(x, y int) int { return cmp.Compare(order(d.Args[x].Name), order(d.Args[y].Name)) })
	for _, i := range suffixes {
		if p, ok := modifier(dialect, d, &d.Args[i]); ok {
			v.mods = append(v.mods, p)
		}
		if dialect == Kraid {
			v.mods = append(v.mods, componentModifiers(d, d.Args[i].Name)...)
			if d.Args[i].Name == "flow" {
				for _, text := range implied {
					v.mods = append(v.mods, constant("."+text))
				}
			}
		}
	}
	if dialect == Kraid {
		v.mods = slices.Concat(leadingModifiers(d), v.mods, trailingModifiers(d))
		if p, ok := infinities(d); ok {
			v.mods = append(v.mods, p)
		}
	}
	for i := range d.Operands() {
		if a := d.Operand(i); !(dialect == Kraid && isWordOf(d, a)) {
			v.operands = append(v.operands, operandSyntax{a, i, partsOf(dialect, d, a)})
		} else {
			v.fixed[i] = a.Name + ":0x0"
		}
	}
	if dialect == Kraid {
		v.reorder()
	}
	return v
}

// constant is a modifier that is always present.
func constant(text string) modSyntax { return modSyntax{choices: []choice{{text: text}}} }

// valued is a choice for a field value.
func valued(at bits.Ranges, v uint64, text, native string) choice {
	return choice{at.Mask().Lo, at.Put(bits.Word{}, v).Lo, text, native}
}

// spellings are the texts of a field's values in a dialect.
func spellings(dialect int, k *isa.Kind, at bits.Ranges) modSyntax {
	var p modSyntax
	other := k.Table
	if dialect-1 < len(k.Other) && k.Other[dialect-1] != nil {
		other = k.Other[dialect-1]
	}
	for v := range k.Table {
		if uint64(v)>>at.Len() != 0 {
			break
		}
		p.choices = append(p.choices, valued(at, uint64(v), other[v], k.Table[v]))
	}
	return p
}

// modifier is a modifier of the mnemonic; ok reports whether it is printed there.
func modifier(dialect int, d *isa.Def, a *isa.Arg) (p modSyntax, ok bool) {
	if dialect == Kraid {
		if p, own := kraidModifier(d, a); own {
			return p, len(p.choices) > 0
		}
	}
	return spellings(dialect, a.Kind, a.At), true
}

// partsOf are the modifiers of an operand.
func partsOf(dialect int, d *isa.Def, a *isa.Arg) (list []modSyntax) {
	var last []modSyntax
	for i := range a.Parts {
		p := &a.Parts[i]
		if _, ok := infinities(d); p.Side != isa.After || ok && dialect == Kraid && p.Name == partInfinities {
			continue
		}
		switch s := spellings(dialect, kindOfPart(dialect, d, p), p.At); {
		case dialect == Kraid && strings.HasPrefix(p.Name, "neg_"): // it follows the others
			last = append(last, s)
		case dialect == Kraid && strings.HasPrefix(p.Name, "abs_"):
			last = append([]modSyntax{s}, last...)
		default:
			list = append(list, s)
		}
	}
	if dialect == Kraid {
		if d.Name == "MKVEC.v2i8" && a.Name == "c" {
			last = append(last, constant(".b01"))
		}
		if at := field(d, "unsigned_"+a.Name); at != nil {
			last = append(last, modSyntax{choices: []choice{valued(at, 0, "", ""), valued(at, 1, ".v4u8", "")}, sets: true})
		}
	}
	return append(list, last...)
}

// reorder moves numbers after sources, indexes before tables, and an offset after the 64-bit address that it is added
// to.
func (v *syntax) reorder() {
	wide := slices.ContainsFunc(v.operands, func(o operandSyntax) bool { return o.arg.Name == "b" && o.arg.At[0].Lo == 16 })
	place := func(o operandSyntax) int {
		switch name := o.arg.Name; {
		case wide && (name == "offset" || name == "target"):
			return 1
		case wide && name == "b":
			return 2
		case name == "index":
			return 3
		case name == "table" || name == "offset" || name == "target" || name == "shift" || name == "constant":
			return 4
		}
		return 0
	}
	slices.SortStableFunc(v.operands, func(x, y operandSyntax) int { return cmp.Compare(place(x), place(y)) })
}

// field is the bits of a modifier or part of a row; nil if it has none of that name.
func field(d *isa.Def, name string) bits.Ranges {
	for i := range d.Args {
		a := &d.Args[i]
		if a.Name == name {
			return a.At
		}
		for k := range a.Parts {
			if a.Parts[k].Name == name {
				return a.Parts[k].At
			}
		}
	}
	return nil
}

// narrowed is the syntax restricted to words with a field value; counts says whether these bits count in the rank.
func (v syntax) narrowed(at bits.Ranges, value uint64, counts bool) *syntax {
	m := at.Mask().Lo
	v.mask, v.value = v.mask|m, v.value&^m|at.Put(bits.Word{}, value).Lo
	if counts {
		v.rank += mathbits.OnesCount64(m)
	}
	return &v
}
