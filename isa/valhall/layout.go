package valhall

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// word is the layout of all instructions. Sources are one byte each, from bit 0 on; the positions of modifiers depend
// on the instruction. docs/reference/valhall.md 1.
var word = &isa.Encoding{Name: "word", Bits: 64, Fixed: []isa.Fixed{isa.Must(63, 63, 0)}, Opcode: bits.Ranges{bits.Span(48, 56)}, Source: "docs/reference/valhall.md 1"}

// Fields that have the same position in all instructions.
var (
	pageBits   = bits.Ranges{bits.Span(57, 58)}
	flowBits   = bits.Ranges{bits.Span(59, 62)}
	dstBits    = bits.Ranges{bits.Span(40, 45)}
	maskBits   = bits.Ranges{bits.Span(46, 47)} // halves of the result, or staging flags
	countBits  = bits.Ranges{bits.Span(33, 35)}
	writesBits = bits.Ranges{bits.Span(36, 38)} // number of registers that are written minus one
	resultBits = bits.Ranges{bits.Span(16, 21)} // first register that a message writes in addition to those that it reads
)

// sourceBytes are the source bytes.
var sourceBytes = bits.Span(0, 31)

func span(lo, hi int) bits.Ranges { return bits.Ranges{bits.Span(lo, hi)} }

// Values of the two high bits of a source byte.
const (
	isRegister = iota
	isLast     // the last read of a register
	isUniform
	isOther // a constant of the table, or a special value
)

// firstSpecial is the first source byte of a special value; constants are below.
const (
	firstConstant = 0xc0
	firstSpecial  = 0xe0
)

// Values of the staging flags.
const (
	stagingRead  = 1
	stagingWrite = 2
)

// Values of the flow. docs/reference/valhall.md 6.
const (
	flowWaits      = 7 // 1 to 7: one bit each for slots 0 to 2
	flowWait0126   = 8
	flowWait       = 9
	flowReconverge = 10
	flowResource   = 12 // waits for a resource: no effect here
	flowDiscard    = 13
	flowContinue   = 14
	flowEnd        = 15
)

// Modes of the level of detail.
const (
	lodZero       = 0
	lodComputed   = 1
	lodForced     = 3
	lodExplicit   = 4
	lodBias       = 5
	lodGradient   = 6 // from a gradient descriptor
	lodBiasForced = 7
)

// Lane operations: laneXor is the last with known semantics.
const (
	laneXor    = 1
	laneLow    = 5
	laneLowAlt = 6
	lanePrefix = 7
)
