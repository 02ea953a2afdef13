package mem

import (
	"sync"
	"unsafe"
)

// Shadows holds the shadows of segments: as many bytes at the same addresses, in which a bit is 1 if the bit in its
// place is undefined. That of a segment is made when it is first asked for, all defined, and lasts from launch to
// launch. The zero value is ready.
type Shadows struct {
	mu sync.Mutex
	of map[*byte]*shadowed // by the first byte of the segment's data
}

// A shadowed is the shadow of a segment.
type shadowed struct {
	Segment       // of the shadow
	bank    uint8 // of the space that the segment is in
}

// Space returns a space with the shadow of each segment of another one, which may be read and written. The other one
// is a bank of an address space.
func (s *Shadows) Space(of *Space, bank uint8) (*Space, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &Space{Name: of.Name}
	for _, g := range of.Segments() {
		if err := t.Add(s.segment(&g, bank)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// segment returns the shadow of a segment.
func (s *Shadows) segment(g *Segment, bank uint8) Segment {
	first := unsafe.SliceData(g.Data)
	x := s.of[first]
	if x == nil {
		x = &shadowed{}
		if s.of == nil {
			s.of = map[*byte]*shadowed{}
		}
		s.of[first] = x
	}
	if len(x.Data) < len(g.Data) {
		n := NewSegment(g.Name, g.Base, len(g.Data), ReadWrite)
		CopyNew(n.Data, x.Data)
		x.Segment = n
	}
	x.Name, x.Base, x.bank = g.Name, g.Base, bank
	t := x.Segment
	t.Data = t.Data[:len(g.Data):len(g.Data)]
	return t
}

// At returns the name of the segment at an address of a bank, its first address, and the shadow of what follows the
// address in it; nil: no segment that has a shadow.
func (s *Shadows) At(bank uint8, addr uint64) (name string, base uint64, shadow []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.of {
		if off := addr - x.Base; x.bank == bank && off < uint64(len(x.Data)) {
			return x.Name, x.Base, x.Data[off:]
		}
	}
	return "", 0, nil
}
