package asm_test

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/isa"
)

// single are lines for a line reader, correct and wrong; the test feeds each after each of the others.
var single = []string{
	"21030100", " 21 03\t01 00 ", "21030100\r", "2 1 0 3 0 1 0 0", "21\u00a00301\u200300", "21\u2028030100", "2103010854060400", "21000020000000" + "00efcdab8967452301",
	"", "  ", "2", "210", "2103010", "21030100ff", "zz", "21 é", "\xff", "210301\xff", "ffffffff", "21F30101", "d0:00", "0x21030100",
	"add r1, r2, r3", "  add r1, r2, r3 // c", "add r1, r2, r3 ; 2", "add r1, /* in */ r2, r3", "add r1, r2, r3 /* open", "{add r1, r2, r3 | mul.n r4, r5, r6 if !p1}",
	"bra 5", "bra a", "add r1, q2, r3", "\tadd r1, q2, r3", "what", "magic r0, r1", "wide r1, r2, 0x123456789abcdef0", "nop\nnop", "nop\n", "nop \t\r", "\"", "nop // \"",
}

// disOf and asmOf compute the expected result of a line with packages that read it another way.
func disOf(tg *isa.Target, line string) (string, error) {
	code, err := hex.DecodeString(strings.Join(strings.Fields(line), ""))
	if err != nil || len(code) == 0 {
		return "", &isa.Error{Code: isa.ErrSyntax, Msg: "an even number of hexadecimal digits is expected"}
	}
	var b isa.Bundle
	if err := tg.DecodeBundle(code, 0, &b); err != nil {
		return "", err
	}
	if n := b.Size(); n < len(code) {
		return "", &isa.Error{Code: isa.ErrInvalid, Msg: fmt.Sprintf("too many bytes: %d, where the instruction has %d", len(code), n)}
	}
	return string(tg.Print(nil, &b)), nil
}

func asmOf(tg *isa.Target, line string) (string, error) {
	text := strings.ReplaceAll(line, "/* in */", "        ")
	for _, c := range []string{"//", ";", "/*"} {
		text, _, _ = strings.Cut(text, c)
	}
	var b isa.Bundle
	if err := tg.Parse(strings.TrimRight(text, " \t\r\n"), 0, &b); err != nil {
		return "", err
	}
	code, err := b.Encode(nil)
	return hex.EncodeToString(code), err
}

// TestLinesInTurn: the result of a line does not depend on the lines before it, and is appended to what was there.
func TestLinesInTurn(t *testing.T) {
	tg := toy.Set().At(0, 0)
	l := asm.NewLines(tg)
	right := 0
	check := func(what, line string, f func(dst, line []byte) ([]byte, error), of func(*isa.Target, string) (string, error)) {
		t.Helper()
		want, wantErr := of(tg, line)
		if wantErr != nil {
			want = ""
		} else {
			right++
		}
		got, err := f([]byte("> "), []byte(line))
		if string(got) != "> "+want || !reflect.DeepEqual(err, wantErr) {
			t.Errorf("%s %q: %q, %#v, want %q, %#v", what, line, got, err, want, wantErr)
		}
	}
	for _, before := range single {
		for _, line := range single {
			for range 2 {
				check("dis", line, l.Dis, disOf)
				check("asm", line, l.Asm, asmOf)
			}
			l.Dis(nil, []byte(before))
			l.Asm(nil, []byte(before))
		}
	}
	if right < len(single) {
		t.Errorf("only %d lines were right", right)
	}
}

// TestLinesAllocate: lines of bytes do not allocate, nor do lines of text that were read before.
func TestLinesAllocate(t *testing.T) {
	l := asm.NewLines(toy.Set().At(0, 0))
	buf := make([]byte, 0, 256)
	for _, f := range []func(dst, line []byte) ([]byte, error){l.Dis, l.Asm} {
		for _, s := range single {
			line := []byte(s)
			if _, err := f(buf, line); err != nil || strings.ContainsAny(s, "\u00a0\u2003\u2028*\n\"") {
				continue
			}
			if n := testing.AllocsPerRun(100, func() { f(buf, line) }); n != 0 {
				t.Errorf("%q: %v allocations", s, n)
			}
		}
	}
}

// FuzzLines: a line of bytes is read by its digits, whatever the blanks between them.
func FuzzLines(f *testing.F) {
	for _, s := range single {
		f.Add(s)
	}
	tg := toy.Set().At(0, 0)
	l := asm.NewLines(tg)
	f.Fuzz(func(t *testing.T, line string) {
		want, wantErr := disOf(tg, line)
		got, err := l.Dis(nil, []byte(line))
		if wantErr != nil {
			want = ""
		}
		if string(got) != want || !reflect.DeepEqual(err, wantErr) {
			t.Errorf("%q: %q, %v, want %q, %v", line, got, err, want, wantErr)
		}
	})
}
