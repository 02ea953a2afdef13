package gcn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/heddle-gpu/heddle/mem"
)

// Addresses; doc.go has a table of them.
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

// SharedBase and PrivateBase are the first flat addresses of LDS and of scratch: 4 GiB each.
const (
	SharedBase  = sharedAperture << 32
	PrivateBase = privateAperture << 32
)

// kernargName is the name of the segment of the arguments.
const kernargName = "kernel arguments"

const (
	page = 4 << 10
	// guard is the gap between two buffers, which belongs to neither.
	guard = 64 << 10
	// maxMemory limits the buffers of one Memory, in bytes.
	maxMemory = 1 << 36
)

// A Memory is global memory that launches share: buffers whose addresses do not change.
type Memory struct {
	buffers []*Buffer
	next    uint64 // address of the next buffer
	total   uint64 // bytes of buffers, with the gaps between them
}

// A Buffer is a segment of global memory. Its address is a multiple of 4096; that of a buffer from Attach may be up to
// 7 bytes higher.
type Buffer struct {
	Name     string
	Addr     uint64
	Data     []byte // guest and host see the same bytes
	ReadOnly bool   // for the guest
	Unset    bool   // nothing has set the bytes: a sanitizer takes them as undefined
	// Uses is what the guest is declared to do with it; 0: anything. Other accesses happen and are recorded.
	Uses mem.Rights
	room []byte // Data as it was allocated, followed by padding that wide loads may read
}

// Init sets the first bytes of a new buffer.
func (b *Buffer) Init(data []byte) { mem.CopyNew(b.Data, data) }

// widestLoad is the size in bytes of the largest load to which compilers widen others; buffers are padded for it.
const widestLoad = 64

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// NewMemory returns memory without buffers.
func NewMemory() *Memory { return &Memory{next: bufferBase} }

// Alloc adds a buffer of zeros. Names are unique; a size of 0 is an error.
func (m *Memory) Alloc(name string, size int) (*Buffer, error) {
	if err := m.fits(name, size); err != nil {
		return nil, err
	}
	b := &Buffer{Name: name, Addr: m.place(size), room: mem.Alloc(roundUp(size, widestLoad))}
	b.Data = b.room[:size]
	m.add(b)
	return b, nil
}

// AllocAt adds a buffer of zeros at an address, a multiple of 8: for code that knows the addresses of its memory, as
// drivers place it. It is an error if another buffer overlaps it, or if it is outside the free ranges: from 4096 up to
// 0x1000_0000, from 0xf000_0000 up to 0x1_0000_0000 and from 0x10_0000_0000 up to 2^47. The rest belongs to code,
// arguments and scratch; doc.go has a table.
func (m *Memory) AllocAt(name string, addr uint64, size int) (*Buffer, error) {
	if err := m.fits(name, size); err != nil {
		return nil, err
	}
	end := addr + uint64(size)
	switch {
	case addr%mem.Align != 0:
		return nil, fmt.Errorf("gcn: buffer %q at %#x: want a multiple of %d", name, addr, mem.Align)
	case !isFree(addr, uint64(size)):
		return nil, fmt.Errorf("gcn: buffer %q at %#x to %#x: want an address from %s", name, addr, end, freeText())
	}
	if b := m.meets(addr, end); b != nil {
		return nil, fmt.Errorf("gcn: buffer %q at %#x to %#x overlaps %q at %#x", name, addr, end, b.Name, b.Addr)
	}
	b := &Buffer{Name: name, Addr: addr, room: mem.Alloc(roundUp(size, widestLoad))}
	b.Data = b.room[:size]
	m.buffers = append(m.buffers, b)
	slices.SortStableFunc(m.buffers, func(a, b *Buffer) int { return cmp.Compare(a.Addr, b.Addr) })
	m.total += uint64(size)
	return b, nil
}

// freeRanges are the ranges in which AllocAt may place buffers. A code object that is at codeBase takes part of one: a
// launch refuses buffers that overlap it.
var freeRanges = [...][2]uint64{{page, scratchBase}, {scratchEnd, queueAddr}, {bufferBase, 1 << 47}}

// isFree reports whether a range of addresses is in one of freeRanges.
func isFree(addr, size uint64) bool {
	return slices.ContainsFunc(freeRanges[:], func(r [2]uint64) bool { return addr >= r[0] && addr <= r[1] && size <= r[1]-addr })
}

