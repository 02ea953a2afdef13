package object

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
)

const sectCommon, sectLDS, sectAbs = 0xfff2, 0xff00, 0xfff1 // reserved section indices

// readLinked links a relocatable file and reads the result.
func readLinked(f *elfFile) (*CodeObject, error) {
	u, err := f.unlinked()
	if err != nil {
		return nil, err
	}
	data, err := u.Link()
	if err != nil && Variant(u.Target) == "" {
		return nil, failAt("unsupported", 48, "relocatable code of %s, which is not linked; that of gfx6, gfx7 and gfx8 is", u.Target)
	}
	if err != nil {
		return nil, err
	}
	o, err := ReadHSA(data)
	var e *Error
	if errors.As(err, &e) { // positions in the linked file mean nothing to a caller who has the input
		return nil, &Error{Code: e.Code, Msg: "linked: " + e.Msg}
	}
	return o, err
}

// ReadUnlinked reads a relocatable file.
func ReadUnlinked(data []byte) (*Unlinked, error) {
	f, err := readELF(data)
	if err != nil {
		return nil, err
	}
	if f.linked {
		return nil, failAt("header", 16, "ELF type is 3 (shared object), want 1 (relocatable)")
	}
	return f.unlinked()
}

func (f *elfFile) unlinked() (u *Unlinked, err error) {
	u = &Unlinked{Flags: f.flags, Mesa: f.mesa}
	if u.Version, err = versionOf(f.abiVersion); err != nil {
		return nil, err
	}
	if u.Target, err = targetOf(f.flags); err != nil {
		return nil, err
	}
	if len(f.sects) > maxSections {
		return nil, failAt("limit", 60, "%d sections, at most %d are linked", len(f.sects), maxSections)
	}
	of, err := f.unlinkedSections(u)
	if err != nil {
		return nil, err
	}
	symtab := -1
	for i, s := range f.sects {
		if s.kind == sectSymtab && symtab < 0 {
			symtab = i
			if err := f.unlinkedSymbols(u, i, of); err != nil {
				return nil, err
			}
		}
	}
	for i, s := range f.sects {
		switch {
		case s.kind == sectRel:
			return nil, failAt("relocation", s.at, "section %d has relocations without addends, which AMDGPU does not use", i)
		case s.kind != sectRela || uint64(s.info) >= uint64(len(of)) || of[s.info] < 0:
		case int(s.link) != symtab:
			return nil, failAt("relocation", s.at, "relocations of section %d name symbols of section %d, which is not the symbol table", i, s.link)
		default:
			if err := f.unlinkedRelocs(u, i, of[s.info]); err != nil {
				return nil, err
			}
		}
	}
	return u, nil
}

// unlinkedSections reads the sections of a program, and returns their new indices by old index: -1 if left out.
func (f *elfFile) unlinkedSections(u *Unlinked) (of []int, err error) {
	var names []byte
	if f.nameSect < len(f.sects) && f.nameSect > 0 {
		if names, err = f.contents(f.nameSect, "section names"); err != nil {
			return nil, err
		}
	}
	total := uint64(0)
	for i := range f.sects {
		s := &f.sects[i]
		of = append(of, -1)
		if s.kind != 1 && s.kind != sectNote && s.kind != sectNoBits {
			continue
		}
		t := UnlinkedSection{
			Alloc: s.flags&sectAlloc != 0, Write: s.flags&1 != 0, Exec: s.flags&4 != 0,
			Note: s.kind == sectNote, Zero: s.kind == sectNoBits, Align: s.align, Size: s.size,
			Merge: s.flags&sectMerge != 0, Strings: s.flags&sectStrings != 0, Exclude: s.flags&sectExclude != 0, Retain: s.flags&sectRetain != 0, Entry: s.entry,
		}
		t.Name = sectionName(names, s)
		if total += s.size; s.size > maxImage || total > maxImage {
			return nil, failAt("limit", s.at, "section %d: all sections together grow to %#x bytes, at most %#x are linked", i, total, maxImage)
		}
		if !t.Zero {
			if t.Data, err = f.contents(i, "section"); err != nil {
				return nil, err
			}
			if s.flags&sectPacked != 0 {
				t.Align = packedAlign(f.data[s.off:])
				if total += uint64(len(t.Data)); total > maxImage {
					return nil, failAt("limit", s.at, "section %d: all sections together grow to %#x bytes, at most %#x are linked", i, total, maxImage)
				}
			}
		}
		of[i] = len(u.Sections)
		u.Sections = append(u.Sections, t)
	}
	return of, nil
}

