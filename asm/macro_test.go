package asm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/toy"
)

// macros are files with macros, repetitions and conditions, and their bytes.
var macros = []struct{ name, src, hex string }{
	{"a macro", ".macro two a, b\n.byte \\a, \\b\n.endm\ntwo 1, 2\ntwo 3 4", "01020304"},
	{"defaults and names", ".macro f a, b=7, c=(8 + 1)\n.byte \\a, \\b, \\c\n.endm\nf 1\nf 1,,2\nf c=3, a=4", "010709010702040703"},
	{"required", ".macro f a:req b:req\n.byte \\a,\\b\n.endm\nf 1 2", "0102"},
	{"the rest", ".macro f a, b:vararg\n.byte \\a\n.ifnb \\b\n.byte \\b\n.endif\n.endm\nf 1\nf 2, 3, 4 + 5", "01020309"},
	{"blanks beside operators", ".macro f a, b\n.byte \\a, \\b\n.endm\nf 1 + 2 3 * 4\nf -1, ~ 1", "030cfffe"},
	{"an operator goes on with the argument", ".macro f a, b=9\n.byte \\a, \\b\n.endm\nf (1 + (2 * 3)) -4\nf (1 + 2) (3)\n", "03090303"},
	{"a text for an argument", ".macro f a\n.byte \\a\n.endm\nf \"1, 2\"\nf ','", "01022c"},
	{"what ends a name", ".macro f a\n.byte 0x\\a\\()0\n.endm\nf 1", "10"},
	{"the number of the expansion", ".macro f\n.byte \\@\n.endm\nf\nf\n.irp x, 1, 2\n.byte \\@\n.endr\nf", "0001020202"},
	{"the number of a repetition", ".rept 3\n.byte \\+\n.endr\n.macro f\n.byte \\+\n.endm\nf\nf", "0001020001"},
	{"what is no parameter", ".macro f a\n.ascii \"\\a\\\\\"\n.endm\nf x", "785c"},
	{"a macro in a macro", ".macro g a\n.byte \\a\n.endm\n.macro f a\ng \\a\ng \\a+1\n.endm\nf 4", "0405"},
	{"a macro that defines one", ".macro f n, v\n.macro \\n\n.byte \\v\n.endm\n.endm\nf x, 3\nx", "03"},
	{"a macro that a macro forgets", ".macro f\n.byte 1\n.purgem f\n.macro f\n.byte 2\n.endm\n.endm\nf\nf\nf", "010202"},
	{"a macro in place of an instruction", "nop\n.macro nop\n.byte 1\n.endm\nnop\n.purgem nop\nnop", "000000600100000060"},
	{"recursion", ".macro f n\n.if \\n\n.byte \\n\nf \\n-1\n.endif\n.endm\nf 3", "030201"},
	{"the end of a macro ahead of its end", ".macro f n\n.byte 1\n.if \\n\n.exitm\n.endif\n.byte 2\n.endm\nf 0\nf 1", "010201"},
	{"the end of a repetition ahead of its end", ".set i, 0\n.rept 9\n.if i == 2\n.exitm\n.endif\n.set i, i + 1\n.byte i\n.endr\n.byte 9", "010209"},
	{"labels of expansions", ".macro f\na\\@: .byte a\\@ - .\n.endm\nf\nf\n.byte a1 - a0", "000001"},
	{"repetitions in each other", ".rept 2\n.irp a, 1, 2\n.byte \\a\n.endr\n.endr", "01020102"},
	{"a repetition of nothing", ".rept 0\nbogus\n.endr\n.irp a,\n.byte 0\\a\n.endr", "00"},
	{"letters", ".irpc c, 123\n.byte \\c\n.endr", "010203"},
	{"comments in a macro", ".macro f /* a */ a // b\n.byte \\a /* \\b\n.endm */ ; c\n.endm\nf 1", "01"},
	{"upper case", ".MACRO f\n.BYTE 1\n.ENDM\nf\nF: .byte F", "0101"},
	{"branches", ".if 0\n.byte 1\n.elseif 1\n.byte 2\n.elseif 1\n.byte 3\n.else\n.byte 4\n.endif", "02"},
	{"conditions in a branch that is not read", ".if 0\n.if bogus\n.else\n.byte 1\n.endif\n.else\n.byte 2\n.endif", "02"},
	{"what a branch that is not read holds", ".if 0\nbogus\n.bogus\n.endm\nx = \n.endif\n.byte 1", "01"},
	{"compared", ".ifeq 0\n.byte 1\n.endif\n.ifne 0\n.byte 2\n.endif\n.ifge -1\n.byte 3\n.endif\n.ifgt 1\n.byte 4\n.endif\n.ifle 0\n.byte 5\n.endif\n.iflt 0\n.byte 6\n.endif", "010405"},
	{"names", ".ifdef a\n.byte 1\n.endif\n.ifndef a\n.byte 2\n.endif\na:\n.ifdef a\n.byte 3\n.endif\n.ifnotdef a\n.byte 4\n.endif", "0203"},
	{"texts", ".ifc a b, a b \n.byte 1\n.endif\n.ifnc a, b\n.byte 2\n.endif\n.ifb \n.byte 3\n.endif\n.ifnb\n.byte 4\n.endif\n.ifeqs \"a\", \"a\"\n.byte 5\n.endif\n.ifnes \"a\" , \"a\"\n.byte 6\n.endif", "01020305"},
	{"expressions", ".byte 1 == 1, 1 != 1, 2 > 1, 2 >= 3, 1 < 2, 2 <= 1, 1 <> 2, 2 && 1, 0 || 3, !5, !0, 6 | 1", "ff00ff00ff00ff0101000107"},
	{"characters", ".byte 'a', '\\n', '\\'', '\"', ';', '\\\\' ; '", "610a27223b5c"},
	{"a symbol set anew", "x = 1\n.byte x\n.set x, x + 1\n.byte x\n.equ x, 7\n.byte x", "010207"},
	{"a symbol ahead of its definitions", ".byte x\nx = 1\n.byte x\nx = 2\n.byte x", "020102"},
	{"a symbol that is an address for a while", "nop\nx = .\n.byte x\nx = 1\n.byte x", "000000600401"},
	{"defined once", ".equiv x, 3\n.byte x", "03"},
}

