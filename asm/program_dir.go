package asm

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// programRows are the directives of files with Options.Format, and come before those of the same name.
var programRows = []Directive{
	{".text", "", "goes on in section .text", dirInto, each},
	{".data", "", "goes on in section .data", dirInto, each},
	{".bss", "", "goes on in section .bss, which holds nothing but zeros", dirInto, each},
	{".rodata", "", "goes on in section .rodata", dirInto, each},
	{".section", `NAME[, "FLAGS"|#FLAG...][, @TYPE[, ENTRY][, GROUP[, comdat]]]`, "goes on in a section; a w x M S e G o, #alloc #write #execinstr; progbits nobits note", dirProgramSection, each},
	{".pushsection", `NAME[, "FLAGS"][, @TYPE]`, "the same; .popsection returns", dirPushSection, each},
	{".popsection", "", "goes on where .pushsection was", dirPopSection, each},
	{".previous", "", "goes on in the section before this one", dirPrevious, each},
	{".address", "ADDRESS", "where the section begins in the program; without it the linker chooses", dirAddress, quiet},
	{".globl", "NAME, ...", "other files see the symbol", dirBind, quiet},
	{".global", "NAME, ...", "the same as .globl", dirBind, quiet},
	{".weak", "NAME, ...", "as .globl; it need not be defined, and is 0 then", dirBind, quiet},
	{".local", "NAME, ...", "only this file sees the symbol", dirBind, quiet},
	{".hidden", "NAME, ...", "only the program sees the symbol", dirVis, quiet},
	{".internal", "NAME, ...", "the same as .hidden", dirVis, quiet},
	{".protected", "NAME, ...", "the program uses its own symbol, whatever others define", dirVis, quiet},
	{".type", "NAME, @function|@object|@notype", "what a symbol stands for", dirType, quiet},
	{".size", "NAME, EXPR", "how many bytes a symbol stands for", dirSize, quiet},
	{".octa", "NUMBER, ...", "data of sixteen bytes each", dirOcta, each},
	{".uleb128", "EXPR, ...", "data in as many bytes as it takes, seven bits each", dirULEB, each},
	{".sleb128", "EXPR, ...", "the same, signed", dirSLEB, each},
	{".p2alignl", "LOG2[, FILL[, MOST]]", "as .p2align, with FILL in four bytes", dirP2AlignL, each},
	{".p2alignw", "LOG2[, FILL[, MOST]]", "as .p2align, with FILL in two bytes", dirP2AlignW, each},
	{".balignl", "BYTES[, FILL[, MOST]]", "as .balign, with FILL in four bytes", dirBAlignL, each},
	{".balignw", "BYTES[, FILL[, MOST]]", "as .balign, with FILL in two bytes", dirBAlignW, each},
	{".addrsig", "", "ignored: it is for linkers", ignored, quiet},
	{".no_dead_strip", "NAME", "ignored: it is for linkers", ignored, quiet},
	{".addrsig_sym", "NAME", "ignored: it is for linkers", ignored, quiet},
}

// directiveFor finds a directive of the file.
func (a *assembler) directiveFor(name string) *Directive {
	if a.prog == nil {
		return directives(name)
	}
	lower := strings.ToLower(name)
	for _, rows := range [][]Directive{programRows, dwarfRows} {
		for i := range rows {
			if rows[i].Name == lower {
				return &rows[i]
			}
		}
	}
	if d := a.prog.rows[lower]; d != nil {
		return d
	}
	return directives(name)
}

