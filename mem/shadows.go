package mem

import (
	"bytes"
	"sync"
	"unsafe"
)

// Shadows holds the shadows of the segments of a launch: as many bytes at the same addresses, in which a bit is 1 if
// the bit in its place is undefined. They last from launch to launch: a segment of the next one has the shadow of that
// of its name and address, if it is in the same memory or holds the same bytes. Otherwise it is new and defined. The
// zero value is ready.
type Shadows struct {
	mu    sync.Mutex
	banks [256][]shadowed
}

// A shadowed is a segment with its shadow.
type shadowed struct {
	of     Segment
	shadow Segment
}

// Space returns a space with the shadow of each segment of another one, which may be read and written. The other one
// is a bank of an address space.
func (s *Shadows) Space(of *Space, bank uint8) (*Space, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &Space{Name: of.Name}
	var list []shadowed
	for _, g := range of.Segments() {
		x := shadowed{of: g}
		if old := s.find(bank, &g); old != nil {
			x.shadow = old.shadow
		} else {
			x.shadow = NewSegment(g.Name, g.Base, len(g.Data)+g.Pad, ReadWrite)
			x.shadow.Data, x.shadow.Pad = x.shadow.Data[:len(g.Data)], g.Pad
		}
		if err := t.Add(x.shadow); err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	s.banks[bank] = list
	return t, nil
}

// find returns what the last launch left of a segment; nil: nothing.
func (s *Shadows) find(bank uint8, g *Segment) *shadowed {
	for i := range s.banks[bank] {
		x := &s.banks[bank][i]
		if x.of.Base != g.Base || x.of.Name != g.Name || len(x.of.Data) != len(g.Data) || x.of.Pad != g.Pad {
			continue
		}
		if unsafe.SliceData(x.of.Data) == unsafe.SliceData(g.Data) || bytes.Equal(x.of.Data, g.Data) {
			return x
		}
	}
	return nil
}

// At returns the name of the segment at an address of a bank, its first address, and the shadow of what follows the
// address in it; nil: no segment that has a shadow.
func (s *Shadows) At(bank uint8, addr uint64) (name string, base uint64, shadow []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.banks[bank] {
		x := &s.banks[bank][i].shadow
		if off := addr - x.Base; off < uint64(len(x.Data)) {
			return x.Name, x.Base, x.Data[off:]
		}
	}
	return "", 0, nil
}
