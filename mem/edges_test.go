package mem

import (
	"math"
	"testing"
)

// TestSpaceEdges: the first and last bytes of segments, of adjacent segments, and of the address space: which
// accesses of 1 to 9 bytes are inside, with and without a hint, and in which segment.
func TestSpaceEdges(t *testing.T) {
	s := space(t, NewSegment("zero", 0, 8, ReadWrite), NewSegment("a", 0x10, 7, ReadWrite), NewSegment("b", 0x17, 9, Read),
		NewSegment("top", math.MaxUint64-7, 8, ReadWrite))
	for _, g := range s.Segments() {
		for i := range g.Data {
			g.Data[i] = byte(g.Base) + byte(i)
		}
	}
	inside := func(addr, size uint64) bool {
		for _, g := range [][2]uint64{{0, 8}, {0x10, 7}, {0x17, 9}} {
			if addr >= g[0] && addr < g[0]+g[1] && addr+size <= g[0]+g[1] {
				return true
			}
		}
		const top = math.MaxUint64 - 7
		return addr >= top && addr-top+size <= 8
	}
	var addrs []uint64
	for a := range uint64(0x24) {
		addrs = append(addrs, a, math.MaxUint64-a)
	}
	for _, addr := range addrs {
		for size := uint64(1); size <= 9; size++ {
			for hint := range 5 {
				c := Cursor{hint}
				w, f := s.At(&c, addr, size, Read)
				if (f == nil) != inside(addr, size) {
					t.Errorf("%d bytes at %#x, hint %d: %v", size, addr, hint, f)
				} else if f == nil && (uint64(len(w)) != size || w[0] != byte(addr)) {
					t.Errorf("%d bytes at %#x: % x", size, addr, w)
				}
				p, f := s.Reach(&Cursor{hint}, addr, size, 1, Read)
				if (f == nil) != inside(addr, size) || f == nil && p.Bytes[0] != byte(addr) {
					t.Errorf("reach of %d bytes at %#x: %v", size, addr, f)
				}
				if w := s.Hit(&Cursor{hint}, addr, size, Read); w != nil && (!inside(addr, size) || w[0] != byte(addr)) {
					t.Errorf("hit of %d bytes at %#x", size, addr)
				}
			}
		}
	}
	if g, ok := s.Find(math.MaxUint64); !ok || g.Name != "top" || s.Bytes() != 8+7+9+8 {
		t.Errorf("%v; %d bytes in all", g.Name, s.Bytes())
	}
}

// TestEndedLatest: of several segments that have ended at one place the latest is named, and none after its last
// byte.
func TestEndedLatest(t *testing.T) {
	s := &Space{}
	for _, g := range []Segment{NewSegment("first", 0x100, 16, Read), NewSegment("second", 0x108, 16, Read)} {
		if err := s.Add(g); err != nil {
			t.Fatal(err)
		}
		s.End(g.Name)
	}
	for addr, want := range map[uint64]string{0xff: "", 0x100: "first", 0x107: "first", 0x108: "second", 0x10f: "second", 0x117: "second", 0x118: ""} {
		_, f := s.At(&Cursor{}, addr, 1, Read)
		name := ""
		if f != nil && f.Kind == Ended {
			name = f.Nearest.Name
		}
		if f == nil || name != want {
			t.Errorf("%#x: %v, want %q", addr, f, want)
		}
	}
	// An overlay and a copy remember them too.
	o, err := s.Overlay(NewSegment("own", 0x200, 8, Read))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Space{o, s.Clone()} {
		if _, f := x.At(&Cursor{}, 0x100, 1, Read); f == nil || f.Kind != Ended {
			t.Errorf("of another space: %v", f)
		}
	}
}

// TestNearest: a fault names the segment with the smallest gap, and of two as close the lower one.
func TestNearest(t *testing.T) {
	s := space(t, NewSegment("low", 0x100, 0x10, Read), NewSegment("high", 0x121, 0x10, Read))
	for addr, want := range map[uint64]string{0: "low", 0x110: "low", 0x117: "low", 0x118: "low", 0x119: "high", 0x120: "high", 0x131: "high", math.MaxUint64: "high"} {
		_, f := s.At(&Cursor{}, addr, 1, Read)
		if f == nil || f.Nearest == nil || f.Nearest.Name != want {
			t.Errorf("%#x: %v, want %s", addr, f, want)
		}
	}
}

// TestPadding: only reads of 16 bytes and more extend beyond the end of a padded segment, with more than half in
// the segment, and they see the padding. The size of the segment does not include it.
func TestPadding(t *testing.T) {
	const base, size, pad = 0x1000, 44, 20
	room := Alloc(size + pad)
	for i := range room {
		room[i] = byte(i)
	}
	g := Segment{Name: "padded", Base: base, Rights: ReadWrite, Data: room[:size], Pad: pad}
	s := space(t, g)
	for _, s := range []*Space{s, s.Clone()} {
		for _, want := range []Rights{Read, Write, ReadWrite} {
			for n := uint64(1); n <= 64; n++ {
				for at := uint64(0); at < 80; at++ {
					ok := at+n <= size
					if want == Read && n >= 16 && at < size {
						ok = ok || 2*(size-at) > n && at+n <= size+pad
					}
					w, f := s.At(&Cursor{}, base+at, n, want)
					if (f == nil) != ok || f == nil && (uint64(len(w)) != n || w[0] != byte(at) || w[n-1] != byte(at+n-1)) {
						t.Fatalf("%d bytes at %d for %v: %v", n, at, want, f)
					}
				}
			}
		}
		if s.Bytes() != size {
			t.Errorf("%d bytes", s.Bytes())
		}
	}
	g.Data = room[: size : size+pad-1]
	if err := new(Space).Add(g); err == nil {
		t.Error("a padding of 20 bytes where there are 19")
	}
}
