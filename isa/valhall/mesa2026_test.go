package valhall

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/cases"
)

// Texts of tools later than Mesa 24.1.

// lastUse is a register with a last-use mark, in Mesa 24.1's syntax.
var lastUse = regexp.MustCompile(`\^(r\d+)`)

// TestLastUseBehind checks that Mesa 24.1's text reads the same with the last-use mark after the register, as in Mesa
// of 2026.
func TestLastUseBehind(t *testing.T) {
	tg, n := Set().At(0, 0), 0
	for _, file := range []string{"valhall-programs", "valhall-words"} {
		for _, line := range cases.Lines(t, filepath.Join(cases.Dir(t), "pairs", file+".tsv.gz")) {
			col := strings.Split(line, "\t")
			if len(col) < 5 || !strings.Contains(col[4], "A") && !strings.Contains(col[4], "D") {
				continue
			}
			text := lastUse.ReplaceAllString(col[3], "$1^")
			if text == col[3] {
				continue
			}
			n++
			want, errWant := asm.Line(tg, col[3])
			if got, err := asm.Line(tg, text); got != want || err != nil && errWant == nil {
				t.Fatalf("%s assembles to %s, %v; want %s", text, got, err, want)
			}
		}
	}
	if n < 3000 {
		t.Errorf("only %d texts", n)
	}
	for _, text := range []string{"MOV.i32 r0, ^r1^", "MOV.i32 r0^, r1", "MOV.i32 r0, r1^^", "STORE.i32.slot0 @r0^, r2, offset:0", "MOV.i32 r0, u1^"} {
		if got, err := asm.Line(tg, text); err == nil {
			t.Errorf("%q assembles to %s", text, got)
		}
	}
}

// TestLaterTexts checks the texts of testdata/later.list against the words that their tools give.
func TestLaterTexts(t *testing.T) {
	data, err := os.ReadFile("testdata/later.list")
	if err != nil {
		t.Fatal(err)
	}
	tg, n := Set().At(0, 0), 0
	for line := range strings.Lines(string(data)) {
		want, text, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok || line[0] == '#' {
			continue
		}
		n++
		if want == "refused" {
			if got, err := asm.Line(tg, text); err == nil {
				t.Errorf("%q assembles to %s", text, got)
			}
			continue
		}
		if code, err := hex.DecodeString(want); err != nil || len(code) != wordBytes {
			t.Fatalf("%q is no word", want)
		}
		if got, err := asm.Line(tg, text); err != nil || got != want {
			t.Errorf("%s assembles to %s, %v; want %s", text, got, err, want)
		}
	}
	if n < 50 {
		t.Errorf("only %d texts", n)
	}
}
