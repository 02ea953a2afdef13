package gcn

import "github.com/heddle-gpu/heddle/isa"

// The forms of moves between lanes and scalar registers: fields of one register file hold registers of the other.

var laneWords = lexicon{opnds: []opnd{oB32, oSgpr, oVgpr, oLane, oSsrc}}

var (
	lane1Forms = []form{{layout: layVOP1, also: "_e32", operands: laneOperands}}
	lane2Forms = []form{{layout: layVOP2, also: "_e32", operands: laneOperands}}
	lane3Forms = []form{{layout: layVOP3, also: "_e64", operands: laneOperands}}
)

func laneOperands(b *builder) {
	if b.sig.writes(oSgpr) {
		b.add(isa.Arg{Name: "vdst", Kind: b.k.wideScalars(1), Role: isa.Define, Width: 32})
	} else {
		b.vgprs("vdst", 1, isa.Define)
	}
	for i, o := range b.sig.src {
		name, what := "a VGPR", takesVGPR|takesLDS
		switch o {
		case oLane:
			name, what = "a lane select", takesScalar|takesConst
		case oSsrc:
			name, what = "a scalar source", takesScalar|takesConst|takesSpecial
			if b.enc.Literal != nil {
				what |= takesLiteral | takesLDS
			}
		}
		k := b.k.source(name, placeOf(b.enc, srcFields[i]).Len(), b32, what)
		b.add(isa.Arg{Name: srcFields[i], Kind: k, Role: isa.Use, Width: 32})
	}
}
