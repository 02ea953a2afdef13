package mem

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"sync"
	"unsafe"
)

// Shadows holds the shadows of the segments of a launch: as many bytes at the same addresses, in which a bit is 1 if
// the bit in its place is undefined. They last from launch to launch: a segment of the next one has the shadow of that
// of its name, address and Unset, if it is in the same memory or holds the same bytes. Otherwise it is new and defined,
// but where it is Unset. The zero value is ready.
type Shadows struct {
	// Place, if not nil, returns where the shadow of a segment is, in place of one that Shadows finds or makes: as many
	// bytes, whose host address equals the base modulo Align; nil: there is no memory for it, and the segment cannot be
	// accessed. It may be called while waves run.
	Place func(bank uint8, g *Segment) []byte

	mu    sync.Mutex
	banks [256][]shadowed // by base
}

// A shadowed is a segment with its shadow.
type shadowed struct {
	of     Segment
	shadow Segment
}

// Space returns a space with the shadow of each segment of another one, which may be read and written. The other one
// is a bank of an address space. What its Miss adds has a shadow, too; what devices serve is defined.
func (s *Shadows) Space(of *Space, bank uint8) (*Space, error) {
	t := &Space{Name: of.Name}
	if of.Asks() {
		t.Miss = func(_ *Space, addr, size uint64, want Rights) Reply { return s.late(of, bank, addr, size, want) }
	}
	var list []shadowed
	for _, g := range of.Segments() {
		x := s.of(bank, g)
		if x.shadow.Data == nil && len(g.Data) > 0 {
			return nil, fmt.Errorf("no memory for the shadow of %q, %d bytes at %#x", g.Name, len(g.Data), g.Base)
		}
		if err := t.Add(x.shadow); err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.banks[bank] = list
	return t, nil
}

// of returns a segment with its shadow.
func (s *Shadows) of(bank uint8, g Segment) shadowed {
	x := shadowed{of: g, shadow: Segment{Name: g.Name, Base: g.Base, Rights: ReadWrite, Pad: g.Pad}}
	if s.Place != nil {
		x.shadow.Data, x.shadow.Pad = s.Place(bank, &g), 0
		return x
	}
	if old := s.find(bank, &g); old != nil {
		x.shadow = old.shadow
		return x
	}
	data := NewSegment(g.Name, g.Base, len(g.Data)+g.Pad, ReadWrite).Data
	for _, r := range g.Unset {
		unset := data[r[0]:r[1]]
		for i := range unset {
			unset[i] = 0xff
		}
	}
	x.shadow.Data = data[:len(g.Data)]
	return x
}

// late is the Miss of a space of shadows: it does what the access does in the other space.
func (s *Shadows) late(of *Space, bank uint8, addr, size uint64, want Rights) Reply {
	if p, _ := of.reach(&Cursor{}, addr, size, want); p.Bytes == nil && p.Device == nil {
		return Reply{}
	}
	g, ok := of.Find(addr)
	if !ok || size > uint64(len(g.Data))-(addr-g.Base) {
		return Reply{Device: noShadow{}}
	}
	x := s.of(bank, g)
	if x.shadow.Data == nil {
		return Reply{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.banks[bank]
	i := sort.Search(len(list), func(i int) bool { return list[i].of.Base > g.Base })
	s.banks[bank] = slices.Insert(list, i, x)
	return Reply{Segment: x.shadow}
}

// noShadow is the shadow of what devices serve: it is defined.
type noShadow struct{}

// Load implements Device.
func (noShadow) Load(_ uint64, p []byte) { clear(p) }

// Store implements Device.
func (noShadow) Store(uint64, []byte) {}

// Atomic implements Device.
func (noShadow) Atomic(uint64, int, AtomicOp, uint64, uint64) uint64 { return 0 }

// find returns what the last launch left of a segment; nil: nothing.
func (s *Shadows) find(bank uint8, g *Segment) *shadowed {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.banks[bank] {
		x := &s.banks[bank][i]
		if x.of.Base != g.Base || x.of.Name != g.Name || len(x.of.Data) != len(g.Data) || x.of.Pad != g.Pad || !slices.Equal(x.of.Unset, g.Unset) {
			continue
		}
		if unsafe.SliceData(x.of.Data) == unsafe.SliceData(g.Data) || bytes.Equal(x.of.Data, g.Data) {
			return x
		}
	}
	return nil
}

// At returns the name of the segment at an address of a bank, its first address, and what follows the address in it,
// with its shadow; nil: no segment that has a shadow.
func (s *Shadows) At(bank uint8, addr uint64) (name string, base uint64, data, shadow []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.banks[bank]
	i := sort.Search(len(list), func(i int) bool { return list[i].of.Base > addr }) - 1
	if i < 0 {
		return "", 0, nil, nil
	}
	x := &list[i]
	if off := addr - x.of.Base; off < uint64(len(x.of.Data)) {
		return x.of.Name, x.of.Base, x.of.Data[off:], x.shadow.Data[off:]
	}
	return "", 0, nil, nil
}
