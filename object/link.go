package object

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Link assigns addresses to sections, applies relocations and writes a loadable code object: the output of ld.lld
// -shared for one relocatable file, with the same order of sections. It is an error, which names them, if symbols are
// used and not defined; undefined weak symbols are 0.
func (u *Unlinked) Link() ([]byte, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	if err := u.undefined(); err != nil {
		return nil, err
	}
	l := &linker{u: u, flags: u.Flags, got: map[int]int{}, named: map[string]int{}}
	if l.flags == 0 {
		flags, ok := flagsOf(u.Target)
		if !ok {
			return nil, failAt("unsupported", 48, "target %q is not known", u.Target)
		}
		l.flags = flags
	}
	l.gather()
	if err := l.place(); err != nil {
		return nil, err
	}
	if err := l.relocate(); err != nil {
		return nil, err
	}
	return l.write(), nil
}

// Missing returns the symbols that relocations of loaded sections need and the file does not define, except weak ones,
// in the order of the relocations. Symbols that only debug sections use, such as variables in LDS, have no address
// there either.
func (u *Unlinked) Missing() []string {
	names, _ := u.missing()
	return names
}

// missing returns the names, and the offset in the file of the relocation that needs the first.
func (u *Unlinked) missing() (names []string, first uint64) {
	seen := map[string]bool{}
	for i := range u.Relocs {
		r := &u.Relocs[i]
		y := &u.Symbols[r.Symbol]
		if y.Section != Undefined || y.Bind == BindWeak || !u.Sections[r.Section].Alloc || seen[y.Name] {
			continue
		}
		if seen[y.Name] = true; len(names) == 0 {
			first = r.at
		}
		names = append(names, y.Name)
	}
	return names, first
}

// undefined returns an error for the missing symbols.
func (u *Unlinked) undefined() error {
	names, first := u.missing()
	names = names[:min(len(names), 20)]
	if len(names) == 0 {
		return nil
	}
	what := "symbol that is"
	if len(names) > 1 {
		what = "symbols that are"
	}
	return failAt("symbol", first, "%s not defined in this file: %s", what, strings.Join(names, ", "))
}

// A linker creates one file.
type linker struct {
	u     *Unlinked
	flags uint32
	parts []part
	of    []int          // index in parts by index in u.Sections; -1: left out
	base  []uint64       // offset of a section in its part, by index in u.Sections
	named map[string]int // index in parts of those that sections of the input are merged into
	rela  []rela64
	got   map[int]int // entry of the global offset table by symbol
	at    linkerParts
}

// linkerParts are the indices in parts of the parts that the linker creates itself; 0: none.
type linkerParts struct{ dynsym, gnu, hash, dynstr, rela, dynamic, got, padding int }

// A part is a section of the output file.
type part struct {
	UnlinkedSection
	kind       uint32
	link, info int // link: index in parts
	entry      uint64
	group      partGroup
	off        uint64 // in the file
	grown      bool   // Data is the part's own and may be appended to
}

// A partGroup is the segment that a section belongs to, in the order of addresses.
type partGroup uint8

const (
	readGroup partGroup = iota
	codeGroup
	dynamicGroup
	dataGroup
	looseGroup // not loaded
)

const groups = int(looseGroup)

// A rela64 is a relocation that is left to the loader.
type rela64 struct {
	addr   uint64
	kind   RelocType
	symbol int // index in u.Symbols, -1: none
	addend int64
}

func groupOf(s *UnlinkedSection) partGroup {
	switch {
	case !s.Alloc:
		return looseGroup
	case s.Write:
		return dataGroup
	case s.Exec:
		return codeGroup
	}
	return readGroup
}

