package tesla

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

const layoutSource = "docs/reference/tesla.md 2"

// opcode is the position of the opcode in all layouts.
var opcode = bits.Ranges{bits.Span(28, 31)}

// Fields of more than one run of bits.
var (
	addrBits   = bits.Ranges{bits.Span(26, 27), bits.Span(34, 34)}
	immBits    = bits.Ranges{bits.Span(16, 21), bits.Span(34, 59)}
	targetBits = bits.Ranges{bits.Span(11, 26), bits.Span(46, 51)}
	dstBits    = bits.Ranges{bits.Span(2, 8), bits.Span(35, 35)} // bit 7 of the value: an output
	maskBits   = bits.Ranges{bits.Span(25, 26), bits.Span(46, 47)}
)

// The layouts. Bits 0 and 1 of both words identify them. docs/reference/tesla.md 2.1.
var (
	short        = &isa.Encoding{Name: "short", Bits: 32, Fixed: []isa.Fixed{isa.Must(0, 1, 0)}, Opcode: opcode, Source: layoutSource}
	shortControl = &isa.Encoding{Name: "short control", Bits: 32, Fixed: []isa.Fixed{isa.Must(0, 1, 2)}, Opcode: opcode, Source: layoutSource}
	long         = &isa.Encoding{Name: "long", Bits: 64, Fixed: []isa.Fixed{isa.Must(0, 1, 1)}, Opcode: opcode, Source: layoutSource}
	imm          = &isa.Encoding{Name: "immediate", Bits: 64, Fixed: []isa.Fixed{isa.Must(0, 1, 1), isa.Must(32, 33, 3)}, Opcode: opcode, First: true, Source: layoutSource}
	control      = &isa.Encoding{Name: "control", Bits: 64, Fixed: []isa.Fixed{isa.Must(0, 1, 3)}, Opcode: opcode, Source: layoutSource}
)
