package rogue

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/isa"
)

// A program is machine code by name, and what its compiler printed of it.
type program struct {
	Name   string
	Code   string
	Syntax string
	Asm    []string
}

// vendorPrograms are programs by the vendor's compiler.
func vendorPrograms(t *testing.T) []program {
	data, err := os.ReadFile(filepath.Join(cases.Dir(t), "rogue", "vendor-programs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Programs []program }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Programs) < 5 {
		t.Errorf("%d programs", len(file.Programs))
	}
	return file.Programs
}

func compiledPrograms(t *testing.T) []program {
	return cases.Objects[program](t, filepath.Join(cases.Dir(t), "state", "rogue-compiled.jsonl.gz"))
}

// TestProgramsComeBack checks that programs of three compilers encode again to their bytes, group by group, and so do
// their listings in two dialects.
func TestProgramsComeBack(t *testing.T) {
	for _, p := range append(vendorPrograms(t), compiledPrograms(t)...) {
		code, err := hex.DecodeString(p.Code)
		if err != nil {
			t.Fatal(err)
		}
		var b isa.Bundle
		tg, groups := target(t, PCO), 0
		for at := 0; at < len(code); at += b.Size() {
			if err := tg.DecodeBundle(code[at:], uint64(at), &b); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if back, err := b.Encode(nil); err != nil || !bytes.Equal(back, code[at:at+b.Size()]) {
				t.Errorf("%s: %x encodes as %x, %v", p.Name, code[at:at+b.Size()], back, err)
			}
			groups++
		}
		if groups == 0 {
			t.Errorf("%s has no groups", p.Name)
		}
		for _, dialect := range []int{PCO, Mesa24} {
			tg := target(t, dialect)
			var text bytes.Buffer
			if err := asm.List(&text, tg, code, 0, asm.ListOptions{}); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			a, errs := asm.Assemble(tg, text.Bytes(), asm.Options{NoLint: true})
			if len(errs) > 0 {
				t.Errorf("%s in %s: %v\n%s", p.Name, dialects[dialect], errs, &text)
			} else if !bytes.Equal(a.Code, code) {
				t.Errorf("%s in %s assembles to %x\n%s", p.Name, dialects[dialect], a.Code, &text)
			}
		}
	}
}

var (
	remarks    = regexp.MustCompile(`/\*.*?\*/ ?`)
	spelledBy  = strings.NewReplacer("{  ", "{ ", "mbyp0", "mbyp", "bbyp0bm", "byp")
	immediates = regexp.MustCompile(`(byp ft0, ft1, s0, )[-\w.]+`)
	behind     = regexp.MustCompile(`(\.form\([^)]*\))?(\.pad\(\d+\))?$`)
)

// TestCompilerListings checks that what two compilers printed of a program is what its bytes print as here, and
// assembles to them with the forms that are not the shortest. The second also prints the words of constants.
func TestCompilerListings(t *testing.T) {
	groups := 0
	for _, p := range compiledPrograms(t) {
		code, err := hex.DecodeString(p.Code)
		if err != nil {
			t.Fatal(err)
		}
		dialect, ok := Set().Dialect(p.Syntax)
		if !ok {
			t.Fatalf("%s: no syntax %s", p.Name, p.Syntax)
		}
		tg := target(t, dialect)
		var b isa.Bundle
		at := 0
		for _, text := range p.Asm {
			if err := tg.DecodeBundle(code[at:], uint64(at), &b); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			groups++
			got := string(tg.Print(nil, &b))
			tail := behind.FindString(got)
			same := func(s string) string {
				return immediates.ReplaceAllString(spelledBy.Replace(remarks.ReplaceAllString(s, "")), "${1}K")
			}
			if same(strings.TrimSuffix(got, tail)) != same(text) {
				t.Errorf("%s: %x prints as\n%s, want\n%s", p.Name, code[at:at+b.Size()], got, text)
			}
			if back, err := asm.Line(tg, text+tail); err != nil || back != hex.EncodeToString(code[at:at+b.Size()]) {
				t.Errorf("%s: %s assembles to %s, %v, want %x", p.Name, text+tail, back, err, code[at:at+b.Size()])
			}
			at += b.Size()
		}
		if at != len(code) {
			t.Errorf("%s: the listing ends at byte %d of %d", p.Name, at, len(code))
		}
	}
	if groups < 150 {
		t.Errorf("%d groups", groups)
	}
}
