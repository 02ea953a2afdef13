package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// The forms of scalar instructions.

var scalarWords = lexicon{
	opnds: []opnd{oB32, oB64, oSCC, oAcc, oD32, oD64, oSimm, oUimm, oK, oHex, oBranch, oHWReg, oWaitcnt, oMsg, oGPRIdx, oGPRIdx16, oEndCode},
	flags: fIndexSrc | fIndexDst | fUndefined | fJumps,
}

var (
	sop2Forms = []form{{layout: laySOP2, operands: scalarOperands, lift: scalarLift}}
	sop1Forms = []form{{layout: laySOP1, operands: scalarOperands, lift: scalarLift}}
	sopcForms = []form{
		{layout: laySOPC, fits: func(s *sig) bool { return !s.reads(oGPRIdx) }, operands: scalarOperands, lift: scalarLift},
		{layout: laySOPCMode, fits: func(s *sig) bool { return s.reads(oGPRIdx) }, operands: scalarOperands, lift: scalarLift},
	}
	sopkForms = []form{
		{layout: laySOPK, fits: withoutK, operands: scalarOperands, lift: scalarLift},
		{layout: laySOPKLit, fits: withK, operands: scalarOperands, lift: scalarLift},
	}
	soppForms = []form{{layout: laySOPP, operands: scalarOperands, lift: scalarLift}}
)

// immKinds are the kinds of the 16-bit constant by word.
var immKinds = [numOpnds]*isa.Kind{oSimm: hexAlways, oUimm: unsignedHex, oHex: hex16, oBranch: branchTarget, oHWReg: hwreg,
	oWaitcnt: waitcnt, oMsg: message, oGPRIdx16: gprIdx, oEndCode: endCode}

// immReads are how meanings read it as a value; nil: they read its bits.
var immReads = [numOpnds]func(*isa.Lift, *source) V{oSimm: readSimm, oUimm: readUimm}

func scalarOperands(b *builder) {
	s := &b.sig
	for i, o := range s.dst {
		if o == oSCC {
			b.touch(touch{hiddenSCC, isa.Define})
			b.result(result{write: writeSCC}, nil)
			continue
		}
		t := s.dstType(i)
		b.result(result{t: t, write: writeSdst}, &isa.Arg{Name: "sdst", Kind: b.k.scalars(t.words(), 0), Width: t.bits()})
	}
	n := 0
	for i, o := range s.src {
		t := s.srcType(i)
		if k := immKinds[o]; k != nil {
			b.e.branches = b.e.branches || o == oBranch
			a := &isa.Arg{Name: "simm16", Kind: k}
			switch {
			case o == oHWReg && len(s.dst) > 0:
				a.Role = isa.Use
			case o == oHWReg:
				a.RoleIf = hwRegRole
			}
			b.constant(source{t: t, read: immReads[o]}, a)
			continue
		}
		switch o {
		case oSCC:
			b.touch(touch{hiddenSCC, isa.Use})
			b.source(source{read: readSCC}, nil)
		case oAcc:
			b.source(source{t: t, read: readSdst}, nil)
		case oD32, oD64:
			b.source(source{t: t, read: readSdst}, &isa.Arg{Name: "sdst", Kind: b.k.scalars(t.words(), 0), Width: t.bits()})
		case oK:
			b.source(source{t: b32, read: readLiteral}, &isa.Arg{Name: "k", Kind: b.k.literal(b32), At: bits.Ranges{}, Width: 32})
		case oGPRIdx:
			b.constant(source{}, &isa.Arg{Name: ssrcFields[n], Kind: gprIdx})
			n++
		default:
			k := b.k.source("a scalar source operand", 8, t, takesScalars)
			b.source(source{t: t, at: nameSsrc0 + isa.Name(n), read: readCode}, &isa.Arg{Name: ssrcFields[n], Kind: k, Width: t.bits()})
			n++
		}
	}
}

var ssrcFields = [...]string{"ssrc0", "ssrc1"}
