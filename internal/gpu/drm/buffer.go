//go:build linux && amd64

package drm

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A Buffer is memory of the device.
type Buffer struct {
	Handle    uint32 // that it was made with
	Off, Size uint64 // in the arena
	Align     uint64
	Domains   uint64 // of the vendor
	Flags     uint64

	dev  *Device
	mu   sync.Mutex
	meta any          // see Metadata
	uses atomic.Int32 // handles, mappings, work that may access it
}

// NewBuffer allocates a buffer and returns it with its handle.
func (f *File) NewBuffer(size, align uint64) (*Buffer, uint32, error) {
	off, ok := f.Arena.Alloc(size, align)
	if !ok {
		return nil, 0, unix.ENOMEM
	}
	b := &Buffer{Off: off, Size: (size + 4095) &^ 4095, Align: align, dev: f.Device}
	b.uses.Store(1)
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

// Release ends a use; the last one frees the memory.
func (b *Buffer) Release() {
	if b.uses.Add(-1) == 0 {
		if err := b.dev.Arena.Free(b.Off, b.Size); err != nil {
			b.dev.Log("%v", err)
		}
	}
}
