package gcn

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// Codes of the 9-bit source operand space that all generations share; the low 7 bits are also scalar destinations.
// docs/reference/gcn.md 2.
const (
	codeVCC       = 106
	codeTBA       = 108
	codeTMA       = 110
	codeTTMP      = 112
	codeM0        = 124
	codeNull      = 125 // reserved
	codeExec      = 126
	codeInt0      = 128 // 128 is 0, 129-192 are 1 to 64
	codeNeg1      = 193 // 193-208 are -1 to -16
	codeNeg16     = 208
	codeFloat     = 240 // 240-247, see floatCodes
	codeVCCZ      = 251
	codeEXECZ     = 252
	codeSCC       = 253
	codeLDSDirect = 254
	codeLiteral   = 255
	codeVGPR      = 256

	numTTMP = 12
)

// codes are those in which generations differ; -1 if there is none.
type codes struct {
	sgprs       int // number of numbered scalar registers, from code 0 on
	flatScratch int // a pair
	xnackMask   int // a pair
	inv2Pi      int // the constant 1/(2 pi)
}

// isConst reports whether a source code is a constant.
func (c *codes) isConst(code int) bool {
	return code >= codeInt0 && code <= codeNeg16 || code >= codeFloat && code < codeFloat+len(floatCodes) || code == c.inv2Pi
}

// reservedNames are the source codes that these generations reserve and for which LLVM prints their meaning on later
// ones. They decode and assemble; lint reports them and executing one is a fault.
var reservedNames = [codeVGPR + 256]string{codeNull: "null", 235: "src_shared_base", 236: "src_shared_limit",
	237: "src_private_base", 238: "src_private_limit", 239: "src_pops_exiting_wave_id"}

// A typ is the type of an operand's bits: it determines the number of registers and the bit pattern of constants.
type typ uint8

const (
	none typ = iota
	b16
	f16
	b32 // any 32-bit integer or bits
	f32
	b64
	f64
	b96
	b128
	b256
	b512
	mask // 64 bits of a lane mask in scalar registers
	numTyps
)

var typWords = [numTyps]int{b16: 1, f16: 1, b32: 1, f32: 1, b64: 2, f64: 2, b96: 3, b128: 4, b256: 8, b512: 16, mask: 2}

// words returns the number of 32-bit registers.
func (t typ) words() int { return typWords[t] }

func (t typ) float() bool { return t == f16 || t == f32 || t == f64 }

// bits returns the width of a constant of the type.
func (t typ) bits() int {
	switch {
	case t == b16 || t == f16:
		return 16
	case t.words() == 2:
		return 64
	}
	return 32
}

// irType returns the IR type of a value of the operand type.
func (t typ) irType() ir.Type {
	switch t {
	case b16:
		return ir.I16
	case f16:
		return ir.F16
	case f32:
		return ir.F32
	case b64, mask:
		return ir.I64
	case f64:
		return ir.F64
	}
	return ir.I32
}

// floatCodes are the constants of the codes from codeFloat on.
var floatCodes = [...]float64{0.5, -0.5, 1, -1, 2, -2, 4, -4}

// inv2Pi returns the pattern of 1/(2 pi) in n bits. docs/reference/gcn.md 2.
func inv2Pi(n int) uint64 {
	switch n {
	case 16:
		return 0x3118
	case 64:
		return 0x3fc45f306dc9c882
	}
	return 0x3e22f983
}

// pattern returns the float x, which is exact in all three formats, as n bits.
func pattern(n int, x float64) uint64 {
	return num.FCvt(64, n, num.RNE|num.ModeSet, math.Float64bits(x))
}

// constant returns the value of a constant code for an operand type. docs/reference/gcn.md 2.
func (c *codes) constant(code int, t typ) uint64 {
	n := t.bits()
	switch {
	case code >= codeInt0 && code < codeNeg1:
		return uint64(code - codeInt0)
	case code >= codeNeg1 && code <= codeNeg16:
		return num.Neg(n, uint64(code-codeNeg1+1))
	case code == c.inv2Pi:
		return inv2Pi(n)
	}
	return pattern(n, floatCodes[code-codeFloat])
}

// inline finds the constant code whose value for the type is the bit pattern, 0 if there is none.
func (c *codes) inline(t typ, bits uint64) int {
	n := t.bits()
	switch s := int64(num.SExt(n, 64, bits)); {
	case s >= 0 && s <= 64:
		return codeInt0 + int(s)
	case s >= -16 && s < 0:
		return codeNeg1 - 1 - int(s)
	}
	for code := codeFloat; code < codeFloat+len(floatCodes); code++ {
		if c.constant(code, t) == bits {
			return code
		}
	}
	if c.inv2Pi >= 0 && inv2Pi(n) == bits {
		return c.inv2Pi
	}
	return 0
}

// literalCode returns the constant code that an assembler would choose for the integer text of a literal, or 0. For
// 16-bit operands, floats accept bits, so that a negative number and its low half are equal, and integers accept
// numbers.
func (c *codes) literalCode(t typ, x int64) int {
	switch {
	case t.bits() == 64:
		return c.inline(t, uint64(x))
	case t.bits() == 16 && x != int64(int16(x)) && x>>16 != 0:
		return 0
	case t == f16:
		return c.inline(t, uint64(x)&0xffff)
	case t == b16:
		if x < -16 || x > 64 {
			return 0
		}
		return c.inline(b32, uint64(x)&0xffffffff)
	case x>>32 != 0 && x>>31 != -1:
		return 0
	}
	return c.inline(t, uint64(x)&0xffffffff)
}
