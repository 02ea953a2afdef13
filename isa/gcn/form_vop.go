package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// The forms of vector instructions. VOP1, VOP2 and VOPC rows also exist in VOP3, SDWA and DPP, whose opcodes follow
// from theirs. docs/reference/gcn.md 1.

var vectorWords = lexicon{
	opnds: []opnd{oB16, oF16, oB32, oF32, oB64, oF64, oB128, oMask, oCout, oCin, oAcc, oK},
	flags: fNoSDWA | fNoDPP | fClamp | fOmod | fMods | fBare | fIndexSrc | fIndexDst | fNoExec | fApprox | fQuarter | fConvert | fFMA | fMul64 | fTrans64,
}

// The opcode offsets of VOP1 and VOP2 in VOP3.
var (
	vop1In3 = [numGens]int{gfx8: 0x140, gfx7: 0x180, gfx6: 0x180}
	vop2In3 = [numGens]int{gfx8: 0x100, gfx7: 0x100, gfx6: 0x100}
)

var (
	vop1Forms = []form{
		{layout: layVOP1, suffix: "_e32", operands: e32, lift: vectorLift},
		{layout: layVOP3, suffix: "_e64", rank: 1, add: vop1In3, fits: inVOP3, operands: e64, lift: vectorLift},
		{layout: layVOP1SDWA, suffix: "_sdwa", rank: 2, fits: inSDWA, operands: sdwa, lacks: ofIndexed, lift: vectorLift},
		{layout: layVOP1DPP, suffix: "_dpp", rank: 3, fits: inDPP, operands: dpp, lacks: ofIndexed, lift: dppLift},
	}
	vop2Forms = []form{
		{layout: layVOP2, suffix: "_e32", fits: withoutK, operands: e32, lift: vectorLift},
		{layout: layVOP2K, fits: withK, operands: e32, lift: vectorLift},
		{layout: layVOP3, suffix: "_e64", rank: 1, add: vop2In3, fits: inVOP3, operands: e64, lift: vectorLift},
		{layout: layVOP3B, suffix: "_e64", rank: 1, add: vop2In3, fits: inVOP3B, operands: e64, lift: vectorLift},
		{layout: layVOP2SDWA, suffix: "_sdwa", rank: 2, fits: inSDWA, operands: sdwa, lacks: ofIndexed, lift: vectorLift},
		{layout: layVOP2DPP, suffix: "_dpp", rank: 3, fits: inDPP, operands: dpp, lacks: ofIndexed, lift: dppLift},
	}
	vopcForms = []form{
		{layout: layVOPC, suffix: "_e32", operands: e32, lift: vectorLift},
		{layout: layVOP3, suffix: "_e64", rank: 1, fits: inVOP3, operands: e64, lift: vectorLift},
		{layout: layVOPCSDWA, also: "_sdwa", rank: 2, fits: inSDWA, operands: sdwa, lacks: ofIndexed, lift: vectorLift},
	}
	vop3Forms = []form{
		{layout: layVOP3, also: "_e64", rank: 1, fits: inVOP3, operands: e64, lift: vectorLift},
		{layout: layVOP3B, also: "_e64", rank: 1, fits: inVOP3B, operands: e64, lift: vectorLift},
	}
)

func withK(s *sig) bool    { return s.reads(oK) }
func withoutK(s *sig) bool { return !s.reads(oK) }
func inVOP3(s *sig) bool   { return !s.reads(oK) && !s.writes(oCout) }
func inVOP3B(s *sig) bool  { return !s.reads(oK) && s.writes(oCout) }
func inDPP(s *sig) bool    { return !s.has(fNoDPP) && !s.reads(oK) } // LLVM also decodes 64-bit operands

// inSDWA reports whether a row has an SDWA form: 64-bit operands have none.
func inSDWA(s *sig) bool {
	wide := func(t typ) bool { return t.words() > 1 && t != mask }
	for i := range s.src {
		if wide(s.srcType(i)) {
			return false
		}
	}
	return !s.has(fNoSDWA) && !s.reads(oK) && !wide(s.result())
}

