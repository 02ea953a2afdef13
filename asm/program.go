package asm

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A Format says that a file is a program in sections, with symbols and references between them, and which directives
// and symbols the format of programs adds to those of the assembler.
type Format struct {
	Marks  []MarkRow
	Blocks []BlockRow
	Record *Record
	Values map[string]uint64 // symbols that files need not define
	Counts []Count
	Funcs  map[string]func(args []int64) (v int64, ok bool) // of expressions: max(a, b)
	Kinds  []string                                         // of references that name symbols: rel32@lo
	Frame  *Frame                                           // of .cfi directives; nil: there are none
}

// A MarkRow is a directive with information about the program.
type MarkRow struct {
	Name, Doc string
	Expr      bool // its operand is an optional expression; else a text
	Size      int  // bytes of zeros that it emits
}

// A BlockRow is a directive that opens a text, and the one that ends it.
type BlockRow struct{ Name, End, Doc string }

// A Record is a directive that opens a list of fields, each a line NAME = EXPR, and the one that ends it. The
// directives and the fields become Marks.
type Record struct {
	Name, End, Doc string
	Size           int // bytes of zeros that End emits
	Fields         []MarkRow
}

// A Count is a symbol whose value is at least Of for each instruction between its last assignment and the place where
// it is named. It is 0 before its first assignment.
type Count struct {
	Name string
	Of   func(b *isa.Bundle) uint64
}

// A Program is the result of assembling a file in sections.
type Program struct {
	Sections []Section
	Symbols  []ProgramSymbol // symbols that the file defines, or gives attributes
	Refs     []Ref
	Marks    []Mark
	Blocks   []Block
}

// A Section is the bytes of a section.
type Section struct {
	Name               string
	Alloc, Write, Exec bool
	Note, Zero         bool   // the types note and nobits; a Zero section contains only zeros
	Merge, Strings     bool   // linkers may merge equal entries, or zero-terminated texts with a common tail
	Exclude            bool   // linkers omit it
	Retain             bool   // linkers keep it when they remove unreferenced sections
	Entry              uint64 // size in bytes of an entry, if Merge
	Align              uint64 // at least 1
	Data               []byte
	Lines              []SourceLine // by offset; see Options.NoLines
	Addr               uint64       // of .address, if Fixed
	Fixed              bool
}

// Bind is the binding of a symbol.
type Bind uint8

const (
	Local Bind = iota
	Global
	Weak
)

// A ProgramSymbol is a symbol of a program.
type ProgramSymbol struct {
	Name    string
	Section int // index in Program.Sections; -1: the value is a number; -2: not defined here
	Value   uint64
	Size    uint64
	Type    string // function, object, notype; "" if not given
	Bind    Bind
	Vis     string // hidden, protected, internal; "" if not given
	Line    int    // of its first use
}

// Values of ProgramSymbol.Section that are no sections.
const (
	NoSection = -1
	Undefined = -2
)

// A Ref is a field whose value depends on the addresses of sections.
type Ref struct {
	Section int
	Off     uint64
	Size    int    // bytes
	Kind    string // one of Format.Kinds; "": the address itself; "rel": its distance from the field
	Symbol  string // "": the start of section To
	To      int
	Addend  int64
	Line    int
}

// A Mark is a directive of Format.Marks and its position.
type Mark struct {
	Name    string
	Text    string // its operand as written
	Value   int64  // of the expression
	Given   bool   // the operand is present
	Section int
	Off     uint64 // of the first byte
	Line    int
	Source  string // the whole line
}

// A Block is the text between two directives.
type Block struct {
	Name string
	Text string
	Line int // of the directive; the text begins in the next line
}

// program is the state of a file's program.
type program struct {
	fields bool // a Record is open
	*Format
	sects       []*section
	index       map[string]int
	now         int     // index of the present section
	last        int     // and of the previous one
	enters      []enter // in order
	stack       []int
	attrs       map[string]*attributes
	order       []string // names with attributes
	refs        []Ref
	marks       []Mark
	text        []Block
	dwarf       dwarf
	named       string // the symbol that the present expression refers to, with the kind of the reference
	mixed       bool   // it refers to two
	data        bool   // the expression is in data, which may name undefined symbols
	from        []countFrom
	first       map[string]int // the first line of this round that names each symbol
	frameLabels map[string]int // the line of each .cfi_label of this round
	rows        map[string]*Directive
}