// gather collects the sections of the file in the order of their addresses.
func (l *linker) gather() {
	l.of, l.base = make([]int, len(l.u.Sections)), make([]uint64, len(l.u.Sections))
	used := make([]bool, len(l.u.Sections))
	for _, y := range l.u.Symbols {
		if y.Section >= 0 && y.Name != "" {
			used[y.Section] = true
		}
	}
	take := func(group partGroup, want func(s *UnlinkedSection) bool) {
		for i := range l.u.Sections {
			s := &l.u.Sections[i]
			if groupOf(s) != group || !want(s) {
				continue
			}
			if l.of[i] = -1; s.Exclude || s.size() == 0 && !used[i] && s.Name != ".text" && s.Alloc || s.Name == ".note.GNU-stack" {
				continue
			}
			kind := uint32(1) // SHT_PROGBITS
			switch {
			case s.Note:
				kind = sectNote
			case s.Zero:
				kind = sectNoBits
			}
			l.put(i, part{UnlinkedSection: *s, kind: kind, group: group})
		}
	}
	l.parts = append(l.parts, part{}) // the null section
	take(readGroup, func(s *UnlinkedSection) bool { return s.Note })
	l.at.dynsym = l.own(part{UnlinkedSection: UnlinkedSection{Name: ".dynsym", Alloc: true, Align: 8}, kind: sectDynsym, entry: symbolSize, info: 1})
	l.at.gnu = l.own(part{UnlinkedSection: UnlinkedSection{Name: ".gnu.hash", Alloc: true, Align: 8}, kind: sectGNUHash, link: l.at.dynsym})
	l.at.hash = l.own(part{UnlinkedSection: UnlinkedSection{Name: ".hash", Alloc: true, Align: 4}, kind: sectHash, entry: 4, link: l.at.dynsym})
	l.at.dynstr = l.own(part{UnlinkedSection: UnlinkedSection{Name: ".dynstr", Alloc: true, Align: 1}, kind: sectStrtab})
	l.parts[l.at.dynsym].link = l.at.dynstr
	l.dynamicRelocs()
	if len(l.rela) > 0 {
		l.at.rela = l.own(part{UnlinkedSection: UnlinkedSection{Name: ".rela.dyn", Alloc: true, Align: 8}, kind: sectRela, entry: relaSize, link: l.at.dynsym})
	}
	take(readGroup, func(s *UnlinkedSection) bool { return !s.Note })
	take(codeGroup, func(*UnlinkedSection) bool { return true })
	l.at.dynamic = l.own(part{UnlinkedSection: UnlinkedSection{Name: ".dynamic", Alloc: true, Write: true, Align: 8}, kind: sectDynamic, entry: 16, link: l.at.dynstr, group: dynamicGroup})
	if len(l.got) > 0 {
		got := UnlinkedSection{Name: ".got", Alloc: true, Write: true, Align: 8, Data: make([]byte, 8*len(l.got))}
		l.at.got = l.own(part{UnlinkedSection: got, kind: 1, group: dynamicGroup})
	}
	l.at.padding = l.own(part{UnlinkedSection: UnlinkedSection{Name: ".relro_padding", Alloc: true, Write: true, Zero: true, Align: 1}, kind: sectNoBits, group: dynamicGroup})
	take(dataGroup, func(s *UnlinkedSection) bool { return !s.Zero })
	take(dataGroup, func(s *UnlinkedSection) bool { return s.Zero })
	take(looseGroup, func(*UnlinkedSection) bool { return true })
	if n, ok := l.named[".eh_frame"]; ok && !l.parts[n].Zero {
		l.parts[n].Data = append(slices.Clone(l.parts[n].Data), 0, 0, 0, 0) // the end of the entries
	}
	l.fillDynamic()
}

// prefixes are the sections into which sections of longer names are merged: .rodata.str1.1 into .rodata.
var prefixes = []string{".text", ".data.rel.ro", ".data", ".rodata", ".bss.rel.ro", ".bss"}

