package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/object"
)

// A jsonObject is the output of dis --descriptor --json for a code object.
type jsonObject struct {
	File     string         `json:"file"`
	Version  int            `json:"version"`
	Target   string         `json:"target"`
	Flags    uint32         `json:"flags"` // e_flags
	Segments []jsonSegment  `json:"segments"`
	Sections []jsonPart     `json:"sections"`
	Symbols  []jsonSymbol   `json:"symbols"`
	Metadata *jsonMetadata  `json:"metadata,omitempty"`
	Kernels  []jsonDescribe `json:"kernels"`
}

type jsonSegment struct {
	Addr  uint64 `json:"addr"`
	Size  uint64 `json:"size"`
	Flags string `json:"flags"` // of R W E
}

type jsonPart struct {
	Name  string `json:"name"`
	Addr  uint64 `json:"addr"`
	Size  uint64 `json:"size"`
	Align uint64 `json:"align"`
	Flags string `json:"flags"` // A, and of W X
	Type  string `json:"type"`
}

type jsonSymbol struct {
	Name string `json:"name"`
	Addr uint64 `json:"addr"`
	Size uint64 `json:"size"`
	Type string `json:"type"`
	Bind string `json:"bind"`
	Vis  string `json:"visibility"`
}

type jsonMetadata struct {
	Version string   `json:"version"`
	Target  string   `json:"target,omitempty"`
	Bytes   int      `json:"bytes"` // of the note
	Printf  []string `json:"printf,omitempty"`
}

// A jsonDescribe is a kernel according to its descriptor and the metadata.
type jsonDescribe struct {
	Name   string                   `json:"name"`
	Addr   uint64                   `json:"descriptor"` // address
	Entry  uint64                   `json:"entry"`
	Size   uint64                   `json:"size"`  // of the code, in bytes; 0: there is no symbol with a size
	Words  []string                 `json:"words"` // of the descriptor, 32 bits each
	Fields []object.DescriptorField `json:"fields"`
	// Occupancy is how many waves run beside each other in groups of the size that it was compiled for, or the largest.
	Occupancy chips.Occupancy `json:"occupancy"`
	Metadata  []jsonValue     `json:"metadata,omitempty"`
	Args      []jsonArg       `json:"args,omitempty"`
}

type jsonValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type jsonArg struct {
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
	Kind   string `json:"kind"`
	Type   string `json:"type,omitempty"`
	Name   string `json:"name,omitempty"`
	Space  string `json:"address_space,omitempty"`
	Access string `json:"access,omitempty"`
}

// descriptor prints the description of a code object.
func (c *disCmd) descriptor(a *app, o *object.CodeObject) error {
	j := describeObject(o, c.File)
	if len(c.Symbol) > 0 {
		kept := j.Kernels[:0:0]
		for _, name := range c.Symbol {
			i := slices.IndexFunc(j.Kernels, func(k jsonDescribe) bool { return k.Name == strings.TrimSuffix(name, ".kd") })
			if i < 0 {
				var names []string
				for _, k := range j.Kernels {
					names = append(names, k.Name)
				}
				return c.unknown(names, name)
			}
			kept = append(kept, j.Kernels[i])
		}
		j.Kernels = kept
	}
	if c.JSON {
		return a.json(j)
	}
	if len(c.Symbol) == 0 {
		a.describeFile(&j)
	}
	for i := range j.Kernels {
		a.describeKernel(&j.Kernels[i], i > 0 || len(c.Symbol) == 0)
	}
	return nil
}

func describeObject(o *object.CodeObject, file string) jsonObject {
	j := jsonObject{File: file, Version: o.Version, Target: o.Target, Flags: o.Flags, Segments: []jsonSegment{}, Sections: []jsonPart{},
		Symbols: []jsonSymbol{}, Kernels: []jsonDescribe{}}
	for _, s := range o.Segments {
		j.Segments = append(j.Segments, jsonSegment{s.Addr, s.Size, letters("R", s.Read) + letters("W", s.Write) + letters("E", s.Exec)})
	}
	for _, s := range o.Sections {
		kind := "PROGBITS"
		if s.Zero {
			kind = "NOBITS"
		}
		j.Sections = append(j.Sections, jsonPart{s.Name, s.Addr, s.Size, s.Align, "A" + letters("W", s.Write) + letters("X", s.Exec), kind})
	}
	for _, y := range o.Symbols {
		if y.Name == "" {
			continue
		}
		kind := map[object.SymbolKind]string{object.NoType: "NOTYPE", object.Object: "OBJECT", object.Func: "FUNC", object.Section: "SECTION", object.FileName: "FILE",
			object.KernelCode: "AMDGPU_HSA_KERNEL"}[y.Kind]
		if kind == "" {
			kind = fmt.Sprint(uint8(y.Kind))
		}
		bind := map[object.SymbolBind]string{object.BindLocal: "LOCAL", object.BindGlobal: "GLOBAL", object.BindWeak: "WEAK"}[y.Bind]
		if !y.Defined {
			bind += " UNDEFINED"
		}
		vis := map[object.Visibility]string{object.VisHidden: "HIDDEN", object.VisInternal: "INTERNAL", object.VisProtected: "PROTECTED"}[y.Vis]
		if vis == "" {
			vis = "DEFAULT"
		}
		j.Symbols = append(j.Symbols, jsonSymbol{y.Name, y.Addr, y.Size, kind, bind, vis})
	}
	if m := &o.Metadata; m.Present {
		j.Metadata = &jsonMetadata{fmt.Sprintf("%d.%d", m.Version[0], m.Version[1]), m.Target, len(o.Note), m.Printf}
	}
	for i := range o.Kernels {
		j.Kernels = append(j.Kernels, describeOne(o, &o.Kernels[i]))
	}
	return j
}

