package costs_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/costs"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// report models text.
func report(t *testing.T, name, chip, text string, waves int, set ...string) *costs.Report {
	t.Helper()
	tg, err := sets.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{File: "x.s"})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	c, err := chips.Named(a.Target.FullName(), chip)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range set {
		if err := c.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	code := &disasm.Code{Target: a.Target, Pieces: []disasm.Piece{{Code: a.Code, Base: a.Base}}, Symbols: a.Labels}
	return costs.Code(code, c, waves, code.Name)
}

// TestModel: clocks that follow by hand from the figures: 4 of an instruction, 16 of v_rcp_f32, 8 and 320 of a load, of
// LDS 8 of a SIMD's share and 2 of the unit for a word, 20 of a branch that is taken.
func TestModel(t *testing.T) {
	for _, c := range []struct {
		text        string
		waves       int
		path, alone float64
		clocks      float64
		bound       string
		at          []float64
		critical    string
	}{
		{"v_mul_f32 v0, v1, v1\nv_rcp_f32 v2, v0\nv_add_f32 v3, v2, v2", 1, 24, 24, 24, "valu", []float64{0, 4, 20}, "***"},
		{"buffer_load_dword v0, off, s[0:3], 0\nv_mov_b32 v2, 0\nv_add_f32 v1, v0, v0", 1, 324, 324, 324, costs.ByLatency, []float64{0, 8, 320}, "* *"},
		{"buffer_load_dword v0, off, s[0:3], 0\nv_mov_b32 v2, 0\nv_add_f32 v1, v0, v0", 10, 324, 324, 32.4, costs.ByLatency, []float64{0, 8, 320}, "* *"},
		{"buffer_load_dword v0, off, s[0:3], 0\nv_mov_b32 v2, 0\nv_add_f32 v1, v0, v0", 100, 324, 324, 8, "valu", []float64{0, 8, 320}, "* *"},
		{"v_mov_b32 v0, 0\ns_mov_b32 s0, 0\nv_mov_b32 v1, 0", 1, 4, 12, 12, costs.ByIssue, []float64{0, 4, 8}, "*  "},
		{"ds_read_b32 v0, v1\nds_read_b32 v2, v3", 4, 20, 24, 16, "lds", []float64{0, 4}, "* "},
		{"s_mov_b64 exec, s[0:1]\nv_mov_b32 v1, 0\nbuffer_store_dword v1, off, s[0:3], 0", 1, 24, 24, 24, costs.ByIssue, []float64{0, 4, 8}, "***"},
		{"l: v_add_f32 v0, v0, v1\nv_add_f32 v2, v2, v1\ns_cbranch_scc1 l", 1, 4, 28, 28, costs.ByIssue, []float64{0, 4, 8}, "*  "},
		{"l: v_add_f32 v0, v0, v1\ns_cbranch_scc1 l", 10, 4, 24, 4, "branch", []float64{0, 4}, "* "},
		{"l: v_rcp_f32 v0, v0\nv_add_f32 v0, v0, v1\ns_cbranch_scc1 l", 10, 20, 40, 20, "valu", []float64{0, 16, 20}, "** "},
		{"buffer_load_dword v0, off, s[0:3], 0\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, 0", 1, 320, 328, 328, costs.ByLatency, []float64{0, 320, 324}, "*  "},
		{"buffer_load_dword v0, off, s[0:3], 0\nbuffer_load_dword v1, off, s[0:3], 0\ns_waitcnt vmcnt(1)\nv_mov_b32 v2, v0", 1, 324, 328, 328, costs.ByLatency, []float64{0, 8, 320, 324}, "*  *"},
		{"buffer_store_dword v0, off, s[0:3], 0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, 0\ns_waitcnt vmcnt(0)", 1, 16, 324, 324, costs.ByLatency, []float64{0, 16, 20, 320}, "*   "},
		{"s_load_dword s0, s[2:3], 0\nds_read_b32 v0, v1\ns_waitcnt lgkmcnt(0)", 1, 30, 34, 34, costs.ByLatency, []float64{0, 4, 30}, "*  "},
		{"s_add_u32 s0, s0, s1\ns_addc_u32 s2, s2, s3\ns_cselect_b32 s4, 1, 0", 1, 12, 12, 12, "salu", []float64{0, 4, 8}, "***"},
	} {
		b := report(t, "gcn:gfx8", "fiji", c.text, c.waves).Blocks[0]
		critical, at := "", []float64{}
		for i := range b.Insts {
			at = append(at, b.Insts[i].At)
			critical += map[bool]string{true: "*", false: " "}[b.Insts[i].Critical]
		}
		same := len(at) == len(c.at)
		for i := range at {
			same = same && at[i] == c.at[i]
		}
		if *b.Path != c.path || *b.Alone != c.alone || b.Clocks != c.clocks || b.Bound != c.bound || !same || critical != c.critical {
			t.Errorf("%q, %d waves: path %g, alone %g, clocks %g by %s, at %v, %q; want %+v", c.text, c.waves, *b.Path, *b.Alone, b.Clocks, b.Bound, at, critical, c)
		}
	}
}

// TestSet: a figure of the user changes the model, and is listed as such.
func TestSet(t *testing.T) {
	r := report(t, "gcn:gfx8", "", "buffer_load_dword v0, off, s[0:3], 0\nv_add_f32 v1, v0, v0", 1, "vmem.latency=1000")
	if got := *r.Blocks[0].Alone; got != 1004 {
		t.Errorf("%g", got)
	}
	found := false
	for _, f := range r.Figures {
		found = found || f.Name == "vmem.latency" && f.Sure == chips.Given
		if strings.HasPrefix(f.Name, "lds") {
			t.Errorf("%s is of no instruction", f.Name)
		}
	}
	if !found || !r.Default || r.Chip != "fiji" {
		t.Errorf("%+v", r)
	}
}

