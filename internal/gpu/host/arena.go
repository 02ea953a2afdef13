//go:build linux && amd64

package host

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// arenaSize is the size of an arena's address range in bytes. Only pages that are used take memory.
const arenaSize = 1 << 40

// PageSize is the size in bytes of what an arena allocates in.
const PageSize = 4096

// An Arena is the memory of a device: one sparse file of shared memory. Programs map parts of it by mmap of a
// descriptor; the device accesses it by Bytes.
type Arena struct {
	fd   int
	ino  uint64
	dev  uint64
	base unsafe.Pointer

	mu   sync.Mutex
	free []span // by offset; never adjacent
	used uint64
}

type span struct{ off, size uint64 }

// NewArena creates an arena.
func NewArena(name string) (*Arena, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("device memory: memfd_create: %w", err)
	}
	a := &Arena{fd: fd, free: []span{{PageSize, arenaSize - PageSize}}} // offset 0 means none
	if err := a.init(); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("device memory: %w", err)
	}
	return a, nil
}

func (a *Arena) init() error {
	if err := unix.Ftruncate(a.fd, arenaSize); err != nil {
		return fmt.Errorf("a sparse file of %d GiB: %w", arenaSize>>30, err)
	}
	// Otherwise a program could shrink it, and an access of the device would be a bus error.
	if _, err := unix.FcntlInt(uintptr(a.fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return fmt.Errorf("sealing: %w", err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(a.fd, &st); err != nil {
		return err
	}
	a.ino, a.dev = st.Ino, st.Dev
	base, err := unix.MmapPtr(a.fd, 0, nil, arenaSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("mapping %d GiB of address space (see ulimit -v): %w", arenaSize>>30, err)
	}
	a.base = base
	return nil
}

// Close unmaps the arena.
func (a *Arena) Close() {
	unix.MunmapPtr(a.base, arenaSize)
	unix.Close(a.fd)
}

// Bytes returns the memory at an offset.
func (a *Arena) Bytes(off, size uint64) []byte {
	if off > arenaSize || size > arenaSize-off {
		panic(fmt.Sprintf("host: %#x bytes at %#x of an arena", size, off))
	}
	return unsafe.Slice((*byte)(unsafe.Add(a.base, off)), size)
}

// Used returns the number of bytes that are allocated.
func (a *Arena) Used() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}

// Alloc allocates zeroed memory and returns its offset; size is rounded up to pages, align is a power of two. ok is
// false if there is no room.
func (a *Arena) Alloc(size, align uint64) (off uint64, ok bool) {
	size, align = RoundUp(size), max(align, PageSize)
	if size == 0 || size > arenaSize || align > arenaSize || align&(align-1) != 0 {
		return 0, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, s := range a.free {
		at := (s.off + align - 1) &^ (align - 1)
		if end := s.off + s.size; at >= end || end-at < size {
			continue
		}
		parts := make([]span, 0, 2)
		if at > s.off {
			parts = append(parts, span{s.off, at - s.off})
		}
		if rest := s.off + s.size - at - size; rest > 0 {
			parts = append(parts, span{at + size, rest})
		}
		a.free = slices.Replace(a.free, i, i+1, parts...)
		a.used += size
		return at, true
	}
	return 0, false
}

// Free returns memory of Alloc and its pages.
func (a *Arena) Free(off, size uint64) error {
	size = RoundUp(size)
	if err := unix.Fallocate(a.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(off), int64(size)); err != nil {
		return fmt.Errorf("device memory: punching a hole: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i, _ := slices.BinarySearchFunc(a.free, off, func(s span, off uint64) int {
		if s.off < off {
			return -1
		}
		return 1
	})
	a.used -= size
	a.free = slices.Insert(a.free, i, span{off, size})
	if i+1 < len(a.free) && off+size == a.free[i+1].off {
		a.free[i].size += a.free[i+1].size
		a.free = slices.Delete(a.free, i+1, i+2)
	}
	if i > 0 && a.free[i-1].off+a.free[i-1].size == off {
		a.free[i-1].size += a.free[i].size
		a.free = slices.Delete(a.free, i, i+1)
	}
	return nil
}

// MapInto maps memory of the arena at an address of this process in place of what is there, atomically for threads
// that access it.
func (a *Arena) MapInto(addr unsafe.Pointer, off, size uint64) error {
	_, err := unix.MmapPtr(a.fd, int64(off), addr, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return err
}

// RoundUp rounds a number of bytes up to whole pages.
func RoundUp(n uint64) uint64 { return (n + PageSize - 1) &^ (PageSize - 1) }
