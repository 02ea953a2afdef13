//go:build linux && amd64

package drm

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/mem"
)

// Shadow returns bytes for the shadow of a segment of a memory: as many, zero at first and when addresses are mapped
// anew, and the same for the same bytes, whatever the segment is; nil: the process may not have so much address space.
func (v *VM) Shadow(g *mem.Segment) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shadow == nil {
		p, err := unix.MmapPtr(-1, 0, nil, VMSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
		if err != nil {
			v.dev.Once("%d GiB of address space for the shadow of memory (see ulimit -v): %v; without it undefined values cannot be looked for, and dispatches fail: see --sanitize=-init", VMSize>>30, err)
			return nil
		}
		v.shadow = p
	}
	at := g.Base
	if off := uintptr(unsafe.Pointer(unsafe.SliceData(g.Data))) - uintptr(v.window); off < VMSize { // there may be two addresses
		at = uint64(off)
	}
	return unsafe.Slice((*byte)(unsafe.Add(v.shadow, at)), len(g.Data))
}

// clearShadow makes a range of addresses defined. v.mu is held.
func (v *VM) clearShadow(va, size uint64) {
	if v.shadow != nil {
		unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(v.shadow, va)), size), unix.MADV_DONTNEED)
	}
}
