package toygroup

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

var headerFields = []isa.Field{isa.Bits("len", 0, 3, count), isa.Bits("split", 4, 7, count), isa.Bits("cond", 8, 9, condition),
	isa.Bits("outputs", 10, 11, outputs), isa.Bits("phases", 12, 13, count)}

var op4 = bits.Ranges{bits.Span(4, 7)}

// The layouts. If unclaimed bits are set, lint reports it for the long header and sums, mad and short sources reject
// them, and the others ignore them.
var (
	short = isa.Encoding{Name: "header", Bits: 16, Fixed: []isa.Fixed{isa.Must(14, 15, 0)}, Fields: headerFields}
	long  = isa.Encoding{Name: "long header", Bits: 24, Fixed: []isa.Fixed{isa.Must(14, 15, 2)},
		Fields: append([]isa.Field{isa.Bits("repeat", 16, 17, repeat), isa.Bits("end", 18, 18, end), isa.Bits("atom", 19, 19, atom)}, headerFields...)}
	ctrl = isa.Encoding{Name: "control header", Bits: 16, Fixed: []isa.Fixed{isa.Must(10, 15, 0x10)}, Fields: headerFields[:3]}

	sum      = isa.Encoding{Name: "sum", Bits: 8, Opcode: op4, Fields: []isa.Field{isa.Bits("neg0", 0, 0, negate), isa.Bits("neg1", 1, 1, negate)}}
	multiply = isa.Encoding{Name: "multiply-add", Bits: 16, Opcode: op4, Unclaimed: isa.Zero, Fields: []isa.Field{isa.Bits("neg0", 0, 0, negate),
		isa.Bits("neg1", 1, 1, negate), isa.Bits("neg2", 2, 2, negate), isa.Bits("sat", 8, 8, saturate)}}
	constant = isa.Encoding{Name: "constant", Bits: 24, Opcode: op4, Unclaimed: isa.Ignored, Fields: []isa.Field{isa.Bits("imm", 8, 23, immediate)}}
	combine  = isa.Encoding{Name: "combine", Bits: 8, Opcode: op4, Unclaimed: isa.Ignored,
		Fields: []isa.Field{isa.Bits("neg0", 0, 0, negate), isa.Bits("neg3", 1, 1, negate)}}
	shift   = isa.Encoding{Name: "shift", Bits: 16, Opcode: op4, Unclaimed: isa.Ignored, Fields: []isa.Field{isa.Bits("amount", 8, 12, amount)}}
	choose  = isa.Encoding{Name: "choose", Bits: 8, Opcode: op4, Unclaimed: isa.Ignored}
	test    = isa.Encoding{Name: "test", Bits: 16, Opcode: op4, Fields: []isa.Field{isa.Bits("ft", 0, 1, anyFt), isa.Bits("test", 8, 9, tests)}}
	private = isa.Encoding{Name: "text only", Bits: 16, Opcode: bits.Ranges{bits.Span(8, 15)}, Fields: []isa.Field{isa.Bits("ft", 0, 1, anyFt)}}

	op8    = bits.Ranges{bits.Span(0, 7)}
	plain  = isa.Encoding{Name: "control", Bits: 8, Opcode: op8}
	jump   = isa.Encoding{Name: "branch", Bits: 24, Opcode: op8, Fields: []isa.Field{isa.Bits("target", 8, 23, target)}}
	source = isa.Encoding{Name: "source", Bits: 8, Fixed: []isa.Fixed{isa.Must(7, 7, 0)}, Unclaimed: isa.Zero,
		Fields: []isa.Field{isa.Bits("number", 0, 3, register), isa.Bits("bank", 4, 4, bank)}}
	longSource = isa.Encoding{Name: "long source", Bits: 16, Fixed: []isa.Fixed{isa.Must(7, 7, 1)},
		Fields: []isa.Field{isa.Bits("number", 0, 3, register), isa.Bits("bank", 4, 6, bank), isa.Bits("offset", 8, 15, count)}}
	output = isa.Encoding{Name: "output", Bits: 8, Fixed: []isa.Fixed{isa.Must(6, 7, 0)},
		Fields: []isa.Field{isa.Bits("number", 0, 3, register), isa.Bits("ft", 4, 5, anyFt)}}
	longOutput = isa.Encoding{Name: "long output", Bits: 16, Fixed: []isa.Fixed{isa.Must(7, 7, 1)}, Unclaimed: isa.Ignored,
		Fields: []isa.Field{isa.Bits("number", 0, 3, register), isa.Bits("ft", 4, 5, anyFt), isa.Bits("bank", 8, 9, outputBank)}}
)

