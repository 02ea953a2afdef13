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
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/isa"
)

// maxValue limits the bytes of a value argument, which is copied.
const maxValue = 1 << 20

// arguments converts the arguments of a launch for package heddle.
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
			own, err := copied(a.data, a.size, maxValue, called+", a value,")
			if err != nil {
				return nil, err
			}
			list = append(list, heddle.Value(own))
		case C.HEDDLE_ARG_LOCAL:
			if uint64(a.size) > maxOwn {
				return nil, invalid("%s: %d bytes of local memory", called, uint64(a.size))
			}
			list = append(list, heddle.Local(a.size))
		default:
			return nil, invalid("%s: kind %d; there are HEDDLE_ARG_NULL to HEDDLE_ARG_LOCAL", called, uint32(a.kind))
		}
	}
	return list, err
}

// launchOf converts the options of a launch.
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

// named reports that a module has no kernel with a name.
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

// begin makes the context of a launch, which ends at the time limit, if there is one, or with heddle_stop. end must be
// called after the launch.
func (m *module) begin(timeout time.Duration) (ctx context.Context, end func()) {
	ctx, stop := context.WithCancel(context.Background())
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stops == nil {
		m.stops = map[*context.CancelFunc]bool{}
	}
	m.stops[&stop] = true
	over := func() {}
	if timeout != 0 {
		ctx, over = context.WithTimeout(ctx, timeout)
	}
	return ctx, func() {
		over()
		stop()
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.stops, &stop)
	}
}

//export heddle_stop
func heddle_stop(h C.heddle_module) C.heddle_status {
	return guard(nil, func() error {
		m, err := get[*module](h)
		if err != nil {
			return err
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		for stop := range m.stops {
			(*stop)()
		}
		return nil
	})
}

//export heddle_launch
func heddle_launch(h C.heddle_module, options *C.heddle_launch_options, args *C.heddle_arg, argCount C.size_t, out *C.heddle_launch_result,
	e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		m, err := get[*module](h)
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
		if err := named(m.launchable, l.Kernel); err != nil {
			return err
		}
		ctx, end := m.begin(time.Duration(o.timeout) * time.Millisecond)
		defer end()
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
