package mem

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// pages returns a MissFunc that maps pages of 4096 bytes below limit, each filled with its number, and counts its
// calls.
func pages(limit uint64, calls map[uint64]int) MissFunc {
	return func(_ *Space, addr, size uint64, _ Rights) Reply {
		calls[addr>>12]++
		if addr >= limit || addr&0xfff+size > 0x1000 {
			return Reply{}
		}
		g := NewSegment(fmt.Sprintf("page %#x", addr>>12), addr&^0xfff, 0x1000, ReadWrite)
		for i := range g.Data {
			g.Data[i] = byte(addr >> 12)
		}
		return Reply{Segment: g}
	}
}

// TestMissTogether: many goroutines and cursors, also through overlays; each page is requested once, and all see
// the same bytes.
func TestMissTogether(t *testing.T) {
	const n = 64
	calls := map[uint64]int{}
	s := space(t, NewSegment("fixed", n<<12, 0x1000, ReadWrite))
	s.Miss = pages(n<<12, calls)
	var wg sync.WaitGroup
	for worker := range 8 {
		over, err := s.Overlay(NewSegment("own", 1<<40, 64, ReadWrite))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			var c Cursor
			for i := range uint64(4 * n) {
				page := (i*13 + uint64(worker)) % n
				w, f := [...]*Space{s, over}[i%2].At(&c, page<<12+8*uint64(worker), 8, ReadWrite)
				if f != nil || Load(w[:1]) != page || Atomic(w, Add, 0x100, 0)&0xff != page {
					t.Errorf("page %#x: %x, %v", page, w, f)
				}
				if _, f := over.At(&c, 1<<40+8, 8, Write); f != nil {
					t.Error(f)
				}
			}
		})
	}
	wg.Wait()
	for page, k := range calls {
		if k != 1 {
			t.Errorf("page %#x is asked for %d times", page, k)
		}
	}
	if len(calls) != n || len(s.Segments()) != n+1 || s.Bytes() != (n+1)<<12 {
		t.Errorf("%d pages asked for, %d segments of %#x bytes", len(calls), len(s.Segments()), s.Bytes())
	}
	for i, g := range s.Segments() {
		if g.Base != uint64(i)<<12 {
			t.Fatalf("segment %d at %#x", i, g.Base)
		}
	}
}

