package object

import (
	"bytes"
	"strings"
	"sync"

	"github.com/tinylib/msgp/msgp"
)

// Limits of metadata: nesting, and entries that take much more memory than input.
const (
	metadataNote  = 32 // NT_AMDGPU_METADATA
	maxMetaDepth  = 32
	maxMetaArgs   = 1 << 17 // of all kernels together
	maxMetaPrintf = 1 << 16
)

// Metadata is the note NT_AMDGPU_METADATA without its kernels. Keys that are not listed here or in KernelMetadata and
// Arg are ignored.
type Metadata struct {
	Present bool
	Version [2]uint32 // amdhsa.version
	Target  string    // amdhsa.target: amdgcn-amd-amdhsa--gfx803; empty in version 3
	Printf  []string  // amdhsa.printf: formats of OpenCL printf calls
}

// KernelMetadata is one entry of amdhsa.kernels. Numbers that are missing in the file are 0.
type KernelMetadata struct {
	Name            string // in the source
	Symbol          string // of the descriptor
	Kind            string // normal (also if empty), init, fini
	Language        string
	LanguageVersion [2]uint32
	KernargSize     uint32 // bytes
	KernargAlign    uint32
	GroupSize       uint32    // bytes of LDS, fixed part
	PrivateSize     uint32    // bytes of scratch per lane
	MaxFlatGroup    uint32    // work-items in a group, at most
	ReqdGroup       [3]uint32 // reqd_workgroup_size; all 0 if free
	GroupHint       [3]uint32 // workgroup_size_hint; all 0 if none
	VecTypeHint     string
	SGPRs, VGPRs    uint32 // used, before rounding up to the allocation granularity
	AGPRs           uint32
	SGPRSpills      uint32
	VGPRSpills      uint32
	WaveSize        uint32 // lanes
	DynamicStack    bool
	UniformGroups   bool   // the grid must be a multiple of the group
	EnqueueSymbol   string // device_enqueue_symbol
	Args            []Arg

	off uint64 // of the entry in the file
}

// An Arg is one argument of a kernel, hidden ones included.
type Arg struct {
	Name         string
	TypeName     string // as in the source
	BaseType     string // without typedefs, from the debug information: uint, float4, uint*; "": unknown
	Offset, Size uint32 // bytes, in the kernarg segment
	ValueKind    string // by_value, global_buffer, dynamic_shared_pointer, image, hidden_block_count_x ...
	ValueType    string // version 3 of early compilers only
	AddressSpace string // global, constant, local, generic, private, region; empty if it is not a pointer
	PointeeAlign uint32 // of a dynamic_shared_pointer
	Access       string // read_only, write_only, read_write
	ActualAccess string
	Const        bool
	Restrict     bool
	Volatile     bool
	Pipe         bool
}

// Hidden reports whether the runtime passes the argument, without a parameter in the kernel's source.
func (a *Arg) Hidden() bool { return strings.HasPrefix(a.ValueKind, "hidden_") }

// metaReader walks MessagePack. Each read consumes input or fails.
type metaReader struct {
	b    []byte
	end  uint64 // offset in the file of the end of b
	args int    // read so far
}

func (m *metaReader) off() uint64 { return m.end - uint64(len(m.b)) }

func (m *metaReader) fail(what string, err error) error {
	return failAt("metadata", m.off(), "%s: %v", what, err)
}

func (m *metaReader) str(what string) (s string, err error) {
	if s, m.b, err = msgp.ReadStringBytes(m.b); err != nil {
		return "", m.fail(what, err)
	}
	return s, nil
}

func (m *metaReader) u32(what string) (v uint32, err error) {
	if v, m.b, err = msgp.ReadUint32Bytes(m.b); err != nil {
		return 0, m.fail(what, err)
	}
	return v, nil
}

func (m *metaReader) flag(what string) (v bool, err error) {
	if v, m.b, err = msgp.ReadBoolBytes(m.b); err != nil {
		return false, m.fail(what, err)
	}
	return v, nil
}

// array reads a header and calls each for every element.
func (m *metaReader) array(what string, each func() error) error {
	n, rest, err := msgp.ReadArrayHeaderBytes(m.b)
	if err != nil {
		return m.fail(what, err)
	}
	for m.b = rest; n > 0; n-- {
		if err := each(); err != nil {
			return err
		}
	}
	return nil
}

// fill reads an array of exactly len(v) numbers.
func (m *metaReader) fill(what string, v []uint32) error {
	at, n := m.off(), 0
	err := m.array(what, func() error {
		x, err := m.u32(what)
		if n < len(v) {
			v[n] = x
		}
		n++
		return err
	})
	if err == nil && n != len(v) {
		err = failAt("metadata", at, "%s: %d numbers, want %d", what, n, len(v))
	}
	return err
}

