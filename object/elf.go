package object

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/internal/spell"
)

// The parts of ELF that code objects use.
// Source: "Tool Interface Standard ELF Specification 1.2" and its 64-bit supplement.
const (
	elfHeaderSize  = 64
	progHeaderSize = 56
	sectHeaderSize = 64
	symbolSize     = 24
	relaSize       = 24

	machineAMDGPU = 224
	osabiHSA      = 64
	osabiMesa     = 66

	progLoad = 1
	progNote = 4

	sectSymtab = 2
	sectRela   = 4
	sectNoBits = 8
	sectRel    = 9
	sectDynsym = 11

	sectAlloc   = 2 // sh_flags: part of the loaded image
	sectMerge   = 0x10
	sectStrings = 0x20
	sectPacked  = 0x800 // SHF_COMPRESSED
	sectRetain  = 1 << 21
	sectExclude = 1 << 31
)

// Limits that bound the cost of a hostile header by that of a large real file.
const (
	maxProgs     = 1 << 7
	maxSymbols   = 1 << 20
	maxRelocs    = 1 << 20
	maxRelocSect = 16
	maxNotes     = 1 << 12
	maxNameBytes = 16 << 20 // of all names read together
	maxImage     = 64 << 20
)

type progHeader struct {
	kind, flags                    uint32
	off, addr, fileSize, size, pos uint64 // pos: of the header itself
}

type sectHeader struct {
	name, kind, link, info uint32
	flags, addr, off, size uint64
	align, entry, at       uint64 // at: offset of the header itself
}

// An elfFile is a file whose header and header tables are within its bounds. What they refer to is not validated; all
// access goes through slice.
type elfFile struct {
	data       []byte
	abiVersion byte
	mesa       bool // for amdgcn-mesa-mesa3d
	linked     bool // a shared object; otherwise a relocatable one, which has no program headers
	flags      uint32
	progs      []progHeader
	sects      []sectHeader
	nameSect   int // index of the section of section names
	nameBytes  int // read so far, against maxNameBytes

	std           *elf.File // the same file, for compressed sections; nil until there is one
	unpackedBytes uint64    // of these so far, against maxImage
}

func failAt(code string, off uint64, format string, args ...any) *Error {
	return &Error{Code: code, Off: off, Msg: fmt.Sprintf(format, args...)}
}

// slice returns size bytes at off. from is the offset of the header that refers to them.
func (f *elfFile) slice(off, size, from uint64, what string) ([]byte, error) {
	n := uint64(len(f.data))
	if off > n || size > n-off {
		return nil, failAt("truncated", from, "%s is %#x bytes at %#x, the file has %#x", what, size, off, n)
	}
	return f.data[off : off+size : off+size], nil
}

// readELF checks the identification and reads both header tables.
func readELF(data []byte) (*elfFile, error) {
	f := &elfFile{data: data}
	h, err := f.slice(0, elfHeaderSize, 0, "ELF header")
	if err != nil {
		return nil, err
	}
	if err := checkIdent(h); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	f.mesa = h[7] == osabiMesa
	f.abiVersion, f.flags, f.linked = h[8], le.Uint32(h[48:]), le.Uint16(h[16:]) == 3
	if f.linked {
		if err := f.readProgs(le.Uint64(h[32:]), le.Uint16(h[54:]), uint64(le.Uint16(h[56:]))); err != nil {
			return nil, err
		}
	}
	if err := f.readSects(le.Uint64(h[40:]), le.Uint16(h[58:]), uint64(le.Uint16(h[60:]))); err != nil {
		return nil, err
	}
	f.nameSect = int(le.Uint16(h[62:]))
	return f, nil
}

// checkIdent rejects files that are not 64-bit little-endian HSA objects. The error names what the file is, if that is
// known.
func checkIdent(h []byte) error {
	switch kind, machine := binary.LittleEndian.Uint16(h[16:]), binary.LittleEndian.Uint16(h[18:]); {
	case string(h[:4]) != "\x7fELF":
		return failAt("header", 0, "not an ELF file: starts with %x, want 7f454c46", h[:4])
	case machine != machineAMDGPU && h[5] == 1:
		_, name := ELFMachine(h)
		return failAt("unsupported", 18, "an ELF file of machine %d (%s); of ELF files, code objects of AMD GPUs (machine %d) and CUDA files of sm_10 to sm_13 (machine %d) are read", machine, name, machineAMDGPU, machineCUDA)
	case h[4] != 2:
		return failAt("header", 4, "ELF class is %d, want 2 (64 bits)", h[4])
	case h[5] != 1:
		return failAt("header", 5, "ELF byte order is %d, want 1 (little-endian)", h[5])
	case h[6] != 1:
		return failAt("header", 6, "ELF version is %d, want 1", h[6])
	case h[7] != osabiHSA && (h[7] != osabiMesa || h[8] != 0):
		return failAt("unsupported", 7, "OS ABI is %s, want %d (HSA), or %d (Mesa) with ABI version 0", osabiName(h[7]), osabiHSA, osabiMesa)
	case kind != 3 && kind != 1:
		return failAt("header", 16, "ELF type is %d, want 3 (shared object) or 1 (relocatable)", kind)
	}
	return nil
}

