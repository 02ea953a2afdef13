package gcn

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestMisspeltWords: each word of each row's signature, if misspelt, is an error that names the row and the word.
func TestMisspeltWords(t *testing.T) {
	for _, f := range families() {
		for _, r := range f.rows {
			words := strings.Fields(r.sig)
			for i, w := range words {
				if w == "=" || w == "|" || strings.HasPrefix(w, "also=") {
					continue
				}
				bad := append(append(append([]string{}, words[:i]...), w+"q"), words[i+1:]...)
				text := strings.Join(bad, " ")
				if _, err := f.words.parse(text, arch.Options); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(w, "opt=")+"q") {
					t.Errorf("%s (%s): signature %q: error %v", r.name, f.name, text, err)
				}
			}
		}
	}
}

// TestColumns: an error in any column of a row prevents the set from being compiled.
func TestColumns(t *testing.T) {
	for _, test := range []struct{ family, sig, want string }{
		{"VOP2", "b33 = b32 b32", `no operand "b33"`},
		{"VOP2", "b32 = b32 b31", `no operand "b31"`},
		{"VOP2", "b32 = b32 simm", `no operand "simm"`}, // a word of another family
		{"VOP2", "b32 = b32 b32 | clmap", `no word "clmap"`},
		{"VOP2", "b32 = b32 b32 | off2", `no word "off2"`},
		{"VOP2", "b32 = b32 b32 | r:bogus", `no word "r:bogus"`},
		{"VOP2", "b32 = b32 b32 | x:vcc", `no word "x:vcc"`},
		{"VOP2", "b32 = b32 b32 | opt=bogus", `no option "bogus"`},
		{"VOP2", "b32 = b32 b32 | also=", `no word "also="`},
		{"VOP2", "b32 b32 b32", "no = between results and sources"},
		{"SOP2", "b32 scc = b32 b32 | clamp", `no word "clamp"`},
		{"SOP2", "b32 sc = b32 b32", `no operand "sc"`},
		{"DS", "= a b32 | off3", `no word "off3"`},
		{"DS", "= a b32 | no:scc", `no word "no:scc"`},
		{"MUBUF", "b32 = | ldss", `no word "ldss"`},
		{"MUBUF", "", "no form fits it"},
		{"MIMG", "x = 5", `no operand "5"`},
		{"EXP", "= b32", `no operand "b32"`},
		{"VINTRP", "= w", `no operand "w"`},
	} {
		fs := families()
		for i := range fs {
			if fs[i].name == test.family {
				fs[i].rows = []row{{op8: 1, name: "made_up", sig: test.sig, mean: eff(liftNop), doc: "Nothing."}}
				break
			}
		}
		_, err := compile(gens[:], fs, 0)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "made_up ("+test.family+")") {
			t.Errorf("%s: signature %q: error %v, want %q", test.family, test.sig, err, test.want)
		}
	}
}

// TestVocabulary: every word is known to a family and used by a row.
func TestVocabulary(t *testing.T) {
	var all flag
	usedOpnds, usedFlags := map[opnd]bool{}, flag(0)
	for _, f := range families() {
		all |= f.words.flags
		for _, r := range f.rows {
			s, err := f.words.parse(r.sig, arch.Options)
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			for _, o := range append(s.dst, s.src...) {
				usedOpnds[o] = true
			}
			usedFlags |= s.flags
		}
	}
	for o := oNone + 1; o < numOpnds; o++ {
		if opnds[o].text == "" || !usedOpnds[o] {
			t.Errorf("operand %d, %q, is in no row", o, opnds[o].text)
		}
	}
	for _, f := range flags {
		if all&f.flag == 0 || usedFlags&f.flag == 0 {
			t.Errorf("flag %q is in no family or row", f.text)
		}
	}
}

// TestLayouts: no two fields of a layout overlap, except alternatives. Each layout is that of a generation.
func TestLayouts(t *testing.T) {
	var has layouts
	for _, g := range gens {
		for id, e := range g.layouts() {
			if e == nil {
				continue
			}
			has[id] = e
			share := []string{}
			switch e.Name {
			case "DS":
				share = []string{"offset", "offset0", "offset1"}
			case "SMEM", "SMRD":
				share = []string{"offset", "soffset"}
			}
			if err := e.CheckLayout(share...); err != nil {
				t.Error(err)
			}
		}
	}
	for id, e := range has {
		if e == nil {
			t.Errorf("no generation has layout %d", id)
		}
	}
}

