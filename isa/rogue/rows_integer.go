package rogue

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// narrowRows are integers of 8 and 16 bits, in three lengths. docs/reference/rogue.md 3.
func narrowRows() (rows []row) {
	ops := [...]struct {
		name string
		uses uint8
		f    func(s func(n int) V) V
		doc  string
	}{{"add", 3, narrowSum, "s0 + s1"}, {"mul", 3, narrowProduct, "s0 * s1"}, {"mad", 7, narrowMad, "s0 * s1 + s2"}, {"mad", 7, narrowMad, "s0 * s1 + s2"}}
	for code, op := range ops {
		for _, signed := range [...]bool{false, true} {
			for i := range 2 {
				letter, s := "u", uint64(0)
				if signed {
					letter, s = "i", 1
				}
				name := letter + op.name + [...]string{"8", "16"}[i]
				r := row{name: name, entry: upper(name), uses: op.uses, doc: op.doc + ", elements of 8 or 16 bits", ref: "5.2", mean: (&narrow{8 << i, signed, op.f}).mean(), options: []string{choiceNarrow}}
				fix := []isa.Fixed{holds(0, 7, 5, 5), holds(0, 3, 2, uint64(code)), holds(0, 1, 1, s), holds(0, 0, 0, uint64(i))}
				rows = append(rows, narrowForms(r, fix, code, op.uses > 3)...)
			}
		}
	}
	return rows
}

// narrowForms are the short form, the form with modifiers, and the form with elements. code is that of the operation: 2
// and 3 read the lower or upper pair of elements of s2.
func narrowForms(r row, fix []isa.Fixed, code int, three bool) []row {
	if code == 3 {
		r.pair = 1
	}
	short, long, chosen := r, r, r
	short.classes, short.layout, short.fix = firstOnly, layout{"int8_16", 1}, append(fix[:len(fix):len(fix)], holds(0, 4, 4, 0))
	long.classes, long.layout, long.fix = firstOnly, layout{"int8_16_ext", 2}, append(fix[:len(fix):len(fix)], holds(0, 4, 4, 1))
	chosen.classes, chosen.layout, chosen.fix = []uint8{group.P0Elements}, layout{"int8_16_ext_sel", 3}, long.fix
	abs0, neg0, abs1 := part(nameAbs0, bit(1, 1), absolute), part(nameNeg0, bit(1, 2), negate), part(nameAbs1, bit(1, 3), absolute)
	sat := suffix(nameSat, bit(1, 0), satKind)
	short.args = []isa.Arg{word("ft0"), source(0), source(1)}
	long.args = []isa.Arg{sat, word("ft0"), source(0, abs0, neg0), source(1, abs1)}
	chosen.args = []isa.Arg{sat, word("ft0"), source(0, abs0, neg0, part(nameElem0, span(2, 1, 0), element)), source(1, abs1, part(nameElem1, span(2, 3, 2), element))}
	if three {
		pair, last := half, source(2)
		if code == 3 {
			pair, last.Kind = upperHalf, thirdUpper
		}
		third := source(2, part(nameAbs2, bit(1, 4), absolute), part(nameNeg2, bit(1, 5), negate), part(nameElem2, bit(1, 7), pair))
		short.args, long.args, chosen.args = append(short.args, last), append(long.args, third), append(chosen.args, third)
	} else { // the modifiers of an absent source
		idle := []isa.Arg{ignored(nameElem2, bit(1, 7)), ignored(nameAbs2, bit(1, 4)), ignored(nameNeg2, bit(1, 5))}
		long.args, chosen.args = append(long.args, idle...), append(chosen.args, idle...)
	}
	return []row{short, long, chosen}
}