func letters(s string, on bool) string {
	if on {
		return s
	}
	return ""
}

func describeOne(o *object.CodeObject, k *object.Kernel) jsonDescribe {
	j := jsonDescribe{Name: k.Name, Addr: k.DescriptorAddr, Entry: k.Entry, Size: k.CodeSize, Fields: k.Descriptor.Fields(o.Target)}
	for i := 0; i < object.DescriptorSize; i += 4 {
		j.Words = append(j.Words, fmt.Sprintf("0x%08x", binary.LittleEndian.Uint32(k.Descriptor.Raw[i:])))
	}
	j.Occupancy = occupancyOf(o, k)
	if k.Meta == nil {
		return j
	}
	j.Metadata = metadataOf(k.Meta)
	for i := range k.Meta.Args {
		g := &k.Meta.Args[i]
		j.Args = append(j.Args, jsonArg{g.Offset, g.Size, g.ValueKind, typeOf(g), g.Name, g.AddressSpace, g.Access})
	}
	return j
}

// occupancyOf returns how many waves of a kernel run beside each other.
func occupancyOf(o *object.CodeObject, k *object.Kernel) chips.Occupancy {
	r := chips.Resources{Vector: k.Descriptor.VGPRs(), Scalar: k.Descriptor.SGPRs(), Memory: int(k.Descriptor.GroupSize)}
	if m := k.Meta; m != nil && m.ReqdGroup != [3]uint32{} {
		r.Items = int(m.ReqdGroup[0] * m.ReqdGroup[1] * m.ReqdGroup[2])
	} else if m != nil {
		r.Items = int(m.MaxFlatGroup)
	}
	name := o.Target
	if t, err := sets.Lookup(o.Target); err == nil {
		name = t.FullName()
	}
	return chips.OccupancyOf(name, r)
}

// typeOf returns an argument's type as in the source, with its qualifiers.
func typeOf(g *object.Arg) string {
	t := g.TypeName
	if t == "" {
		t = g.ValueType
	}
	for _, q := range []struct {
		on   bool
		word string
	}{{g.Volatile, "volatile "}, {g.Const, "const "}, {g.Pipe, "pipe "}} {
		if q.on {
			t = q.word + t
		}
	}
	if g.Restrict {
		t += " restrict"
	}
	return strings.TrimSpace(t)
}

// metadataOf returns the keys of a kernel's metadata that are not 0, without its arguments.
func metadataOf(m *object.KernelMetadata) (list []jsonValue) {
	text := func(key, v string) {
		if v != "" {
			list = append(list, jsonValue{key, v})
		}
	}
	numbers := func(key string, v ...uint32) {
		if slices.ContainsFunc(v, func(x uint32) bool { return x != 0 }) {
			list = append(list, jsonValue{key, strings.Trim(fmt.Sprint(v), "[]")})
		}
	}
	text(".name", m.Name)
	text(".symbol", m.Symbol)
	text(".kind", m.Kind)
	text(".language", m.Language)
	numbers(".language_version", m.LanguageVersion[:]...)
	numbers(".kernarg_segment_size", m.KernargSize)
	numbers(".kernarg_segment_align", m.KernargAlign)
	numbers(".group_segment_fixed_size", m.GroupSize)
	numbers(".private_segment_fixed_size", m.PrivateSize)
	numbers(".max_flat_workgroup_size", m.MaxFlatGroup)
	numbers(".reqd_workgroup_size", m.ReqdGroup[:]...)
	numbers(".workgroup_size_hint", m.GroupHint[:]...)
	text(".vec_type_hint", m.VecTypeHint)
	numbers(".sgpr_count", m.SGPRs)
	numbers(".vgpr_count", m.VGPRs)
	numbers(".agpr_count", m.AGPRs)
	numbers(".sgpr_spill_count", m.SGPRSpills)
	numbers(".vgpr_spill_count", m.VGPRSpills)
	numbers(".wavefront_size", m.WaveSize)
	text(".uses_dynamic_stack", letters("true", m.DynamicStack))
	text(".uniform_work_group_size", letters("true", m.UniformGroups))
	text(".device_enqueue_symbol", m.EnqueueSymbol)
	return list
}

