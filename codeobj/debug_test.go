package codeobj_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/object"
)

// debugTexts returns the names of the texts with debug information in testdata: see make.sh there.
func debugTexts(t testing.TB) (names []string) {
	files, err := filepath.Glob("testdata/debug/*.s.gz")
	if err != nil || len(files) < 14 {
		t.Fatalf("%d texts: %v", len(files), err)
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f, ".s.gz"))
	}
	return names
}

// TestDebugSections: texts that clang 14, 19 and 22 wrote with debug information assemble to the output of llvm-mc of
// the same version: the bytes, flags and relocations of all sections, and all symbols.
func TestDebugSections(t *testing.T) {
	for _, name := range debugTexts(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want, err := object.ReadUnlinked(cases.Text(t, name+".o.gz"))
			if err != nil {
				t.Fatal(err)
			}
			for _, what := range unequal(assemble(t, cases.Text(t, name+".s.gz")).Unlinked, want) {
				t.Error(what)
			}
		})
	}
}

// TestDebugLines: the code of a text with debug information has the lines of its source, whether the text or the
// object is read.
func TestDebugLines(t *testing.T) {
	for _, name := range debugTexts(t) {
		c := assemble(t, cases.Text(t, name+".s.gz"))
		for what, data := range map[string][]byte{"text": c.Data, "object": cases.Text(t, name+".o.gz"), "ld.lld": cases.Text(t, name+".hsaco.gz")} {
			o, err := object.ReadHSA(data)
			if err != nil {
				t.Fatal(name, err)
			}
			lines := map[int]bool{}
			for i := range o.Sections {
				for addr := o.Sections[i].Addr; o.Sections[i].Exec && addr < o.Sections[i].Addr+o.Sections[i].Size; addr += 4 {
					if p := o.Source(addr); p.File == "dot.cl" {
						lines[p.Line] = true
					}
				}
			}
			if !lines[27] || !lines[31] { // the loads of a and b, the call of product
				t.Errorf("%s, %s: lines %v", name, what, lines)
			}
		}
	}
}

// TestUndefinedPlace: an undefined symbol is an error at its first use in loaded code; debug sections may name one,
// and hold 0 for it.
func TestUndefinedPlace(t *testing.T) {
	text := ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\nf: s_mov_b32 s0, g@abs32@lo\n.quad h, g\n.section .debug_info\n.quad lds+4, f+8\n.section .debug_ranges\n.quad lds+4\n"
	_, errs, err := codeobj.Assemble([]byte(text), codeobj.Options{})
	if err != nil || len(errs) != 2 || errs[0].Line != 2 || errs[0].Col != 18 || errs[1].Line != 3 || errs[1].Col != 7 {
		t.Fatal(errs, err)
	}
	c := assemble(t, []byte(strings.ReplaceAll(strings.Replace(text, ".quad h, g", "g: h:", 1), "h:", "s_nop 0\nh:")))
	o, err := object.ReadHSA(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	var at uint64
	for _, y := range o.Symbols {
		if y.Name == "f" {
			at = y.Addr
		}
	}
	info, ranges := section(t, c.Data, ".debug_info"), section(t, c.Data, ".debug_ranges")
	if le64(info) != 0 || le64(info[8:]) != at+8 || le64(ranges) != 1 {
		t.Errorf("%x %x, f is at %#x", info, ranges, at)
	}
}