// A section while the file is read.
type section struct {
	Section
	out []byte
}

// attributes are what directives say of a symbol.
type attributes struct {
	bind Bind
	vis  string
	kind string
	size uint64
	line int
}

// A countFrom is the value assigned to a count, and where.
type countFrom struct {
	base uint64
	at   []int // by section: up to where its code is counted
}

const (
	maxSections = 1 << 12
	maxMarks    = 1 << 20
	tagShift    = 40
	// refValue is a placeholder for the address of a symbol in an expression: what is added to it becomes the addend.
	// No instruction can hold it in a shorter form.
	refValue  = 0x5ad05ad0
	maxAddend = 1 << 24
)

func newProgram(f *Format) *program {
	p := &program{Format: f, index: map[string]int{}, attrs: map[string]*attributes{}, first: map[string]int{}, frameLabels: map[string]int{}, rows: formatRows(f)}
	p.from = make([]countFrom, len(f.Counts))
	p.sects = []*section{{Section: Section{Name: ".text", Alloc: true, Exec: true, Align: 1}}}
	p.index[".text"] = 0
	return p
}

// tag returns the base address of a section during assembly. Tags are odd, so that no difference of two is a tag.
func tag(section int) uint64 { return uint64(2*section+1) << tagShift }

// untag splits an address into section and offset. ok is false for what is neither a number nor an address in a
// section.
func (p *program) untag(v uint64) (section int, off int64, ok bool) {
	t := int64(v+1<<(tagShift-1)) >> tagShift
	if t == 0 {
		return NoSection, int64(v), true
	}
	if section = int(t-1) / 2; t < 0 || t%2 == 0 || section >= len(p.sects) {
		return 0, 0, false
	}
	return section, int64(v - tag(section)), true
}

// begin prepares another round.
func (p *program) begin(a *assembler) {
	for _, s := range p.sects {
		s.out, s.Align, s.Fixed = s.out[:0], 1, false
	}
	p.sects[0].Align = 4 // in LLVM's assembler code is aligned
	p.now, p.last, p.stack, p.refs, p.marks, p.enters = 0, 0, p.stack[:0], p.refs[:0], p.marks[:0], p.enters[:0]
	p.dwarf.begin()
	clear(p.attrs)
	clear(p.first)
	clear(p.frameLabels)
	p.order = p.order[:0]
	clear(p.from)
	a.base = tag(0)
}

// An enter is a statement that switches to another section.
type enter struct {
	st      *stmt
	section int
}

// enterSection switches to another section.
func (a *assembler) enterSection(i int) {
	p := a.prog
	if i == p.now {
		return
	}
	p.sects[p.now].out = a.out
	p.last, p.now = p.now, i
	p.enters = append(p.enters, enter{a.cur, i})
	a.out, a.base = p.sects[i].out, tag(i)
}

// total returns the bytes of all sections.
func (a *assembler) total() int {
	n := len(a.out)
	if a.prog != nil {
		for i, s := range a.prog.sects {
			if i != a.prog.now {
				n += len(s.out)
			}
		}
	}
	return n
}

// lookup is assembler.lookup for symbols that only programs have.
func (p *program) lookup(a *assembler, name string) (v uint64, k isa.SymbolKind, ok bool) {
	if base, _, _ := strings.Cut(name, "@"); p.first[base] == 0 {
		p.first[base] = int(a.cur.line)
	}
	if base, kind, found := strings.Cut(name, "@"); found {
		if !slices.Contains(p.Kinds, kind) || !isName(base) {
			return 0, isa.NoSymbol, true
		}
		return p.refer(a, name), isa.Label, true
	}
	for i := range p.Counts {
		if p.Counts[i].Name == name {
			a.used = true
			return p.counted(a, i), isa.Label, true
		}
	}
	if a.names[name] != nil {
		return 0, 0, false
	}
	if v, ok := p.Values[name]; ok {
		return v, isa.Constant, true
	}
	if i, ok := p.index[name]; ok { // the start of a section
		a.used = true
		return tag(i), isa.Label, true
	}
	if p.data && isName(name) {
		return p.refer(a, name), isa.Label, true
	}
	return 0, 0, false
}

