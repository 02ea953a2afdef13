package valhall

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestRulesOfArchitectures: rules that later architectures do not have, or have otherwise.
func TestRulesOfArchitectures(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		in, not    string // the last architecture in which the rule speaks, and the first in which it does not
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