// A row is a line of the table.
type row struct {
	class uint8
	enc   *isa.Encoding
	op    uint64
	name  string
	args  []isa.Arg
	mean  isa.Meaning
	doc   string

	reads []int // read by the semantics: s0-s3 or, from ft on, ft0 ...
	uses  uint8 // bit n: sn
}

// ft is added to the number of an ft in row.reads.
const ft = 4

var (
	header  = []isa.Arg{{Name: "cond", Place: isa.Suffix, Role: isa.Use, Width: 1}, {Name: "len", Place: isa.Hidden}, {Name: "split", Place: isa.Hidden}}
	mains   = append(header[:3:3], isa.Arg{Name: "outputs", Place: isa.Hidden}, isa.Arg{Name: "phases", Place: isa.Hidden})
	longs   = append([]isa.Arg{{Name: "repeat", Place: isa.Suffix}, {Name: "end", Place: isa.Suffix}, {Name: "atom", Place: isa.Suffix}}, mains...)
	select1 = isa.Arg{Name: "ft"}
	none    = bits.Ranges{}
)

// wordArg returns an operand without bits.
func wordArg(text string) isa.Arg { return isa.Arg{Name: text, Kind: word(text), At: none} }

var ft0, ft1, ft2 = wordArg("ft0"), wordArg("ft1"), wordArg("ft2")

// s returns source number n with its sign.
func s(n int) isa.Arg {
	text := "s" + string(byte('0'+n))
	return isa.Arg{Name: text, Kind: sources[n], At: none, Parts: []isa.Part{{Name: "neg" + text[1:], Side: isa.After}}}
}

var flag = isa.Arg{Name: "p0", Kind: predicate, At: none, Role: isa.Define, Width: 1}

var rows = []row{
	{classHeader, &short, 0, "main", mains, isa.Effect(guard), "a group of phases", nil, 0},
	{classHeader, &long, 0, "main", longs, isa.Effect(guard), "a group of phases that repeats or ends the wave", nil, 0},
	{classHeader, &ctrl, 0, "ctrl", header, isa.Effect(guard), "a group of one control instruction", nil, 0},

	{classPhase0, &sum, 0, "mov", []isa.Arg{ft0, s(0)}, isa.Unary(same), "s0", []int{0}, 1},
	{classPhase0, &sum, 1, "add", []isa.Arg{ft0, s(0), s(1)}, isa.Binary(ir.V.Add), "s0 + s1", []int{0, 1}, 3},
	{classPhase0, &sum, 2, "lane", []isa.Arg{ft0}, isa.Effect(lane), "the number of the lane", nil, 0},
	{classPhase0, &multiply, 3, "mad", []isa.Arg{{Name: "sat", Place: isa.Suffix}, ft0, s(0), s(1), s(2)}, isa.Effect(mad), "s0 * s1 + s2; with .sat the sum is at most 2^32-1",
		[]int{0, 1, 2}, 7},
	{classPhase0, &constant, 4, "ldi", []isa.Arg{ft0, {Name: "imm"}}, isa.Effect(ldi), "a constant", nil, 0},

	{classPhase1, &combine, 0, "mul", []isa.Arg{ft1, ft0, s(3)}, isa.Binary(ir.V.Mul), "ft0 * s3", []int{ft, 3}, 8},
	{classPhase1, &combine, 1, "xor", []isa.Arg{ft1, ft0, s(0)}, isa.Binary(ir.V.Xor), "ft0 ^ s0", []int{ft, 0}, 1},
	{classPhase1, &shift, 2, "shl", []isa.Arg{ft1, ft0, {Name: "amount"}}, isa.Effect(shl), "ft0 << amount", []int{ft}, 0},
	{classPhase1, &combine, 3, "exp", []isa.Arg{ft1, ft0}, nil, "not described", nil, 0},
	{classPhase1, &combine, 4, "mov", []isa.Arg{ft1, s(3)}, isa.Unary(same), "s3", []int{3}, 8},

	{classPhase2, &choose, 0, "min", []isa.Arg{ft2, ft0, ft1}, isa.Binary(ir.V.UMin), "the lesser of ft0 and ft1", []int{ft, ft + 1}, 0},
	{classPhase2, &test, 1, "tst", []isa.Arg{{Name: "test", Place: isa.Suffix}, flag, select1}, isa.Effect(tst), "p0 = a test of an ft", nil, 0},
	{classPhase2, &private, 0xee, "rev", []isa.Arg{ft2, select1}, isa.Effect(rev), "the bits of an ft in reverse order; its encoding is not public", nil, 0},

	{classControl, &plain, 0, "nop", nil, isa.Effect(func(*isa.Lift) {}), "nothing", nil, 0},
	{classControl, &jump, 1, "br", []isa.Arg{{Name: "target"}}, isa.Effect(br), "the wave jumps if the condition holds in a lane", nil, 0},
	{classControl, &plain, 2, "stop", nil, isa.Effect(func(l *isa.Lift) { l.End() }), "the wave ends", nil, 0},
	{classControl, &plain, 3, "only", nil, isa.Effect(only), "lanes without the condition stop running", nil, 0},
	{classControl, &plain, 4, "whole", nil, isa.Effect(whole), "all lanes run", nil, 0},

	{classSource, &source, 0, "src", []isa.Arg{{Name: "number", Kind: place, Role: isa.Use, Width: 32, Parts: []isa.Part{partBank: {Name: "bank"}}}}, isa.Effect(read), "a register", nil, 0},
	{classSource, &longSource, 0, "src", []isa.Arg{{Name: "number", Kind: place, Role: isa.Use, Width: 32,
		Parts: []isa.Part{partBank: {Name: "bank"}, partOffset: {Name: "offset"}}}}, isa.Effect(read), "a register, sh[i0+n], or a constant", nil, 0},
	{classOutput, &output, 0, "out", []isa.Arg{{Name: "number", Kind: register, Role: isa.Define, Width: 32}, select1}, isa.Effect(write), "an ft to r", nil, 0},
	{classOutput, &longOutput, 0, "out", []isa.Arg{{Name: "number", Kind: destination, Role: isa.Define, Width: 32, Parts: []isa.Part{partBank: {Name: "bank"}}}, select1},
		isa.Effect(write), "an ft to a register; of lanes that write one sh the highest wins", nil, 0},
}

