package hsa

import (
	"fmt"
	"unsafe"

	"github.com/heddle-gpu/heddle/mem"
)

// Where things lie. doc.go has the picture.
const (
	scratchBase  = 0x1000_0000
	scratchEnd   = 0xf000_0000
	codeBase     = 0x1_0000_0000
	queueAddr    = 0x2_0000_0000
	packetAddr   = 0x2_0001_0000
	kernargAddr  = 0x2_0002_0000
	printfAddr   = 0x2_0100_0000
	hostcallAddr = 0x2_0200_0000
	bufferBase   = 0x10_0000_0000

	sharedAperture  = 0x2000_0000 // high words of flat addresses
	privateAperture = 0x2000_0001
)

const (
	page = 4 << 10
	// guard is the room between two buffers in which an address belongs to neither.
	guard = 64 << 10
	// maxMemory bounds the buffers of one Memory, in bytes.
	maxMemory = 1 << 36
)

// A Memory is global memory that launches share: buffers whose addresses stay as they are.
type Memory struct {
	buffers []*Buffer
	next    uint64 // address of the next buffer
}

// A Buffer is a segment of global memory. Its address is a multiple of 4096, and one that Attach has made may lie up to 7 bytes behind.
type Buffer struct {
	Name     string
	Addr     uint64
	Data     []byte // guest and host see the same bytes
	ReadOnly bool   // for the guest
	room     []byte // Data as it was made, and behind it what wide loads may read
}

// widestLoad is the bytes of the largest load that compilers widen others to, which buffers are padded for.
const widestLoad = 64

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// NewMemory is memory without buffers.
func NewMemory() *Memory { return &Memory{next: bufferBase} }

// Alloc adds a buffer of zeros. Names are unique; a size of 0 is an error.
func (m *Memory) Alloc(name string, size int) (*Buffer, error) {
	if err := m.fits(name, size); err != nil {
		return nil, err
	}
	b := &Buffer{Name: name, Addr: m.next, room: mem.Alloc(roundUp(size, widestLoad))}
	b.Data = b.room[:size]
	m.add(b)
	return b, nil
}

// Attach adds a buffer that is data itself: the guest reads and writes the caller's bytes. Names are unique; no data are an error. Other than what Alloc makes it
// has no room behind its end into which wide loads may run.
func (m *Memory) Attach(name string, data []byte) (*Buffer, error) {
	if err := m.fits(name, len(data)); err != nil {
		return nil, err
	}
	off := uint64(uintptr(unsafe.Pointer(&data[0])) % mem.Align)
	b := &Buffer{Name: name, Addr: m.next + off, Data: data[:len(data):len(data)]}
	m.add(b)
	return b, nil
}

// fits reports that there cannot be another buffer of that name and size.
func (m *Memory) fits(name string, size int) error {
	if _, ok := m.Buffer(name); ok || name == "" {
		return fmt.Errorf("gcn: buffer %q: the name is empty or taken", name)
	}
	if size <= 0 || uint64(size) > maxMemory-(m.next-bufferBase) {
		return fmt.Errorf("gcn: buffer %q of %d bytes: want 1 or more, and at most %d of all buffers", name, size, uint64(maxMemory))
	}
	return nil
}

// add takes a buffer, and makes room for the next one.
func (m *Memory) add(b *Buffer) {
	m.buffers = append(m.buffers, b)
	m.next += (uint64(len(b.Data))+b.Addr%page+page-1)/page*page + guard
}

// Buffer is the buffer of a name.
func (m *Memory) Buffer(name string) (*Buffer, bool) {
	for _, b := range m.Buffers() {
		if b.Name == name {
			return b, true
		}
	}
	return nil, false
}

// Buffers are all buffers in the order of their addresses.
func (m *Memory) Buffers() []*Buffer {
	if m == nil {
		return nil
	}
	return m.buffers
}

// has is whether the buffer is one of m's own.
func (m *Memory) has(b *Buffer) bool {
	own, ok := m.Buffer(b.Name)
	return ok && own == b
}

// segments are the buffers as a space takes them.
func (m *Memory) segments() (segs []mem.Segment) {
	for _, b := range m.Buffers() {
		rights := mem.ReadWrite
		if b.ReadOnly {
			rights = mem.Read
		}
		g := mem.Segment{Name: b.Name, Base: b.Addr, Rights: rights, Data: b.Data}
		if len(b.room) > 0 && len(b.Data) > 0 && &b.room[0] == &b.Data[0] { // else the host has put others in their place
			g.Pad = len(b.room) - len(b.Data)
		}
		segs = append(segs, g)
	}
	return segs
}

// KernargAddr is where the arguments of every launch lie, if it has any.
const KernargAddr = kernargAddr
