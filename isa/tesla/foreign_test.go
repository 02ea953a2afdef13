package tesla

import (
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// TestForeign: what a foreign word leads to is an instruction of a variant, and no word of the table is a mnemonic.
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
		"fma rn f32 $r0 $r1 $r2 $r3": `of f32 there is`, "fma f64 $r0d $r2d $r4d $r6d": `missing: "fma rn f64 $r0d $r2d $r4d $r6d"`,
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

// TestNotes: errors about spellings of the early notes name the text of today, which is an instruction.
func TestNotes(t *testing.T) {
	var b isa.Bundle
	for _, c := range [...]struct {
		stage      int
		text, want string
	}{
		{CP, "bar sync 0", "bar inc wait 0 all"},
		{CP, "mov lock $c0 $r1 s[0x10]", "ld lock $c0 $r1 b32 s[0x10]"},
		{CP, "mov unlock s[0x10] $r1", "st unlock b32 s[0x10] $r1"},
		{FP, "quadop f32 add sub subr mov2 $r4 dox $r1 $r2", "quadop f32 add sub subr mov2 $r4 dx $r1 $r2"},
		{CP, "add sat b16 $c0 $r4l $r1l $r2h", "add b16 sat $c0 $r4l $r1l $r2h"},
		{CP, "add sat b32 $c0 $r4 $r1 $r2", "add b32 sat $c0 $r4 $r1 $r2"},
		{CP, "mul high u24 $r4 $r1 $r2", "mul $r4 high u24 $r1 $r2"},
		{CP, "add sat $r4 mul s16 $r1l $r2l $r3", "add sat $r4 (mul s16 $r1l $r2l) $r3"},
		{CP, "sub $r4 mul u24 $r1 $r2 $r3", "sub $r4 (mul u24 $r1 $r2) $r3"},
		{CP, "set $r4 lge s32 $r1 $r2", "set $r4 always s32 $r1 $r2"},
		{CP, "texauto deriv live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0 0 0", "texauto live deriv $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0 0 0"},
		{CP, "cvt sat u8 $r4 s32 $r1", "cvt u8 $r4 s32 $r1"},
		{CP, "mov $r1 sreg2", "mov $r1 $sr2"},
		{CP, "mov $r1 sreg3", "mov $r1 $sr3"},
	} {
		tg := Set().At(G200, c.stage)
		err := tg.Parse(c.text, 0, &b)
		if want := strconv.Quote(c.want); err == nil || !strings.HasSuffix(isa.AsError(err).Hint, "here it is "+want) {
			t.Errorf("%s: %v, %q, want %s", c.text, err, isa.AsError(err).Hint, want)
		}
		if err := tg.Parse(c.want, 0, &b); err != nil {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}