// ofIndexed: no source says what selections apply to if M0 is added to the number of a register.
func ofIndexed(s *sig) isa.Lack {
	if s.indexed() {
		return isa.LackForm
	}
	return isa.LackNone
}

const sourceName = "a source operand"

var srcFields = [...]string{"src0", "src1", "src2"}

// src returns source n of the forms, with a type.
func src(n int, t typ, read func(*isa.Lift, *source) V) source {
	return source{t: t, at: nameSrc0 + isa.Name(n), n: isa.Name(n), read: read}
}

// shortResults adds the results of short forms: lane masks go to vcc.
func (b *builder) shortResults(write func(*isa.Lift, *result, V), roleIf func(*isa.Inst) isa.Role) {
	for i, o := range b.sig.dst {
		t := b.sig.dstType(i)
		if o == oCout || o == oMask {
			b.result(result{t: t, write: writeVCC}, &isa.Arg{Name: "vcc", Kind: b.k.keyword("vcc"), At: bits.Ranges{}})
			continue
		}
		b.result(result{t: t, write: write}, &isa.Arg{Name: "vdst", Kind: b.k.vgprs(t.words()), RoleIf: roleIf, Width: t.bits()})
	}
}

// shared adds source i if it is the same in short forms, SDWA and DPP.
func (b *builder) shared(i int) bool {
	t := b.sig.srcType(i)
	switch b.sig.src[i] {
	case oAcc:
		b.source(source{t: t, read: readAcc}, nil)
	case oCin:
		b.source(source{t: t, read: readVCC}, &isa.Arg{Name: "cin", Kind: b.k.keyword("vcc"), At: bits.Ranges{}})
	case oK:
		b.source(source{t: t, read: readLiteral}, &isa.Arg{Name: "k", Kind: b.k.literal(t), At: bits.Ranges{}, Width: t.bits()})
	default:
		return false
	}
	return true
}

// e32 is the short form of VOP1, VOP2 and VOPC: source 0 is any operand, source 1 a VGPR.
func e32(b *builder) {
	b.shortResults(writeVGPR, nil)
	n := 0
	for i := range b.sig.src {
		if b.shared(i) {
			continue
		}
		t, read := b.sig.srcType(i), readCode
		k := b.k.source(sourceName, 9, t, takesShort)
		switch {
		case n == 1:
			k, read = b.k.vgprs(t.words()), readVGPR
		case b.sig.reads(oK) && t.bits() == 16:
			k = b.k.source(sourceName, 9, t, takesLong)
		case b.sig.reads(oK): // a literal is K, too
		case t.bits() == 16:
			b.made.canon = b.k.codes.canonLiteral(t)
		}
		b.source(src(n, t, read), &isa.Arg{Name: srcFields[n], Kind: k, Width: t.bits()})
		n++
	}
}

// e64 is the VOP3 form: lane masks are SGPR pairs, sources accept modifiers.
func e64(b *builder) {
	s := &b.sig
	for i, o := range s.dst {
		t := s.dstType(i)
		switch o {
		case oCout:
			b.result(result{t: t, at: nameSdst, write: writeMask}, &isa.Arg{Name: "sdst", Kind: b.k.scalars(2, 0)})
		case oMask:
			b.result(result{t: t, at: nameVdst, write: writeMask}, &isa.Arg{Name: "vdst", Kind: b.k.wideScalars(2)})
		default:
			b.result(result{t: t, write: writeVGPR}, &isa.Arg{Name: "vdst", Kind: b.k.vgprs(t.words())})
		}
	}
	n := 0
	for i, o := range s.src {
		if o == oAcc {
			b.source(source{t: s.srcType(i), read: readAcc}, nil)
			continue
		}
		b.source64(i, n)
		n++
	}
	if s.float() || s.compares() && s.srcType(0).float() || s.has(fClamp) && (b.e.gen.intClamp || s.inType().float()) {
		b.flags("clamp")
	}
	if s.float() || s.has(fOmod) {
		b.add(isa.Arg{Name: "omod", Kind: omods, Place: isa.Modifier})
	}
}