// directiveNames are those that directiveFor finds, for hints.
func (a *assembler) directiveNames() []string {
	names := directiveNames()
	if a.prog != nil {
		for _, rows := range [][]Directive{programRows, dwarfRows} {
			for i := range rows {
				names = append(names, rows[i].Name)
			}
		}
		for name := range a.prog.rows {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	return names
}

// formatRows are the directives that the format adds.
func formatRows(f *Format) map[string]*Directive {
	rows := map[string]*Directive{}
	for i := range f.Marks {
		m := &f.Marks[i]
		rows[m.Name] = &Directive{Name: m.Name, Doc: m.Doc, run: func(a *assembler, s *isa.Scan) bool { return dirMark(a, s, m) }, when: each}
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		rows[b.Name] = &Directive{Name: b.Name, Doc: b.Doc, run: func(a *assembler, s *isa.Scan) bool { return dirBlock(a, s, b) }, when: now}
		rows[b.End] = &Directive{Name: b.End, Doc: "the end of " + b.Name, run: dirStray, when: now}
	}
	return rows
}

// dirMark notes a directive of the format.
func dirMark(a *assembler, s *isa.Scan, row *MarkRow) bool {
	p := a.prog
	if row.Size > 0 {
		p.bytesFollow(a)
	}
	m := Mark{Name: row.Name, Text: strings.TrimSpace(s.Line), Section: p.now, Off: uint64(len(a.out)), Line: int(a.cur.line), Source: a.cur.source}
	if s.Space(); row.Expr && !s.End() {
		at := s.Pos
		p.expression(false)
		v, ok := s.WholeExpr()
		if !ok {
			return false
		}
		if section, _, plain := p.untag(uint64(v)); s.UsedSymbol && !s.Unresolved && (!plain || section != NoSection || p.named != "") {
			return s.Fail(at, isa.ErrRange, "the value is an address")
		}
		m.Value, m.Given = v, true
	} else if !row.Expr {
		s.Pos = len(s.Line)
	}
	if len(p.marks) == maxMarks {
		a.stop(isa.ErrLimit, "too many directives of the program's format")
		return true
	}
	p.marks = append(p.marks, m)
	return row.Size == 0 || a.pad(s, uint64(row.Size), 0)
}

// dirBlock takes the lines up to the end of a block as they are.
func dirBlock(a *assembler, s *isa.Scan, row *BlockRow) bool {
	b := Block{Name: row.Name, Line: int(a.reader.line)}
	var text strings.Builder
	for {
		line, ok := a.reader.take()
		if !ok {
			return s.Fail(0, isa.ErrDirective, row.Name+" has no "+row.End)
		}
		if strings.TrimSpace(string(line)) == row.End {
			b.Text = text.String()
			a.prog.text = append(a.prog.text, b)
			return true
		}
		if text.Len()+len(line) > maxBodies {
			a.halt(fmt.Sprintf("a block of more than %d bytes", maxBodies))
			return true
		}
		text.Write(line)
		text.WriteByte('\n')
	}
}

// dirInto goes on in the section that the directive is named for.
func dirInto(a *assembler, s *isa.Scan) bool {
	i, ok := a.sectionNamed(s, a.cur.dir.Name)
	if ok {
		a.enterSection(i)
	}
	return ok
}

// sectionNamed is the section of a name, made with what its name says of it if it is new.
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

// newSection makes a section, with what its name says of it.
func (p *program) newSection(name string) int {
	t := &section{Section: Section{Name: name, Align: 1}}
	is := func(kind string) bool { return name == kind || strings.HasPrefix(name, kind+".") }
	t.Exec, t.Write, t.Zero, t.Note = is(".text"), is(".data") || is(".bss"), is(".bss"), strings.HasPrefix(name, ".note")
	t.Alloc = t.Exec || t.Write || is(".rodata") || is(".eh_frame")
	if slices.Contains([]string{".comment", ".debug_str", ".debug_line_str"}, name) {
		t.Merge, t.Strings, t.Entry = true, true, 1
	}
	p.index[name] = len(p.sects)
	p.sects = append(p.sects, t)
	return len(p.sects) - 1
}

// dirProgramSection enters a section, whose flags and type may follow.
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
		flags := Section{Note: t.Note, Zero: t.Zero}
		if !sectionFlags(s, &flags) {
			return false
		}
		was := t.Section
		t.Alloc, t.Write, t.Exec, t.Note, t.Zero = flags.Alloc, flags.Write, flags.Exec, flags.Note, flags.Zero
		t.Merge, t.Strings, t.Exclude, t.Entry = flags.Merge, flags.Strings, flags.Exclude, flags.Entry
		if old && (was.Alloc != t.Alloc || was.Write != t.Write || was.Exec != t.Exec) {
			t.Section = was
			return s.Fail(0, isa.ErrDirective, "section "+name+" has other flags than before")
		}
	}
	a.enterSection(i)
	return true
}

