package valhall

import (
	"errors"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/golden"
	"github.com/heddle-gpu/heddle/isa"
)

// TestGolden checks that each word of testdata/*.txt prints as there, and that the text assembles to it.
func TestGolden(t *testing.T) { golden.Words(t, Set().At(0, 0)) }

// badText are texts that must fail, and a part of the error.
var badText = []struct{ text, want string }{
	{"FADD.f32 r0, r1", "too few"},
	{"FADD.f32 r64, r1, r2", "the last is r63"},
	{"FADD.f32 r0, u256, r2", "the last is u255"},
	{"FADD.f32 r0, r1, 0x12345678", "no entry of the constant table"},
	{"FADD.f32 r0, u1, u64", "two pages"},
	{"FADD.f32 r0, u1, lane_id", "two pages"},
	{"FADD.f32 r0, u0, u4", ":18: error: FADD.f32: reads two pairs"},
	{"FMA.f32 r0, u0, u1, 0x0", ":21: error: FMA.f32: reads more than two different words"},
	{"IADD.u32 r0, lane_id, core_id", "two pairs of uniform words or special values"},
	{"LOAD.i64.unsigned.slot0.wait0 @r1:r2, ^r0, offset:0", "from an odd one on"},
	{"LOAD.i64.unsigned.slot0 @r2:r4, ^r0, offset:0", "follow each other"},
	{"LOAD.i32.unsigned.slot0 @r2, ^r0, offset:32768", "range from -32768 to 32767"},
	{"TEX_SINGLE.slot0.f.32.2d.computed @, @r4:r5, r6", "a staging register"},
	{"MOV.i32.wait01.wait1 r0, r1", "a flow stands here a second time"},
	{"MOV.i32.reconverge.return r0, r1", "a flow stands here a second time"},
	{"FROUND.f32.rtn.clamp_m1_1 r2, r2", "no suffix"},
	{"FADD.v2f16 r0, r1, r0.h0", ".h0"},
	{"BRANCHZ r0, 0x4", "no whole number of instructions"},
	{"BRANCHZ r0, offset:67108864", "more than 2^26"},
	{"BRANCHX r0, offset:0", "no instruction"},
	{"ICMP_OR.u32.m1 r0, r1, r2, r3", "a condition is missing"},
	{"LOAD.i32.unsigned @r2, ^r0, offset:0", "a slot is missing"},
	{"IADD_IMM.i32 r3, r2, 12345", `"#"`},
	{"IADD.u32 r0, warp_id, r1", "a source"},
	{"SHADDX.u64 r0, r2, r4.w0, shift:0x8", "range from 0 to 7"},
	{"FADD.f32 r0.h2, r1, r2", ".h2"},
	{"FADD.f32 r0, r1, 1.0", ":18: error: FADD.f32: \"1.0\": a constant is written by its bits"},
}

func TestBadText(t *testing.T) {
	for _, c := range badText {
		if got, err := asm.Line(Set().At(0, 0), c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %s, %v; want %q", c.text, got, err, c.want)
		}
	}
}

// sameText are spellings of the early reference, and the texts that they stand for.
var sameText = [][2]string{
	{"ICMP.u32.lt.m1 r0, r1, r2, r3", "ICMP_OR.u32.lt.m1 r0, r1, r2, r3"},
	{"ICMP.s32.and.lt.m1 r0, r1, r2, r3", "ICMP_AND.s32.lt.m1 r0, r1, r2, r3"},
	{"ICMP.u32.seq.lt.u1 r0, r1, r2, r3", "ICMP_MULTI.u32.lt.u1 r0, r1, r2, r3"},
	{"CSEL.i32.eq r0, r1, r2, r3, r4", "CSEL.s32.eq r0, r1, r2, r3, r4"},
	{"NOT.i32 r0, `r1", "NOT_OLD.i32 r0, ^r1"},
	{"NOP.return", "NOP.end"},
	{"NOP.td", "NOP.discard"},
	{"NOP.barrier", "NOP.wait"},
	{"MOV.i32 r0, tls_ptr_hi", "MOV.i32 r0, thread_local_pointer.w1"},
	{"MOV.i32 r0, wls_ptr", "MOV.i32 r0, workgroup_local_pointer.w0"},
	{"MOV.i32 r0, program_counter", "MOV.i32 r0, program_counter.w0"},
	{"STORE.i96.vary.slot0.return @r2:r3:r4, `r4, offset:0", "STORE.i96.estream.slot0.end @r2:r3:r4, ^r4, offset:0"},
}

func TestSameText(t *testing.T) {
	for _, c := range sameText {
		a, errA := asm.Line(Set().At(0, 0), c[0])
		b, errB := asm.Line(Set().At(0, 0), c[1])
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%q is %x, %v; %q is %x, %v", c[0], a, errA, c[1], b, errB)
		}
	}
}

// TestHints checks that hints name what is missing, and what a short mnemonic may stand for.
func TestHints(t *testing.T) {
	for _, c := range [][2]string{
		{"LOAD.i32.unsigned @r2, ^r0, offset:0", "one of .slot0 .slot1 .slot2 .slot7"},
		{"ICMP_OR.u32.eq r0, r1, r2, 0x0", "one of .i1 .f1 .m1 .u1"},
		{"FADD r0, r1, r2", `did you mean "FADD.f32"?`},
		{"fadd.v2f16 r0, r1, r2", `did you mean "FADD.v2f16"?`},
		{"MOV.i23 r0, r1", `did you mean "MOV.i32"?`},
		{"ZZZ r0, r1", ""},
	} {
		_, err := asm.Line(Set().At(0, 0), c[0])
		var e *isa.Error
		if !errors.As(err, &e) || e.Hint != c[1] {
			t.Errorf("%q: %v, want the hint %q", c[0], err, c[1])
		}
	}
}
