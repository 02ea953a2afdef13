//go:build cgo

package main

// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"context"
	"sync"
	"unsafe"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

//export heddle_module_read
func heddle_module_read(data unsafe.Pointer, size C.size_t, out *C.heddle_module, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		if out == nil {
			return null("module")
		}
		own, err := copied(data, size, maxOwn, "data")
		if err != nil {
			return err
		}
		m, err := heddle.Read(own)
		if err != nil {
			return fail(C.HEDDLE_ECODE, err)
		}
		return opened(out, &module{launchable: m})
	})
}

//export heddle_module_open
func heddle_module_open(path *C.char, out *C.heddle_module, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		switch {
		case path == nil:
			return null("path")
		case out == nil:
			return null("module")
		}
		m, err := heddle.Load(word(path))
		if err != nil {
			if status := statusOf(err); status != C.HEDDLE_EINVALID {
				return fail(status, err)
			}
			return fail(C.HEDDLE_ECODE, err)
		}
		return opened(out, &module{launchable: m})
	})
}

// A module is something that can be launched, with its current launches.
type module struct {
	launchable
	mu    sync.Mutex
	stops map[*context.CancelFunc]bool
}

// A launchable is a code object or a program.
type launchable interface {
	ISA() *heddle.ISA
	Launch(ctx context.Context, l heddle.Launch, args ...any) (*launch.Result, error)
}

// programOf makes a module from a program without a descriptor.
func programOf(h C.heddle_isa, options *C.heddle_program_options, out *C.heddle_module,
	make func(a *heddle.ISA, o heddle.ProgramOptions) (*heddle.Program, error)) error {
	a, err := get[*heddle.ISA](h)
	if err != nil {
		return err
	}
	o, err := sized(options, "heddle_program_options")
	if err != nil {
		return err
	}
	if out == nil {
		return null("module")
	}
	p, err := make(a, heddle.ProgramOptions{
		Name: word(o.name), ABI: word(o.abi), Group: int(o.group_bytes), Private: int(o.private_bytes), Base: uint64(o.base),
	})
	if err != nil {
		return err
	}
	return opened(out, &module{launchable: p})
}

//export heddle_module_assemble
func heddle_module_assemble(h C.heddle_isa, source *C.char, length C.size_t, options *C.heddle_program_options, out *C.heddle_module,
	e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		return programOf(h, options, out, func(a *heddle.ISA, o heddle.ProgramOptions) (*heddle.Program, error) {
			src, err := text(source, length, "text")
			if err != nil {
				return nil, err
			}
			return a.Program(src, o)
		})
	})
}

//export heddle_module_code
func heddle_module_code(h C.heddle_isa, code unsafe.Pointer, size C.size_t, options *C.heddle_program_options, out *C.heddle_module,
	e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		return programOf(h, options, out, func(a *heddle.ISA, o heddle.ProgramOptions) (*heddle.Program, error) {
			own, err := copied(code, size, maxOwn, "code")
			if err != nil {
				return nil, err
			}
			return a.ProgramOf(own, o)
		})
	})
}

//export heddle_module_isa
func heddle_module_isa(h C.heddle_module, out *C.heddle_isa, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		m, err := get[*module](h)
		if err != nil {
			return err
		}
		if out == nil {
			return null("isa")
		}
		return opened(out, m.ISA())
	})
}

//export heddle_module_kernels
func heddle_module_kernels(h C.heddle_module, out **C.heddle_kernels, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		m, err := get[*module](h)
		if err != nil {
			return err
		}
		return result(out, func(b *block, v *C.heddle_kernels) error {
			list := kernelsOf(m.launchable)
			kernels := place[C.heddle_kernel](b, len(list))
			for i := range kernels {
				kernelOf(b, &list[i], &kernels[i])
			}
			v.kernels, v.count = unsafe.SliceData(kernels), C.size_t(len(kernels))
			return nil
		})
	})
}

// kernelsOf returns the kernels of a module; a program is a single kernel.
func kernelsOf(m launchable) []object.Kernel {
	if p, ok := m.(*heddle.Program); ok {
		return []object.Kernel{{Name: p.Name(), Descriptor: object.Descriptor{GroupSize: uint32(p.Options().Group)}}}
	}
	return m.(*heddle.Module).Object.Kernels
}

func kernelOf(b *block, k *object.Kernel, v *C.heddle_kernel) {
	v.name, v.group_bytes = b.text(k.Name), C.uint32_t(k.Descriptor.GroupSize)
	if k.Meta == nil {
		return
	}
	v.described = 1
	for i, n := range k.Meta.ReqdGroup {
		v.block[i] = C.uint32_t(n)
	}
	var shown []*object.Arg
	for i := range k.Meta.Args {
		if a := &k.Meta.Args[i]; !a.Hidden() {
			shown = append(shown, a)
		}
	}
	args := place[C.heddle_kernel_arg](b, len(shown))
	for i, a := range shown {
		args[i] = C.heddle_kernel_arg{name: b.text(a.Name), _type: b.text(a.TypeName), kind: kindOfArg(a.ValueKind), size: C.uint32_t(a.Size)}
	}
	v.args, v.arg_count = unsafe.SliceData(args), C.size_t(len(args))
}

// kindOfArg returns the kind of value to pass for an argument.
func kindOfArg(kind string) C.uint32_t {
	switch kind {
	case "global_buffer":
		return C.HEDDLE_ARG_BUFFER
	case "dynamic_shared_pointer":
		return C.HEDDLE_ARG_LOCAL
	}
	return C.HEDDLE_ARG_VALUE
}