func TestMacros(t *testing.T) {
	for _, tt := range macros {
		t.Run(tt.name, func(t *testing.T) {
			for _, opt := range []asm.Options{{}, asm.Whole(asm.Options{})} {
				a, errs := asm.Assemble(toy.Set().At(0, 0), []byte(tt.src), opt)
				for _, e := range errs {
					t.Error(e.Detail())
				}
				if a != nil && fmt.Sprintf("%x", a.Code) != tt.hex {
					t.Errorf("%s\ngot  %x\nwant %s", tt.src, a.Code, tt.hex)
				}
			}
		})
	}
}

// An error in a macro names the line with the error, the macro, and its use.
func TestMacroPlaces(t *testing.T) {
	src := ".macro g a\nnop\nbogus \\a\n.endm\n\n.macro f\ng 1\n.endm\nf\n.rept 2\nbogus\n.endr\n"
	_, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src), asm.Options{File: "f.s"})
	if len(errs) != 3 {
		t.Fatal(errs)
	}
	e := errs[0]
	if e.Line != 9 || e.Col != 1 || e.Source != "bogus 1" || e.Note != "line 3, in the macro g of line 1, used in line 7\n    line 7, in the macro f of line 6, used in line 9" {
		t.Errorf("%#v", e)
	}
	if e = errs[1]; e.Line != 10 || e.Source != "bogus" || e.Note != "line 11, in .rept of line 10, used in line 10" {
		t.Errorf("%#v", e)
	}
	if !strings.HasSuffix(errs[0].Detail(), "\n    "+errs[0].Note) {
		t.Error(errs[0].Detail())
	}
}

// The bytes of a macro belong to the line that uses it.
func TestMacroLines(t *testing.T) {
	a, errs := asm.Assemble(toy.Set().At(0, 0), []byte(".macro f\nnop\nbra .\n.endm\nnop\n  f\nnop\n"), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if got := fmt.Sprint(a.Lines); got != "[{0 5 1} {4 6 3} {8 6 3} {12 7 1}]" {
		t.Error(got)
	}
}

// Exceeding a limit is an error that names it.
func TestMacroLimits(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"depth", ".macro f\nf\n.endm\nf", "more than 128 deep"},
		{"lines", ".macro f\nf\nf\n.endm\n.macro g\n.if 0\n.endif\n.endm\n.rept 100000\ng\n.endr", "more than 1000 lines"},
		{"empty repetitions", ".rept 1 << 62\n.endr", "more than 1000 lines"},
		{"one line", ".macro f a, n\n.if \\n\nf \\a\\a, \\n-1\n.endif\n.endm\nf 1234567890, 30", "a line of more than 65536 bytes"},
		{"conditions", strings.Repeat(".if 1\n", 300), "too many conditions"},
		{"messages", ".rept 900\n.print \"a\"\n.warning\n.endr", "more than 1000 messages"},
		{"bodies", ".rept 1\n" + strings.Repeat(strings.Repeat("x", 1<<16)+"\n", 260) + ".endr", "more than 16777216 bytes"},
	} {
		_, errs := asm.Assemble(toy.Set().At(0, 0), []byte(tt.src), asm.Options{MaxExpand: 1000})
		if tt.name == "messages" {
			_, errs = asm.Assemble(toy.Set().At(0, 0), []byte(tt.src), asm.Options{})
		}
		if len(errs) != 1 || errs[0].Code != "limit" || !strings.Contains(errs[0].Msg, tt.want) {
			t.Errorf("%s: %v", tt.name, errs)
		}
	}
}

