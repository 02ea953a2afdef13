package valhall

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// word is the layout of all instructions. Sources are a byte each, from bit 0 on; where modifiers stand depends on the
// instruction. docs/reference/valhall.md 1.
var word = &isa.Encoding{Name: "word", Bits: 64, Fixed: []isa.Fixed{isa.Must(63, 63, 0)}, Opcode: bits.Ranges{bits.Span(48, 56)}, Source: "docs/reference/valhall.md 1"}

// Fields that all instructions have in one place.
var (
	pageBits   = bits.Ranges{bits.Span(57, 58)}
	flowBits   = bits.Ranges{bits.Span(59, 62)}
	dstBits    = bits.Ranges{bits.Span(40, 45)}
	maskBits   = bits.Ranges{bits.Span(46, 47)} // halves of the result, or what is done with staging registers
	countBits  = bits.Ranges{bits.Span(33, 35)}
	writesBits = bits.Ranges{bits.Span(36, 38)} // one less than the registers that are written
	resultBits = bits.Ranges{bits.Span(16, 21)} // first of the registers that a message writes, of those that read others
)

// sourceBytes is where sources stand, a byte each.
var sourceBytes = bits.Span(0, 31)

func span(lo, hi int) bits.Ranges { return bits.Ranges{bits.Span(lo, hi)} }

// What the two upper bits of a source byte say.
const (
	isRegister = iota
	isLast     // a register that is read for the last time
	isUniform
	isOther // a constant of the table, or a special value
)

// firstSpecial is the first source byte of a special value; constants stand in front.
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
	flowWaits      = 7 // 1 to 7: a bit each for slots 0 to 2
	flowWait0126   = 8
	flowWait       = 9
	flowReconverge = 10
	flowResource   = 12 // waits for a resource: nothing to wait for here
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
	lodGradient   = 6 // a gradient descriptor says it
	lodBiasForced = 7
)

// Lane operations: laneXor is the last whose meaning a source says.
const (
	laneXor    = 1
	laneLow    = 5
	laneLowAlt = 6
	lanePrefix = 7
)
