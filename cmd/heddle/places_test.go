package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// quoted matches quoted text in a hint.
var quoted = regexp.MustCompile(`"([^"]+)"`)

// TestPlaces: testdata/places.txt has texts with errors, with a » before the wrong value, where the caret must be.
// After // follows a part of the message, and after another // a part of the hint; without that there must be no hint,
// except one that asks what was meant. Quoted text in a hint must assemble, and so must the text itself without the
// error: the tests in the hint, and all other texts.
func TestPlaces(t *testing.T) {
	data, err := os.ReadFile("testdata/places.txt")
	if err != nil {
		t.Fatal(err)
	}
	var tg *isa.Target
	seen, hints := map[string]int{}, 0
	for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if name, ok := strings.CutPrefix(line, "== "); ok {
			if tg, err = sets.Lookup(name); err != nil {
				t.Fatal(err)
			}
			if tg.Name == "tesla" {
				tg = tg.Move(tg.Variant, slices.Index(tg.Stages, "cp"))
			}
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		marked, wants, _ := strings.Cut(line, " // ")
		msg, hint, hinted := strings.Cut(wants, " // ")
		at := strings.Index(marked, "»")
		text := strings.Replace(marked, "»", "", 1)
		seen[tg.Name]++
		for _, lead := range []string{"", "  \t", "label: "} {
			_, errs := asm.Assemble(tg, []byte("// a comment\n"+lead+text+"\n"), asm.Options{File: "f"})
			if len(errs) != 1 {
				t.Errorf("places.txt:%d: %s: %d errors, want 1", n+1, text, len(errs))
				break
			}
			e := errs[0]
			if e.Line != 2 || e.Col != len(lead)+at+1 || !strings.Contains(e.Msg, msg) || hinted && !strings.Contains(e.Hint, hint) {
				t.Errorf("places.txt:%d: want %q at %d, hint %q:\n%s", n+1, msg, len(lead)+at+1, hint, e.Detail())
				break
			}
			if strings.HasPrefix(e.Hint, "did you mean") || e.Ref != "" || !hinted {
				if !hinted && e.Hint != "" && !strings.HasPrefix(e.Hint, "did you mean") && e.Ref == "" {
					t.Errorf("places.txt:%d: %s: a hint that no line asks for: %s", n+1, text, e.Hint)
				}
				continue
			}
			for _, m := range quoted.FindAllStringSubmatch(e.Hint, -1) {
				hints++
				if _, errs := asm.Assemble(tg, []byte(m[1]), asm.Options{}); len(errs) > 0 {
					t.Errorf("places.txt:%d: %s: what the hint says does not assemble: %v", n+1, text, errs[0])
				}
			}
		}
	}
	if len(seen) != 5 || hints < 40 {
		t.Errorf("texts of %v, %d texts in hints", seen, hints)
	}
}
