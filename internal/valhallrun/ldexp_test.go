package valhallrun

import "testing"

// TestLdexpHalves: bits 28 and 29 of LDEXP choose halves of its first source on v9, as Mesa 24.1 says. By Arm's
// table, which counts from v10 on, 0 and what Mesa writes for halves in their places are the whole source, and what
// else says something of infinities faults. An option takes the one or the other for all architectures.
func TestLdexpHalves(t *testing.T) {
	const (
		halves    = 0x3c00_4200 // 1 above 3
		exponents = 0x0001_0002 // times 2, times 4
		chosen    = 0x4600_4a00 // 6 above 12: the lower half twice
		whole     = 0x4000_4a00 // 2 above 12
		faults    = 0
	)
	for _, c := range []struct {
		variant, option, text string
		b, want               uint32
	}{
		{"v9", "", "LDEXP.v2f16 r4, r8.h00, r10", exponents, chosen}, {"v10", "", "LDEXP.v2f16 r4, r8.h00, r10", exponents, whole},
		{"v14", "", "LDEXP.v2f16 r4, r8.h00, r10", exponents, whole}, {"v10", "all", "LDEXP.v2f16 r4, r8.h00, r10", exponents, chosen},
		{"v9", "none", "LDEXP.v2f16 r4, r8.h00, r10", exponents, whole},
		{"v9", "", "LDEXP.v2f16 r4, r8, r10", exponents, whole}, {"v10", "", "LDEXP.v2f16 r4, r8, r10", exponents, whole},
		{"v9", "", "LDEXP.v2f16 r4, r8.h11, r10", exponents, 0x4000_4400}, {"v10", "", "LDEXP.v2f16 r4, r8.h11, r10", exponents, faults},
		{"v9", "", "LDEXP.f32 r4, r8.h1, r10", 2, 0x40800000}, {"v11", "", "LDEXP.f32 r4, r8.h1, r10", 2, faults},
		{"v9", "none", "LDEXP.f32 r4, r8.h0, r10", 2, faults}, {"v11", "", "LDEXP.f32 r4, r8, r10", 2, halves + 2<<23},
	} {
		options := map[string]string{}
		if c.option != "" {
			options["ldexp-halves"] = c.option
		}
		if c.want == faults {
			if f := newWarpOf(t, c.variant, options).try(c.text); f == nil {
				t.Errorf("%s %s: %s runs", c.variant, c.option, c.text)
			}
			continue
		}
		newWarpOf(t, c.variant, options).each(c.text, [][]uint32{{halves}, {c.b}}, func(_ int, got uint32) bool {
			if got != c.want {
				t.Errorf("%s %s: %s is %#08x, want %#08x", c.variant, c.option, c.text, got, c.want)
			}
			return got == c.want
		})
	}
}
