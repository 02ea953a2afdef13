package isa_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
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

// part returns a list of one part without bits.
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

// TestNumberedRefused: numbered texts that do not fit in eight bytes, or that nothing else can read, are refused,
// too.
func TestNumberedRefused(t *testing.T) {
	for want, kind := range map[string]*isa.Kind{
		"operand d: numbered texts of a kind without Parse": {Spell: []isa.Spelling{{Text: "x"}}, Numbered: []isa.Numbered{{Prefix: "r", N: 4}}},
		`operand d: the prefix "r1"`:                        {Parse: parsed.Parse, Numbered: []isa.Numbered{{Prefix: "r1", N: 4}}},
		"operand d: 1001 numbered texts":                    {Parse: parsed.Parse, Numbered: []isa.Numbered{{Prefix: "r", N: 1001}}},
		`operand d: "lhx" are more than 2 ends`:             {Parse: parsed.Parse, Numbered: []isa.Numbered{{Prefix: "r", N: 4, Ends: "lhx"}}},
		"operand d: numbered texts of a kind":               {Written: &isa.Written{High: 1, Mask: 1}, Spell: []isa.Spelling{{Text: "x"}}},
		`operand d: the prefix "x"`:                         {Parse: parsed.Parse, Written: &isa.Written{Prefix: "x", High: 1, Mask: 1}},
		"written numbers from 1 to 0":                       {Parse: parsed.Parse, Written: &isa.Written{Low: 1, Mask: 1}},
		"written numbers from 0 to 4294967296":              {Parse: parsed.Parse, Written: &isa.Written{High: 1 << 32, Mask: 1}},
		"written numbers have neither":                      {Parse: parsed.Parse, Written: &isa.Written{High: 1}},
		"written numbers have neither a mask":               {Parse: parsed.Parse, Written: &isa.Written{High: 1, Mask: 1, Table: []uint32{1}}},
	} {
		a := toy.Arch()
		a.Defs[0].Args[0].Kind = kind
		if _, err := isa.Compile(a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestPairsRefused: Arch.Pairs excludes any other layout.
func TestPairsRefused(t *testing.T) {
	for _, breaks := range []func(a *isa.Arch){
		func(a *isa.Arch) { a.Layout = func(*isa.Target, []isa.Unit) bool { return false } },
		func(a *isa.Arch) { a.Group = &isa.Group{} },
		func(a *isa.Arch) { a.Open = func(*isa.Target, string, string) bool { return false } },
	} {
		a := toy.Arch()
		a.Pairs, a.Group, a.Open = true, nil, nil
		if s, err := isa.Compile(a); err != nil || s.Layout == nil {
			t.Errorf("%v: a set without layout is refused, or gets none", err)
		}
		breaks(a)
		if _, err := isa.Compile(a); err == nil || !strings.Contains(err.Error(), "neither another layout nor a group") {
			t.Errorf("error %v", err)
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

// alike returns toy's arch with two more rows: one shares all lists of the first, add, the other only its operands.
func alike() *isa.Arch {
	a := toy.Arch()
	for i, name := range []string{"more", "most", "fixed"} {
		d := a.Defs[0]
		d.Name, d.Op = name, uint64(0x7d+i)
		a.Defs = append(a.Defs, d)
	}
	last := &a.Defs[len(a.Defs)-1]
	last.Op, last.Fix = a.Defs[0].Op, []isa.Fixed{isa.Must(24, 25, 3)}
	return a
}

// Rows with shared operands keep their own opcode, fixed bits and name.
func TestRowsAlike(t *testing.T) {
	s, err := isa.Compile(alike())
	if err != nil {
		t.Fatal(err)
	}
	tg := s.At(0, 0)
	for hex, want := range map[string]string{
		"21030100": "add r1, r2, r3", "21037d00": "more r1, r2, r3", "32017e00": "most r2, r3, r1", "21030103": "fixed r1, r2, r3",
	} {
		if text, err := asm.DisLine(tg, hex); err != nil || text != want {
			t.Errorf("%s is %q, %v, want %q", hex, text, err, want)
		}
		if got, err := asm.Line(tg, want); err != nil || got != hex {
			t.Errorf("%q is %s, %v, want %s", want, got, err, hex)
		}
	}
	if _, err := asm.Line(tg, "most r2, r3"); err == nil || !strings.Contains(err.Error(), "most: too few operands") {
		t.Error(err)
	}
}

// A fault in a row is found although it shares its operands with a correct row; a fault in a shared operand is one of
// each row.
func TestRowsAlikeRefused(t *testing.T) {
	for _, test := range []struct {
		breaks func(defs []isa.Def)
		want   []string
	}{
		{func(defs []isa.Def) { defs[1].Op = 0x17d }, []string{"more (calc): opcode 0x17d is too large"}},
		{func(defs []isa.Def) { defs[2].Name = "" }, []string{"row without name"}},
		{func(defs []isa.Def) { defs[3].Fix[0] = isa.Must(16, 17, 3) }, []string{"fixed (calc): bits 16-23 are fixed twice"}},
		{func(defs []isa.Def) { defs[0].Args[1].Name = "x" }, []string{"add (calc): operand x", "more (calc): operand x", "most (calc): operand x"}},
	} {
		a := alike()
		n := len(a.Defs)
		own := append([]isa.Def{a.Defs[0]}, a.Defs[n-3:]...)
		test.breaks(own)
		a.Defs[0] = own[0]
		copy(a.Defs[n-3:], own[1:])
		_, err := isa.Compile(a)
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
}

// A set keeps its rows when another set is made of them with other names and opcodes.
func TestCompileAgain(t *testing.T) {
	a := toy.Arch()
	s, err := isa.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	b := *s.Arch
	b.Defs = append([]isa.Def{}, s.Defs...)
	b.Defs[0].Name, b.Defs[0].Op = "other", 0x7d
	other, err := isa.Compile(&b)
	if err != nil {
		t.Fatal(err)
	}
	blank := *s.Arch // with the same rows
	blank.Sep = " "
	spaced, err := isa.Compile(&blank)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		set       *isa.Set
		hex, want string
	}{{s, "21030100", "add r1, r2, r3"}, {other, "21037d00", "other r1, r2, r3"}, {spaced, "21030100", "add r1 r2 r3"}} {
		if text, err := asm.DisLine(test.set.At(0, 0), test.hex); err != nil || text != test.want {
			t.Errorf("%s is %q, %v, want %q", test.hex, text, err, test.want)
		}
		if rows := test.set.Rows(strings.Fields(test.want)[0]); len(rows) == 0 || rows[0] != &test.set.Defs[0] {
			t.Errorf("%s: rows %v", test.want, rows)
		}
	}
	if s.Rows("other") != nil || len(s.Rows("add")) != len(other.Rows("add"))+1 {
		t.Error("a set has a name of the other")
	}
}

// Goroutines that make the first name look-up concurrently all find the name.
func TestNamesTogether(t *testing.T) {
	s, err := isa.Compile(toy.Arch())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if hex, err := asm.Line(s.At(0, 0), "add r1, r2, r3"); hex != "21030100" {
				t.Error(hex, err)
			}
			var e *isa.Error
			if _, err := asm.Line(s.At(0, 0), "addd r1, r2, r3"); !errors.As(err, &e) || e.Hint != `did you mean "add"?` {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Rows are listed under all their names, each once, by rank and then in the order of the table.
func TestIndex(t *testing.T) {
	a := toy.Arch()
	row := a.Defs[0]
	for i, x := range []struct {
		name string
		also []string
		rank int
	}{{"last", []string{"many", "many", "last", ""}, 2}, {"one", []string{"many"}, 0}, {"third", []string{"many"}, 1}, {"two", []string{"many"}, 0}} {
		d := row
		d.Name, d.Also, d.Rank, d.Op = x.name, x.also, x.rank, uint64(0x7c+i)
		a.Defs = append(a.Defs, d)
	}
	s, err := isa.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"many": "one two third last", "last": "last", "two": "two", "": "", "man": ""} {
		var got []string
		for _, d := range s.Rows(name) {
			got = append(got, d.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("rows of %q are %v, want %s", name, got, want)
		}
	}
}
