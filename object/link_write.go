package object

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Section types and segments that only the writer needs.
const (
	sectStrtab  = 3
	sectHash    = 5
	sectDynamic = 6
	sectNote    = 7
	sectGNUHash = 0x6ffffff6

	progDynamic = 2
	progPhdr    = 6
	progRelro   = 0x6474e552
	progStack   = 0x6474e551
)

// numProgs returns the number of program headers: the headers themselves, a segment for each group with sections, the
// dynamic section, RELRO, the stack, and notes.
func (l *linker) numProgs() int {
	n := 4
	for g := range groups {
		if slices.ContainsFunc(l.parts[1:], func(p part) bool { return p.group == partGroup(g) }) {
			n++
		}
	}
	if len(l.parts) > 1 && l.parts[1].kind == sectNote {
		n++
	}
	return n
}

// write creates the file once sections are placed and relocated.
func (l *linker) write() []byte {
	l.writeSymbols()
	l.writeDynamic()
	l.symtab()
	end := uint64(0)
	for i := range l.parts {
		if p := &l.parts[i]; !p.Zero {
			end = max(end, p.off+uint64(len(p.Data)))
		}
	}
	end = (end + 7) &^ 7
	b := make([]byte, end, end+uint64(len(l.parts)*sectHeaderSize))
	for i := range l.parts {
		if p := &l.parts[i]; !p.Zero {
			copy(b[p.off:], p.Data)
		}
	}
	copy(b, l.header(end))
	l.progs(b[elfHeaderSize:])
	return l.sections(b)
}

func (l *linker) header(sections uint64) []byte {
	le := binary.LittleEndian
	h := make([]byte, elfHeaderSize)
	copy(h, "\x7fELF\x02\x01\x01")
	if h[7], h[8] = osabiHSA, byte(l.u.Version-2); l.u.Mesa {
		h[7] = osabiMesa
	}
	le.PutUint16(h[16:], 3) // a shared object
	le.PutUint16(h[18:], machineAMDGPU)
	le.PutUint32(h[20:], 1)
	le.PutUint64(h[32:], elfHeaderSize)
	le.PutUint64(h[40:], sections)
	le.PutUint32(h[48:], l.flags)
	le.PutUint16(h[52:], elfHeaderSize)
	le.PutUint16(h[54:], progHeaderSize)
	le.PutUint16(h[56:], uint16(l.numProgs()))
	le.PutUint16(h[58:], sectHeaderSize)
	le.PutUint16(h[60:], uint16(len(l.parts)))
	le.PutUint16(h[62:], uint16(len(l.parts)-2)) // .shstrtab is the last but one
	return h
}

// progs writes the program headers.
func (l *linker) progs(b []byte) {
	put := func(kind, flags uint32, off, addr, file, size, align uint64) {
		le := binary.LittleEndian
		le.PutUint32(b, kind)
		le.PutUint32(b[4:], flags)
		for i, v := range []uint64{off, addr, addr, file, size, align} {
			le.PutUint64(b[8+8*i:], v)
		}
		b = b[progHeaderSize:]
	}
	const read, write, exec = 4, 2, 1
	heads := uint64(elfHeaderSize + l.numProgs()*progHeaderSize)
	put(progPhdr, read, elfHeaderSize, elfHeaderSize, heads-elfHeaderSize, heads-elfHeaderSize, 8)
	rights := [groups]uint32{readGroup: read, codeGroup: read | exec, dynamicGroup: read | write, dataGroup: read | write}
	for g := range groups {
		off, addr, file, size := l.span(partGroup(g))
		if partGroup(g) == readGroup { // the headers are a part of it
			put(progLoad, read, 0, 0, off+file, addr+size, pageSize)
		} else if size > 0 || addr > 0 {
			put(progLoad, rights[g], off, addr, file, size, pageSize)
		}
	}
	d := &l.parts[l.at.dynamic]
	put(progDynamic, read|write, d.off, d.Addr, d.size(), d.size(), 8)
	off, addr, file, size := l.span(dynamicGroup)
	put(progRelro, read, off, addr, file, size, 1)
	put(progStack, read|write, 0, 0, 0, 0, 0)
	if n := &l.parts[1]; n.kind == sectNote {
		last := n
		for i := range l.parts[1:] {
			if p := &l.parts[i+1]; p.kind == sectNote && p.group == readGroup {
				last = p
			}
		}
		size := last.Addr + last.size() - n.Addr
		put(progNote, read, n.off, n.Addr, size, size, max(n.Align, 4))
	}
}

