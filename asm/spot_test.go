package asm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/toy"
)

// TestSpots: each line of an assembly has the position of its instruction or directive, marked by a ^ here, however
// the assembler gets its bytes. Text from a macro or a repetition has the position of its use.
func TestSpots(t *testing.T) {
	plain := "^nop\n  ^nop\n\t ^nop // c\nx: ^nop\ny: z:\t^mov r1, r2\n ^nop\n^.byte 1, 2\n   ^.byte 3 , 4\n/* c */ ^nop\n"
	named := "a: ^bra a\n\t^bra b\nk = 4\nb: ^add r1, r2, k\n ^.word b - a // .c\n  ^.zero k\n"
	macro := ".macro f\nnop\n  bra a\n.endm\n ^f\na:\n.macro g\nf\n .byte 1, 2, 3, 4\n.endm\n    ^g\n"
	block := "a: ^.rept 2\n   nop\n.endr\n.if 1\n  ^nop\n.endif\n ^nop\n"
	for _, marked := range []string{plain, named, macro, block, plain + macro + strings.ReplaceAll(block, "a:", "a2:")} {
		var want []asm.SourceLine
		for n, line := range strings.Split(marked, "\n") {
			if at := strings.IndexByte(line, '^'); at >= 0 {
				want = append(want, asm.SourceLine{Line: int32(n + 1), Col: int32(at + 1)})
			}
		}
		text := strings.ReplaceAll(marked, "^", "")
		for name, opt := range map[string]asm.Options{"stream": {}, "statements": {TextOnly: true}} {
			a, errs := asm.Assemble(toy.Set().At(0, 0), []byte(text), opt)
			if len(errs) > 0 {
				t.Fatalf("%s: %v\n%s", name, errs, text)
			}
			var got []asm.SourceLine
			for _, l := range a.Lines {
				l.Off = 0
				if n := len(got); n == 0 || got[n-1] != l {
					got = append(got, l)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s:\n%sgot  %v\nwant %v", name, text, got, want)
			}
		}
	}
}
