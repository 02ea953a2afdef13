package rogue

import (
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/isa"
)

// target is the target of a dialect.
func target(t testing.TB, dialect int) *isa.Target {
	tg, err := Set().At(0, 0).With(dialect, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// A claim is a row of a set of pairs.
type claim struct {
	hex, text string
	code      []byte
	assembles bool // the text assembles to the bytes
}

// pairsOf calls f with each pair of a set: the selection in the repository, and the full set if it is available.
func pairsOf(t *testing.T, set string, f func(t *testing.T, p *claim)) {
	dirs := map[string]string{"selected": filepath.Join("..", "..", "cases")}
	if dir, ok := cases.Find(); ok {
		dirs["full"] = dir
	}
	for name, dir := range dirs {
		t.Run(name, func(t *testing.T) {
			lines := cases.Lines(t, filepath.Join(dir, "pairs", set+".tsv.gz"))[1:]
			for _, line := range lines {
				col := strings.Split(line, "\t")
				code, err := hex.DecodeString(col[2])
				if err != nil || len(col) != 6 {
					t.Fatalf("%q: %v", line, err)
				}
				f(t, &claim{col[2], col[3], code, strings.Contains(col[4], "A")})
			}
			if len(lines) < 100 {
				t.Errorf("%d pairs", len(lines))
			}
		})
	}
}

var (
	paddingText = regexp.MustCompile(`\.pad\(\d+\)$`)
	sampleText  = regexp.MustCompile(`backend: smp[123]d[.\w]* `)
	coordinates = regexp.MustCompile(`, s1=(\w+)\[(\d+)\.\.\d+\],`)
)

// common removes from a text what the bits do not determine: the number of registers of coordinates, and which of two
// names, or none, a cache mode has.
func common(text string) string {
	text = strings.TrimSuffix(paddingText.ReplaceAllString(text, ""), ".form(backend=smp_extab)")
	modes := []string{".writethrough", ""}
	switch {
	case strings.Contains(text, "backend: ld"):
		modes = append(modes, ".slcbypass", "")
	case sampleText.MatchString(text) && strings.Contains(text, ".wrt"):
		modes = append(modes, ".slcbypass", "", ".bypass", ".writeback", ".forcelinefill", ".lazywriteback")
	case sampleText.MatchString(text):
		modes = append(modes, ".slcbypass", "", ".lazywriteback", ".forcelinefill", ".writeback", ".bypass")
	}
	if sampleText.MatchString(text) {
		text = coordinates.ReplaceAllString(text, ", s1=$1[$2],")
	}
	return strings.NewReplacer(modes...).Replace(text)
}

// TestMesaText checks that the bytes of Mesa 24.1's text print as that text.
func TestMesaText(t *testing.T) {
	tg := target(t, Mesa24)
	var b isa.Bundle
	pairsOf(t, "rogue-mesa24", func(t *testing.T, p *claim) {
		if err := tg.DecodeBundle(p.code, 0, &b); err != nil {
			t.Errorf("%s: %v", p.hex, err)
			return
		}
		got := string(tg.Print(nil, &b))
		if p.assembles && common(got) != common(p.text) {
			t.Errorf("%s prints as\n%s, want\n%s", p.hex, got, p.text)
		}
		if !strings.Contains(p.text, "backend: smp") && !strings.Contains(p.text, "slcbypass") && !strings.Contains(p.text, "writethrough") &&
			p.assembles && paddingText.ReplaceAllString(got, "") != p.text {
			t.Errorf("%s prints as\n%s, want exactly\n%s", p.hex, got, p.text)
		}
	})
}

// TestComesBack checks that all groups of the sets print in the dialects of both compilers and assemble to the same
// bytes, except for bits without meaning.
func TestComesBack(t *testing.T) {
	var b, back, again isa.Bundle
	for _, dialect := range []int{PCO, Mesa24} {
		tg := target(t, dialect)
		for _, set := range []string{"rogue-groups", "rogue-mesa24"} {
			t.Run(dialects[dialect], func(t *testing.T) {
				pairsOf(t, set, func(t *testing.T, p *claim) {
					if err := tg.DecodeBundle(p.code, 0, &b); err != nil {
						t.Errorf("%s: %v", p.hex, err)
						return
					}
					text := string(tg.Print(nil, &b))
					if err := tg.Parse(text, 0, &back); err != nil {
						t.Errorf("%s: %s: %v", p.hex, text, err)
						return
					}
					code, err := back.Encode(nil)
					if err == nil {
						err = tg.DecodeBundle(code, 0, &again)
					}
					if err != nil || len(code) != len(p.code) {
						t.Errorf("%s: %s: comes back as %x, %v", p.hex, text, code, err)
						return
					}
					if got := string(tg.Print(nil, &again)); got != text {
						t.Errorf("%s: %s\ncomes back as %s", p.hex, text, got)
					}
					if string(code) != string(p.code) && !hasIdle(&b) {
						t.Errorf("%s: %s: comes back as %x", p.hex, text, code)
					}
				})
			})
		}
	}
}

// hasIdle reports whether a part of a group has bits without meaning.
func hasIdle(b *isa.Bundle) bool {
	for i := range b.Parts {
		for j := range b.Parts[i].Def.Args {
			if a := &b.Parts[i].Def.Args[j]; len(a.At) > 0 && a.Kind.Canon != nil && a.Kind.Canon(a.Get(b.Parts[i].Word)) != a.Get(b.Parts[i].Word) {
				return true
			}
		}
	}
	return false
}
