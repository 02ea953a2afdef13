package valhall

import (
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// elsewhere are instructions of Bifrost and operations of NIR, and their equivalents in Valhall v9.
//
// Sources, of Mesa: the instructions of Bifrost are those of src/panfrost/compiler/ISA.xml, their translation to
// Valhall is that of src/panfrost/compiler/valhall/va_lower_isel.c; the operations are those of
// src/compiler/nir/nir_opcodes.py, as src/panfrost/compiler/bifrost_compile.c lowers them.
var elsewhere = []isa.Lead{
	{By: "Bifrost", Words: "arshift.i32", Texts: "RSHIFT_OR.i32.signed r0, r1, r2.b00, 0x0"},
	{By: "Bifrost", Words: "arshift.v2i16", Texts: "RSHIFT_OR.v2i16.signed r0, r1, r2.b02, 0x0"},
	{By: "Bifrost", Words: "arshift.v4i8", Texts: "RSHIFT_OR.v4i8.signed r0, r1, r2, 0x0"},
	{By: "Bifrost", Words: "arshift_double.i32", Texts: "RSHIFT_OR.i64.signed r0, r2, r4.b00, 0x0", Note: "it shifts both words"},
	{By: "Bifrost", Words: "rshift_double.i32, frshift_double.i32, rrot_double.i32", Texts: "RSHIFT_OR.i64 r0, r2, r4.b00, 0x0", Note: "it shifts both words"},
	{By: "Bifrost", Words: "lshift_double.i32, flshift_double.i32, lrot_double.i32, shift_double.i32", Texts: "LSHIFT_OR.i64 r0, r2, r4.b00, 0x0", Note: "it shifts both words"},
	{By: "Bifrost", Words: "atom_c.i32", Texts: "ATOM.i32.slot0.aadd @r0, r2, offset:0x0"},
	{By: "Bifrost", Words: "atom_c.i64", Texts: "ATOM.i64.slot0.aadd @r0:r1, r2, offset:0x0"},
	{By: "Bifrost", Words: "atom_c_return.i32, atom_cx, atom_pre.i64, atom_post.i32, atom_post.i64", Texts: "ATOM_RETURN.i32.slot0.aadd @r0, @r1, r2, offset:0x0"},
	{By: "Bifrost", Words: "atom_c_return.i64", Texts: "ATOM_RETURN.i64.slot0.aadd @r0:r1, @r4:r5, r2, offset:0x0"},
	{By: "Bifrost", Words: "atom_c1.i32, atom_c1_return.i32", Texts: "ATOM1_RETURN.i32.slot0.ainc @r0, r2, offset:0x0"},
	{By: "Bifrost", Words: "atom_c1.i64, atom_c1_return.i64", Texts: "ATOM1_RETURN.i64.slot0.ainc @r0:r1, r2, offset:0x0"},
	{By: "Bifrost", Words: "axchg.i32", Texts: "ATOM_RETURN.i32.slot0.axchg @r0, @r1, r2, offset:0x0"},
	{By: "Bifrost", Words: "axchg.i64", Texts: "ATOM_RETURN.i64.slot0.axchg @r0:r1, @r4:r5, r2, offset:0x0"},
	{By: "Bifrost", Words: "jump", Texts: "BRANCHZ.eq 0x0.h0, offset:1"},
	{By: "Bifrost", Words: "branchz.i32, branchz.s32, branchz.u32", Texts: "BRANCHZ.eq r0, offset:1"},
	{By: "Bifrost", Words: "branchz.i16, branchz.s16, branchz.u16", Texts: "BRANCHZ.eq r0.h0, offset:1"},
	{By: "Bifrost", Words: "branch.i32, branch.s32, branchc.i32", Texts: "ICMP_OR.s32.lt.m1 r0, r1, r2, 0x0\nBRANCHZ r0, offset:1"},
	{By: "Bifrost", Words: "branch.u32", Texts: "ICMP_OR.u32.lt.m1 r0, r1, r2, 0x0\nBRANCHZ r0, offset:1"},
	{By: "Bifrost", Words: "branch.f32", Texts: "FCMP_OR.f32.lt.m1 r0, r1, r2, 0x0\nBRANCHZ r0, offset:1"},
	{By: "Bifrost", Words: "branchz.f32", Texts: "FCMP_OR.f32.eq.m1 r0, r1, 0x0, 0x0\nBRANCHZ r0, offset:1"},
	{By: "Bifrost", Words: "clper_old.i32", Texts: "CLPER.i32 r0, r1, r2"},
	{By: "Bifrost", Words: "cubeface", Texts: "CUBEFACE1 r0, r1, r2, r3\nCUBEFACE2 r4, r1, r2, r3"},
	{By: "Bifrost", Words: "discard.b32", Texts: "DISCARD.f32.ne r0, 0x0"},
	{By: "Bifrost", Words: "fabsneg.f32", Texts: "FADD.f32 r0, r1.neg.abs, 0x0.neg"},
	{By: "Bifrost", Words: "fabsneg.v2f16", Texts: "FADD.v2f16 r0, r1.neg.abs, 0x0.neg"},
	{By: "Bifrost", Words: "fclamp.f32", Texts: "FADD.f32.clamp_0_1 r0, r1, 0x0.neg"},
	{By: "Bifrost", Words: "fclamp.v2f16", Texts: "FADD.v2f16.clamp_0_1 r0, r1, 0x0.neg"},
	{By: "Bifrost", Words: "fadd_rscale.f32", Texts: "FMA_RSCALE.f32 r0, r1, 0x3F800000, r2, r3"},
	{By: "Bifrost", Words: "iaddc.i32", Texts: "IADD.u64 r0, r2, r4", Note: "it adds both words, with the carry"},
	{By: "Bifrost", Words: "isubb.i32", Texts: "ISUB.u64 r0, r2, r4", Note: "it subtracts both words, with the borrow"},
	{By: "Bifrost", Words: "icmpi.i32, icmpi.u32", Texts: "ICMP_OR.u32.lt.i1 r0, r1, r2, 0x0"},
	{By: "Bifrost", Words: "icmpi.s32", Texts: "ICMP_OR.s32.lt.i1 r0, r1, r2, 0x0"},
	{By: "Bifrost", Words: "imov_fma", Texts: "MOV.i32 r0, r1"},
	{By: "Bifrost", Words: "ld_attr_tex", Texts: "LD_TEX.v4.f32.slot0 @r0:r1:r2:r3, r4, r5, r6"},
	{By: "Bifrost", Words: "lea_attr_tex", Texts: "LEA_TEX.slot0 @r0:r1:r2, r4, r5, r6"},
	{By: "Bifrost", Words: "mkvec.v4i8", Texts: "MKVEC.v2i8 r0, r3.b0, r4.b0, 0x0\nMKVEC.v2i8 r0, r1.b0, r2.b0, r0"},
	{By: "Bifrost", Words: "quiet.f32", Texts: "FADD.f32 r0, r1, 0x0.neg"},
	{By: "Bifrost", Words: "quiet.v2f16", Texts: "FADD.v2f16 r0, r1, 0x0.neg"},
	{By: "Bifrost", Words: "seg_add.i64", Texts: "SEG_ADD.u64 r0, r2, r4"},
	{By: "Bifrost", Words: "shaddxh.i32, shaddxl.u32, shaddxl.i64", Texts: "SHADDX.u64 r0, r2, r4, shift:0x2", Note: "it gives both words"},
	{By: "Bifrost", Words: "shaddxl.s32", Texts: "SHADDX.s64 r0, r2, r4, shift:0x2", Note: "it gives both words"},
	{By: "Bifrost", Words: "swz.v2i16", Texts: "IADD.v2u16 r0, r1.h10, 0x0"},
	{By: "Bifrost", Words: "swz.v4i8", Texts: "IADD.v4u8 r0, r1.b3210, 0x0"},
	{By: "Bifrost", Words: "texc, texs_2d.f32", Texts: "TEX_SINGLE.slot0.f.32.2d.computed @r0:r1:r2:r3, @r4:r5, r8"},
	{By: "Bifrost", Words: "texc_dual", Texts: "TEX_DUAL.slot0.f.32.32.2d.computed @r0:r1:r2:r3, @r4:r5, r8"},
	{By: "Bifrost", Words: "texs_2d.f16", Texts: "TEX_SINGLE.slot0.f.16.2d.computed @r0:r1, @r4:r5, r8"},
	{By: "Bifrost", Words: "texs_cube.f32", Texts: "TEX_SINGLE.slot0.f.32.cube.computed @r0:r1:r2:r3, @r4:r5, r8"},
	{By: "Bifrost", Words: "texs_cube.f16", Texts: "TEX_SINGLE.slot0.f.16.cube.computed @r0:r1, @r4:r5, r8"},
	{By: "Bifrost", Words: "var_tex.f32", Texts: "VAR_TEX_SINGLE.slot0.center_store.f.32.2d.computed @r0:r1:r2:r3, r4, r5"},
	{By: "Bifrost", Words: "var_tex.f16", Texts: "VAR_TEX_SINGLE.slot0.center_store.f.16.2d.computed @r0:r1, r4, r5"},
	{By: "Bifrost", Words: "branch_diverg, branch_no_diverg, branch_lowbits.f32, dtsel_imm, fatan_table.f16, fatan_table.f32, fpow_sc_det.f16, icmpf.i32, icmpm.i32, seg_sub, vn_asst1.f16, vn_asst1.f32, vn_asst2.f32, vn_asst2.v2f16"},
	{By: "Mesa's compilers", Words: "collect.i32, split.i32, phi", Note: "the registers are chosen by then: MOV.i32 moves one"},

	{By: "NIR", Words: "b16csel", Texts: "MUX.v2i16 r0, r3, r2, r1"},
	{By: "NIR", Words: "bcsel, b32csel", Texts: "MUX.i32 r0, r3, r2, r1"},
	{By: "NIR", Words: "bit_count", Texts: "POPCOUNT.i32 r0, r1"},
	{By: "NIR", Words: "bitfield_reverse", Texts: "BITREV.i32 r0, r1"},
	{By: "NIR", Words: "f2f16", Texts: "V2F32_TO_V2F16 r0, r1, r2"},
	{By: "NIR", Words: "f2f32", Texts: "F16_TO_F32 r0, r1.h0"},
	{By: "NIR", Words: "f2i32", Texts: "F32_TO_S32.rtz r0, r1"},
	{By: "NIR", Words: "f2u32", Texts: "F32_TO_U32.rtz r0, r1"},
	{By: "NIR", Words: "fabs", Texts: "FADD.f32 r0, r1.abs, 0x0.neg"},
	{By: "NIR", Words: "fceil", Texts: "FROUND.f32.rtp r0, r1"},
	{By: "NIR", Words: "feq", Texts: "FCMP_OR.f32.eq.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "ffloor", Texts: "FROUND.f32.rtn r0, r1"},
	{By: "NIR", Words: "ffma", Texts: "FMA.f32 r0, r1, r2, r3"},
	{By: "NIR", Words: "fge", Texts: "FCMP_OR.f32.ge.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "flt", Texts: "FCMP_OR.f32.lt.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "fmul", Texts: "FMA.f32 r0, r1, r2, 0x0.neg"},
	{By: "NIR", Words: "fneg", Texts: "FADD.f32 r0, r1.neg, 0x0.neg"},
	{By: "NIR", Words: "fneu", Texts: "FCMP_OR.f32.ne.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "fround_even", Texts: "FROUND.f32 r0, r1"},
	{By: "NIR", Words: "fsat", Texts: "FADD.f32.clamp_0_1 r0, r1, 0x0.neg"},
	{By: "NIR", Words: "fsub", Texts: "FADD.f32 r0, r1, r2.neg"},
	{By: "NIR", Words: "ftrunc", Texts: "FROUND.f32.rtz r0, r1"},
	{By: "NIR", Words: "i2f32", Texts: "S32_TO_F32 r0, r1"},
	{By: "NIR", Words: "iand", Texts: "LSHIFT_AND.i32 r0, r1, 0x0, r2"},
	{By: "NIR", Words: "ieq", Texts: "ICMP_OR.u32.eq.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "ige", Texts: "ICMP_OR.s32.ge.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "ilt", Texts: "ICMP_OR.s32.lt.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "imax", Texts: "CSEL.s32.gt r0, r1, r2, r1, r2"},
	{By: "NIR", Words: "imin", Texts: "CSEL.s32.lt r0, r1, r2, r1, r2"},
	{By: "NIR", Words: "ine", Texts: "ICMP_OR.u32.ne.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "ineg", Texts: "ISUB.s32 r0, 0x0, r1"},
	{By: "NIR", Words: "inot", Texts: "NOT.i32 r0, r1"},
	{By: "NIR", Words: "ior", Texts: "LSHIFT_OR.i32 r0, r1, 0x0, r2"},
	{By: "NIR", Words: "ishl", Texts: "LSHIFT_OR.i32 r0, r1, r2.b00, 0x0"},
	{By: "NIR", Words: "ishr", Texts: "RSHIFT_OR.i32.signed r0, r1, r2.b00, 0x0"},
	{By: "NIR", Words: "ixor", Texts: "LSHIFT_XOR.i32 r0, r1, 0x0, r2"},
	{By: "NIR", Words: "u2f32", Texts: "U32_TO_F32 r0, r1"},
	{By: "NIR", Words: "uclz", Texts: "CLZ.u32 r0, r1"},
	{By: "NIR", Words: "uge", Texts: "ICMP_OR.u32.ge.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "ult", Texts: "ICMP_OR.u32.lt.m1 r0, r1, r2, 0x0"},
	{By: "NIR", Words: "umax", Texts: "CSEL.u32.gt r0, r1, r2, r1, r2"},
	{By: "NIR", Words: "umin", Texts: "CSEL.u32.lt r0, r1, r2, r1, r2"},
	{By: "NIR", Words: "ushr", Texts: "RSHIFT_OR.i32 r0, r1, r2.b00, 0x0"},
}

// foreign returns the instruction that does what another tool's instruction of this name does. Modifiers follow the
// name: ICMPI.s32.gt.m1.
func foreign(t *isa.Target, word, _ string) (msg, hint string) {
	name, rest, _ := strings.Cut(strings.ToLower(word), ".")
	typ, _, _ := strings.Cut(rest, ".")
	return "", t.Lead(elsewhere, name+"."+typ, name)
}
