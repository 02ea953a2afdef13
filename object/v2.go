package object

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
)

// Code objects of versions 1 and 2, as compilers before LLVM 10 made them: a kernel is a symbol of its own type, which
// points to 256 bytes of amd_kernel_code_t before the code. Source: docs/reference/gcn.md 9.1.

// KernelCode is the type of the symbols of kernels in code objects of versions 1 and 2. Their value is the address of
// amd_kernel_code_t.
const KernelCode SymbolKind = 10

const (
	noteAMD         = "AMD\x00"
	noteVersion     = 1 // of the code object: major, minor
	noteISA         = 3 // lengths of two names, major, minor, stepping
	noteYAML        = 10
	kernelCodeSize  = 256
	codeOrderedBit  = 16 // of code_properties: enable_ordered_append_gds
	codeDynamicBit  = 20 // of code_properties: is_dynamic_callstack
	codeCountsShift = 7  // of code_properties: the number of workgroups in x, y and z, in an SGPR each
)

// KernelCodeSize is the size of amd_kernel_code_t, which is at a kernel's DescriptorAddr in versions 1 and 2.
const KernelCodeSize = kernelCodeSize

// readOld reads what differs from later versions: version and target in the notes, kernels, metadata.
func (o *CodeObject) readOld(f *elfFile) error {
	if err := o.readImage(f); err != nil {
		return err
	}
	o.Sections = f.imageSections(o)
	o.readDebug(f)
	if err := o.readRelocs(f); err != nil {
		return err
	}
	var err error
	if o.Symbols, err = f.symbols(); err != nil {
		return err
	}
	if err := o.oldVersion(f); err != nil {
		return err
	}
	meta, err := o.oldMetadata(f)
	if err != nil {
		return err
	}
	if err := o.oldKernels(meta); err != nil {
		return err
	}
	o.argsFromSource()
	return o.oldTarget(f)
}

// oldVersion reads the version in the note; it is 1 without one.
func (o *CodeObject) oldVersion(f *elfFile) error {
	b, at, err := f.note(noteAMD, noteVersion)
	if err != nil {
		return err
	}
	if o.Version = 1; b == nil {
		return nil
	}
	if len(b) < 8 {
		return failAt("truncated", at, "version note of %s, want 8", spell.Count(len(b), "byte"))
	}
	if v := binary.LittleEndian.Uint32(b); v == 1 || v == 2 {
		o.Version = int(v)
		return nil
	}
	return failAt("unsupported", at, "code object of version %d with ABI version 0", binary.LittleEndian.Uint32(b))
}

// oldTarget sets the target from the ISA note, or from the first kernel, or from e_flags.
func (o *CodeObject) oldTarget(f *elfFile) error {
	le := binary.LittleEndian
	b, at, err := f.note(noteAMD, noteISA)
	if err != nil {
		return err
	}
	name := machNames[byte(o.Flags)]
	switch {
	case len(b) >= 16:
		name = fmt.Sprintf("gfx%d%d%x", le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:]))
	case b != nil:
		return failAt("truncated", at, "ISA note of %s, want 16", spell.Count(len(b), "byte"))
	case len(o.Kernels) > 0:
		if c, ok := o.Bytes(o.Kernels[0].DescriptorAddr, kernelCodeSize); ok && le.Uint16(c[10:]) != 0 {
			name = fmt.Sprintf("gfx%d%d%x", le.Uint16(c[10:]), le.Uint16(c[12:]), le.Uint16(c[14:]))
		}
	}
	if _, ok := flagsOf(name); !ok {
		return failAt("unsupported", 48, "unsupported target: %q of notes, kernels and e_flags %#x", name, o.Flags)
	}
	o.Target = name
	return nil
}

