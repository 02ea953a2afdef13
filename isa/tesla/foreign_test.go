package tesla

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// TestForeign: the suggestion for a foreign word is an instruction of a variant, and no word of the table is a
// mnemonic.
func TestForeign(t *testing.T) {
	set := Set()
	laws.Leads(t, set, elsewhere, func(string) bool { return false })
	var b isa.Bundle
	g200, ok := set.Arch.Variant("g200")
	if !ok {
		t.Fatal("no g200")
	}
	for text, want := range map[string]string{
		"mad f32 $r0 $r1 $r2 $r3": `here it is "add f32 $r0 (mul $r1 $r2) $r3"`, "mad.rn.f32 $r0 $r1 $r2 $r3": `"add f32 $r0 (mul`, "mad.lo.s32 $r0 $r1 $r2 $r3": "factors of 16 or 24 bits",
		"mad s16 $r0 $r1 $r2 $r3": "(mul s16", "mad f64 $r0d $r2d $r4d $r6d": "fma rn f64", "fma f32 $r0 $r1 $r2 $r3": `of f32 there is "add f32 $r0 (mul $r1 $r2) $r3"`,
		"fma rn f32 $r0 $r1 $r2 $r3": `of f32 there is`, "fma f64 $r0d $r2d $r4d $r6d": `here it is "fma rn f64 $r0d $r2d $r4d $r6d"`,
	} {
		err := set.At(g200, 0).Parse(text, 0, &b)
		if err == nil || !strings.Contains(isa.AsError(err).Hint, want) {
			t.Errorf("%s: %v, %q, want %s", text, err, isa.AsError(err).Hint, want)
		}
	}
	for text, want := range map[string]string{"kil": `it would be "discard", which is only in stage fp`, "dadd $r0 $r2 $r4": "which is only in g200", "mad $r0 $r1 $r2": "(mul u16", "add $r0 $r1 $r2": "a type is missing: \"add b32 $r0 $r1 $r2\""} {
		err := set.At(0, 0).Parse(text, 0, &b)
		if err == nil || !strings.Contains(isa.AsError(err).Hint, want) {
			t.Errorf("%s: %v, %q", text, err, isa.AsError(err).Hint)
		}
	}
}
