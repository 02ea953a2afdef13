package chips

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

var update = flag.Bool("update", false, "write the tables of docs/costs.md")

// costs returns what an instruction costs.
func costs(t *testing.T, name, text string) []isa.Cost {
	t.Helper()
	tg, err := sets.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	var b isa.Bundle
	if err := tg.Parse(text, 0, &b); err != nil {
		t.Fatalf("%s: %s: %v", name, text, err)
	}
	return tg.Costs(tg, &b)
}

// TestTimes checks issues against what CLRX's doc/GcnTimings.md measured, of LDS in clocks of a compute unit, and
// against the guides of NVIDIA and the text of ATTILA.
func TestTimes(t *testing.T) {
	for _, c := range []struct {
		isa, chip, text string
		issue, latency  float64
	}{
		{"gcn:gfx8", "fiji", "v_add_f32 v0, v0, v0", 4, 4}, {"gcn:gfx8", "", "v_rcp_f32 v0, v0", 16, 16}, {"gcn:gfx8", "", "v_cvt_f32_i32 v0, v0", 4, 4},
		{"gcn:gfx8", "fiji", "v_fma_f32 v0, v0, v0, v0", 16, 16}, {"gcn:gfx8", "carrizo", "v_fma_f32 v0, v0, v0, v0", 4, 4}, {"gcn:gfx8", "", "v_mul_lo_u32 v0, v0, v0", 16, 16},
		{"gcn:gfx8", "fiji", "v_add_f64 v[0:1], v[0:1], v[0:1]", 32, 32}, {"gcn:gfx8", "fiji", "v_mul_f64 v[0:1], v[0:1], v[0:1]", 64, 64}, {"gcn:gfx8", "fiji", "v_cvt_f64_f32 v[0:1], v0", 32, 32},
		{"gcn:gfx6", "tahiti", "v_add_f64 v[0:1], v[0:1], v[0:1]", 8, 8}, {"gcn:gfx6", "tahiti", "v_mul_f64 v[0:1], v[0:1], v[0:1]", 16, 16}, {"gcn:gfx6", "pitcairn", "v_rcp_f64 v[0:1], v[0:1]", 64, 64},
		{"gcn:gfx7", "hawaii", "v_fma_f64 v[0:1], v[0:1], v[0:1], v[0:1]", 32, 32}, {"gcn:gfx7", "firepro-hawaii", "v_fma_f64 v[0:1], v[0:1], v[0:1], v[0:1]", 8, 8}, {"gcn:gfx7", "gfx701", "v_fma_f32 v0, v0, v0, v0", 4, 4}, {"gcn:gfx7", "gfx702", "v_fma_f64 v[0:1], v[0:1], v[0:1], v[0:1]", 32, 32},
		{"gcn:gfx8", "", "s_add_u32 s0, s0, s0", 4, 4}, {"gcn:gfx8", "", "s_setreg_b32 hwreg(HW_REG_MODE), s0", 8, 8}, {"gcn:gfx6", "", "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 1", 8, 8},
		{"gcn:gfx8", "", "s_getreg_b32 s0, hwreg(HW_REG_MODE)", 4, 4}, {"gcn:gfx8", "", "s_and_saveexec_b64 s[0:1], s[2:3]", 8, 8}, {"gcn:gfx7", "", "s_xnor_saveexec_b64 s[0:1], s[2:3]", 8, 8},
		{"gcn:gfx8", "", "s_load_dword s0, s[2:3], 0x0", 4, 30}, {"gcn:gfx8", "", "s_branch 0", 4, 0},
		{"gcn:gfx8", "fiji", "ds_read_b32 v0, v0", 4 * 2, 20}, {"gcn:gfx8", "fiji", "ds_read_b64 v[0:1], v0", 4 * 4, 20}, {"gcn:gfx8", "fiji", "ds_read2_b64 v[0:3], v0", 4 * 8, 20},
		{"gcn:gfx8", "fiji", "ds_write_b32 v0, v0", 4 * 4, 20}, {"gcn:gfx8", "fiji", "ds_write2_b32 v0, v0, v0", 4 * 6, 20}, {"gcn:gfx8", "fiji", "ds_write_b128 v0, v[0:3]", 4 * 10, 20},
		{"gcn:gfx8", "fiji", "ds_add_rtn_u64 v[0:1], v0, v[0:1]", 4 * 6, 20}, {"gcn:gfx8", "fiji", "ds_cmpst_rtn_b32 v0, v0, v0, v0", 4 * 6, 20}, {"gcn:gfx8", "stoney", "ds_read_b32 v0, v0", 4 * 4, 20}, {"gcn:gfx7", "mullins", "ds_read_b32 v0, v0", 4 * 4, 20},
		{"gcn:gfx8", "", "buffer_load_dword v0, off, s[0:3], 0", 8, 320}, {"gcn:gfx8", "", "buffer_store_dword v0, off, s[0:3], 0", 16, 320},
		{"tesla:g80", "", "rcp f32 $r0 $r0", 16, 24}, {"tesla:g80", "", "add f32 $r0 $r0 $r1", 4, 24}, {"tesla:g200", "gt200", "add rn f64 $r0d $r0d $r2d", 32, 32},
		{"attila:attila", "", "sin r0, r1", 6, 12}, {"attila:sim", "", "muli r0, r1, r2", 1, 2},
		{"valhall:v9", "Mali-G57", "FMA.f32 r0, r1, r2, r3", 0.5, 0}, {"valhall:v10", "Mali-G310v1", "FRCP.f32 r0, r1", 4, 0},
	} {
		chip, err := Named(c.isa, c.chip)
		if err != nil {
			t.Error(err)
			continue
		}
		cost := costs(t, c.isa, c.text)[0]
		if got := chip.Time(&cost); got.Issue != c.issue || got.Latency != c.latency || !got.Known {
			t.Errorf("%s: %s: %+v, want %g and %g", chip.Name, c.text, got, c.issue, c.latency)
		}
	}
}