// put assigns a part to a section of the input: a new one, or the end of another of the same name and kind, unless it
// has an address.
func (l *linker) put(i int, p part) {
	if s := &l.u.Sections[i]; !s.Fixed {
		for _, prefix := range prefixes {
			if strings.HasPrefix(p.Name, prefix+".") {
				p.Name = prefix
				break
			}
		}
	}
	n, ok := l.named[p.Name]
	if ok = ok && !p.Fixed && !l.parts[n].Fixed && l.parts[n].kind == p.kind && l.parts[n].group == p.group; !ok {
		l.of[i], l.named[p.Name] = len(l.parts), len(l.parts)
		l.parts = append(l.parts, p)
		return
	}
	q := &l.parts[n]
	l.of[i], l.base[i] = n, (q.size()+p.Align-1)&^(p.Align-1)
	if q.Align = max(q.Align, p.Align); p.Zero {
		q.Size = l.base[i] + p.Size
	} else {
		if !q.grown { // the bytes still belong to the input
			q.Data, q.grown = slices.Clone(q.Data), true
		}
		q.Data = append(append(q.Data, make([]byte, l.base[i]-q.size())...), p.Data...)
	}
	q.Retain = q.Retain || p.Retain
	q.Merge, q.Strings = q.Merge || p.Merge, q.Strings || p.Strings // like ld.lld: without an entry size nothing is merged
	if q.Entry != p.Entry {
		q.Entry = 0
	}
}

func (l *linker) own(p part) int {
	l.parts = append(l.parts, p)
	return len(l.parts) - 1
}

// dynamicRelocs collects the relocations for the loader: 64-bit addresses in data, and entries of the global offset
// table, depend on the load address. Their own addresses are known once sections are placed.
func (l *linker) dynamicRelocs() {
	for i := range l.u.Relocs {
		r := &l.u.Relocs[i]
		if !l.u.Sections[r.Section].Alloc {
			continue
		}
		rule, _ := r.Type.rule()
		switch y := &l.u.Symbols[r.Symbol]; {
		case rule.table:
			if _, ok := l.got[r.Symbol]; ok {
				break
			}
			if l.got[r.Symbol] = len(l.got); y.Section >= 0 {
				l.rela = append(l.rela, y.loaded(abs64, r.Symbol, 0, 0, 0))
			}
		case rule.absolute && y.Section >= 0:
			l.rela = append(l.rela, y.loaded(r.Type, r.Symbol, 0, 0, 0))
		}
	}
}

// fillDynamic sizes the sections that describe symbols, so that sections can be placed.
func (l *linker) fillDynamic() {
	d := l.dynamic()
	l.parts[l.at.dynsym].Data = make([]byte, (len(d.order)+1)*symbolSize)
	l.parts[l.at.gnu].Data = d.gnuTable(l.u)
	l.parts[l.at.hash].Data = d.table(l.u)
	l.parts[l.at.dynstr].Data = d.names
	tags := 7
	if l.at.rela != 0 {
		l.parts[l.at.rela].Data = make([]byte, len(l.rela)*relaSize)
		tags += 3
		if l.relative() > 0 {
			tags++
		}
	}
	l.parts[l.at.dynamic].Data = make([]byte, 16*tags)
}

// relative returns how many of the loader's relocations only add the load address.
func (l *linker) relative() (n uint64) {
	for i := range l.rela {
		if l.rela[i].kind == relative64 {
			n++
		}
	}
	return n
}

const pageSize = 0x1000

// place assigns addresses and file offsets to sections.
func (l *linker) place() error {
	addr := uint64(elfHeaderSize + l.numProgs()*progHeaderSize)
	off, last := addr, readGroup
	for i := range l.parts[1:] {
		p := &l.parts[i+1]
		if p.group == looseGroup {
			continue
		}
		gap := uint64(0) // keeps segments of different access rights on separate pages
		if p.group != last {
			if last = p.group; addr%pageSize != 0 {
				gap = pageSize
			}
		}
		next := (addr + gap + p.Align - 1) &^ (p.Align - 1)
		if p.Fixed {
			if next = p.Addr; next < addr || next&(p.Align-1) != 0 || next-addr > maxImage {
				return failAt("address", 0, "section %s cannot begin at %#x: what lies before it ends at %#x", p.Name, p.Addr, addr)
			}
		}
		addr = next
		p.Addr = addr
		if i+1 == l.at.padding { // the RELRO region ends at a page boundary; the sections after it begin on another page anyway
			p.Size = -addr % pageSize
			continue
		}
		addr += p.size()
	}
	if addr > maxImage {
		return failAt("limit", 0, "image grows to %#x bytes, at most %#x are written", addr, maxImage)
	}
	for i := range l.parts[1:] {
		p := &l.parts[i+1]
		if p.Align = max(p.Align, 1); p.group == looseGroup {
			off = (off + p.Align - 1) &^ (p.Align - 1)
		} else {
			off += (p.Addr - off) % pageSize // the same offset in a page
		}
		p.off = off
		if !p.Zero {
			off += uint64(len(p.Data))
		}
	}
	return nil
}

