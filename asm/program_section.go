package asm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// sectionNamed returns the section of a name; if it is new it is made with the properties that the name implies.
func (a *assembler) sectionNamed(s *isa.Scan, name string) (int, bool) {
	p := a.prog
	if i, ok := p.index[name]; ok {
		return i, true
	}
	if len(p.sects) == maxSections {
		return 0, s.Fail(0, isa.ErrLimit, fmt.Sprintf("more than %d sections", maxSections))
	}
	return p.newSection(name), true
}

// newSection makes a section, with the properties that its name implies.
func (p *program) newSection(name string) int {
	t := &section{Section: namedSection(name)}
	t.Name, t.Align = name, 1
	t.Alloc = t.Alloc || name == ".eh_frame"
	if slices.Contains([]string{".comment", ".debug_str", ".debug_line_str"}, name) {
		t.Merge, t.Strings, t.Entry = true, true, 1
	}
	p.index[name] = len(p.sects)
	p.sects = append(p.sects, t)
	return len(p.sects) - 1
}

// namedSection returns the type and the flags that every section of a name has, as in LLVM's assembler: .section adds
// to them.
func namedSection(name string) (t Section) {
	is := func(kind string) bool { return name == kind || strings.HasPrefix(name, kind+".") }
	t.Exec = is(".text") || name == ".init" || name == ".fini"
	t.Write = is(".data") || is(".bss") || name == ".data1"
	t.Alloc = t.Exec || t.Write || is(".rodata") || name == ".rodata1"
	t.Zero, t.Note = is(".bss"), strings.HasPrefix(name, ".note")
	return t
}

// known are sections that LLVM's assembler has from the start, with flags that cannot change.
var known = []string{".text", ".data", ".bss", ".rodata", ".eh_frame", ".debug_str", ".debug_line_str"}

// dirProgramSection enters a section; its flags and type may follow.
func dirProgramSection(a *assembler, s *isa.Scan) bool {
	name, ok := sectionName(s)
	if !ok {
		return false
	}
	_, old := a.prog.index[name]
	i, ok := a.sectionNamed(s, name)
	if !ok {
		return false
	}
	t := a.prog.sects[i]
	if s.Space(); s.Byte(',') {
		old = old || slices.Contains(known, name)
		is := namedSection(name)
		is.Name, is.Align, is.Zero, is.Note = t.Name, t.Align, t.Zero, t.Note
		given, ok := sectionFlags(s, &is)
		if !ok {
			return false
		}
		is.Data, is.Lines, is.Addr, is.Fixed = t.Data, t.Lines, t.Addr, t.Fixed
		switch was, now := flagsOf(&t.Section), flagsOf(&is); {
		case !old:
			t.Section = is
		case given && was != now:
			return a.misplaced(s, isa.ErrDirective, fmt.Sprintf("section %s is %s before this line, here %s", name, was, now))
		}
	}
	a.enterSection(i)
	return true
}

// flagsOf returns the flags and type of a section as .section writes them.
func flagsOf(t *Section) string {
	s := ""
	for _, f := range t.flags() {
		if *f.is {
			s += string(f.letter)
		}
	}
	kind := "progbits"
	switch {
	case t.Zero:
		kind = "nobits"
	case t.Note:
		kind = "note"
	}
	if s = strconv.Quote(s) + ",@" + kind; t.Merge {
		s += fmt.Sprint(",", t.Entry)
	}
	return s
}

// A sectionFlag is a letter of .section's flags.
type sectionFlag struct {
	letter byte
	is     *bool
}

func (t *Section) flags() []sectionFlag {
	return []sectionFlag{{'a', &t.Alloc}, {'w', &t.Write}, {'x', &t.Exec}, {'M', &t.Merge}, {'S', &t.Strings}, {'e', &t.Exclude}, {'R', &t.Retain}}
}

// sectionName reads a name, which may be in quotes.
func sectionName(s *isa.Scan) (string, bool) {
	if s.Space(); s.Peek() == '"' {
		return quoted(s)
	}
	n := strings.IndexAny(s.Line[s.Pos:], ", \t")
	if n < 0 {
		n = len(s.Line) - s.Pos
	}
	name := s.Line[s.Pos : s.Pos+n]
	if name == "" {
		return "", s.Expect("the name of a section")
	}
	s.Pos += n
	return name, true
}

