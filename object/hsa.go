package object

import (
	"errors"
	"strings"

	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/srcinfo"
)

// maxKernels limits the kernels of one file; the largest libraries have some thousands.
const maxKernels = 1 << 14

// A CodeObject is a linked program for an AMD GPU. Its addresses are those of the file; Load relocates them.
type CodeObject struct {
	Version  int    // of the code object format, 1 to 6
	Mesa     bool   // for amdgcn-mesa-mesa3d, whose kernels have a header as in version 2 and no metadata
	Flags    uint32 // e_flags
	Target   string // LLVM's processor name, gfx803; see Variant
	Image    []byte // all segments at their addresses, gaps and bss zero
	Base     uint64 // address of Image[0]
	Segments []ImageSegment
	Relocs   []Reloc // applied by Load
	Symbols  []Symbol
	Sections []ImageSection // those of code and data, by address; none if the file does not have them
	Kernels  []Kernel
	Metadata Metadata
	Note     []byte // the contents of the metadata note, from version 3 on; nil if there is none

	debug  *debugInfo    // nil: the file has no line tables
	text   loc.Lookup    // lines of the assembly text; nil: the code was not assembled by heddle
	source *srcinfo.Info // nil: no functions and variables are known
}

// An ImageSegment is a part of the image and the guest's access rights to it.
type ImageSegment struct {
	Addr, Size        uint64
	Read, Write, Exec bool
}

// An ImageSection is a section of the image, named by a compiler or linker.
type ImageSection struct {
	Name        string
	Addr, Size  uint64
	Align       uint64
	Write, Exec bool
	Zero        bool // not in the file
}

// SymbolKind is the type of a symbol.
type SymbolKind uint8

const (
	NoType SymbolKind = iota
	Object
	Func
	Section
	FileName
)

// SymbolBind is the binding of a symbol.
type SymbolBind uint8

const (
	BindLocal SymbolBind = iota
	BindGlobal
	BindWeak
)

// A Symbol is a name for an address.
type Symbol struct {
	Name    string
	Addr    uint64
	Size    uint64 // bytes, 0 if unknown
	Kind    SymbolKind
	Bind    SymbolBind
	Vis     Visibility
	Defined bool // in this file

	at uint64 // offset of its entry in the file
}

// A Kernel is an entry point that a dispatch packet can name.
type Kernel struct {
	Name           string // without .kd
	Descriptor     Descriptor
	DescriptorAddr uint64
	Entry          uint64          // address of the first instruction
	CodeSize       uint64          // bytes of the function at Entry, 0 if there is no symbol with the size
	Meta           *KernelMetadata // nil if the file has none for it
}

// IsHSA reports whether data starts like a code object; ReadHSA may still reject it.
func IsHSA(data []byte) bool {
	return len(data) >= 20 && string(data[:6]) == "\x7fELF\x02\x01" && (data[7] == osabiHSA || data[7] == osabiMesa) &&
		data[18] == machineAMDGPU && data[19] == 0
}

// ReadHSA reads a code object of version 1 to 6 for any AMD target that LLVM names. A relocatable file, as a compiler
// writes it, is linked first. It copies what it keeps. Images above 64 MiB are rejected.
func ReadHSA(data []byte) (*CodeObject, error) {
	f, err := readELF(data)
	if err != nil {
		return nil, err
	}
	if !f.linked {
		return readLinked(f)
	}
	o := &CodeObject{Flags: f.flags, Mesa: f.mesa}
	if f.abiVersion == 0 {
		if err := o.readOld(f); err != nil {
			return nil, err
		}
		return o, nil
	}
	if o.Version, err = versionOf(f.abiVersion); err != nil {
		return nil, err
	}
	if o.Target, err = targetOf(f.flags); err != nil {
		return nil, err
	}
	if err := o.readImage(f); err != nil {
		return nil, err
	}
	o.Sections = f.imageSections(o)
	o.readDebug(f)
	if err := o.readRelocs(f); err != nil {
		return nil, err
	}
	if o.Symbols, err = f.symbols(); err != nil {
		return nil, err
	}
	kernels, err := o.readMetadata(f)
	if err != nil {
		return nil, err
	}
	if err := o.readKernels(kernels); err != nil {
		return nil, err
	}
	o.argsFromSource()
	return o, nil
}

// ReadHSAFile is ReadHSA with the file's name in errors.
func ReadHSAFile(data []byte, file string) (*CodeObject, error) {
	o, err := ReadHSA(data)
	var e *Error
	if errors.As(err, &e) {
		e.File = file
	}
	return o, err
}