// span returns the extent of a group's sections, in the file and in memory.
func (l *linker) span(g partGroup) (off, addr, file, size uint64) {
	first := true
	for i := range l.parts[1:] {
		p := &l.parts[i+1]
		if p.group != g {
			continue
		}
		if first {
			off, addr, first = p.off, p.Addr, false
		}
		if size = p.Addr + p.size() - addr; !p.Zero {
			file = size
		}
	}
	return off, addr, file, size
}

// sections appends the section headers.
func (l *linker) sections(b []byte) []byte {
	le := binary.LittleEndian
	names := map[string]int{}
	for i, at := 0, 1; i < len(l.parts); i++ { // as sectionNames puts them
		if name := l.parts[i].Name; name != "" && names[name] == 0 {
			names[name] = at
			at += len(name) + 1
		}
	}
	for i := range l.parts {
		p := &l.parts[i]
		flags := uint64(0)
		for bit, set := range []bool{p.Write, p.Alloc, p.Exec} {
			if set {
				flags |= 1 << bit
			}
		}
		if p.Merge {
			flags |= sectMerge
			p.entry = p.Entry
		}
		if p.Retain {
			flags |= sectRetain
		}
		if p.Strings {
			flags |= sectStrings
		}
		b = le.AppendUint32(b, uint32(names[p.Name]))
		b = le.AppendUint32(b, p.kind)
		align := p.Align
		if i == 0 {
			align = 0
		}
		for _, v := range []uint64{flags, p.Addr, p.off, p.size()} {
			b = le.AppendUint64(b, v)
		}
		b = le.AppendUint32(b, uint32(p.link))
		b = le.AppendUint32(b, uint32(p.info))
		b = le.AppendUint64(le.AppendUint64(b, align), p.entry)
	}
	return b
}

// sectionNames returns the string table of section names.
func (l *linker) sectionNames() []byte {
	table := []byte{0}
	seen := map[string]bool{"": true}
	for i := range l.parts {
		if name := l.parts[i].Name; !seen[name] {
			seen[name] = true
			table = append(append(table, name...), 0)
		}
	}
	return table
}

// dynamicSymbol returns the entry for the dynamic section.
func (l *linker) dynamicSymbol(name int) []byte {
	le := binary.LittleEndian
	b := append(le.AppendUint32(nil, uint32(name)), byte(BindLocal)<<4, byte(VisHidden))
	b = le.AppendUint16(b, uint16(l.at.dynamic))
	return le.AppendUint64(le.AppendUint64(b, l.parts[l.at.dynamic].Addr), 0)
}

// symbolBytes returns an entry of a symbol table.
func (l *linker) symbolBytes(y *UnlinkedSymbol, name int, bind SymbolBind) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(name))
	section := 0
	switch {
	case y.Section == Absolute:
		section = 0xfff1
	case y.Section >= 0:
		section = l.of[y.Section]
	}
	b = append(b, byte(bind)<<4|byte(y.Kind)&15, byte(y.Vis)&3)
	b = le.AppendUint16(b, uint16(section))
	return le.AppendUint64(le.AppendUint64(b, l.address(y)), y.Size)
}

// writeSymbols fills .dynsym, .dynstr, .gnu.hash and .hash.
func (l *linker) writeSymbols() {
	d := l.dynamic()
	table, locals := make([]byte, symbolSize), 1
	index := map[int]int{}
	for n, i := range d.order {
		y := &l.u.Symbols[i]
		bind := y.Bind
		if !y.exported() {
			bind = BindLocal
			locals++
		}
		table = append(table, l.symbolBytes(y, d.name[i], bind)...)
		index[i] = n + 1
	}
	l.parts[l.at.dynsym].Data, l.parts[l.at.dynsym].info = table, locals
	l.parts[l.at.dynstr].Data = d.names
	l.parts[l.at.gnu].Data = d.gnuTable(l.u)
	l.parts[l.at.hash].Data = d.table(l.u)
	if l.at.rela == 0 {
		return
	}
	slices.SortStableFunc(l.rela, func(a, b rela64) int { // those without a symbol first
		x, y := index[a.symbol], index[b.symbol]
		if a.kind == relative64 {
			x = 0
		}
		if b.kind == relative64 {
			y = 0
		}
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.addr, b.addr))
	})
	out := l.parts[l.at.rela].Data[:0]
	for _, r := range l.rela {
		info := uint64(r.kind)
		if r.kind != relative64 {
			info |= uint64(index[r.symbol]) << 32
		}
		for _, v := range []uint64{r.addr, info, uint64(r.addend)} {
			out = binary.LittleEndian.AppendUint64(out, v)
		}
	}
}

