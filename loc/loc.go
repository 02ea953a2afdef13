// Package loc names places of instructions, as listings, messages and debuggers show them: the address in a listing,
// the symbol before it, the line of the assembly text that the code was assembled from, and the line of the source
// that a compiler made the code from.
//
// A [Map] belongs to a program and finds the [Place] of an address in memory. It is the only way from an address to a
// place: findings of lint, races, missing waits, faults, traces and debuggers all use it.
package loc

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/srcinfo"
)

// A Position is a position in a text file.
type Position struct {
	File string // as messages print it
	Path string // the path of the file, if it differs from File
	Line int    // from 1; 0: the position is unknown
	Col  int    // in bytes from 1; 0: unknown
}

// Known reports whether there is a line.
func (p Position) Known() bool { return p.Line > 0 }

// String returns FILE:LINE:COL, without the column if it is unknown, "" if the line is. A text without a name is
// <text>, as in messages of asm.
func (p Position) String() string {
	if p.Line <= 0 {
		return ""
	}
	s := cmp.Or(p.File, "<text>") + ":" + strconv.Itoa(p.Line)
	if p.Col > 0 {
		s += ":" + strconv.Itoa(p.Col)
	}
	return s
}

// A Place is the place of an instruction.
type Place struct {
	Addr   uint64   // as a listing prints it
	Symbol string   // the last function or label at or before Addr; "": there is none
	Offset uint64   // bytes from Symbol to Addr
	Text   Position // in the assembly text that the code was assembled from
	Source Position // in the source that a compiler made the code from, by line tables
}

// Name returns symbol+offset, the symbol alone at its own address, "" without one.
func (p Place) Name() string {
	if p.Symbol == "" || p.Offset == 0 {
		return p.Symbol
	}
	return fmt.Sprintf("%s+%#x", p.Symbol, p.Offset)
}

// Position returns the position in the text, or else in the source.
func (p Place) Position() Position {
	if p.Text.Known() {
		return p.Text
	}
	return p.Source
}

// Lines returns the known positions, the text's first, separated by a comma; "": none is known.
func (p Place) Lines() string {
	list := make([]string, 0, 2)
	for _, x := range [...]Position{p.Text, p.Source} {
		if x.Known() {
			list = append(list, x.String())
		}
	}
	return strings.Join(list, ", ")
}

// String returns all of it: 0x1a94 <dot+0x94> (dot.s:34:2, dot.cl:12:5).
func (p Place) String() string {
	s := fmt.Sprintf("%#x", p.Addr)
	if name := p.Name(); name != "" {
		s += " <" + name + ">"
	}
	if lines := p.Lines(); lines != "" {
		s += " (" + lines + ")"
	}
	return s
}

// JSON is a Place in JSON output. File, Line and Col are those of the text, or else of the source.
type JSON struct {
	Addr       uint64 `json:"addr"`
	Symbol     string `json:"symbol,omitempty"`
	Offset     uint64 `json:"offset"`
	File       string `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	Col        int    `json:"col,omitempty"`
	SourceFile string `json:"source_file,omitempty"`
	SourcePath string `json:"source_path,omitempty"` // the path, if it differs from the name
	SourceLine int    `json:"source_line,omitempty"`
	SourceCol  int    `json:"source_col,omitempty"`
}

// JSON returns the place for JSON output.
func (p Place) JSON() JSON {
	at, from := p.Position(), p.Source
	return JSON{p.Addr, p.Symbol, p.Offset, at.File, at.Line, at.Col, from.File, from.Path, from.Line, from.Col}
}

// A Symbol is a name for an address of a listing.
type Symbol struct {
	Name string
	Addr uint64
}

// A Lookup returns the position of the instruction at an address of the listing.
type Lookup func(addr uint64) Position

// A Map finds places of the code of one program. A nil Map knows only addresses.
type Map struct {
	Bias    uint64 // added to addresses of the listing to get those in memory
	Symbols []Symbol
	Text    Lookup // in the assembly text; nil: there is none
	Source  Lookup // in the source; nil: there are no line tables

	Vars    *srcinfo.Info             // functions and variables of the source; nil: unknown
	Args    func(kernel string) []Arg // returns the arguments of a kernel that its source has, in order; nil: unknown
	Private *Swizzle                  // layout of private memory in global memory; nil: it is not there
}

// Sort sorts the symbols by address, as Place needs them. Of those at one address the first counts.
func (m *Map) Sort() {
	slices.SortStableFunc(m.Symbols, func(a, b Symbol) int {
		switch {
		case a.Addr < b.Addr:
			return -1
		case a.Addr > b.Addr:
			return 1
		}
		return 0
	})
}

// All returns the symbols.
func (m *Map) All() []Symbol {
	if m == nil {
		return nil
	}
	return m.Symbols
}

// Memory returns the address in memory of an address of the listing.
func (m *Map) Memory(addr uint64) uint64 {
	if m == nil {
		return addr
	}
	return addr + m.Bias
}

// Place returns the place of the instruction at an address in memory.
func (m *Map) Place(pc uint64) Place {
	if m == nil {
		return Place{Addr: pc}
	}
	p := Place{Addr: pc - m.Bias}
	if i := sort.Search(len(m.Symbols), func(i int) bool { return m.Symbols[i].Addr > p.Addr }); i > 0 {
		at := m.Symbols[i-1].Addr
		for i > 1 && m.Symbols[i-2].Addr == at {
			i--
		}
		p.Symbol, p.Offset = m.Symbols[i-1].Name, p.Addr-at
	}
	if m.Text != nil {
		p.Text = m.Text(p.Addr)
	}
	if m.Source != nil {
		p.Source = m.Source(p.Addr)
	}
	return p
}

// At returns the place of an address of the listing.
func (m *Map) At(addr uint64) Place { return m.Place(m.Memory(addr)) }
