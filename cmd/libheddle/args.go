//go:build cgo

package main

// #include <string.h>
// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"bytes"
	"fmt"
	"unsafe"
)

// maxBytes is above the size of any memory. Larger sizes are negative numbers, or garbage.
const maxBytes = 1 << 47

// maxOwn limits the bytes that are copied, or made, for one argument of the caller.
const maxOwn = 1 << 31

// null returns the error for a pointer that must not be NULL.
func null(what string) error { return invalid("%s is NULL", what) }

func invalid(format string, args ...any) error {
	return fail(C.HEDDLE_EINVALID, fmt.Errorf(format, args...))
}

// view returns n elements of the caller's memory, without a copy.
func view[T any](p *T, n C.size_t, what string) ([]T, error) {
	var zero T
	switch {
	case n == 0:
		return nil, nil
	case p == nil:
		return nil, invalid("%s is NULL, and should have %d elements", what, uint64(n))
	case uint64(n) > maxBytes/uint64(max(unsafe.Sizeof(zero), 1)):
		return nil, invalid("%s has %d elements, which is no size", what, uint64(n))
	}
	return unsafe.Slice(p, int(n)), nil
}

// bytesOf returns the caller's memory, without a copy.
func bytesOf(p unsafe.Pointer, n C.size_t, what string) ([]byte, error) {
	return view((*byte)(p), n, what)
}

// copied returns a copy of the caller's memory, whose size is limited to most bytes.
func copied(p unsafe.Pointer, n C.size_t, most uint64, what string) ([]byte, error) {
	if uint64(n) > most {
		return nil, invalid("%s has %d bytes; %d at most", what, uint64(n), most)
	}
	data, err := bytesOf(p, n, what)
	return bytes.Clone(data), err
}

// text returns a copy of the caller's text.
func text(p *C.char, n C.size_t, what string) (string, error) {
	if p == nil {
		if n == 0 {
			return "", nil
		}
		return "", null(what)
	}
	if n == ^C.size_t(0) {
		n = C.strlen(p)
	}
	if uint64(n) > maxOwn {
		return "", invalid("%s has %d bytes; %d at most", what, uint64(n), uint64(maxOwn))
	}
	s, err := view((*byte)(unsafe.Pointer(p)), n, what)
	return string(s), err
}

// word returns a copy of the caller's name; "" for NULL.
func word(p *C.char) string {
	if p == nil {
		return ""
	}
	return C.GoString(p)
}

// words returns copies of the caller's names.
func words(p **C.char, n C.size_t, what string) (list []string, err error) {
	ps, err := view(p, n, what)
	for i, p := range ps {
		if p == nil {
			return nil, null(fmt.Sprintf("%s[%d]", what, i))
		}
		list = append(list, C.GoString(p))
	}
	return list, err
}

// sized returns a copy of a structure of options, which starts with its size: fields that the caller's header does not
// have are 0. NULL means all 0.
func sized[T any](p *T, what string) (v T, err error) {
	if p == nil {
		return v, nil
	}
	own := unsafe.Sizeof(v)
	n := uintptr(*(*C.size_t)(unsafe.Pointer(p)))
	if n < unsafe.Sizeof(C.size_t(0)) || n > 1<<16 {
		return v, invalid("%s.struct_size is %d; want sizeof(%s), %d here", what, n, what, own)
	}
	from := unsafe.Slice((*byte)(unsafe.Pointer(p)), n)
	for i := own; i < n; i++ {
		if from[i] != 0 {
			return v, invalid("%s has members that this library does not know: it is older than the program's heddle.h", what)
		}
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), own), from)
	return v, nil
}