// TestOnly: figures are those of the blocks that are kept.
func TestOnly(t *testing.T) {
	r := report(t, "gcn:gfx8", "", "ds_read_b32 v0, v1\ns_cbranch_scc1 l\ns_endpgm\nl: v_add_f32 v1, v0, v0\ns_endpgm", 1)
	c, _ := chips.Named("gcn:gfx8", "")
	has := func(unit string) bool {
		return slices.ContainsFunc(r.Figures, func(f chips.Figure) bool { return strings.HasPrefix(f.Name, unit+".") })
	}
	if !has("lds") || !has("valu") {
		t.Errorf("%+v", r.Figures)
	}
	if r.Only(c, func(addr uint64) bool { return addr == 16 }); has("lds") || has("branch") || !has("valu") || !has("wave") || len(r.Blocks) != 1 {
		t.Errorf("%+v", r)
	}
}

// TestOthers: of sets whose sources have no latency the units alone bound; what has no figure is counted.
func TestOthers(t *testing.T) {
	b := report(t, "valhall:v9", "Mali-G57", "FMA.f32 r0, r1, r2, r3\nFRCP.f32 r4, r0\nLOAD.i32.slot0 @r0, r2, offset:0\n", 1).Blocks[0]
	if b.Path != nil || b.Alone != nil || b.Bound != "sfu" || b.Clocks != 2 || b.Lacks != 1 { // 16 lanes at 8 a clock
		t.Errorf("%+v", b)
	}
	b = report(t, "tesla:g80", "", "mul f32 $r0 $r1 $r1\nrcp f32 $r2 $r0\nmov b32 $r3 $r2\n", 1).Blocks[0]
	if *b.Path != 72 || *b.Alone != 72 || b.Bound != costs.ByLatency { // three times 24
		t.Errorf("%+v %g %g", b, *b.Path, *b.Alone)
	}
}

// TestRows: every row of every set has a model, of finite clocks, and none is slower than a million.
func TestRows(t *testing.T) {
	n := 0
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			tg := s.At(v, 0)
			chip, err := chips.Named(tg.FullName(), "")
			if err != nil {
				t.Fatal(err)
			}
			for i := range tg.Defs {
				d := &tg.Defs[i]
				if !d.InVariant(v) || d.Class != 0 {
					continue
				}
				bundle := isa.Bundle{Parts: []isa.Inst{{Def: d, Word: d.Value(), Var: uint8(v), Size: uint8(d.EncodedSize(d.Value()))}}}
				b := costs.Of(tg, chip, 1, []isa.Bundle{bundle}, i%2 == 0)
				n++
				if math.IsNaN(b.Clocks) || b.Clocks < 0 || b.Clocks > 1e6 || len(b.Insts) != 1 {
					t.Errorf("%s: %s: %+v", tg, d.Name, b)
				}
			}
		}
	}
	if n < 5000 {
		t.Errorf("%d rows", n)
	}
}

// TestLoops: the innermost loops of several blocks, wherever control enters, are modelled as their blocks together.
func TestLoops(t *testing.T) {
	for _, c := range []struct {
		what, text string
		loops      [][]uint64 // the blocks of each
		alone      float64
	}{
		{"entered in its middle", "s_branch m\nl: v_add_f32 v0, v0, v1\nm: v_add_f32 v1, v1, v2\ns_cbranch_scc1 l\ns_endpgm", [][]uint64{{4, 8}}, 4 + 4 + 20},
		{"within another", "o: s_mov_b32 s1, 0\nl: v_add_f32 v0, v0, v1\ns_cbranch_vccz e\nv_add_f32 v1, v1, v2\ns_cbranch_scc1 l\ne: s_cbranch_scc0 o\ns_endpgm", [][]uint64{{4, 12}}, 4 + 4 + 4 + 20},
		{"around one of one block", "o: s_mov_b32 s1, 0\nl: v_add_f32 v0, v0, v1\ns_cbranch_scc1 l\ns_cbranch_scc0 o\ns_endpgm", nil, 0},
		{"none", "s_cbranch_scc1 l\nv_add_f32 v0, v0, v1\nl: s_endpgm", nil, 0},
	} {
		var got [][]uint64
		for _, b := range report(t, "gcn:gfx8", "fiji", c.text, 1).Blocks {
			if len(b.Of) == 0 {
				continue
			}
			if got = append(got, b.Of); *b.Alone != c.alone || !b.Loop {
				t.Errorf("%s: a wave alone %g, want %g", c.what, *b.Alone, c.alone)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.loops) {
			t.Errorf("%s: loops %v, want %v", c.what, got, c.loops)
		}
	}
}

// TestManyLoops: finding loops takes time in proportion to the code.
func TestManyLoops(t *testing.T) {
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "l%d: s_cbranch_vccz m%d\nv_nop\nm%d: s_cbranch_scc0 l%d\n", i, i, i, i)
	}
	text.WriteString("s_endpgm\n")
	n := 0
	for _, b := range report(t, "gcn:gfx8", "", text.String(), 1).Blocks {
		if len(b.Of) == 3 {
			n++
		}
	}
	if n != 4000 {
		t.Errorf("%d loops", n)
	}
}
