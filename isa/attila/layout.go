package attila

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Banks of operands. isa/attila.md section 3.
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

// Bits of the low word. isa/attila.md section 2.
const (
	bitEnd   = 8
	bitWait  = 9
	bitBank1 = 17 // of operand i: bank from 17+5i on, then negate, then absolute
	bitStep  = 5
	bitRBank = 32
	bitSat   = 35
	bitMask  = 36
	bitRel   = 40 // mode, then register, component and offset
)

var fields = []isa.Field{
	isa.Bits("end", 8, 8, endFlag),
	isa.Bits("wait", 9, 9, waitFlag),
	isa.Bits("guard", 10, 16, guard), // predicated, inverted, predicate
	isa.Bits("bank1", 17, 19, srcBank),
	isa.Bits("bank2", 22, 24, srcBank),
	isa.Bits("bank3", 27, 29, srcBank),
	isa.Bits("rbank", 32, 34, dstBank),
	isa.Bits("sat", 35, 35, saturate),
	isa.Bits("mask", 36, 39, silent("a write mask", nil)),
	isa.Bits("rel", 40, 53, silent("relative addressing", nil)), // mode, address register, component, offset
	isa.Bits("src1", 64, 79, source),                            // register, swizzle
	isa.Bits("dst", 80, 87, dest),
}

// regFields and immFields are what the high word holds besides.
var (
	regFields = append([]isa.Field{isa.Bits("src2", 88, 103, source), isa.Bits("src3", 104, 119, source)}, fields...)
	immFields = append([]isa.Field{isa.Bits("imm", 96, 127, floatImm)}, fields...)
)

const layoutSource = "isa/attila.md 2"

// The layouts: three registers, or an immediate in the place of sources 2 and 3.
var (
	regForm = &isa.Encoding{Name: "register", Bits: 128, Opcode: bits.Ranges{bits.Span(0, 7)}, Fields: regFields,
		Unclaimed: isa.Ignored, Source: layoutSource}
	immForm = &isa.Encoding{Name: "immediate", Bits: 128, Fixed: []isa.Fixed{isa.Must(22, 24, bankImm)}, Opcode: bits.Ranges{bits.Span(0, 7)},
		Fields: immFields, Unclaimed: isa.Ignored, First: true, Source: layoutSource}
	jumpForm = &isa.Encoding{Name: "jump", Bits: 128, Opcode: bits.Ranges{bits.Span(0, 7)}, Fields: immFields,
		Unclaimed: isa.Ignored, Source: layoutSource}
)

// idle is what the reference's encoder puts into fields that an instruction does not use: bank 7, every component,
// no swizzle. isa/attila.md section 2.1. imm: the high word holds an immediate.
func idle(imm bool, more ...isa.Fixed) []isa.Fixed {
	fs := []isa.Fixed{isa.Must(17, 19, bankNone), isa.Must(22, 24, bankNone), isa.Must(27, 29, bankNone), isa.Must(32, 34, bankNone),
		isa.Must(36, 39, 15), isa.Must(72, 79, identity)}
	if !imm {
		fs = append(fs, isa.Must(96, 103, identity), isa.Must(112, 119, identity))
	}
	return append(fs, more...)
}

// Access to the fields of a word.

func bank(w bits.Word, i int) uint64     { return w.Lo >> (bitBank1 + bitStep*i) & 7 }
func negated(w bits.Word, i int) bool    { return w.Lo>>(bitBank1+3+bitStep*i)&1 != 0 }
func absolute(w bits.Word, i int) bool   { return w.Lo>>(bitBank1+4+bitStep*i)&1 != 0 }
func relative(w bits.Word) bool          { return w.Lo>>bitRel&1 != 0 }
func isParam(bank uint64) bool           { return bank == bankParam || bank == bankParam2 }
func putBank(w *bits.Word, i int, b int) { putLo(w, bitBank1+bitStep*i, 3, uint64(b)) }

// putLo writes n bits of the low word from bit at up.
func putLo(w *bits.Word, at, n int, v uint64) {
	m := bits.Ones(n) << at
	w.Lo = w.Lo&^m | v<<at&m
}

// relField is the field of relative addressing taken apart.
func relField(w bits.Word) (reg, comp int, off int64) {
	f := w.Lo >> bitRel
	return int(f >> 1 & 3), int(f >> 3 & 3), int64(f>>5&0x1ff) << 55 >> 55
}
