package valhall

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestArchitectures: what an architecture lacks is refused, in text and in words, and the message says which have it.
func TestArchitectures(t *testing.T) {
	for _, c := range []struct {
		variant, text, why string // why: what the message says; "": it assembles
	}{
		{"v9", "NOP.wait_resource", "flow as in v10 and later"}, {"v10", "NOP.wait_resource", ""},
		{"v13", "NOP.continue", "flow as in v14 and later"}, {"v14", "NOP.continue", ""},
		{"v9", "AND_IMM.i32 r0, r1, #0x1", "only in v11"}, {"v11", "AND_IMM.i32 r0, r1, #0x1", ""},
		{"v10", "HADD.u32 r0, r1, r2", ""}, {"v11", "HADD.u32 r0, r1, r2", "only in v9"},
		{"v10", "IADD.u64.saturate r0, r2, r4", ""}, {"v11", "IADD.u64.saturate r0, r2, r4", "as in v10 and before"},
		{"v10", "BRANCHZI r0, r1", ""}, {"v11", "BRANCHZI r0, r1", "as in v10 and before"}, {"v14", "BRANCHZI.absolute r0, r1", ""},
		{"v11", "FADD.f32 r0, 0x272428E0, r1", ""}, {"v10", "FADD.f32 r0, 0x272428E0, r1", "no entry of the constant table"},
		{"v9", "TEX_SINGLE.slot0.32.2d.zero.project @r0, @r4:r5:r6, r8", "as in v11 and later"}, {"v11", "TEX_SINGLE.slot0.32.2d.zero.project @r0, @r4:r5:r6, r8", ""},
		{"v10", "TEX_SINGLE.slot0.32.2d.zero @r0, @r4:r5:r6:r7:r8:r9:r10:r11, r8", "at most 7"}, {"v11", "TEX_SINGLE.slot0.32.2d.zero @r0, @r4:r5:r6:r7:r8:r9:r10:r11, r8", ""},
		{"v13", "LD_MULTI.i96.slot0 r0, r2, offset:0", "only in v14"}, {"v14", "LD_MULTI.i96.slot0 r0, r2, offset:0", ""},
		{"v14", "LD_CHECKED.i64.slot0 @r0:r1, r2, r4, r5", ""}, {"v14", "LD_CHECKED.i64.slot0 @r0, r2, r4, r5", "the size is that of 2 registers"},
	} {
		v, ok := Set().Variant(c.variant)
		if !ok {
			t.Fatal(c.variant)
		}
		var b isa.Bundle
		err := Set().At(v, 0).Parse(c.text, 0, &b)
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %s: %v, want %q", c.variant, c.text, err, c.why)
		}
	}
}

// TestWordsOfOthers: a word of a form that the architecture lacks is refused, with one that would read it.
func TestWordsOfOthers(t *testing.T) {
	for _, c := range []struct {
		variant string
		word    uint64
		why     string
	}{
		{"v9", 0x0118c00000000101, "v11 would read AND_IMM.i32"}, {"v11", 0x00a0c000000b0201, "v9 would read HADD.u32"},
		{"v9", 0x6000c00000000000, "flow as in v10 and later"}, {"v14", 0x0191c000000e0002, "v9 would read NOT_OLD.i64"},
	} {
		v, _ := Set().Variant(c.variant)
		var in isa.Inst
		if err := Set().At(v, 0).Decode(wordOf(c.word), 0, &in); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %016x: %v, want %q", c.variant, c.word, err, c.why)
		}
	}
}

// TestSpareConstant: constant 21 is 0 before v11 and a number from then on, in what an instruction reads.
func TestSpareConstant(t *testing.T) {
	for variant, want := range map[string]uint32{"v9": 0, "v10": 0, "v11": 0x272428e0, "v14": 0x272428e0} {
		v, _ := Set().Variant(variant)
		if got := constantOf(&isa.Inst{Var: uint8(v)}, 21); got != want {
			t.Errorf("%s: %#x, want %#x", variant, got, want)
		}
	}
}
