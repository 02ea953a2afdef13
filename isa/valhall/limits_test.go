package valhall

import (
	"errors"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestLimits checks, for each limit, the whole message of an architecture without its values, and that an architecture
// with them accepts the same text.
func TestLimits(t *testing.T) {
	for i, c := range [len(limits)]struct{ without, with, text, why string }{
		{"v9", "v10", "NOP.wait_resource", "NOP: flow .wait_resource is only in v10 to v14; write .wait, which waits for resources too"},
		{"v13", "v14", "NOP.continue", "NOP: flow .continue is only in v14; no other flow is known to do the same"},
		{"v9", "v10", "TEX_SINGLE.slot0.32.2d.computed_force_delta @r0, @r4:r5:r6, r8", "TEX_SINGLE: a level of detail with force_delta is only in v10 to v14; write .computed or .computed_bias"},
		{"v13", "v14", "CLPER.i32.low r0, r1, r2", "CLPER.i32: lane operation .low, .low_alt or .prefix is only in v14; leave it out, and give the number of the lane as second source"},
		{"v9", "v10", "TEX_GRADIENT.slot0.32.2d.force_delta @r0, @r4:r5, r8", "TEX_GRADIENT: modifier .force_delta is only in v10 to v14; write .derivative and give the differences of the coordinates, or neither"},
		{"v9", "v10", "VAR_TEX_BUF_SINGLE.slot0.center_store.f.32.2d.zero.src_f16 @r0:r1:r2:r3, r8, r2", "VAR_TEX_BUF_SINGLE: modifier .src_f16 is only in v10 to v14; load the varying with LD_VAR_BUF, and sample with TEX_*"},
		{"v10", "v11", "TEX_SINGLE.slot0.32.2d.zero.project @r0, @r4:r5:r6, r8", "TEX_SINGLE: modifier .project is only in v11 to v14; divide the coordinates before the sample"},
		{"v10", "v11", "LD_TILE.v4.f32.slot0.z_last_read @r0, r1, r2, r3", "LD_TILE: modifier .z_last_read is only in v11 to v14; leave it out: what is read is the same"},
		{"v11", "v10", "IADD.u64.saturate r0, r2, r4", "IADD.u64: modifier .saturate of 64-bit operations is only in v9 and v10; leave it out, and clamp the result"},
		{"v11", "v10", "BRANCHZI r0, r1", "BRANCHZI: a jump relative to the next instruction is only in v9 and v10; write .absolute and give the address in a register, or use BRANCHZ"},
		{"v13", "v14", "IDP.v4s8.v4u8_a r0, r1, r2, r3", "IDP.v4s8: modifier .v4u8_a is only in v14; IDP.v4u8 takes bytes without signs from both sources"},
		{"v13", "v14", "IDP.v4s8.v4u8_b r0, r1, r2, r3", "IDP.v4s8: modifier .v4u8_b is only in v14; IDP.v4u8 takes bytes without signs from both sources"},
		{"v13", "v14", "LD_VAR_FLAT.slot0.v3.f16.explicit_vertex @r0:r1, r2", "LD_VAR_FLAT: modifier .explicit_vertex is only in v14; leave it out: the varying is then that of the last vertex"},
		{"v13", "v14", "LD_VAR_FLAT_IMM.slot0.v3.f16.vertex_id2 @r0:r1, table:0xE, index:0x3", "LD_VAR_FLAT_IMM: modifier .vertex_id1, .vertex_id2 or .vertex_id3 is only in v14; leave it out: the varying is then that of the last vertex"},
	} {
		for _, name := range []string{c.without, c.with} {
			v, _ := Set().Variant(name)
			var b isa.Bundle
			var e *isa.Error
			switch err := Set().At(v, 0).Parse(c.text, 0, &b); {
			case name == c.with && err != nil:
				t.Errorf("%s: %s: %v", name, c.text, err)
			case name == c.without && (!errors.As(err, &e) || e.Msg != c.why || !strings.Contains(c.why, limits[i].what)):
				t.Errorf("%s: %s: %v, want %q", name, c.text, err, c.why)
			}
		}
	}
}

// TestArchitectures checks that text and words with features that an architecture lacks are rejected, and that the
// message says which architectures have them.
func TestArchitectures(t *testing.T) {
	for _, c := range []struct {
		variant, text, why string // why: what the message says; "": it assembles
	}{
		{"v9", "AND_IMM.i32 r0, r1, #0x1", "only in v11"}, {"v11", "AND_IMM.i32 r0, r1, #0x1", ""},
		{"v10", "HADD.u32 r0, r1, r2", ""}, {"v11", "HADD.u32 r0, r1, r2", "only in v9"},
		{"v14", "BRANCHZI.absolute r0, r1", ""},
		{"v11", "FADD.f32 r0, 0x272428E0, r1", ""}, {"v10", "FADD.f32 r0, 0x272428E0, r1", "no entry of the constant table"},
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

// TestWordsOfOthers checks that a word of a form that the architecture lacks is rejected, with an architecture that
// decodes it.
func TestWordsOfOthers(t *testing.T) {
	for _, c := range []struct {
		variant string
		word    uint64
		why     string
	}{
		{"v9", 0x0118c00000000101, "v11 would read AND_IMM.i32"}, {"v11", 0x00a0c000000b0201, "v9 would read HADD.u32"},
		{"v9", 0x6000c00000000000, "flow .wait_resource is only in v10 to v14; write .wait"}, {"v14", 0x0191c000000e0002, "v9 would read NOT_OLD.i64"},
	} {
		v, _ := Set().Variant(c.variant)
		var in isa.Inst
		if err := Set().At(v, 0).Decode(wordOf(c.word), 0, &in); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %016x: %v, want %q", c.variant, c.word, err, c.why)
		}
	}
}

// TestSpareConstant checks that constant 21 is 0 before v11 and another number from then on, in the lift.
func TestSpareConstant(t *testing.T) {
	for variant, want := range map[string]uint32{"v9": 0, "v10": 0, "v11": 0x272428e0, "v14": 0x272428e0} {
		v, _ := Set().Variant(variant)
		if got := constantOf(&isa.Inst{Var: uint8(v)}, 21); got != want {
			t.Errorf("%s: %#x, want %#x", variant, got, want)
		}
	}
}