func osabiName(v byte) string {
	switch v {
	case 0:
		return "0 (none)"
	case 65:
		return "65 (PAL)"
	case 66:
		return "66 (Mesa)"
	}
	return fmt.Sprint(v)
}

func (f *elfFile) readProgs(off uint64, entry uint16, n uint64) error {
	switch {
	case n == 0:
		return failAt("header", 56, "no program headers: nothing to load")
	case entry != progHeaderSize:
		return failAt("header", 54, "program headers are %s each, want %d", spell.Count(entry, "byte"), progHeaderSize)
	case n > maxProgs:
		return failAt("limit", 56, "%d program headers, at most %d are read", n, maxProgs)
	}
	b, err := f.slice(off, n*progHeaderSize, 32, "program header table")
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	for i := uint64(0); i < n; i++ {
		p := b[i*progHeaderSize:]
		f.progs = append(f.progs, progHeader{
			kind: le.Uint32(p), flags: le.Uint32(p[4:]),
			off: le.Uint64(p[8:]), addr: le.Uint64(p[16:]), fileSize: le.Uint64(p[32:]), size: le.Uint64(p[40:]),
			pos: off + i*progHeaderSize,
		})
	}
	return nil
}

func (f *elfFile) readSects(off uint64, entry uint16, n uint64) error {
	switch {
	case n == 0:
		return failAt("unsupported", 60, "no section headers: symbols cannot be found")
	case entry != sectHeaderSize:
		return failAt("header", 58, "section headers are %s each, want %d", spell.Count(entry, "byte"), sectHeaderSize)
	}
	b, err := f.slice(off, n*sectHeaderSize, 40, "section header table")
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	for i := uint64(0); i < n; i++ {
		s := b[i*sectHeaderSize:]
		f.sects = append(f.sects, sectHeader{
			name: le.Uint32(s), kind: le.Uint32(s[4:]), flags: le.Uint64(s[8:]), addr: le.Uint64(s[16:]),
			off: le.Uint64(s[24:]), size: le.Uint64(s[32:]), link: le.Uint32(s[40:]), info: le.Uint32(s[44:]),
			align: le.Uint64(s[48:]), entry: le.Uint64(s[56:]), at: off + i*sectHeaderSize,
		})
	}
	return nil
}

// contents returns the bytes of a section.
func (f *elfFile) contents(i int, what string) ([]byte, error) {
	s := &f.sects[i]
	if s.kind == sectNoBits {
		return nil, failAt("header", s.at, "%s (section %d) has no bytes in the file", what, i)
	}
	data, err := f.slice(s.off, s.size, s.at, fmt.Sprintf("%s (section %d)", what, i))
	if err != nil || s.flags&sectPacked == 0 {
		return data, err
	}
	return f.unpacked(i, what, data)
}

// A table is a symbol table and the string table of its names.
type table struct {
	f       *elfFile
	off     uint64 // of the first entry in the file
	entries []byte
	names   string
}

// symbolTable opens the symbol table in section i.
func (f *elfFile) symbolTable(i int) (*table, error) {
	b, err := f.contents(i, "symbol table")
	if err != nil {
		return nil, err
	}
	s := &f.sects[i]
	if len(b)%symbolSize != 0 {
		return nil, failAt("header", s.at, "symbol table (section %d) has %#x bytes, no multiple of %d", i, len(b), symbolSize)
	}
	if uint64(s.link) >= uint64(len(f.sects)) {
		return nil, failAt("header", s.at, "symbol table (section %d) has its names in section %d of %d", i, s.link, len(f.sects))
	}
	names, err := f.contents(int(s.link), "symbol names")
	if err != nil {
		return nil, err
	}
	return &table{f, s.off, b, string(names)}, nil
}

func (t *table) len() int { return len(t.entries) / symbolSize }

