package asm

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// programRows are the directives of files with Options.Format; they override those of the same name.
var programRows = []Directive{
	{".text", "", "goes on in section .text", dirInto, each},
	{".data", "", "goes on in section .data", dirInto, each},
	{".bss", "", "goes on in section .bss, which holds nothing but zeros", dirInto, each},
	{".rodata", "", "goes on in section .rodata", dirInto, each},
	{".section", `NAME[, "FLAGS"|#FLAG...][, @TYPE[, ENTRY][, GROUP[, comdat]]]`, "goes on in a section; a w x M S e R G ? o, #alloc #write #execinstr #exclude; progbits nobits note", dirProgramSection, each},
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
	{".type", "NAME, @function|@object|@notype", "what a symbol names", dirType, quiet},
	{".size", "NAME, EXPR", "the size in bytes of what a symbol names", dirSize, quiet},
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

// directiveNames returns the names that directiveFor finds, for hints.
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

// formatRows returns the directives that the format adds.
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
	if r := f.Record; r != nil {
		marks := append([]MarkRow{{Name: r.Name, Doc: r.Doc, Expr: true}, {Name: r.End, Doc: "the end of " + r.Name, Expr: true, Size: r.Size}}, r.Fields...)
		for i := range marks {
			m := &marks[i]
			rows[m.Name] = &Directive{Name: m.Name, Doc: m.Doc, run: func(a *assembler, s *isa.Scan) bool { return dirMark(a, s, m) }, when: each}
		}
	}
	return rows
}

// record tracks which lines are fields of a Record: those between its directives.
func (p *program) record(name string) {
	if r := p.Record; r != nil {
		p.fields = name == r.Name || p.fields && name != r.End
	}
}

// dirMark records a directive of the format.
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
			return a.misplaced(s, isa.ErrDirective, row.Name+" has no "+row.End)
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

// dirInto switches to the section that the directive is named after.
func dirInto(a *assembler, s *isa.Scan) bool {
	i, ok := a.sectionNamed(s, a.cur.dir.Name)
	if ok {
		a.enterSection(i)
	}
	return ok
}

func dirPushSection(a *assembler, s *isa.Scan) bool {
	p := a.prog
	if len(p.stack) >= maxDepth {
		return a.misplaced(s, isa.ErrLimit, "too many sections in each other")
	}
	p.stack = append(p.stack, p.now)
	return dirProgramSection(a, s)
}

func dirPopSection(a *assembler, s *isa.Scan) bool {
	p := a.prog
	n := len(p.stack) - 1
	if n < 0 {
		return a.misplaced(s, isa.ErrDirective, "there is no .pushsection before this line")
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

// dirBind sets the binding of symbols, dirVis their visibility, to what the directive is named after.
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