// TestLDS checks all instructions of LDS against the table of CLRX, with 32 banks. What it has no time of is not said
// to be measured.
func TestLDS(t *testing.T) {
	data, err := os.ReadFile("testdata/clrx_ds.txt")
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if name, clocks, _ := strings.Cut(strings.TrimSpace(line), " "); clocks != "?" {
			measured[name] = clocks
		}
	}
	tg, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	chip, _ := Named("gcn:gfx8", "fiji")
	compared := 0
	for i := range tg.Defs {
		d := &tg.Defs[i]
		if !d.InVariant(tg.Variant) {
			continue
		}
		c := tg.Costs(tg, &isa.Bundle{Parts: []isa.Inst{{Def: d, Word: d.Value(), Var: uint8(tg.Variant)}}})[0]
		if c.Unit != "lds" {
			continue
		}
		want, found := measured[d.Name]
		if sure := chip.of(&c, "issue").Sure; found != (sure == Measured) {
			t.Errorf("%s: %s", d.Name, sure)
		}
		if got := fmt.Sprint(chip.Time(&c).Alone); found && got != want {
			t.Errorf("%s: %s clocks, want %s", d.Name, got, want)
		} else if found {
			compared++
		}
	}
	if compared < 110 {
		t.Errorf("%d instructions", compared)
	}
}

// TestFigures: each figure has a source and is named once, and each variant has a chip.
func TestFigures(t *testing.T) {
	of := map[string]bool{}
	for _, c := range Chips("") {
		of[c.ISA] = true
		for i := range c.Figures {
			f := &c.Figures[i]
			if f.Source == "" || !slices.Contains([]string{Documented, Measured, Compiler, Derived, Assumed}, f.Sure) || c.Figure(f.Name) != f {
				t.Errorf("%s: %+v", c.Name, *f)
			}
		}
	}
	for _, s := range sets.Sets() {
		for _, v := range s.Variants {
			if !of[s.Name+":"+v.Name] {
				t.Errorf("%s:%s has no chip", s.Name, v.Name)
			}
		}
	}
}