// symbol decodes entry i, which must exist.
func (t *table) symbol(i int) (Symbol, error) {
	b, at := t.entries[i*symbolSize:], t.off+uint64(i)*symbolSize
	le := binary.LittleEndian
	y := Symbol{
		Kind: SymbolKind(b[4] & 15), Bind: SymbolBind(b[4] >> 4), Vis: Visibility(b[5] & 3),
		Defined: le.Uint16(b[6:]) != 0,
		Addr:    le.Uint64(b[8:]), Size: le.Uint64(b[16:]),
		at: at,
	}
	start := uint64(le.Uint32(b))
	if start > uint64(len(t.names)) {
		return y, failAt("symbol", at, "symbol %d: name at %#x of %#x bytes of names", i, start, len(t.names))
	}
	rest := t.names[start:]
	if room := maxNameBytes - t.f.nameBytes; len(rest) > room {
		rest = rest[:room]
	}
	n := indexNUL(rest)
	switch {
	case n < 0 && t.f.nameBytes+len(rest) >= maxNameBytes:
		return y, failAt("limit", at, "symbol %d: names of more than %#x bytes together", i, maxNameBytes)
	case n < 0 && start < uint64(len(t.names)):
		return y, failAt("symbol", at, "symbol %d: name at %#x has no end", i, start)
	}
	t.f.nameBytes += n + 1
	y.Name = rest[:max(n, 0)]
	return y, nil
}

func indexNUL(s string) int {
	for i := range len(s) {
		if s[i] == 0 {
			return i
		}
	}
	return -1
}

// symbols reads the full symbol table, or the dynamic one if the file has been stripped.
func (f *elfFile) symbols() ([]Symbol, error) {
	at := -1
	for i, s := range f.sects {
		if s.kind == sectSymtab || s.kind == sectDynsym && at < 0 {
			at = i
		}
		if s.kind == sectSymtab {
			break
		}
	}
	if at < 0 {
		return nil, failAt("symbol", 40, "no symbol table among %d sections", len(f.sects))
	}
	t, err := f.symbolTable(at)
	if err != nil {
		return nil, err
	}
	if t.len() > maxSymbols {
		return nil, failAt("limit", f.sects[at].at, "%d symbols, at most %d are read", t.len(), maxSymbols)
	}
	var all []Symbol
	for i := 1; i < t.len(); i++ { // entry 0 is the null symbol
		y, err := t.symbol(i)
		if err != nil {
			return nil, err
		}
		all = append(all, y)
	}
	return all, nil
}

// noteAMDGPU is the owner of the metadata note, with the NUL that ELF includes.
const noteAMDGPU = "AMDGPU\x00"

// note returns the first note of an owner and type in the note segments, or sections, and its offset in the file; nil
// if there is none.
func (f *elfFile) note(owner string, kind uint32) ([]byte, uint64, error) {
	left := maxNotes
	for _, p := range f.progs {
		if p.kind != progNote {
			continue
		}
		b, err := f.slice(p.off, p.fileSize, p.pos, "note segment")
		if err != nil {
			return nil, 0, err
		}
		if b, at, err := findNote(b, p.off, p.pos, owner, kind, &left); b != nil || err != nil {
			return b, at, err
		}
	}
	if f.abiVersion != 0 {
		return nil, 0, nil
	}
	for i, s := range f.sects { // early tools did not load notes
		if s.kind != sectNote {
			continue
		}
		b, err := f.contents(i, "notes")
		if err != nil {
			return nil, 0, err
		}
		if b, at, err := findNote(b, s.off, s.at, owner, kind, &left); b != nil || err != nil {
			return b, at, err
		}
	}
	return nil, 0, nil
}

// findNote searches the notes b, which begin at off of the file. pos is the offset of the header that refers to them.
func findNote(b []byte, off, pos uint64, owner string, kind uint32, left *int) ([]byte, uint64, error) {
	for at := uint64(0); uint64(len(b))-at >= 12; {
		if *left--; *left < 0 {
			return nil, 0, failAt("limit", pos, "more than %d notes", maxNotes)
		}
		h := b[at:]
		nameLen, descLen := uint64(binary.LittleEndian.Uint32(h)), uint64(binary.LittleEndian.Uint32(h[4:]))
		desc := at + 12 + up4(nameLen)
		if end := desc + descLen; end > uint64(len(b)) {
			return nil, 0, failAt("truncated", off+at, "note ends at %#x, its segment at %#x", off+end, off+uint64(len(b)))
		}
		if binary.LittleEndian.Uint32(h[8:]) == kind && bytes.Equal(h[12:12+nameLen], []byte(owner)) {
			return b[desc : desc+descLen], off + desc, nil
		}
		if at = desc + up4(descLen); at > uint64(len(b)) {
			break
		}
	}
	return nil, 0, nil
}

func up4(n uint64) uint64 { return (n + 3) &^ 3 }

// addressOverflows reports whether size bytes at addr exceed the 64-bit address space.
func addressOverflows(addr, size uint64) bool { return size > math.MaxUint64-addr }