// sectionName returns the name of a section, "" if it cannot be read.
func sectionName(names []byte, s *sectHeader) string {
	if uint64(s.name) >= uint64(len(names)) {
		return ""
	}
	rest := string(names[s.name:min(uint64(len(names)), uint64(s.name)+1024)])
	return rest[:max(indexNUL(rest), 0)]
}

// imageSections returns the sections of code and data of a linked file that are in its image, by address.
func (f *elfFile) imageSections(o *CodeObject) (list []ImageSection) {
	var names []byte
	if f.nameSect > 0 && f.nameSect < len(f.sects) {
		names, _ = f.contents(f.nameSect, "section names") // nothing depends on them
	}
	for i := range f.sects {
		s := &f.sects[i]
		if s.kind != 1 && s.kind != sectNoBits || s.flags&sectAlloc == 0 || s.size == 0 || len(list) == maxSections || !o.mapped(s.addr, s.size) {
			continue
		}
		list = append(list, ImageSection{sectionName(names, s), s.addr, s.size, max(s.align, 1), s.flags&1 != 0, s.flags&4 != 0, s.kind == sectNoBits})
	}
	slices.SortStableFunc(list, func(a, b ImageSection) int { return cmp.Compare(a.Addr, b.Addr) })
	for i := 1; i < len(list); i++ {
		if list[i].Addr < list[i-1].Addr+list[i-1].Size {
			return nil // they overlap, so none can be trusted
		}
	}
	return list
}

// unlinkedSymbols reads the symbol table in section i, including the null symbol, so that indices stay the same.
func (f *elfFile) unlinkedSymbols(u *Unlinked, i int, of []int) error {
	t, err := f.symbolTable(i)
	if err != nil {
		return err
	}
	if t.len() > maxSymbols {
		return failAt("limit", f.sects[i].at, "%d symbols, at most %d are read", t.len(), maxSymbols)
	}
	common := UnlinkedSection{Name: ".bss", Alloc: true, Write: true, Zero: true, Align: 1}
	for n := range t.len() {
		y, err := t.symbol(n)
		if err != nil {
			return err
		}
		e := t.entries[n*symbolSize:]
		z := UnlinkedSymbol{Name: y.Name, Section: Undefined, Value: y.Addr, Size: y.Size, Kind: y.Kind, Bind: y.Bind, Vis: Visibility(e[5] & 3)}
		switch at := int(binary.LittleEndian.Uint16(e[6:])); {
		case at == 0:
		case at == sectAbs:
			z.Section = Absolute
		case at == sectCommon: // the value is the alignment
			align := max(z.Value, 1)
			if align&(align-1) != 0 || align > maxAlign || z.Size > maxImage || common.Size > maxImage {
				return failAt("symbol", y.at, "symbol %q: %#x bytes aligned to %#x", y.Name, z.Size, align)
			}
			z.Section, z.Value = len(u.Sections), (common.Size+align-1)&^(align-1)
			common.Size, common.Align = z.Value+z.Size, max(common.Align, align)
		case at == sectLDS:
			return failAt("unsupported", y.at, "symbol %q is a variable of LDS that a linker of graphics pipelines places", y.Name)
		case at >= len(of):
			return failAt("symbol", y.at, "symbol %q is in section %d of %d", y.Name, at, len(of))
		case of[at] >= 0:
			z.Section = of[at]
		case z.Kind != Section && z.Name != "":
			return failAt("symbol", y.at, "symbol %q is in section %d, which holds no part of a program", y.Name, at)
		}
		u.Symbols = append(u.Symbols, z)
	}
	if common.Size > 0 {
		u.Sections = append(u.Sections, common)
	}
	return nil
}

// unlinkedRelocs reads the relocations in section i, which apply to section to.
func (f *elfFile) unlinkedRelocs(u *Unlinked, i, to int) error {
	b, err := f.contents(i, "relocation table")
	if err != nil {
		return err
	}
	s := &f.sects[i]
	if n := len(b)/relaSize + len(u.Relocs); n > maxRelocs {
		return failAt("limit", s.at, "%d relocations, at most %d are read", n, maxRelocs)
	}
	le := binary.LittleEndian
	for at := s.off; len(b) >= relaSize; b, at = b[relaSize:], at+relaSize {
		info := le.Uint64(b[8:])
		r := UnlinkedReloc{Section: to, Off: le.Uint64(b), Type: RelocType(uint32(info)), Symbol: int(info >> 32), Addend: int64(le.Uint64(b[16:])), at: at}
		if r.Type == 0 {
			continue
		}
		if err := u.checkReloc(&r); err != nil {
			return err
		}
		u.Relocs = append(u.Relocs, r)
	}
	return nil
}
