package gcn

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestUnits checks units and classes of all rows that llvm-mca knows against its tables: testdata/llvm_mca.txt.
func TestUnits(t *testing.T) {
	type seen struct{ units, latency string }
	known := map[string]seen{}
	data, err := os.ReadFile("testdata/llvm_mca.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(strings.TrimSpace(line), "; "); len(f) == 4 {
			for _, name := range strings.Fields(f[3]) {
				known[f[0]+" "+name] = seen{f[1], f[2]}
			}
		}
	}
	// llvm-mca takes what goes on at an address in registers, but for s_setpc, and messages for scalar arithmetic.
	ours := map[string][]string{"HWVALU": {"valu"}, "HWSALU": {"salu", "internal", "message", "branch"}, "HWSALU/HWVALU": {"valu"}, "HWLGKM": {"smem", "lds", "gds"},
		"HWVMEM": {"vmem", "flat"}, "HWBranch": {"branch", "internal"}, "HWExport": {"export"}, "none": {"internal"}}
	// Latencies by class, of tahiti and verde, and of gfx803, and where CLRX's doc/GcnTimings.md, which was measured,
	// has another class: products of 64-bit floats, which llvm-mca has at the rate of sums, and v_fma_f32, at the full
	// rate; the steps of divisions; conversions of 64 bits, which take as long as sums.
	latency := map[string][]string{"full": {"1 1", "1"}, "wide": {"2 2", "2"}, "quarter": {"4 4", "4"}, "convert": {"4 4", "4"}, "add64": {"2 8", "8"},
		"mul64": {"4 16", "16"}, "trans64": {"4 16", "16"}}
	differ := map[string]string{"v_fma_f32": "fma", "v_fma_f64": "mul64", "v_mul_f64": "mul64", "v_div_scale_f64": "add64",
		"v_div_fixup_f32": "quarter", "v_div_fmas_f32": "quarter", "v_div_scale_f32": "quarter", "v_mqsad_pk_u16_u8": "quarter", "v_qsad_pk_u16_u8": "quarter",
		"v_cvt_f32_f64": "add64", "v_cvt_f64_f32": "add64", "v_cvt_f64_i32": "add64", "v_cvt_f64_u32": "add64", "v_cvt_i32_f64": "add64", "v_cvt_u32_f64": "add64"}
	compared := 0
	for v, gen := range []string{gfx8: "gfx8", gfx6: "gfx6"} {
		for i := range Set().Defs {
			d := &Set().Defs[i]
			name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(d.Name, "_e32"), "_e64"), "_dpp"), "_sdwa")
			want, found := known[gen+" "+name]
			if gen == "" || !d.InVariant(v) || !found {
				continue
			}
			compared++
			c := costs(nil, &isa.Bundle{Parts: []isa.Inst{{Def: d, Word: d.Value()}}})[0]
			if !slices.Contains(ours[want.units], c.Unit) {
				t.Errorf("%s %s: unit %s, llvm-mca %s", gen, d.Name, c.Unit, want.units)
			}
			if c.Unit != "valu" {
				continue
			}
			if differ[name] != c.Class && !slices.Contains(latency[c.Class], want.latency) {
				t.Errorf("%s %s: class %s, latency in llvm-mca %s", gen, d.Name, c.Class, want.latency)
			}
		}
	}
	if compared < 3500 {
		t.Errorf("%d rows compared", compared)
	}
}
