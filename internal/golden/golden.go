// Package golden checks golden files of instructions for the tests of instruction sets.
package golden

import (
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

// Update is the flag that rewrites golden files.
var Update = flag.Bool("update", false, "rewrite the golden files")

// Words checks testdata/*.txt: memory-order hex | text or ERROR, one instruction per line. The text must assemble to
// the hex, unless an exclamation mark follows the hex: then the text assembles to another, canonical word.
func Words(t *testing.T, tg *isa.Target) { WordsIn(t, tg, "testdata") }

// WordsIn checks the files of a folder in the same way.
func WordsIn(t *testing.T, tg *isa.Target, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files in " + dir)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { words(t, tg, name) })
	}
}

func words(t *testing.T, tg *isa.Target, name string) {
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
		digits, marked := strings.CutSuffix(word, "!")
		got := text(t, tg, digits)
		if got != want && !*Update {
			t.Errorf("%s:%d: %s prints as %q, want %q; go test -update rewrites the lines", name, i+1, word, got, want)
		}
		other := false // the text assembles to another word
		if !strings.HasPrefix(got, "ERROR") {
			l := asm.NewLines(tg)
			l.NoLint = true
			back, err := l.Asm(nil, []byte(got))
			other = string(back) != digits
			if err != nil || other != marked && !*Update {
				t.Errorf("%s:%d: %q assembles to %s (%v), line has %s", name, i+1, got, back, err, word)
			}
		}
		if other {
			digits += "!"
		}
		out.WriteString(digits + " | " + got + "\n")
	}
	if *Update {
		if err := os.WriteFile(name, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// text returns the text of a word, or ERROR and the reason.
func text(t *testing.T, d *isa.Target, word string) string {
	code, err := hex.DecodeString(word)
	if err != nil {
		t.Fatal(err)
	}
	var in isa.Inst
	if err := d.Decode(code, 0, &in); err != nil {
		return "ERROR " + err.Error()
	}
	return in.String()
}
