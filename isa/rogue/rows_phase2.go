package rogue

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Formats of packs by code. docs/reference/rogue.md 3.
const formats = "u8888 s8888 o8888 u1616 s1616 o1616 u32 s32 u1010102 s1010102 u111110 s111110 f111110 ? f16f16 f32 cov u565u565 d24s8 s8d24 f32_mask 2f10f10f10 s8888ogl s1616ogl ? ? ? ? ? ? zero one"

// formatKind is a pack format; some have other names in the reference.
func formatKind() *isa.Kind {
	k := dotted("a format", formats)
	k.Reserved[13] = false
	k.Table[13] = ".se9995"
	k.Spell = append(k.Spell, isa.Spelling{Text: ".se9995", Value: 13})
	also(k, 16, ".coveragemask")
	also(k, 20, ".f32mask")
	also(k, 21, ".2f102f10f10")
	also(k, 30, ".const0")
	return also(k, 31, ".const1")
}

// packRows are packs in phase 2 and their inverses in phase 0. docs/reference/rogue.md 3.
func packRows() []row {
	format := suffix(nameFormat, span(1, 4, 0), formatKind())
	format.Needed = true
	scale, round := flag("scale"), flag("roundzero")
	for _, k := range [...]*isa.Kind{round} {
		also(k, 1, ".rndzero")
	}
	mods := []isa.Arg{suffix(nameScale, bit(1, 5), scale), suffix(nameRound, bit(1, 6), round)}
	fix := []isa.Fixed{holds(0, 7, 4, 9), holds(0, 3, 0, codePack)}
	elem := dotted("an element", "e0 e1 e2 e3")
	return []row{
		{name: "pck", entry: "PCK", classes: []uint8{group.Pack}, layout: layout{"pck", 2}, fix: append(fix[:2:2], holds(1, 7, 7, 0)), args: append(mods[:2:2], format, word("ft2"), word("is3", "_")),
			reads: readIS3, doc: "ft2 = is3 packed; a group that repeats packs as many values into one word", ref: "5.4", mean: isa.Effect(pack), options: []string{choicePack, choiceRest, choiceCoverage, choicePackNaN}},
		{name: progName, classes: []uint8{group.Pack}, layout: layout{"pck", 2}, fix: append(fix[:2:2], holds(1, 7, 7, 1)), args: append(mods[:2:2], ignored(nameFormat, span(1, 4, 0)), word("ft2"), word("is3", "_"), word("fte")),
			reads: readIS3 | readIS0, doc: "ft2 = is3 packed as fte says; a group that repeats packs as many values into one word or more", ref: "5.4", mean: isa.Effect(packAny), options: []string{choicePack, choiceRest, choiceCoverage, choicePackNaN}},
		{name: "unpck", also: []string{"unpack", "upck"}, entry: "UNPCK", classes: firstOnly, layout: layout{"upck", 2}, fix: fix, args: []isa.Arg{suffix(nameScale, bit(1, 5), also(flag("scale"), 1, ".roundzero", ".rndzero", ".scale.roundzero", ".scale.rndzero")),
			format, word("ft0"), source(0, part(nameElem0, span(1, 7, 6), elem))}, uses: 1, doc: "ft0 = an element of s0; a group that repeats takes one after another", ref: "5.4", mean: isa.Effect(unpack), options: []string{choicePack, choiceUnpack}},
	}
}

// Types of tests by code.
const testTypes = "f32 u16 s16 u8 s8 u32 s32 ?"

// A testRow is a test of phase 2.
type testRow struct {
	name, entry string
	two         bool // it compares two operands
	lift        func(l *isa.Lift)
	doc         string
}

// tests are the tests by code.
func tests() []testRow {
	return []testRow{{"z", "TSTZ", false, compared(equal, false), "is1 is 0"}, {"gz", "TSTGZ", false, compared(above, false), "is1 is above 0"}, {"gez", "TSTGEZ", false, compared(notBelow, false), "is1 is not below 0"},
		{"c", "TSTC", false, testCarry, "the sum of phase 0 has a carry"}, {"e", "TSTE", true, compared(equal, true), "is1 = is2"}, {"g", "TSTG", true, compared(above, true), "is1 > is2"},
		{"ge", "TSTGE", true, compared(notBelow, true), "is1 >= is2"}, {"ne", "TSTNE", true, compared(unequal, true), "is1 is not is2"}, {"l", "TSTL", true, compared(below, true), "is1 < is2"},
		{"le", "TSTLE", true, compared(notAbove, true), "is1 <= is2"}}
}

// testRows are the tests of phase 2: the short form has floats and the first eight tests. docs/reference/rogue.md 3.
func testRows() (rows []row) {
	types := dotted("a type", testTypes)
	end := endKind()
	for code, x := range tests() {
		r := row{name: "tst", spell: []string{Seed: "tst" + x.name}, also: []string{"tst" + x.name}, entry: x.entry, classes: []uint8{group.Test}, doc: "ftt = " + x.doc, ref: "5.3", mean: isa.Effect(x.lift)}
		if x.name == "ne" {
			r.options = []string{choiceTestNaN}
		}
		op, is1, is2 := must(x.name), word("is1", "_"), word("is2", "_")
		switch {
		case x.two:
			r.reads = readIS1 | readIS2
		case x.name == "c":
			is1, is2 = word("_", "is1"), word("_", "is2")
		default:
			r.reads, is2 = readIS1, word("_", "is2")
		}
		r.reads |= writeP0
		short, long := r, r
		if code < 8 {
			short.layout, short.fix = layout{"tst", 1}, []isa.Fixed{holds(0, 7, 4, 14), holds(0, 3, 1, uint64(code))}
			short.args = []isa.Arg{must("f32"), op, word("ftt"), operand(namePred, bit(0, 0), predOut), first(is1), first(is2)}
			rows = append(rows, short)
		}
		long.layout, long.fix = layout{"tst_ext", 2}, []isa.Fixed{holds(0, 7, 4, 15), holds(0, 3, 1, uint64(code)&7), holds(1, 0, 0, uint64(code)>>3)}
		elem := isa.Part{Name: names[nameElem0], At: span(1, 3, 2), Kind: element, Side: isa.After, Shared: true}
		is1.Parts, is2.Parts = []isa.Part{elem}, []isa.Part{elem}
		long.args = []isa.Arg{suffix(nameType, span(1, 7, 5), types), op, suffix(nameP2End, bit(1, 4), end), word("ftt"), operand(namePred, bit(0, 0), predOut), is1, is2}
		rows = append(rows, long)
	}
	return rows
}

