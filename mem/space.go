// Package mem holds guest memory: address spaces made of segments, the rights and bounds
// checks of every access, and atomic operations on what the checks let through. It also
// holds what is read through units instead of by address: textures ([Unit]), whose texels
// are host memory of their own, and attributes ([Stream]), which lie in a space. How an
// instruction set names them is not its business; what units of different chips do
// differently is said by fields ([Rules]), never by the name of a chip.
//
// A Space is one list of segments: global memory, a constant bank, the local memory of a
// group. An access is valid if the whole of it lies in one segment that grants the right;
// anything else is a *Fault, and host memory is not touched. What a fault leads to (trap,
// robust, sanitize) is for the engine to decide, and so are alignment rules, which differ
// by instruction set: At accepts any address, AtAligned does not.
//
// A Space is built before a run and only read while one goes on, so any number of
// goroutines may share it. Each of them brings its own Cursor, which remembers the segment
// of the access before. Contents of segments are guest memory: two goroutines that write
// the same bytes race unless both go through Atomic.
//
//	var c mem.Cursor
//	w, fault := space.At(&c, addr, 4, mem.Read)
//	if fault != nil {
//		return fault // load of 4 bytes at 0x1ffe: ends past "out" (0x1000-0x2000)
//	}
//	v := mem.Load(w)
package mem

import (
	"fmt"
	"sort"
	"unsafe"
)

// Rights says what may be done to a segment, and what an access wants to do.
type Rights uint8

// An atomic access wants ReadWrite.
const (
	Read      Rights = 1 << iota
	Write            // write without Read: a load faults with NoRead
	ReadWrite = Read | Write
)

// Align is the host alignment of what Alloc returns, and the alignment that a segment's
// data shares with its base: guest and host addresses are equal modulo Align.
const Align = 8

// A Segment is a contiguous run of guest memory.
type Segment struct {
	Name   string // unique in its space; shown in faults
	Base   uint64 // guest address of Data[0]
	Rights Rights
	Data   []byte // its length is the segment's size
}

// Limit is the first address after the segment; 0 if the segment ends with the last
// byte of the address space.
func (g *Segment) Limit() uint64 { return g.Base + uint64(len(g.Data)) }

// last is the address of the last byte.
func (g *Segment) last() uint64 { return g.Base + uint64(len(g.Data)) - 1 }

// Extent is the segment without its contents.
func (g *Segment) Extent() Extent { return Extent{g.Name, g.Base, uint64(len(g.Data)), g.Rights} }

// An Extent is where a segment lies, or lay before it ended.
type Extent struct {
	Name   string
	Base   uint64 // guest address of the first byte
	Size   uint64 // in bytes, at least 1
	Rights Rights
}

// String is the form used in faults: "out" (0x1000-0x2000).
func (e Extent) String() string {
	if e.Base+e.Size == 0 {
		return fmt.Sprintf("%q (%#x-0x10000000000000000)", e.Name, e.Base)
	}
	return fmt.Sprintf("%q (%#x-%#x)", e.Name, e.Base, e.Base+e.Size)
}

// Alloc returns size zero bytes whose host address is a multiple of Align.
func Alloc(size int) []byte {
	if size <= 0 {
		return []byte{}
	}
	words := make([]uint64, (size-1)/Align+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*Align)[:size:size]
}

// NewSegment returns a zeroed segment of size bytes that satisfies Add for any base.
func NewSegment(name string, base uint64, size int, rights Rights) Segment {
	skew := int(base % Align)
	return Segment{Name: name, Base: base, Rights: rights, Data: Alloc(size + skew)[skew:]}
}

// A Space is a list of segments that do not overlap. Its methods that change the list
// must not run beside any other.
type Space struct {
	Name  string    // "global", "lds": first word of a fault's text; may be empty
	segs  []Segment // by base
	ended []Extent  // for the text of faults, latest last
}

