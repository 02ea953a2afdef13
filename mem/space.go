// Package mem holds guest memory: address spaces made of segments, the rights and bounds checks of every access, and
// atomic operations on the memory that passes them. It also holds what is read through units instead of by address:
// textures ([Unit]), whose texels are host memory of their own, and attributes ([Stream]), which are in a space. It
// does not know how an instruction set names them. Differences between units of different chips are fields ([Rules]);
// there are no names of chips.
//
// A Space is one list of segments: global memory, a constant bank, the local memory of a group. An access is valid if
// all of it is in one segment that grants the right; anything else is a *Fault, and host memory is not accessed. The
// engine decides what a fault leads to (trap, robust, sanitize). Alignment rules differ by instruction set and are the
// engine's as well: At accepts any address, AtAligned does not.
//
// A Space is built before a run and read-only during it, so any number of goroutines may share it. Each of them has its
// own Cursor, which caches the segment of its last access. A space with a [MissFunc] grows during accesses: pages and
// devices are mapped on demand. An overlay is a space with some segments of its own on top of another space. A
// [Private] is the private memory of all lanes. Contents of segments are guest memory: two goroutines that write the
// same bytes race unless both use Atomic.
//
//	var c mem.Cursor
//	w, fault := space.At(&c, addr, 4, mem.Read)
//	if fault != nil {
//		return fault // load of 4 bytes at 0x1ffe: ends past "out" (0x1000-0x2000)
//	}
//	v := mem.Load(w)
package mem

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Rights are the accesses that a segment allows, or those that an access requires.
type Rights uint8

// An atomic access requires ReadWrite.
const (
	Read      Rights = 1 << iota
	Write            // write without Read: a load faults with NoRead
	Execute          // instructions may be fetched; loads and stores do not require it
	ReadWrite = Read | Write
)

// Align is the host alignment of memory from Alloc, and the alignment that a segment's data has in common with its
// base: guest and host addresses are equal modulo Align.
const Align = 8

// A Segment is a contiguous run of guest memory.
type Segment struct {
	Name   string // unique in its space; shown in faults
	Base   uint64 // guest address of Data[0]
	Rights Rights
	Data   []byte // its length is the segment's size
	// Pad is the number of bytes after Data, in its capacity, that a wide read may include: see At.
	Pad int
	// Unset are ranges of Data and Pad, from and to before, that nothing has set: see Shadows.
	Unset [][2]int
	// Also are rights that Rights lacks only because a declaration does. An access that needs them happens, and an engine
	// records it as a fault with Done. Units that read memory do so unnoticed.
	Also Rights
}

// Declare restricts the rights to those that a declaration gives; 0: there is none. The others stay as Also.
func (g *Segment) Declare(uses Rights) {
	if uses != 0 && g.Rights&uses != 0 {
		g.Also, g.Rights = g.Rights, g.Rights&uses
	}
}

// May returns the rights of accesses that happen, whatever is declared.
func (g *Segment) May() Rights { return g.Rights | g.Also }

// wideRead is the minimum size of a read that may extend beyond the end of a padded segment.
const wideRead = 16

// overrun reports whether an access that extends beyond Data is a read that the padding allows: of 16 bytes or
// more, of which more than half are in Data.
func (g *Segment) overrun(off, size uint64, want Rights) bool {
	n := uint64(len(g.Data))
	return g.Pad > 0 && want == Read && size >= wideRead && off < n && size/2 < n-off && size-(n-off) <= uint64(g.Pad)
}

// Limit is the first address after the segment; 0 if the segment ends with the last
// byte of the address space.
func (g *Segment) Limit() uint64 { return g.Base + uint64(len(g.Data)) }

// window returns the size bytes at addr, which must be in the segment.
func (g *Segment) window(addr, size uint64) []byte {
	off := addr - g.Base
	return g.Data[off : off+size : off+size]
}

// last is the address of the last byte.
func (g *Segment) last() uint64 { return g.Base + uint64(len(g.Data)) - 1 }

// Extent returns the segment without its contents.
func (g *Segment) Extent() Extent { return Extent{g.Name, g.Base, uint64(len(g.Data)), g.Rights} }

// An Extent is the address range of a segment, also of one that has ended.
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
	data := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*Align)[:size:size]
	advise(data)
	return data
}

// minHuge is the number of bytes from which memory gets large pages.
const minHuge = 4 << 20

