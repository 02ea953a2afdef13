package gcn

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// A Module is a code object in memory, ready for launches. Its blocks are lifted once, and its writable data keep what
// kernels write there.
type Module struct {
	Object  *object.CodeObject
	Variant int

	bias        uint64  // added to the addresses of the file
	scratchWave uint64  // of BareDescriptor; 0: scratch is the launch's
	initiator   uint32  // COMPUTE_DISPATCH_INITIATOR of BareDescriptor: its order of appends
	tiling      *Tiling // nil: only linear images
	segments    []mem.Segment
	programs    []program
	from        *loc.Map
}

// A program is the code of one executable segment.
type program struct {
	code *isa.Program
	exec *exec.Program
}

// Load places a code object in memory and applies its relocations. Options are those of the instruction set; nil is the
// default of each.
func Load(o *object.CodeObject, options map[string]string) (*Module, error) {
	set := gcn.Set()
	name := o.Variant()
	v, ok := set.Variant(name)
	if name == "" || !ok {
		return nil, fmt.Errorf("gcn: code object for %s: only gfx6, gfx7 and gfx8 can be run", o.Target)
	}
	if o.Mesa {
		return nil, fmt.Errorf("gcn: code for amdgcn-mesa-mesa3d cannot be run: the file does not describe its arguments; compile for amdgcn-amd-amdhsa")
	}
	t, err := set.At(v, 0).With(0, options)
	if err != nil {
		return nil, err
	}
	base := o.Base
	if !isFree(base, uint64(len(o.Image))) {
		base = codeBase + o.Base%guard // keeps the alignment that the file asks for
	}
	m := &Module{Object: o, Variant: v, bias: base - o.Base}
	m.from = mapOf(o, m.bias)
	image := o.Load(base)
	for i, s := range o.Segments {
		m.place(i, &s, image[s.Addr-o.Base:][:s.Size], t)
	}
	return m, nil
}

// place creates a segment of guest memory from one of the image, and a program if it is executable. All segments are
// readable: code contains constants.
func (m *Module) place(i int, s *object.ImageSegment, data []byte, t *isa.Target) {
	kind, rights := "rodata", mem.Read
	switch {
	case s.Exec:
		kind = "code"
	case s.Write:
		kind = "data"
	}
	if s.Write {
		rights = mem.ReadWrite
	}
	g := mem.NewSegment(fmt.Sprintf("%s %d", kind, i), s.Addr+m.bias, len(data), rights)
	copy(g.Data, data)
	m.segments = append(m.segments, g)
	if !s.Exec {
		return
	}
	p := &isa.Program{Target: t, Base: g.Base, Code: data, Symbol: m.symbol, Map: m.from}
	m.programs = append(m.programs, program{p, exec.NewProgram(p)})
}

// mapOf returns the source positions of the code of an object that is loaded at its addresses in the file plus bias.
func mapOf(o *object.CodeObject, bias uint64) *loc.Map {
	from := o.Map(bias)
	from.Args = func(kernel string) []loc.Arg { return argsOf(o, kernel) }
	from.Private = &loc.Swizzle{Segment: scratchName, Element: scratchElement, Lanes: waveLanes, Aperture: privateAperture}
	return from
}

// argsOf returns the arguments of a kernel that its source declares, from the metadata, in order.
func argsOf(o *object.CodeObject, kernel string) (list []loc.Arg) {
	k, ok := o.Kernel(kernel)
	if !ok || k.Meta == nil {
		return nil
	}
	for i := range k.Meta.Args {
		a := &k.Meta.Args[i]
		if a.Hidden() {
			continue
		}
		list = append(list, loc.Arg{Name: a.Name, Type: a.TypeName, Segment: kernargName, Offset: uint64(a.Offset), Size: uint64(a.Size),
			Address: a.ValueKind == "global_buffer"})
	}
	return list
}

// symbol returns the name of the function at an address of guest memory.
func (m *Module) symbol(addr uint64) (string, bool) {
	for i := range m.Object.Symbols {
		if y := &m.Object.Symbols[i]; y.Kind == object.Func && y.Defined && y.Addr+m.bias == addr {
			return y.Name, true
		}
	}
	return "", false
}

// programAt returns the program that contains an address.
func (m *Module) programAt(addr uint64) (*exec.Program, bool) {
	for _, p := range m.programs {
		if addr-p.code.Base < uint64(len(p.code.Code)) {
			return p.exec, true
		}
	}
	return nil, false
}

// kernel returns a kernel by name; the error lists those that exist.
func (m *Module) kernel(name string) (*object.Kernel, error) {
	if k, ok := m.Object.Kernel(name); ok {
		return k, nil
	}
	var names []string
	for i := range m.Object.Kernels {
		names = append(names, m.Object.Kernels[i].Name)
	}
	switch near := isa.Nearest(name, names); {
	case near != "":
		return nil, fmt.Errorf("gcn: no kernel %q; %s is the nearest name", name, near)
	case len(names) == 0:
		return nil, fmt.Errorf("gcn: no kernel %q: the code object has none", name)
	}
	return nil, fmt.Errorf("gcn: no kernel %q; there are %d, the first is %s", name, len(names), names[0])
}