// writeDynamic fills the dynamic section.
func (l *linker) writeDynamic() {
	const gnu, relaCount = 0x6ffffef5, 0x6ffffff9
	const hash, strtab, symtab, rela, relaBytes, relaEntry, strBytes, symEntry = 4, 5, 6, 7, 8, 9, 10, 11
	at := func(i int) *part { return &l.parts[i] }
	var tags [][2]uint64
	if l.at.rela != 0 {
		tags = append(tags, [][2]uint64{{rela, at(l.at.rela).Addr}, {relaBytes, at(l.at.rela).size()}, {relaEntry, relaSize}}...)
		if n := l.relative(); n > 0 {
			tags = append(tags, [2]uint64{relaCount, n})
		}
	}
	tags = append(tags, [][2]uint64{
		{symtab, at(l.at.dynsym).Addr}, {symEntry, symbolSize},
		{strtab, at(l.at.dynstr).Addr}, {strBytes, at(l.at.dynstr).size()},
		{gnu, at(l.at.gnu).Addr}, {hash, at(l.at.hash).Addr},
	}...)
	out := at(l.at.dynamic).Data[:0]
	for _, t := range append(tags, [2]uint64{}) {
		out = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(out, t[0]), t[1])
	}
}

// allSymbols returns the entries of .symtab, their names, and how many of them are local: these come first. Names are
// in the order of the input, locals first, that of the dynamic section last.
func (l *linker) allSymbols() (table, names []byte, locals int) {
	table, names, locals = make([]byte, symbolSize), []byte{0}, 1
	var seen []byte
	for _, local := range []bool{true, false} {
		for i := range l.u.Symbols {
			y := &l.u.Symbols[i]
			if (y.Bind == BindLocal) != local || y.Name == "" || y.Section == Undefined && y.Bind == BindWeak || y.Section >= 0 && l.of[y.Section] < 0 {
				continue
			}
			if y.exported() {
				seen = append(seen, l.symbolBytes(y, len(names), y.Bind)...)
			} else {
				table = append(table, l.symbolBytes(y, len(names), BindLocal)...)
				locals++
			}
			names = append(append(names, y.Name...), 0)
		}
	}
	table = append(append(table, l.dynamicSymbol(len(names))...), seen...)
	return table, append(names, "_DYNAMIC\x00"...), locals + 1
}

// symtab appends the tables that are not loaded: all symbols, their names, and section names.
func (l *linker) symtab() {
	end := uint64(0)
	for i := range l.parts {
		if p := &l.parts[i]; !p.Zero {
			end = max(end, p.off+uint64(len(p.Data)))
		}
	}
	table, names, locals := l.allSymbols()
	add := func(name string, kind uint32, data []byte, align uint64) *part {
		end = (end + align - 1) &^ (align - 1)
		l.parts = append(l.parts, part{UnlinkedSection: UnlinkedSection{Name: name, Align: align, Data: data}, kind: kind, group: looseGroup, off: end})
		end += uint64(len(data))
		return &l.parts[len(l.parts)-1]
	}
	sym := add(".symtab", sectSymtab, table, 8)
	sym.entry, sym.info = symbolSize, locals
	sym.link = len(l.parts) + 1
	add(".shstrtab", sectStrtab, nil, 1)
	l.parts = append(l.parts, part{UnlinkedSection: UnlinkedSection{Name: ".strtab"}})
	heads := l.sectionNames()
	l.parts = l.parts[:len(l.parts)-1]
	l.parts[len(l.parts)-1].Data = heads
	end += uint64(len(heads))
	add(".strtab", sectStrtab, names, 1)
}
