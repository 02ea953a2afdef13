//go:build cgo

package main

/*
#define HEDDLE_NO_PROTOTYPES
#include "heddle.h"

// What Go calls are functions: it has no calls through pointers of C.
static inline void heddle_call_print(heddle_print_function print, void *user, const char *text, size_t length) { print(user, text, length); }
*/
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	engines "github.com/heddle-gpu/heddle/exec/all"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

//export heddle_module_read
func heddle_module_read(data unsafe.Pointer, size C.size_t, out *C.heddle_module, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		view, err := bytesOf(data, size, "data")
		if err != nil {
			return err
		}
		if out == nil {
			return null("module")
		}
		m, err := heddle.Read(bytes.Clone(view)) // it keeps them
		if err != nil {
			return fail(C.HEDDLE_ECODE, err)
		}
		return opened(out, m)
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
		return opened(out, m)
	})
}

// A launchable is what handles of modules stand for.
type launchable interface {
	ISA() *heddle.ISA
	Launch(ctx context.Context, l heddle.Launch, args ...any) (*launch.Result, error)
}

// programOf makes a module of a program without descriptor.
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
	return opened(out, p)
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
			data, err := bytesOf(code, size, "code")
			if err != nil {
				return nil, err
			}
			return a.ProgramOf(bytes.Clone(data), o)
		})
	})
}

//export heddle_module_isa
func heddle_module_isa(h C.heddle_module, out *C.heddle_isa, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		m, err := get[launchable](h)
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
		m, err := get[launchable](h)
		if err != nil {
			return err
		}
		return result(out, func(b *block, v *C.heddle_kernels) error {
			list := kernelsOf(m)
			kernels := place[C.heddle_kernel](b, len(list))
			for i := range kernels {
				kernelOf(b, &list[i], &kernels[i])
			}
			v.kernels, v.count = unsafe.SliceData(kernels), C.size_t(len(kernels))
			return nil
		})
	})
}

// kernelsOf are the kernels of a module: of a program it is the one that it is.
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

// kindOfArg is the kind of what is passed for an argument.
func kindOfArg(kind string) C.uint32_t {
	switch kind {
	case "global_buffer":
		return C.HEDDLE_ARG_BUFFER
	case "dynamic_shared_pointer":
		return C.HEDDLE_ARG_LOCAL
	}
	return C.HEDDLE_ARG_VALUE
}

// arguments are those of a launch as package heddle has them.
func arguments(p *C.heddle_arg, n C.size_t) (list []any, err error) {
	args, err := view(p, n, "args")
	for i := range args {
		a, called := &args[i], fmt.Sprintf("args[%d]", i)
		switch a.kind {
		case C.HEDDLE_ARG_NULL:
			list = append(list, nil)
		case C.HEDDLE_ARG_BUFFER:
			data, err := memoryOf(a.data, a.size, a.flags, called)
			if err != nil {
				return nil, err
			}
			list = append(list, heddle.InPlace{Data: data, ReadOnly: a.flags != 0})
		case C.HEDDLE_ARG_VALUE:
			data, err := bytesOf(a.data, a.size, called)
			if err != nil {
				return nil, err
			}
			list = append(list, heddle.Value(bytes.Clone(data)))
		case C.HEDDLE_ARG_LOCAL:
			if uint64(a.size) > 1<<31 {
				return nil, invalid("%s: %d bytes of local memory", called, uint64(a.size))
			}
			list = append(list, heddle.Local(a.size))
		default:
			return nil, invalid("%s: kind %d; there are HEDDLE_ARG_NULL to HEDDLE_ARG_LOCAL", called, uint32(a.kind))
		}
	}
	return list, err
}

// launchOf is how a kernel is launched.
func launchOf(o *C.heddle_launch_options) (l heddle.Launch, err error) {
	l.Kernel = word(o.kernel)
	for i := range 3 {
		l.Grid[i], l.Block[i], l.Offset[i] = uint32(o.grid[i]), uint32(o.block[i]), uint64(o.offset[i])
	}
	l.Limits = exec.Limits{Steps: uint64(o.steps), Total: uint64(o.total), Memory: uint64(o.memory)}
	l.Workers, l.Counted, l.Relaxed = int(min(o.workers, 1<<16)), o.exact != 0, o.relaxed != 0
	l.Engine, err = engineOf(o.engine, engines.Use{})
	return l, err
}

// named reports that a module has no kernel of a name.
func named(m launchable, kernel string) error {
	var names []string
	for _, k := range kernelsOf(m) {
		names = append(names, k.Name)
	}
	switch near := isa.Nearest(kernel, names); {
	case kernel == "" || slices.Contains(names, kernel):
		return nil
	case near != "":
		return fail(C.HEDDLE_ENOTFOUND, fmt.Errorf("no kernel %q; %s is the nearest name", kernel, near))
	}
	return fail(C.HEDDLE_ENOTFOUND, fmt.Errorf("no kernel %q; there are %s", kernel, strings.Join(names, ", ")))
}

//export heddle_launch
func heddle_launch(h C.heddle_module, options *C.heddle_launch_options, args *C.heddle_arg, argCount C.size_t, out *C.heddle_launch_result,
	e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		m, err := get[launchable](h)
		if err != nil {
			return err
		}
		o, err := sized(options, "heddle_launch_options")
		if err != nil {
			return err
		}
		l, err := launchOf(&o)
		if err != nil {
			return err
		}
		list, err := arguments(args, argCount)
		if err != nil {
			return err
		}
		if err := named(m, l.Kernel); err != nil {
			return err
		}
		ctx := context.Background()
		if o.timeout != 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(o.timeout)*time.Millisecond)
			defer cancel()
		}
		var printed bytes.Buffer
		if o.print != nil {
			l.Print = &printed
		}
		r, err := m.Launch(ctx, l, list...)
		if n := printed.Len(); n > 0 {
			C.heddle_call_print(o.print, o.user, (*C.char)(unsafe.Pointer(unsafe.SliceData(printed.Bytes()))), C.size_t(n))
		}
		var guest *exec.Fault
		faulted := errors.As(err, &guest)
		if out != nil && (err == nil || faulted) {
			*out = C.heddle_launch_result{counters: countersOf(&r.Counters), groups: C.uint64_t(r.Groups), waves: C.uint64_t(r.Waves),
				nanoseconds: C.uint64_t(r.Time.Nanoseconds()), workers: C.uint32_t(r.Workers)}
			if r.Serial {
				out.serial = 1
			}
		}
		if err != nil && !faulted {
			return fail(C.HEDDLE_ELAUNCH, err)
		}
		return err
	})
}
