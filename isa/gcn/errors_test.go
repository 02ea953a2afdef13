package gcn

import (
	"os"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/golden"
	"github.com/heddle-gpu/heddle/isa"
)

// TestMemoryErrors: each line of testdata/memory_err.s fails with the message after // ERROR.
func TestMemoryErrors(t *testing.T) {
	const name = "testdata/memory_err.s"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		text, want, _ := strings.Cut(line, " // ERROR ")
		var b isa.Bundle
		err := Set().At(gfx8, 0).Parse(text, 0, &b)
		if err == nil {
			t.Errorf("%s:%d: %q assembles as %q", name, i+1, text, b.Parts[0].String())
			continue
		}
		got := strings.Replace(strings.TrimPrefix(err.Error(), "<text>:1:"), " error:", "", 1)
		out.WriteString(text + " // ERROR " + got + "\n")
		if got != want && !*golden.Update {
			t.Errorf("%s:%d: %s: error %q, want %q", name, i+1, text, got, want)
		}
	}
	if *golden.Update {
		if err := os.WriteFile(name, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
