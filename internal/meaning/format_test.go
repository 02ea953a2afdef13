package meaning_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

var names = [...]string{meaning.Unknown: "?", meaning.Float: "f", meaning.Signed: "i", meaning.Unsigned: "u", meaning.Integer: "n", meaning.Mask: "m"}

// short formats a format: f32, f16@0 f16@16.
func short(f meaning.Format) string {
	var list []string
	for _, x := range f {
		list = append(list, fmt.Sprintf("%s%d@%d", names[x.Kind], x.Bits, x.At))
	}
	return strings.Join(list, " ")
}

// TestFormats: the formats in which instructions of all sets read and write their registers, by the types in the
// manuals.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ isa, program, reg, reads, writes string }{
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", "v1 v0", "f32@0", "f32@0"},
		{"gcn:gfx8", "v_add_f16 v0, v1, v2", "v1 v0", "f16@0", "f16@0"},
		{"gcn:gfx8", "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "v[2:3] v[0:1]", "f64@0", "f64@0"},
		{"gcn:gfx8", "v_cvt_pkrtz_f16_f32 v0, v1, v2", "v1 v0", "f32@0", "f16@0 f16@16"},
		{"gcn:gfx8", "v_cvt_f32_i32 v0, v1", "v1 v0", "i32@0", "f32@0"},
		{"gcn:gfx8", "v_cvt_u32_f32 v0, v1", "v1 v0", "f32@0", "u32@0"},
		{"gcn:gfx8", "v_cvt_f32_ubyte2 v0, v1", "v1 v0", "u8@16", "f32@0"},
		{"gcn:gfx8", "v_cmp_lt_i32 vcc, v0, v1", "v1 vcc", "i32@0", "m64@0"},
		{"gcn:gfx8", "v_mov_b32 v0, v1", "v1 v0", "", ""},
		{"gcn:gfx8", "v_mov_b32 v0, v1; v_add_f32 v2, v0, v1", "v1 v2", "f32@0", "f32@0"},
		{"gcn:gfx8", "s_ashr_i32 s0, s1, s2", "s1 s0", "i32@0", "i32@0"},
		{"gcn:gfx8", "v_add_f32_sdwa v0, v1, v2 dst_sel:DWORD src0_sel:WORD_1", "v2 v0", "f32@0", "f32@0"},
		{"valhall", "FADD.v2f16 r0, r1, r2", "r1 r0", "f16@0 f16@16", "f16@0 f16@16"},
		{"valhall", "IADD.s32 r0, r1, r2", "r1 r0", "n32@0", "n32@0"},
		{"tesla:g80", "add f32 $r0 $r1 $r2", "r1 r0", "f32@0", "f32@0"},
		{"tesla:g80", "rcp f32 $r0 $r1", "r1 r0", "", "f32@0"},
		{"attila", "add r1, r2, r3", "r2.x r1.x", "f32@0", "f32@0"},
	} {
		s, err := sets.Lookup(c.isa)
		if s == nil {
			t.Fatal(err)
		}
		fs := meaning.NewFormats()
		for _, text := range strings.Split(c.program, "; ") {
			var b isa.Bundle
			if err := s.Parse(text, 0, &b); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			fs.Add(s.Machine(), s.LiftOne(&b, 0))
		}
		regs := strings.Fields(c.reg)
		for i, of := range []map[ir.Cell]meaning.Format{fs.Reads, fs.Writes} {
			cells, err := s.Set.Cell(s.Variant, regs[i])
			if err != nil {
				t.Fatal(err)
			}
			var list []meaning.Format
			for _, cell := range cells {
				list = append(list, of[cell])
			}
			if got, want := short(meaning.Join(list, 32)), [...]string{c.reads, c.writes}[i]; got != want {
				t.Errorf("%s %s: %s is %q, want %q", c.isa, c.program, regs[i], got, want)
			}
		}
	}
}
