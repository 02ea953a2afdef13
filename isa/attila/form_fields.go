package attila

import (
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// The low word: flags, banks and signs of the sources, the result, relative addressing. docs/reference/attila.md 2.
var fields = []isa.Field{
	isa.Bits("end", 8, 8, endFlag),
	isa.Bits("wait", 9, 9, waitFlag),
	isa.Bits("guard", 10, 16, guard), // predicated, inverted, predicate
	isa.Bits("bank1", 17, 19, srcBank),
	isa.Bits("neg1", 20, 20, negate),
	isa.Bits("abs1", 21, 21, absolute),
	isa.Bits("bank2", 22, 24, srcBank),
	isa.Bits("neg2", 25, 25, negate),
	isa.Bits("abs2", 26, 26, absolute),
	isa.Bits("bank3", 27, 29, srcBank),
	isa.Bits("neg3", 30, 30, negate),
	isa.Bits("abs3", 31, 31, absolute),
	isa.Bits("rbank", 32, 34, dstBank),
	isa.Bits("sat", 35, 35, saturate),
	isa.Bits("mask", 36, 39, writeMask),
	isa.Bits("rel", 40, 53, relative), // mode, address register, component, offset
	isa.Bits("src1", 64, 71, source),
	isa.Bits("swz1", 72, 79, swizzle),
	isa.Bits("dst", 80, 87, dest),
}

// regFields and immFields are the other fields of the high word.
var (
	regFields = []isa.Field{isa.Bits("src2", 88, 95, source), isa.Bits("swz2", 96, 103, swizzle), isa.Bits("src3", 104, 111, source),
		isa.Bits("swz3", 112, 119, swizzle), isa.Bits("sample", 88, 95, sample)}
	immFields = []isa.Field{isa.Bits("imm", 96, 127, floatImm)}
)

const layoutSource = "docs/reference/attila.md 2"

// opcode is the position of the opcode in every layout.
var opcode = bits.Ranges{bits.Span(0, 7)}

// The layouts: three registers, or an immediate in place of sources 2 and 3. Set fills in their fields.
var (
	regForm = &isa.Encoding{Name: "register", Bits: 128, Opcode: opcode, Unclaimed: isa.Ignored, Source: layoutSource}
	immForm = &isa.Encoding{Name: "immediate", Bits: 128, Fixed: []isa.Fixed{isa.Must(22, 24, bankImm)}, Opcode: opcode,
		Unclaimed: isa.Ignored, First: true, Source: layoutSource}
	jumpForm = &isa.Encoding{Name: "jump", Bits: 128, Opcode: opcode, Unclaimed: isa.Ignored, Source: layoutSource}
)

func fillFields() {
	regForm.Fields = slices.Concat(regFields, fields)
	immForm.Fields = slices.Concat(immFields, fields)
	jumpForm.Fields = immForm.Fields
}

// idle is the values that the reference's encoder puts into fields that an instruction does not use: bank 7, every
// component, no swizzle. docs/reference/attila.md 2.1. imm: the high word holds an immediate.
func idle(imm bool, more ...isa.Fixed) []isa.Fixed {
	fs := []isa.Fixed{isa.Must(17, 19, bankNone), isa.Must(22, 24, bankNone), isa.Must(27, 29, bankNone), isa.Must(32, 34, bankNone),
		isa.Must(36, 39, 15), isa.Must(72, 79, identity)}
	if !imm {
		fs = append(fs, isa.Must(96, 103, identity), isa.Must(112, 119, identity))
	}
	return append(fs, more...)
}
