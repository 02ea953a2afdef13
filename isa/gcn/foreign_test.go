package gcn

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// processors are one of each generation, as llvm-mc names them.
var processors = map[string]string{"gfx6": "gfx600", "gfx7": "gfx700", "gfx8": "gfx803", "gfx9": "gfx900", "gfx908": "gfx908", "gfx90a": "gfx90a", "gfx940": "gfx942",
	"gfx950": "gfx950", "gfx10": "gfx1010", "gfx10.3": "gfx1030", "gfx11": "gfx1100", "gfx11.5": "gfx1150", "gfx12": "gfx1200", "gfx12.5": "gfx1250"}

// TestLater: llvm-mc accepts each of the mnemonics of later generations in the generation that the table names, and
// in none of these three; no row has it.
func TestLater(t *testing.T) {
	names := map[string][]string{}
	for name, first := range later() {
		names[first] = append(names[first], name)
		if len(Set().Rows(name)) > 0 {
			t.Errorf("%s is in the table of later mnemonics, and has a row", name)
		}
	}
	if len(later()) < 1000 {
		t.Errorf("%d names", len(later()))
	}
	mc, err := exec.LookPath("llvm-mc-22")
	if err != nil {
		t.Skip("llvm-mc-22 is not installed: which generation has a mnemonic was not asked (Debian package llvm-22)")
	}
	lacks := func(gen string, list []string) map[int]bool {
		cmd := exec.Command(mc, "-triple=amdgcn", "-mcpu="+processors[gen], "-filetype=null")
		cmd.Stdin = strings.NewReader(strings.Join(list, "\n") + "\n")
		out, _ := cmd.CombinedOutput() // all lines are errors: they have no operands
		bad := map[int]bool{}
		for line := range strings.Lines(string(out)) {
			if p := strings.SplitN(line, ":", 4); len(p) == 4 && (strings.Contains(line, "not supported on this GPU") || strings.Contains(line, "invalid instruction")) {
				n := 0
				for _, c := range p[1] {
					n = 10*n + int(c-'0')
				}
				bad[n-1] = true
			}
		}
		return bad
	}
	for gen, list := range names {
		if missing := lacks(gen, list); len(missing) > 0 {
			t.Errorf("%s: llvm-mc lacks %d of %d mnemonics there", gen, len(missing), len(list))
		}
		for _, old := range []string{"gfx6", "gfx7", "gfx8"} {
			if missing := lacks(old, list); len(missing) != len(list) {
				t.Errorf("%s: llvm-mc has %d of %d mnemonics in %s", gen, len(list)-len(missing), len(list), old)
			}
		}
	}
}

// TestForeign: names of other generations, CLRX and older manuals lead to ours, and operands that LLVM implies may be
// omitted, with the bytes of llvm-mc 22.
func TestForeign(t *testing.T) {
	target := Set().At(gfx8, 0)
	for text, want := range map[string]string{
		"global_load_dword v0, v[1:2], off": "came with a later generation, gfx9; gfx8 has \"flat_load_dword\"",
		"v_mad_mix_f32 v0, v1, v2, v3":      "came with a later generation, gfx9; ",
		"v_add_nc_u32 v0, v1, v2":           "came with a later generation, gfx10; gfx8 has \"v_add_u32\"",
		"ds_load_b32 v0, v1":                "gfx11; gfx8 has \"ds_read_b32\"",
		"v_cmp_lg_u64 vcc, v[0:1], v[2:3]":  "; did you mean \"v_cmp_ne_u64\"?",
		"s_cmp_ne_u32 s0, s1":               "; did you mean \"s_cmp_lg_u32\"?",
		"v_fooo v1":                         "no instruction \"v_fooo\" in gcn; ",
	} {
		var b isa.Bundle
		e := isa.AsError(target.Parse(text, 0, &b))
		if got := e.Msg + "; " + e.Hint; !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{ // llvm-mc-22 -mcpu=gfx803 -show-encoding
		"v_cndmask_b32 v0, v1, v2": "01050000", "v_cndmask_b32_e32 v0, v1, v2": "01050000", "v_cmp_eq_f32 v0, v1": "0003847c",
		"v_cmp_eq_f32_e32 v0, v1": "0003847c", "v_cmpx_eq_f32 v0, v1": "0003a47c",
		"v_cndmask_b32_e64 v0, v1, v2": "", "v_addc_u32 v0, vcc, v1, v2": "", "v_add_u32 v0, v1, v2": "", "v_cmp_eq_f32_e64 v0, v1": "",
		"v_cndmask_b32_dpp v0, v1, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf": "",
	} {
		var b isa.Bundle
		got := ""
		if target.Parse(text, 0, &b) == nil {
			got = b.Parts[0].Word.Hex(b.Size())
		}
		if want != "" && len(got) > 0 {
			code, err := b.Encode(nil)
			got = ""
			if err == nil {
				for _, x := range code {
					got += string("0123456789abcdef"[x>>4]) + string("0123456789abcdef"[x&15])
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
