package lsp

import (
	"slices"
	"sort"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

// A placed is the bytes of a line; those from a macro belong to the line of its use.
type placed struct {
	line    int    // from 0
	col     int    // where the statement begins, in bytes from 0
	section string // of a program
	addr    uint64 // in the section, or of bare code
	code    []byte
}

// findPlaces returns the bytes of all lines, by line and address.
func (d *snapshot) findPlaces() (list []placed) {
	b := d.built()
	add := func(section string, base uint64, lines []asm.SourceLine, code []byte) {
		for i, l := range lines {
			end := len(code)
			if i+1 < len(lines) {
				end = lines[i+1].Off
			}
			list = append(list, placed{int(l.Line) - 1, int(l.Col) - 1, section, base + uint64(l.Off), code[l.Off:end]})
		}
	}
	if b.bare != nil {
		add("", b.bare.Base, b.bare.Lines, b.bare.Code)
	}
	if b.code != nil && b.code.Program != nil {
		for i := range b.code.Program.Sections {
			s := &b.code.Program.Sections[i]
			if !s.Zero {
				add(s.Name, 0, s.Lines, s.Data)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b placed) int { return a.line - b.line })
	return list
}

// on returns the bytes of a line.
func (d *snapshot) on(line int) []placed {
	list := d.placed()
	from := sort.Search(len(list), func(i int) bool { return list[i].line >= line })
	to := from
	for to < len(list) && list[to].line == line {
		to++
	}
	return list[from:to]
}

// valueOf returns the value of a name in the assembly: an address, or a number.
func (d *snapshot) valueOf(x *name) (v uint64, section string, ok bool) {
	b := d.built()
	if b.bare != nil {
		for _, l := range b.bare.Labels {
			if l.Name == x.text {
				return l.Addr, "", true
			}
		}
	}
	if b.code != nil && b.code.Program != nil {
		p := b.code.Program
		for i := range p.Symbols {
			if y := &p.Symbols[i]; y.Name == x.text && y.Section >= 0 {
				return y.Value, p.Sections[y.Section].Name, true
			}
		}
	}
	return 0, "", false
}

// symbol is the Scan.Symbol for the document's names: labels have their addresses if the document assembles.
func (d *snapshot) symbol(text string) (v uint64, k isa.SymbolKind) {
	if k = d.kindOf(text); k == isa.Label && text != "." {
		v, _, _ = d.valueOf(d.names().global[text])
	}
	return v, k
}

// kindOf returns the kind of a name for the assembler.
func (d *snapshot) kindOf(text string) isa.SymbolKind {
	x := d.names().global[text]
	switch {
	case text == ".":
		return isa.Label
	case x == nil || x.kind == macroName:
		return isa.NoSymbol
	case x.kind == labelName:
		return isa.Label
	}
	return isa.Constant
}