// address returns the address of a symbol; in a section that is not loaded, its offset.
func (l *linker) address(y *UnlinkedSymbol) uint64 {
	if y.Section < 0 {
		return y.Value
	}
	if at := l.of[y.Section]; at > 0 {
		return l.parts[at].Addr + l.base[y.Section] + y.Value
	}
	return y.Value
}

// relocate fills in the fields that do not depend on the load address, and lists the others.
func (l *linker) relocate() error {
	l.rela = l.rela[:0]
	got := uint64(0)
	if l.at.got != 0 {
		got = l.fillTable(&l.parts[l.at.got])
	}
	for i := range l.parts {
		if p := &l.parts[i]; p.kind == 1 {
			p.Data = slices.Clone(p.Data)
		}
	}
	for i := range l.u.Relocs {
		r := &l.u.Relocs[i]
		if l.of[r.Section] < 0 {
			continue
		}
		p := &l.parts[l.of[r.Section]]
		off := l.base[r.Section] + r.Off
		rule, _ := r.Type.rule()
		y := &l.u.Symbols[r.Symbol]
		s, at := l.address(y), p.Addr+off
		switch {
		case rule.table:
			s = got + uint64(8*l.got[r.Symbol])
		case rule.absolute && p.Alloc && y.Section >= 0:
			l.rela = append(l.rela, y.loaded(r.Type, r.Symbol, at, s, r.Addend)) // the field is zero until then
			continue
		}
		v := rule.value(s, uint64(r.Addend), at, 0)
		if rule.absolute && !p.Alloc && y.Section == Undefined && strings.HasPrefix(p.Name, ".debug") {
			v = nowhere(p.Name)
		}
		if err := rule.put(p.Data[off:], v); err != nil {
			return failAt("relocation", r.at, "%v at %#x of section %s: %v", r.Type, r.Off, p.Name, err)
		}
	}
	return nil
}

// nowhere returns the value that a debug section holds for the address of an undefined symbol, whatever the addend: 0,
// or another value in sections where 0 has a meaning. It is what ld.lld writes.
func nowhere(section string) uint64 {
	switch section {
	case ".debug_loc", ".debug_ranges":
		return 1
	case ".debug_names":
		return math.MaxUint64
	}
	return 0
}

// fillTable fills the global offset table and returns its address.
func (l *linker) fillTable(p *part) uint64 {
	entries := make([]int, len(l.got))
	for y, n := range l.got {
		entries[n] = y
	}
	for n, i := range entries {
		y := &l.u.Symbols[i]
		if y.Section >= 0 {
			l.rela = append(l.rela, y.loaded(abs64, i, p.Addr+uint64(8*n), l.address(y), 0))
			continue
		}
		binary.LittleEndian.PutUint64(p.Data[8*n:], l.address(y))
	}
	return p.Addr
}

// loaded returns the relocation that leaves a field to the loader: 64 bits of a symbol that no other file can define
// only depend on the load address. n is the symbol's number, value its address.
func (y *UnlinkedSymbol) loaded(kind RelocType, n int, at, value uint64, addend int64) rela64 {
	if kind == abs64 && !y.preemptible() {
		return rela64{at, relative64, n, int64(value) + addend}
	}
	return rela64{at, kind, n, addend}
}
