package mem

import "slices"

// A Device serves accesses itself instead of memory. Its methods are called by all goroutines that run
// waves, in no order but that of the lanes of one instruction, which go from the lowest up; an instruction
// calls them only when no lane of it is at fault. Numbers are little-endian.
type Device interface {
	// Load fills p with what the access of len(p) bytes at addr reads: all elements of it at once.
	Load(addr uint64, p []byte)
	// Store takes what the access writes.
	Store(addr uint64, p []byte)
	// Atomic replaces the number of size bytes, 4 or 8, by op.Apply of it, in one step, and returns what it was.
	Atomic(addr uint64, size int, op AtomicOp, data, cmp uint64) (old uint64)
}

// A Reply is what becomes of an access that no segment holds. The zero Reply declines: it is a fault.
type Reply struct {
	// Segment, if it has Data, is added to the space, and the access is tried once more.
	Segment Segment
	// Device, if Segment has no Data, serves this access and no other. If Rights is not 0 and the access wants more, it is a fault.
	Device Device
	Rights Rights
}

// A MissFunc is asked about an access of size bytes at addr that wants these rights, when no segment of s
// holds the whole of it: so that pages and devices can be mapped as a program comes to them. It is not asked
// about accesses that a segment holds but does not allow, nor about misaligned ones.
//
// It runs on the goroutine of the wave, one call for a space at a time, and must not use s itself. It may be
// asked more than once about one access, and about an access that a fault of another lane then stops: what it
// adds is there for good, a device must not be touched yet.
type MissFunc func(s *Space, addr, size uint64, want Rights) Reply

// A Place is what an access has reached: memory, or a device that serves it.
type Place struct {
	Bytes  []byte // guest memory; nil if Device is set
	Device Device
	Addr   uint64 // to call Device with
}

// Load is the access as bytes: those of memory, or what the device says, put into buf.
func (p *Place) Load(buf []byte) []byte {
	if p.Device == nil {
		return p.Bytes
	}
	p.Device.Load(p.Addr, buf)
	return buf
}

// Atomic is the function Atomic at a place of size bytes.
func (p *Place) Atomic(size int, op AtomicOp, data, cmp uint64) (old uint64) {
	if p.Device == nil {
		return Atomic(p.Bytes, op, data, cmp)
	}
	return p.Device.Atomic(p.Addr, size, op, data, cmp)
}

// Reach is At for those who can do with a device. Where align is more than 1 it asks what AtAligned asks.
func (s *Space) Reach(c *Cursor, addr, size, align uint64, want Rights) (Place, *Fault) {
	if align > 1 && addr&(align-1) != 0 {
		return Place{}, s.fault(Misaligned, addr, size, align, want)
	}
	if w := s.Hit(c, addr, size, want); w != nil {
		return Place{Bytes: w}, nil
	}
	return s.reach(c, addr, size, want)
}

// reach searches the segments, then those that Miss has added, then asks Miss. It sets the cursor when it
// finds one of the first.
func (s *Space) reach(c *Cursor, addr, size uint64, want Rights) (Place, *Fault) {
	i, why := lookup(s.segs, addr, size, want)
	if i >= 0 {
		c.hint = i
		return Place{Bytes: s.segs[i].window(addr, size)}, nil
	}
	r := s.root()
	if why != OutOfRange || r.Miss == nil && r.late.Load() == nil {
		return Place{}, s.fault(why, addr, size, 0, want)
	}
	p, why := r.added(addr, size, want)
	switch {
	case p.Bytes != nil:
		return p, nil
	case why != OutOfRange || r.Miss == nil:
		return Place{}, s.fault(why, addr, size, 0, want)
	}
	return s.ask(addr, size, want)
}

// added looks the access up in the segments that Miss has added. A place without Bytes is a refusal.
func (s *Space) added(addr, size uint64, want Rights) (Place, FaultKind) {
	list := s.lateSegs()
	i, why := lookup(list, addr, size, want)
	if i < 0 {
		return Place{}, why
	}
	return Place{Bytes: list[i].window(addr, size)}, why
}

// ask calls Miss and does what it says.
func (s *Space) ask(addr, size uint64, want Rights) (Place, *Fault) {
	r := s.root()
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, _ := r.added(addr, size, want); p.Bytes != nil { // by another goroutine, since we looked
		return p, nil
	}
	reply := r.Miss(r, addr, size, want)
	switch {
	case len(reply.Segment.Data) > 0:
		if err := r.addLate(reply.Segment); err != nil {
			f := s.fault(BadReply, addr, size, 0, want)
			f.Err = err
			return Place{}, f
		}
		p, why := r.added(addr, size, want)
		if p.Bytes != nil {
			return p, nil
		}
		return Place{}, s.fault(why, addr, size, 0, want)
	case reply.Device != nil && reply.Rights != 0 && want&^reply.Rights != 0:
		return Place{}, s.fault(refusal(want&^reply.Rights), addr, size, 0, want)
	case reply.Device != nil:
		return Place{Device: reply.Device, Addr: addr}, nil
	}
	return Place{}, s.fault(OutOfRange, addr, size, 0, want)
}

// addLate adds a segment while others read: they see the old list or the new one. The caller holds s.mu.
func (s *Space) addLate(g Segment) error {
	i, err := s.place(g)
	if err != nil {
		return err
	}
	old := s.lateSegs()
	list := slices.Concat(old[:i], []Segment{g}, old[i:])
	s.late.Store(&list)
	return nil
}

// lateSegs are the segments that Miss has added, by base.
func (s *Space) lateSegs() []Segment {
	if list := s.root().late.Load(); list != nil {
		return *list
	}
	return nil
}

// Asks reports whether what no segment holds may be there nevertheless: because of Miss.
func (s *Space) Asks() bool { return s.root().Miss != nil }

// root is the space that s lies over, or s.
func (s *Space) root() *Space {
	if s.under != nil {
		return s.under
	}
	return s
}

// Overlay is a space of the segments of s and some of its own: global memory as one wave sees it, say. It
// shares the data of s. What Miss adds to s is there for both, but where it lies over a segment of the
// overlay's own the latter holds; other changes of s after this do not reach the overlay.
func (s *Space) Overlay(own ...Segment) (*Space, error) {
	t := &Space{Name: s.Name, under: s.root()}
	t.segs = append(make([]Segment, 0, len(s.segs)+len(own)), s.segs...)
	t.ended = append(t.ended, s.ended...)
	for _, g := range own {
		if err := t.Add(g); err != nil {
			return nil, err
		}
	}
	return t, nil
}
