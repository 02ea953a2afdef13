//go:build cgo

package main

// #include <stdlib.h>
// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"
)

// A block is a result in C memory: a structure and everything that it points to. It is freed as a whole.
type block struct {
	chunks []unsafe.Pointer // the first is the one that the caller knows
	at     unsafe.Pointer   // free space in the last one
	left   uintptr
}

// chunkBytes is the least size requested from C: most results fit in it.
const chunkBytes = 1 << 10

// alloc returns zeroed memory aligned to 8 bytes.
func (b *block) alloc(size uintptr) unsafe.Pointer {
	size = (size + 7) &^ 7
	if size > b.left {
		n := max(size, chunkBytes)
		b.at = C.calloc(1, C.size_t(n))
		if b.at == nil {
			panic(fmt.Sprintf("no memory for %d bytes", n))
		}
		b.chunks, b.left = append(b.chunks, b.at), n
	}
	p := b.at
	b.at, b.left = unsafe.Add(b.at, size), b.left-size
	return p
}

// drop frees a block that was never passed to the caller.
func (b *block) drop() {
	for _, c := range b.chunks {
		C.free(c)
	}
	b.chunks, b.left = nil, 0
}

// place allocates n values of type T.
func place[T any](b *block, n int) []T {
	var zero T
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(b.alloc(unsafe.Sizeof(zero)*uintptr(n))), n)
}

// bytes returns a copy.
func (b *block) bytes(data []byte) unsafe.Pointer {
	p := b.alloc(uintptr(len(data)) + 1) // followed by a zero byte
	copy(unsafe.Slice((*byte)(p), len(data)), data)
	return p
}

// text returns a zero-terminated copy.
func (b *block) text(s string) *C.char {
	return (*C.char)(b.bytes(unsafe.Slice(unsafe.StringData(s), len(s))))
}

// texts returns pointers to copies.
func (b *block) texts(list []string) (**C.char, C.size_t) {
	ps := place[*C.char](b, len(list))
	for i, s := range list {
		ps[i] = b.text(s)
	}
	return unsafe.SliceData(ps), C.size_t(len(list))
}

// blocks are the blocks that the caller has not freed, by address.
type blocks struct {
	mu  sync.Mutex
	all map[unsafe.Pointer][]unsafe.Pointer
}

var given = blocks{all: map[unsafe.Pointer][]unsafe.Pointer{}}

// give passes a block to the caller.
func (r *blocks) give(b *block) unsafe.Pointer {
	p := b.chunks[0]
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[p] = b.chunks
	return p
}

// take frees a block; it returns false if p is none.
func (r *blocks) take(p unsafe.Pointer) bool {
	r.mu.Lock()
	chunks, ok := r.all[p]
	delete(r.all, p)
	r.mu.Unlock()
	for _, c := range chunks {
		C.free(c)
	}
	return ok
}

func (r *blocks) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all)
}

//export heddle_free
func heddle_free(p unsafe.Pointer) C.heddle_status {
	return guard(nil, func() error {
		if p != nil && !given.take(p) {
			return fail(C.HEDDLE_EHANDLE, fmt.Errorf("%p is no block of the library, or was given back", p))
		}
		return nil
	})
}

// result makes a structure with everything that it points to and stores its address in out. fill writes it.
func result[T any](out **T, fill func(b *block, v *T) error) error {
	if out == nil {
		return null("the place for the result")
	}
	var b block
	v := &place[T](&b, 1)[0]
	done := false
	defer func() {
		if !done {
			b.drop()
		}
	}()
	if err := fill(&b, v); err != nil {
		return err
	}
	given.give(&b)
	*out, done = v, true
	return nil
}

// textResult is result for a text.
func textResult(out **C.char, s string) error {
	if out == nil {
		return null("the place for the result")
	}
	var b block
	p := b.text(s)
	given.give(&b)
	*out = p
	return nil
}

// names are texts that live as long as the process, as C requires: texts of tables, of which there is a limited number.
var names = struct {
	sync.RWMutex
	all map[string]*C.char
}{all: map[string]*C.char{}}

func name(s string) *C.char {
	names.RLock()
	p := names.all[s]
	names.RUnlock()
	if p != nil {
		return p
	}
	names.Lock()
	defer names.Unlock()
	if p = names.all[s]; p == nil {
		p = C.CString(s)
		names.all[strings.Clone(s)] = p
	}
	return p
}