func TestMessages(t *testing.T) {
	var said []asm.Message
	a, errs := asm.Assemble(toy.Set().At(0, 0), []byte(".print \"a b\"\n.macro f\n.warning\n.warning \"w\"\n.endm\nf\nf"), asm.Options{Say: func(m asm.Message) { said = append(said, m) }})
	if a == nil || fmt.Sprint(said) != "[{false 1 a b} {true 6 .warning is reached} {true 6 w} {true 7 .warning is reached} {true 7 w}]" {
		t.Error(errs, said)
	}
}

// Errors of macros and repetitions themselves.
func TestMacroErrors(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{".macro\n.endm", "name of a macro"},
		{".macro f\nnop", "the macro has no .endm"},
		{".macro f\n.endm\n.macro f\n.endm", "the macro f is defined a second time; first in line 1"},
		{".macro f a, a\n.endm", "a second parameter"},
		{".macro f a:vararg, b\n.endm", "after the one that takes the rest"},
		{".macro f a:some\n.endm", "req or vararg"},
		{".macro f a:req\n.endm\nf", "needs a value for a"},
		{".macro f a\n.endm\nf 1, 2", "too many arguments: the macro f takes 1"},
		{".macro f a\n.endm\nf b=2", `"b" is no parameter of the macro f`},
		{".macro f a, b\n.endm\nf a=2, 3", "without a name after"},
		{".macro f a\n.endm\nf (1", `")" is expected`},
		{".macro f a\n.endm\nf \"1", "no closing quote"},
		{".purgem f", "is no macro"},
		{".endm", "nothing that could end"},
		{".endr", "nothing that could end"},
		{".exitm", "no macro that could end"},
		{".rept -1\nbogus\n.endr", "negative"},
		{".rept x\nbogus\n.endr", "must be known here"},
		{".rept 1 2\nbogus\n.endr", "too much"},
		{".rept 1\nnop", "no .endr"},
		{".irp x\nbogus\n.endr", `"," is expected`},
		{".irpc x, 1 2\nbogus\n.endr", "too much"},
		{".if\n.byte 1\n.endif", "operand"},
		{".if . - 4\nbogus\n.else\nbogus\n.endif", "must be known here"},
		{".if 1 2\nbogus\n.endif", "too much"},
		{".if 1", "this .if has no .endif"},
		{".macro f\n.if 1\n.endm\nf", "this .if has no .endif"},
		{".if 1\n.macro f\n.endif\n.endm\nf\n.endif", "no .if that this"},
		{".else", "no .if that this"},
		{".endif", "no .if that this"},
		{".elseif 1", "no .if that this"},
		{".if 0\n.else\n.else\n.endif", "follows .else"},
		{".ifc a\n.endif", `"," is expected`},
		{".ifeqs a, b\n.endif", "a text in double quotes"},
		{".error \"so it is\"", "so it is"},
		{".err", ".err is reached"},
		{".include \"a.s\"", "no other file is read"},
		{".equiv a, 1\n.equiv a, 1", "a is defined a second time; first in line 1"},
		{"a = 1\n.equiv a, 1", "a is defined a second time"},
		{"a:\na = 1", "a is defined a second time"},
		{"a = 1\na:", "a is defined a second time"},
		{".byte 'ab'", "a constant such as 'a'"},
	} {
		_, errs := asm.Assemble(toy.Set().At(0, 0), []byte(tt.src), asm.Options{})
		if len(errs) != 1 || !strings.Contains(errs[0].Msg, tt.want) {
			t.Errorf("%q: %v", tt.src, errs)
		}
	}
}
