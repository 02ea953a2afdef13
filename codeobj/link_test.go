package codeobj_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/object"
)

// unlike lists the sections of two linked files that differ in address, flags or contents. The text of .comment in
// which ld.lld names itself is left out. Before version 18 ld.lld had no .relro_padding; section names then do not
// include it. Symbols are compared without their order: that of absolute symbols used by descriptors does not follow
// the text.
func unlike(t testing.TB, is, want []byte) (list []string) {
	t.Helper()
	a, err := elf.NewFile(bytes.NewReader(is))
	if err != nil {
		t.Fatal(err)
	}
	b, err := elf.NewFile(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	old := b.Section(".relro_padding") == nil
	for _, x := range a.Sections {
		if y := b.Section(x.Name); y == nil && !(old && x.Name == ".relro_padding") {
			list = append(list, x.Name+" is in one file only")
		}
	}
	for _, y := range b.Sections {
		x := a.Section(y.Name)
		if x == nil {
			list = append(list, y.Name+" is missing")
			continue
		}
		if y.Type == elf.SHT_NOBITS {
			if x.Size != y.Size {
				list = append(list, y.Name+" has another size")
			}
			continue
		}
		p, q := section(t, is, y.Name), section(t, want, y.Name)
		if y.Name == ".comment" {
			q = withoutLinker(q)
		}
		switch {
		case x.Type != y.Type || x.Flags != y.Flags || x.Addr != y.Addr || x.Addralign != y.Addralign || x.Entsize != y.Entsize:
			list = append(list, y.Name+" has another header")
		case old && y.Name == ".shstrtab":
		case y.Name == ".symtab":
			if p, q := entries(t, a), entries(t, b); !slices.Equal(p, q) {
				list = append(list, y.Name+": "+listDifference(p, q))
			}
		case y.Name == ".strtab":
			if len(p) != len(q) {
				list = append(list, y.Name+" has another size")
			}
		case !bytes.Equal(p, q):
			list = append(list, y.Name+": "+firstDifference(p, q))
		}
	}
	return list
}

// entries returns the symbols of a file that are not for its loader, sorted.
func entries(t testing.TB, f *elf.File) (list []string) {
	t.Helper()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range symbols {
		list = append(list, fmt.Sprintf("%s in %d at %#x size %d info %d other %d", y.Name, y.Section, y.Value, y.Size, y.Info, y.Other))
	}
	slices.Sort(list)
	return list
}

// withoutLinker returns the section of comments without the text that names ld.lld.
func withoutLinker(comment []byte) []byte {
	at := bytes.Index(comment, []byte("Linker: "))
	if at < 0 {
		return comment
	}
	end := at + bytes.IndexByte(comment[at:], 0) + 1
	return slices.Concat(comment[:at], comment[end:])
}

// TestDebugLinked: linking a text, and llvm-mc's object of it, gives the output of ld.lld, if that is told to keep
// the order of sections: all sections at the same addresses, with the same bytes.
func TestDebugLinked(t *testing.T) {
	for _, name := range debugTexts(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want := cases.Text(t, name+".hsaco.gz")
			for _, what := range unlike(t, assemble(t, cases.Text(t, name+".s.gz")).Data, want) {
				t.Errorf("text: %s", what)
			}
			u, err := object.ReadUnlinked(cases.Text(t, name+".o.gz"))
			if err != nil {
				t.Fatal(err)
			}
			data, err := u.Link()
			if err != nil {
				t.Fatal(err)
			}
			for _, what := range unlike(t, data, want) {
				t.Errorf("object: %s", what)
			}
		})
	}
}

// TestPacked: an object with compressed debug sections links to the output of ld.lld; a linked file has its lines
// from compressed sections. Sections that claim an excessive size, or are truncated, are errors.
func TestPacked(t *testing.T) {
	obj := cases.Text(t, "testdata/packed/k.o.gz")
	u, err := object.ReadUnlinked(obj)
	if err != nil {
		t.Fatal(err)
	}
	data, err := u.Link()
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range unlike(t, data, cases.Text(t, "testdata/packed/k.hsaco.gz")) {
		t.Error(what)
	}
	for _, name := range []string{"k", "packed"} {
		o, err := object.ReadHSA(cases.Text(t, "testdata/packed/"+name+".hsaco.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if at := o.Source(o.Kernels[0].Entry); at.File != "k.cl" || at.Line != 6 {
			t.Errorf("%s: the kernel begins at %v", name, at)
		}
	}
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		t.Fatal(err)
	}
	at := f.Section(".debug_info").Offset
	for _, tt := range []struct {
		at   uint64
		to   byte
		want string
	}{{8 + 5, 1, "grow to more than"}, {0, 9, "cannot be read"}, {8 + 1, 0x40, "cannot be read"}} {
		bad := slices.Clone(obj)
		bad[at+tt.at] ^= tt.to
		if _, err := object.ReadUnlinked(bad); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