// TestGenerations: the rows of a generation follow from opcodes and layouts, and its registers from its codes.
func TestGenerations(t *testing.T) {
	set := Set()
	for _, test := range []struct {
		gen  int
		word uint64
		want string
	}{
		{gfx7, 0x03<<25 | 1<<17 | 2<<9 | 0x100, "v_add_f32_e32 v1, v0, v2"}, // opcodes of the own column
		{gfx8, 0x03<<25 | 1<<17 | 2<<9 | 0x100, "v_subrev_f32_e32 v1, v0, v2"},
		{gfx7, 0x19<<25 | 1<<17 | 2<<9 | 0x100, "v_lshl_b32_e32 v1, v0, v2"},
		{gfx7, 0x1b<<25 | 103, "v_and_b32_e32 v0, s103, v0"}, // registers by the own codes
		{gfx7, 0x1b<<25 | 105, "v_and_b32_e32 v0, flat_scratch_hi, v0"},
		{gfx8, 0x13<<25 | 103, "v_and_b32_e32 v0, flat_scratch_hi, v0"},
		{gfx8, 0x13<<25 | 105, "v_and_b32_e32 v0, xnack_mask_hi, v0"},
		{gfx8, 0x13<<25 | 248, "v_and_b32_e32 v0, 0.15915494, v0"},
		{gfx7, 0x01<<25 | 5<<17 | 3<<9 | 0x102, "v_readlane_b32 s5, v2, s3"}, // in another family
		{gfx7, 0x34<<26 | 0x103<<17 | 1 | 0x100<<32 | 0x101<<41, "v_add_f32_e64 v1, v0, v1"},
		{gfx7, 0x34<<26 | 0x181<<17 | 1 | 0x100<<32, "v_mov_b32_e64 v1, v0"}, // with its own base of VOP1
		{gfx8, 0x34<<26 | 0x141<<16 | 1 | 0x100<<32, "v_mov_b32_e64 v1, v0"},
	} {
		var b isa.Bundle
		code := make([]byte, 8)
		for i := range code {
			code[i] = byte(test.word >> (8 * i))
		}
		tg := set.At(test.gen, 0)
		if err := tg.DecodeBundle(code, 0, &b); err != nil {
			t.Errorf("%s: %x: %v", tg, test.word, err)
			continue
		}
		if got := b.Parts[0].String(); got != test.want {
			t.Errorf("%s: %x is %q, want %q", tg, test.word, got, test.want)
		}
	}
	var b isa.Bundle
	code := []byte{248, 0, 0, 0x1b << 1, 0, 0, 0, 0} // v_and_b32 with 1/(2 pi), which is of gfx8 only
	if err := set.At(gfx7, 0).DecodeBundle(code, 0, &b); err == nil || !strings.Contains(err.Error(), "reserved") {
		t.Errorf("gfx7: %x: error %v, want a reserved value", code, err)
	}
	testGenerationText(t, set)
}

func testGenerationText(t *testing.T, set *isa.Set) {
	for _, test := range []struct {
		gen        int
		text, want string // part of the error, "" if there is none
	}{
		{gfx8, "v_lshl_b32 v0, v1, v2", "not in gfx8, only in gfx7"},
		{gfx7, "v_mov_b32_sdwa v0, v1", "not in gfx7, only in gfx8"}, // no layout
		{gfx6, "flat_load_dword v0, v[1:2]", "not in gfx6, only in gfx8, gfx7"},
		{gfx6, "s_load_dword s0, s[2:3], 0x100", "does not fit 8 bits"}, // no literal
		{gfx7, "s_load_dword s0, s[2:3], 0x100", ""},
		{gfx7, "v_and_b32 v0, xnack_mask_lo, v0", "xnack_mask_lo"}, // no such register
		{gfx8, "v_and_b32 v0, s103, v0", "out of range"},
		{gfx7, "v_and_b32 v0, s103, v0", ""},
		{gfx6, "v_and_b32 v0, v1, v0", ""},
		{gfx6, "v_and_b32 v0, flat_scratch_lo, v0", "flat_scratch_lo"},
	} {
		var b isa.Bundle
		err := set.At(test.gen, 0).Parse(test.text, 0, &b)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q: error %v, want %q", set.At(test.gen, 0), test.text, err, test.want)
		}
	}
	shared := 0
	for _, d := range set.Rows("ds_add_u32") { // equal in two: one row
		if d.Variants == 1<<gfx7|1<<gfx6 {
			shared++
		}
	}
	if n := len(set.Rows("ds_add_u32")); n != 2 || shared != 1 {
		t.Errorf("ds_add_u32 has %d rows, %d of them for gfx6 and gfx7, want 2 and 1", n, shared)
	}
	if rows := set.Rows("s_nop"); len(rows) != 1 {
		t.Errorf("s_nop has %d rows, want one for all", len(rows))
	}
}
