package gcn

import "github.com/heddle-gpu/heddle/isa"

// The form of MIMG: images and samplers. docs/reference/gcn.md 1 and 8.4.

var mimgWords = lexicon{
	opnds: []opnd{oTexel, oGather, oCoord1, oCoord2, oCoord3, oCoord4, oSampler},
	flags: fD16,
}

var mimgForms = []form{{layout: layMIMG, operands: mimgOperands}}

func mimgOperands(b *builder) {
	s := &b.sig
	role, fixed := isa.Use, 0
	switch {
	case s.writes(oGather):
		role, fixed = isa.Define, 4
	case s.writes(oTexel) && s.reads(oTexel):
		role = isa.UseDef
	case s.writes(oTexel):
		role = isa.Define
	}
	b.add(isa.Arg{Name: "vdata", Kind: b.k.imageData(fixed), Role: role, Width: 32})
	for _, o := range s.src {
		if o >= oCoord1 && o <= oCoord4 {
			least := int(o-oCoord1) + 1
			b.add(isa.Arg{Name: "vaddr", Kind: b.k.imageAddr(least), Role: isa.Use, Width: 32 * least})
		}
	}
	b.add(isa.Arg{Name: "srsrc", Kind: b.k.alignedSGPRs(8, 2), Role: isa.Use, Width: 256})
	if s.reads(oSampler) {
		b.add(isa.Arg{Name: "ssamp", Kind: b.k.alignedSGPRs(4, 2), Role: isa.Use, Width: 128})
	}
	b.choice("dmask", b.k.dmask(), 0)
	b.flags("unorm", "glc", "slc", "r128", "tfe", "lwe", "da")
	if s.has(fD16) {
		b.flags("d16") // of gfx8.1
	}
}
