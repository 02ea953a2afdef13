package rogue

import (
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Tools whose names occur in otherTools.
const (
	inPCO   = "Mesa's PCO compiler"
	inOlder = "Mesa's compiler before PCO"
)

// otherTools are operations that other tools write without a group, or that compilers make a group of, and groups that
// do the same.
//
// Sources, of Mesa: names are those of src/imagination/pco/pco_ops.py, groups those of the group_map lines of
// src/imagination/pco/pco_map.py. The names before PCO are those of src/imagination/rogue/rogue_alu_instrs.def.
var otherTools = []isa.Lead{
	{By: inPCO, Words: "fadd", Texts: "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r0 }"},
	{By: inPCO, Words: "fmul", Texts: "{ s0 = r1, s1 = r2, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r0 }"},
	{By: inPCO, Words: "fmad", Texts: "{ s0 = r1, s1 = r2, s2 = r3, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r0 }"},
	{By: inPCO, Words: "frcp", Texts: "{ s0 = r1 p0: frcp w0, s0; w0 = r0 }"},
	{By: inPCO, Words: "frsq", Texts: "{ s0 = r1 p0: frsq w0, s0; w0 = r0 }"},
	{By: inPCO, Words: "flog", Texts: "{ s0 = r1 p0: flog w0, s0; w0 = r0 }"},
	{By: inPCO, Words: "fexp", Texts: "{ s0 = r1 p0: fexp w0, s0; w0 = r0 }"},
	{By: inPCO, Words: "fdsx", Texts: "{ s0 = r1, is4 = ft0 p0: fdsx ft0, s0; w0 = r0 }"},
	{By: inPCO, Words: "fdsxf", Texts: "{ s0 = r1, is4 = ft0 p0: fdsxf ft0, s0; w0 = r0 }"},
	{By: inPCO, Words: "fdsy", Texts: "{ s0 = r1, is4 = ft0 p0: fdsy ft0, s0; w0 = r0 }"},
	{By: inPCO, Words: "fdsyf", Texts: "{ s0 = r1, is4 = ft0 p0: fdsyf ft0, s0; w0 = r0 }"},
	{By: inPCO, Words: "flogcn", Texts: "{ s0 = r1 p0: flogcn w0, s0; w0 = r0 }"},
	{By: inPCO, Words: "mbyp, mov", Texts: "{ s0 = r1, is4 = ft0 p0: mbyp ft0, s0; w0 = r0 }"},
	{By: inPCO, Words: "mbyp2", Texts: "{ s0 = r1, s3 = r2, is4 = ft0, is5 = ft1 p0: mbyp ft0, s0; p1: mbyp ft1, s3; w0 = r0, w1 = r3 }"},
	{By: inPCO, Words: "fabs", Texts: "{ s0 = r1, is4 = ft0 p0: mbyp ft0, s0.abs; w0 = r0 }"},
	{By: inPCO, Words: "fneg", Texts: "{ s0 = r1, is4 = ft0 p0: mbyp ft0, s0.neg; w0 = r0 }"},
	{By: inOlder, Words: "fnabs", Texts: "{ s0 = r1, is4 = ft0 p0: mbyp ft0, s0.abs.neg; w0 = r0 }"},
	{By: inPCO, Words: "fflr", Texts: "{ s0 = r1, s1 = sc141, is4 = ft0 p0: fadd ft0, s0.flr, s1; w0 = r0 }"},
	{By: inPCO, Words: "fceil", Texts: "{ s0 = r1, s1 = sc64, s3 = r1, s4 = sc141, is0 = s0, is1 = fte, is2 = ft1, is4 = ft0 p0: fadd ft0, s0.flr, s1; p1: fadd ft1, s3.flr, s4; p2_tst: tst.f32.e.phase2end ftt, _, is1, is2; p2_mov: movc.phase2end w0, _, ftt, ft1, is4, _, _; w0 = r0 }"},
	{By: inPCO, Words: "fsign", Texts: "{ s0 = r1, s1 = sc142, s3 = sc64, is0 = s0, is1 = fte, is4 = ft1 p0: fmul.sat ft0, s0, s1; p1: mbyp ft1, s3.neg; p2_tst: tst.s32.gez.phase2end ftt, _, is1, _; p2_mov: movc.phase2end w0, _, ftt, ft0, is4, _, _; w0 = r0 }"},
	{By: inPCO, Words: "min", Texts: "{ s0 = r1, s3 = r2, is1 = ft0, is2 = ft1, is4 = ft1 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_tst: tst.f32.l.phase2end ftt, _, is1, is2; p2_mov: movc.phase2end w0, _, ftt, ft0, is4, _, _; w0 = r0 }"},
	{By: inPCO, Words: "max", Texts: "{ s0 = r1, s3 = r2, is1 = ft0, is2 = ft1, is4 = ft1 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_tst: tst.f32.g.phase2end ftt, _, is1, is2; p2_mov: movc.phase2end w0, _, ftt, ft0, is4, _, _; w0 = r0 }"},
	{By: inOlder, Words: "fmin", Texts: "{ s0 = r1, s3 = r2, is1 = ft0, is2 = ft1, is4 = ft1 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_tst: tst.f32.l.phase2end ftt, _, is1, is2; p2_mov: movc.phase2end w0, _, ftt, ft0, is4, _, _; w0 = r0 }"},
	{By: inOlder, Words: "fmax", Texts: "{ s0 = r1, s3 = r2, is1 = ft0, is2 = ft1, is4 = ft1 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_tst: tst.f32.g.phase2end ftt, _, is1, is2; p2_mov: movc.phase2end w0, _, ftt, ft0, is4, _, _; w0 = r0 }"},
	{By: inPCO, Words: "csel", Texts: "{ s0 = r2, s1 = r1, s3 = r3, is0 = s1, is1 = fte, is4 = ft1 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_tst: tst.f32.gz.phase2end ftt, _, is1, _; p2_mov: movc.phase2end w0, _, ftt, ft0, is4, _, _; w0 = r0 }"},
	{By: inPCO, Words: "bcsel", Texts: "{ s0 = r2, s1 = r1, s3 = r3, is0 = s1, is1 = fte, is4 = ft0 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_tst: tst.u32.z.phase2end ftt, _, is1, _; p2_mov: movc.phase2end w0, _, ftt, ft1, is4, _, _; w0 = r0 }"},
	{By: inOlder, Words: "cmov", Texts: "{ s0 = r2, s1 = r1, s3 = r3, is0 = s1, is1 = fte, is4 = ft0 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_tst: tst.u32.z.phase2end ftt, _, is1, _; p2_mov: movc.phase2end w0, _, ftt, ft1, is4, _, _; w0 = r0 }"},
	{By: inPCO, Words: "scmp", Texts: "{ s0 = r1, s1 = sc0, s3 = r2, is0 = s1, is1 = ft0, is2 = ft1, is4 = fte p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_pck: pck.one ft2, _; p2_tst: tst.f32.l ftt, _, is1, is2; p2_mov: movc w0, _, ftt, ft2, is4, _, _; w0 = r0 }"},
	{By: inPCO, Words: "bcmp", Texts: "{ s0 = r1, s1 = sc143, s3 = r2, is0 = s1, is1 = ft0, is2 = ft1, is4 = ft2 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_pck: pck.zero ft2, _; p2_tst: tst.f32.l ftt, _, is1, is2; p2_mov: movc w0, _, ftt, fte, is4, _, _; w0 = r0 }"},
	{By: inPCO, Words: "tst, tstz", Texts: "{ s0 = r1, is1 = ft0 p0: mbyp ft0, s0; p2_tst: tst.u32.z.phase2end ftt, p0, is1, _; }"},
	{By: inPCO, Words: "imadd32", Texts: "{ s0 = r1, s1 = r2, s2 = r3, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r0 }"},
	{By: inPCO, Words: "iadd32", Texts: "{ s0 = r1, s1 = sc1, s2 = r2, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r0 }"},
	{By: inPCO, Words: "imul32", Texts: "{ s0 = r1, s1 = r2, s2 = sc0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r0 }"},
	{By: inPCO, Words: "imadd64", Texts: "{ s0 = r1, s1 = r2, s2 = r3, s3 = r4, is0 = s3, is4 = ft0, is5 = fte p0: imadd64 ft0, fte, s0, s1, s2, is0, _; w0 = r5, w1 = r6 }"},
	{By: inPCO, Words: "add64_32", Texts: "{ s0 = r1, s1 = r2, s2 = r3, is4 = ft0, is5 = fte p0: add64_32 ft0, fte, s0, s1, s2, _; w0 = r4, w1 = r5 }"},
	{By: inPCO, Words: "pck", Texts: "{ s0 = r1, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.f16f16 ft2, is3; w0 = r0 }"},
	{By: inPCO, Words: "unpck", Texts: "{ s0 = r1, is4 = ft0 p0: unpck.u8888 ft0, s0.e0; w0 = r0 }"},
	{By: inPCO, Words: "rev", Texts: "{ s2 = r1 p0: rev ft2, s2; w1 = r0 }"},
	{By: inPCO, Words: "cbs", Texts: "{ s2 = r1 p0: cbs ft3, s2; w1 = r0 }"},
	{By: inPCO, Words: "ftb", Texts: "{ s2 = r1 p0: ftb ft3, s2; w1 = r0 }"},
	{By: inPCO, Words: "shuffle", Texts: "{ s1 = r2, s2 = r1 p0: shuffle ft2, s2, s1; w1 = r0 }"},
	{By: inPCO, Words: "movi32", Texts: "{ p0: bbyp0bm_imm32 ft0, ft1, s0, 0x3f800000; w0 = r0 }"},
	{By: inPCO, Words: "shift", Texts: "{ s1 = r1, s4 = r2 p0: bbyp0bm ft0, ft1, s0, s1; p2: shift.lsl ft5, ft4, s4, _; w0 = r0 }"},
	{By: inPCO, Words: "copysign", Texts: "{ s0 = sc31, s1 = sc0, s2 = r1, s3 = r2 p0: msk_bbyp0s1 ft0, ft1, ft2, s0, s1, s2; p1: logical.or ft4, ft1, ft2, ~ft1, s3; w0 = r0 }"},
	{By: inPCO, Words: "ubfe", Texts: "{ s0 = r3, s1 = r2, s2 = r1, s3 = sc0, s4 = r2 p0: msk_bbyp0s1 ft0, ft1, ft2, s0, s1, s2; p1: logical.or ft4, ft1, ft2, ~ft1, s3; p2: shift.shr ft5, ft4, s4, _; w0 = r0 }"},
	{By: inPCO, Words: "ibfe", Texts: "{ s0 = r3, s1 = r2, s2 = r1, s3 = sc0, s4 = r2 p0: msk_bbyp0s1 ft0, ft1, ft2, s0, s1, s2; p1: logical.or ft4, ft1, ft2, ~ft1, s3; p2: shift.asr_mtb ft5, ft4, s4, ft0; w0 = r0 }"},
	{By: inPCO, Words: "bfi, msk_lsl", Texts: "{ s0 = r4, s1 = r3, s2 = r2, s3 = r1 p0: msk ft0, ft1, s0, s1; p0: lsl ft2, s2, s1; p1: logical.or ft4, ft1, ft2, ~ft1, s3; w0 = r0 }"},
	{By: inPCO, Words: "uvsw", Texts: "{ s0 = r1, is0 = s0, is4 = fte backend: uvsw.write w0, 4; }"},
	{By: inPCO, Words: "ld", Texts: "{ s0 = r2..3, s3 = r0 backend: ld s3, drc0, 1, s0; }"},
	{By: inPCO, Words: "st, st32", Texts: "{ s0 = r1, s3 = r2..3 backend: st.writethrough s0, 2, drc0, 1, s3, _; }"},
	{By: inPCO, Words: "atomic", Texts: "{ s0 = r2..4, s3 = r0 backend: atomic.add s3, drc0, s0; }"},
	{By: inPCO, Words: "smp", Texts: "{ s0 = sh0..3, s1 = r4..5, s2 = sh4..7, s4 = r0..3 backend: smp.2d.fcnorm s4, drc0, s0, s1, s2, _, 4; }"},
	{By: inPCO, Words: "fitrp", Texts: "{ s0 = cf4..7, s2 = cf0..3, s3 = r0 backend: fitrp.pixel s3, drc0, s0, s2, 1; }"},
	{By: inPCO, Words: "nop", Texts: "{ ctrl: nop }"},
	{By: inPCO, Words: "wop", Texts: "{ ctrl: wop }"},
	{By: inPCO, Words: "wdf", Texts: "{ ctrl: wdf drc0 }"},
	{By: inPCO, Words: "cndst", Texts: "{ s0 = r1 ctrl: cndst.if(p0) pe, w0, s0, 1; w0 = r1 }"},
	{By: inPCO, Words: "cndef", Texts: "{ s0 = r1 ctrl: cndef.if(p0) pe, w0, s0, 1; w0 = r1 }"},
	{By: inPCO, Words: "cndend", Texts: "{ s0 = r1 ctrl: cndend pe, w0, s0, 1; w0 = r1 }"},
	{By: inPCO, Words: "savl", Texts: "{ ctrl: savl w0; w0 = r0 }"},
	{By: inPCO, Words: "logical", Texts: "{ s2 = r1, s3 = r2 p0: bbyp0s1 ft2, ft3, s2; p1: logical.or ft4, _, ft2, _, s3; w0 = r0 }"},
	{By: inPCO, Words: "vec, comp, break, continue, fence, vote", Note: "the compiler makes groups of moves, branches and waits of it"},
}

// foreign returns the group that does what another tool's operation of this name does. Modifiers follow the name:
// min.f32, logical.or.
func foreign(t *isa.Target, word, _ string) (msg, hint string) {
	name, _, _ := strings.Cut(strings.ToLower(word), ".")
	return "", t.Lead(otherTools, name)
}
