package valhall

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/isa"
)

// mesaLines are the lines of a file of Mesa's own tests of its assembler, without comments.
func mesaLines(t *testing.T, name string) (lines []string) {
	data, err := os.ReadFile(filepath.Join(cases.Dir(t), "third-party", "valhall-mesa", name))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(data)) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			lines = append(lines, l)
		}
	}
	return lines
}

// TestMesaAssembler checks that the inputs of Mesa's assembler tests print as there, and assemble to the same bytes.
func TestMesaAssembler(t *testing.T) {
	tg, n := Set().At(0, 0), 0
	for _, l := range mesaLines(t, "assembler-cases.txt") {
		if len(l) < 24 {
			t.Fatalf("%q is no case", l)
		}
		want, err := hex.DecodeString(strings.ReplaceAll(l[:23], " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(l[23:])
		var in isa.Inst
		if err := tg.Decode(want, 0, &in); err != nil {
			t.Errorf("%s: %v", l, err)
			continue
		}
		if got := in.String(); got != text {
			t.Errorf("%x is %s, want %s", want, got, text)
		}
		if got, err := asm.Line(tg, text); err != nil || got != hex.EncodeToString(want) {
			t.Errorf("%s assembles to %s, %v; want %x", text, got, err, want)
		}
		n++
	}
	if n < 150 {
		t.Errorf("%d cases", n)
	}
}

// TestMesaRefuses checks that texts that Mesa's assembler must reject are rejected.
func TestMesaRefuses(t *testing.T) {
	lines := mesaLines(t, "negative-cases.txt")
	for _, l := range lines {
		for _, text := range []string{l, strings.ReplaceAll(l, "`", "^")} {
			if got, err := asm.Line(Set().At(0, 0), text); err == nil {
				t.Errorf("%q assembles to %s", text, got)
			}
		}
	}
	if len(lines) < 20 {
		t.Errorf("%d cases", len(lines))
	}
}
