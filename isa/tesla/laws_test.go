package tesla

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// TestLaws: the laws of every instruction set, for each variant and stage.
func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{})
	t.Logf("%d words, %d rows with aliases, %d rows with lifts that trap", rep.Words, len(rep.Aliases), len(rep.Trapped))
}

// eachTarget calls f for every variant and stage.
func eachTarget(f func(tg *isa.Target)) {
	for v := range Set().Variants {
		for st := range Set().Stages {
			f(Set().At(v, st))
		}
	}
}

// odd are words with fields that nothing claims, operands that depend on the stage, and forms close to others.
var odd = [][]byte{
	{0x24, 0x07, 0x45, 0x30},                         // addc sat b16, short
	{0x01, 0x00, 0x00, 0xf0, 0x01, 0x00, 0x00, 0xe0}, // exit (never) nop
	{0x35, 0xd7, 0x9f, 0xc7, 0x19, 0xfa, 0x31, 0x0e},
	{0x1d, 0x59, 0x2b, 0x40, 0xcf, 0xd7, 0xf7, 0x7c}, // bits next to an immediate
	{0x35, 0x24, 0x50, 0x00, 0xe8, 0x47, 0x03, 0x80},
	{0x03, 0x88, 0xf1, 0xd1, 0xc0, 0x87, 0x0e, 0x00}, // preret lim
	{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	{0x02, 0x00, 0x00, 0x90}, // trap, short
	{0x7d, 0x04, 0x86, 0xf4, 0x88, 0x47, 0xa6, 0x08},
}

// FuzzWord: decode, encode, print and parse of any bytes, in each variant and stage.
func FuzzWord(f *testing.F) {
	laws.SeedWords(f, "tesla")
	for _, w := range odd {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		eachTarget(func(tg *isa.Target) { laws.FuzzWord(t, tg, code) })
	})
}

// FuzzText: text that parses prints, and parses again to the same, in each variant and stage.
func FuzzText(f *testing.F) {
	laws.SeedTexts(f, "tesla")
	for _, s := range []string{"exit (lg $c0) (l03) mov b32 $r4 $r8", "long add sat b16 $r1l u8 s[$a1++0x3] $r2h", "add $r3 (mul u16 $r1l c1[$a3+0x1e]) $r3",
		"st b8 s[$a1++0x1] $r0l", "texauto all deriv #:$r31:$r32:# $t2 $s3 $r31:$r32:$r33 -0x8 -0x6 0x6", "addc b32 $c1 o[0x4] $r2 c15[$a4+0x1fc] $c3",
		"bra lim c11[0x887e]", "cvt neg abs sat rz f16 # f32 a[0xe8]", "mul $r8 s24 b32 s[$a2+0x18] 0xe8cf7e55", "bar inc wait 0xd 0xf99"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		eachTarget(func(tg *isa.Target) { laws.FuzzText(t, tg, text) })
	})
}

// FuzzBytes: any bytes, listed and assembled again, in each variant and stage.
func FuzzBytes(f *testing.F) {
	laws.SeedWords(f, "tesla")
	for _, w := range odd {
		f.Add(append([]byte{0, 0, 0, 0x10}, w...))
	}
	f.Add([]byte{0, 0, 0, 0x10, 1})
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) < 1<<10 {
			eachTarget(func(tg *isa.Target) { laws.Bytes(t, tg, code, 0) })
		}
	})
}

// FuzzAssemble: any text assembles, with pairs of short forms and labels that move, or is an error with its place.
func FuzzAssemble(f *testing.F) {
	for _, s := range []string{"a: mov b32 $r1 $r2\nadd b32 $r1 $r1 $r3\nmov b32 $r1 $r2\nbra a", "mov b32 $r1 $r2\nb: exit nop",
		"breakaddr end\ntop: (lg $c0) break\nbra top\nend: exit nop", ".exact\nmov b32 $r1 $r2\nexit nop", "joinat a + 8\na: join nop\n.align 8\nexit nop"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, st := range []int{CP, FP} {
			laws.FuzzFile(t, Set().At(GT215, st), src)
		}
	})
}

// TestCellNames: the name of a cell resolves to the cell, with and without the $ of assembly.
func TestCellNames(t *testing.T) {
	named := 0
	for f := range machine.Files {
		for i := range machine.Files[f].Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			name := cellName(c)
			if name == "" {
				continue
			}
			named++
			for _, s := range []string{name, "$" + name} {
				if got, err := cell(0, s); err != nil || len(got) != 1 || got[0] != c {
					t.Errorf("%v is %s, which is %v, %v", c, s, got, err)
				}
			}
		}
	}
	if named != NumR+NumA+flags*NumC+NumO+NumSR+3 { // a discarded fragment, vertices and primitives
		t.Errorf("%d cells have names", named)
	}
}
