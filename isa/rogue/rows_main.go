package rogue

import (
	"slices"
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Phases of the main unit that have an instruction.
var (
	firstOnly   = []uint8{group.P0}
	eitherPhase = []uint8{group.P0, group.P1}
)

// A phased row has operands that depend on its phase: 0 or 1.
type phased struct {
	row
	operands func(phase int) []isa.Arg
}

// perPhase makes the rows for each phase.
func perPhase(list []phased) (rows []row) {
	for _, p := range list {
		for _, class := range p.classes {
			r := p.row
			r.classes = []uint8{class}
			r.args = slices.Concat(p.args, p.operands(int(class-group.P0)/(group.P1-group.P0)))
			rows = append(rows, r)
		}
	}
	return rows
}

// ft is the feed-through that a phase drives, as an operand.
func ft(phase int) isa.Arg { return word("ft" + strconv.Itoa(phase)) }

// nth is source n of a phase.
func nth(phase, n int, parts ...isa.Part) isa.Arg { return source(group.FirstUpper*phase+n, parts...) }

// floatRows are additions, products and multiply-adds. docs/reference/rogue.md 3.
func floatRows() []row {
	family := layout{"fadd", 1}
	args := []isa.Arg{suffix(nameSat, bit(0, 4), satKind), suffix(nameLP, bit(0, 5), lpKind)}
	two := func(p int) []isa.Arg {
		return []isa.Arg{ft(p), nth(p, 0, part(nameFlr0, bit(0, 0), floor), part(nameAbs0, bit(0, 2), absolute), part(nameNeg0, bit(0, 3), negate)), nth(p, 1, part(nameAbs1, bit(0, 1), absolute))}
	}
	short := []isa.Arg{suffix(nameSat, bit(0, 0), satKind)}
	long := []isa.Arg{suffix(nameSat, bit(0, 0), satKind), suffix(nameLP, bit(1, 4), lpKind)}
	three := func(p int) []isa.Arg {
		return []isa.Arg{ft(p), nth(p, 0, part(nameAbs0, bit(0, 2), absolute), part(nameNeg0, bit(0, 3), negate)), nth(p, 1), nth(p, 2, part(nameNeg2, bit(0, 1), negate))}
	}
	threeLong := func(p int) []isa.Arg {
		return []isa.Arg{ft(p), nth(p, 0, part(nameAbs0, bit(0, 2), absolute), part(nameNeg0, bit(0, 3), negate)),
			nth(p, 1, part(nameAbs1, bit(1, 3), absolute), part(nameNeg1, bit(1, 2), negate)),
			nth(p, 2, part(nameFlr2, bit(1, 1), floor), part(nameAbs2, bit(1, 0), absolute), part(nameNeg2, bit(0, 1), negate))}
	}
	return perPhase([]phased{
		{row{name: "fadd", entry: "FADD", classes: eitherPhase, layout: family, fix: []isa.Fixed{holds(0, 7, 6, 0)}, args: args, uses: 3, mean: isa.Binary(fadd), doc: "s0 + s1", ref: "5.1", options: []string{choiceLow, choiceRounding}}, two},
		{row{name: "fmul", also: []string{"mul"}, entry: "FMUL", classes: eitherPhase, layout: layout{"fmul", 1}, fix: []isa.Fixed{holds(0, 7, 6, 1)}, args: args, uses: 3, mean: isa.Binary(fmul), doc: "s0 * s1", ref: "5.1", options: []string{choiceLow, choiceRounding}}, two},
		{row{name: "fmad", also: []string{"mad"}, entry: "FMAD", classes: eitherPhase, layout: layout{"fmad", 1}, fix: []isa.Fixed{holds(0, 7, 4, 12)}, args: short, uses: 7, mean: isa.Effect(fmad), doc: "s0 * s1 + s2", ref: "5.1", options: []string{choiceFused, choiceRounding}}, three},
		{row{name: "fmad", also: []string{"mad"}, entry: "FMAD", classes: eitherPhase, layout: layout{"fmad_ext", 2}, fix: []isa.Fixed{holds(0, 7, 4, 13)}, args: long, uses: 7, mean: isa.Effect(fmad), doc: "s0 * s1 + s2", ref: "5.1", options: []string{choiceFused, choiceLow, choiceRounding}}, threeLong},
	})
}

// Codes of one-source instructions, in the low bits of their first byte. docs/reference/rogue.md 3.
const (
	codeSOP   = 4
	codeGamma = 6
	codePack  = 12
	codeRed   = 13
)

// A single is an instruction with one source.
type single struct {
	name, entry string
	also        []string
	code        uint64
	result      func(p int) []isa.Arg
	reads       reads
	classes     []uint8
	mean        isa.Meaning
	doc         string
	options     []string
	lack        isa.Lack
	note        string
	fidelity    ir.Fidelity
}

// singleRows are the short and the long form of each single.
func singleRows() []row {
	w0 := func(int) []isa.Arg { return []isa.Arg{word("w0")} }
	feed := func(p int) []isa.Arg { return []isa.Arg{ft(p)} }
	sinc := func(int) []isa.Arg { return []isa.Arg{word("w0"), word("p0")} }
	list := []single{
		{name: "frcp", entry: "FRCP", code: 0, result: w0, reads: writeW0, classes: eitherPhase, mean: isa.Unary(reciprocal), fidelity: ir.Approximate, doc: "w0 = 1 / s0"},
		{name: "frsq", entry: "FRSQ", code: 1, result: w0, reads: writeW0, classes: eitherPhase, mean: isa.Unary(rootInverse), fidelity: ir.Approximate, doc: "w0 = 1 / sqrt(s0)"},
		{name: "flog", entry: "FLOG", code: 2, result: w0, reads: writeW0, classes: eitherPhase, mean: isa.Unary(logarithm), fidelity: ir.Approximate, doc: "w0 = log2(s0)"},
		{name: "fexp", entry: "FEXP", code: 3, result: w0, reads: writeW0, classes: eitherPhase, mean: isa.Unary(exponential), fidelity: ir.Approximate, doc: "w0 = 2^s0"},
		{name: "flogcn", code: 5, result: w0, reads: writeW0, classes: eitherPhase, doc: "w0 = a logarithm of s0", lack: isa.LackUndefined, note: "how it differs from flog is not public"},
		{name: "mbyp", also: []string{"mbyp0", "mbyp1", "mov"}, entry: "MBYP", code: 7, result: feed, classes: eitherPhase, mean: isa.Unary(same), doc: "s0"},
		{name: "fdsx", entry: "FDSX", code: 8, result: feed, classes: eitherPhase, mean: isa.Effect(gradient(0, 1)), options: []string{choiceRounding}, doc: "s0 of the quad's right pixel less that of its first"},
		{name: "fdsy", entry: "FDSY", code: 9, result: feed, classes: eitherPhase, mean: isa.Effect(gradient(0, 2)), options: []string{choiceRounding}, doc: "s0 of the quad's lower pixel less that of its first"},
		{name: "fdsxf", entry: "FDSXF", code: 10, result: feed, classes: eitherPhase, mean: isa.Effect(gradient(2, 1)), options: []string{choiceRounding}, doc: "s0 of the right pixel of the row less that of the left one"},
		{name: "fdsyf", entry: "FDSYF", code: 11, result: feed, classes: eitherPhase, mean: isa.Effect(gradient(1, 2)), options: []string{choiceRounding}, doc: "s0 of the lower pixel of the column less that of the upper one"},
		{name: "fsinc", entry: "FSINC", code: 14, result: sinc, reads: writeW0 | writeP0, classes: eitherPhase, mean: isa.Effect(sineOver), fidelity: ir.Approximate, doc: "w0 = sin(s0 * pi / 2) / s0; P0: multiply by s0 afterwards"},
		{name: "farctanc", entry: "FARCTANC", code: 15, result: w0, reads: writeW0, classes: eitherPhase, mean: isa.Effect(arctan), fidelity: ir.Approximate, doc: "w0 = arctan(s0) / s0"},
	}
	var phases []phased
	for i := range list {
		x := &list[i]
		r := row{name: x.name, also: x.also, entry: x.entry, classes: x.classes, uses: 1, reads: x.reads, mean: x.mean, doc: x.doc, ref: "5.1", options: x.options, lack: x.lack, note: x.note, fidelity: x.fidelity}
		r.layout, r.fix = layout{"sngl", 1}, []isa.Fixed{holds(0, 7, 4, 8), holds(0, 3, 0, x.code)}
		phases = append(phases, phased{r, func(p int) []isa.Arg { return append(x.result(p), nth(p, 0)) }})
		r.layout, r.fix = layout{"sngl_ext", 2}, []isa.Fixed{holds(0, 7, 4, 9), holds(0, 3, 0, x.code)}
		phases = append(phases, phased{r, func(p int) []isa.Arg { return append(x.result(p), signed(p)) }})
	}
	return perPhase(append(phases, gammaRows()...))
}

// signed is source 0 of a long one-source instruction.
func signed(p int) isa.Arg {
	return nth(p, 0, part(nameAbs0, bit(1, 0), absolute), part(nameNeg0, bit(1, 1), negate))
}

// gammaRows are the instructions of the sRGB curve, and the range reduction.
func gammaRows() []phased {
	code := []isa.Fixed{holds(0, 7, 4, 9), holds(0, 3, 0, codeGamma)}
	direct := func(p int) []isa.Arg { return []isa.Arg{word("w0"), signed(p)} }
	compress := row{name: "gcmp", entry: "GCMP", classes: eitherPhase, uses: 1, reads: writeW0, mean: isa.Effect(gammaCompress), doc: "w0 = s0 as sRGB stores it", ref: "5.1", options: []string{choiceGamma}}
	short, long := compress, compress
	short.layout, short.fix = layout{"gcmp", 1}, []isa.Fixed{holds(0, 7, 4, 8), holds(0, 3, 0, codeGamma)}
	long.layout, long.fix = layout{"gcmp_ext", 2}, append(code[:2:2], holds(1, 2, 2, 0))
	reduce := func(p int) []isa.Arg {
		return []isa.Arg{suffix(nameCosine, bit(1, 3), dotted("a function", "sin cos")), suffix(namePart, bit(1, 7), partKind),
			word("w0", "_"), word("w1", "_"), operand(namePred, bit(1, 2), predOut), nth(p, 0, part(nameAbs0, bit(1, 0), absolute), part(nameNeg0, bit(1, 1), negate)), word("s3", "_"), operand(nameIter, span(1, 6, 4), number("a number of iterations", numeral{low: 0, high: 7}))}
	}
	return []phased{
		{short, func(p int) []isa.Arg { return []isa.Arg{word("w0"), nth(p, 0)} }},
		{long, direct},
		{row{name: "gexp", entry: "GEXP", classes: eitherPhase, layout: layout{"gexp", 2}, fix: append(code[:2:2], holds(1, 2, 2, 1)), uses: 1, reads: writeW0, mean: isa.Effect(gammaExpand), doc: "w0 = s0 from sRGB", ref: "5.1", options: []string{choiceGamma}}, direct},
		{row{name: "fred", entry: "FRED", classes: firstOnly, layout: layout{"fred", 2}, fix: []isa.Fixed{holds(0, 7, 4, 9), holds(0, 3, 0, codeRed)}, uses: 1 | 1<<3, reads: writeW0 | writeW1 | writeP0, mean: isa.Effect(reduceStep),
			doc: "a step of the reduction of an angle: w1 of part A is s3 of part B, whose w0 is what fsinc takes", ref: "5.1", options: []string{choiceReduction}}, reduce},
	}
}