// spelled are the mnemonics that differ in the dialect lines.
var spelled = map[string]string{"main": "group", "ctrl": "control", "out": "mov"}

func defs() (ds []isa.Def) {
	for i := range rows {
		r := &rows[i]
		d := isa.Def{Name: r.name, Variants: 1, Class: r.class, Enc: r.enc, Op: r.op, Doc: r.doc, Meaning: r.mean, Form: form, Fidelity: ir.Exact,
			Rank: i, Private: r.enc == &private, Data: r}
		d.Args = append(d.Args, r.args...)
		if s := spelled[r.name]; s != "" {
			d.Spell = []string{Lines: s}
		}
		if r.mean == nil {
			d.Fidelity, d.Lack = ir.NotRunnable, isa.LackUndefined
		}
		switch r.enc {
		case &long:
			d.Check = oneByOne
		case &jump:
			d.Check = even
		case &longSource, &longOutput:
			d.Check = numbered
		}
		if r.enc == &longSource {
			d.Canon = canonSource
		}
		ds = append(ds, d)
	}
	return ds
}

// even: groups start at multiples of two bytes.
func even(in *isa.Inst) string {
	if in.Get(nameTarget)&1 != 0 {
		return "a branch to an odd address"
	}
	return ""
}

// oneByOne: an atomic group runs once for each active lane.
func oneByOne(in *isa.Inst) string {
	if in.Get(nameAtom) != 0 && (in.Get(nameRepeat) != 0 || in.Get(nameCond) == everyone) {
		return "an atomic group that repeats, or is about lanes that do not run"
	}
	return ""
}

// numbered: only i0 and i1 exist.
func numbered(in *isa.Inst) string {
	if in.Get(nameBank) == bankI && in.Get(nameNumber) > 1 {
		return "there are i0 and i1 only"
	}
	return ""
}

// canonSource clears the number or the offset if the text has only one of them.
func canonSource(in *isa.Inst) {
	if in.Get(nameBank) < bankX0 {
		in.Put(nameOffset, 0)
	} else {
		in.Put(nameNumber, 0)
	}
}
