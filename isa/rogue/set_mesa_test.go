package rogue

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// target is the target of a dialect.
func target(t testing.TB, dialect int) *isa.Target {
	tg, err := Set().At(0, 0).With(dialect, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// pairsOf calls f with each pair of a set: the selection of the repository, and the full set where it is.
func pairsOf(t *testing.T, set string, f func(t *testing.T, p *object.Pair)) {
	dirs := map[string]string{"selected": filepath.Join("..", "..", "cases")}
	if dir, ok := cases.Find(); ok {
		dirs["full"] = dir
	}
	for name, dir := range dirs {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "pairs", set+".tsv.gz")
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			n := 0
			for p, err := range object.Pairs(file, path) {
				if err != nil {
					t.Fatal(err)
				}
				f(t, &p)
				n++
			}
			if n < 100 {
				t.Errorf("%d pairs", n)
			}
		})
	}
}

var (
	paddingText = regexp.MustCompile(`\.pad\(\d+\)$`)
	sampleText  = regexp.MustCompile(`backend: smp[123]d[.\w]* `)
	coordinates = regexp.MustCompile(`, s1=(\w+)\[(\d+)\.\.\d+\],`)
)

// common is a text without what its bits do not tell: how many registers coordinates are, and by which of two names, or none, a
// cache mode goes.
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

// TestMesaText: the bytes of what Mesa 24.1 printed print as there.
func TestMesaText(t *testing.T) {
	tg := target(t, Mesa24)
	var b isa.Bundle
	pairsOf(t, "rogue-mesa24", func(t *testing.T, p *object.Pair) {
		if err := tg.DecodeBundle(p.Code(), 0, &b); err != nil {
			t.Errorf("%s: %v", p.Hex, err)
			return
		}
		got := string(tg.Print(nil, &b))
		if p.Has('A') && common(got) != common(p.Text) {
			t.Errorf("%s prints as\n%s, want\n%s", p.Hex, got, p.Text)
		}
		if !strings.Contains(p.Text, "backend: smp") && !strings.Contains(p.Text, "slcbypass") && !strings.Contains(p.Text, "writethrough") &&
			p.Has('A') && paddingText.ReplaceAllString(got, "") != p.Text {
			t.Errorf("%s prints as\n%s, want exactly\n%s", p.Hex, got, p.Text)
		}
	})
}

// TestComesBack: all groups of the sets print in the styles of both compilers, and come back, but for bits without meaning.
func TestComesBack(t *testing.T) {
	var b, back, again isa.Bundle
	for _, dialect := range []int{PCO, Mesa24} {
		tg := target(t, dialect)
		for _, set := range []string{"rogue-groups", "rogue-mesa24"} {
			t.Run(dialects[dialect], func(t *testing.T) {
				pairsOf(t, set, func(t *testing.T, p *object.Pair) {
					if err := tg.DecodeBundle(p.Code(), 0, &b); err != nil {
						t.Errorf("%s: %v", p.Hex, err)
						return
					}
					text := string(tg.Print(nil, &b))
					if err := tg.Parse(text, 0, &back); err != nil {
						t.Errorf("%s: %s: %v", p.Hex, text, err)
						return
					}
					code, err := back.Encode(nil)
					if err == nil {
						err = tg.DecodeBundle(code, 0, &again)
					}
					if err != nil || len(code) != len(p.Code()) {
						t.Errorf("%s: %s: comes back as %x, %v", p.Hex, text, code, err)
						return
					}
					if got := string(tg.Print(nil, &again)); got != text {
						t.Errorf("%s: %s\ncomes back as %s", p.Hex, text, got)
					}
					if string(code) != string(p.Code()) && !hasIdle(&b) {
						t.Errorf("%s: %s: comes back as %x", p.Hex, text, code)
					}
				})
			})
		}
	}
}

// hasIdle reports whether a part of a group has bits that say nothing.
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
