package tesla

import (
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Conversions. docs/reference/tesla.md 7.7.

var (
	tU8  = cvtType{"u8", 8, false, false}
	tS8  = cvtType{"s8", 8, true, false}
	tU16 = cvtType{"u16", 16, false, false}
	tS16 = cvtType{"s16", 16, true, false}
	tU32 = cvtType{"u32", 32, false, false}
	tS32 = cvtType{"s32", 32, true, false}
	tU64 = cvtType{"u64", 64, false, false}
	tS64 = cvtType{"s64", 64, true, false}
	tF16 = cvtType{"f16", 16, true, true}
	tF32 = cvtType{"f32", 32, true, true}
	tF64 = cvtType{"f64", 64, true, true}
)

// A cvt is the two sides of a conversion, and which of its bits have a meaning.
type cvt struct {
	to    cvtType
	from  []cvtType // by the field that selects
	wide  bool      // the result has 32 bits though its type has 8
	round *isa.Kind
	sat   bool
}

// cvtSources returns the integer sources: their types by the field that selects among them, and the bits that select
// the operand.
func cvtSources() []cvtSource {
	return []cvtSource{
		{choice("an integer type", "u16", "u8", "s16", "s8"), 47, []int{46, 46, 0}, lsh, []cvtType{tU16, tU8, tS16, tS8}},
		{choice("an integer type", "u32", "s32"), 48, []int{46, 47, 1}, lsw, []cvtType{tU32, tS32}},
		{choice("an integer type", "u8", "s8"), 48, []int{46, 47, 3}, src1, []cvtType{tU8, tS8}},
	}
}

// A cvtSource is an integer source of conversions.
type cvtSource struct {
	types  *isa.Kind
	lo     int // of the field
	fix    []int
	from   operand
	narrow []cvtType
}

// cvtRows returns all conversions: bits 62 and 63 give their class.
func cvtRows() (rows []row) {
	rows = append(rows, floatToFloat()...)
	rows = append(rows, floatToInt()...)
	return append(rows, intRows()...)
}

// cvtRow returns one conversion. The words before the result's type are in the order of the text.
func cvtRow(c cvt, fix []isa.Fixed, dst, from operand) row {
	return cvtRowOf(c, fix, dst, text(c.from[0].name), from)
}

// cvtRowOf is cvtRow with the operand that names the source's type.
func cvtRowOf(c cvt, fix []isa.Fixed, dst, typ, from operand) row {
	mods := []isa.Part{bitPart("neg1", 61, negate), bitPart("abs1", 52, absolute)}
	if c.sat {
		mods = append(mods, sat(51))
	}
	ops := []operand{text(c.to.name)}
	if c.round != nil {
		ops = []operand{pick("round", 49, 50, c.round), text(c.to.name)}
	}
	ops[0] = ops[0].having(mods...)
	ops = append(ops, dst.having(mcdst), typ, from)
	var names []string
	for _, t := range c.from {
		names = append(names, t.name)
	}
	r := row{name: "cvt", op: 10, fix: fix, form: newForm(long, ops...), doc: strings.Join(names, ", ") + " to " + c.to.name, ref: "7.7"}
	if c.to.bits == 64 || c.from[0].bits == 64 {
		r.variants = onlyG200
	}
	r.mean = c.meaning()
	return r
}

func one(t cvtType) []cvtType { return []cvtType{t} }

func floatToFloat() []row {
	fix := func(b54, b46, b58 int, more ...int) []isa.Fixed {
		return fixed(append([]int{62, 63, 3, 54, 54, b54, 46, 46, b46, 58, 58, b58}, more...)...)
	}
	return []row{
		cvtRow(cvt{to: tF16, from: one(tF16), sat: true}, fix(0, 0, 0, 59, 59, 0), llDstH, lsh),
		cvtRow(cvt{to: tF16, from: one(tF16), sat: true, round: toWhole}, fix(0, 0, 0, 59, 59, 1), llDstH, lsh),
		cvtRow(cvt{to: tF16, from: one(tF32), sat: true, round: roundWord}, fix(0, 1, 0), llDstH, lsw),
		cvtRow(cvt{to: tF32, from: one(tF32), sat: true}, fix(0, 1, 1, 59, 59, 0), llDst, lsw),
		cvtRow(cvt{to: tF32, from: one(tF32), sat: true, round: toWhole}, fix(0, 1, 1, 59, 59, 1), llDst, lsw),
		cvtRow(cvt{to: tF32, from: one(tF16), sat: true}, fix(0, 0, 1), llDst, lsh),
		cvtRow(cvt{to: tF32, from: one(tF64), round: roundWord}, fix(1, 1, 0), llDst, src1D),
		cvtRow(cvt{to: tF64, from: one(tF64)}, fix(1, 1, 1, 59, 59, 0), lDstD, src1D),
		cvtRow(cvt{to: tF64, from: one(tF64), round: toWhole}, fix(1, 1, 1, 59, 59, 1), lDstD, src1D),
		cvtRow(cvt{to: tF64, from: one(tF32)}, fix(1, 0, 1), lDstD, lsw),
	}
}

func floatToInt() (rows []row) {
	for _, x := range [...]struct {
		b54, b58, b59, b46 int
		to, from           cvtType
		dst, src           operand
	}{
		{0, 0, 0, 0, tU16, tF16, llDstH, lsh}, {0, 0, 0, 1, tU16, tF32, llDstH, lsw}, {0, 0, 1, 0, tS16, tF16, llDstH, lsh}, {0, 0, 1, 1, tS16, tF32, llDstH, lsw},
		{0, 1, 0, 0, tU32, tF16, llDst, lsh}, {0, 1, 0, 1, tU32, tF32, llDst, lsw}, {0, 1, 1, 0, tS32, tF16, llDst, lsh}, {0, 1, 1, 1, tS32, tF32, llDst, lsw},
		{1, 0, 0, 1, tU32, tF64, llDst, src1D}, {1, 0, 1, 1, tS32, tF64, llDst, src1D}, {1, 1, 0, 0, tU64, tF32, lDstD, lsw}, {1, 1, 0, 1, tU64, tF64, lDstD, src1D},
		{1, 1, 1, 0, tS64, tF32, lDstD, lsw}, {1, 1, 1, 1, tS64, tF64, lDstD, src1D},
	} {
		rows = append(rows, cvtRow(cvt{to: x.to, from: one(x.from), round: toWhole}, fixed(62, 63, 2, 54, 54, x.b54, 58, 58, x.b58, 59, 59, x.b59, 46, 46, x.b46), x.dst, x.src))
	}
	return rows
}

func intRows() (rows []row) {
	from := cvtSources()
	for i := range from {
		s := &from[i]
		typ := pick("from", s.lo, 48, s.types)
		for b58, to := range [...]cvtType{tF16, tF32} {
			dst := [...]operand{llDstH, llDst}[b58]
			fix := fixed(append([]int{62, 63, 1, 54, 54, 0, 58, 58, b58}, s.fix...)...)
			rows = append(rows, cvtRowOf(cvt{to: to, from: s.narrow, round: roundWord, sat: true}, fix, dst, typ, s.from))
		}
	}
	for b48 := range 2 {
		from32, from64 := [...]cvtType{tU32, tS32}[b48], [...]cvtType{tU64, tS64}[b48]
		fix := func(b58, b46 int) []isa.Fixed {
			return fixed(62, 63, 1, 54, 54, 1, 58, 58, b58, 46, 46, b46, 48, 48, b48)
		}
		rows = append(rows,
			cvtRow(cvt{to: tF64, from: one(from32), round: roundWord, sat: true}, fix(1, 0), lDstD, lsw),
			cvtRow(cvt{to: tF32, from: one(from64), round: roundWord, sat: true}, fix(0, 1), llDst, src1D),
			cvtRow(cvt{to: tF64, from: one(from64), round: roundWord, sat: true}, fix(1, 1), lDstD, src1D))
	}
	for b59 := range 2 {
		for b58 := range 2 {
			for b51 := range 2 {
				dst := [...]operand{llDstH, llDst}[b58]
				to := [...][2][2]cvtType{{{tU16, tU32}, {tS16, tS32}}, {{tU8, tU8}, {tS8, tS8}}}[b51][b59][b58]
				for i := range from {
					s := &from[i]
					fix := fixed(append([]int{62, 63, 0, 58, 58, b58, 59, 59, b59, 51, 51, b51}, s.fix...)...)
					c := cvt{to: to, from: s.narrow, wide: b51 != 0 && b58 != 0}
					rows = append(rows, cvtRowOf(c, fix, dst, pick("from", s.lo, 48, s.types), s.from))
				}
			}
		}
	}
	return rows
}

// meaning returns that of the conversion, by the class of its types.
func (c *cvt) meaning() isa.Meaning {
	from, whole := c.from[0], c.round == toWhole
	reg := c.to.bits
	if c.wide {
		reg = 32
	} else if reg == 8 {
		reg = 16
	}
	double := c.to.bits == 64 || from.bits == 64
	ints := map[int]ir.Type{16: ir.I16, 32: ir.I32, 64: ir.I64}
	floats := map[int]ir.Type{16: ir.F16, 32: ir.F32, 64: ir.F64}
	switch {
	case c.to.float && from.float && double:
		return of1(cvtFloatWide(floats[reg], whole))
	case c.to.float && from.float:
		return of1(cvtFloat(floats[reg], whole))
	case from.float && double:
		return of1(cvtFloatIntWide(ints[reg], c.to.signed))
	case from.float:
		return of1(cvtFloatInt(ints[reg], c.to.signed))
	case c.to.float && double:
		return of1(cvtIntFloatWide(floats[reg], from.signed))
	case c.to.float:
		return of1(cvtIntFloat(floats[reg], c.from))
	}
	return of1(cvtInt(ints[reg], c.to.bits, c.to.signed, c.from))
}
