package heddle

import (
	"context"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// A Module is a code object in guest memory, ready for launches. Its variables keep what kernels store in them.
type Module struct {
	// Object is the file as read: kernels with their arguments and descriptors, symbols, code.
	Object *object.CodeObject

	target *isa.Target
	module *gcn.Module
}

// Load reads a code object from a file: a linked ELF for the HSA runtime, as clang makes it from OpenCL C or HIP.
func Load(path string) (*Module, error) {
	data, err := limit.ReadFile(path, limit.Size{What: "code object", Bytes: limit.File.Bytes})
	if err != nil {
		return nil, err
	}
	return read(data, path)
}

// Read is Load for a file's contents.
func Read(data []byte) (*Module, error) { return read(data, "code object") }

func read(data []byte, file string) (*Module, error) {
	o, err := object.ReadHSAFile(data, file)
	if err != nil {
		return nil, err
	}
	t, err := sets.Lookup(o.Target)
	if err == nil {
		var m *Module
		if m, err = moduleOf(o, t); err == nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", file, err)
}

// moduleOf places a code object in guest memory.
func moduleOf(o *object.CodeObject, t *isa.Target) (*Module, error) {
	m, err := gcn.Load(o, nil)
	if err != nil {
		return nil, err
	}
	return &Module{Object: o, target: t, module: m}, nil
}

// ISA returns the instruction set of the module's code.
func (m *Module) ISA() *ISA { return &ISA{m.target} }

// Kernels returns the names of the kernels that can be launched.
func (m *Module) Kernels() (names []string) {
	for i := range m.Object.Kernels {
		names = append(names, m.Object.Kernels[i].Name)
	}
	return names
}

// A Launch says which kernel to run, on what grid, and how. Only Grid is always needed.
type Launch struct {
	Kernel string    // "": the only one
	Grid   [3]uint32 // work-items by axis x, y, z; 0 counts as 1, except for x. The last workgroups of an axis may be partial
	Block  [3]uint32 // work-items of a workgroup; all 0: what the kernel was compiled for, if that is a single size
	Offset [3]uint64 // added to global ids

	// Stack is the scratch of a work-item in bytes, for kernels that call functions through pointers or recurse; 0: 16
	// KiB. Only kernels of code objects have it.
	Stack uint32

	// Settings say how to run it: workers, limits, observers. Their zero value is valid; without an engine the fastest
	// that can run here is used (internal/engines).
	launch.Settings
}

// Launch runs a kernel to its end. Arguments are in the kernel's order:
//
//	[]byte, []float32 ...     a buffer: the slice is copied to global memory and, if the kernel has changed it
//	                          there, back
//	InPlace                   a buffer that is the bytes themselves: nothing is copied
//	float32, int64 ...        by value, as large as the Go type
//	int                       by value, as large as the kernel declares, if it fits
//	Value                     by value, as its bytes in memory: structs, vectors, halves
//	Local                     the address of that many bytes of local memory
//	nil                       the null pointer
//
// Numbers are integers of 8 to 64 bits, float32 and float64. A slice given twice is one buffer; slices must not
// overlap in part.
//
// If the kernel faults, the error is an *exec.Fault, and slices hold the effects up to then. The result is never nil.
func (m *Module) Launch(ctx context.Context, l Launch, args ...any) (*launch.Result, error) {
	k, err := m.kernel(&l)
	if err != nil {
		return &launch.Result{}, err
	}
	p := passing{kernel: k, memory: gcn.NewMemory()}
	for _, v := range args {
		if err := p.add(v); err != nil {
			return &launch.Result{}, fmt.Errorf("kernel %s: argument %d: %w", k.Name, len(p.args), err)
		}
	}
	if l.Engine == nil {
		l.Engine = engines.Fastest(engines.Use{})
	}
	r, err := gcn.Launch(ctx,
		gcn.Kernel{Module: m.module, Name: k.Name, Grid: l.Grid, Block: l.Block, Offset: l.Offset, Args: p.args, Memory: p.memory, Stack: l.Stack},
		l.Settings)
	for i := range p.buffers {
		p.buffers[i].back()
	}
	return r, err
}

// kernel finds the kernel of a launch and fills in the defaults that follow from it.
func (m *Module) kernel(l *Launch) (*object.Kernel, error) {
	names := m.Kernels()
	if l.Kernel == "" && len(names) == 1 {
		l.Kernel = names[0]
	}
	k, ok := m.Object.Kernel(l.Kernel)
	if !ok {
		near := isa.Nearest(l.Kernel, names)
		switch {
		case len(names) == 0:
			return nil, fmt.Errorf("the code object has no kernels")
		case l.Kernel == "":
			return nil, fmt.Errorf("no kernel is named; there are %s", strings.Join(names, ", "))
		case near != "":
			return nil, fmt.Errorf("no kernel %q; %s is the nearest name", l.Kernel, near)
		}
		return nil, fmt.Errorf("no kernel %q; there are %s", l.Kernel, strings.Join(names, ", "))
	}
	if l.Block == [3]uint32{} {
		if k.Meta == nil || k.Meta.ReqdGroup == [3]uint32{} {
			return nil, fmt.Errorf("kernel %s: no Block is given, and it was compiled for groups of any size", k.Name)
		}
		l.Block = k.Meta.ReqdGroup
	}
	return k, nil
}
