package isa_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// The mini set has each element that the text of an instruction can have, and nothing else: blanks between operands,
// words of their own, parts on every side, suffixes, prefixes, required and hidden fields, two dialects, stages,
// options.

func table(name string, texts ...string) *isa.Kind {
	k := &isa.Kind{Name: name, Table: texts}
	for v, text := range texts {
		if text != "" {
			k.Spell = append(k.Spell, isa.Spelling{Text: strings.TrimRight(text, " "), Value: uint64(v)})
		}
	}
	return k
}

var (
	miniReg = &isa.Kind{Name: "a register", Table: []string{"$r0", "$r1", "$r2", "$r3", "$r4", "$r5", "$r6", "$r7"},
		Spell: []isa.Spelling{{Text: "$r0"}, {Text: "$r1", Value: 1}, {Text: "$r2", Value: 2}, {Text: "$r3", Value: 3}, {Text: "$r4", Value: 4},
			{Text: "$r5", Value: 5}, {Text: "$r6", Value: 6}, {Text: "$r7", Value: 7}}}
	miniAbs  = &isa.Kind{Name: "abs", Table: []string{"", "|"}, Close: []string{"", "|"}, Spell: []isa.Spelling{{Text: "|", Value: 1, Close: "|"}}}
	miniSext = &isa.Kind{Name: "sext", Spell: []isa.Spelling{{Text: "sext(", Close: ")"}}}
	miniNum  = &isa.Kind{Name: "a number", Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return isa.AppendHex(dst, v)
	},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			v, ok := s.Expr()
			return uint64(v), ok
		}}
	miniPlace = &isa.Kind{Name: "a place", Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return append(isa.AppendHex(append(dst, '['), v), ']')
	}, Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if !s.Byte('[') {
			return 0, s.Expect("a place")
		}
		v, ok := s.Expr()
		return uint64(v), ok && (s.Byte(']') || s.Expect("]"))
	}}
	miniLive = &isa.Kind{Name: "live", Table: []string{" live"}, Spell: []isa.Spelling{{Text: " live"}}}
	miniBank = &isa.Kind{Name: "the bank"}
	// miniConst is c3[1]: all operands share the bank.
	miniConst = &isa.Kind{Name: "a constant",
		Text: func(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
			return append(dst, 'c', byte('0'+a.Part(in.Word, 0)), '[', byte('0'+v), ']')
		},
		Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
			if !s.Byte('c') {
				return 0, s.Expect("a constant")
			}
			bank, ok := s.Uint()
			if !ok || !s.Byte('[') {
				return 0, s.Expect("a bank")
			}
			v, ok := s.Uint()
			return v, ok && s.Byte(']') && s.SetPart(in, a, 0, bank)
		}}
)

func at(lo, hi int) bits.Ranges { return bits.Ranges{bits.Span(lo, hi)} }

var miniWord = isa.Encoding{Name: "word", Bits: 32, Opcode: at(28, 31), Unclaimed: isa.Zero, Fields: []isa.Field{
	isa.Bits("d", 0, 2, miniReg), isa.Bits("a", 3, 5, miniReg), isa.Bits("b", 6, 8, miniReg),
	isa.Bits("neg", 9, 9, table("neg", "", "neg ")), isa.Bits("abs", 10, 10, miniAbs), isa.Bits("swz", 11, 12, table("a swizzle", ".w", ".x", ".y", "")),
	isa.Bits("flag", 13, 14, table("a flag register", "", " $c1", " $c2", " $c3")), isa.Bits("sat", 15, 15, table("sat", "", " sat")),
	isa.Bits("type", 16, 17, table("a type", " b16", "", " f32", " u16")), isa.Bits("round", 18, 19, table("a rounding", "", ".rn", ".rz", ".rp")),
	isa.Bits("flow", 20, 21, table("exit or join", "", "exit ", "join ")), isa.Bits("long", 22, 22, table("long", "", "long ")),
	isa.Bits("n", 23, 26, miniNum), isa.Bits("live", 27, 27, table("live", "", " live")),
	isa.Bits("bank", 20, 22, miniBank), isa.Bits("k", 3, 5, miniConst), isa.Bits("l", 6, 8, miniConst),
	isa.Bits("mode", 23, 24, table("a mode", "", " near", " far", " all")),
}}

