package attila

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/golden"
)

// TestGolden: each word of testdata/*.txt prints as the text next to it, and the text assembles to it.
func TestGolden(t *testing.T) { golden.Words(t, Set().At(Text, 0)) }

// badText is text that must fail, and a part of the error.
var badText = []struct{ text, want string }{
	{"add r0, r1", "too few operands"},
	{"add r0.yx, r1, r2", "a mask is components in the order"},
	{"add r0, r1.xy, r2", "a swizzle is one component or four"},
	{"add r0, |r1, r2", `"|" is expected`},
	{"add i0, r1, r2", "a result register is expected"},
	{"add r0, o1, r2", "a source register"},
	{"add r256, r1, r2", "too large"},
	{"add r0, c512, r2", "too large"},
	{"mad r0, r1, 0.5, r2", "a source register is expected"},
	{"add r0, 0.5, r1", "a source register is expected"},
	{"add r0, r1, 1e99", "too large for a float"},
	{"addi r0, r1, 4294967296", "does not fit 32 bits"},
	{"addi r0, r1, 0.5", ""},
	{"add r0, c1[a0.x + 256], r1", "not -256 to 255"},
	{"add r0, c1[a4.x], r1", "a0 to a3"},
	{"add r0, c1[a0.x], c2", "one for all constants"},
	{"(p32) nop", "p0 to p31"},
	{"(p1 nop", `")"`},
	{"andp p1, c1[a0.x], p2", "component y"},
	{"jmp p1, 2147483648", "too far"},
	{"setpeq r0, r1, r2", "a predicate is expected"},
	{"mov p0, r1", "a result register is expected"},
	{"nop_sat", "no suffix"},
	{"flr r0, r1", "no instruction"},
	{"mov r0, r1 <- stop", "end or wait is expected"},
}

func TestBadText(t *testing.T) {
	for _, c := range badText {
		if got, err := asm.Line(Set().At(Text, 0), c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %s, %v; want %q", c.text, got, err, c.want)
		}
	}
}

// dialect is text that the reference's assembler does not accept, and its equivalent.
var dialect = []struct{ text, same string }{
	{"add r0, r1, 0x3f", "add r0, r1, 63.000000"},
	{"add r0, r1, 25e-2", "add r0, r1, 0.250000"},
	{"add_SAT r0, r1, r2", "add_sat r0, r1, r2"},
	{"add r0.xyzw, r1.xyzw, r2.xxxx", "add r0, r1, r2.x"},
	{"setpeqi p1, r0, 1", "stpeqi p1, r0, 1"},
	{"jump true, 1", "jmp true, 1"},
	{"jmp !c3[ a2.w - 156 ].y, -1", "jmp !c3[a2.w + -156].y, -1"},
	{"mov r0, c1[a0.x]", "mov r0, c1[a0.x + 0]"},
	{"mov r0, c1[ a0.x - 3 ]", "mov r0, c1[a0.x + -3]"},
	{"mov r0, r1 <- wait <- end", "mov r0, r1 <- end <- wait"},
	{"( !p3 ) mov r0, r1", "(!p3) mov r0, r1"},
}

func TestDialect(t *testing.T) {
	for _, c := range dialect {
		got, err1 := asm.Line(Set().At(Sim, 0), c.text)
		want, err2 := asm.Line(Set().At(Sim, 0), c.same)
		if got != want || err1 != nil || err2 != nil {
			t.Errorf("%q is %s, %v; %q is %s, %v", c.text, got, err1, c.same, want, err2)
		}
	}
}

// TestRelativeJump: the reference's grammar lets the constant of a jump be relative; the text is reproduced, though
// the condition of the jump does not depend on it.
func TestRelativeJump(t *testing.T) {
	tg := Set().At(Text, 0)
	const text = "jmp !c3[a2.w + -156].y, -1"
	word, err := asm.Line(tg, text)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := asm.DisLine(tg, word); got != text {
		t.Errorf("%s prints as %q, %v", word, got, err)
	}
}
