package mem

import (
	"syscall"
	"unsafe"
)

// advise requests large pages for large memory, because guest code accesses it in patterns that exceed the TLB with
// small pages. If the system has none, or refuses, nothing changes, so the error is ignored.
func advise(data []byte) {
	const page = 1 << 21
	first := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	skip := int(-first & (page - 1))
	if n := (len(data) - skip) &^ (page - 1); len(data) >= minHuge && n > 0 {
		_ = syscall.Madvise(data[skip:skip+n], syscall.MADV_HUGEPAGE)
	}
}
