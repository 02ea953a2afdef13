package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// The forms of SMEM and SMRD: with a constant offset, with one in a literal or in a register, or without operands.

var smemWords = lexicon{opnds: []opnd{oB32, oB64, oB128, oB256, oB512, oPair, oQuad, oImm7}}

var smemForms = []form{
	{layout: laySMEM, fits: func(s *sig) bool { return len(s.src) == 0 }, operands: smemData},
	{layout: laySMEM, fits: hasSource, operands: smemConstant},
	{layout: laySMEMLit, rank: 1, fits: hasSource, operands: smrdLiteralOffset},
	{layout: laySMEM, rank: 2, fits: hasSource, operands: smemRegister},
}

func hasSource(s *sig) bool { return len(s.src) > 0 }

func smemConstant(b *builder) {
	smemData(b)
	b.fix("imm", 1)
	b.add(isa.Arg{Name: "offset", Kind: smemOffset, Optional: !b.sig.reads(oImm7)})
	b.smemGLC()
}

// smrdLiteralOffset has the offset of SMRD in a literal.
func smrdLiteralOffset(b *builder) {
	smemData(b)
	b.add(isa.Arg{Name: "k", Kind: smrdLiteralKind, At: bits.Ranges{}, Width: 32})
}

func smemRegister(b *builder) {
	smemData(b)
	b.fix("imm", 0)
	k := b.k.alignedSGPRs(1, 0)
	if placeOf(b.enc, "soffset").Len() > 7 {
		k = b.k.wideScalars(1)
	}
	b.add(isa.Arg{Name: "soffset", Kind: k, Role: b.args[len(b.args)-1].Role, Width: 32})
	b.smemGLC()
}

func (b *builder) smemGLC() {
	if !b.sig.reads(oImm7) {
		b.flags("glc")
	}
}

// smemData adds the data and the address. The field of an address holds the number of the register divided by two.
func smemData(b *builder) {
	s := &b.sig
	data := func(t typ, role isa.Role) {
		b.add(isa.Arg{Name: "sdata", Kind: b.k.alignedSGPRs(t.words(), 0), Role: role, Width: 32 * t.words()})
	}
	for i := range s.dst {
		data(s.dstType(i), isa.Define)
	}
	for i, o := range s.src {
		switch o {
		case oPair, oQuad:
			a := isa.Arg{Name: "sbase", Kind: b.k.alignedSGPRs(s.srcType(i).words(), 1), Role: isa.Use, Width: 32 * s.srcType(i).words()}
			if s.reads(oImm7) {
				a.Role = isa.NoRole // it has no consequence
			}
			b.add(a)
		case oImm7:
			b.add(isa.Arg{Name: "sdata", Kind: b.k.probeImm()})
		default:
			data(s.srcType(i), isa.Use)
		}
	}
}
