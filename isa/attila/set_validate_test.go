package attila

import (
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// Scalar mode: compared with the reference's own property of the words of pairs/attila-encode; all 4 577 agree.
func TestScalar(t *testing.T) {
	for text, want := range map[string]bool{
		"add r0.w, r1.x, r2.y": true, "add r0.xy, r1, r2": false, "add r0, r1, r2": false, "dp4 r0.x, r1, r2": false, "nop": true, "end <- end": false,
		"lit r0, r1": true, "tex r0, r1, t2": true, "setpeq p1, r0, r1": true, "jmp p1, 3": true, "fxmul r0.x, r1, r2": true, "mov r0.xw, r1": false,
	} {
		var b isa.Bundle
		if err := Set().At(Text, 0).Parse(text, 0, &b); err != nil {
			t.Fatal(err)
		}
		if got := Scalar(&b.Parts[0]); got != want {
			t.Errorf("%s: scalar %t, want %t", text, got, want)
		}
	}
}

// TestLint: instructions that decode and break a rule, with the name of the rule.
func TestLint(t *testing.T) {
	for text, want := range map[string]string{
		"add r0, r1, r2":                            "",
		"add r32, r1, r2":                           "no-such-register",
		"add r0, i48, r2":                           "no-such-register",
		"add r0, a2, r2":                            "no-such-register",
		"add o16, r0, r2":                           "no-such-register",
		"tex r0, r1, t16":                           "no-such-register",
		"kls r1, s16":                               "no-such-register",
		"andp p1, p32, p2":                          "no-such-register",
		"andp p1, true, p2":                         "",
		"setpeq p32, r1, r2":                        "no-such-register",
		"add r0, c1[a2.x + 0], r2":                  "no-such-register",
		"add r0, c1[a1.x + 0], c1[a1.x + 0]":        "",
		"add r0, c1[a1.x + 0], c257[a1.x + 0]":      "all-constants-relative",
		"mad r0, c1[a1.x + 0], r2, c300[a1.x + 0]":  "all-constants-relative",
		"mad r0, c1[a1.x + 0], r2, -c1[a1.x + 0].x": "",
		"jmp p40, 1":                                "no-such-register",
	} {
		var b isa.Bundle
		if err := Set().At(Text, 0).Parse(text, 0, &b); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range Set().At(Text, 0).Lint(nil, &b, nil) {
			got += f.Rule
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
