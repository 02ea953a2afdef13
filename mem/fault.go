package mem

import (
	"fmt"
	"strings"
)

// FaultKind is why an access was refused.
type FaultKind uint8

const (
	OutOfRange FaultKind = iota // not entirely inside one segment
	NoRead                      // the segment does not grant Read
	ReadOnly                    // the segment does not grant Write
	Misaligned                  // not a multiple of the alignment that the instruction set requires
	Ended                       // inside a segment that has ended and was not replaced
	OnDevice                    // a device serves it, but the access requires memory
	BadReply                    // the segment that Miss returned cannot be added: Err
)

var faultKinds = [...]string{"out of range", "no read", "read-only", "misaligned", "ended", "on a device", "bad reply"}

func (k FaultKind) String() string { return faultKinds[k] }

// A Fault is a refused access. The engine adds pc, wave and lane.
type Fault struct {
	Kind    FaultKind
	Space   string  // name of the space, may be empty
	Op      string  // "load", "store" or "atomic"
	Addr    uint64  // of the first byte
	Size    uint64  // in bytes
	Align   uint64  // required alignment of a Misaligned access, else 0
	Nearest *Extent // the segment at fault, or the one closest to Addr; nil in an empty space
	Err     error   // of BadReply
	Done    bool    // the access has happened: only a declaration does not allow it
}

// Unwrap returns Err.
func (f *Fault) Unwrap() error { return f.Err }

// Error says what was tried and which rule it broke:
//
//	load of 4 bytes at 0x1ffe: ends past "out" (0x1000-0x2000)
//	global store of 8 bytes at 0x10: no segment; nearest is "in" (0x1000-0x2000), 0xff0 bytes above
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Space != "" {
		b.WriteString(f.Space + " ")
	}
	unit := "bytes"
	if f.Size == 1 {
		unit = "byte"
	}
	fmt.Fprintf(&b, "%s of %d %s at %#x: %s", f.Op, f.Size, unit, f.Addr, f.reason())
	return b.String()
}

func (f *Fault) reason() string {
	switch f.Kind {
	case NoRead, ReadOnly:
		says := "is"
		if f.Done {
			says = "is declared"
		}
		return fmt.Sprintf("%v %s %s", f.Nearest, says, [...]string{NoRead: "write-only", ReadOnly: "read-only"}[f.Kind])
	case Misaligned:
		return fmt.Sprintf("address is not a multiple of %d", f.Align)
	case Ended:
		return fmt.Sprintf("%v has ended", f.Nearest)
	case OnDevice:
		return "a device is there, and only memory will do"
	case BadReply:
		return "cannot be mapped: " + f.Err.Error()
	}
	return f.rangeReason()
}

func (f *Fault) rangeReason() string {
	end := f.Addr + f.Size // 0 if the access ends with the address space
	if end < f.Addr && end != 0 {
		return "wraps around the end of the address space"
	}
	e := f.Nearest
	if e == nil {
		return "the space has no segments"
	}
	limit := e.Base + e.Size
	switch {
	case f.Addr < e.Base && (end > e.Base || end == 0):
		return fmt.Sprintf("starts before %v", e)
	case f.Addr < e.Base:
		return fmt.Sprintf("no segment; nearest is %v, %#x bytes above", e, e.Base-f.Addr)
	case limit == 0 || f.Addr < limit:
		return fmt.Sprintf("ends past %v", e)
	case f.Addr == limit:
		return fmt.Sprintf("no segment; nearest is %v, right below", e)
	}
	return fmt.Sprintf("no segment; nearest is %v, %#x bytes below", e, f.Addr-limit)
}

// fault builds the report of a refused access. It is never on the fast path.
func (s *Space) fault(kind FaultKind, addr, size, align uint64, want Rights) *Fault {
	f := &Fault{Kind: kind, Space: s.Name, Op: accessName(want), Addr: addr, Size: size, Align: align}
	if g := s.nearest(addr); g != nil {
		e := g.Extent()
		f.Nearest = &e
	}
	if kind == OutOfRange && (f.Nearest == nil || addr-f.Nearest.Base >= f.Nearest.Size) {
		if e := s.endedAt(addr); e != nil {
			f.Kind, f.Nearest = Ended, e
		}
	}
	return f
}

func accessName(want Rights) string {
	switch want {
	case Read:
		return "load"
	case Write:
		return "store"
	}
	return "atomic"
}

// nearest returns the segment that contains addr, or the one with the smallest gap to it, the lower one if two are
// as close; nil in an empty space.
func (s *Space) nearest(addr uint64) (best *Segment) {
	for _, list := range [...][]Segment{s.segs, s.lateSegs()} {
		i := above(list, addr)
		for k := max(i-1, 0); k < min(i+1, len(list)); k++ {
			g := &list[k]
			if best == nil || g.gap(addr) < best.gap(addr) || g.gap(addr) == best.gap(addr) && g.Base < best.Base {
				best = g
			}
		}
	}
	return best
}

// gap is the distance of addr from the segment's closest byte; 0 inside it.
func (g *Segment) gap(addr uint64) uint64 {
	switch {
	case addr < g.Base:
		return g.Base - addr
	case addr > g.last():
		return addr - g.last()
	}
	return 0
}

// endedAt returns the ended segment that contained addr, the latest if there are several.
func (s *Space) endedAt(addr uint64) *Extent {
	for i := len(s.ended) - 1; i >= 0; i-- {
		if e := s.ended[i]; addr-e.Base < e.Size {
			return &e
		}
	}
	return nil
}
