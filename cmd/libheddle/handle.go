//go:build cgo

package main

// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle"
)

// A table maps handles to objects. The low half of a handle is the number of a slot, the high half the generation of
// the slot, so that no handle is used twice. A slot whose generations are exhausted is not used again.
type table struct {
	mu    sync.RWMutex
	slots []slot
	free  []uint32 // slots without an object
	used  int
}

type slot struct {
	generation uint32 // of the current or next object; from 1
	object     any
}

var objects table

// open makes a handle.
func (t *table) open(object any) C.uint64_t {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) == 0 {
		t.free = append(t.free, uint32(len(t.slots)))
		t.slots = append(t.slots, slot{generation: 1})
	}
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	t.slots[i].object = object
	t.used++
	return C.uint64_t(t.slots[i].generation)<<32 | C.uint64_t(i)
}

// find returns the object of a handle; nil if there is none.
func (t *table) find(h C.uint64_t) any {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if i := uint32(h); uint64(i) < uint64(len(t.slots)) && t.slots[i].generation == uint32(h>>32) {
		return t.slots[i].object
	}
	return nil
}

// remove removes an object from the table; it returns false if it is not there any more.
func (t *table) remove(h C.uint64_t) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := uint32(h)
	if uint64(i) >= uint64(len(t.slots)) || t.slots[i].generation != uint32(h>>32) || t.slots[i].object == nil {
		return false
	}
	t.slots[i].object = nil
	t.used--
	if t.slots[i].generation++; t.slots[i].generation != 0 { // else the slot's generations are exhausted
		t.free = append(t.free, i)
	}
	return true
}

func (t *table) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.used
}

// get returns the object of a handle if it has that type.
func get[T any](h C.uint64_t) (object T, err error) {
	found := objects.find(h)
	if found == nil {
		return object, fail(C.HEDDLE_EHANDLE, fmt.Errorf("%#x is no handle, or was closed; want that of a %s", uint64(h), kindOf(object)))
	}
	object, ok := found.(T)
	if !ok {
		return object, fail(C.HEDDLE_EHANDLE, fmt.Errorf("%#x is the handle of a %s; want that of a %s", uint64(h), kindOf(found), kindOf(object)))
	}
	return object, nil
}

// kindOf returns the header's name for handles of an object.
func kindOf(object any) string {
	switch object.(type) {
	case *heddle.ISA:
		return "heddle_isa"
	case *wave:
		return "heddle_wave"
	case *module:
		return "heddle_module"
	case *heddle.Saved:
		return "heddle_saved"
	}
	return fmt.Sprintf("%T", object)
}

//export heddle_close
func heddle_close(h C.uint64_t) C.heddle_status {
	return guard(nil, func() error {
		found := objects.find(h)
		if w, ok := found.(*wave); ok {
			return w.use(func() error {
				if w.w.Running() {
					return fail(C.HEDDLE_EBUSY, errors.New("the wave is running"))
				}
				w.close()
				objects.remove(h)
				return nil
			})
		}
		if found == nil || !objects.remove(h) {
			return fail(C.HEDDLE_EHANDLE, fmt.Errorf("%#x is no handle, or was closed", uint64(h)))
		}
		return nil
	})
}

//export heddle_live
func heddle_live(handles, blocks *C.size_t) {
	if handles != nil {
		*handles = C.size_t(objects.len())
	}
	if blocks != nil {
		*blocks = C.size_t(given.len())
	}
}
