package mem

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// oneBits is a device whose bytes have all bits set.
type oneBits struct{ noShadow }

func (oneBits) Load(_ uint64, p []byte) {
	for i := range p {
		p[i] = 0xff
	}
}

// TestShadowsOfMissing: what Miss adds has a shadow at the same addresses, whether the shadow or the memory is accessed
// first; what devices serve, and what is not there, is defined.
func TestShadowsOfMissing(t *testing.T) {
	s := space(t, NewSegment("fixed", 1<<20, 64, ReadWrite))
	mapped := pages(4<<12, map[uint64]int{})
	s.Miss = func(s *Space, addr, size uint64, want Rights) Reply {
		if addr>>20 == 7 {
			return Reply{Device: oneBits{}}
		}
		return mapped(s, addr, size, want)
	}
	var sh Shadows
	of, err := sh.Space(s, 3)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, addr := range []uint64{1<<20 + 8, 0x1010, 0x2020, 0x3ff8} {
		wg.Go(func() {
			for _, x := range [...]*Space{of, s} { // the shadow asks first
				w, f := x.At(&Cursor{}, addr, 8, ReadWrite)
				if f != nil {
					t.Error(f)
					return
				}
				Store(w, addr)
			}
		})
	}
	wg.Wait()
	for _, addr := range []uint64{1<<20 + 8, 0x1010, 0x2020, 0x3ff8} {
		_, base, data, shadow := sh.At(3, addr)
		g, _ := s.Find(addr)
		if base != g.Base || len(shadow) != len(data) || Load(shadow[:8]) != addr || Load(data[:8]) != addr || &g.Data[addr-base] != &data[0] {
			t.Errorf("%#x: %#x, %d bytes, shadow %#x", addr, base, len(data), shadow[:min(len(shadow), 8)])
		}
	}
	if p, f := of.Reach(&Cursor{}, 7<<20, 4, 0, Read); f != nil || p.Device == nil || Load(p.Load([]byte{1, 2, 3, 4})) != 0 {
		t.Errorf("of a device: %v, %v", p, f)
	}
	if _, f := of.At(&Cursor{}, 9<<12, 4, Read); f == nil {
		t.Error("memory that is not there has a shadow")
	}
	if _, _, _, shadow := sh.At(3, 0); shadow != nil { // nothing has accessed it
		t.Error("page 0 has a shadow")
	}
}

// TestShadowsOfUnset: what is unset is undefined at first, also in the padding; what is written stays defined while the
// memory is the same.
func TestShadowsOfUnset(t *testing.T) {
	g := NewSegment("part", 1<<20, 24, ReadWrite)
	g.Data, g.Pad, g.Unset = g.Data[:16], 8, [][2]int{{4, 6}, {15, 24}}
	s := space(t, g, NewSegment("whole", 2<<20, 8, ReadWrite))
	var sh Shadows
	want := []byte{4: 0xff, 5: 0xff, 15: 0xff}
	for range 2 {
		if _, err := sh.Space(s, 0); err != nil {
			t.Fatal(err)
		}
		_, _, _, got := sh.At(0, 1<<20)
		if pad := got[:24][16:]; !bytes.Equal(got, want) || !bytes.Equal(pad, bytes.Repeat([]byte{0xff}, 8)) {
			t.Errorf("%x, then %x", got, pad)
		}
		got[4], want[4] = 0, 0
	}
	if _, _, _, got := sh.At(0, 2<<20); !bytes.Equal(got, make([]byte, 8)) {
		t.Errorf("whole: %x", got)
	}
}

// TestShadowsOfOtherUnset: a segment in the same memory that is unset elsewhere, or nowhere, has not the shadow of the
// last launch.
func TestShadowsOfOtherUnset(t *testing.T) {
	g := NewSegment("arguments", 1<<20, 16, Read)
	var sh Shadows
	for _, x := range []struct {
		unset [][2]int
		want  string
	}{
		{[][2]int{{12, 16}}, "000000000000000000000000ffffffff"},
		{nil, "00000000000000000000000000000000"},
		{[][2]int{{4, 8}}, "00000000ffffffff0000000000000000"},
		{[][2]int{{4, 6}}, "00000000ffff00000000000000000000"},
	} {
		g.Unset = x.unset
		if _, err := sh.Space(space(t, g), 0); err != nil {
			t.Fatal(err)
		}
		if _, _, _, got := sh.At(0, 1<<20); fmt.Sprintf("%x", got) != x.want {
			t.Errorf("unset %v: %x, want %s", x.unset, got, x.want)
		}
	}
}

// TestNoShadow: memory that no shadow can be had for is refused.
func TestNoShadow(t *testing.T) {
	s := &Shadows{Place: func(uint8, *Segment) []byte { return nil }}
	of := &Space{Name: "global"}
	if err := of.Add(NewSegment("b", 0x1000, 64, ReadWrite)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Space(of, 0); err == nil || !strings.Contains(err.Error(), `shadow of "b"`) {
		t.Errorf("got %v", err)
	}
}
