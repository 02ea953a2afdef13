package mem

import (
	"syscall"
	"unsafe"
)

// advise asks the system for large pages where the bytes are many: guest code goes about in them so that a processor's table of pages is soon
// full of small ones. A system that has none, or refuses, leaves the bytes as they are, so what it says does not matter.
func advise(data []byte) {
	const page = 1 << 21
	first := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	skip := int(-first & (page - 1))
	if n := (len(data) - skip) &^ (page - 1); len(data) >= minHuge && n > 0 {
		_ = syscall.Madvise(data[skip:skip+n], syscall.MADV_HUGEPAGE)
	}
}
