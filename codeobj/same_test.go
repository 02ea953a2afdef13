package codeobj_test

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/object"
)

// unequal lists the differences between two relocatable files: the bytes, flags and relocations of all sections, and
// all named symbols. A missing section is equal to an empty one.
func unequal(is, want *object.Unlinked) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	names := map[string]bool{}
	for _, u := range []*object.Unlinked{is, want} {
		for i := range u.Sections {
			names[u.Sections[i].Name] = true
		}
	}
	for _, name := range sorted(names) {
		a, b := sectionOf(is, name), sectionOf(want, name)
		if a == nil || b == nil {
			if s := cmp.Or(a, b); len(s.Data) > 0 || s.Size > 0 {
				say("section %s of %d bytes is in one file only", name, len(s.Data))
			}
			continue
		}
		if !bytes.Equal(a.Data, b.Data) || a.Zero && a.Size != b.Size {
			say("section %s: %s", name, firstDifference(a.Data, b.Data))
		}
		if x, y := attributes(a), attributes(b); x != y {
			say("section %s is %s, want %s", name, x, y)
		}
		if x, y := relocations(is, name), relocations(want, name); !slices.Equal(x, y) {
			say("relocations of %s: %s", name, listDifference(x, y))
		}
	}
	if x, y := symbols(is), symbols(want); !slices.Equal(x, y) {
		say("symbols: %s", listDifference(x, y))
	}
	if is.Mesa != want.Mesa || is.Version != want.Version || is.Target != want.Target || is.Flags != want.Flags {
		say("%s version %d flags %#x, want %s version %d flags %#x", is.Target, is.Version, is.Flags, want.Target, want.Version, want.Flags)
	}
	return list
}

func sorted(set map[string]bool) (list []string) {
	for name := range set {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func sectionOf(u *object.Unlinked, name string) *object.UnlinkedSection {
	for i := range u.Sections {
		if u.Sections[i].Name == name {
			return &u.Sections[i]
		}
	}
	return nil
}

func attributes(s *object.UnlinkedSection) string {
	return fmt.Sprintf("alloc %v write %v exec %v note %v zero %v merge %v strings %v exclude %v retain %v entry %d align %d",
		s.Alloc, s.Write, s.Exec, s.Note, s.Zero, s.Merge, s.Strings, s.Exclude, s.Retain, s.Entry, max(s.Align, 1))
}

// relocations returns those of a section by offset. They refer to a place in a section, or an undefined name: an
// assembler may use either the symbol of a section or one in it.
func relocations(u *object.Unlinked, section string) (list []string) {
	for i := range u.Relocs {
		r := &u.Relocs[i]
		if u.Sections[r.Section].Name != section {
			continue
		}
		y := &u.Symbols[r.Symbol]
		to := y.Name
		if y.Section >= 0 {
			to = fmt.Sprintf("%s+%#x", u.Sections[y.Section].Name, y.Value+uint64(r.Addend))
		} else {
			to += fmt.Sprintf("+%#x", r.Addend)
		}
		list = append(list, fmt.Sprintf("%08x %v %s", r.Off, r.Type, to))
	}
	slices.Sort(list)
	return list
}

func symbols(u *object.Unlinked) (list []string) {
	for i := range u.Symbols {
		y := &u.Symbols[i]
		if y.Name == "" || y.Kind == object.Section || y.Kind == object.FileName {
			continue
		}
		in := map[int]string{object.Undefined: "nowhere", object.Absolute: "a number"}[y.Section]
		if y.Section >= 0 {
			in = u.Sections[y.Section].Name
		}
		list = append(list, fmt.Sprintf("%s in %s at %#x size %d kind %d bind %d vis %d", y.Name, in, y.Value, y.Size, y.Kind, y.Bind, y.Vis))
	}
	slices.Sort(list)
	return list
}

func firstDifference(a, b []byte) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	part := func(x []byte) []byte { return x[min(n, len(x)):min(n+16, len(x))] }
	return fmt.Sprintf("%d bytes, want %d; from %#x on %x, want %x", len(a), len(b), n, part(a), part(b))
}

func listDifference(a, b []string) string {
	for i := range max(len(a), len(b)) {
		x, y := "nothing", "nothing"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("%d, want %d; %s, want %s", len(a), len(b), x, y)
		}
	}
	return strings.Join(a, " ")
}

// section returns the bytes of a section of a file, nil if it has none of that name.
func section(t testing.TB, data []byte, name string) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(name)
	if s == nil {
		return nil
	}
	b, err := s.Data()
	if err != nil {
		t.Fatal(name, err)
	}
	return b
}

func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
