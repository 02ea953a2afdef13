package codeobj

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// Source writes a code object as text that assembles to the same program: the same bytes of code at the same
// addresses, descriptors and metadata. Addresses that code computes from the program counter become references to
// symbols, so that code can be changed; .address lines keep sections at their addresses, and can be removed. The
// error is that of contents without a text form, or of w. Code objects of versions 1 and 2 become such of version 5.
func Source(w io.Writer, o *object.CodeObject) error {
	t, err := targetOf(o.Target, "")
	if err != nil {
		return err
	}
	s := &source{o: o, w: bufio.NewWriter(w), target: t, names: map[uint64][]object.Symbol{}, made: map[uint64]string{}, fields: map[uint64]string{}, last: map[uint64]string{}}
	if err := s.prepare(); err != nil {
		return err
	}
	s.head()
	for i := range s.sects {
		if err := s.section(&s.sects[i]); err != nil {
			return err
		}
	}
	if err := s.kernels(); err != nil {
		return err
	}
	if err := s.metadata(); err != nil {
		return err
	}
	return s.w.Flush()
}

// A source is a code object that is being written.
type source struct {
	o      *object.CodeObject
	w      *bufio.Writer
	target *isa.Target
	sects  []object.ImageSection
	names  map[uint64][]object.Symbol // by address; their names as the text writes them
	made   map[uint64]string          // generated labels, by address
	fields map[uint64]string          // data that the loader fills in, by address: its text
	last   map[uint64]string          // operands of instructions that are references, by address
	starts map[uint64]bool            // where instructions begin
	old    bool                       // version 1 or 2
	wrong  bool                       // instructions break rules
}

