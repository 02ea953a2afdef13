package sanitize_test

import (
	"context"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// TestDecidesMany: masks that are computed of each other again and again depend on few comparisons.
func TestDecidesMany(t *testing.T) {
	text := "v_cvt_f32_u32 v5, v0\nv_sqrt_f32 v4, -v5\nv_cmp_lt_f32 vcc, v4, v5\ns_mov_b64 s[10:11], vcc\ns_mov_b64 s[12:13], vcc\n" +
		strings.Repeat("s_xor_b64 s[10:11], s[10:11], s[12:13]\ns_xor_b64 s[12:13], s[10:11], s[12:13]\n", 100) + "s_and_saveexec_b64 s[2:3], s[10:11]\ns_endpgm\n"
	found := numericOf(t, "gfx803", text, "portable")
	if len(found) != 1 || found[0].Kind != sanitize.Decides || found[0].Count != 63 {
		t.Errorf("%+v", found)
	}
}

// TestNumericBuffers: of one store to two buffers, what goes to the one that the host reads is told.
func TestNumericBuffers(t *testing.T) {
	const text = "s_load_dwordx4 s[0:3], s[4:5], 0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s0\nv_mov_b32 v3, s1\nv_mov_b32 v6, s2\nv_mov_b32 v7, s3\n" +
		"v_mov_b32 v4, 0x7f000000\nv_mul_f32 v4, 4.0, v4\nv_cmp_gt_u32 vcc, 32, v0\nv_cndmask_b32 v2, v6, v2, vcc\nv_cndmask_b32 v3, v7, v3, vcc\nflat_store_dword v[2:3], v4\ns_endpgm\n"
	p, err := heddle.MustFind("gfx803").Program(text, heddle.ProgramOptions{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	w := sanitize.New(sanitize.CheckNumeric, nil)
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}, Settings: launch.Settings{Watcher: w}}
	if _, err := p.Launch(context.Background(), l, make([]byte, 256), make([]byte, 256)); err != nil {
		t.Fatal(err)
	}
	for _, read := range []string{"arg0", "arg1"} {
		w.HostReads = func(b string) bool { return b == read }
		if f := w.Findings(); len(f) != 1 || f[0].Rule != "infinity-result" || f[0].Buffer != read || f[0].Count != 32 {
			t.Errorf("of %s: %+v", read, f)
		}
	}
}

// TestFlushesHidden: a denormal addend decides how a product halfway between two numbers is rounded, and a number that
// is normal in a wide format may be denormal in a narrow one.
func TestFlushesHidden(t *testing.T) {
	for _, c := range []struct {
		text   string
		values [3]float32
	}{
		{"v_fma_f32 v8, v5, v6, v7\n", [3]float32{1 + 0x1p-12, 1 + 0x1p-12, 0x1p-149}},
		{"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0\nv_cvt_f16_f32 v8, v5\n", [3]float32{1e-6}},
	} {
		var lanes [3][64]float32
		for i, v := range c.values {
			for k := range 64 {
				lanes[i][k] = v
			}
		}
		for _, engine := range engineNames {
			found := numericOf(t, "gfx803", loading+c.text+"s_endpgm\n", engine, lanesOf(&lanes)...)
			if len(found) != 1 || found[0].Kind != sanitize.Flushes || found[0].Count != 64 {
				t.Errorf("%q, %s: %+v", c.text, engine, found)
			}
		}
	}
}
