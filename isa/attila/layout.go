package attila

import (
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
	bankImm    = 6 // for operand 2 only
	bankNone   = 7
)

// Names of the fields that meanings and texts read. Those of the sources are consecutive by source.
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

func isParam(bank uint64) bool { return bank == bankParam || bank == bankParam2 }

// pick returns component i of a swizzle: bits 7-6 are that of x.
func pick(swz uint64, i int) int { return int(swz >> (6 - 2*i) & 3) }

// masks reports whether a write mask names component c.
func masks(mask uint64, c int) bool { return mask>>(3-c)&1 != 0 }

// A relField is the parts of the field of relative addressing.
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

// A guardField is the parts of the guard field.
type guardField struct {
	on, not bool
	pred    uint64
}

func splitGuard(f uint64) guardField { return guardField{f&1 != 0, f&2 != 0, f >> 2} }

// The fields of source i.

func srcReg(in *isa.Inst, i int) uint64    { return in.Get(nameSrc1 + isa.Name(i)) }
func srcSwz(in *isa.Inst, i int) uint64    { return in.Get(nameSwz1 + isa.Name(i)) }
func srcBankOf(in *isa.Inst, i int) uint64 { return in.Get(nameBank1 + isa.Name(i)) }
func negated(in *isa.Inst, i int) bool     { return in.Get(nameNeg1+isa.Name(i)) != 0 }
func absolutes(in *isa.Inst, i int) bool   { return in.Get(nameAbs1+isa.Name(i)) != 0 }

// relOf returns the relative addressing of the instruction's constants; off if the row has none.
func relOf(in *isa.Inst) relField { return splitRel(in.Opt(nameRel)) }
