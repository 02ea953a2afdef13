package toy

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// The layouts. If unclaimed bits are set, lint reports it for calculations, control ignores them, and wide rejects
// them.
var (
	calc = isa.Encoding{Name: "calc", Bits: 32, Fixed: []isa.Fixed{isa.Must(28, 31, 0)}, Opcode: bits.Ranges{bits.Span(16, 23)},
		Fields: calcFields, Source: "toy, package comment"}
	calcLit = isa.Encoding{Name: "calc with literal", Bits: 32, Fixed: []isa.Fixed{isa.Must(28, 31, 1)}, Opcode: bits.Ranges{bits.Span(16, 23)},
		Fields:  append([]isa.Field{isa.Bits("lit", 8, 11, regLit)}, calcFields...),
		Literal: &isa.Literal{Fields: []string{"lit"}, Code: litCode, At: bits.Span(32, 63)}}
	wide = isa.Encoding{Name: "wide", Bits: 128, Fixed: []isa.Fixed{isa.Must(28, 31, 2)}, Unclaimed: isa.Zero,
		Fields: []isa.Field{isa.Bits("d", 0, 3, reg), isa.Bits("a", 4, 7, reg), isa.Bits("imm", 60, 123, imm64)}}
	ctl = isa.Encoding{Name: "control", Bits: 32, Fixed: []isa.Fixed{isa.Must(28, 31, 3)}, Opcode: bits.Ranges{bits.Span(24, 27)}, Unclaimed: isa.Ignored,
		Fields: []isa.Field{pieces("target", bits.Span(0, 11), bits.Span(16, 19), label), isa.Bits("guard", 12, 15, guard)}}
	move = isa.Encoding{Name: "move", Bits: 32, Fixed: []isa.Fixed{isa.Must(28, 31, 6)}, Opcode: bits.Ranges{bits.Span(24, 27)},
		Fields: []isa.Field{isa.Bits("d", 0, 3, reg), isa.Bits("a", 4, 7, reg), isa.Bits("u", 4, 5, uni), isa.Bits("imm", 4, 11, small)}}
	nop = isa.Encoding{Name: "nop", Bits: 32, First: true, Fixed: []isa.Fixed{isa.Must(0, 31, 0x60000000)}}
	mem = isa.Encoding{Name: "memory", Bits: 32, Fixed: []isa.Fixed{isa.Must(28, 31, 7)}, Opcode: bits.Ranges{bits.Span(24, 27)},
		Fields: []isa.Field{isa.Bits("d", 0, 3, reg), isa.Bits("place", 4, 15, place)}}
	private = isa.Encoding{Name: "text only", Bits: 32, Opcode: bits.Ranges{bits.Span(16, 31)},
		Fields: []isa.Field{isa.Bits("d", 0, 3, reg), isa.Bits("a", 4, 7, reg)}}
)

var calcFields = []isa.Field{
	isa.Bits("d", 0, 3, reg), pieces("dh", bits.Span(0, 3), bits.Span(24, 24), half), isa.Bits("p", 0, 1, flag),
	isa.Bits("a", 4, 7, reg), isa.Bits("b", 8, 11, reg), isa.Bits("guard", 12, 15, guard),
	isa.Bits("n", 26, 26, negate), isa.Bits("chain", 27, 27, chain),
}

// both and the others are the columns of variants and stages.
const (
	both   = 1<<V1 | 1<<V2
	only1  = 1 << V1
	only2  = 1 << V2
	vertex = 1 << stageV
	comp   = 1 << stageC
)

// row is a line of the table.
type row struct {
	enc      *isa.Encoding
	op       uint64
	name     string
	form     *form
	variants uint32
	mean     isa.Meaning
	doc      string
}

var rows = []row{
	// encoding op  mnemonic   form variants meaning  doc
	{&calc, 0x01, "add", dab, both, isa.Binary(ir.V.Add), "a + b"},
	{&calcLit, 0x01, "add", dal, both, isa.Binary(ir.V.Add), "a + b, b perhaps a constant"},
	{&calc, 0x02, "add.sat", dab, both, isa.Binary(ir.V.UAddSat), "a + b, at most 2^32-1"},
	{&calc, 0x03, "add.sat.x", dab, both, isa.Binary(ir.V.SAddSat), "a + b, clamped to the signed range"},
	{&calc, 0x04, "mul", ndab, both, isa.Binary(ir.V.Mul), "a * b; with .n its negative"},
	{&calc, 0x05, "fadd", dab, both, isa.Effect(fadd), "a + b as floats"},
	{&calc, 0x06, "swz", hab, both, isa.Binary(low16), "low half of a ^ b into half of d"},
	{&calc, 0x07, "slt", pab, both, isa.Binary(ir.V.SLt), "p = a < b, signed"},
	{&calc, 0x08, "lane", dOnly, both, isa.Effect(lane), "the number of the lane"},
	{&calc, 0x09, "old", dab, only1, nil, "not described; gone in t2"},
	{&calc, 0x0a, "new", dab, only2, isa.Binary(ir.V.Xor), "a ^ b"},
	{&wide, 0, "wide", wform, both, isa.Effect(liftWide), "a ^ both halves of the constant"},
	{&ctl, 1, "push", tform, both, isa.Effect(push), "record the reconvergence point of lanes"},
	{&ctl, 2, "bra", tgform, both, isa.Effect(diverge), "the lanes of the guard jump"},
	{&ctl, 3, "join", none, both, isa.Effect(join1), "wait for the other lanes"},
	{&ctl, 4, "end", none, both, isa.Effect(end), "the wave ends"},
	{&nop, 0, "nop", none, both, isa.Effect(func(*isa.Lift) {}), "nothing; the word of mov r0, r0"},
	{&move, 0, "mov", da, both, isa.Unary(same), "a"},
	{&move, 1, "mov", du, both, isa.Effect(movu), "a register of the wave"},
	{&move, 2, "mov", di, both, isa.Effect(movi), "a constant"},
	{&mem, 1, "ld", dm, both, isa.Effect(load), "a word of global memory"},
	{&mem, 2, "st", sm, both, isa.Effect(store), "a word to global memory"},
	{&mem, 3, "movx", dm, both, isa.Effect(movx), "the register with the number base + offset, modulo 16"},
	{&private, 0x8001, "magic", da, both, isa.Unary(ir.V.BitRev), "the bits of a in reverse order; its encoding is not public"},
}

// staged rows share an opcode: the stage selects one.
var staged = []row{
	{&calc, 0x0b, "vout", da, both, isa.Unary(same), "of a vertex program"},
	{&calc, 0x0b, "cout", da, both, isa.Unary(same), "of a compute program"},
}

func defs() (ds []isa.Def) {
	for i := range rows {
		ds = append(ds, rows[i].def(i))
	}
	for i, stage := range []uint32{vertex, comp} {
		d := staged[i].def(len(rows) + i)
		d.Stages = stage
		ds = append(ds, d)
	}
	alias := rows[0].def(len(ds))
	alias.Name, alias.Alias = "plus", true
	return append(ds, alias)
}

func (r *row) def(rank int) isa.Def {
	d := isa.Def{Name: r.name, Variants: r.variants, Enc: r.enc, Op: r.op, Doc: r.doc, Meaning: r.mean,
		Form: r.form.isa, Fidelity: ir.Exact, Rank: rank, Private: r.enc == &private}
	d.Args = append(d.Args, r.form.args...)
	if r.mean == nil {
		d.Fidelity, d.Lack = ir.NotRunnable, isa.LackUndefined
	}
	return d
}
