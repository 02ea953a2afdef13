//go:build linux && amd64

package drm

import (
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

// A Buffer is memory of the device.
type Buffer struct {
	Handle    uint32 // that it was made with
	Off, Size uint64 // in the arena
	Asked     uint64 // what of it is in use
	Align     uint64
	Domains   uint64 // of the vendor
	Flags     uint64

	dev  *Device
	heap *Heap
	mu   sync.Mutex
	meta any          // see Metadata
	uses atomic.Int32 // handles, mappings, work that may access it
}

// A Heap is a kind of memory, of limited size, that all files of a device share.
type Heap struct {
	Size uint64
	used atomic.Uint64
}

// Used returns how much of it is allocated.
func (h *Heap) Used() uint64 { return h.used.Load() }

// take allocates some of the heap if it has room.
func (h *Heap) take(size uint64) bool {
	for {
		used := h.used.Load()
		if size > h.Size-used {
			return false
		}
		if h.used.CompareAndSwap(used, used+size) {
			return true
		}
	}
}

func (h *Heap) give(size uint64) { h.used.Add(-size) }

// Alloc allocates a buffer without a handle in the first heap with room. Release frees it.
func (d *Device) Alloc(size, align uint64, heaps ...*Heap) (*Buffer, error) {
	if size == 0 || size > VMSize {
		return nil, unix.ENOMEM
	}
	asked := size
	size = host.RoundUp(size)
	in := slices.IndexFunc(heaps, func(h *Heap) bool { return h.take(size) })
	if in < 0 {
		return nil, unix.ENOMEM
	}
	off, ok := d.Arena.Alloc(size, align)
	if !ok {
		heaps[in].give(size)
		return nil, unix.ENOMEM
	}
	b := &Buffer{Off: off, Size: size, Asked: asked, Align: align, dev: d, heap: heaps[in]}
	b.uses.Store(1)
	return b, nil
}

// NewBuffer allocates a buffer in the first heap with room, and returns it with its handle.
func (f *File) NewBuffer(size, align uint64, heaps ...*Heap) (*Buffer, uint32, error) {
	b, err := f.Alloc(size, align, heaps...)
	if err != nil {
		return nil, 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b.Handle = f.newHandle()
	f.buffers[b.Handle] = b
	return b, b.Handle, nil
}

// Buffer returns the buffer of a handle; nil if there is none.
func (f *File) Buffer(handle uint32) *Buffer {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.buffers[handle]
}

// Bytes is the memory of the buffer.
func (b *Buffer) Bytes() []byte { return b.dev.Arena.Bytes(b.Off, b.Size) }

// Metadata calls do with what drivers have attached for other users of the buffer; nil if nothing.
func (b *Buffer) Metadata(do func(m *any) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return do(&b.meta)
}

// Retain keeps the memory until Release.
func (b *Buffer) Retain() { b.uses.Add(1) }

// retainUsed is Retain if there is a use; false: the memory is freed already.
func (b *Buffer) retainUsed() bool {
	for {
		n := b.uses.Load()
		if n == 0 || b.uses.CompareAndSwap(n, n+1) {
			return n != 0
		}
	}
}

// Release ends a use; the last one frees the memory.
func (b *Buffer) Release() {
	if b.uses.Add(-1) == 0 {
		if err := b.dev.Arena.Free(b.Off, b.Size); err != nil {
			b.dev.Log("%v", err)
		}
		b.heap.give(b.Size)
	}
}