// sectionName reads a name, which may stand in quotes.
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

// sectionFlags reads "FLAGS" or #FLAG, ... and after them @TYPE, and what else belongs to a section.
func sectionFlags(s *isa.Scan, t *Section) bool {
	if s.Space(); s.Peek() == '#' {
		return list(s, func() bool {
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
			default:
				return s.Note(s.Pos-len(w), isa.ErrDirective, "%t is no flag of a section", "", 0)
			}
			return true
		})
	}
	if s.Peek() != '"' {
		return s.Expect("flags in double quotes")
	}
	at := s.Pos
	flags, ok := quoted(s)
	if !ok {
		return false
	}
	group, linked := false, false
	bits := map[rune]*bool{'a': &t.Alloc, 'w': &t.Write, 'x': &t.Exec, 'M': &t.Merge, 'S': &t.Strings, 'e': &t.Exclude, 'G': &group, 'o': &linked}
	for _, c := range flags {
		if bits[c] == nil {
			return s.Fail(at, isa.ErrDirective, fmt.Sprintf("%q is no flag of a section; a w x M S e G o are", c))
		}
		*bits[c] = true
	}
	if s.Space(); !s.Byte(',') {
		if t.Merge {
			return s.Expect("@ and a type, and the size of an entry")
		}
		return true
	}
	return sectionType(s, t) && sectionRest(s, t, group, linked)
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

// sectionRest reads what flags ask for behind the type: the size of entries, the name of a group, which is for linkers of many
// files, and that of the section that this one belongs to.
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
	if s.Space(); s.Byte(',') { // sections of one name that are kept apart
		s.Space()
		if !s.Accept("unique") || !comma("a number") {
			return s.Expect("unique and a number")
		}
		_, ok := number(s)
		return ok
	}
	return true
}

func dirPushSection(a *assembler, s *isa.Scan) bool {
	p := a.prog
	if len(p.stack) >= maxDepth {
		return s.Fail(0, isa.ErrLimit, "too many sections in each other")
	}
	p.stack = append(p.stack, p.now)
	return dirProgramSection(a, s)
}

func dirPopSection(a *assembler, s *isa.Scan) bool {
	p := a.prog
	n := len(p.stack) - 1
	if n < 0 {
		return s.Fail(0, isa.ErrDirective, "there is no .pushsection in front")
	}
	to := p.stack[n]
	p.stack = p.stack[:n]
	a.enterSection(to)
	return true
}

func dirPrevious(a *assembler, s *isa.Scan) bool {
	a.enterSection(a.prog.last)
	return true
}

func dirAddress(a *assembler, s *isa.Scan) bool {
	v, ok := number(s)
	if t := a.prog.sects[a.prog.now]; ok {
		if t.Fixed && t.Addr != uint64(v) {
			return s.Fail(0, isa.ErrDirective, "the section has another address already")
		}
		t.Addr, t.Fixed = uint64(v), true
	}
	return ok
}

// symbolName reads the name of a symbol.
func symbolName(s *isa.Scan) (string, bool) {
	if s.Space(); s.Peek() == '"' {
		return quoted(s)
	}
	w := s.Word()
	if !isName(w) {
		return "", s.Expect("the name of a symbol")
	}
	s.Pos += len(w)
	return w, true
}

