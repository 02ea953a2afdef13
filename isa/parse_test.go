package isa_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/isa"
)

func TestExpr(t *testing.T) {
	for text, want := range map[string]int64{
		"1":                    1,
		"-1":                   -1,
		"~0":                   -1,
		"0x10 + 0b11":          19,
		"0o17":                 15,
		"1 + 2 * 3":            7,
		"(1 + 2) * 3":          9,
		"10 - 3 - 2":           5,
		"1 << 4 + 1":           32,
		"6 & 3 ^ 8":            10,
		"(6 | 1)":              7,
		"3 << 4 | 1":           49,
		"'a' + '\\n'":          107,
		"7 % 4 / 2":            1,
		"-7 / 2":               -3,
		"- - 5":                5,
		"0xffffffffffffffff":   -1,
		"18446744073709551615": -1,
		"1 << 63 >> 63":        -1,
		"(-1 << 63) / -1":      -1 << 63,
		"lab - 4":              60,
		"con * 2":              14,
	} {
		s := isa.Scan{Symbol: symbols}
		s.Reset(text, 0)
		if v, ok := s.Expr(); !ok || v != want || !s.End() {
			t.Errorf("%s = %d, %t, want %d", text, v, ok, want)
		}
		if s.UsedSymbol != strings.Contains(text, "lab") {
			t.Errorf("%s: used symbol: %t", text, s.UsedSymbol)
		}
	}
	for _, text := range []string{"", "1 +", "(1", "08", "0x", "1/0", "1%0", "1<<64", "1>>-1", "18446744073709551616", "nolab",
		strings.Repeat("(", 1000) + "1", strings.Repeat("-", 1000) + "1"} {
		s := isa.Scan{Symbol: symbols}
		s.Reset(text, 0)
		if v, ok := s.Expr(); ok {
			t.Errorf("%.20s = %d, want an error", text, v)
		}
	}
	// Between bars a bar ends an expression.
	s := isa.Scan{Bars: true}
	s.Reset("1|2", 0)
	if v, ok := s.Expr(); !ok || v != 1 || s.Peek() != '|' {
		t.Errorf("1|2 = %d, %t, then %q", v, ok, s.Peek())
	}
}

func symbols(name string) (uint64, isa.SymbolKind) {
	switch name {
	case "lab":
		return 64, isa.Label
	case "con":
		return 7, isa.Constant
	}
	return 0, isa.NoSymbol
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]isa.Number{
		"1.5":   {Float: 1.5, IsF: true},
		"-1.5":  {Float: -1.5, IsF: true},
		"1e3":   {Float: 1000, IsF: true},
		"2.e-1": {Float: 0.2, IsF: true},
		"15":    {Int: 15},
		"-15":   {Int: -15},
		"0x1e5": {Int: 0x1e5},
	} {
		s := isa.Scan{}
		s.Reset(text, 0)
		if n, ok := s.Number(); !ok || n != want || !s.End() {
			t.Errorf("%s: %+v, %t, want %+v", text, n, ok, want)
		}
	}
}

// A mnemonic that is a dotted prefix of another is read in both roles. If no row fits it, a shorter mnemonic with a
// suffix is tried.
func TestDottedMnemonics(t *testing.T) {
	for text, want := range map[string]string{
		"add r1, r2, r3":       "add",
		"add.sat r1, r2, r3":   "add.sat",
		"add.sat.x r1, r2, r3": "add.sat.x",
		"mul r1, r2, r3":       "mul",
		"mul.n r1, r2, r3":     "mul",
		"plus r1, r2, r3":      "plus",
	} {
		var in isa.Inst
		if err := parseOne(text, &in); err != nil || in.Def.Name != want {
			t.Errorf("%s: %v, %v", text, in.Def, err)
		}
		if got := in.String(); got != text {
			t.Errorf("%s prints as %s", text, got)
		}
	}
	for _, text := range []string{"add. r1, r2, r3", "add.x r1, r2, r3", ".add r1, r2, r3", "addsat r1, r2, r3", "adds.sat r1, r2, r3"} {
		var in isa.Inst
		if err := parseOne(text, &in); err == nil {
			t.Errorf("%s: reads as %s", text, in.String())
		}
	}
}

// Rows of one name are distinguished by their operands; if none fits, the error is that of the row that got furthest.
func TestRowsOfOneName(t *testing.T) {
	for text, enc := range map[string]string{
		"add r1, r2, r3":       "calc",
		"add r1, r2, 3":        "calc with literal",
		"add r1, r2, 3 if !p1": "calc with literal",
	} {
		var in isa.Inst
		if err := parseOne(text, &in); err != nil || in.Def.Enc.Name != enc {
			t.Errorf("%s: %v, %v", text, in.Def.Enc.Name, err)
		}
	}
	var in isa.Inst
	err := parseOne("add r1, r2, 3 if p9", &in)
	if err == nil || err.Error() != `<text>:1:18: error: add: "p9" where a flag is expected [operand]` {
		t.Error(err)
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	s := isa.Scan{Target: toy.Set().At(0, 0)}
	var b isa.Bundle
	for _, text := range []string{"add r1, r2, 0x123 if p1", "mov r1, -1", "{add r1, r2, r3 | mul.n r4, r5, r6}", "st r1, [r2+255]"} {
		if n := testing.AllocsPerRun(100, func() {
			s.Reset(text, 0)
			if s.ParseBundle(&b) != nil {
				t.Error(text)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}

// parseOne reads one instruction of the toy's first variant and stage.
func parseOne(text string, in *isa.Inst) error {
	s := isa.Scan{Target: toy.Set().At(0, 0)}
	s.Reset(text, 0)
	return s.Parse(in)
}

// TestUint: numbers of 32 bits are read, larger ones are not.
func TestUint(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint64
		ok   bool
		pos  int
	}{
		{"0", 0, true, 1}, {"00012x", 12, true, 5}, {"4294967295]", 4294967295, true, 10}, {"4294967296", 0, false, 0}, {"4294967297", 0, false, 0},
		{"8589934591", 0, false, 0}, {"99999999999999999999999", 0, false, 0}, {"", 0, false, 0}, {"x1", 0, false, 0}, {"-1", 0, false, 0},
	} {
		s := isa.Scan{Line: c.text}
		got, ok := s.Uint()
		if got != c.want || ok != c.ok || ok && s.Pos != c.pos {
			t.Errorf("%q: %d, %t at %d", c.text, got, ok, s.Pos)
		}
	}
}
