package gcn

import (
	"encoding/hex"
	goflag "flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

var update = goflag.Bool("update", false, "rewrite the golden files")

// TestGolden: testdata/*.txt hold memory-order hex | canonical text or ERROR, one instruction a line. The text
// assembles to the hex unless the hex is followed by an exclamation mark (its text stands for another word too).
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(string(old), "\n"), "\n") {
		word, want, ok := strings.Cut(line, " | ")
		if !ok || strings.HasPrefix(line, "#") {
			out.WriteString(line + "\n")
			continue
		}
		got := goldenText(t, strings.TrimSuffix(word, "!"))
		out.WriteString(word + " | " + got + "\n")
		if got != want && !*update {
			t.Errorf("%s:%d: %s prints as %q, want %q", name, i+1, word, got, want)
		}
		if strings.HasPrefix(got, "ERROR") || strings.HasSuffix(word, "!") {
			continue
		}
		var in isa.Inst
		if err := Set().ParseText(gfx8, 0, got, &in); err != nil || in.Word.Hex(int(in.Size)) != word {
			t.Errorf("%s:%d: %q assembles to %s (%v), want %s", name, i+1, got, in.Word.Hex(int(in.Size)), err, word)
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// goldenText is what a word prints as: its text, or ERROR and why it is none.
func goldenText(t *testing.T, word string) string {
	code, err := hex.DecodeString(word)
	if err != nil {
		t.Fatal(err)
	}
	var in isa.Inst
	if err := Set().Decoder(gfx8, 0).Decode(code, 0, &in); err != nil {
		return "ERROR " + err.Error()
	}
	return in.String()
}