// oldKernels reads the kernels, and joins them with their metadata by name.
func (o *CodeObject) oldKernels(meta []KernelMetadata) error {
	of := map[string]*KernelMetadata{}
	for i := range meta {
		if name := strings.TrimSuffix(meta[i].Symbol, "@kd"); of[name] == nil {
			of[name] = &meta[i]
		}
	}
	seen := map[string]bool{}
	for i := range o.Symbols {
		y := &o.Symbols[i]
		if y.Kind != KernelCode || !y.Defined || seen[y.Name] {
			continue
		}
		seen[y.Name] = true
		if len(o.Kernels) == maxKernels {
			return failAt("limit", y.at, "more than %d kernels", maxKernels)
		}
		if err := o.oldKernel(y, of[y.Name]); err != nil {
			return err
		}
	}
	for i := range meta {
		if name := strings.TrimSuffix(meta[i].Symbol, "@kd"); !seen[name] {
			return failAt("metadata", meta[i].off, "kernel %q: there is no symbol %q of a kernel", meta[i].Name, name)
		}
	}
	return nil
}

// oldKernel reads amd_kernel_code_t.
func (o *CodeObject) oldKernel(y *Symbol, m *KernelMetadata) error {
	b, ok := o.Bytes(y.Addr, kernelCodeSize)
	if !ok {
		return failAt("address", y.at, "kernel %q: %d bytes of amd_kernel_code_t at %#x are not in a segment", y.Name, kernelCodeSize, y.Addr)
	}
	le := binary.LittleEndian
	props := le.Uint32(b[56:])
	d := Descriptor{
		GroupSize: le.Uint32(b[64:]), PrivateSize: le.Uint32(b[60:]), KernargSize: uint32(min(le.Uint64(b[72:]), 1<<32-1)),
		EntryOffset: int64(le.Uint64(b[16:])), Rsrc1: le.Uint32(b[48:]), Rsrc2: le.Uint32(b[52:]),
		Properties: uint16(props & 0x7f), GroupCounts: uint8(props >> codeCountsShift & 7),
		Ordered: props>>codeOrderedBit&1 != 0,
	}
	if props>>codeDynamicBit&1 != 0 {
		d.Properties |= 1 << 11
	}
	d.Raw = d.bytes()
	k := Kernel{Name: y.Name, Descriptor: d, DescriptorAddr: y.Addr, Entry: y.Addr + uint64(d.EntryOffset), Meta: m}
	if s := o.segment(k.Entry); s == nil || !s.Exec || k.Entry%4 != 0 {
		return failAt("address", y.at, "kernel %q at %#x: entry %#x is not an instruction in an executable segment", y.Name, y.Addr, k.Entry)
	}
	if end := y.Addr + y.Size; y.Size != 0 && end > k.Entry {
		k.CodeSize = end - k.Entry
	}
	o.Kernels = append(o.Kernels, k)
	return nil
}

// oldMetadata reads the YAML note, if the file has one, and returns its kernels.
func (o *CodeObject) oldMetadata(f *elfFile) ([]KernelMetadata, error) {
	b, at, err := f.note(noteAMD, noteYAML)
	if err != nil || b == nil {
		return nil, err
	}
	doc, err := readYAML(strings.TrimRight(string(b), "\x00"))
	if err != nil {
		e := err.(*Error)
		return nil, failAt("metadata", at, "line %d of the metadata: %s", e.Line, e.Msg)
	}
	r := oldReader{at: at}
	o.Metadata.Present = true
	var kernels []KernelMetadata
	err = r.fields(&doc, map[string]func(*node) error{
		"Version": func(n *node) error { return r.nums(n, o.Metadata.Version[:]) },
		"Printf": func(n *node) error {
			return r.list(n, func(n *node) error {
				o.Metadata.Printf = append(o.Metadata.Printf, n.text)
				return nil
			})
		},
		"Kernels": func(n *node) error {
			return r.list(n, func(n *node) error {
				k, err := r.kernel(n)
				kernels = append(kernels, k)
				return err
			})
		},
	})
	if len(kernels) > maxKernels {
		err = failAt("limit", at, "%d kernels in metadata, at most %d are read", len(kernels), maxKernels)
	}
	return kernels, err
}