// first is an operand of the short form of a test, which always reads the first element. Mesa 24.1 prints it there, PCO
// only in the long form.
func first(a isa.Arg) isa.Arg {
	k := *a.Kind
	texts := k.Spell
	k.Spell = nil
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		for _, sp := range texts {
			if s.Accept(sp.Text) || s.Target.Dialect == Mesa24 && s.Accept(sp.Text+".e0") {
				return 0, true
			}
		}
		return 0, s.Expect(k.Name)
	}
	a.Kind = &k
	return a
}

// endKind is the flag that ends phase 2: PCO prints it, others infer it from what follows.
func endKind() *isa.Kind {
	k := flag("phase2end")
	k.Table = nil
	k.Text = func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if v != 0 && p.Dialect == PCO {
			dst = append(dst, ".phase2end"...)
		}
		return dst
	}
	return k
}

// moveRows are the moves of phase 2. docs/reference/rogue.md 3.
func moveRows() []row {
	feeds := words("a feed-through", "ft0", "ft1", "ft2", "fte")
	also(feeds, 0, "_")
	end := endKind()
	short := row{name: "movc", entry: "MOVC", classes: []uint8{group.Move}, layout: layout{"movc", 1}, fix: []isa.Fixed{holds(0, 7, 4, 12)}, reads: readIS4 | readIS5, mean: isa.Effect(movc),
		args: []isa.Arg{word("w0"), aboutW1("w1"), word("ftt"), operand(nameMov0, span(0, 1, 0), feeds), word("is4", "_"), operand(nameMov1, span(0, 3, 2), second(feeds)), aboutW1("is5")},
		doc:  "if ftt, w0 = the first feed-through and w1 = the second", ref: "5.3"}
	w0 := word("w0")
	w0.Parts, w0.AnyOrder = []isa.Part{part(nameMask, span(1, 5, 2), maskKind())}, true
	w0.Parts[0].Default = 15
	long := short
	long.layout, long.fix = layout{"movc_ext", 2}, []isa.Fixed{holds(0, 7, 4, 13), holds(1, 1, 1, 0)}
	long.args = append([]isa.Arg{suffix(nameP2End, bit(1, 0), end), w0}, short.args[1:]...)
	long.doc = "if ftt, bytes of w0 = those of the first feed-through, and w1 = the second"
	always := long
	always.name, always.entry, always.spell = "movwm", "MOV", []string{Seed: "mov", Mesa24: "movc"}
	always.fix = []isa.Fixed{holds(0, 7, 4, 13), holds(1, 1, 1, 1)}
	always.args = []isa.Arg{suffix(nameP2End, bit(1, 0), end), w0, operand(nameMov0, span(0, 1, 0), feeds), word("is4", "_"), operand(nameMov1, span(0, 3, 2), feeds)}
	always.args[4].Optional = true
	always.mean, always.doc = isa.Effect(movw), "bytes of w0 = those of the first feed-through, and w1 = the second"
	return []row{short, long, always}
}

// aboutW1 is an operand of a move for w1: PCO prints _ in its place if the group does not write w1.
func aboutW1(text string) isa.Arg {
	a := word(text, "_")
	k := *a.Kind
	k.Table = nil
	k.Text = func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, _ uint64) []byte {
		if p.Dialect == PCO && idleW1(p.Bundle) {
			return append(dst, '_')
		}
		return append(dst, text...)
	}
	a.Kind = &k
	return a
}

// second is the source of w1, which prints as _ in the same case.
func second(feeds *isa.Kind) *isa.Kind {
	k := *feeds
	k.Table = nil
	k.Text = func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if v == 0 && p.Dialect == PCO && idleW1(p.Bundle) {
			return append(dst, '_')
		}
		return append(dst, feeds.Table[v]...)
	}
	return &k
}

// idleW1 reports whether a group does not write w1; false without a group.
func idleW1(b *isa.Bundle) bool { return b != nil && head(b).Get(nameW1) == 0 }

// maskKind is the mask of bytes that a move writes: all, named ones, or none.
func maskKind() *isa.Kind {
	k := &isa.Kind{Name: "a mask of bytes", First: ".", Table: make([]string, 16)}
	for v := range 15 {
		text := ""
		for e := range 4 {
			if v>>e&1 != 0 {
				text += ".e" + string(rune('0'+e))
			}
		}
		if v == 0 {
			text = ".none"
		}
		k.Table[v] = text
		k.Spell = append(k.Spell, isa.Spelling{Text: text, Value: uint64(v)})
	}
	return also(k, 15, ".e0.e1.e2.e3")
}