// NewSpace returns a space with the given segments.
func NewSpace(name string, segs ...Segment) (*Space, error) {
	s := &Space{Name: name}
	for _, g := range segs {
		if err := s.Add(g); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Add puts a segment into the space. It fails if the segment is empty, leaves the 64-bit
// address space, overlaps another, repeats a name, or if its data is not aligned as its
// base is (see Align; NewSegment and Alloc take care of that).
func (s *Space) Add(g Segment) error {
	if len(g.Data) == 0 {
		return fmt.Errorf("mem: segment %q at %#x is empty", g.Name, g.Base)
	}
	if g.last() < g.Base {
		return fmt.Errorf("mem: segment %q: %#x bytes at %#x wrap around", g.Name, len(g.Data), g.Base)
	}
	if host := uint64(uintptr(unsafe.Pointer(&g.Data[0]))); (host^g.Base)%Align != 0 {
		return fmt.Errorf("mem: segment %v: data is not aligned as its base; use Alloc or NewSegment", g.Extent())
	}
	for i := range s.segs {
		if s.segs[i].Name == g.Name {
			return fmt.Errorf("mem: segment %v has the name of %v", g.Extent(), s.segs[i].Extent())
		}
	}
	i := s.above(g.Base)
	if i > 0 && s.segs[i-1].last() >= g.Base {
		return fmt.Errorf("mem: segment %v overlaps %v", g.Extent(), s.segs[i-1].Extent())
	}
	if i < len(s.segs) && s.segs[i].Base <= g.last() {
		return fmt.Errorf("mem: segment %v overlaps %v", g.Extent(), s.segs[i].Extent())
	}
	s.segs = append(s.segs, Segment{})
	copy(s.segs[i+1:], s.segs[i:])
	s.segs[i] = g
	return nil
}

// Remove takes a segment out as if it had never been; false if there is none of that name.
func (s *Space) Remove(name string) bool {
	_, ok := s.take(name)
	return ok
}

// End takes a segment out and remembers where it was: a later access there is reported
// with kind Ended, unless a new segment covers the place. False if there is none of that name.
func (s *Space) End(name string) bool {
	g, ok := s.take(name)
	if ok {
		s.ended = append(s.ended, g.Extent())
	}
	return ok
}

func (s *Space) take(name string) (Segment, bool) {
	for i, g := range s.segs {
		if g.Name == name {
			s.segs = append(s.segs[:i], s.segs[i+1:]...)
			return g, true
		}
	}
	return Segment{}, false
}

// Segments returns the segments by ascending base, sharing their data.
func (s *Space) Segments() []Segment { return append([]Segment(nil), s.segs...) }

// Segment returns the segment of a name, sharing its data.
func (s *Space) Segment(name string) (Segment, bool) {
	for _, g := range s.segs {
		if g.Name == name {
			return g, true
		}
	}
	return Segment{}, false
}

// Find returns the segment that holds an address, sharing its data, whatever its rights.
func (s *Space) Find(addr uint64) (Segment, bool) {
	if i := s.above(addr) - 1; i >= 0 && s.segs[i].last() >= addr {
		return s.segs[i], true
	}
	return Segment{}, false
}

// Clone copies the space and all contents: a snapshot that later writes do not reach.
func (s *Space) Clone() *Space {
	t := &Space{Name: s.Name, ended: append([]Extent(nil), s.ended...)}
	for _, g := range s.segs {
		h := NewSegment(g.Name, g.Base, len(g.Data), g.Rights)
		copy(h.Data, g.Data)
		t.segs = append(t.segs, h)
	}
	return t
}

// above is the index of the first segment whose base is greater than addr.
func (s *Space) above(addr uint64) int {
	return sort.Search(len(s.segs), func(i int) bool { return s.segs[i].Base > addr })
}

// A Cursor remembers where the last access of one goroutine, or of one instruction, found
// its segment. The zero value is ready. It is only a hint: using it with another space or
// after the space has changed costs a search and is otherwise harmless.
type Cursor struct {
	hint int // index in Space.segs, perhaps stale
}

// At returns the window of size bytes at addr for the access that want names: Read for a
// load, Write for a store, both for an atomic. The window aliases guest memory and is
// invalid once the segment is removed.
func (s *Space) At(c *Cursor, addr, size uint64, want Rights) ([]byte, *Fault) {
	if uint(c.hint) < uint(len(s.segs)) {
		g := &s.segs[c.hint]
		off, n := addr-g.Base, uint64(len(g.Data))
		if off < n && size <= n-off && g.Rights&want == want {
			return g.Data[off : off+size : off+size], nil
		}
	}
	return s.search(c, addr, size, want)
}

// AtAligned is At for instruction sets that refuse an address that is not a multiple of
// align, a power of two. Misalignment is reported before range and rights.
func (s *Space) AtAligned(c *Cursor, addr, size, align uint64, want Rights) ([]byte, *Fault) {
	if addr&(align-1) != 0 {
		return nil, s.fault(Misaligned, addr, size, align, want)
	}
	return s.At(c, addr, size, want)
}

// search is At without a hint; it sets the cursor when it succeeds.
func (s *Space) search(c *Cursor, addr, size uint64, want Rights) ([]byte, *Fault) {
	lo, hi := 0, len(s.segs) // first segment with base > addr
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); s.segs[mid].Base > addr {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == 0 {
		return nil, s.fault(OutOfRange, addr, size, 0, want)
	}
	g := &s.segs[lo-1]
	off, n := addr-g.Base, uint64(len(g.Data))
	switch {
	case off >= n || size > n-off:
		return nil, s.fault(OutOfRange, addr, size, 0, want)
	case want&Read&^g.Rights != 0:
		return nil, s.fault(NoRead, addr, size, 0, want)
	case want&Write&^g.Rights != 0:
		return nil, s.fault(ReadOnly, addr, size, 0, want)
	}
	c.hint = lo - 1
	return g.Data[off : off+size : off+size], nil
}