// TestSet: figures are set by name, of one chip alone; what is no figure, no number or no chip is an error.
func TestSet(t *testing.T) {
	c, _ := Named("gcn:gfx8", "fiji")
	if err := c.Set("vmem.latency=400"); err != nil || c.Value("vmem.latency") != 400 || c.Figure("vmem.latency").Sure != Given {
		t.Errorf("%v, %+v", err, c.Figure("vmem.latency"))
	}
	if d, _ := Named("gcn:gfx8", "fiji"); d.Value("vmem.latency") != 320 {
		t.Error("the table has changed")
	}
	for _, text := range []string{"vmem.latency", "vmem.latency=", "vmem.latency=-1", "vmem.latency=NaN", "vmem.latncy=4", "=3", "vmem.latency=1e9", "chip.cores=0", "chip.cores=0.5", "wave.lanes=0", "simd.waves=1.5", "lds.shared=0"} {
		if err := c.Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for _, x := range [...][3]string{{"gcn:gfx8", "tahiti", "tahiti is no chip of gcn:gfx8, only fiji,"}, {"gcn:gfx8", "fijj", `no chip "fijj"; fiji is the nearest`}, {"toy:a", "", "no source has a figure"}} {
		if _, err := Named(x[0], x[1]); err == nil || !strings.HasPrefix(err.Error(), x[2]) {
			t.Errorf("%s %s: %v, want %s", x[0], x[1], err, x[2])
		}
	}
}

// The tables of docs/costs.md lie between these lines.
const from, to = "<!-- figures: go test ./internal/chips -update -->\n", "<!-- end of figures -->\n"

// TestDocs: docs/costs.md has every figure of every chip.
func TestDocs(t *testing.T) {
	const path = "../../docs/costs.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := bytes.Cut(data, []byte(from))
	_, tail, ok2 := bytes.Cut(rest, []byte(to))
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for figures", path)
	}
	want := slices.Concat(head, []byte(from+tables()+to), tail)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, data) {
		t.Errorf("%s is not what the tables say; -update writes it", path)
	}
}

// tables lists the figures by set: those of its first chip, then of each other chip those that differ.
func tables() string {
	var b strings.Builder
	var of []*Chip
	for _, c := range Chips("") {
		set, _, _ := strings.Cut(c.ISA, ":")
		if len(of) == 0 || !strings.HasPrefix(of[0].ISA, set+":") {
			of = nil
			fmt.Fprintf(&b, "\n### %s\n\n| chip | figure | value | confidence | source |\n|---|---|---|---|---|\n", set)
		}
		name := c.Name
		if c.Default {
			name += ", default of " + c.ISA
		}
		same := slices.IndexFunc(of, func(d *Chip) bool { return slices.Equal(ofCores(c.Figures), ofCores(d.Figures)) })
		if same >= 0 {
			fmt.Fprintf(&b, "| %s | as %s | | | |\n", name, of[same].Name)
			name = ""
		}
		for i := 0; i < len(c.Figures); i++ {
			f := c.Figures[i]
			if len(of) > 0 && slices.Contains(of[0].Figures, f) || same >= 0 && slices.Contains(of[same].Figures, f) {
				continue
			}
			what, also := f.Name, f
			if unit, is := strings.CutSuffix(f.Name, ".issue"); is {
				if also.Name = unit + ".latency"; slices.Contains(c.Figures, also) {
					what, i = what+", latency", i+1
				}
			}
			fmt.Fprintf(&b, "| %s | %s | %g | %s | %s |\n", name, what, f.Value, f.Sure, f.Source)
			name = ""
		}
		of = append(of, c)
	}
	return b.String() + "\n"
}

// ofCores leaves out how many cores there are.
func ofCores(list []Figure) []Figure {
	return slices.DeleteFunc(slices.Clone(list), func(f Figure) bool { return f.Name == "chip.cores" })
}
