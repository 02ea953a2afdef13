package gcn

import "github.com/heddle-gpu/heddle/isa"

// The forms of VINTRP, interpolation of vertex attributes, and of the related opcodes of VOP3. docs/reference/gcn.md
// 1 and 7.5.

var interpWords = lexicon{opnds: []opnd{oCoord, oParam, oAttr, oOld}, flags: fClamp | fOmod | fHigh | fE64}

var (
	vintrpForms  = []form{{layout: layVINTRP, suffix: "_e32", operands: vintrp}}
	interp3Forms = []form{
		{layout: layInterp3, suffix: "_e64", rank: 1, fits: func(s *sig) bool { return s.has(fE64) }, operands: interp3},
		{layout: layInterp3, also: "_e64", fits: func(s *sig) bool { return !s.has(fE64) }, operands: interp3},
	}
)

// interpResult adds the destination, which is also read if it holds the result of the previous step.
func (b *builder) interpResult() {
	role := isa.Define
	if b.sig.writes(oOld) {
		role = isa.UseDef
	}
	b.vgprs("vdst", 1, role)
}

func vintrp(b *builder) {
	b.interpResult()
	if b.sig.reads(oParam) {
		b.add(isa.Arg{Name: "vsrc", Kind: b.k.params(8)})
	} else {
		b.vgprs("vsrc", 1, isa.Use)
	}
	b.add(isa.Arg{Name: "attr", Kind: b.k.attribute()})
}

// interp3 accepts abs and neg on the coordinate.
func interp3(b *builder) {
	s := &b.sig
	b.interpResult()
	vgpr := func(field string) {
		b.add(isa.Arg{Name: field, Kind: b.k.source("a VGPR", 9, f32, takesVGPR), Role: isa.Use, Width: 32,
			Parts: b.parts(field, b.k.negSource(), true, false)})
	}
	for _, o := range s.src {
		switch o {
		case oCoord:
			vgpr("src1")
		case oOld:
			vgpr("src2")
		case oParam:
			b.add(isa.Arg{Name: "src1", Kind: b.k.params(9)})
		case oAttr:
			b.add(isa.Arg{Name: "attr", Kind: b.k.attribute()})
		}
	}
	if s.has(fHigh) {
		b.flags("high")
	}
	if s.has(fClamp) {
		b.flags("clamp")
	}
	if s.has(fOmod) {
		b.add(isa.Arg{Name: "omod", Kind: omods, Place: isa.Modifier})
	}
}
