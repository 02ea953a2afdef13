package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// The form of MIMG: images and samplers. docs/reference/gcn.md 1 and 8.4.

var mimgWords = lexicon{
	opnds: []opnd{oTexel, oGather, oCoord1, oCoord2, oCoord3, oCoord4, oSampler},
	flags: fD16 | fComparand,
}

var mimgForms = []form{{layout: layMIMG, operands: mimgOperands}}

func mimgOperands(b *builder) {
	s := &b.sig
	switch {
	case s.writes(oGather):
		b.add(isa.Arg{Name: "vdata", Kind: b.k.imageData(4), Role: isa.Define, Width: 32})
	case s.reads(oTexel):
		b.add(isa.Arg{Name: "vdata", Kind: b.k.imageSource(), Role: isa.Use, Width: 32})
	default:
		b.add(isa.Arg{Name: "vdata", Kind: b.k.imageData(0), Role: isa.Define, Width: 32})
	}
	for _, o := range s.src {
		if o >= oCoord1 && o <= oCoord4 {
			least := int(o-oCoord1) + 1
			b.add(isa.Arg{Name: "vaddr", Kind: b.k.imageAddr(least), Role: isa.Use, Width: 32 * least})
			b.e.images.address = least
		}
	}
	b.add(isa.Arg{Name: "srsrc", Kind: b.k.imageResource(), Role: isa.Use, Width: 256})
	if s.reads(oSampler) {
		b.e.images.sampler = true
		b.add(isa.Arg{Name: "ssamp", Kind: b.k.alignedSGPRs(4, 2), Role: isa.Use, Width: 128})
	}
	b.choice("dmask", b.k.dmask(), 0)
	b.flags("unorm", "glc", "slc", "r128", "tfe", "lwe", "da")
	if s.has(fD16) {
		b.flags("d16") // of gfx8.1
	}
	if s.writes(oTexel) && s.reads(oTexel) {
		b.add(isa.Arg{Name: "result", Kind: b.k.imageResult(s.has(fComparand)), At: bits.Ranges{}, Role: isa.Define, Width: 32, Place: isa.Hidden})
	}
}
