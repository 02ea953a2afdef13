package asm_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/isa"
)

// assembles are files, their bytes and their base addresses.
var assembles = []struct{ name, src, hex string }{
	{"instruction", "add r1, r2, r3", "21030100"},
	{"blanks and comments", " \tadd  r1 ,r2,r3 ; x\n/* a\nb */ nop // y", "2103010000000060"},
	{"blanks for a block comment", "add r1, /* the\" first */ r2, r3", "21030100"},
	{"crlf", "nop\r\nnop\r\n", "0000006000000060"},
	{"label back", "a: nop\nbra a", "00000060fe0f0f32"},
	{"label ahead", "bra a\nnop\na:", "0100003200000060"},
	{"several labels of a line", "a: b: bra b\nbra a", "ff0f0f32fe0f0f32"},
	{"address as target", "bra .", "ff0f0f32"},
	{"label and number", "bra a+4\na: nop\nnop", "010000320000006000000060"},
	{"raw target", "bra 5", "05000032"},
	{"a label takes the literal", "add r0, r0, a\na:", "000f011008000000"},
	{"a constant too", "x = 5\nadd r0, r0, x", "000f011005000000"},
	{"data", ".byte 1, -1, 255\n.short 0x1234\n.word 1\n.long -1\n.quad 1", "01ffff341201000000ffffffff0100000000000000"},
	{"labels in data", ".long b - a, b\na: .byte 1\nb:", "010000000900000001"},
	{"texts", `.ascii "a;b", "\x01"` + "\n" + `.asciz "//"`, "613b62012f2f00"},
	{"quotes in a text", `.ascii "a\";b\\" ; "` + "\n" + `.ascii "\\\"/*" // "*/`, "61223b625c5c222f2a"},
	{"align with no-operations", "add r0, r0, r0\n.align 16", "00000100000000600000006000000060"},
	{"align with a byte", ".byte 1\n.align 4, 0x7f", "017f7f7f"},
	{"align between instructions", ".byte 1\n.p2align 2", "01000000"},
	{"align counts from address 0", ".base 0x102\n.byte 1\n.align 8\n.byte 2", "0100000000" + "00" + "02"},
	{"no-operations at an odd base", ".base 0x104\nadd r0, r0, r0\n.align 16\nnop", "00000100" + "00000060" + "00000060" + "00000060"},
	{"org where it is", ".byte 1, 2\n.org 2\n.byte 3", "010203"},
	{"the largest alignment", ".p2align 62\n.byte 1", "01"},
	{"base and org", ".base 0x100\na: .org 0x104, 1\n.long a", "0101010100010000"},
	{"fill and zero", ".fill 2, 2, 0x1234\n.zero 2\n.skip 1, 9", "34123412000009"},
	{"set", ".set x, y + 1\n.set y, 3\n.byte x", "04"},
	{"variant", ".isa toy:t2\nnew r1, r2, r3", "21030a00"},
	{"stage", ".isa toy:t1 vp\nvout r1, r2", "21000b00"},
	{"bundle", "{add r1, r2, r3 | mul.n r4, r5, r6 if !p1}", "2103010854d60404"},
	{"bytes that text would not give", ".enc 21f30101 add r1, r2, r3 if !p3", "21f30101"},
	{"another spelling in .enc", ".enc 21f30101 add  r1,r2,r3 if !p3", "21f30101"},
	{"suffix and dotted names", "mul.n r1, r2, r3\nadd.sat r1, r2, r3\nadd.sat.x r1, r2, r3", "210304042103020021030300"},
	{"rows of one name", "mov r1, r2\nmov r1, u2\nmov r1, -1", "2100006021000061f10f0062"},
	{"128 bits", "wide r1, r2, 0x123456789abcdef0", "21000020000000" + "00efcdab8967452301"},
	{"linker directives", ".text\n.section .text\n.globl x\n.type x, @function\nx: nop\n.size x, .-x", "00000060"},
	{"names that look like registers", "r1: mov r1, r1", "11000060"},
}

func TestAssemble(t *testing.T) {
	for _, tt := range assembles {
		t.Run(tt.name, func(t *testing.T) {
			a, errs := asm.Assemble(toy.Set().At(0, 0), []byte(tt.src), asm.Options{})
			for _, e := range errs {
				t.Error(e.Detail())
			}
			if a == nil {
				return
			}
			if got := fmt.Sprintf("%x", a.Code); got != tt.hex {
				t.Errorf("%s\ngot  %s\nwant %s", tt.src, got, tt.hex)
			}
		})
	}
}

func TestAssembleOptions(t *testing.T) {
	a, errs := asm.Assemble(toy.Set().At(toy.V2, 0), []byte("bra b\na:\n\n b: nop\n"), asm.Options{Base: 0x40})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if a.Base != 0x40 || a.Target.Variant != toy.V2 || a.Exact {
		t.Errorf("got %+v", a)
	}
	if got := fmt.Sprint(a.Labels, a.Lines); got != "[{a 68} {b 68}] [{0 1 1} {4 4 5}]" {
		t.Errorf("labels and lines: %s", got)
	}
	if name, variant := asm.SourceISA([]byte("// x\n .isa toy:t2 vp\n")); name != "toy" || variant != "t2" {
		t.Errorf("SourceISA: %q %q", name, variant)
	}
}

