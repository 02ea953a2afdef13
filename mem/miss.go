package mem

import "slices"

// A Device serves accesses itself instead of memory. Its methods are called by all goroutines that run waves. The
// order is only defined within an instruction: lanes in ascending order. An instruction calls them only if none of
// its lanes faults. Numbers are little-endian.
type Device interface {
	// Load fills p with the bytes that the access of len(p) bytes at addr reads, all its elements at once.
	Load(addr uint64, p []byte)
	// Store performs the store of p.
	Store(addr uint64, p []byte)
	// Atomic replaces the number of size bytes, 4 or 8, by op.Apply of it, atomically, and returns the old number.
	Atomic(addr uint64, size int, op AtomicOp, data, cmp uint64) (old uint64)
}

// A Reply says how to handle an access that no segment contains. The zero Reply declines: the access is a fault.
type Reply struct {
	// Segment, if it has Data, is added to the space, and the access is retried.
	Segment Segment
	// Device, if Segment has no Data, serves this access only. If Rights is not 0 and the access requires more, it
	// is a fault.
	Device Device
	Rights Rights
}

// A MissFunc is called for an access of size bytes at addr with these rights if no segment of s contains all of it,
// so that pages and devices can be mapped on demand. It is not called for accesses that a segment contains but does
// not allow, nor for misaligned ones.
//
// It runs on the goroutine of the wave, one call per space at a time, and must not use s itself. It may be called
// several times for one access, and for an access that does not happen because another lane faults: segments that
// it adds remain, and it must not yet access a device.
type MissFunc func(s *Space, addr, size uint64, want Rights) Reply

// A Place is the target of an access: memory, or a device that serves it.
type Place struct {
	Bytes  []byte // guest memory; nil if Device is set
	Device Device
	Addr   uint64 // argument for the methods of Device
}

// Load returns the bytes of the access: those of memory, or those read from the device, stored in buf.
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

// Reach is At for callers that can handle a device. If align is more than 1 it checks alignment as AtAligned does.
func (s *Space) Reach(c *Cursor, addr, size, align uint64, want Rights) (Place, *Fault) {
	if align > 1 && addr&(align-1) != 0 {
		return Place{}, s.fault(Misaligned, addr, size, align, want)
	}
	if w := s.Hit(c, addr, size, want); w != nil {
		return Place{Bytes: w}, nil
	}
	return s.reach(c, addr, size, want)
}

// reach searches the segments, then those that Miss has added, then calls Miss. It sets the cursor only for the
// first. A fault with a place has been let pass: see Segment.Also.
func (s *Space) reach(c *Cursor, addr, size uint64, want Rights) (Place, *Fault) {
	i, why := lookup(s.segs, addr, size, want)
	if i >= 0 {
		c.hint = i
		return Place{Bytes: s.segs[i].window(addr, size)}, nil
	}
	if why != OutOfRange {
		f := s.fault(why, addr, size, 0, want)
		if g := &s.segs[above(s.segs, addr)-1]; want&^(g.Rights|g.Also) == 0 {
			f.Done = true
			return Place{Bytes: g.window(addr, size)}, f
		}
		return Place{}, f
	}
	r := s.root()
	if r.Miss == nil && r.late.Load() == nil {
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

// added looks up the access in the segments that Miss has added. A place without Bytes is a refusal.
func (s *Space) added(addr, size uint64, want Rights) (Place, FaultKind) {
	list := s.lateSegs()
	i, why := lookup(list, addr, size, want)
	if i < 0 {
		return Place{}, why
	}
	return Place{Bytes: list[i].window(addr, size)}, why
}

// ask calls Miss and handles its reply.
func (s *Space) ask(addr, size uint64, want Rights) (Place, *Fault) {
	r := s.root()
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, _ := r.added(addr, size, want); p.Bytes != nil { // added by another goroutine since the search
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

// addLate adds a segment concurrently with readers: they see the old list or the new one. The caller holds s.mu.
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

// lateSegs returns the segments that Miss has added, by base.
func (s *Space) lateSegs() []Segment {
	if list := s.root().late.Load(); list != nil {
		return *list
	}
	return nil
}

// Asks reports whether an access that no segment contains may still succeed, because of Miss.
func (s *Space) Asks() bool { return s.root().Miss != nil }

// root is the space below the overlay s, or s.
func (s *Space) root() *Space {
	if s.under != nil {
		return s.under
	}
	return s
}

// Overlay returns a space with the segments of s and some of its own, for example global memory as one wave sees
// it. It shares the data of s. Segments that Miss adds to s are visible in both, but the overlay's own segments
// have priority. Other later changes of s do not affect the overlay.
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