func (s *source) say(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

// prepare finds the labels that the text needs.
func (s *source) prepare() error {
	s.old = s.o.Version < 3
	s.starts = map[uint64]bool{}
	for _, x := range s.o.Sections {
		if x.Name != ".relro_padding" {
			s.sects = append(s.sects, x)
		}
	}
	if len(s.sects) == 0 { // the file does not name sections
		for i, g := range s.o.Segments {
			x := object.ImageSection{Name: map[bool]string{true: ".text", false: ".data"}[g.Exec] + fmt.Sprintf(".%d", i), Addr: g.Addr, Size: g.Size, Align: 256, Write: g.Write, Exec: g.Exec}
			if g.Exec || g.Write {
				s.sects = append(s.sects, x)
			}
		}
	}
	if err := s.symbols(); err != nil {
		return err
	}
	for i := range s.sects {
		if s.sects[i].Exec {
			s.scan(&s.sects[i])
		}
	}
	for _, r := range s.o.Relocs {
		text, ok := s.field(&r)
		if !ok {
			return fmt.Errorf("%v at %#x has no text", r.Type, r.Addr)
		}
		s.fields[r.Addr] = text
	}
	return nil
}

// symbols lists those that the text defines.
func (s *source) symbols() error {
	seen := map[string]bool{}
	kernels := map[string]uint64{} // by name: the entry, if the symbol is elsewhere
	for i := range s.o.Kernels {
		k := &s.o.Kernels[i]
		if _, ok := nameText(k.Name); !ok {
			return fmt.Errorf("kernel %q: assembly cannot hold this name", k.Name)
		}
		if s.old {
			kernels[k.Name] = k.Entry
		}
	}
	open := map[string]bool{} // descriptors of default visibility
	for _, y := range s.o.Symbols {
		if y.Kind == object.Object && y.Vis == object.VisDefault && y.Bind != object.BindLocal {
			open[y.Name] = true
		}
	}
	for _, y := range s.o.Symbols {
		if y.Kind == object.KernelCode {
			y.Kind, y.Addr, y.Size = object.Func, kernels[y.Name], max(y.Size, object.KernelCodeSize)-object.KernelCodeSize
		}
		descriptor := strings.HasSuffix(y.Name, ".kd") && y.Kind == object.Object && !s.old
		text, ok := nameText(y.Name)
		if !y.Defined || descriptor || seen[y.Name] || !ok || y.Kind == object.Section || y.Kind == object.FileName || s.sectionAt(y.Addr) == nil {
			continue
		}
		if y.Vis == object.VisProtected && open[y.Name+".kd"] {
			y.Vis = object.VisDefault // the descriptor's; the assembler makes the kernel's own symbol protected
		}
		seen[y.Name], y.Name = true, text
		s.names[y.Addr] = append(s.names[y.Addr], y)
	}
	return nil
}

// nameText returns how the text writes the name of a symbol, if it can: names with .L are generated labels.
func nameText(name string) (string, bool) {
	text, ok := isa.SymbolText(name)
	return text, ok && !strings.HasPrefix(name, ".L")
}

func (s *source) sectionAt(addr uint64) *object.ImageSection {
	for i := range s.sects {
		if x := &s.sects[i]; addr-x.Addr < x.Size {
			return x
		}
	}
	return nil
}

// name returns an expression for an address: a symbol or label, and a number added to it. ok is false for an address
// that the text does not contain, or within an instruction.
func (s *source) name(addr uint64) (label string, plus uint64, ok bool) {
	x := s.sectionAt(addr)
	if x == nil {
		return "", 0, false
	}
	if list := s.names[addr]; len(list) > 0 {
		return list[0].Name, 0, true
	}
	best := uint64(0)
	for at, list := range s.names { // one that contains the address
		if y := &list[0]; at < addr && addr-at < y.Size && at >= x.Addr && at >= best {
			best, label, plus, ok = at, y.Name, addr-at, true
		}
	}
	if ok || x.Exec && !s.starts[addr] {
		return label, plus, ok
	}
	if s.made[addr] == "" {
		s.made[addr] = fmt.Sprintf(".L%x", addr)
	}
	return s.made[addr], 0, true
}

// field returns the text of data that the loader fills in.
func (s *source) field(r *object.Reloc) (string, bool) {
	addr := uint64(r.Addend)
	if r.Symbol.Name != "" {
		if !r.Symbol.Defined {
			text, ok := nameText(r.Symbol.Name)
			return ".quad " + text, ok && r.Type == 3
		}
		addr += r.Symbol.Addr
	}
	text := map[object.RelocType]string{3: ".quad", 13: ".quad", 1: "@abs32@lo", 2: "@abs32@hi", 6: ".long"}[r.Type]
	label, plus, ok := s.name(addr)
	if !ok || text == "" {
		return "", false
	}
	if text[0] == '@' {
		return fmt.Sprintf(".long %s%s+%d", label, text, plus), true
	}
	return fmt.Sprintf("%s %s+%d", text, label, plus), true
}

// head writes the directives about the whole file and about its symbols.
func (s *source) head() {
	target := s.o.Metadata.Target
	if target == "" || s.old {
		target = "amdgcn-amd-amdhsa--" + s.o.Target
	}
	s.say("\t%s \"%s\"\n", dirTarget, target)
	version := s.o.Version
	if s.old {
		s.say("// of a code object of version %d\n", version)
		version = 5
	}
	s.say("\t%s %d\n", dirVersion, version)
	if s.wrong {
		s.say("\t.exact // illegal instructions are kept\n")
	}
	var addrs []uint64
	for a := range s.names {
		addrs = append(addrs, a)
	}
	slices.Sort(addrs)
	for _, a := range addrs {
		for i := range s.names[a] {
			s.about(&s.names[a][i])
		}
	}
}

// about writes the directives for a symbol.
func (s *source) about(y *object.Symbol) {
	switch y.Bind {
	case object.BindGlobal:
		s.say("\t.globl\t%s\n", y.Name)
	case object.BindWeak:
		s.say("\t.weak\t%s\n", y.Name)
	}
	if x := s.sectionAt(y.Addr); x.Exec && !s.starts[y.Addr] { // within an instruction of the listing
		if s.made[x.Addr] == "" {
			s.made[x.Addr] = fmt.Sprintf(".L%x", x.Addr)
		}
		s.say("\t.set\t%s, %s+%d\n", y.Name, s.made[x.Addr], y.Addr-x.Addr)
	}
	if vis := map[object.Visibility]string{object.VisHidden: "hidden", object.VisInternal: "internal", object.VisProtected: "protected"}[y.Vis]; vis != "" {
		s.say("\t.%s\t%s\n", vis, y.Name)
	}
	if kind := map[object.SymbolKind]string{object.Func: "function", object.Object: "object"}[y.Kind]; kind != "" {
		s.say("\t.type\t%s,@%s\n", y.Name, kind)
	}
	if y.Size == 0 {
		return
	}
	end := y.Addr + y.Size
	if x := s.sectionAt(y.Addr); x.Exec && (s.starts[end] || end == x.Addr+x.Size) {
		if s.made[end] == "" {
			s.made[end] = fmt.Sprintf(".L%x", end)
		}
		s.say("\t.size\t%s, %s-%s\n", y.Name, s.made[end], y.Name)
		return
	}
	s.say("\t.size\t%s, %d\n", y.Name, y.Size)
}

// section writes one section.
func (s *source) section(x *object.ImageSection) error {
	flags, kind := "a", "@progbits"
	if x.Write {
		flags += "w"
	}
	if x.Exec {
		flags += "x"
	}
	if x.Zero {
		kind = "@nobits"
	}
	s.say("\n\t.section\t%s,\"%s\",%s\n", x.Name, flags, kind)
	if x.Align > 1 && x.Align&(x.Align-1) == 0 && x.Align <= 1<<16 {
		s.say("\t.balign\t%d\n", x.Align)
	}
	if len(s.sects) > 1 {
		s.say("\t.address\t%#x\n", x.Addr)
	}
	data, ok := s.o.Bytes(x.Addr, x.Size)
	switch {
	case !ok:
		return fmt.Errorf("section %s lies in no segment", x.Name)
	case x.Exec:
		return s.code(x, data)
	case x.Zero:
		s.zeros(x)
		return nil
	}
	return s.data(x, data)
}

// code writes a section of instructions.
func (s *source) code(x *object.ImageSection, data []byte) error {
	opt := asm.ListOptions{Exact: true, Body: true, Last: func(addr uint64) (string, bool) { text, ok := s.last[addr]; return text, ok }}
	for addr, list := range s.names {
		for _, y := range list {
			name, _ := isa.SymbolName(y.Name)
			opt.Symbols = append(opt.Symbols, asm.Symbol{Name: name, Addr: addr})
		}
	}
	for addr, name := range s.made {
		opt.Symbols = append(opt.Symbols, asm.Symbol{Name: name, Addr: addr})
	}
	slices.SortFunc(opt.Symbols, func(a, b asm.Symbol) int { return strings.Compare(a.Name, b.Name) })
	opt.Data = s.ranges()
	return asm.List(s.w, s.target, data, x.Addr, opt)
}

// ranges returns the headers of kernels in code, and what the loader fills in.
func (s *source) ranges() (list []asm.Range) {
	for i := range s.o.Kernels {
		if k := &s.o.Kernels[i]; s.old {
			list = append(list, asm.Range{From: k.DescriptorAddr, To: k.DescriptorAddr + object.KernelCodeSize})
		}
	}
	for addr, ys := range s.names {
		for _, y := range ys {
			if y.Kind == object.Object && addr%4 == 0 {
				list = append(list, asm.Range{From: addr, To: addr + (y.Size+3)&^3})
			}
		}
	}
	return list
}

// cuts returns the addresses in a section at which something other than plain data begins, in order, and its end.
func (s *source) cuts(x *object.ImageSection) (list []uint64) {
	add := func(addr uint64) {
		if addr-x.Addr <= x.Size {
			list = append(list, addr)
		}
	}
	for a := range s.names {
		add(a)
	}
	for a := range s.made {
		add(a)
	}
	for a := range s.fields {
		add(a)
	}
	for i := range s.o.Kernels {
		add(s.o.Kernels[i].DescriptorAddr)
	}
	add(x.Addr + x.Size)
	slices.Sort(list)
	return slices.Compact(list)
}

// labels writes those of an address.
func (s *source) labels(addr uint64) {
	for _, y := range s.names[addr] {
		s.say("%s:\n", y.Name)
	}
	if name := s.made[addr]; name != "" {
		s.say("%s:\n", name)
	}
}

func (s *source) zeros(x *object.ImageSection) {
	at := x.Addr
	for _, next := range s.cuts(x) {
		if next > at {
			s.say("\t.zero\t%d\n", next-at)
		}
		if at = next; at < x.Addr+x.Size {
			s.labels(at)
		}
	}
}

// data writes a section of data, including descriptors.
func (s *source) data(x *object.ImageSection, data []byte) error {
	end := x.Addr + x.Size
	cuts := s.cuts(x)
	at := x.Addr
	for _, next := range cuts {
		if next > at {
			s.bytes(data[at-x.Addr : next-x.Addr])
			at = next
		}
		if next < at || at == end {
			continue // part of what has been written
		}
		s.labels(at)
		if text, ok := s.fields[at]; ok {
			s.say("\t%s\n", text)
			if at += 4; strings.HasPrefix(text, ".quad") {
				at += 4
			}
			continue
		}
		for i := range s.o.Kernels {
			if k := &s.o.Kernels[i]; k.DescriptorAddr == at && !s.old {
				if end-at < descriptorSize {
					return fmt.Errorf("the descriptor of kernel %s does not lie in section %s", k.Name, x.Name)
				}
				s.descriptor(k)
				at += descriptorSize
				break
			}
		}
	}
	return nil
}

// bytes writes data, as numbers of four bytes if possible.
func (s *source) bytes(b []byte) {
	for len(b) > 0 {
		unit, word := 4, ".long"
		if len(b) < 4 {
			unit, word = 1, ".byte"
		}
		n := min(len(b)/unit, 8)
		s.say("\t%s\t", word)
		for i := range n {
			v := uint32(0)
			for k := range unit {
				v |= uint32(b[i*unit+k]) << (8 * k)
			}
			if i > 0 {
				s.say(", ")
			}
			s.say("0x%0*x", 2*unit, v)
		}
		s.say("\n")
		b = b[n*unit:]
	}
}
