package rogue

import (
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Rows without a public encoding: their bits are private, and their bytes never leave the program.
// docs/reference/rogue.md 5.10.

// textRows are these rows; known are the rows with an encoding, some of which provide the semantics.
func textRows(known []row) []row {
	rows := slices.Concat(sopRows(), doubleRows(), halfRows(known), otherRows(), testsOfText(known), directRows(known))
	rows = append(rows, testsOfEach(append(slices.Clip(known), rows...))...)
	for i := range rows {
		rows[i].private, rows[i].ref = true, "5.10"
	}
	return rows
}

// doubleRows are f64 instructions: operands are pairs of registers, the low word first.
func doubleRows() (rows []row) {
	for _, x := range [...]struct {
		name    string
		sources int
		mean    func(*isa.Lift, []V) V
		doc     string
		options []string
	}{
		{"f64mul", 2, mul64, "w0 = s0 * s1", []string{choiceRounding}}, {"f64add", 2, add64, "w0 = s0 + s1", []string{choiceRounding}}, {"f64mad", 3, mad64, "w0 = s0 * s1 + s2", []string{choiceFused, choiceRounding}}, {"f64div", 2, div64, "w0 = s0 / s1", []string{choiceRounding}},
		{"f64rcp", 1, rcp64, "w0 = 1 / s0", []string{choiceRounding}}, {"f64sqrt", 1, sqrt64, "w0 = sqrt(s0)", []string{choiceRounding}}, {"f64rsq", 1, rsq64, "w0 = 1 / sqrt(s0)", []string{choiceRounding}}, {"f64byp", 1, byp64, "w0 = s0", nil},
	} {
		r := row{name: x.name, entry: upper(x.name), classes: firstOnly, layout: layout{x.name, 1}, args: []isa.Arg{word("w0")}, reads: writeW0, mean: double(x.sources, x.mean), extent: pairs, doc: x.doc + ", pairs of registers",
			options: append(x.options, choiceDouble)}
		for n := range x.sources {
			r.args, r.uses = append(r.args, source(n)), r.uses|1<<n
		}
		rows = append(rows, r)
	}
	types := dotted("a type", "f32 s32 u32 ?")
	to := row{name: "converttof64", entry: "CONVERTTOF64", classes: []uint8{group.Pack}, layout: layout{"converttof64", 1}, args: []isa.Arg{suffix(nameType, span(0, 1, 0), types), word("ft0"), word("ft2"), word("is3")},
		reads: readIS3, mean: isa.Effect(toDouble), doc: "ft2:ft0 = is3 as a float of 64 bits", options: []string{choiceDouble}}
	from := row{name: "convertfromf64", entry: "CONVERTFROMF64", classes: firstOnly, layout: layout{"convertfromf64", 1}, args: []isa.Arg{suffix(nameType, span(0, 1, 0), types), word("ft0"), source(0), source(2)},
		uses: 5, mean: isa.Effect(fromDouble), doc: "ft0 = the float of 64 bits s2:s0 as 32 bits", options: []string{choiceConvert, choiceRounding}}
	to.args[0].Needed, from.args[0].Needed = true, true
	return append(rows, to, from)
}

// pairs is the number of registers of a 64-bit source.
func pairs(*isa.Inst, int) int { return 2 }

// halfNames are the one-source instructions that can also read and write halves of a word.
var halfNames = []string{"FRCP", "FRSQ", "FLOG", "FEXP", "GCMP", "GEXP"}

// halfRows are forms of known instructions that read or write halves of a word, and the square root, which has no other
// form.
func halfRows(known []row) (rows []row) {
	for i := range known {
		r := known[i]
		if !slices.Contains(halfNames, r.entry) || r.layout.bytes != 2 {
			continue
		}
		r.layout, r.fix, r.args = layout{r.name + "_f16", 3}, nil, halfArgs(int(r.classes[0]-group.P0)/(group.P1-group.P0))
		r.doc += ", halves of words"
		if r.mean != nil {
			r.mean = halved(r.mean)
		}
		rows = append(rows, r)
	}
	root := row{name: "fsqrt", entry: "FSQRT", classes: firstOnly, layout: layout{"fsqrt", 3}, args: halfArgs(0), uses: 1, reads: writeW0, mean: halved(isa.Unary(squareRoot)), fidelity: ir.Approximate, doc: "w0 = sqrt(s0)"}
	return append(rows, root)
}

// halfArgs are a result and a source that may be halves.
func halfArgs(phase int) []isa.Arg {
	to := word("w0")
	to.Parts = []isa.Part{part(nameHalfOut, span(2, 1, 0), dotted("halves of a result", "- f16.e0 f16.e1 f16.e0.e1"))}
	from := dotted("a half", "- f16.e0 f16.e1 ?")
	return []isa.Arg{to, nth(phase, 0, part(nameHalfIn, span(2, 3, 2), from), part(nameAbs0, bit(1, 0), absolute), part(nameNeg0, bit(1, 1), negate))}
}

// otherRows are the remaining ones.
func otherRows() []row {
	sum := row{name: "fadd", entry: "FADD", classes: []uint8{group.Pack}, layout: layout{"fadd_p2", 1}, reads: readIS3 | readIS0, mean: third(fadd), doc: "ft2 = is3 + fte", options: []string{choiceRounding}}
	is3, fte := word("is3"), word("fte")
	is3.Parts, is3.AnyOrder = []isa.Part{part(nameAbs0, bit(0, 1), absolute), part(nameNeg0, bit(0, 2), negate)}, true
	fte.Parts = []isa.Part{part(nameAbs1, bit(0, 3), absolute)}
	sum.args = []isa.Arg{suffix(nameSat, bit(0, 0), satKind), word("ft2"), is3, fte}
	product := sum
	product.name, product.also, product.entry, product.mean, product.doc = "fmul", []string{"mul"}, "FMUL", third(fmul), "ft2 = is3 * fte"
	from := countSource()
	count := row{name: "ftb_shi", entry: "FTB_SHI", classes: []uint8{group.Count}, layout: layout{"count_text", 1}, args: []isa.Arg{word("ft3"), operand(nameCountSrc, bit(0, 6), from)},
		mean: isa.Unary(topChange), doc: "ft3 = the number of the highest bit that is not the sign, -1 if there is none"}
	high := count
	high.name, high.entry, high.mean, high.doc = "ftb_msb", "FTB_MSB", isa.Unary(leadingZeros), "ft3 = the zeros above the highest bit that is set, -1 if none is"
	texel := row{name: "st.texelmode", entry: "ST", classes: backendOnly, layout: layout{"st_texelmode", 1}, args: []isa.Arg{source(2), word("w1"), operand(nameDRC, bit(0, 3), drcs)}, uses: 4, reads: readW1,
		doc: "memory = texels", lack: isa.LackUndefined, note: "which texels it writes is not public"}
	texture := row{name: "gta", entry: "GTA", classes: []uint8{group.Move}, layout: layout{"gta", 1}, args: []isa.Arg{on(nameArray, bit(0, 0), "array"), word("w0"), word("w1"), operand(namePred, bit(0, 1), predOut),
		source(3), source(0), source(1), source(4), source(5)}, uses: 1<<0 | 1<<1 | 1<<3 | 1<<4 | 1<<5, reads: writeW0 | writeW1 | writeP0,
		doc: "w0 and w1 = the address of a texel and how to fetch it, P0 = whether it is outside", lack: isa.LackUndefined, note: "how an address follows from the coordinates is not public"}
	tessellator := row{name: "tessw", also: []string{"tessw.write"}, entry: "TESSW", classes: backendOnly, layout: layout{"tessw", 2}, args: []isa.Arg{operand(nameSink, bit(0, 0), words("w0 or w1", "w0", "w1")), operand(nameImm, span(1, 7, 0), outputKind())},
		reads: readW0 | readW1, mean: isa.Effect(tessellate), doc: "a word for the tessellator = w0 or w1", options: []string{choiceTess}}
	back := control(row{name: "bpret", entry: "BPRET", layout: layout{name: "bpret"}, doc: "the task goes on where a breakpoint has stopped it", lack: isa.LackUndefined, note: "what sets the address of a breakpoint is not public"}, ctrlBPRET, true, 0)
	return []row{sum, product, count, high, texel, texture, tessellator, back}
}

// testsOfText are the tests whose codes are not public: less, and not less, under the names of a minimum and a maximum.
func testsOfText(known []row) (rows []row) {
	for i := range known {
		for _, x := range [...]struct{ like, name, entry, doc string }{{"TSTL", "min", "TSTMIN", "is1 < is2"}, {"TSTGE", "max", "TSTMAX", "is1 >= is2"}} {
			r := known[i]
			if r.entry != x.like || r.layout.bytes != 2 {
				continue
			}
			r.spell, r.also, r.entry, r.doc = []string{Seed: "tst" + x.name}, []string{"tst" + x.name}, x.entry, "ftt = "+x.doc
			r.args = slices.Clone(r.args)
			r.args[1] = must(x.name)
			r.layout, r.fix = layout{"tst_text", 2}, nil
			rows = append(rows, r)
		}
	}
	return rows
}

// testsOfEach are the tests whose operands have an element each, and those that compare halves of words as floats.
func testsOfEach(known []row) (rows []row) {
	half := also(dotted("a half", "- f16.e0 f16.e1 ?"), 1, ".f16")
	narrow := dotted("an element", "e0 e1 e2 e3")
	one, two := span(1, 1, 0), span(1, 3, 2)
	for i := range known {
		r := known[i]
		if !slices.Contains(r.classes, group.Test) || r.layout.bytes != 2 || r.reads&readIS1 == 0 {
			continue
		}
		floats := r.withElements("f32 ? ? ? ? ? ? ?", part(nameHalf1, one, half), part(nameHalf2, two, half))
		floats.encoded(several(one, two), []uint64{0}, "a test of words as floats has an encoding")
		rows = append(rows, floats)
		if r.reads&readIS2 == 0 {
			rows[len(rows)-1].args[len(r.args)-1].Parts = nil
			continue
		}
		whole := r.withElements("? u16 s16 u8 s8 ? ? ?", part(nameElem0, one, narrow), part(nameElem1, two, narrow))
		whole.encoded(several(one, two), []uint64{0b0000, 0b0101, 0b1010, 0b1111}, "a test of the same element of both words has an encoding")
		whole.options = nil
		rows = append(rows, whole)
	}
	return rows
}

// withElements is a test of some types that has an element part for each operand.
func (r row) withElements(types string, is1, is2 isa.Part) row {
	r.layout, r.fix, r.args = layout{"tst_each", 2}, nil, slices.Clone(r.args)
	r.args[0] = suffix(nameType, span(0, 3, 1), dotted("a type", types))
	r.args[len(r.args)-2].Parts, r.args[len(r.args)-1].Parts = []isa.Part{is1}, []isa.Part{is2}
	return r
}

// encoded rejects field values that another row, with a public encoding, expresses.
func (r *row) encoded(at bits.Ranges, values []uint64, why string) {
	r.bars = func(*isa.Def) []isa.Forbidden {
		return []isa.Forbidden{{If: []isa.FieldIn{{At: at, Values: values}}, Why: why}}
	}
	r.check = func(in *isa.Inst) string {
		if slices.Contains(values, at.Get(in.Word)) {
			return why
		}
		return ""
	}
}

// direct are the instructions that can bypass the main unit.
var direct = []string{"LD", "ST", "ATOM", "IDF"}

// directRows are these forms; bypassing changes no result.
func directRows(known []row) (rows []row) {
	for i := range known {
		r := known[i]
		if !slices.Contains(direct, r.entry) {
			continue
		}
		r.layout.name, r.fix, r.args = r.layout.name+"_direct", nil, append([]isa.Arg{must("direct")}, r.args...)
		r.doc += "; the main unit has no part in it"
		rows = append(rows, r)
	}
	return rows
}
