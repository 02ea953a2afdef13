package isa_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/isa"
)

var (
	word   = &isa.Kind{Name: "a word", Spell: []isa.Spelling{{Text: "word"}}}
	parsed = &isa.Kind{Name: "a thing", Parse: func(*isa.Scan, *isa.Inst, *isa.Arg) (uint64, bool) { return 0, false }}
)

// part is the list of a part of no bits.
func part(side isa.Side, k *isa.Kind) []isa.Part {
	return []isa.Part{{Name: "p", At: bits.Ranges{}, Kind: k, Side: side}}
}

func prefix(text string) isa.Arg {
	k := &isa.Kind{Name: text, Spell: []isa.Spelling{{Text: text}}}
	return isa.Arg{Name: text, At: bits.Ranges{}, Kind: k, Place: isa.Prefix}
}

// Tables with a fault are refused with the name of the row.
func TestCompileRefuses(t *testing.T) {
	for want, breaks := range map[string]func(a *isa.Arch, d *isa.Def){
		"separator":                              func(a *isa.Arch, d *isa.Def) { a.Sep = "" },
		"add (calc): bits 16-23 are fixed twice": func(a *isa.Arch, d *isa.Def) { d.Fix = []isa.Fixed{isa.Must(20, 21, 0)} },
		"opcode 0x100 is too large":              func(a *isa.Arch, d *isa.Def) { d.Op = 0x100 },
		"0x4 does not fit bits 0-1":              func(a *isa.Arch, d *isa.Def) { d.Fix = []isa.Fixed{isa.Must(0, 1, 4)} },
		"bits 32-33 are outside":                 func(a *isa.Arch, d *isa.Def) { d.Fix = []isa.Fixed{isa.Must(32, 33, 0)} },
		"operand x: no field":                    func(a *isa.Arch, d *isa.Def) { d.Args[0].Name = "x" },
		"claimed already":                        func(a *isa.Arch, d *isa.Def) { d.Args[1].At = bits.Ranges{bits.Span(0, 3)} },
		"a is outside the encoding":              func(a *isa.Arch, d *isa.Def) { d.Args[1].At = bits.Ranges{bits.Span(40, 43)} },
		"operand a after a modifier":             func(a *isa.Arch, d *isa.Def) { d.Args[0].Place = isa.Modifier },
		"suffix b after an operand":              func(a *isa.Arch, d *isa.Def) { d.Args[2].Place = isa.Suffix },
		"row without name, variant or class":     func(a *isa.Arch, d *isa.Def) { d.Variants = 0 },
		"encoding of 12 bits":                    func(a *isa.Arch, d *isa.Def) { d.Enc = &isa.Encoding{Bits: 12} },
		"literal in bits 8-39 does not": func(a *isa.Arch, d *isa.Def) {
			d.Enc = &isa.Encoding{Bits: 32, Literal: &isa.Literal{At: bits.Span(8, 39)}}
		},
		"a.neg claims bits that are claimed already": func(a *isa.Arch, d *isa.Def) {
			d.Args[1].Parts = []isa.Part{{Name: "neg", At: bits.Ranges{bits.Span(2, 2)}, Kind: d.Enc.Fields[0].Kind}}
		},
		"part a.neg: no field of that name":                func(a *isa.Arch, d *isa.Def) { d.Args[1].Parts = []isa.Part{{Name: "neg"}} },
		"the name \"typo\" is":                             func(a *isa.Arch, d *isa.Def) { a.Names = append(a.Names, "typo") },
		"add (calc): 4 bytes, and the longest instruction": func(a *isa.Arch, d *isa.Def) { a.Longest = 3 },
		"65 operands and modifiers":                        func(a *isa.Arch, d *isa.Def) { d.Args = make([]isa.Arg, 65) },
		"d has 65 parts":                                   func(a *isa.Arch, d *isa.Def) { d.Args[0].Parts = make([]isa.Part, 65) },
		"256 names of fields, at most 255":                 func(a *isa.Arch, d *isa.Def) { a.Names = make([]string, 256) },
		"operand y: no field":                              func(a *isa.Arch, d *isa.Def) { d.Args[0] = isa.Arg{Name: "y", Kind: word} },
		"d cannot be read":                                 func(a *isa.Arch, d *isa.Def) { d.Args[0].Kind = &isa.Kind{} },
		"a cannot be read": func(a *isa.Arch, d *isa.Def) {
			d.Args[1].Kind = &isa.Kind{Spell: []isa.Spelling{{Text: "x"}, {Text: " "}}}
		},
		"part a.p cannot be read": func(a *isa.Arch, d *isa.Def) { d.Args[1].Parts = part(isa.After, &isa.Kind{}) },
		"part a.p stands around":  func(a *isa.Arch, d *isa.Def) { d.Args[1].Parts = part(isa.Around, parsed) },
		"part a.p is refused":     func(a *isa.Arch, d *isa.Def) { d.Args[1].Parts = part(isa.Before, parsed) },
		"part m.p has text": func(a *isa.Arch, d *isa.Def) {
			d.Args = append(d.Args, isa.Arg{Name: "m", At: bits.Ranges{}, Kind: word, Place: isa.Modifier, Parts: part(isa.After, word)})
		},
		`"add" is a prefix and a mnemonic`: func(a *isa.Arch, d *isa.Def) { d.Args = append(d.Args, prefix("add")) },
		"9 prefixes, at most 8": func(a *isa.Arch, d *isa.Def) {
			for i := range 9 {
				d.Args = append(d.Args, prefix(fmt.Sprint("p", i)))
			}
		},
		"5 shared parts, at most 4": func(a *isa.Arch, d *isa.Def) {
			for i := range 5 {
				d.Args[1].Parts = append(d.Args[1].Parts, isa.Part{Name: fmt.Sprint("p", i), At: bits.Ranges{}, Kind: word, Shared: true})
			}
		},
		"option o: the default": func(a *isa.Arch, d *isa.Def) { a.Options = []isa.Option{{Name: "o", Default: "x"}} },
	} {
		a := toy.Arch()
		breaks(a, &a.Defs[0])
		_, err := isa.Compile(a)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Compiling twice gives the same set.
func TestCompileTwice(t *testing.T) {
	a := toy.Arch()
	for range 2 {
		s, err := isa.Compile(a)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := asm.DisLine(s.At(0, 0), "21030100"); text != "add r1, r2, r3" {
			t.Error(text, err)
		}
	}
}

func TestOverlaps(t *testing.T) {
	a := toy.Arch()
	a.Defs[1].Enc, a.Defs[1].Args = a.Defs[0].Enc, a.Defs[0].Args
	s, err := isa.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Overlaps(0, 0); len(got) != 1 || got[0] != "add (calc) and add (calc)" {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	a := toy.Arch()
	if v, ok := a.Variant("T2"); !ok || v != toy.V2 {
		t.Error(v, ok)
	}
	if v, ok := a.Variant("first"); !ok || v != toy.V1 {
		t.Error(v, ok)
	}
	if _, ok := a.Variant("t3"); ok {
		t.Error("t3")
	}
	if st, ok := a.Stage("vp"); !ok || st != 1 {
		t.Error(st, ok)
	}
}