// dirBind says how far symbols are known, dirVis how far they are seen: what the directive is named for.
func dirBind(a *assembler, s *isa.Scan) bool {
	b := Global
	switch a.cur.dir.Name {
	case ".weak":
		b = Weak
	case ".local":
		b = Local
	}
	return list(s, func() bool {
		name, ok := symbolName(s)
		if ok {
			a.prog.attributes(a, name).bind = b
		}
		return ok
	})
}

func dirVis(a *assembler, s *isa.Scan) bool {
	return list(s, func() bool {
		name, ok := symbolName(s)
		if ok {
			a.prog.attributes(a, name).vis = a.cur.dir.Name[1:]
		}
		return ok
	})
}

func dirType(a *assembler, s *isa.Scan) bool {
	name, ok := symbolName(s)
	if !ok {
		return false
	}
	s.Space()
	s.Byte(',')
	if s.Space(); !s.Byte('@') && !s.Byte('%') {
		s.Byte('#')
	}
	kinds := map[string]string{"function": "function", "STT_FUNC": "function", "object": "object", "STT_OBJECT": "object", "notype": "notype", "STT_NOTYPE": "notype"}
	w := s.Word()
	kind := kinds[w]
	if kind == "" {
		return s.Note(s.Pos, isa.ErrDirective, "%t is no type of a symbol; @function, @object and @notype are", "", 0)
	}
	s.Pos += len(w)
	a.prog.attributes(a, name).kind = kind
	return true
}

func dirSize(a *assembler, s *isa.Scan) bool {
	name, ok := symbolName(s)
	if !ok {
		return false
	}
	if s.Space(); !s.Byte(',') {
		return s.Expect(`","`)
	}
	s.Space()
	at := s.Pos
	a.prog.expression(false)
	v, ok := s.WholeExpr()
	if !ok || s.Unresolved {
		return ok
	}
	if section, _, plain := a.prog.untag(uint64(v)); v < 0 || s.UsedSymbol && (!plain || section != NoSection) {
		return s.Fail(at, isa.ErrRange, "the size is no number from 0 up")
	}
	a.prog.attributes(a, name).size = uint64(v)
	return true
}

func dirOcta(a *assembler, s *isa.Scan) bool {
	return list(s, func() bool {
		w := s.Word()
		v, ok := new(big.Int).SetString(w, 0)
		if !ok || v.BitLen() > 128 || v.Sign() < 0 {
			return s.Expect("a number of up to 128 bits")
		}
		s.Pos += len(w)
		var b [16]byte
		v.FillBytes(b[:])
		slices.Reverse(b[:])
		a.out = append(a.out, b[:]...)
		return true
	})
}

func dirULEB(a *assembler, s *isa.Scan) bool {
	return list(s, func() bool {
		v, ok := s.WholeExpr()
		a.out = binary.AppendUvarint(a.out, uint64(v))
		return ok
	})
}

func dirSLEB(a *assembler, s *isa.Scan) bool {
	return list(s, func() bool {
		v, ok := s.WholeExpr()
		for ; ; v >>= 7 {
			if more := v>>6 != 0 && v>>6 != -1; !more {
				a.out = append(a.out, byte(v&0x7f))
				return ok
			}
			a.out = append(a.out, byte(v&0x7f|0x80))
		}
	})
}

func dirP2AlignL(a *assembler, s *isa.Scan) bool { return p2Align(a, s, 4) }
func dirP2AlignW(a *assembler, s *isa.Scan) bool { return p2Align(a, s, 2) }
func dirBAlignL(a *assembler, s *isa.Scan) bool  { return alignBy(a, s, 4) }
func dirBAlignW(a *assembler, s *isa.Scan) bool  { return alignBy(a, s, 2) }

func alignBy(a *assembler, s *isa.Scan, unit int) bool {
	n, ok := number(s)
	return ok && a.align(s, n, unit)
}
