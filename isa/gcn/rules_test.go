package gcn

import (
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

// TestRules: text that just obeys a rule assembles, and text that breaks it does not. Which is which is decided by
// LLVM 19.
func TestRules(t *testing.T) {
	for _, c := range []struct{ good, bad, rule string }{
		{"v_add_f32_e64 v0, s1, s1", "v_add_f32_e64 v0, s1, s2", "constant-bus"},
		{"v_add_f32_e64 v0, m0, m0", "v_add_f32_e64 v0, vcc_lo, vcc_hi", "constant-bus"},
		{"v_add_f32_e64 v0, s1, 1.0", "v_add_f32_e64 v0, src_scc, s1", "constant-bus"},
		{"v_cndmask_b32_e32 v0, 1, v1, vcc", "v_cndmask_b32_e32 v0, 0x1234, v1, vcc", "constant-bus"},
		{"v_cndmask_b32_e64 v0, v2, v1, s[2:3]", "v_cndmask_b32_e64 v0, s2, v1, s[2:3]", "constant-bus"},
		{"v_div_fmas_f32 v0, 1.0, v1, v2", "v_div_fmas_f32 v0, vcc_lo, v1, v2", "constant-bus"},
		{"v_madak_f32 v0, 0x11213141, v0, 0x11213141", "v_madmk_f32 v0, s1, 0x11213141, v0", "constant-bus"},
		{"v_writelane_b32 v1, s2, m0", "v_writelane_b32 v1, m0, s2", "constant-bus"},
		{"v_add_f32_e64 v0, src_lds_direct, s1", "", ""},
		{"s_mov_b64 s[2:3], s[4:5]", "s_mov_b64 s[2:3], s[5:6]", "sgpr-alignment"},
		{"v_cmp_lt_f32_e64 s[2:3], v0, v1", "v_cmp_lt_f32_e64 s[3:4], v0, v1", "sgpr-alignment"},
		{"s_load_dword s0, exec, m0", "s_load_dwordx2 exec, s[2:3], 0x0", "scalar-memory-data"},
		{"v_interp_p1_f32 v0, v1, attr32.x", "v_interp_p2_f32 v0, v1, attr63.w", "attribute-range"},
		{"s_set_gpr_idx_on s0, 15", "s_set_gpr_idx_on s0, 0xff", "gpr-idx-mode"},
		{"v_add_f32 v0, lds_direct, v1", "v_lshlrev_b32 v0, lds_direct, v1", "lds-direct"},
		{"v_cvt_f64_f32_dpp v[0:1], v2 row_shl:1", "v_cvt_f32_f64_dpp v0, v[2:3] row_shl:1", "dpp-64bit"},
		{"v_mac_f32_sdwa v1, v2, v3 dst_unused:UNUSED_SEXT", "v_mac_f32_sdwa v1, v2, v3 dst_sel:WORD_0", "mac-dst-sel"},
		{"v_subb_u32_e64 v0, vcc, v1, v2, s[2:3]", "v_subb_u32_e64 v0, vcc, v1, v2, 1", "mask-source"},
		{"s_movrels_b32 s0, src_vccz", "s_movrels_b32 s0, 1", "register-source"},
		{"s_cbranch_g_fork 1, s[6:7]", "s_cbranch_g_fork 100, s[6:7]", "register-source"},
		{"s_load_dwordx4 s[96:99], s[2:3], 0x0", "s_load_dwordx8 ttmp[8:15], s[0:1], s0", "register-range"},
		{"image_gather4 v[0:3], v[0:1], s[0:7], s[0:3] dmask:0x8", "image_gather4 v[0:3], v[0:1], s[0:7], s[0:3] dmask:0x9", "gather-dmask"},
		{"image_atomic_cmpswap v[0:1], v0, s[0:7] dmask:0x3", "image_atomic_add v[0:2], v0, s[0:7] dmask:0x7", "atomic-dmask"},
		{"buffer_load_dword v[0:1], off, s[0:3], 0 tfe", "buffer_store_dword v[0:1], off, s[0:3], 0 tfe", "store-tfe"},
	} {
		tg := Set().At(gfx8, 0)
		if _, err := asm.Line(tg, c.good); err != nil {
			t.Errorf("%s: %v", c.good, err)
		}
		if c.bad == "" {
			continue
		}
		if _, err := asm.Line(tg, c.bad); err == nil || isa.AsError(err).Code != c.rule {
			t.Errorf("%s: %v, want an error of rule %s", c.bad, err, c.rule)
		}
	}
}
