package chips_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/profile"
)

// TestRegistersOf: the registers of code are those of instructions that control reaches, not of data behind its end.
func TestRegistersOf(t *testing.T) {
	for _, x := range []struct {
		isa, text string
		entries   []uint64
		want      chips.Resources
	}{
		{"gcn:gfx8", "v_mov_b32 v3, s4\ns_endpgm\nv_mov_b32 v200, v201\n", nil, chips.Resources{Vector: 4, Scalar: 5}},
		{"gcn:gfx8", "v_mov_b32 v3, vcc_lo\ns_branch l\nv_mov_b32 v200, v201\nl: v_mov_b32 v7, s9\ns_endpgm\n", nil, chips.Resources{Vector: 8, Scalar: 12}},
		{"gcn:gfx8", "v_mov_b32 v3, s4\ns_endpgm\nv_mov_b32 v20, s1\ns_endpgm\n", []uint64{8}, chips.Resources{Vector: 21, Scalar: 2}},
		{"tesla:g80", "mov b32 $r3 $r4\nexit mov b32 $r1 $r2\nmov b32 $r60 $r60\n", nil, chips.Resources{Vector: 5}},
	} {
		tg, err := sets.Lookup(x.isa)
		if err != nil {
			t.Fatal(err)
		}
		a, errs := asm.Assemble(tg, []byte(x.text), asm.Options{File: "x.s"})
		if len(errs) > 0 {
			t.Error(errs[0])
			continue
		}
		if got := chips.RegistersOf(&isa.Program{Target: a.Target, Base: a.Base, Code: a.Code}, x.entries...); got != x.want {
			t.Errorf("%q: %+v, want %+v", x.text, got, x.want)
		}
	}
}

// TestRules: variants of Tesla have the compute capability that NVIDIA's CUDA C Programming Guide 4.2, appendix A, has
// for their products: 1.0 is the GeForce 8800 GTX, 1.1 the 8600 GT and 8400 GS and mobile GPUs, 1.2 the GT 240, 1.3 the
// GTX 280.
func TestRules(t *testing.T) {
	for isa, rule := range map[string]profile.Rule{"tesla:g80": profile.InOrder, "tesla:g84": profile.InOrder, "tesla:mcp77": profile.InOrder, "tesla:gt215": profile.Reduced, "tesla:g200": profile.Reduced, "gcn:gfx8": profile.ByLine} {
		if m := chips.Of(isa); m.Rule != rule || m.OneWord != (rule != profile.ByLine) {
			t.Errorf("%s: %+v", isa, m)
		}
	}
}