// source64 is source i of a VOP3 form, in field n. VOP3B has no bits for abs.
func (b *builder) source64(i, n int) {
	s, t := &b.sig, b.sig.srcType(i)
	a := isa.Arg{Name: srcFields[n], Width: t.bits(), Kind: b.k.source(sourceName, 9, t, takesOther)}
	if s.src[i] == oCin { // VGPRs and constants decode there; only an SGPR pair runs
		b.source(src(n, t, readMask), &a)
		return
	}
	if n == 0 {
		a.Kind = b.k.source(sourceName, 9, t, takesLong)
	}
	if t.float() || s.has(fMods) {
		a.Parts = b.parts(srcFields[n], b.k.negSource(), true, false)
	}
	b.source(src(n, t, readVOP3), &a)
}

// parts returns the modifiers of a source: neg and abs of floats, sext of integers. The text of missing ones is
// known, and refused.
func (b *builder) parts(field string, neg *isa.Kind, float, sext bool) []isa.Part {
	at := func(part string, has bool) bits.Ranges {
		if !has {
			return nil
		}
		return placeOf(b.enc, field+"."+part)
	}
	return []isa.Part{
		{Name: "neg", At: at("neg", float), Kind: neg, Side: isa.Around}, {Name: "abs", At: at("abs", float), Kind: absKind, Side: isa.Around},
		{Name: "sext", At: at("sext", sext), Kind: sextKind, Side: isa.Around},
	}
}

// secondWord adds the sources of the SDWA and DPP forms, which are all VGPRs.
func (b *builder) secondWord(read0, read1 func(*isa.Lift, *source) V, sext bool) (n int) {
	for i := range b.sig.src {
		if b.shared(i) {
			continue
		}
		t := b.sig.srcType(i)
		float := t.float() || b.sig.has(fMods)
		a := isa.Arg{Name: srcFields[n], Kind: b.k.vgprs(t.words()), Width: t.bits()}
		if float || sext {
			a.Parts = b.parts(srcFields[n], negVGPR, float, !float)
		}
		read := read0
		if n > 0 {
			read = read1
		}
		b.source(src(n, t, read), &a)
		n++
	}
	return n
}

// sdwa is the form whose operands are parts of registers.
func sdwa(b *builder) {
	b.shortResults(writeSelected, keepsOld(b.sig.reads(oAcc)))
	n := b.secondWord(readSelected, readSelected, true)
	b.flags("clamp")
	if !b.sig.compares() {
		b.choice("dst_sel", b.k.selection("dst_sel"), 6)
		b.choice("dst_unused", b.k.unused(), 2)
	}
	b.choice("src0_sel", b.k.selection("src0_sel"), 6)
	if n == 2 {
		b.choice("src1_sel", b.k.selection("src1_sel"), 6)
	}
}

// choice adds a modifier with its default value.
func (b *builder) choice(name string, k *isa.Kind, def uint64) {
	b.add(isa.Arg{Name: name, Kind: k, Place: isa.Modifier, Default: def})
}

// keepsOld returns the role of an SDWA destination, which is also read if the unused bits are preserved.
func keepsOld(acc bool) func(in *isa.Inst) isa.Role {
	return func(in *isa.Inst) isa.Role {
		if acc || in.Get(nameDstUnused) == 2 && in.Get(nameDstSel) != 6 {
			return isa.UseDef
		}
		return isa.Define
	}
}

// dpp is the form whose source 0 comes from other lanes.
func dpp(b *builder) {
	b.shortResults(writeVGPR, nil)
	b.secondWord(readDPP, readPlain, false)
	b.choice("dpp_ctrl", b.k.dppCtrl(), 0)
	b.choice("row_mask", b.k.laneMask("row_mask"), 15)
	b.choice("bank_mask", b.k.laneMask("bank_mask"), 15)
	b.choice("bound_ctrl", boundCtrl, 0)
}