// NewSegment returns a zeroed segment of size bytes that satisfies Add for any base.
func NewSegment(name string, base uint64, size int, rights Rights) Segment {
	skew := int(base % Align)
	return Segment{Name: name, Base: base, Rights: rights, Data: Alloc(size + skew)[skew:]}
}

// Skew returns by how many bytes the address of data in the host exceeds a multiple of Align.
func Skew(data []byte) int { return int(uintptr(unsafe.Pointer(unsafe.SliceData(data))) % Align) }

// SegmentOf returns a segment that contains data: a copy, which satisfies Add for any base, or in place data
// itself, whose host address then must equal base modulo Align.
func SegmentOf(name string, base uint64, data []byte, readOnly, inPlace bool) Segment {
	rights := ReadWrite
	if readOnly {
		rights = Read
	}
	if inPlace {
		return Segment{Name: name, Base: base, Rights: rights, Data: data}
	}
	g := NewSegment(name, base, len(data), rights)
	CopyNew(g.Data, data)
	return g
}

// CopyNew copies data to new memory, whose bytes are all zero. It does not write pages of zeros: the system backs new
// memory when it is written, so large buffers of zeros take none before the guest writes them.
func CopyNew(to, data []byte) {
	for len(data) > 0 {
		n := min(len(zeros), len(data))
		if page := data[:n]; !bytes.Equal(page, zeros[:n]) {
			copy(to, page)
		}
		to, data = to[n:], data[n:]
	}
}

