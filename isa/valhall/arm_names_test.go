package valhall

import (
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// armTexts are texts with Arm's names, and with those of the rows.
var armTexts = []struct{ arm, here string }{
	{"ARSHIFT.i32 r0, r1, r2.b0", "RSHIFT_OR.i32.signed r0, r1, r2.b00, 0x0"},
	{"ARSHIFT_XOR.v2i16.not_result r0, r1, r2, r3", "RSHIFT_XOR.v2i16.signed.not_result r0, r1, r2.b02, r3"},
	{"ARSHIFT_AND.i64 r0, r2, r4.b1, r6", "RSHIFT_AND.i64.signed r0, r2, r4.b11, r6"},
	{"LROT.i64 r0, r2, r4.b1", "LROT_OR.i64 r0, r2, r4.b11, 0x0"},
	{"RROT.v4i8 r0, r1, r2.b3210", "RROT_OR.v4i8 r0, r1, r2.b3210, 0x0"},
	{"LSHIFT.v2i16 r0, r1, r2.b22", "LSHIFT_OR.v2i16 r0, r1, r2.b22, 0x0"},
	{"RSHIFT.i32 r0, r1.h1, ^r2.b3", "RSHIFT_OR.i32 r0, r1.h1, ^r2.b33, 0x0"},
	{"AND.i32.not_result r0, r1, r2", "LSHIFT_AND.i32.not_result r0, r1, 0x0.b00, r2"},
	{"SEG_SUB.u64.preserve_null r0, r2, r4", "SEG_ADD.u64.neg.preserve_null r0, r2, r4"},
	{"ICMP.u32.eq.m1 r0, r1, r2", "ICMP_OR.u32.eq.m1 r0, r1, r2, 0x0"},
	{"ICMP.s32.lt.i1.wait0 r0, r1.b1, r2", "ICMP_OR.s32.lt.i1.wait0 r0, r1.b1, r2, 0x0"},
	{"FCMP.v2f16.total.f1 r0, r1.neg, r2.h10", "FCMP_OR.v2f16.total.f1 r0, r1.neg, r2.h10, 0x0"},
	{"ICMP_MULTI.u32.lt.c r0, r1, r2, 0x0", "ICMP_MULTI.u32.lt.u1 r0, r1, r2, 0x0"},
	{"FMUL.f32.round_up r0, r1.h0, r2^", "FMA.f32.rtp r0, r1.h0, ^r2, 0x0.neg"},
	{"FMUL.v2f16.round_down.clamp_0_1 r0, r1, r2", "FMA.v2f16.rtn.clamp_0_1 r0, r1, r2, 0x0"},
	{"FNEG.f32 r0, r1.h1", "FADD.f32 r0, r1.neg.h1, 0x0.neg"},
	{"FABS.v2f16 r0, r1.h10", "FADD.v2f16 r0, r1.abs.h10, 0x0.neg"},
	{"FADD_RSCALE.f32.clamp_0_inf r0, r1.abs, r2, r3", "FMA_RSCALE.f32.clamp_0_inf r0, r1.abs, 0x3F800000, r2, r3"},
	{"FMUL_RSCALE.f32 r0, r1, r2.neg, r3", "FMA_RSCALE.f32 r0, r1, r2.neg, 0x0.neg, r3"},
	{"MOV_IMM.i32 r0, #0x12", "IADD_IMM.i32 r0, 0x0, #0x12"},
	{"MOV_IMM.v2i16 r0.h1, #0x10002", "IADD_IMM.v2i16 r0.h1, 0x0, #0x10002"},
	{"AXCHG.i32.slot0 @r0, @r1, [r2:r3], #0x4", "ATOM_RETURN.i32.slot0.axchg @r0, @r1, r2, offset:0x4"},
	{"ACMPXCHG.i64.slot1.wait0 @r6:r7, @r0:r1:r2:r3, [r8^:r9^], #0x8", "ATOM_RETURN.i64.slot1.compare.axchg.wait0 @r6:r7, @r0:r1:r2:r3, ^r8, offset:0x8"},
	{"BRANCH.not r1.h0, offset:2", "BRANCHZ.eq r1.h0, offset:2"},
	{"JUMP.absolute r1, r2", "BRANCHZI.absolute r1, r2"},
	{"SHADD.u64 r0, r2, r4, shift:0x2", "SHADDX.u64 r0, r2, r4, shift:0x2"},
	{"IMUL.u32.saturate r0, r1, r2", "IMUL.i32.saturate r0, r1, r2"},
	{"IMUL.v2u16 r0, r1, r2", "IMUL.v2i16 r0, r1, r2"},
	{"IMUL.v4u8 r0, r1, r2", "IMUL.v4i8 r0, r1, r2"},
	{"IMUL.u64 r0, r2.w0, r4.w0", "IMULD.u64 r0, r2.w0, r4.w0"},
	{"CLPER.subgroup4.xor r0, r1, r2.b0", "CLPER.i32.subgroup4.xor r0, r1, r2.b0"},
	{"FATAN_TABLE.f32 r0, r1, r2", "FATAN_ASSIST.f32.second r0, r1, r2"},
	{"LD_PKA.i32.slot0 @r0, r2, r3", "LD_BUFFER.i32.slot0 @r0, r2, r3"},
	{"IDPADD.v4u8 r0, r1, r2, r3", "IDP.v4u8 r0, r1, r2, r3"},
	{"LD_VAR_FLAT.slot0.auto32 @r0, r1", "LD_VAR_FLAT.slot0.auto @r0, r1"},
}

// TestArmNames checks that a text with Arm's names assembles to the same word as with Mesa 24.1's names, and that Arm's
// table has this word under that name.
func TestArmNames(t *testing.T) {
	lines, tg := tableLines(t, "arm-forms.tsv.gz"), Set().At(0, 0)
	hex := func(s string) uint64 {
		v, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range armTexts {
		var a, b isa.Bundle
		if err := tg.Parse(c.here, 0, &b); err != nil {
			t.Fatalf("%s: %v", c.here, err)
		}
		if err := tg.Parse(c.arm, 0, &a); err != nil {
			t.Errorf("%s: %v", c.arm, err)
			continue
		}
		if got, want := a.Parts[0].Word.Lo, b.Parts[0].Word.Lo; got != want {
			t.Errorf("%s: %016x; %s: %016x", c.arm, got, c.here, want)
			continue
		}
		met := false
		for _, l := range lines {
			name, w := l[0], a.Parts[0].Word.Lo
			met = met || (c.arm+" " == name+" " || strings.HasPrefix(c.arm, name+".") || strings.HasPrefix(c.arm, name+" ")) && atoi(t, l[1]) == 9 && w&hex(l[5]) == hex(l[6])
		}
		if !met {
			t.Errorf("%s: %016x is no word of the form of this name", c.arm, a.Parts[0].Word.Lo)
		}
	}
}
