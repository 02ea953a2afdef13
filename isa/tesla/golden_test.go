package tesla

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/golden"
)

// TestGolden: each word of testdata/VARIANT-STAGE/*.txt prints as the text next to it, and the text assembles to it.
func TestGolden(t *testing.T) {
	folders, err := filepath.Glob("testdata/*-?p")
	if err != nil || len(folders) < len(Set().Stages) {
		t.Fatal(folders, err)
	}
	for _, dir := range folders {
		variant, stage, _ := strings.Cut(filepath.Base(dir), "-")
		v, okV := Set().Variant(variant)
		st, okS := Set().Stage(stage)
		if !okV || !okS {
			t.Fatalf("%s: no such variant or stage", dir)
		}
		t.Run(filepath.Base(dir), func(t *testing.T) { golden.WordsIn(t, Set().At(v, st), dir) })
	}
}

// badText is text that must fail, and a part of the error.
var badText = []struct{ stage, text, want string }{
	{"cp", "add b32 $r0 $r1", "too few"},
	{"cp", "add b32 $r128 $r1 $r2", "at most 127"},
	{"cp", "add b16 $r64l $r1l $r2l", "only $r0 to $r63 have halves"},
	{"cp", "mov b32 $r0l $r1", "a register"},
	{"cp", "add b32 $r0 b32 s[0x3] $r2", "no multiple of 4"},
	{"cp", "add b32 $r0 b32 s[0x200] $r2", "no multiple of 4 from 0 to 60"},
	{"cp", "add b32 $r0 a[0x0] $r2", "s[] with its type"},
	{"vp", "add b32 $r0 b32 s[0x0] $r2", "a register or a[]"},
	{"fp", "add b32 $r0 a[0x0] $r2", "a register is expected"},
	{"vp", "add b32 $r0 a[$a1+0x4] $r2", "takes no address register"},
	{"gp", "add $r3 (mul u16 p[0x0] c1[0x0]) $r4", "all registers or all constants"},
	{"cp", "long add $r3 (mul u16 $r1l c1[0x0]) c1[0x0]", "only one source can be c[]"},
	{"cp", "long add b32 $r0 b32 s[$a1+0x4] c1[$a1+0x4]", "belongs to the first source"},
	{"cp", "(q $c0) nop", "a condition such as lg"},
	{"cp", "(lg $c4) nop", "at most 3"},
	{"cp", "(lg $c0) addc b32 $r0 $r1 $r2 $c1", "both stand in one field"},
	{"cp", "add $r1 (mul u16 $r1l 0x5) $r2", "the register of its result"},
	{"cp", "bra 0x2", "a multiple of 4"},
	{"cp", "discard", "stage"},
	{"cp", "preret 0x8", "variant"},
	{"fp", "long texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0 -0x9 0x0 0x0", "-8 to 7"},
	{"fp", "texauto all $r0:$r2:#:# $t0 $s0 $r0 0x0 0x0 0x0", "follow each other"},
	{"cp", "ld b32 $r0 g16[$r1]", "at most 15"},
	{"cp", "ld b32 $r0 g0[0x10]", "a register"},
}

func TestBadText(t *testing.T) {
	for _, c := range badText {
		st, _ := Set().Stage(c.stage)
		if got, err := asm.Line(Set().At(G200, st), c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q: %s, %v; want %q", c.stage, c.text, got, err, c.want)
		}
	}
}
