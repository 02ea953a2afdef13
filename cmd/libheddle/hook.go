//go:build cgo

package main

/*
#include <stdlib.h>
#define HEDDLE_NO_PROTOTYPES
#include "heddle.h"

// What Go calls are functions: it has no calls through pointers of C.
static inline void heddle_call_instruction(heddle_instruction_hook f, heddle_wave w, uint64_t pc, void *user) { f(w, pc, user); }
static inline void heddle_call_block(heddle_block_hook f, heddle_wave w, uint64_t pc, uint32_t n, void *user) { f(w, pc, n, user); }
static inline void heddle_call_access(heddle_access_hook f, heddle_wave w, const heddle_access *a, void *user) { f(w, a, user); }
static inline void heddle_call_read(heddle_device_read f, heddle_wave w, uint64_t at, void *data, size_t n, void *user) { f(w, at, data, n, user); }
static inline void heddle_call_write(heddle_device_write f, heddle_wave w, uint64_t at, const void *data, size_t n, void *user) { f(w, at, data, n, user); }
static inline int32_t heddle_call_fault(heddle_fault_hook f, heddle_wave w, const heddle_fault *fault, void *user) { return f(w, fault, user); }
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
)

// outside calls a hook of the caller without the lock, because the hook may use the wave.
func (w *wave) outside(hook func()) {
	w.mu.Unlock()
	defer w.mu.Lock()
	hook()
}

// hooked adds a hook to a wave and returns its number in out.
func (w *wave) hooked(out *C.heddle_hook, hook heddle.Hook) {
	if w.hooks == nil {
		w.hooks = map[C.heddle_hook]heddle.Hook{}
	}
	w.lastHook++
	w.hooks[w.lastHook] = hook
	*out = w.lastHook
}

// adding implements the functions of the interface that add a hook.
func adding(h C.heddle_wave, missing bool, from, to C.uint64_t, out *C.heddle_hook, e **C.heddle_error, add func(w *wave, r heddle.Range) heddle.Hook) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		switch {
		case missing:
			return null("function")
		case out == nil:
			return null("hook")
		case from > to:
			return invalid("addresses from %#x to %#x", uint64(from), uint64(to))
		}
		w.hooked(out, add(w, heddle.Range{From: uint64(from), To: uint64(to)}))
		return nil
	})
}

//export heddle_wave_on_instruction
func heddle_wave_on_instruction(h C.heddle_wave, from, to C.uint64_t, function C.heddle_instruction_hook, user unsafe.Pointer, out *C.heddle_hook,
	e **C.heddle_error) C.heddle_status {
	return adding(h, function == nil, from, to, out, e, func(w *wave, r heddle.Range) heddle.Hook {
		return w.w.OnInstruction(r, func(pc uint64) {
			w.outside(func() { C.heddle_call_instruction(function, h, C.uint64_t(pc), user) })
		})
	})
}

//export heddle_wave_on_block
func heddle_wave_on_block(h C.heddle_wave, from, to C.uint64_t, function C.heddle_block_hook, user unsafe.Pointer, out *C.heddle_hook,
	e **C.heddle_error) C.heddle_status {
	return adding(h, function == nil, from, to, out, e, func(w *wave, r heddle.Range) heddle.Hook {
		return w.w.OnBlock(r, func(pc uint64, n int) {
			w.outside(func() { C.heddle_call_block(function, h, C.uint64_t(pc), C.uint32_t(n), user) })
		})
	})
}

//export heddle_wave_on_load
func heddle_wave_on_load(h C.heddle_wave, from, to C.uint64_t, function C.heddle_access_hook, user unsafe.Pointer, out *C.heddle_hook,
	e **C.heddle_error) C.heddle_status {
	return adding(h, function == nil, from, to, out, e, func(w *wave, r heddle.Range) heddle.Hook {
		return w.w.OnLoad(r, func(a *exec.Access) { w.access(h, function, user, a) })
	})
}

//export heddle_wave_on_store
func heddle_wave_on_store(h C.heddle_wave, from, to C.uint64_t, function C.heddle_access_hook, user unsafe.Pointer, out *C.heddle_hook,
	e **C.heddle_error) C.heddle_status {
	return adding(h, function == nil, from, to, out, e, func(w *wave, r heddle.Range) heddle.Hook {
		return w.w.OnStore(r, func(a *exec.Access) { w.access(h, function, user, a) })
	})
}

// access calls an access hook, with a structure in C memory that belongs to the wave.
func (w *wave) access(h C.heddle_wave, function C.heddle_access_hook, user unsafe.Pointer, a *exec.Access) {
	size := C.size_t(unsafe.Sizeof(C.heddle_access{})) + C.size_t(len(a.Data))
	if size > w.room {
		C.free(unsafe.Pointer(w.told))
		w.told, w.room = (*C.heddle_access)(C.malloc(size)), size
		if w.told == nil {
			panic(fmt.Sprintf("no memory for %d bytes", uint64(size)))
		}
	}
	data := unsafe.Add(unsafe.Pointer(w.told), unsafe.Sizeof(*w.told))
	copy(unsafe.Slice((*byte)(data), len(a.Data)), a.Data)
	*w.told = C.heddle_access{kind: C.int32_t(a.Kind), lane: C.int32_t(a.Lane), pc: C.uint64_t(a.PC), address: C.uint64_t(a.Addr), space: name(a.Space.String()),
		space_address: C.uint64_t(a.At), size: C.uint64_t(len(a.Data)), value: C.uint64_t(a.Value()), data: (*C.uint8_t)(data)}
	w.outside(func() { C.heddle_call_access(function, h, w.told, user) })
}

//export heddle_wave_on_fault
func heddle_wave_on_fault(h C.heddle_wave, function C.heddle_fault_hook, user unsafe.Pointer, out *C.heddle_hook, e **C.heddle_error) C.heddle_status {
	return adding(h, function == nil, 0, 0, out, e, func(w *wave, _ heddle.Range) heddle.Hook {
		return w.w.OnFault(func(f *exec.Fault) (again bool) {
			var b block
			defer b.drop()
			fault := faultOf(&b, f)
			w.outside(func() { again = C.heddle_call_fault(function, h, fault, user) != 0 })
			return again
		})
	})
}

//export heddle_wave_map_device
func heddle_wave_map_device(h C.heddle_wave, address, size C.uint64_t, read C.heddle_device_read, write C.heddle_device_write, user unsafe.Pointer,
	e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		var r, s func(offset uint64, p []byte)
		if read != nil {
			r = func(offset uint64, p []byte) {
				data := unsafe.Pointer(unsafe.SliceData(p))
				w.outside(func() { C.heddle_call_read(read, h, C.uint64_t(offset), data, C.size_t(len(p)), user) })
			}
		}
		if write != nil {
			s = func(offset uint64, p []byte) {
				data := unsafe.Pointer(unsafe.SliceData(p))
				w.outside(func() { C.heddle_call_write(write, h, C.uint64_t(offset), data, C.size_t(len(p)), user) })
			}
		}
		return w.w.MapDevice(uint64(address), uint64(size), r, s)
	})
}

//export heddle_wave_unhook
func heddle_wave_unhook(h C.heddle_wave, hook C.heddle_hook, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		found, ok := w.hooks[hook]
		if !ok {
			return fail(C.HEDDLE_ENOTFOUND, fmt.Errorf("the wave has no hook %d, or it was taken away", uint64(hook)))
		}
		delete(w.hooks, hook)
		w.w.Unhook(found)
		return nil
	})
}

// close ends the wave.
func (w *wave) close() {
	w.closed = true
	C.free(unsafe.Pointer(w.told))
	w.told, w.room = nil, 0
}
