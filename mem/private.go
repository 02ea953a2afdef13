package mem

import (
	"fmt"
	"math/bits"
)

// A Private is the private memory of all lanes of a wave, in one block. Every lane accesses its part at the same
// addresses. It has one segment per lane, and no Miss.
type Private struct {
	Space string // first word of a fault's text
	Extent
	Lanes int
	Data  []byte // see Offset

	unit   uint64 // bytes of a lane that are contiguous; 0: all
	shift  uint8  // of unit
	stride uint64 // bytes between the first bytes of two consecutive lanes
	skew   uint64 // of the first lane's first byte
	served []lanePart
}

// NewPrivate makes zeroed private memory, with extent e for each lane. With unit 0 the bytes of a lane are
// contiguous. With a power of two, memory is interleaved: unit bytes of each lane in turn, then the next unit of
// each, so that lanes that access the same address access contiguous memory. Units start at the multiple of unit at
// or below e.Base.
func NewPrivate(e Extent, lanes, unit int) (*Private, error) {
	switch {
	case lanes < 1 || lanes > maxLanes:
		return nil, fmt.Errorf("mem: private memory of %d lanes; want 1 to %d", lanes, maxLanes)
	case e.Size == 0 || e.Size > maxPrivate/maxLanes:
		return nil, fmt.Errorf("mem: private memory of %d bytes a lane; want 1 to %d", e.Size, maxPrivate/maxLanes)
	case e.Base+e.Size-1 < e.Base:
		return nil, fmt.Errorf("mem: private memory: %#x bytes at %#x wrap around", e.Size, e.Base)
	case unit < 0 || unit&(unit-1) != 0:
		return nil, fmt.Errorf("mem: private memory in units of %d bytes; want a power of two, or 0", unit)
	}
	p := &Private{Extent: e, Lanes: lanes, unit: uint64(unit)}
	if unit == 0 {
		p.skew = e.Base % Align
		p.stride = (p.skew + e.Size + Align - 1) / Align * Align
		p.Data = Alloc(lanes * int(p.stride))
		return p, nil
	}
	p.shift = uint8(bits.TrailingZeros64(p.unit))
	p.skew = e.Base % p.unit
	p.Data = Alloc(lanes * int((p.skew+e.Size+p.unit-1)/p.unit*p.unit))
	p.served = make([]lanePart, lanes)
	for i := range p.served {
		p.served[i] = lanePart{p, i}
	}
	return p, nil
}

const (
	maxLanes   = 64
	maxPrivate = 1 << 36 // bytes of all lanes
)

// Offset returns the index in Data of the byte at addr of a lane. addr must be in the extent.
func (p *Private) Offset(lane int, addr uint64) int {
	at := addr - p.Base + p.skew
	if p.unit == 0 {
		return lane*int(p.stride) + int(at)
	}
	return (int(at>>p.shift)*p.Lanes+lane)<<p.shift + int(at&(p.unit-1))
}

// Reach is Space.Reach in the memory of a lane. An access across the end of a unit returns a Device that stands for
// the lane's memory.
func (p *Private) Reach(lane int, addr, size, align uint64, want Rights) (Place, *Fault) {
	off := addr - p.Base
	switch {
	case align > 1 && addr&(align-1) != 0:
		return Place{}, p.fault(Misaligned, addr, size, align, want)
	case off >= p.Size || size > p.Size-off || lane >= p.Lanes:
		return Place{}, p.fault(OutOfRange, addr, size, 0, want)
	}
	if no := want &^ p.Rights; no != 0 {
		return Place{}, p.fault(refusal(no), addr, size, 0, want)
	}
	at := p.Offset(lane, addr)
	if p.unit == 0 || (off+p.skew)&(p.unit-1)+size <= p.unit {
		return Place{Bytes: p.Data[at : at+int(size) : at+int(size)]}, nil
	}
	return Place{Device: &p.served[lane], Addr: addr}, nil
}

func (p *Private) fault(kind FaultKind, addr, size, align uint64, want Rights) *Fault {
	e := p.Extent
	return &Fault{Kind: kind, Space: p.Space, Op: accessName(want), Addr: addr, Size: size, Align: align, Nearest: &e}
}

// A lanePart is the memory of one lane where it is not contiguous: a Device.
type lanePart struct {
	p    *Private
	lane int
}

func (l *lanePart) Load(addr uint64, b []byte) {
	for i := range b {
		b[i] = l.p.Data[l.p.Offset(l.lane, addr+uint64(i))]
	}
}

func (l *lanePart) Store(addr uint64, b []byte) {
	for i := range b {
		l.p.Data[l.p.Offset(l.lane, addr+uint64(i))] = b[i]
	}
}

// Atomic needs no lock: a lane's memory is private.
func (l *lanePart) Atomic(addr uint64, size int, op AtomicOp, data, cmp uint64) (old uint64) {
	var b [8]byte
	l.Load(addr, b[:size])
	old = Load(b[:size])
	Store(b[:size], op.Apply(8*size, old, data, cmp))
	l.Store(addr, b[:size])
	return old
}
