package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// The forms of FLAT: one 64-bit address for global memory, local memory and scratch; gfx7 and gfx8. An atomic writes
// its result only with glc. docs/reference/gcn.md 1 and 8.2.

var flatWords = lexicon{opnds: []opnd{oB32, oB64, oB96, oB128, oAddr}}

var flatForms = []form{
	{layout: layFLAT, fits: func(s *sig) bool { return !s.atomic() }, operands: func(b *builder) {
		flatOperands(b, len(b.sig.dst) > 0)
		b.flags("glc", "slc")
		b.add(noOffset)
	}},
	{layout: layFLAT, fits: (*sig).atomic, operands: func(b *builder) {
		flatOperands(b, false)
		b.fix("glc", 0)
		b.flags("slc")
		b.add(noOffset)
	}},
	{layout: layFLAT, rank: 1, fits: (*sig).atomic, operands: func(b *builder) {
		flatOperands(b, true)
		b.fix("glc", 1)
		b.wanted("glc")
		b.flags("slc")
		b.add(noOffset)
	}},
}

// noOffset is the offset of later generations: here it must be 0 and takes no bits.
var noOffset = isa.Arg{Name: "no offset", Kind: zeroOffset, At: bits.Ranges{}, Place: isa.Modifier}

// flatOperands adds the result, if the form has one, the address, and the data.
func flatOperands(b *builder, result bool) {
	if result {
		b.vgprs("vdst", b.sig.result().words(), isa.Define)
	}
	for i, o := range b.sig.src {
		if o == oAddr {
			b.vgprs("addr", 2, isa.Use)
		} else {
			b.vgprs("data", b.sig.srcType(i).words(), isa.Use)
		}
	}
}
