package valhall

import (
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestCosts checks costs against Mesa's compilers of 2026: kraid's stats.rs with the times and units of the table of
// encodings of commit 2922c248 (exec_unit, exec_time); for VAR_TEX_*, va_perf.c.
func TestCosts(t *testing.T) {
	for _, c := range []struct{ variant, text, want string }{
		{"v9", "FADD.f32 r0, r1, r2", "fma 1"}, {"v9", "FADD.v2f16 r0, r1, r2", "fma 1"}, {"v9", "FADD.f32 r0.h0, r1, r2", "fma 1"},
		{"v9", "FMA.f32 r0, r1, r2, r3", "fma 1"}, {"v9", "FADD_LSCALE.f32 r0, r1, r2", "fma 1"}, {"v9", "FADD_IMM.f32 r0, r1, #0x1", "fma 1"},
		{"v9", "LDEXP.f32 r0, r1, r2", "fma 1"}, {"v9", "IDP.v4s8 r0, r1, r2, r3", "fma 1"},
		{"v9", "FROUND.f32.rtn r0, r1", "cvt 1"}, {"v10", "FROUND.f32.rtn r0, r1", "cvt 1"}, {"v11", "FROUND.f32.rtn r0, r1", "fma 2"}, {"v14", "FROUND.f32.rtn r0, r1", "fma 2"},
		{"v9", "FMIN.f32 r0, r1, r2", "cvt 1"}, {"v9", "IADD.u32 r0, r1, r2", "cvt 1"}, {"v9", "IADD.u64 r0, r2, r4", "cvt 2"}, {"v9", "ISUB.s64 r0, r2, r4", "cvt 2"},
		{"v9", "CSEL.u32.eq r0, r1, r2, r3, r4", "cvt 1"}, {"v9", "MOV.i32 r0, r1", "cvt 1"}, {"v9", "NOP", "cvt 1"}, {"v9", "BRANCHZ.eq r1, offset:2", "cvt 1"},
		{"v9", "DISCARD.f32.eq r1, r2", "cvt 1"}, {"v9", "F32_TO_S32 r0, r1", "cvt 1"}, {"v9", "CUBEFACE1 r0, r1, r2, r3", "cvt 1"},
		{"v9", "FRCP.f32 r0, r1", "sfu 1"}, {"v9", "FSIN_TABLE.u6 r0, r1", "sfu 1"}, {"v9", "FEXP.f32 r0, r1, r2", "sfu 1"}, {"v9", "FLOGD.f32 r0, r1", "sfu 1"},
		{"v9", "IMUL.i32 r0, r1, r2", "sfu 1"}, {"v9", "POPCOUNT.i32 r0, r1", "sfu 1"}, {"v9", "CUBE_SSEL r0, r1, r2, r3", "sfu 1"},
		{"v9", "CLPER.i32 r0, r1, r2.b0", "sfu 1"}, {"v10", "CLPER.i32 r0, r1, r2.b0", "sfu 1"}, {"v11", "CLPER.i32 r0, r1, r2.b0", "cvt 2"}, {"v14", "CLPER.i32 r0, r1, r2.b0", "cvt 2"},
		{"v10", "LSHIFT_AND.i32 r0, r1, r2.b0, r3", "sfu 1"}, {"v11", "LSHIFT_AND.i32 r0, r1, r2.b0, r3", "cvt 1"}, {"v13", "RSHIFT_XOR.i32 r0, r1, r2.b0, r3", "cvt 1"},
		{"v11", "LSHIFT_AND.v2i16 r0, r1, r2.b02, r3", "sfu 1"}, {"v9", "LSHIFT_OR.i64 r0, r2, r4.b0, r6", "sfu 2"},
		{"v11", "MMUL.f32 r0, r1, r2, r3", "fma 4"}, {"v14", "MMUL.v2f16 r0, r1, r2, r3", "fma 4"},
		{"v9", "LOAD.i32.slot0 @r0, r2, offset:0", "ls 1"}, {"v9", "LOAD.i128.slot0 @r0:r1:r2:r3, r4, offset:0", "ls 1"}, {"v9", "STORE.i64.slot0 @r0:r1, r2, offset:0", "ls 1"},
		{"v9", "LD_BUFFER.i32.slot0 @r0, r2, r3", "ls 1"}, {"v9", "ATOM1_RETURN.i32.slot0.ainc @r0, r2, offset:0", "ls 1"},
		{"v9", "LD_GCLK.u64.slot0.cycle_counter @r0:r1", "ls 1"}, {"v9", "LEA_BUF_IMM.slot0 @r0:r1, r2, table:0, index:0", "ls 1"},
		{"v9", "LD_VAR_BUF.f32.v4.slot0.src_f32.center.store @r0:r1:r2:r3, r4, r5", "v 4"}, {"v9", "LD_VAR_BUF.f16.v4.slot0.src_f32.center.store @r0:r1, r4, r5", "v 4"},
		{"v9", "LD_VAR_BUF.f32.v3.slot0.src_f16.center.store @r0:r1:r2, r4, r5", "v 2"}, {"v9", "LD_VAR_SPECIAL.v2.f32.center.clobber.slot0 @r0:r1, r4, index:0", "v 2"},
		{"v9", "LD_VAR_SPECIAL.f32.center.clobber.slot0 @r0, r4, index:3", "msg Mesa counts nothing for it"}, {"v9", "LD_VAR_IMM.slot0.v3.f16.center.store @r0:r1, r4, table:0, index:0", "v 2"},
		{"v9", "TEX_SINGLE.slot0.32.2d.zero @r0, @r4:r5:r6, r8", "t 1"}, {"v9", "TEX_DUAL.slot0.32.32.2d.zero @r0, @r4:r5:r6, r8", "t 2"},
		{"v9", "BARRIER.slot7.wait", "msg Mesa counts nothing for it"}, {"v14", "ATEST @r0, r1, r2, r3", "msg Mesa counts nothing for it"}, {"v9", "DOORBELL", "msg no source says what it costs"},
	} {
		v, _ := Set().Variant(c.variant)
		var b isa.Bundle
		if err := Set().At(v, 0).Parse(c.text, 0, &b); err != nil {
			t.Errorf("%s: %s: %v", c.variant, c.text, err)
			continue
		}
		if got := costText(Costs(&b.Parts[0])); got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.variant, c.text, got, c.want)
		}
	}
}

