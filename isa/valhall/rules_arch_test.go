package valhall

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestRulesOfArchitectures checks rules that later architectures do not have, or that differ there.
func TestRulesOfArchitectures(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		in, not    string // the last architecture with the finding, and the first without
	}{
		{ruleWords, "FMA.f32 r0, u0, u1, 0x0", "v11", "v12"},
		{ruleSlots, "FADD.f32 r0, u0, u4", "v13", "v14"},
		{"reciprocal-half", "FRCP.f16 r0.h1, r1.h00", "v10", "v11"},
		{"reserved-arm", "F32_TO_S32 r0, r1.h0", "v10", "v11"},
	} {
		for variant, want := range map[string]bool{"v9": true, c.in: true, c.not: false, "v14": false} {
			v, ok := Set().Variant(variant)
			if !ok {
				t.Fatal(variant)
			}
			tg := Set().At(v, 0)
			var b isa.Bundle
			if err := tg.Parse(c.text, 0, &b); err != nil {
				t.Fatal(err)
			}
			found := tg.Lint(nil, &b, nil)
			if got := slices.ContainsFunc(found, func(f isa.Finding) bool { return f.Rule == c.rule }); got != want {
				t.Errorf("%s %s: %s speaks %v, want %v: %v", variant, c.text, c.rule, got, want, found)
			}
		}
	}
}

// TestCoordinateRegisters checks the registers that samples read against Arm's table: derivatives take twice as many as
// coordinates.
func TestCoordinateRegisters(t *testing.T) {
	for text, want := range map[string]string{
		"TEX_GRADIENT.slot0.32.rg.2d @r0:r1, @r4:r5, r8":                   "",
		"TEX_GRADIENT.slot0.32.rg.2d @r0:r1, @r4, r8":                      "TEX_GRADIENT: 1 registers of coordinates, where the texture has 2",
		"TEX_GRADIENT.slot0.32.rg.2d.derivative @r0:r1, @r4:r5:r6:r7, r8":  "",
		"TEX_GRADIENT.slot0.32.rg.2d.derivative @r0:r1, @r4:r5, r8":        "TEX_GRADIENT: 2 registers of coordinates, where the texture has 4",
		"TEX_GRADIENT.slot0.32.rg.3d.derivative @r0:r1, @r4:r5:r6:r7, r10": "TEX_GRADIENT: 4 registers of coordinates, where the texture has 6",
		"TEX_SINGLE.slot0.32.r.2d.array_enable.zero @r0, @r4:r5, r8":       "TEX_SINGLE: 2 registers of coordinates, where the texture has 3",
	} {
		var b isa.Bundle
		if err := Set().At(0, 0).Parse(text, 0, &b); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range Set().At(0, 0).Lint(nil, &b, nil) {
			if f.Rule == "texture-coordinates" {
				got += f.Msg
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