// TestMissAgain: a goroutine that searched before a page was added, and calls ask afterwards, gets the page without
// another call of Miss.
func TestMissAgain(t *testing.T) {
	calls := map[uint64]int{}
	s := space(t)
	s.Miss = pages(0x5000, calls)
	over, err := s.Overlay(NewSegment("own", 1<<40, 64, ReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	var c Cursor
	w, f := s.At(&c, 0x3008, 8, ReadWrite)
	if f != nil {
		t.Fatal(f)
	}
	for _, late := range []*Space{s, over} {
		p, f := late.ask(0x3008, 8, ReadWrite) // the second half of an access that no segment contained
		if f != nil || len(p.Bytes) != 8 || &p.Bytes[0] != &w[0] {
			t.Errorf("%x, %v", p.Bytes, f)
		}
	}
	if calls[3] != 1 {
		t.Errorf("the page is asked for %d times", calls[3])
	}
}

// TestMissSegments: segments that Miss has added can be found, copied, ended and replaced like any other.
func TestMissSegments(t *testing.T) {
	calls := map[uint64]int{}
	s := space(t)
	s.Name, s.Miss = "global", pages(0x5000, calls)
	var c Cursor
	for _, addr := range []uint64{0x3000, 0x1fff, 0x1000} {
		if _, f := s.At(&c, addr, 1, Read); f != nil {
			t.Fatal(f)
		}
	}
	if g, ok := s.Find(0x1800); !ok || g.Name != "page 0x1" || calls[1] != 1 {
		t.Errorf("found %v, %v", g.Extent(), calls)
	}
	if g, ok := s.Segment("page 0x3"); !ok || g.Base != 0x3000 {
		t.Errorf("found %v", g.Extent())
	}
	if err := s.Add(NewSegment("x", 0x3ff8, 16, Read)); err == nil || !strings.Contains(err.Error(), `overlaps "page 0x3"`) {
		t.Error(err)
	}
	k := s.Clone()
	if w, f := k.At(&c, 0x1234, 1, Write); f != nil || w[0] != 1 || calls[1] != 1 {
		t.Errorf("the copy has %x, %v", w, f)
	} else if w[0] = 99; true {
		if w, _ := s.At(&c, 0x1234, 1, Read); w[0] != 1 {
			t.Error("the copy shares bytes")
		}
	}
	if _, f := k.At(&c, 0x4000, 1, Read); f != nil || calls[4] != 1 {
		t.Errorf("the copy does not ask: %v", f)
	}
	s.Miss = nil
	if !s.End("page 0x1") {
		t.Error("cannot be ended")
	}
	if _, f := s.At(&c, 0x1000, 4, Read); f == nil || f.Kind != Ended {
		t.Error(f)
	}
	if _, f := s.At(&c, 0x3000, 4, Read); f != nil {
		t.Error(f)
	}
	_, f := s.At(&c, 0x2ff0, 4, Read)
	if want := `global load of 4 bytes at 0x2ff0: no segment; nearest is "page 0x3" (0x3000-0x4000), 0x10 bytes above`; f == nil || f.Error() != want {
		t.Errorf("%v, want %s", f, want)
	}
}

// TestMissRefused: invalid replies.
func TestMissRefused(t *testing.T) {
	for _, c := range []struct {
		reply Reply
		want  string
	}{
		{Reply{}, `load of 4 bytes at 0x2000: no segment; nearest is "in" (0x1000-0x2000), right below`},
		{Reply{Segment: NewSegment("in", 0x2000, 8, Read)}, `load of 4 bytes at 0x2000: cannot be mapped: mem: segment "in" (0x2000-0x2008) has the name of "in" (0x1000-0x2000)`},
		{Reply{Segment: NewSegment("x", 0x1ff8, 64, Read)}, `load of 4 bytes at 0x2000: cannot be mapped: mem: segment "x" (0x1ff8-0x2038) overlaps "in" (0x1000-0x2000)`},
		{Reply{Segment: NewSegment("x", 0x2000, 2, Read)}, `load of 4 bytes at 0x2000: ends past "x" (0x2000-0x2002)`},
		{Reply{Segment: NewSegment("x", 0x2000, 8, Write)}, `load of 4 bytes at 0x2000: "x" (0x2000-0x2008) is write-only`},
		{Reply{Device: new(lanePart)}, "load of 4 bytes at 0x2000: a device is there, and only memory will do"},
	} {
		s := inOut(t)
		s.Miss = func(*Space, uint64, uint64, Rights) Reply { return c.reply }
		var k Cursor
		w, f := s.At(&k, 0x2000, 4, Read)
		if w != nil || f == nil || f.Error() != c.want {
			t.Errorf("%x, %v, want %s", w, f, c.want)
		}
		if f != nil && (f.Kind == BadReply) != (errors.Unwrap(f) != nil) {
			t.Errorf("%v: cause %v", f, f.Err)
		}
	}
}

// TestMissNotAsked: an access that a segment contains but does not allow, and a misaligned access, are faults at
// once.
func TestMissNotAsked(t *testing.T) {
	s := inOut(t)
	s.Miss = func(*Space, uint64, uint64, Rights) Reply {
		t.Error("asked")
		return Reply{}
	}
	var c Cursor
	if _, f := s.At(&c, 0x1000, 4, Write); f == nil || f.Kind != ReadOnly {
		t.Error(f)
	}
	if _, f := s.Reach(&c, 0x9001, 4, 4, Read); f == nil || f.Kind != Misaligned {
		t.Error(f)
	}
	if p, f := s.Reach(&c, 0x1ffc, 4, 4, Read); f != nil || len(p.Bytes) != 4 {
		t.Error(f)
	}
}

// TestOverlay: an overlay has its own segments and shares the others; its own do not appear in the space below.
func TestOverlay(t *testing.T) {
	s := inOut(t)
	s.Name = "global"
	a, err := s.Overlay(NewSegment("own", 0x8000, 64, ReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Overlay(NewSegment("more", 0x9000, 64, ReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	var c Cursor
	w, f := a.At(&c, 0x3010, 4, Write)
	if f != nil {
		t.Fatal(f)
	}
	w[0] = 7
	if w, f := s.At(&c, 0x3010, 1, Read); f != nil || w[0] != 7 {
		t.Errorf("%x, %v", w, f)
	}
	if w, f := b.At(&c, 0x8000, 4, Read); f != nil || len(w) != 4 {
		t.Errorf("an overlay of an overlay: %v", f)
	}
	for _, low := range []*Space{s, a} {
		if _, f := low.At(&c, 0x9000, 4, Read); f == nil || f.Space != "global" {
			t.Errorf("reaches what is not its own: %v", f)
		}
	}
	if _, err := s.Overlay(NewSegment("own", 0x1800, 8, Read)); err == nil {
		t.Error("an overlap is accepted")
	}
	calls := map[uint64]int{}
	s.Miss = pages(0xa000, calls) // pages below the overlay's own segments too
	if _, f := b.At(&c, 0x8fff, 1, Read); f != nil || calls[8] != 1 {
		t.Errorf("%v, %v", f, calls)
	}
	if w, f := b.At(&c, 0x8000, 1, Read); f != nil || w[0] != 0 {
		t.Errorf("the page is before the own segment: %x, %v", w, f)
	}
	if w, f := s.At(&c, 0x8000, 1, Read); f != nil || w[0] != 8 {
		t.Errorf("the space below has %x, %v", w, f)
	}
}

// TestHit: a hit returns what At returns; a miss neither calls Miss nor changes the cursor.
func TestHit(t *testing.T) {
	s := inOut(t)
	s.Miss = func(*Space, uint64, uint64, Rights) Reply {
		t.Error("asked")
		return Reply{}
	}
	c := Cursor{1}
	for _, k := range []struct {
		addr uint64
		want Rights
		hit  bool
	}{{0x3000, ReadWrite, true}, {0x3ffc, Read, true}, {0x1000, Read, false}} {
		w := s.Hit(&c, k.addr, 4, k.want)
		if (w != nil) != k.hit || c.hint != 1 {
			t.Errorf("%#x: %x, hint %d", k.addr, w, c.hint)
		}
		if got, f := s.At(&c, k.addr, 4, k.want); k.hit && (f != nil || &got[0] != &w[0]) {
			t.Errorf("%#x: At gives other bytes: %v", k.addr, f)
		}
		if c.hint = 1; k.addr == 0x1000 {
			c.hint = 0
			if s.Hit(&c, k.addr, 4, Write) != nil {
				t.Error("writes what is read-only")
			}
			c.hint = 1
		}
	}
}
