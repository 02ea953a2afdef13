package heddle_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
)

// TestEffects: what instructions read and write besides their operands, by the manuals.
func TestEffects(t *testing.T) {
	for _, c := range []struct{ isa, text, reads, writes string }{
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", "v1 v2 exec mode", "v0"},
		{"gcn:gfx8", "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "v2 v3 v4 v5 v6 v7 exec mode", "v0 v1"},
		{"gcn:gfx8", "v_cvt_i32_f32 v0, v1", "v1 exec mode", "v0"},
		{"gcn:gfx8", "v_add_u32 v0, vcc, v1, v2", "v1 v2 exec", "v0 vcc_lo vcc_hi"},
		{"gcn:gfx8", "v_mov_b32 v0, v1", "v1 exec", "v0"},
		{"gcn:gfx8", "s_add_u32 s0, s1, s2", "s1 s2", "s0 scc"},
		{"gcn:gfx8", "s_cbranch_scc1 4", "scc pc", "pc"},
		{"gcn:gfx8", "s_getpc_b64 s[0:1]", "pc", "s0 s1"},
		{"gcn:gfx8", "s_setpc_b64 s[0:1]", "s0 s1", "pc"},
		{"gcn:gfx8", "s_swappc_b64 s[2:3], s[0:1]", "s0 s1 pc", "s2 s3 pc"},
		{"gcn:gfx8", "ds_read_b32 v0, v1", "v1 exec m0", "v0"},
		{"gcn:gfx8", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0", "s0 mode", "mode"},
		{"gcn:gfx8", "s_movrels_b32 s0, s1", "m0 s[*]", "s0"},
		{"tesla", "add rn f32 $r0 $r1 $r2", "$r1 $r2 exec", "$r0"},
		{"tesla", "(l $c0) bra 0x100", "$c0 exec stack", "pc stack"},
		{"tesla", "bra 0x100", "", "pc"},
		{"valhall", "FADD.f32 r0, r1, r2", "r1 r2 exec", "r0"},
		{"attila", "add r0.x, r1, r2", "r1.x r2.x exec", "r0.x"},
		{"rogue", "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r3 }", "r1 r2 pe", "r3"},
	} {
		a := heddle.MustFind(c.isa)
		code, err := a.Assemble(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		e, err := a.Effects(code, 0x1000)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for _, x := range []struct {
			what string
			got  []string
			want string
		}{{"reads", e.Reads, c.reads}, {"writes", e.Writes, c.writes}} {
			want := strings.Fields(x.want)
			slices.Sort(want)
			got := slices.Sorted(slices.Values(x.got))
			if !slices.Equal(got, want) {
				t.Errorf("%s %s %v, want %v", c.text, x.what, got, want)
			}
		}
	}
	if _, err := heddle.MustFind("gcn").Effects([]byte{1}, 0); err == nil {
		t.Error("one byte has effects")
	}
}

// unnamed reports whether state has no register in a wave: registers indexed at run time, the control stack, and GCN
// state without a user-visible name.
func unnamed(name string) bool {
	return strings.HasSuffix(name, "[*]") || strings.HasPrefix(name, "hwreg[") || slices.Contains([]string{"stack", "aperture", "sync", "s[125]"}, name)
}

// TestEffectsNames: for any bytes that are an instruction of any set, what it reads and writes are registers that a
// wave has, or state without a register.
func TestEffectsNames(t *testing.T) {
	groups, err := heddle.MustFind("rogue").Assemble(strings.Repeat(`{ s0 = r2..3, s3 = r8 backend: ld s3, drc0, 1, s0; }
{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r3 }
{ s0 = r10, s3 = r6..7 backend: st.writethrough s0, 2, drc0, 1, s3, _; }
`, 4)) // few random bytes are a group
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, a := range heddle.List() {
		w, err := a.EmptyWave(heddle.State{})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		look := func(code []byte) (size int) {
			text, size, err := a.Decode(code)
			if err != nil {
				return size
			}
			e, err := a.Effects(code, 0x1000)
			if err != nil {
				t.Errorf("%s: %s: %v", a, text, err)
			}
			found++
			for _, name := range append(e.Reads, e.Writes...) {
				if _, err := w.Reg(name); err != nil && !unnamed(name) {
					t.Errorf("%s: %s: %v", a, text, err)
				}
			}
			return size
		}
		if a.Target().Name == "rogue" {
			for code := groups; len(code) > 0; {
				code = code[look(code):]
			}
		}
		for range 2000 {
			code := make([]byte, a.Target().Longest)
			for i := range code {
				code[i] = byte(r.Uint32())
			}
			look(code)
		}
		if found < 10 {
			t.Errorf("%s: only %d instructions were found", a, found)
		}
	}
}