const nameSwz isa.Name = 0

// miniDefs are the rows. The short row of mul has no prefixes.
func miniDefs() []isa.Def {
	prefixes := []isa.Arg{{Name: "flow", Place: isa.Prefix}, {Name: "long", Place: isa.Prefix}}
	words := []isa.Arg{{Name: "round", Place: isa.Suffix}, {Name: "sat", Place: isa.Suffix}, {Name: "type", Place: isa.Suffix, Default: 1}}
	constant := func(name string) isa.Arg {
		return isa.Arg{Name: name, Parts: []isa.Part{{Name: "bank", Shared: true, Conflict: "all constants are of one bank"}}}
	}
	full := isa.Arg{Name: "a", AnyOrder: true, Parts: []isa.Part{{Name: "neg", Side: isa.Before}, {Name: "abs", Side: isa.Around},
		{Name: "sext", At: bits.Ranges{}, Kind: miniSext, Side: isa.Around}, {Name: "swz", Side: isa.After, Default: 3},
		{Name: "n", At: at(23, 26), Kind: table("a shift", "", "<1", "<2"), Side: isa.After}}}
	return []isa.Def{
		{Name: "add", Op: 1, Args: slices.Concat(prefixes, words, []isa.Arg{{Name: "d", Parts: []isa.Part{{Name: "flag", Side: isa.After}}}, full,
			{Name: "b"}, {Name: "live", Place: isa.Modifier}})},
		{Name: "mul", Op: 2, Short: true, Args: []isa.Arg{{Name: "d"}, {Name: "a"}}},
		{Name: "mul", Op: 3, Rank: 1, Args: slices.Concat(prefixes, []isa.Arg{{Name: "d"}, {Name: "a"}, {Name: "b"}})},
		{Name: "ret", Op: 4, Short: true},
		{Name: "ld", Op: 5, Args: []isa.Arg{{Name: "d"}, {Name: "n", Kind: miniPlace, Tight: true}, {Name: "live", At: bits.Ranges{}, Kind: miniLive, Place: isa.Required}}},
		{Name: "ld", Op: 6, Rank: 1, Args: []isa.Arg{{Name: "d"}, {Name: "n"}}},
		{Name: "const", Op: 7, Args: []isa.Arg{{Name: "d"}, constant("k"), constant("l")}},
		{Name: "hide", Op: 8, Args: []isa.Arg{{Name: "d"}, {Name: "mode", Place: isa.Hidden}}},
		{Name: "turn", Spell: []string{"", "rotate"}, Also: []string{"spin"}, Op: 9, Args: []isa.Arg{{Name: "d"}}},
		{Name: "frag", Op: 10, Stages: 1 << 1, Args: []isa.Arg{{Name: "d"}}},
		{Name: "pair", Op: 11, Args: []isa.Arg{{Name: "d"}, {Name: "a"}}, Check: func(in *isa.Inst) string {
			if in.Word.Lo&7 == in.Word.Lo>>3&7 {
				return "the registers are one"
			}
			return ""
		}},
		{Name: "pair", Op: 12, Rank: -1, Args: []isa.Arg{{Name: "d"}, {Name: "n"}}},
	}
}

func miniArch() *isa.Arch {
	a := &isa.Arch{Name: "mini", Variants: []isa.Variant{{Name: "m1"}, {Name: "m2", Aliases: []string{"two"}}}, Stages: []string{"vp", "fp"},
		Dialects: []string{"plain", "other"}, Names: []string{nameSwz: "swz"}, Unit: 4, Longest: 4, Sep: " ", Defs: miniDefs(),
		Machine: func(int) *ir.Machine { return nil }, Comments: []string{"//"},
		Options: []isa.Option{{Name: "regs", Values: []string{"few", "many"}, Default: "many"}, {Name: "nan", Values: []string{"keep", "quiet"}, Default: "keep"}}}
	for i := range a.Defs {
		a.Defs[i].Variants, a.Defs[i].Enc, a.Defs[i].Lack = 3, &miniWord, isa.LackUnbuilt
		a.Defs[i].Twin = true // many of its kinds have one text for several values
	}
	return a
}

