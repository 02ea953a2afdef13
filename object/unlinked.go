package object

// An Unlinked is a program before linking, as an assembler makes it or a relocatable file holds it: sections without
// addresses, and fields in them whose values depend on the addresses of sections. Link makes a code object of it.
type Unlinked struct {
	Target   string // LLVM's processor name, gfx803
	Flags    uint32 // e_flags; 0: those of Target
	Version  int    // of the code object format, 2 to 6
	Mesa     bool   // for amdgcn-mesa-mesa3d
	Sections []UnlinkedSection
	Symbols  []UnlinkedSymbol
	Relocs   []UnlinkedReloc
}

// An UnlinkedSection is a contiguous range of bytes.
type UnlinkedSection struct {
	Name               string
	Alloc, Write, Exec bool
	Note, Zero         bool   // SHT_NOTE; SHT_NOBITS: Size bytes of zeros, and no Data
	Merge, Strings     bool   // SHF_MERGE, SHF_STRINGS: Link keeps the flags, but does not merge
	Exclude            bool   // SHF_EXCLUDE: Link leaves the section out
	Retain             bool   // SHF_GNU_RETAIN
	Entry              uint64 // bytes of an entry, if Merge
	Align              uint64 // a power of two; 0 counts as 1
	Data               []byte
	Size               uint64 // of one that is Zero
	Addr               uint64 // in the output file, if Fixed
	Fixed              bool
}

// size returns the size of the section in memory.
func (s *UnlinkedSection) size() uint64 {
	if s.Zero {
		return s.Size
	}
	return uint64(len(s.Data))
}

// Section indices of symbols that are in no section.
const (
	Undefined = -1
	Absolute  = -2
)

// Visibility is the ELF visibility of a global symbol.
type Visibility uint8

const (
	VisDefault Visibility = iota
	VisInternal
	VisHidden
	VisProtected
)

// An UnlinkedSymbol is a name for a place in a section.
type UnlinkedSymbol struct {
	Name    string
	Section int    // index in Unlinked.Sections, Undefined or Absolute
	Value   uint64 // from the start of the section
	Size    uint64
	Kind    SymbolKind
	Bind    SymbolBind
	Vis     Visibility
}

// exported reports whether other files can refer to the symbol.
func (y *UnlinkedSymbol) exported() bool {
	return y.Bind != BindLocal && (y.Vis == VisDefault || y.Vis == VisProtected)
}

// preemptible reports whether another file may define the symbol in place of this one, so that its address is known
// only when the file is loaded.
func (y *UnlinkedSymbol) preemptible() bool {
	return y.Bind != BindLocal && y.Vis == VisDefault && y.Section >= 0
}

// An UnlinkedReloc is a relocation of a field.
type UnlinkedReloc struct {
	Section int    // of the field
	Off     uint64 // of the field in it
	Type    RelocType
	Symbol  int // index in Unlinked.Symbols
	Addend  int64

	at uint64 // offset of its entry in the file that it was read from
}

// Limits of the linker.
const (
	maxSections = 1 << 12
	maxAlign    = 1 << 20
)

// check validates what Link relies on.
func (u *Unlinked) check() error {
	if len(u.Sections) > maxSections {
		return failAt("limit", 0, "%d sections, at most %d are linked", len(u.Sections), maxSections)
	}
	if u.Version < 2 || u.Version > 6 {
		return failAt("unsupported", 8, "code objects of version %d cannot be written; 2 to 6 can", u.Version)
	}
	total := uint64(0)
	for i := range u.Sections {
		s := &u.Sections[i]
		if s.Align = max(s.Align, 1); s.Align&(s.Align-1) != 0 || s.Align > maxAlign {
			return failAt("header", 0, "section %s: alignment of %#x is no power of two up to %#x", s.Name, s.Align, maxAlign)
		}
		if total = (total + s.Align - 1) &^ (s.Align - 1); total > maxImage || s.size() > maxImage-total {
			return failAt("limit", 0, "section %s: image grows beyond %#x bytes", s.Name, maxImage)
		}
		total += s.size()
	}
	for i := range u.Symbols {
		y := &u.Symbols[i]
		if y.Section >= len(u.Sections) || y.Section < Absolute {
			return failAt("symbol", 0, "symbol %q is in section %d of %d", y.Name, y.Section, len(u.Sections))
		}
		if y.Section >= 0 && y.Value > u.Sections[y.Section].size() {
			return failAt("symbol", 0, "symbol %q lies %#x bytes into section %s of %#x", y.Name, y.Value, u.Sections[y.Section].Name, u.Sections[y.Section].size())
		}
	}
	for i := range u.Relocs {
		if err := u.checkReloc(&u.Relocs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (u *Unlinked) checkReloc(r *UnlinkedReloc) error {
	if r.Section < 0 || r.Section >= len(u.Sections) || r.Symbol < 0 || r.Symbol >= len(u.Symbols) {
		return failAt("relocation", r.at, "%v: section %d of %d, symbol %d of %d", r.Type, r.Section, len(u.Sections), r.Symbol, len(u.Symbols))
	}
	rule, ok := r.Type.rule()
	s := &u.Sections[r.Section]
	switch n := uint64(len(s.Data)); {
	case !ok || rule.size == 0:
		return failAt("relocation", r.at, "%v in section %s cannot be applied", r.Type, s.Name)
	case r.Off > n || rule.size > n-r.Off:
		return failAt("relocation", r.at, "%v: %d bytes at %#x are not in section %s of %#x", r.Type, rule.size, r.Off, s.Name, n)
	}
	return nil
}
