//go:build linux && amd64

package drm

import "golang.org/x/sys/unix"

// An exportedBuffer is a buffer as descriptors stand for it. They show its size, but cannot be mapped: programs import
// them.
type exportedBuffer struct {
	dev *Device
	b   *Buffer
}

// Closed implements host.Object.
func (e exportedBuffer) Closed() { e.b.Release() }

type primeArgs struct {
	handle, flags uint32
	fd            int32
}

// Flags of PRIME_HANDLE_TO_FD.
const (
	primeCloexec = unix.O_CLOEXEC
	primeWrite   = unix.O_RDWR
)

// bufferExport answers PRIME_HANDLE_TO_FD.
func bufferExport(f *File, c *Call) error {
	a := Args[primeArgs](c)
	if a.flags&^(primeCloexec|primeWrite) != 0 {
		return unix.EINVAL
	}
	b := f.Take(a.handle)
	if b == nil {
		return unix.ENOENT
	}
	var err error
	a.fd, err = c.ExportSized(exportedBuffer{f.Device, b}, b.Size, a.flags&primeCloexec == 0)
	return err
}

// Take retains the buffer of a handle and returns it; nil if there is none.
func (f *File) Take(handle uint32) *Buffer {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.buffers[handle]
	if b != nil {
		b.Retain()
	}
	return b
}

// bufferImport answers PRIME_FD_TO_HANDLE. A file has one handle of a buffer, however often it imports it.
func bufferImport(f *File, c *Call) error {
	a := Args[primeArgs](c)
	e, ok := c.Exported(a.fd).(exportedBuffer)
	if !ok || e.dev != f.Device {
		return unix.EINVAL
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for handle, b := range f.buffers {
		if b == e.b {
			a.handle = handle
			return nil
		}
	}
	if !e.b.retainUsed() { // another thread has closed the descriptor, the last use
		return unix.EBADF
	}
	a.handle = f.newHandle()
	f.buffers[a.handle] = e.b
	return nil
}