func freeText() string {
	var list []string
	for _, r := range freeRanges {
		list = append(list, fmt.Sprintf("%#x up to %#x", r[0], r[1]))
	}
	return strings.Join(list, ", ")
}

// meets returns a buffer that overlaps the range between two addresses; nil if there is none.
func (m *Memory) meets(from, to uint64) *Buffer {
	for _, b := range m.buffers {
		if b.Addr < to && from < b.Addr+uint64(len(b.Data)) {
			return b
		}
	}
	return nil
}

// Attach adds a buffer backed by data: the guest reads and writes the caller's bytes. Names are unique; it is an error
// if data is empty. Unlike a buffer from Alloc it has no padding at its end for wide loads.
func (m *Memory) Attach(name string, data []byte) (*Buffer, error) {
	if err := m.fits(name, len(data)); err != nil {
		return nil, err
	}
	off := uint64(uintptr(unsafe.Pointer(&data[0])) % mem.Align)
	b := &Buffer{Name: name, Addr: m.place(len(data)) + off, Data: data[:len(data):len(data)]}
	m.add(b)
	return b, nil
}

// fits returns an error if another buffer of that name and size cannot be added.
func (m *Memory) fits(name string, size int) error {
	if _, ok := m.Buffer(name); ok || name == "" {
		return fmt.Errorf("gcn: buffer %q: the name is empty or taken", name)
	}
	if size <= 0 || uint64(size) > maxMemory-m.total {
		return fmt.Errorf("gcn: buffer %q of %d bytes: want 1 or more, and at most %d of all buffers", name, size, uint64(maxMemory))
	}
	return nil
}

// place returns the address of the next buffer of that size, after any that AllocAt has placed there.
func (m *Memory) place(size int) uint64 {
	for {
		b := m.meets(m.next-guard, m.next+uint64(size)+page+guard)
		if b == nil {
			return m.next
		}
		m.next = (b.Addr+uint64(len(b.Data))+page-1)/page*page + guard
	}
}

// add adds a buffer and advances the address of the next one.
func (m *Memory) add(b *Buffer) {
	m.buffers = append(m.buffers, b)
	slices.SortStableFunc(m.buffers, func(a, b *Buffer) int { return cmp.Compare(a.Addr, b.Addr) })
	taken := (uint64(len(b.Data))+b.Addr%page+page-1)/page*page + guard
	m.next += taken
	m.total += taken
}

// Buffer returns the buffer of a name.
func (m *Memory) Buffer(name string) (*Buffer, bool) {
	for _, b := range m.Buffers() {
		if b.Name == name {
			return b, true
		}
	}
	return nil, false
}

// Buffers returns all buffers in the order of their addresses.
func (m *Memory) Buffers() []*Buffer {
	if m == nil {
		return nil
	}
	return m.buffers
}

// has reports whether the buffer belongs to m.
func (m *Memory) has(b *Buffer) bool {
	own, ok := m.Buffer(b.Name)
	return ok && own == b
}

// segments returns the buffers as segments of a space.
func (m *Memory) segments() (segs []mem.Segment) {
	list := m.Buffers()
	for i, b := range list {
		rights := mem.ReadWrite
		if b.ReadOnly {
			rights = mem.Read
		}
		g := mem.Segment{Name: b.Name, Base: b.Addr, Rights: rights, Data: b.Data}
		g.Declare(b.Uses)
		if b.Unset {
			g.Unset = [][2]int{{0, len(b.Data)}}
		}
		if len(b.room) > 0 && len(b.Data) > 0 && &b.room[0] == &b.Data[0] { // otherwise the host has replaced the data
			g.Pad = len(b.room) - len(b.Data)
			if i+1 < len(list) { // AllocAt may have placed it directly after this one
				g.Pad = int(min(uint64(g.Pad), list[i+1].Addr-b.Addr-uint64(len(b.Data))))
			}
		}
		segs = append(segs, g)
	}
	return segs
}

// ScratchAddr is the address of the scratch of the first wave of each group.
const ScratchAddr = scratchBase

// KernargAddr is the address of the arguments of every launch that has any.
const KernargAddr = kernargAddr