// refer records that the present expression refers to a symbol.
func (p *program) refer(a *assembler, name string) uint64 {
	a.used = true
	p.mixed = p.mixed || p.named != "" && p.named != name
	p.named = name
	return refValue
}

// counted returns the value of a count.
func (p *program) counted(a *assembler, i int) uint64 {
	f := &p.from[i]
	p.sects[p.now].out = a.out
	for n, s := range p.sects {
		if len(f.at) <= n {
			f.at = append(f.at, 0)
		}
		for s.Exec && f.at[n] < len(s.out) {
			if a.target.DecodeBundle(s.out[f.at[n]:], 0, &a.bundle) != nil {
				f.at[n] += a.target.Unit
				continue
			}
			f.base = max(f.base, p.Counts[i].Of(&a.bundle))
			f.at[n] += a.bundle.Size()
		}
	}
	return f.base
}

// counts reports whether a name is a count.
func (p *program) counts(name string) bool {
	return slices.ContainsFunc(p.Counts, func(c Count) bool { return c.Name == name })
}

// assigned checks the value assigned to a symbol. An assignment restarts a count: instructions before it no longer
// add to it.
func (p *program) assigned(a *assembler, st *stmt, v uint64) bool {
	if p.named != "" {
		return a.scan.Fail(0, isa.ErrSymbol, "a symbol cannot stand for a reference to "+p.named)
	}
	for i := range p.Counts {
		if st.sym.count && a.names[p.Counts[i].Name] == st.sym {
			p.counted(a, i)
			p.from[i].base = v
		}
	}
	return true
}

// call is the Scan.Call for the format's functions.
func (p *program) call(name string, args []int64) (int64, bool) {
	if f := p.Funcs[name]; f != nil {
		return f(args)
	}
	return 0, false
}

// item reads an item of data of n bytes.
func (a *assembler) item(s *isa.Scan, n int) (int64, bool) {
	if a.prog == nil {
		return s.WholeExpr()
	}
	return a.prog.item(a, s, n)
}

// expression prepares for an expression whose value may depend on the addresses of sections.
func (p *program) expression(data bool) { p.named, p.mixed, p.data = "", false, data }

// item reads an item of data. What the loader or linker fills in is zero, and is recorded as a reference.
func (p *program) item(a *assembler, s *isa.Scan, n int) (int64, bool) {
	p.expression(true)
	at := s.Pos
	v, ok := s.WholeExpr()
	p.data = false
	if !ok || s.Unresolved {
		return v, ok
	}
	if p.named != "" {
		return 0, p.reference(a, s, at, uint64(v)-refValue, n)
	}
	to, off, ok := p.untag(uint64(v))
	if ok && to == NoSection || !s.UsedSymbol {
		return v, true
	}
	r := Ref{Section: p.now, Off: uint64(len(a.out)), Size: n, To: to, Addend: off}
	if !ok { // is it the distance of this place from another one?
		if to, off, ok = p.untag(uint64(v) + a.pc()); !ok || to == NoSection {
			return 0, s.Fail(at, isa.ErrRange, "the value depends on where two sections come to lie")
		}
		r.Kind, r.To, r.Addend = "rel", to, off
	}
	if n < 4 {
		return 0, s.Fail(at, isa.ErrRange, "an address has four or eight bytes")
	}
	return 0, p.add(a, r)
}

// reference records a reference of the present expression to a symbol, of n bytes at the present position.
func (p *program) reference(a *assembler, s *isa.Scan, at int, addend uint64, n int) bool {
	name, kind, _ := strings.Cut(p.named, "@")
	switch {
	case p.mixed || int64(addend) >= maxAddend || int64(addend) <= -maxAddend:
		return s.Fail(at, isa.ErrRange, "more than a symbol and a number added to it")
	case n < 4 || kind != "" && kind[:3] != "abs" && n != 4:
		return s.Fail(at, isa.ErrRange, "a reference to a symbol has four bytes, an address four or eight")
	}
	return p.add(a, Ref{Section: p.now, Off: uint64(len(a.out)), Size: n, Kind: kind, Symbol: name, To: NoSection, Addend: int64(addend)})
}

func (p *program) add(a *assembler, r Ref) bool {
	r.Line = int(a.cur.line)
	if len(p.refs) == maxMarks {
		a.stop(isa.ErrLimit, "too many references")
		return true
	}
	p.refs = append(p.refs, r)
	return true
}

