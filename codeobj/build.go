package codeobj

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// A builder makes an unlinked code object from a program.
type builder struct {
	opt      Options
	lines    []byte
	named    string // the processor
	features string
	chip     chip
	version  int
	errs     []*isa.Error

	u       *object.Unlinked
	symbols map[string]int // index in u.Symbols
	notes   []note
	// mentioned is the line that names a symbol first, by index.
	mentioned map[int]int
}

// refTypes are relocations by the kind of a reference and its size.
var refTypes = []struct {
	kind string
	size int
	typ  object.RelocType
}{
	{"", 4, 6}, {"", 8, 3}, {"rel", 4, 4}, {"rel", 8, 5},
	{"abs32@lo", 4, 1}, {"abs32@hi", 4, 2}, {"rel32@lo", 4, 10}, {"rel32@hi", 4, 11}, {"rel32", 4, 4}, {"rel64", 8, 5},
	{"gotpcrel", 4, 7}, {"gotpcrel32@lo", 4, 8}, {"gotpcrel32@hi", 4, 9},
}

// refKinds returns the kinds that may follow names.
func refKinds() (list []string) {
	for _, r := range refTypes {
		if r.kind != "" && r.kind != "rel" {
			list = append(list, r.kind)
		}
	}
	return list
}

// build turns a program into sections, symbols and relocations.
func (b *builder) build(p *asm.Program) *object.Unlinked {
	b.u, b.symbols, b.mentioned = &object.Unlinked{Target: b.named}, map[string]int{}, map[int]int{}
	for i := range p.Sections {
		b.section(&p.Sections[i])
	}
	b.u.Symbols = append(b.u.Symbols, object.UnlinkedSymbol{Section: object.Undefined}) // as in a file
	for i := range p.Symbols {
		b.symbol(&p.Symbols[i])
	}
	b.headers(b.marks(p.Marks))
	for i := range p.Refs {
		b.ref(&p.Refs[i])
	}
	b.undefined(p.Refs)
	b.sortSymbols()
	b.metadata(p.Blocks)
	b.u.Version = b.version
	b.u.Flags = b.flags()
	slices.SortStableFunc(b.errs, func(x, y *isa.Error) int { return x.Line - y.Line })
	for _, e := range b.errs {
		e.Clip()
	}
	return b.u
}

func (b *builder) section(s *asm.Section) {
	t := object.UnlinkedSection{Name: s.Name, Alloc: s.Alloc, Write: s.Write, Exec: s.Exec, Note: s.Note, Zero: s.Zero, Align: s.Align, Data: s.Data, Addr: s.Addr, Fixed: s.Fixed}
	t.Merge, t.Strings, t.Exclude, t.Retain, t.Entry = s.Merge, s.Strings, s.Exclude, s.Retain, s.Entry
	if t.Zero {
		for _, c := range s.Data {
			if c != 0 {
				b.errs = append(b.errs, &isa.Error{Code: isa.ErrDirective, File: b.opt.File, Line: 1, Col: 1, Msg: fmt.Sprintf("section %s holds something else than zeros", s.Name)})
				break
			}
		}
		t.Data, t.Size = nil, uint64(len(s.Data))
	}
	b.u.Sections = append(b.u.Sections, t)
}

func (b *builder) symbol(y *asm.ProgramSymbol) {
	z := object.UnlinkedSymbol{Name: y.Name, Section: y.Section, Value: y.Value, Size: y.Size, Bind: object.SymbolBind(y.Bind)}
	switch y.Section {
	case asm.NoSection:
		z.Section = object.Absolute
	case asm.Undefined:
		z.Section = object.Undefined
		if z.Bind == object.BindLocal {
			z.Bind = object.BindGlobal
		}
	}
	z.Kind = map[string]object.SymbolKind{"function": object.Func, "object": object.Object}[y.Type]
	z.Vis = map[string]object.Visibility{"hidden": object.VisHidden, "internal": object.VisInternal, "protected": object.VisProtected}[y.Vis]
	b.symbols[y.Name], b.mentioned[len(b.u.Symbols)] = len(b.u.Symbols), y.Line
	b.u.Symbols = append(b.u.Symbols, z)
}

// ref turns a reference into a relocation.
func (b *builder) ref(r *asm.Ref) {
	to, ok := b.symbols[r.Symbol]
	if !ok {
		to = b.start(r.To)
	}
	for _, t := range refTypes {
		if t.kind == r.Kind && t.size == r.Size {
			b.u.Relocs = append(b.u.Relocs, object.UnlinkedReloc{Section: r.Section, Off: r.Off, Type: t.typ, Symbol: to, Addend: r.Addend})
			return
		}
	}
	b.errs = append(b.errs, &isa.Error{Code: isa.ErrDirective, File: b.opt.File, Line: r.Line, Col: 1, Msg: fmt.Sprintf("no relocation of %d bytes for @%s", r.Size, r.Kind)})
}

