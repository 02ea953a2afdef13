package gcn

import "github.com/heddle-gpu/heddle/isa"

// The form of DS: local data share, lane permutations, global data share and global wave sync. docs/reference/gcn.md 1
// and 8.3.

var dsWords = lexicon{
	opnds: []opnd{oB32, oB64, oB96, oB128, oAddr},
	flags: fNone | fOffset | fOffset2 | fGDS | fSwizzle | fNoExec | fNoM0 | fUndefined,
}

var dsForms = []form{{layout: layDS, operands: dsOperands}}

func dsOperands(b *builder) {
	s := &b.sig
	for i := range s.dst {
		b.vgprs("vdst", s.dstType(i).words(), isa.Define)
	}
	data := []string{"data0", "data1"}
	for i, o := range s.src {
		if o == oAddr {
			b.vgprs("addr", 1, isa.Use)
			continue
		}
		b.vgprs(data[0], s.srcType(i).words(), isa.Use)
		data = data[1:]
	}
	offset := func(names ...string) {
		for _, n := range names {
			b.choice(n, b.k.number10(n), 0)
		}
	}
	switch {
	case s.has(fNone):
	case s.has(fOffset):
		offset("offset")
		b.fix("gds", 0)
	case s.has(fGDS):
		offset("offset")
		b.wanted("gds")
		b.args[len(b.args)-1].Place = isa.Modifier
		b.fix("gds", 1)
	case s.has(fOffset2):
		offset("offset0", "offset1")
		b.flags("gds")
	case s.has(fSwizzle):
		b.choice("offset", swizzle, 0)
		b.flags("gds")
	default:
		offset("offset")
		b.flags("gds")
	}
}
