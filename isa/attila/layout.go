package attila

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Banks of operands. docs/reference/attila.md 3.
const (
	bankIn     = 0
	bankOut    = 1
	bankParam  = 2
	bankTemp   = 3
	bankAddr   = 4
	bankParam2 = 5 // constants from 256 on
	bankImm    = 6 // of operand 2 only
	bankNone   = 7
)

// Names of the fields that meanings and texts read. Those of the sources follow each other by source.
const (
	nameSrc1 isa.Name = iota
	nameSrc2
	nameSrc3
	nameSwz1
	nameSwz2
	nameSwz3
	nameBank1
	nameBank2
	nameBank3
	nameNeg1
	nameNeg2
	nameNeg3
	nameAbs1
	nameAbs2
	nameAbs3
	nameDst
	nameRBank
	nameMask
	nameSat
	nameRel
	nameGuard
	nameEnd
	nameImm
	nameSample
)

var names = []string{nameSrc1: "src1", nameSrc2: "src2", nameSrc3: "src3", nameSwz1: "swz1", nameSwz2: "swz2", nameSwz3: "swz3",
	nameBank1: "bank1", nameBank2: "bank2", nameBank3: "bank3", nameNeg1: "neg1", nameNeg2: "neg2", nameNeg3: "neg3",
	nameAbs1: "abs1", nameAbs2: "abs2", nameAbs3: "abs3", nameDst: "dst", nameRBank: "rbank", nameMask: "mask", nameSat: "sat",
	nameRel: "rel", nameGuard: "guard", nameEnd: "end", nameImm: "imm", nameSample: "sample"}

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

// regFields and immFields are what the high word holds besides.
var (
	regFields = append([]isa.Field{isa.Bits("src2", 88, 95, source), isa.Bits("swz2", 96, 103, swizzle), isa.Bits("src3", 104, 111, source),
		isa.Bits("swz3", 112, 119, swizzle), isa.Bits("sample", 88, 95, sample)}, fields...)
	immFields = append([]isa.Field{isa.Bits("imm", 96, 127, floatImm)}, fields...)
)

const layoutSource = "docs/reference/attila.md 2"

// opcode is where the opcode stands in every layout.
var opcode = bits.Ranges{bits.Span(0, 7)}

// The layouts: three registers, or an immediate in the place of sources 2 and 3.
var (
	regForm = &isa.Encoding{Name: "register", Bits: 128, Opcode: opcode, Fields: regFields,
		Unclaimed: isa.Ignored, Source: layoutSource}
	immForm = &isa.Encoding{Name: "immediate", Bits: 128, Fixed: []isa.Fixed{isa.Must(22, 24, bankImm)}, Opcode: opcode,
		Fields: immFields, Unclaimed: isa.Ignored, First: true, Source: layoutSource}
	jumpForm = &isa.Encoding{Name: "jump", Bits: 128, Opcode: opcode, Fields: immFields,
		Unclaimed: isa.Ignored, Source: layoutSource}
)

// idle is what the reference's encoder puts into fields that an instruction does not use: bank 7, every component,
// no swizzle. docs/reference/attila.md 2.1. imm: the high word holds an immediate.
func idle(imm bool, more ...isa.Fixed) []isa.Fixed {
	fs := []isa.Fixed{isa.Must(17, 19, bankNone), isa.Must(22, 24, bankNone), isa.Must(27, 29, bankNone), isa.Must(32, 34, bankNone),
		isa.Must(36, 39, 15), isa.Must(72, 79, identity)}
	if !imm {
		fs = append(fs, isa.Must(96, 103, identity), isa.Must(112, 119, identity))
	}
	return append(fs, more...)
}

func isParam(bank uint64) bool { return bank == bankParam || bank == bankParam2 }

// pick is component i of a swizzle: bits 7-6 are that of x.
func pick(swz uint64, i int) int { return int(swz >> (6 - 2*i) & 3) }

// masks reports whether a write mask names component c.
func masks(mask uint64, c int) bool { return mask>>(3-c)&1 != 0 }

// A relField is the field of relative addressing taken apart.
type relField struct {
	on        bool
	reg, comp int
	offset    int64
}

func splitRel(f uint64) relField {
	return relField{f&1 != 0, int(f >> 1 & 3), int(f >> 3 & 3), int64(f>>5&0x1ff) << 55 >> 55}
}

func (r relField) field() uint64 {
	return 1 | uint64(r.reg)<<1 | uint64(r.comp)<<3 | uint64(r.offset)&0x1ff<<5
}

// A guardField is the field of the guard taken apart.
type guardField struct {
	on, not bool
	pred    uint64
}

func splitGuard(f uint64) guardField { return guardField{f&1 != 0, f&2 != 0, f >> 2} }

// What the fields of source i hold.

func srcReg(in *isa.Inst, i int) uint64    { return in.Get(nameSrc1 + isa.Name(i)) }
func srcSwz(in *isa.Inst, i int) uint64    { return in.Get(nameSwz1 + isa.Name(i)) }
func srcBankOf(in *isa.Inst, i int) uint64 { return in.Get(nameBank1 + isa.Name(i)) }
func negated(in *isa.Inst, i int) bool     { return in.Get(nameNeg1+isa.Name(i)) != 0 }
func absolutes(in *isa.Inst, i int) bool   { return in.Get(nameAbs1+isa.Name(i)) != 0 }

// relOf is the relative addressing of the instruction's constants; off where the row has none.
func relOf(in *isa.Inst) relField { return splitRel(in.Opt(nameRel)) }