// Sizes that depend on each other: each literal that grows moves the label that the next one names.
func TestLayoutSettles(t *testing.T) {
	var src strings.Builder
	for i := range 200 {
		fmt.Fprintf(&src, "l%d: add r0, r0, l%d\n.align 8\n", i, 199-i)
	}
	a, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src.String()), asm.Options{})
	if len(errs) > 0 || len(a.Code) != 1600 {
		t.Fatal(errs, a)
	}
}

// TestChains: a symbol may be defined by a later one, which is again defined by another; chains of the tested length
// resolve, and the error of a longer one says so.
func TestChains(t *testing.T) {
	for _, c := range []struct {
		links int
		err   string
	}{{1, ""}, {15, ""}, {16, ""}, {100, ""}, {1000, ""}, {10000, "too long a chain of symbols"}} {
		var src strings.Builder
		for i := range c.links {
			fmt.Fprintf(&src, "a%d = a%d + 2\n", i, i+1)
		}
		fmt.Fprintf(&src, "a%d = 5\n.long a0\n", c.links)
		a, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src.String()), asm.Options{})
		switch {
		case c.err != "" && len(errs) == 1 && strings.Contains(errs[0].Msg, c.err):
		case c.err != "" || len(errs) > 0:
			t.Errorf("%d links: %v", c.links, errs)
		case binary.LittleEndian.Uint32(a.Code) != uint32(5+2*c.links):
			t.Errorf("%d links: %x", c.links, a.Code)
		}
	}
}

var wantError = regexp.MustCompile(`ERROR ("(?:[^"\\]|\\.)*")`)

// Text that must fail carries its errors on the same line.
func TestErrors(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.s")
	if len(files) == 0 {
		t.Fatal("no testdata/*.s")
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, errs := asm.Assemble(toy.Set().At(0, 0), src, asm.Options{File: name})
		got := map[int][]*isa.Error{}
		for i, e := range errs {
			got[e.Line] = append(got[e.Line], e)
			if i > 0 && e.Line < errs[i-1].Line {
				t.Errorf("%s: out of order", e)
			}
		}
		for i, line := range strings.Split(string(src), "\n") {
			checkLine(t, fmt.Sprintf("%s:%d", name, i+1), line, got[i+1])
		}
	}
}

func checkLine(t *testing.T, at, line string, errs []*isa.Error) {
	t.Helper()
	want := wantError.FindAllStringSubmatch(line, -1)
	if len(want) != len(errs) {
		t.Errorf("%s: %d errors, want %d: %v", at, len(errs), len(want), errs)
		return
	}
	for i, w := range want {
		text := regexp.MustCompile(`^"|"$`).ReplaceAllString(w[1], "")
		text = strings.ReplaceAll(text, `\"`, `"`)
		if full := strings.ReplaceAll(errs[i].Detail(), "\n", " "); !regexp.MustCompile(text).MatchString(errs[i].Error()) && !regexp.MustCompile(text).MatchString(full) {
			t.Errorf("%s: %q does not match %q", at, errs[i].Detail(), text)
		}
		if errs[i].Source != line {
			t.Errorf("%s: source %q", at, errs[i].Source)
		}
	}
}

func TestCaret(t *testing.T) {
	_, errs := asm.Assemble(toy.Set().At(0, 0), []byte("\nx:\tadd r1, q2, r3 ; c"), asm.Options{File: "f.s"})
	want := "f.s:2:12: error: add: \"q2\" where a register is expected [operand]\n    x:\tadd r1, q2, r3 ; c\n      \t        ^"
	if len(errs) != 1 || errs[0].Detail() != want {
		t.Errorf("got %v\n%s\nwant\n%s", errs, errs[0].Detail(), want)
	}
	// A letter of several bytes is one column for the caret.
	_, errs = asm.Assemble(toy.Set().At(0, 0), []byte("/* é */ add r1, q2, r3"), asm.Options{File: "f.s"})
	want = "f.s:1:18: error: add: \"q2\" where a register is expected [operand]\n    /* é */ add r1, q2, r3\n                    ^"
	if len(errs) != 1 || errs[0].Detail() != want {
		t.Errorf("got %v\n%s\nwant\n%s", errs, errs[0].Detail(), want)
	}
}