// describeFile prints what does not belong to one kernel.
func (a *app) describeFile(j *jsonObject) {
	a.say("%s: code object v%d for %s, e_flags %#x\n", j.File, j.Version, j.Target, j.Flags)
	a.table("segments", "addr\tsize\tflags", len(j.Segments), func(i int) string {
		s := &j.Segments[i]
		return fmt.Sprintf("%#x\t%#x\t%s", s.Addr, s.Size, s.Flags)
	})
	a.table("sections", "name\taddr\tsize\talign\tflags\ttype", len(j.Sections), func(i int) string {
		s := &j.Sections[i]
		return fmt.Sprintf("%s\t%#x\t%#x\t%d\t%s\t%s", shown(s.Name), s.Addr, s.Size, s.Align, s.Flags, s.Type)
	})
	a.table("symbols", "addr\tsize\ttype\tbind\tvisibility\tname", len(j.Symbols), func(i int) string {
		s := &j.Symbols[i]
		return fmt.Sprintf("%#x\t%d\t%s\t%s\t%s\t%s", s.Addr, s.Size, s.Type, s.Bind, s.Vis, shown(s.Name))
	})
	if m := j.Metadata; m != nil {
		a.say("\nmetadata: version %s", m.Version)
		if m.Target != "" {
			a.say(", target %s", m.Target)
		}
		if m.Bytes > 0 {
			a.printf(", a note of %d bytes", m.Bytes)
		}
		a.printf("\n")
		for _, s := range m.Printf {
			a.say("  printf %s\n", s)
		}
	}
}

// describeKernel prints a kernel.
func (a *app) describeKernel(k *jsonDescribe, apart bool) {
	if apart {
		a.printf("\n")
	}
	a.say("kernel %s: descriptor at %#x, entry %#x", k.Name, k.Addr, k.Entry)
	if k.Size > 0 {
		a.printf(", %d bytes of code", k.Size)
	}
	a.printf("\n")
	if o := &k.Occupancy; o.Unit != "" && o.Takes.Items > 0 {
		a.printf("  occupancy in groups of %d: %v\n", o.Takes.Items, o)
	}
	for i := 0; i < len(k.Words); i += 8 {
		a.printf("  +%-3d %s\n", 4*i, strings.Join(k.Words[i:min(i+8, len(k.Words))], " "))
	}
	a.table("", "byte\tbits\tfield\tvalue\t", len(k.Fields), func(i int) string {
		f := &k.Fields[i]
		bits := fmt.Sprintf("%d:%d", f.Hi, f.Lo)
		if f.Hi == f.Lo {
			bits = fmt.Sprint(f.Lo)
		}
		value := fmt.Sprint(f.Value)
		if f.Hi-f.Lo == 63 {
			value = fmt.Sprint(int64(f.Value))
		}
		return fmt.Sprintf("%d\t%s\t%s\t%s\t%s", f.Offset, bits, f.Name, value, f.Says)
	})
	if len(k.Metadata) > 0 {
		a.table("metadata", "", len(k.Metadata), func(i int) string { return k.Metadata[i].Key + "\t" + shown(k.Metadata[i].Value) })
	}
	if len(k.Args) > 0 {
		a.table("arguments", "offset\tsize\tkind\ttype\tname\taddress space\taccess", len(k.Args), func(i int) string {
			g := &k.Args[i]
			return fmt.Sprintf("%d\t%d\t%s\t%s\t%s\t%s\t%s", g.Offset, g.Size, shown(g.Kind), shown(g.Type), shown(g.Name), shown(g.Space), shown(g.Access))
		})
	}
}

// table prints rows of cells in columns.
func (a *app) table(title, head string, n int, row func(i int) string) {
	if title != "" {
		a.printf("\n%s\n", title)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if head != "" {
		fmt.Fprintln(w, "  "+head)
	}
	for i := range n {
		fmt.Fprintln(w, "  "+row(i))
	}
	w.Flush()
	for line := range strings.Lines(b.String()) {
		a.printf("%s\n", strings.TrimRight(line, " \n"))
	}
}