// wideRows are integers of 32 and 64 bits. docs/reference/rogue.md 3.
func wideRows() (rows []row) {
	carry := word("_")
	ops := []struct {
		name   string
		spell  []string
		also   []string
		entry  string
		code   uint64
		signed uint64
		parts  int // number of sources with modifiers
		dests  []isa.Arg
		high   bool // it reads the source of IS0
		mean   isa.Meaning
		doc    string
	}{
		{"add64_32", []string{Seed: "uadd6432", Mesa24: "uadd6432"}, []string{"uadd6432"}, "UADD6432", 0, 0, 3, []isa.Arg{word("ft0"), word("fte", "_")}, false, isa.Effect(addWord(false)), "(s1:s0) + s2 + carry"},
		{"add64_32.s", []string{Seed: "sadd6432", Mesa24: "sadd6432"}, []string{"sadd6432"}, "SADD6432", 0, 1, 3, []isa.Arg{word("ft0"), word("fte", "_")}, false, isa.Effect(addWord(true)), "(s1:s0) + s2 with its sign + carry"},
		{"add64", nil, nil, "ADD64", 1, 0, 3, []isa.Arg{word("ft0"), word("fte", "_"), carry}, true, isa.Effect(addWide), "(s1:s0) + (is0:s2) + carry"},
		{"add64.s", nil, nil, "", 1, 1, 3, []isa.Arg{word("ft0"), word("fte", "_"), carry}, true, nil, "(s1:s0) + (is0:s2) + carry, with the flag of signed ones"},
		{"imadd32", []string{Seed: "umadd32", Mesa24: "umadd32"}, []string{"umadd32"}, "UMADD32", 2, 0, 3, []isa.Arg{word("ft0")}, false, isa.Effect(madWord), "s0 * s1 + s2 + carry"},
		{"imadd32.s", []string{Seed: "smadd32", Mesa24: "smadd32"}, []string{"smadd32"}, "SMADD32", 2, 1, 3, []isa.Arg{word("ft0")}, false, isa.Effect(madWord), "s0 * s1 + s2 + carry"},
		{"imadd64", []string{Seed: "umadd64", Mesa24: "umadd64"}, []string{"umadd64"}, "UMADD64", 3, 0, 3, []isa.Arg{word("ft0", "_"), word("fte", "_")}, true, isa.Effect(madWide(false)), "s0 * s1 + (is0:s2) + carry"},
		{"imadd64.s", []string{Seed: "smadd64", Mesa24: "smadd64"}, []string{"smadd64"}, "SMADD64", 3, 1, 3, []isa.Arg{word("ft0", "_"), word("fte", "_")}, true, isa.Effect(madWide(true)), "s0 * s1 + (is0:s2) + carry"},
	}
	for _, op := range ops {
		r := row{name: op.name, spell: op.spell, also: op.also, entry: op.entry, classes: firstOnly, uses: 7, mean: op.mean, doc: op.doc, ref: "5.2"}
		if op.entry == "" {
			r.lack, r.note = isa.LackUndefined, "what the flag of signed ones does to a sum of 64 bits is not public"
		}
		var last []isa.Arg
		if op.high {
			r.reads = readIS0
			last = append(last, word("is0", "_"))
		}
		fix := []isa.Fixed{holds(0, 7, 5, 7), holds(0, 1, 0, op.code), holds(0, 3, 3, op.signed)}
		short, long := r, r
		short.layout, short.fix = layout{"int32_64", 1}, append(fix[:3:3], holds(0, 4, 4, 0))
		short.args = append(append(op.dests[:len(op.dests):len(op.dests)], source(0), source(1), source(2, part(nameNeg2, bit(0, 2), negate))), append(last[:len(last):len(last)], word("_"))...)
		long.layout, long.fix = layout{"int32_64_ext", 2}, append(fix[:3:3], holds(0, 4, 4, 1))
		long.args = append(append(op.dests[:len(op.dests):len(op.dests)], source(0, part(nameAbs0, bit(1, 2), absolute), part(nameNeg0, bit(1, 4), negate)),
			source(1, part(nameAbs1, bit(1, 1), absolute), part(nameNeg1, bit(1, 5), negate)), source(2, part(nameAbs2, bit(1, 0), absolute), part(nameNeg2, bit(0, 2), negate))),
			append(last[:len(last):len(last)], operand(nameCin, bit(1, 6), predIn))...)
		short.reads, long.reads = r.reads, r.reads|readP0
		rows = append(rows, short, long)
	}
	return rows
}