// A Space is a list of segments that do not overlap. Methods that change the list must not run concurrently with
// any other; segments that Miss adds are the exception.
type Space struct {
	Name  string    // "global", "lds": first word of a fault's text; may be empty
	Miss  MissFunc  // called for accesses that no segment contains; nil: those are faults. Not of an overlay
	segs  []Segment // by base
	ended []Extent  // for the text of faults, latest last
	edits uint64    // changes of segs

	under *Space                    // of an overlay: the space below it, never an overlay itself
	mu    sync.Mutex                // held while Miss runs
	late  atomic.Pointer[[]Segment] // segments that Miss has added, by base; the list is immutable
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

// Add adds a segment to the space. It fails if the segment is empty, exceeds the 64-bit address space, overlaps
// another, repeats a name, or if its data is not aligned like its base (see Align; NewSegment and Alloc ensure
// that).
func (s *Space) Add(g Segment) error {
	if _, err := s.place(g); err != nil {
		return err
	}
	s.edits++
	i := above(s.segs, g.Base)
	s.segs = append(s.segs, Segment{})
	copy(s.segs[i+1:], s.segs[i:])
	s.segs[i] = g
	return nil
}

// place checks that a segment can be added. It returns its index among those that Miss has added.
func (s *Space) place(g Segment) (late int, err error) {
	if len(g.Data) == 0 {
		return 0, fmt.Errorf("mem: segment %q at %#x is empty", g.Name, g.Base)
	}
	if g.Pad < 0 || g.Pad > cap(g.Data)-len(g.Data) {
		return 0, fmt.Errorf("mem: segment %q: a padding of %d bytes behind %d of %d", g.Name, g.Pad, len(g.Data), cap(g.Data))
	}
	if g.last() < g.Base {
		return 0, fmt.Errorf("mem: segment %q: %#x bytes at %#x wrap around", g.Name, len(g.Data), g.Base)
	}
	if host := uint64(uintptr(unsafe.Pointer(&g.Data[0]))); (host^g.Base)%Align != 0 {
		return 0, fmt.Errorf("mem: segment %v: data is not aligned as its base; use Alloc or NewSegment", g.Extent())
	}
	for _, list := range [...][]Segment{s.segs, s.lateSegs()} {
		for i := range list {
			if list[i].Name == g.Name {
				return 0, fmt.Errorf("mem: segment %v has the name of %v", g.Extent(), list[i].Extent())
			}
		}
		late = above(list, g.Base)
		if late > 0 && list[late-1].last() >= g.Base {
			return 0, fmt.Errorf("mem: segment %v overlaps %v", g.Extent(), list[late-1].Extent())
		}
		if late < len(list) && list[late].Base <= g.last() {
			return 0, fmt.Errorf("mem: segment %v overlaps %v", g.Extent(), list[late].Extent())
		}
	}
	return late, nil
}

// Remove removes a segment as if it had never existed; false if there is none of that name.
func (s *Space) Remove(name string) bool {
	_, ok := s.take(name)
	return ok
}

// End removes a segment and remembers its extent: a later access there is reported with kind Ended, unless a new
// segment covers the place. False if there is none of that name.
func (s *Space) End(name string) bool {
	g, ok := s.take(name)
	if ok {
		s.ended = append(s.ended, g.Extent())
	}
	return ok
}

func (s *Space) take(name string) (Segment, bool) {
	s.edits++
	if list := s.late.Load(); list != nil { // from here on they are ordinary segments
		s.late.Store(nil)
		s.segs = merge(s.segs, *list)
	}
	for i, g := range s.segs {
		if g.Name == name {
			s.segs = append(s.segs[:i], s.segs[i+1:]...)
			return g, true
		}
	}
	return Segment{}, false
}

// Protect changes the rights of a segment; false if there is none of that name.
func (s *Space) Protect(name string, rights Rights) bool {
	g, ok := s.take(name)
	if ok {
		g.Rights, g.Also = rights, 0
		i := above(s.segs, g.Base)
		s.segs = slices.Insert(s.segs, i, g)
	}
	return ok
}

// Edits changes whenever segments are added or removed or their rights change, except by Miss. While it is
// unchanged, results of Around remain valid.
func (s *Space) Edits() uint64 { return s.edits }

// Segments returns the segments by ascending base, sharing their data.
func (s *Space) Segments() []Segment { return merge(s.segs, s.lateSegs()) }

// merge returns the segments of both lists by base, in a new list.
func merge(a, b []Segment) []Segment {
	list := append(append([]Segment(nil), a...), b...)
	if len(b) > 0 {
		sort.Slice(list, func(i, j int) bool { return list[i].Base < list[j].Base })
	}
	return list
}

// Bytes is the total size of all segments.
func (s *Space) Bytes() (n uint64) {
	for _, g := range s.Segments() {
		n += uint64(len(g.Data))
	}
	return n
}

// Segment returns the segment of a name, sharing its data.
func (s *Space) Segment(name string) (Segment, bool) {
	for _, list := range [...][]Segment{s.segs, s.lateSegs()} {
		for _, g := range list {
			if g.Name == name {
				return g, true
			}
		}
	}
	return Segment{}, false
}

// Find returns the segment that contains an address, sharing its data, whatever its rights.
func (s *Space) Find(addr uint64) (Segment, bool) {
	for _, list := range [...][]Segment{s.segs, s.lateSegs()} {
		if i := above(list, addr) - 1; i >= 0 && list[i].last() >= addr {
			return list[i], true
		}
	}
	return Segment{}, false
}

// Clone copies the space and all contents, including segments that Miss has added and the space below an overlay: a
// snapshot that later writes do not affect. It has the same Miss.
func (s *Space) Clone() *Space {
	t := &Space{Name: s.Name, Miss: s.root().Miss, ended: append([]Extent(nil), s.ended...)}
	for _, g := range s.Segments() {
		h := NewSegment(g.Name, g.Base, len(g.Data)+g.Pad, g.Rights)
		copy(h.Data, g.Data[:len(g.Data)+g.Pad])
		h.Data, h.Pad, h.Also, h.Unset = h.Data[:len(g.Data)], g.Pad, g.Also, g.Unset
		t.segs = append(t.segs, h)
	}
	return t
}

// Without returns a space that shares the data of s but has nothing in a range of addresses, unless Miss adds it.
func (s *Space) Without(addr, size uint64) (*Space, error) {
	t := &Space{Name: s.Name, Miss: s.root().Miss, ended: slices.Clone(s.ended)}
	for _, g := range s.Segments() {
		n := uint64(len(g.Data))
		from, to := min(max(addr, g.Base)-g.Base, n), min(max(addr+size, g.Base)-g.Base, n)
		if from >= to {
			from, to = n, n
		}
		for _, p := range [...]Segment{{Name: g.Name, Base: g.Base, Data: g.Data[:from]}, {Name: g.Name + ", its end", Base: g.Base + to, Data: g.Data[to:]}} {
			if len(p.Data) == 0 {
				continue
			}
			if p.Rights, p.Also = g.Rights, g.Also; p.Base+uint64(len(p.Data)) == g.Base+n {
				p.Pad = g.Pad
			} else {
				p.Data = p.Data[:from:from]
			}
			p.Unset = g.unsetIn(int(p.Base-g.Base), len(p.Data)+p.Pad)
			if err := t.Add(p); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// unsetIn returns Unset of the part of the segment that begins at an offset, with a size that includes its Pad.
func (g *Segment) unsetIn(at, size int) (list [][2]int) {
	for _, r := range g.Unset {
		if from, to := max(r[0]-at, 0), min(r[1]-at, size); from < to {
			list = append(list, [2]int{from, to})
		}
	}
	return list
}

// above returns the index of the first segment whose base is greater than addr.
func above(segs []Segment, addr uint64) int {
	lo, hi := 0, len(segs)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); segs[mid].Base > addr {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// A Cursor caches the segment of the last access of one goroutine, or of one instruction. The zero value is ready.
// It is only a hint: use with another space or after a change of the space costs a search and is otherwise
// harmless.
type Cursor struct {
	hint int // index in Space.segs, perhaps stale
}

// Hit returns the window of At if the cursor's segment contains the access, nil if At has to search. It is the part
// of At that pays to inline in an engine's loop.
func (s *Space) Hit(c *Cursor, addr, size uint64, want Rights) []byte {
	if uint(c.hint) < uint(len(s.segs)) {
		g := &s.segs[c.hint]
		off, n := addr-g.Base, uint64(len(g.Data))
		if off < n && size <= n-off && g.Rights&want == want {
			return g.Data[off : off+size : off+size]
		}
	}
	return nil
}

// Around returns the segment at addr that grants the right: its base and its data; nil if there is none, or only
// one that Miss has added. The cursor is as in At. It is for engines whose lanes mostly access one segment: an
// access is valid if all of it is in the data.
func (s *Space) Around(c *Cursor, addr uint64, want Rights) (base uint64, data []byte) {
	if uint(c.hint) >= uint(len(s.segs)) || addr-s.segs[c.hint].Base >= uint64(len(s.segs[c.hint].Data)) {
		i := above(s.segs, addr) - 1
		if i < 0 || addr-s.segs[i].Base >= uint64(len(s.segs[i].Data)) {
			return 0, nil
		}
		c.hint = i
	}
	g := &s.segs[c.hint]
	if g.Rights&want != want {
		return 0, nil
	}
	return g.Base, g.Data
}

// At returns the window of size bytes at addr for an access with the rights of want: Read for a load, Write for a
// store, both for an atomic. The window aliases guest memory and is invalid once the segment is removed. An access
// that a device serves (see MissFunc) is a fault here.
//
// Compilers read more than they need if one wide load replaces two. So a read of 16 bytes or more that has more
// than half of them in a segment may end in its padding.
func (s *Space) At(c *Cursor, addr, size uint64, want Rights) ([]byte, *Fault) {
	if uint(c.hint) < uint(len(s.segs)) { // Hit, inlined
		g := &s.segs[c.hint]
		off, n := addr-g.Base, uint64(len(g.Data))
		if off < n && size <= n-off && g.Rights&want == want {
			return g.Data[off : off+size : off+size], nil
		}
	}
	return s.search(c, addr, size, want)
}

// search is At without a hint.
func (s *Space) search(c *Cursor, addr, size uint64, want Rights) ([]byte, *Fault) {
	p, f := s.reach(c, addr, size, want)
	switch {
	case p.Device != nil:
		return nil, s.fault(OnDevice, addr, size, 0, want)
	case f != nil && f.Done:
		return p.Bytes, nil
	}
	return p.Bytes, f
}

// AtAligned is At for instruction sets that refuse an address that is not a multiple of align, a power of two.
// Misalignment has priority over range and rights.
func (s *Space) AtAligned(c *Cursor, addr, size, align uint64, want Rights) ([]byte, *Fault) {
	if addr&(align-1) != 0 {
		return nil, s.fault(Misaligned, addr, size, align, want)
	}
	return s.At(c, addr, size, want)
}

// lookup returns the index of the segment that contains the access and allows it, or -1 and the reason why there is
// none.
func lookup(segs []Segment, addr, size uint64, want Rights) (i int, why FaultKind) {
	i = above(segs, addr) - 1
	if i < 0 {
		return -1, OutOfRange
	}
	g := &segs[i]
	off, n := addr-g.Base, uint64(len(g.Data))
	if (off >= n || size > n-off) && !g.overrun(off, size, want) {
		return -1, OutOfRange
	}
	if no := want &^ g.Rights; no != 0 {
		return -1, refusal(no)
	}
	return i, 0
}

// refusal returns the fault of an access that requires rights that are not granted.
func refusal(missing Rights) FaultKind {
	if missing&Read != 0 {
		return NoRead
	}
	return ReadOnly
}