// sortSymbols sorts symbols by their first occurrence in the text, as LLVM's assembler does. Those without a name
// follow.
func (b *builder) sortSymbols() {
	order := make([]int, len(b.u.Symbols))
	for i := range order {
		order[i] = i
	}
	line := func(i int) int {
		if n, ok := b.mentioned[i]; ok || i == 0 {
			return n
		}
		return math.MaxInt
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(line(x), line(y)) })
	sorted, to := make([]object.UnlinkedSymbol, len(order)), make([]int, len(order))
	for n, i := range order {
		sorted[n], to[i] = b.u.Symbols[i], n
	}
	for i := range b.u.Relocs {
		b.u.Relocs[i].Symbol = to[b.u.Relocs[i].Symbol]
	}
	b.u.Symbols = sorted
	b.symbols = nil // its indices are outdated
}

// undefined reports references from loaded sections to symbols that are not defined, each symbol once. Debug sections
// may name symbols without an address, such as variables in LDS.
func (b *builder) undefined(refs []asm.Ref) {
	seen := map[string]bool{}
	for i := range refs {
		r := &refs[i]
		to, ok := b.symbols[r.Symbol]
		if !ok || seen[r.Symbol] || !b.u.Sections[r.Section].Alloc {
			continue
		}
		if y := &b.u.Symbols[to]; y.Section == object.Undefined && y.Bind != object.BindWeak && len(b.errs) < maxErrors {
			seen[r.Symbol] = true
			b.textErrorAt(r.Line, isa.ErrSymbol, r.Symbol, "symbol that is not defined in this file: "+r.Symbol)
		}
	}
}

// start returns the symbol of a section's first byte.
func (b *builder) start(section int) int {
	name := fmt.Sprintf("\x00%d", section) // the name of no symbol
	i, ok := b.symbols[name]
	if !ok {
		i = len(b.u.Symbols)
		b.symbols[name] = i
		b.u.Symbols = append(b.u.Symbols, object.UnlinkedSymbol{Section: section, Kind: object.Section})
	}
	return i
}

// headers reads the directives of version 2 and of Mesa; any of them without .amdgcn_target makes it a code object of
// version 2.
func (b *builder) headers(list []asm.Mark) {
	var h *header
	for _, m := range list {
		switch {
		case m.Name == dirHeader && h != nil:
			b.fail(h.open, "the header has no %s", dirHeaderEnd)
			return
		case m.Name == dirHeader:
			h = newHeader(m, b.chip)
		case b.oldMark(m):
		case h == nil:
			b.fail(m, "%s is not between %s and %s", m.Name, dirHeader, dirHeaderEnd)
		case m.Name == dirHeaderEnd:
			b.writeHeader(h, m)
			h = nil
		default:
			b.setField(h, m)
		}
	}
	if h != nil {
		b.fail(h.open, "the header has no %s", dirHeaderEnd)
	}
	if len(list) > 0 && b.version == 0 {
		b.version = 2
	}
}

// marks reads the directives of the format, in the order of the text. It returns those of version 2 and of Mesa.
func (b *builder) marks(list []asm.Mark) (old []asm.Mark) {
	var k *kernel
	for _, m := range list {
		switch {
		case m.Name == dirTarget:
			b.target(m)
		case m.Name == dirVersion:
			if b.version = int(m.Value); m.Value < 3 || m.Value > 6 {
				b.fail(m, "code objects of version %d cannot be written; 3 to 6 can", m.Value)
			}
		case m.Name == dirKernel:
			if k != nil {
				b.fail(m, "the kernel of line %d has no %s", k.open.Line, dirEnd)
			}
			k = &kernel{name: strings.Trim(m.Text, `"`), open: m, given: map[string]asm.Mark{}}
			if k.name == "" || strings.ContainsAny(k.name, " \t,") {
				b.fail(m, "the name of a kernel is expected")
			}
		case keyOf(m.Name) == nil && m.Name != dirEnd:
			old = append(old, m)
		case k == nil:
			b.fail(m, "%s is outside of %s", m.Name, dirKernel)
		case m.Name == dirEnd:
			b.kernel(k, m)
			k = nil
		default:
			b.take(k, m)
		}
	}
	if k != nil {
		b.fail(k.open, "the kernel has no %s", dirEnd)
	}
	return old
}

func (b *builder) target(m asm.Mark) {
	name, features, err := processor(unquoted(m.Text))
	switch {
	case err != nil:
		b.fail(m, "%v", err)
	case name != b.named:
		b.fail(m, "%s where the file is for %s", name, b.named)
	}
	b.features = features
}

func (b *builder) xnackOn() bool { return strings.Contains(b.features, "xnack+") }