func costText(costs []isa.Cost) string {
	var list []string
	for _, c := range costs {
		if c.Lack != "" {
			list = append(list, c.Unit+" "+c.Lack)
		} else {
			list = append(list, c.Unit+" "+string(rune('0'+c.Count)))
		}
	}
	return strings.Join(list, ", ")
}

// TestCostOfRows checks that each row of each architecture has a cost, unless Mesa does not count its message or has no
// figure.
func TestCostOfRows(t *testing.T) {
	nothing := map[string]bool{}
	for v := range Set().Variants {
		tg, rows := Set().At(v, 0), 0
		for i := range tg.Defs {
			d := &tg.Defs[i]
			if !d.InVariant(v) {
				continue
			}
			rows++
			in := isa.Inst{Def: d, Word: d.Value(), Var: uint8(v), Size: wordBytes}
			costs := Costs(&in)
			if costs[0].Lack != "" {
				name, _, _ := strings.Cut(d.Name, ".")
				nothing[name] = true
			}
			for _, c := range costs {
				if known := slices.Contains([]string{"fma", "cvt", "sfu", "ls", "v", "t"}, c.Unit); known != (c.Lack == "") || known != (c.Count > 0) {
					t.Errorf("%s: %+v", d.Name, c)
				}
			}
		}
		if rows < 200 {
			t.Errorf("variant %d: %d rows", v, rows)
		}
	}
	want := []string{"ATEST", "BARRIER", "BLEND", "DOORBELL", "EUREKA", "KABOOM", "LD_CHECKED", "LD_CHECKED_IMM", "LD_MULTI", "LD_TILE", "ST_MULTI", "ST_TILE", "TEX_WEIGHTS", "ZS_EMIT"}
	for _, name := range want {
		if !nothing[name] {
			t.Errorf("%s has a cost", name)
		}
		delete(nothing, name)
	}
	for name := range nothing {
		t.Errorf("%s has no cost", name)
	}
}

// TestChips checks rates against Mesa's src/panfrost/model/pan_model.c of 2026 (pixel, texel, varying, cvt, fma, sfu),
// and that only fma and textures of v14 have one.
func TestChips(t *testing.T) {
	for name, want := range map[string][6]int{
		"Mali-G57": {2, 4, 8, 32, 32, 8}, "Mali-G610": {4, 8, 16, 64, 64, 16}, "Mali-G310v1": {2, 2, 8, 16, 16, 4}, "Mali-G310v3": {4, 4, 8, 48, 48, 12},
		"Mali-G715": {4, 8, 32, 64, 128, 16}, "Mali-G720": {4, 8, 32, 64, 128, 16}, "Mali-G725": {4, 8, 32, 128, 128, 16}, "Mali-G1-Pro": {4, 8, 0, 0, 128, 0}, "Mali-G1-Pro, the smaller": {4, 4, 0, 0, 64, 0},
	} {
		i := slices.IndexFunc(chips[:], func(c Chip) bool { return c.Name == name })
		c := chips[i]
		if got := [6]int{c.Pixel, c.Texel, c.Varying, c.CVT, c.FMA, c.SFU}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for _, v := range Set().Variants {
		if len(Chips(v.Name)) == 0 {
			t.Errorf("%s has no chip", v.Name)
		}
	}
	for registers, want := range map[int]int{1: 2, 32: 2, 33: 1, 64: 1} { // 64 / max(registers, 32)
		if got := Threads(registers); got != want {
			t.Errorf("%d registers: %d, want %d", registers, got, want)
		}
	}
}
