//go:build linux && amd64

package drm

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/mem"
)

// Shadow returns bytes for the shadow of a segment of a memory: as many, zero at first and when addresses are mapped
// anew, and the same for the same bytes, whatever the segment is.
func (v *VM) Shadow(g *mem.Segment) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shadow == nil {
		p, err := unix.MmapPtr(-1, 0, nil, VMSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
		if err != nil {
			v.dev.Once("%d GiB of address space for the shadow of memory (see ulimit -v): %v; undefined values are lost when a dispatch ends", VMSize>>30, err)
			return mem.NewSegment(g.Name, g.Base, len(g.Data), mem.ReadWrite).Data
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