// literal records the reference of the instruction that begins at an offset of the section, in its last four bytes.
func (p *program) literal(a *assembler, at int) error {
	if p.named == "" {
		return nil
	}
	wrong := &isa.Error{Code: isa.ErrOperand, Col: 1, Msg: "the operand that names " + p.named + " has no room for an address"}
	end := len(a.out) - 4
	if end < at+4 {
		return wrong
	}
	addend := int64(int32(binary.LittleEndian.Uint32(a.out[end:]) - refValue))
	name, kind, _ := strings.Cut(p.named, "@")
	if addend >= maxAddend || addend <= -maxAddend || p.mixed {
		return wrong
	}
	clear(a.out[end:])
	p.add(a, Ref{Section: p.now, Off: uint64(end), Size: 4, Kind: kind, Symbol: name, To: NoSection, Addend: addend})
	return nil
}

// attributes returns those of a name.
func (p *program) attributes(a *assembler, name string) *attributes {
	t := p.attrs[name]
	if t == nil {
		t = &attributes{line: int(a.cur.line)}
		p.attrs[name] = t
		p.order = append(p.order, name)
	}
	return t
}

// sectionRefs turns references to names of sections, and to .cfi_label names that are not in the symbol table, into
// references to sections: these may not exist yet when they are named.
func (p *program) sectionRefs(a *assembler) {
	for i := range p.refs {
		r := &p.refs[i]
		if r.Symbol == "" {
			continue
		}
		if to, ok := p.index[r.Symbol]; ok {
			r.Symbol, r.To = "", to
		} else if p.frameLabels[r.Symbol] > 0 && r.Kind == "" && !p.visible(r.Symbol) {
			to, off, _ := p.untag(a.names[r.Symbol].value)
			r.Symbol, r.To, r.Addend = "", to, r.Addend+off
		}
	}
}

// visible reports whether a name is in the symbol table even without a reference.
func (p *program) visible(name string) bool {
	return !strings.HasPrefix(name, ".L") || p.attrs[name] != nil && p.attrs[name].bind != Local
}

// program returns the result of the last round.
func (a *assembler) program() *Program {
	p := a.prog
	p.frameTables(a)
	p.lineTable(a)
	p.sects[p.now].out = a.out
	p.sectionRefs(a)
	r := &Program{Refs: p.refs, Marks: p.marks, Blocks: p.text}
	if !a.opt.NoLines {
		a.sectionSources()
	}
	for _, s := range p.sects {
		s.Section.Data = s.out
		r.Sections = append(r.Sections, s.Section)
	}
	r.Symbols = a.programSymbols(r.Refs)
	return r
}

// programSymbols returns the symbols that the text defines or gives attributes, and those that references name.
func (a *assembler) programSymbols(refs []Ref) (list []ProgramSymbol) {
	p := a.prog
	seen, names := map[string]bool{}, map[*symbol]string{}
	for name, sym := range a.names {
		names[sym] = name
	}
	add := func(name string, sym *symbol, line int) {
		if seen[name] {
			return
		}
		seen[name] = true
		if n, ok := p.first[name]; ok {
			line = min(line, n)
		}
		y := ProgramSymbol{Name: name, Section: Undefined, Line: line}
		if sym != nil {
			y.Section, y.Value = NoSection, sym.value
			if section, off, ok := p.untag(sym.value); ok && sym.kind == isa.Label {
				y.Section, y.Value = section, uint64(off)
			}
		}
		if t := p.attrs[name]; t != nil {
			y.Size, y.Type, y.Bind, y.Vis, y.Line = t.size, t.kind, t.bind, t.vis, min(line, t.line)
		}
		list = append(list, y)
	}
	for i := range a.stmts.n {
		st := a.stmts.at(i)
		name := st.text
		switch st.kind {
		case labelStmt:
		case assignStmt:
			name = names[st.sym]
		default:
			continue
		}
		if p.visible(name) {
			add(name, st.sym, int(st.line))
		}
	}
	for _, name := range p.order {
		if p.visible(name) {
			add(name, a.names[name], p.attrs[name].line)
		}
	}
	for _, f := range refs { // local labels that references name
		if f.Symbol != "" {
			add(f.Symbol, a.names[f.Symbol], f.Line)
		}
	}
	return list
}
