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

// maxBytes is more than any memory has. What is longer is a negative number, or none at all.
const maxBytes = 1 << 47

// maxOwn is the most bytes that are copied, or made, for one argument of the caller.
const maxOwn = 1 << 31

// null is the error of a pointer that must not be NULL.
func null(what string) error { return invalid("%s is NULL", what) }

func invalid(format string, args ...any) error {
	return fail(C.HEDDLE_EINVALID, fmt.Errorf(format, args...))
}

// view is n elements of the caller's memory, as they are.
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

// bytesOf is the caller's memory, as it is.
func bytesOf(p unsafe.Pointer, n C.size_t, what string) ([]byte, error) {
	return view((*byte)(p), n, what)
}

// copied is a copy of the caller's memory, which has at most so many bytes.
func copied(p unsafe.Pointer, n C.size_t, most uint64, what string) ([]byte, error) {
	if uint64(n) > most {
		return nil, invalid("%s has %d bytes; %d at most", what, uint64(n), most)
	}
	data, err := bytesOf(p, n, what)
	return bytes.Clone(data), err
}

// text is a copy of a text of the caller.
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

// word is a copy of a name of the caller; "" for NULL.
func word(p *C.char) string {
	if p == nil {
		return ""
	}
	return C.GoString(p)
}

// words are copies of names of the caller.
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

// sized is a copy of a structure of options, which begins with its size: what the caller's header does not have is 0. NULL is all 0.
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