// object reads a map and calls each with every key; each reads the value, or returns
// false to have it skipped.
func (m *metaReader) object(what string, each func(key string) (bool, error)) error {
	n, rest, err := msgp.ReadMapHeaderBytes(m.b)
	if err != nil {
		return m.fail(what, err)
	}
	for m.b = rest; n > 0; n-- {
		key, err := m.str("key of " + what)
		if err != nil {
			return err
		}
		known, err := each(key)
		if err == nil && !known {
			err = m.skip(key, maxMetaDepth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// skip skips one value of any type.
func (m *metaReader) skip(what string, depth int) error {
	if depth == 0 {
		return failAt("metadata", m.off(), "%s: nested more than %d deep", what, maxMetaDepth)
	}
	switch msgp.NextType(m.b) {
	case msgp.MapType:
		n, rest, err := msgp.ReadMapHeaderBytes(m.b)
		if err != nil {
			return m.fail(what, err)
		}
		for m.b = rest; n > 0; n-- {
			for range 2 {
				if err := m.skip(what, depth-1); err != nil {
					return err
				}
			}
		}
		return nil
	case msgp.ArrayType:
		return m.array(what, func() error { return m.skip(what, depth-1) })
	}
	rest, err := msgp.Skip(m.b)
	if err != nil {
		return m.fail(what, err)
	}
	m.b = rest
	return nil
}

// metaField reads the value of one key into a T.
type metaField[T any] func(m *metaReader, t *T, key string) error

func metaStr[T any](at func(*T) *string) metaField[T] {
	return func(m *metaReader, t *T, key string) (err error) {
		*at(t), err = m.str(key)
		return err
	}
}

func metaNum[T any](at func(*T) *uint32) metaField[T] {
	return func(m *metaReader, t *T, key string) (err error) {
		*at(t), err = m.u32(key)
		return err
	}
}

func metaFlag[T any](at func(*T) *bool) metaField[T] {
	return func(m *metaReader, t *T, key string) (err error) {
		*at(t), err = m.flag(key)
		return err
	}
}

func metaNums[T any](at func(*T) []uint32) metaField[T] {
	return func(m *metaReader, t *T, key string) error { return m.fill(key, at(t)) }
}

// kernelKeys are the keys of a kernel. dispatch_ptr and the like duplicate the descriptor.
var kernelKeys = sync.OnceValue(func() map[string]metaField[KernelMetadata] {
	return map[string]metaField[KernelMetadata]{
		".name":                       metaStr(func(k *KernelMetadata) *string { return &k.Name }),
		".symbol":                     metaStr(func(k *KernelMetadata) *string { return &k.Symbol }),
		".kind":                       metaStr(func(k *KernelMetadata) *string { return &k.Kind }),
		".language":                   metaStr(func(k *KernelMetadata) *string { return &k.Language }),
		".language_version":           metaNums(func(k *KernelMetadata) []uint32 { return k.LanguageVersion[:] }),
		".kernarg_segment_size":       metaNum(func(k *KernelMetadata) *uint32 { return &k.KernargSize }),
		".kernarg_segment_align":      metaNum(func(k *KernelMetadata) *uint32 { return &k.KernargAlign }),
		".group_segment_fixed_size":   metaNum(func(k *KernelMetadata) *uint32 { return &k.GroupSize }),
		".private_segment_fixed_size": metaNum(func(k *KernelMetadata) *uint32 { return &k.PrivateSize }),
		".max_flat_workgroup_size":    metaNum(func(k *KernelMetadata) *uint32 { return &k.MaxFlatGroup }),
		".reqd_workgroup_size":        metaNums(func(k *KernelMetadata) []uint32 { return k.ReqdGroup[:] }),
		".workgroup_size_hint":        metaNums(func(k *KernelMetadata) []uint32 { return k.GroupHint[:] }),
		".vec_type_hint":              metaStr(func(k *KernelMetadata) *string { return &k.VecTypeHint }),
		".sgpr_count":                 metaNum(func(k *KernelMetadata) *uint32 { return &k.SGPRs }),
		".vgpr_count":                 metaNum(func(k *KernelMetadata) *uint32 { return &k.VGPRs }),
		".agpr_count":                 metaNum(func(k *KernelMetadata) *uint32 { return &k.AGPRs }),
		".sgpr_spill_count":           metaNum(func(k *KernelMetadata) *uint32 { return &k.SGPRSpills }),
		".vgpr_spill_count":           metaNum(func(k *KernelMetadata) *uint32 { return &k.VGPRSpills }),
		".wavefront_size":             metaNum(func(k *KernelMetadata) *uint32 { return &k.WaveSize }),
		".uses_dynamic_stack":         metaFlag(func(k *KernelMetadata) *bool { return &k.DynamicStack }),
		".uniform_work_group_size":    metaUniform,
		".device_enqueue_symbol":      metaStr(func(k *KernelMetadata) *string { return &k.EnqueueSymbol }),
		".args":                       metaArgs,
	}
})

// argKeys are the keys of an argument.
var argKeys = sync.OnceValue(func() map[string]metaField[Arg] {
	return map[string]metaField[Arg]{
		".name":          metaStr(func(a *Arg) *string { return &a.Name }),
		".type_name":     metaStr(func(a *Arg) *string { return &a.TypeName }),
		".offset":        metaNum(func(a *Arg) *uint32 { return &a.Offset }),
		".size":          metaNum(func(a *Arg) *uint32 { return &a.Size }),
		".value_kind":    metaStr(func(a *Arg) *string { return &a.ValueKind }),
		".value_type":    metaStr(func(a *Arg) *string { return &a.ValueType }),
		".address_space": metaStr(func(a *Arg) *string { return &a.AddressSpace }),
		".pointee_align": metaNum(func(a *Arg) *uint32 { return &a.PointeeAlign }),
		".access":        metaStr(func(a *Arg) *string { return &a.Access }),
		".actual_access": metaStr(func(a *Arg) *string { return &a.ActualAccess }),
		".is_const":      metaFlag(func(a *Arg) *bool { return &a.Const }),
		".is_restrict":   metaFlag(func(a *Arg) *bool { return &a.Restrict }),
		".is_volatile":   metaFlag(func(a *Arg) *bool { return &a.Volatile }),
		".is_pipe":       metaFlag(func(a *Arg) *bool { return &a.Pipe }),
	}
})

// metaUniform reads a flag that LLVM writes as a number.
func metaUniform(m *metaReader, k *KernelMetadata, key string) error {
	if msgp.NextType(m.b) == msgp.BoolType {
		v, err := m.flag(key)
		k.UniformGroups = v
		return err
	}
	v, err := m.u32(key)
	k.UniformGroups = v != 0
	return err
}

func metaArgs(m *metaReader, k *KernelMetadata, key string) error {
	k.Args = nil
	return m.array(key, func() error {
		if m.args++; m.args > maxMetaArgs {
			return failAt("limit", m.off(), "%s: more than %d arguments", key, maxMetaArgs)
		}
		var a Arg
		if err := readFields(m, "argument", &a, argKeys()); err != nil {
			return err
		}
		k.Args = append(k.Args, a)
		return nil
	})
}

// readFields reads a map into t by the table of its keys.
func readFields[T any](m *metaReader, what string, t *T, keys map[string]metaField[T]) error {
	return m.object(what, func(key string) (bool, error) {
		read := keys[key]
		if read == nil {
			return false, nil
		}
		return true, read(m, t, key)
	})
}

// readMetadata reads the metadata note, if the file has one, and returns its kernels.
func (o *CodeObject) readMetadata(f *elfFile) ([]KernelMetadata, error) {
	b, at, err := f.note(noteAMDGPU, metadataNote)
	if err != nil || b == nil {
		return nil, err
	}
	o.Note = bytes.Clone(b)
	return o.parseMetadata(b, at)
}

// CheckMetadata parses the contents of a note for a target, and returns the version of the metadata.
func CheckMetadata(desc []byte, target string) (version [2]uint32, err error) {
	o := &CodeObject{Target: target}
	_, err = o.parseMetadata(desc, 0)
	return o.Metadata.Version, err
}

// parseMetadata parses the contents of the note, which are at offset at, and returns the kernels.
func (o *CodeObject) parseMetadata(b []byte, at uint64) (kernels []KernelMetadata, err error) {
	m := &metaReader{b: b, end: at + uint64(len(b))}
	o.Metadata.Present = true
	err = m.object("metadata", func(key string) (bool, error) {
		switch key {
		case "amdhsa.version":
			return true, m.fill(key, o.Metadata.Version[:])
		case "amdhsa.target":
			o.Metadata.Target, err = m.str(key)
			return true, err
		case "amdhsa.printf":
			return true, o.readPrintf(m, key)
		case "amdhsa.kernels":
			kernels, err = readKernelList(m, key)
			return true, err
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	return kernels, o.checkTarget(at)
}

func (o *CodeObject) readPrintf(m *metaReader, key string) error {
	o.Metadata.Printf = nil
	return m.array(key, func() error {
		if len(o.Metadata.Printf) == maxMetaPrintf {
			return failAt("limit", m.off(), "%s: more than %d formats", key, maxMetaPrintf)
		}
		s, err := m.str(key)
		o.Metadata.Printf = append(o.Metadata.Printf, s)
		return err
	})
}

func readKernelList(m *metaReader, key string) ([]KernelMetadata, error) {
	var kernels []KernelMetadata
	err := m.array(key, func() error {
		if len(kernels) == maxKernels {
			return failAt("limit", m.off(), "%s: more than %d kernels", key, maxKernels)
		}
		k := KernelMetadata{off: m.off()}
		if err := readFields(m, "kernel", &k, kernelKeys()); err != nil {
			return err
		}
		if k.Symbol == "" {
			return failAt("metadata", k.off, "kernel %q has no .symbol", k.Name)
		}
		kernels = append(kernels, k)
		return nil
	})
	return kernels, err
}