// readImage lays out the load segments at the file's addresses.
func (o *CodeObject) readImage(f *elfFile) error {
	lo, hi := ^uint64(0), uint64(0)
	for i, p := range f.progs {
		if p.kind != progLoad || p.size == 0 {
			continue
		}
		switch {
		case p.fileSize > p.size:
			return failAt("header", p.pos, "segment %d: %#x bytes in the file, %#x in memory", i, p.fileSize, p.size)
		case addressOverflows(p.addr, p.size):
			return failAt("address", p.pos, "segment %d: %#x bytes at %#x wrap around", i, p.size, p.addr)
		}
		for _, s := range o.Segments {
			if p.addr < s.Addr+s.Size && s.Addr < p.addr+p.size {
				return failAt("address", p.pos, "segment %d: %#x-%#x overlaps %#x-%#x", i, p.addr, p.addr+p.size, s.Addr, s.Addr+s.Size)
			}
		}
		lo, hi = min(lo, p.addr), max(hi, p.addr+p.size)
		if hi-lo > maxImage {
			return failAt("limit", p.pos, "segment %d: image grows to %#x bytes, at most %#x are loaded", i, hi-lo, maxImage)
		}
		o.Segments = append(o.Segments, ImageSegment{p.addr, p.size, p.flags&4 != 0, p.flags&2 != 0, p.flags&1 != 0})
	}
	if len(o.Segments) == 0 {
		return failAt("header", 32, "no load segment among %d program headers", len(f.progs))
	}
	o.Base, o.Image = lo, make([]byte, hi-lo)
	for _, p := range f.progs {
		if p.kind != progLoad || p.size == 0 {
			continue
		}
		b, err := f.slice(p.off, p.fileSize, p.pos, "load segment")
		if err != nil {
			return err
		}
		copy(o.Image[p.addr-lo:], b)
	}
	return nil
}

// mapped reports whether size bytes at addr are in one segment.
func (o *CodeObject) mapped(addr, size uint64) bool {
	s := o.segment(addr)
	return s != nil && size <= s.Size-(addr-s.Addr)
}

func (o *CodeObject) segment(addr uint64) *ImageSegment {
	for i := range o.Segments {
		if s := &o.Segments[i]; addr-s.Addr < s.Size {
			return s
		}
	}
	return nil
}

// Bytes returns size bytes of the image at an address of the file; false if they are not in one segment. Relocations
// are not applied.
func (o *CodeObject) Bytes(addr, size uint64) ([]byte, bool) {
	if !o.mapped(addr, size) {
		return nil, false
	}
	off := addr - o.Base
	return o.Image[off : off+size : off+size], true
}

// Variant returns the gcn variant of the target, "" if it is of another generation.
func (o *CodeObject) Variant() string { return Variant(o.Target) }

// Kernel returns a kernel by name.
func (o *CodeObject) Kernel(name string) (*Kernel, bool) {
	for i := range o.Kernels {
		if o.Kernels[i].Name == name {
			return &o.Kernels[i], true
		}
	}
	return nil, false
}

// Code returns the machine code of a kernel's function; if no symbol gives its size, that of its segment from the entry
// on.
func (o *CodeObject) Code(k *Kernel) []byte {
	s := o.segment(k.Entry)
	if s == nil {
		return nil
	}
	size := s.Size - (k.Entry - s.Addr)
	if k.CodeSize != 0 {
		size = min(size, k.CodeSize)
	}
	b, _ := o.Bytes(k.Entry, size)
	return b
}

// readKernels finds the descriptors, those with metadata first, and joins the two.
func (o *CodeObject) readKernels(meta []KernelMetadata) error {
	found := map[string]int{} // descriptor symbol to index in Symbols
	for i, y := range o.Symbols {
		if y.Defined && y.Kind == Object && len(y.Name) > 3 && strings.HasSuffix(y.Name, ".kd") {
			if _, ok := found[y.Name]; !ok {
				found[y.Name] = i
			}
		}
	}
	if len(found) > maxKernels {
		return failAt("limit", 40, "%d kernels, at most %d are read", len(found), maxKernels)
	}
	for i := range meta {
		m := &meta[i]
		at, ok := found[m.Symbol]
		if !ok {
			return failAt("metadata", m.off, "kernel %q: no descriptor symbol %q, or a second kernel with it", m.Name, m.Symbol)
		}
		delete(found, m.Symbol)
		if err := o.addKernel(&o.Symbols[at], m); err != nil {
			return err
		}
	}
	for i := range o.Symbols {
		if at, ok := found[o.Symbols[i].Name]; ok && at == i {
			if err := o.addKernel(&o.Symbols[i], nil); err != nil {
				return err
			}
		}
	}
	o.sizeKernels()
	return nil
}

func (o *CodeObject) addKernel(y *Symbol, m *KernelMetadata) error {
	b, ok := o.Bytes(y.Addr, DescriptorSize)
	if !ok {
		return failAt("address", y.at, "kernel descriptor %q: %d bytes at %#x are not in a segment", y.Name, DescriptorSize, y.Addr)
	}
	k := Kernel{Name: strings.TrimSuffix(y.Name, ".kd"), Descriptor: decodeDescriptor(b), DescriptorAddr: y.Addr, Meta: m}
	k.Entry = y.Addr + uint64(k.Descriptor.EntryOffset)
	if s := o.segment(k.Entry); s == nil || !s.Exec || k.Entry%4 != 0 {
		return failAt("address", y.at, "kernel descriptor %q at %#x: entry %#x is not an instruction in an executable segment", y.Name, y.Addr, k.Entry)
	}
	o.Kernels = append(o.Kernels, k)
	return nil
}

// sizeKernels sets code sizes from the function symbols at the entries.
func (o *CodeObject) sizeKernels() {
	at := map[uint64]uint64{}
	for _, k := range o.Kernels {
		at[k.Entry] = 0
	}
	for _, y := range o.Symbols {
		if size, ok := at[y.Addr]; ok && y.Defined && y.Kind == Func {
			at[y.Addr] = max(size, y.Size)
		}
	}
	for i := range o.Kernels {
		o.Kernels[i].CodeSize = at[o.Kernels[i].Entry]
	}
}