// sectionFlags reads "FLAGS" or #FLAG, ... and after them @TYPE, and further properties of a section. given reports
// whether there is a flag or a type.
func sectionFlags(s *isa.Scan, t *Section) (given, ok bool) {
	if s.Space(); s.Peek() == '#' {
		return true, list(s, func() bool { return sunFlag(s, t) })
	}
	if s.Peek() != '"' {
		return false, s.Expect("flags in double quotes")
	}
	at := s.Pos + 1
	letters, ok := quoted(s)
	if !ok {
		return false, false
	}
	group, linked, member := false, false, false
	flags := append(t.flags(), sectionFlag{'G', &group}, sectionFlag{'o', &linked}, sectionFlag{'?', &member})
	for i := range len(letters) {
		n := slices.IndexFunc(flags, func(f sectionFlag) bool { return f.letter == letters[i] })
		if n < 0 {
			why := fmt.Sprintf("%q is no flag of a section; a w x M S e R G ? o are", letters[i])
			if letters[i] == 'T' {
				why = "thread-local sections are unsupported: AMDGPU code has no thread-local storage"
			}
			return false, s.Fail(at+i, isa.ErrDirective, why)
		}
		*flags[n].is = true
	}
	if group && member {
		return false, s.Fail(at, isa.ErrDirective, "flag G names a group, ? takes that of the section before: only one of them can be given")
	}
	if s.Space(); !s.Byte(',') {
		if t.Merge {
			return false, s.Expect("@ and a type, and the size of an entry")
		}
		return letters != "", true
	}
	return true, sectionType(s, t) && sectionRest(s, t, group, linked)
}

// sunFlag reads a flag in the syntax of Solaris' assembler.
func sunFlag(s *isa.Scan, t *Section) bool {
	if !s.Byte('#') {
		return s.Expect("#")
	}
	w := s.Word()
	s.Pos += len(w)
	switch w {
	case "alloc":
		t.Alloc = true
	case "write":
		t.Write = true
	case "execinstr":
		t.Exec = true
	case "exclude":
		t.Exclude = true
	default:
		return s.Note(s.Pos-len(w), isa.ErrDirective, "%t is no flag of a section", "", 0)
	}
	return true
}

// sectionType reads @TYPE.
func sectionType(s *isa.Scan, t *Section) bool {
	s.Space()
	if !s.Byte('@') && !s.Byte('%') {
		return s.Expect("@ and a type")
	}
	w := s.Word()
	switch w {
	case "progbits":
		t.Note, t.Zero = false, false
	case "nobits":
		t.Note, t.Zero = false, true
	case "note":
		t.Note, t.Zero = true, false
	default:
		return s.Note(s.Pos, isa.ErrDirective, "%t is no type of a section; progbits, nobits and note are", "", 0)
	}
	s.Pos += len(w)
	return true
}

// sectionRest reads what flags require after the type: the size of entries, the name of a group, which is for linkers
// of many files, and the name of the section that this one is linked to.
func sectionRest(s *isa.Scan, t *Section, group, linked bool) bool {
	comma := func(what string) bool {
		if s.Space(); !s.Byte(',') {
			return s.Expect(`"," and ` + what)
		}
		s.Space()
		return true
	}
	if t.Merge {
		if !comma("the size of an entry") {
			return false
		}
		at := s.Pos
		n, ok := number(s)
		if ok && (n == 0 || n > 1<<16) {
			return s.Fail(at, isa.ErrRange, "an entry has 1 to 65536 bytes")
		}
		if t.Entry = uint64(n); !ok {
			return false
		}
	}
	for _, want := range []struct {
		is   bool
		what string
	}{{group, "the name of a group"}, {linked, "the name of a section"}} {
		if !want.is {
			continue
		}
		if !comma(want.what) {
			return false
		}
		if _, ok := sectionName(s); !ok {
			return false
		}
	}
	if s.Space(); group && s.Byte(',') {
		if s.Space(); !s.Accept("comdat") {
			return s.Expect("comdat")
		}
	}
	if s.Space(); s.Byte(',') { // distinguishes sections of one name
		s.Space()
		if !s.Accept("unique") || !comma("a number") {
			return s.Expect("unique and a number")
		}
		_, ok := number(s)
		return ok
	}
	return true
}