// flags returns the e_flags: the processor, and from version 4 on the setting for retrying memory accesses.
func (b *builder) flags() uint32 {
	f := object.TargetFlags(b.named)
	switch {
	case !b.chip.xnack:
	case b.version == 2 && !strings.Contains(b.features, "xnack-"):
		f |= 0x100
	case b.version == 2:
	case b.version == 3 && b.xnackOn():
		f |= 0x100
	case b.version == 3:
	case b.xnackOn():
		f |= 0x300
	case strings.Contains(b.features, "xnack-"):
		f |= 0x200
	default:
		f |= 0x100
	}
	return f
}

// kernel writes a descriptor where its directives end, and defines its symbol.
func (b *builder) kernel(k *kernel, end asm.Mark) {
	code, ok := b.symbols[k.name]
	if !ok || b.u.Symbols[code].Section < 0 {
		b.fail(k.open, "kernel %s: there is no such label", k.name)
		return
	}
	if _, twice := b.symbols[k.name+".kd"]; twice {
		b.fail(k.open, "kernel %s has a descriptor already", k.name)
		return
	}
	s := &b.u.Sections[end.Section]
	if s.Zero || !s.Alloc || s.Exec || end.Off%8 != 0 {
		b.fail(k.open, "the descriptor of kernel %s must lie in a section such as .rodata, aligned to 64 bytes", k.name)
		return
	}
	copy(s.Data[end.Off:], b.descriptor(k))
	f := &b.u.Symbols[code]
	d := object.UnlinkedSymbol{Name: k.name + ".kd", Section: end.Section, Value: end.Off, Size: descriptorSize, Kind: object.Object, Bind: f.Bind, Vis: f.Vis}
	if f.Vis == object.VisDefault {
		f.Vis = object.VisProtected // the descriptor finds it in this file
	}
	b.symbols[d.Name], b.mentioned[len(b.u.Symbols)] = len(b.u.Symbols), end.Line
	b.u.Symbols = append(b.u.Symbols, d)
	b.u.Relocs = append(b.u.Relocs, object.UnlinkedReloc{Section: end.Section, Off: end.Off + offEntry, Type: 5, Symbol: code, Addend: offEntry})
}

// metadata adds the notes, and takes the version from the metadata if no directive gives it.
func (b *builder) metadata(blocks []asm.Block) {
	version := b.opt.Version
	given := false
	for i := range blocks {
		if blocks[i].Name == dirOldMetadata {
			b.old(blocks[i].Line, noteOldMetadata, []byte(strings.TrimRight(blocks[i].Text, "\n")+"\n")) // as llvm-mc ends it
			continue
		}
		if given {
			b.textError(blocks[i].Line, "a second "+dirMetadata)
			continue
		}
		given = true
		desc, err := object.EncodeMetadata(blocks[i].Text)
		if err == nil {
			var v [2]uint32
			if v, err = object.CheckMetadata(desc, b.named); v[0] == 1 && version == 0 {
				version = int(v[1]) + 3
			}
		}
		var e *object.Error
		switch {
		case errors.As(err, &e) && e.Line > 0:
			b.textError(blocks[i].Line+e.Line, e.Msg)
		case err != nil:
			b.textError(blocks[i].Line, withoutPlace(err).Error())
		default:
			b.notes = append(b.notes, note{blocks[i].Line, object.MetadataNote(desc)})
		}
	}
	b.writeNotes()
	if b.version == 0 {
		b.version = max(version, 0)
	}
	if b.version == 0 {
		b.version = 5
	}
}

// writeNotes adds a section of the notes, in the order of the text. For Mesa it is not loaded.
func (b *builder) writeNotes() {
	if len(b.notes) == 0 {
		return
	}
	slices.SortStableFunc(b.notes, func(x, y note) int { return cmp.Compare(x.line, y.line) })
	s := object.UnlinkedSection{Name: ".note", Alloc: !b.u.Mesa, Note: true, Align: 4}
	for _, n := range b.notes {
		s.Data = append(s.Data, n.data...)
	}
	b.u.Sections = append(b.u.Sections, s)
}

// textError records an error in a line of the text.
func (b *builder) textError(line int, msg string) { b.textErrorAt(line, isa.ErrDirective, "", msg) }

// textErrorAt records one at a word of the line.
func (b *builder) textErrorAt(line int, code, word, msg string) {
	source := ""
	n := 0
	for s := range strings.Lines(string(b.lines)) {
		if n++; n == line {
			source = strings.TrimRight(s, "\r\n")
			break
		}
	}
	col := len(source) - len(strings.TrimLeft(source, " \t"))
	if at := strings.Index(source, word); word != "" && at >= 0 {
		col = at
	}
	b.errs = append(b.errs, &isa.Error{Code: code, File: b.opt.File, Line: line, Col: 1 + col, Source: source, Msg: msg})
}