// Without encoding, the result is the instructions themselves: all of them, at their addresses.
func TestTextOnly(t *testing.T) {
	src := "a: magic r0, r1\n.enc 21030100 add r1, r2, r3\n.align 16\nbra a\nb: magic r2, r3\n"
	tg := toy.Set().At(0, 0)
	if _, errs := asm.Assemble(tg, []byte(src), asm.Options{}); len(errs) != 2 || errs[0].Code != isa.ErrEncoding {
		t.Errorf("%v, want two errors", errs)
	}
	a, errs := asm.Assemble(tg, []byte(src), asm.Options{Base: 0x40, TextOnly: true})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var got []string
	for i := range a.Bundles {
		b := &a.Bundles[i]
		got = append(got, fmt.Sprintf("%#x %s", b.Addr(), tg.Print(nil, b)))
	}
	size := a.Bundles[0].Size()
	want := []string{"0x40 magic r0, r1", fmt.Sprintf("%#x add r1, r2, r3", 0x40+size), "0x50 bra -5", "0x54 magic r2, r3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(a.Code); n != 0x14+size || !bytes.Equal(a.Code[:size], make([]byte, size)) {
		t.Errorf("%d bytes % x", n, a.Code)
	}
	l, err := isa.NewListing(tg, a.Bundles)
	if err != nil || l.Text(0x54) != "magic r2, r3" || l.Text(0x58) != "no code" {
		t.Error(err)
	}
	if _, err := isa.NewListing(tg, append(a.Bundles, a.Bundles[0])); err == nil || !strings.Contains(err.Error(), "two bundles at 0x40") {
		t.Error(err)
	}
	if _, err := isa.NewListing(tg, []isa.Bundle{{}}); err == nil || !strings.Contains(err.Error(), "bundle 0 is empty") {
		t.Error(err)
	}
}

// A file to run may have instructions without public encoding: then all instructions run from text.
func TestAssembleToRun(t *testing.T) {
	tg := toy.Set().At(0, 0)
	for src, private := range map[string]bool{"add r1, r2, r3\nend\n": false, "add r1, r2, r3\nmagic r0, r1\nend\n": true} {
		a, errs := asm.AssembleToRun(tg, []byte(src), asm.Options{Base: 0x40})
		if len(errs) > 0 || (a.Bundles != nil) != private {
			t.Fatal(src, errs)
		}
	}
	if _, errs := asm.AssembleToRun(tg, []byte("magic r0, r1\nad r1\n"), asm.Options{}); len(errs) != 1 || errs[0].Line != 2 {
		t.Errorf("%v, want the mnemonic of line 2 alone", errs)
	}
	if _, errs := asm.Assemble(tg, []byte("end\n  magic r0, r1\n"), asm.Options{}); len(errs) != 1 || errs[0].Line != 2 || errs[0].Col != 3 || errs[0].Code != isa.ErrEncoding {
		t.Errorf("%v, want what has no public encoding, where it stands", errs)
	}
}

// The work is linear in the text, not quadratic.
func TestLongLines(t *testing.T) {
	n := 1 << 16
	for name, src := range map[string]string{
		"comments": strings.Repeat("/* */", n) + "nop",
		"labels":   strings.Repeat("/**/", n) + ".byte 1 // \"",
		"texts":    ".ascii " + strings.Repeat(`"/*", `, n) + `""`,
	} {
		start := time.Now()
		if _, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src), asm.Options{}); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs[0])
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
}

func TestTooManyErrors(t *testing.T) {
	for _, line := range []string{"what\n", "bra 99999\n", "bra a+99999*4\na: what\n"} {
		_, errs := asm.Assemble(toy.Set().At(0, 0), []byte(strings.Repeat(line, 300)), asm.Options{})
		if len(errs) != 101 || errs[100].Msg != "too many errors" {
			t.Errorf("%q: %d errors, last %v", line, len(errs), errs[len(errs)-1])
		}
	}
}

// Output beyond the limit is refused before it is made.
func TestLimits(t *testing.T) {
	full := []byte(".zero 30\n.fill 10, 2, 1\n.org 60\n.align 64\n") // 64 bytes, all filled
	if a, errs := asm.Assemble(toy.Set().At(0, 0), full, asm.Options{MaxFill: 64}); len(errs) > 0 || len(a.Code) != 64 {
		t.Errorf("%v", errs)
	}
	for line := range strings.SplitSeq(".zero 1|.fill 1|.org 65|.p2align 7", "|") {
		_, errs := asm.Assemble(toy.Set().At(0, 0), append(full, line...), asm.Options{MaxFill: 64})
		if len(errs) != 1 || !strings.HasSuffix(errs[0].Msg, "more bytes: all that directives fill in would exceed 64") {
			t.Errorf("%s: %v", line, errs)
		}
	}
	if a, errs := asm.Assemble(toy.Set().At(0, 0), []byte("\n\n.zero 60\na: .word b-a\n.byte 1\nb:"), asm.Options{MaxFill: 60}); len(errs) > 0 || len(a.Code) != 65 {
		t.Errorf("what a round fills in counts in that round only, and data does not: %v", errs)
	}
	for _, src := range []string{
		".org 0x7fffffffffffffff", ".zero 1<<40", ".fill 1<<62, 8", ".align 1<<40\n", "nop\n.p2align 62", ".fill 9, 8",
		".zero 30\n.zero 30\n.zero 30", strings.Repeat("nop\n", 20), ".zero a + 1\na:", ".byte 1\n.org a + 1\na:", ".zero 8 - a\na:",
	} {
		_, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src), asm.Options{MaxSize: 64})
		if src == ".align 1<<40\n" && len(errs) == 0 {
			continue // at address 0 there is nothing to fill
		}
		if len(errs) == 0 {
			t.Errorf("%q: no error", src)
		}
	}
}