var mini = sync.OnceValue(func() *isa.Set {
	s, err := isa.Compile(miniArch())
	if err != nil {
		panic(err)
	}
	return s
})

// readBack parses a text and prints the result, or the error with its column.
func readBack(tg *isa.Target, text string) string {
	var b isa.Bundle
	if err := tg.Parse(text, 0, &b); err != nil {
		return err.Error()
	}
	return string(tg.Print(nil, &b))
}

func TestMiniText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Words after the mnemonic, in any order, each once; suffixes without blank before them.
		{"add.rn sat f32 $r1 $r2 $r3", "add.rn sat f32 $r1 $r2 $r3"},
		{"add  f32\tsat   $r1 $r2 $r3", "add sat f32 $r1 $r2 $r3"},
		{"add $r1 $r2 $r3", "add $r1 $r2 $r3"},
		{"add sat sat $r1 $r2 $r3", `<text>:1:9: error: add: "sat" where a register is expected [operand]`},
		{"add satf32 $r1 $r2 $r3", `<text>:1:5: error: add: "satf32" where a register is expected [operand]`},
		{"add .rn $r1 $r2 $r3", `<text>:1:5: error: add: ".rn" where a register is expected [operand]`},
		{"add.rn.rz $r1 $r2 $r3", `<text>:1:7: error: add: a rounding stands here a second time [modifier]`},
		// Prefixes in any order, each once.
		{"long exit add $r1 $r2 $r3", "exit long add $r1 $r2 $r3"},
		{"exit join add $r1 $r2 $r3", "<text>:1:6: error: exit or join stands here a second time [modifier]"},
		{"exit ret", `<text>:1:1: error: ret: "exit" cannot stand before this instruction [modifier]`},
		{"exitadd $r1 $r2 $r3", `<text>:1:1: error: no instruction "exitadd" in mini [mnemonic]`},
		{"exit", "<text>:1:5: error: no instruction here [syntax]"},
		// Parts before, around and after; those after in any order; defaults for absent ones.
		{"add $r1 $c2 neg |$r2.x<1| $r3", "add $r1 $c2 neg |$r2.x<1| $r3"},
		{"add $r1   $c2 neg|$r2<2.y| $r3", "add $r1 $c2 neg |$r2.y<2| $r3"},
		{"add $r1 |neg $r2| $r3", `<text>:1:10: error: add: "neg" where a register is expected [operand]`},
		{"add $r1 |$r2 $r3", `<text>:1:14: error: add: "$r3" where "|" is expected [operand]`},
		{"add $r1 $r2.x.y $r3", "<text>:1:14: error: add: a swizzle stands here a second time [modifier]"},
		{"add $r1 sext($r2) $r3", "<text>:1:9: error: add: sext() is not possible on this operand [modifier]"},
		// Operands need blanks between them, and all of them.
		{"add $r1 $r2.x$r3", `<text>:1:12: error: add: ".x$r3" is no modifier of this operand [modifier]`},
		{"add $r1 |$r2|$r3", `<text>:1:14: error: add: "$r3" where a blank is expected [operand]`},
		{"add $r1 $r2", "<text>:1:12: error: add: too few operands, want 3 [operand]"},
		{"add", "<text>:1:4: error: add: end of line where a register is expected [operand]"},
		{"add $r1 $r2 $r3 live", "add $r1 $r2 $r3 live"},
		{"add $r1 $r2 $r3 live live", "<text>:1:22: error: add: live stands here a second time [modifier]"},
		// Rows of one name: by operands, by prefix, by what is required.
		{"mul $r1 $r2", "mul $r1 $r2"},
		{"mul $r1 $r2 $r3", "mul $r1 $r2 $r3"},
		{"long mul $r1 $r2", "<text>:1:17: error: mul: too few operands, want 3 [operand]"},
		{"ld $r1[5] live", "ld $r1[0x5] live"},
		{"ld $r1 [5]  live", "ld $r1[0x5] live"},
		{"ld $r1[5]", "<text>:1:10: error: ld: the modifier live is missing [modifier]"},
		{"ld $r1 5", "ld $r1 0x5"},
		{"ld $r1 16", "<text>:1:8: error: ld: n does not fit 4 bits [range]"},
		// What all operands share: the error is at the operand that gives a different value.
		{"const $r1 c2[3] c2[4]", "const $r1 c2[3] c2[4]"},
		{"const $r1 c2[3] c1[4]", "<text>:1:17: error: const: all constants are of one bank [illegal]"},
		{"const $r1 c8[3] c8[4]", "<text>:1:11: error: const: bank does not fit 3 bits [range]"},
		{"hide $r3", "hide $r3"},
		// All names of a row are accepted in any dialect.
		{"rotate $r3", "turn $r3"},
		{"spin $r3", "turn $r3"},
		{"frag $r3", "<text>:1:1: error: frag is not in stage vp, only in fp [stage]"},
		// The error of a row that is read whole and is illegal wins over one that stopped early.
		{"pair $r1 $r2", "pair $r1 $r2"},
		{"pair $r1 $r1", "<text>:1:1: error: pair: the registers are one [illegal]"},
		{"pair $r1 3", "pair $r1 0x3"},
	} {
		if got := readBack(mini().At(0, 0), c.text); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestMiniLaws(t *testing.T) {
	laws.Tables(t, mini())
	rep := laws.Rows(t, mini(), laws.Options{})
	if rep.Words < 500 || rep.Skipped > 0 {
		t.Errorf("%d words, %d skipped", rep.Words, rep.Skipped)
	}
	laws.Truncated(t, mini(), laws.Options{})
	laws.RandomBytes(t, mini(), laws.Options{})
}

// The error of a row that is passed over because it is short says so.
func TestOnlyShort(t *testing.T) {
	s := isa.Scan{Target: mini().At(0, 0), Long: true}
	s.Reset("ret", 0)
	var in isa.Inst
	if err := s.Parse(&in); err == nil || err.Error() != "<text>:1:1: error: ret has no long form, which its place needs [illegal]" {
		t.Error(err)
	}
	s.Reset("mul $r1 $r2 $r3", 0)
	if err := s.Parse(&in); err != nil || in.Def.Short {
		t.Error(err, in.Def)
	}
}

func TestDialects(t *testing.T) {
	tg, err := mini().Target(isa.Config{Variant: "two", Dialect: "other"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"turn $r3":    "rotate $r3",
		"rotate $r3":  "rotate $r3",
		"mul $r1 $r2": "mul $r1 $r2",
		"turn $q":     `<text>:1:6: error: rotate: "$q" where a register is expected [operand]`,
	} {
		if got := readBack(tg, text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := readBack(tg.Move(0, 0), "turn $r3"); got != "rotate $r3" {
		t.Errorf("another variant has the text %s", got)
	}
}

func TestTargets(t *testing.T) {
	s := mini()
	tg, err := s.Target(isa.Config{Stage: "fp", Options: map[string]string{"regs": "few"}})
	if err != nil {
		t.Fatal(err)
	}
	if tg.Option(0) != 0 || tg.Option(1) != 0 || s.At(0, 0).Option(0) != 1 || tg.String() != "mini:m1 fp" {
		t.Errorf("%s with options %d, %d; the default has %d", tg, tg.Option(0), tg.Option(1), s.At(0, 0).Option(0))
	}
	if other, err := tg.With(0, map[string]string{"nan": "quiet"}); err != nil || other.Option(0) != 0 || other.Option(1) != 1 || tg.Option(1) != 0 {
		t.Errorf("%v: what is not named changes, or the target that is asked", err)
	}
	for want, c := range map[string]isa.Config{
		`mini has no variant "m3", only m1, m2`:                                             {Variant: "m3"},
		`mini has no stage "gp", only vp, fp`:                                               {Stage: "gp"},
		`mini has no dialect "x", only plain, other`:                                        {Dialect: "x"},
		"mini has no option \"a\", only regs, nan\noption regs of mini has no value \"no\"": {Options: map[string]string{"regs": "no", "a": "1"}},
	} {
		if _, err := s.Target(c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Reserved values do not decode, for whatever reason.
func TestMiniDecode(t *testing.T) {
	for word, want := range map[uint32]string{
		0xb0000009: "code+0x0: pair: the registers are one in 090000b0 [illegal]",
		0xa0000001: "code+0x0: no instruction of stage vp (stage fp would read frag) in 010000a0 [stage]",
		0x40000001: "code+0x0: ret: reserved bits must be 0: bit 0 is 1 in 01000040 [reserved]",
		0xf0000001: "code+0x0: no instruction has these bits in 010000f0 [invalid]",
	} {
		var in isa.Inst
		code := bits.Word{Lo: uint64(word)}.Append(nil, 4)
		if err := mini().At(0, 0).Decode(code, 0, &in); err == nil || err.Error() != want {
			t.Errorf("%08x: %v, want %s", word, err, want)
		}
	}
}

// Rows may share their operands, and sets their layouts and rows: neither changes what the other reads.
func TestSharedTables(t *testing.T) {
	other := miniWord
	other.Fields = []isa.Field{isa.Bits("d", 20, 22, miniReg), isa.Bits("a", 23, 25, miniReg), isa.Bits("swz", 0, 1, table("a swizzle", ".q", ".w", ".e", ".r"))}
	args := []isa.Arg{{Name: "d"}, {Name: "a", Parts: []isa.Part{{Name: "swz", Side: isa.After}}}}
	arch := func(e *isa.Encoding) *isa.Arch {
		a := miniArch()
		a.Defs = []isa.Def{{Name: "x", Variants: 1, Enc: e, Op: 1, Args: args}, {Name: "y", Variants: 1, Enc: &miniWord, Op: 2, Args: args}}
		return a
	}
	var sets []*isa.Set
	for _, e := range []*isa.Encoding{&miniWord, &other, &miniWord} {
		s, err := isa.Compile(arch(e))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	for i, want := range []string{"x $r1 $r2.x", "x $r1 $r2.q", "x $r1 $r2.x"} {
		if got := readBack(sets[i].At(0, 0), want); got != want {
			t.Errorf("set %d: %s, want %s", i, got, want)
		}
		if got := readBack(sets[i].At(0, 0), "y $r3 $r4.y"); got != "y $r3 $r4.y" {
			t.Errorf("set %d: %s", i, got)
		}
		var b isa.Bundle
		if err := sets[i].At(0, 0).Parse(want, 0, &b); err != nil || b.Parts[0].Field(nameSwz) != b.Parts[0].Get(nameSwz) {
			t.Errorf("set %d: %v, the field and the part differ", i, err)
		}
	}
	var done sync.WaitGroup
	for range 4 { // for the race detector
		done.Go(func() {
			s, err := isa.Compile(miniArch())
			if err != nil || readBack(s.At(0, 0), "mul $r1 $r2") != "mul $r1 $r2" {
				t.Error(err)
			}
		})
	}
	done.Wait()
}

// A point followed by letters after a number begins something else.
func TestNumbersWithParts(t *testing.T) {
	for text, rest := range map[string]string{"0x0.neg": ".neg", "12.h0": ".h0", "1.e": ".e", "7.": "."} {
		s := isa.Scan{Target: mini().At(0, 0)}
		s.Reset(text, 0)
		if v, ok := s.Expr(); !ok || s.Line[s.Pos:] != rest {
			t.Errorf("%s: %d, %t, then %q", text, v, ok, s.Line[s.Pos:])
		}
	}
	for text, want := range map[string]float64{"1.5.neg": 1.5, "1.e2.neg": 100, "2.5e+1.abs": 25} {
		s := isa.Scan{Target: mini().At(0, 0)}
		s.Reset(text, 0)
		if n, ok := s.Number(); !ok || !n.IsF || n.Float != want || s.Peek() != '.' {
			t.Errorf("%s: %+v, %t, then %q", text, n, ok, s.Line[s.Pos:])
		}
	}
	s := isa.Scan{Target: mini().At(0, 0)}
	s.Reset("1.neg", 0)
	if n, ok := s.Number(); !ok || n.IsF || n.Int != 1 || s.Line[s.Pos:] != ".neg" {
		t.Errorf("1.neg: %+v, %t, then %q", n, ok, s.Line[s.Pos:])
	}
}
