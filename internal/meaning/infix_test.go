package meaning_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// TestFormulas: semantics in the notation of the manuals, written from these: letters are operands in order, d is the
// destination.
func TestFormulas(t *testing.T) {
	for _, c := range []struct{ isa, text, want string }{
		{"gcn:gfx8", "v_mad_f32 v0, -v1, v2, s3 clamp", "d = sat(rne(-a * b) + c)"},
		{"gcn:gfx8", "v_fma_f32 v0, v1, |v2|, v3", "d = a * |b| + c"},
		{"gcn:gfx8", "v_fma_f64 v[0:1], v[2:3], v[4:5], 1.0", "d = a * b + 1"},
		{"gcn:gfx8", "v_sub_f32 v0, v1, v2", "d = a - b"},
		{"gcn:gfx8", "v_add_f16 v0, v1, v2", "d = a[15:0] + b[15:0]"},
		{"gcn:gfx8", "v_cmp_gt_f32 vcc, v0, v1", "d = ballot(b < a)"},
		{"gcn:gfx8", "v_cndmask_b32 v2, v0, v1, vcc", "d = lanes(c) ? b : a"},
		{"gcn:gfx8", "v_addc_u32 v0, vcc, v1, v2, vcc", "d = a + b + lanes(c)|d1 = ballot(carry(a + b + lanes(c)))"},
		{"gcn:gfx8", "s_sub_i32 s0, s1, s2", "d = a - b|scc = overflow(a - b)"},
		{"gcn:gfx8", "s_lshl_b64 s[0:1], s[2:3], s4", "t1 = a << u64(b)|d = t1|scc = t1 != 0"},
		{"gcn:gfx8", "s_cbranch_scc1 4", "pc = scc ? 0x14 : 0x4"},
		{"gcn:gfx8", "s_nop 0", ""},
		{"gcn:gfx8", "s_and_saveexec_b64 s[0:1], vcc", "t1 = a & exec|d = exec|exec = lanes(t1)|scc = t1 != 0"},
		{"gcn:gfx8", "s_bcnt1_i32_b64 s0, exec", "d = low32(popcount(exec))|scc = low32(popcount(exec)) != 0"},
		{"gcn:gfx8", "v_movrels_b32 v0, v1", "d = getx(v1, m0)"},
		{"gcn:gfx8", "v_mad_u64_u32 v[0:1], vcc, v2, v3, v[4:5]", "d = mulwideu(a, b) + c|d1 = ballot(carry(mulwideu(a, b) + c))"},
		{"gcn:gfx8", "s_load_dwordx2 s[0:1], s[2:3], 0x8", "d = {global32[(a & -4) + 8 + 4], global32[(a & -4) + 8]}"},
		{"valhall", "FADD.v2f16 r0, r1, r2", "d = a + b"},
		{"tesla:g80", "add f32 $r0 $r1 $r2", "d = a + b"},
		{"tesla:g80", "rcp f32 $r0 $r1", "d = tesla-rcp(a)"},
		{"attila", "mad r1.x, r2, r3, r4", "d = rne(a[0] * b[0]) + c[0]"},
	} {
		s, err := sets.Lookup(c.isa)
		if s == nil {
			t.Fatal(err)
		}
		var b isa.Bundle
		if err := s.Parse(c.text, 0, &b); err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := strings.Join(manual.PageOf(s, &b, 0).Formula, "|"); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}
