package mem

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func space(t testing.TB, segs ...Segment) *Space {
	t.Helper()
	s, err := NewSpace("", segs...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// inOut is two segments with a gap, the first of them read-only.
func inOut(t testing.TB) *Space {
	return space(t, NewSegment("in", 0x1000, 0x1000, Read), NewSegment("out", 0x3000, 0x1000, ReadWrite))
}

func TestAccess(t *testing.T) {
	s := inOut(t)
	if err := s.Add(NewSegment("next", 0x4000, 0x10, ReadWrite)); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(NewSegment("sink", 0x5000, 0x10, Write)); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(NewSegment("top", math.MaxUint64-15, 16, ReadWrite)); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		addr, size uint64
		want       Rights
		text       string // of the fault; "" if none
	}{
		{0x1000, 1, Read, ""},
		{0x1fff, 1, Read, ""},
		{0x1ff8, 8, Read, ""},
		{0x3000, 0x1000, ReadWrite, ""},
		{math.MaxUint64, 1, Read, ""},
		{math.MaxUint64 - 15, 16, Write, ""},
		{0x1ffe, 4, Read, `load of 4 bytes at 0x1ffe: ends past "in" (0x1000-0x2000)`},
		{0x10, 8, Write, `store of 8 bytes at 0x10: no segment; nearest is "in" (0x1000-0x2000), 0xff0 bytes above`},
		{0x1000, 1, Write, `store of 1 byte at 0x1000: "in" (0x1000-0x2000) is read-only`},
		{0x1000, 4, ReadWrite, `atomic of 4 bytes at 0x1000: "in" (0x1000-0x2000) is read-only`},
		{0x5000, 4, Read, `load of 4 bytes at 0x5000: "sink" (0x5000-0x5010) is write-only`},
		{0xffe, 4, Read, `load of 4 bytes at 0xffe: starts before "in" (0x1000-0x2000)`},
		{0x2000, 4, Read, `load of 4 bytes at 0x2000: no segment; nearest is "in" (0x1000-0x2000), right below`},
		{0x2010, 4, Read, `load of 4 bytes at 0x2010: no segment; nearest is "in" (0x1000-0x2000), 0x10 bytes below`},
		{0x2ff0, 4, Read, `load of 4 bytes at 0x2ff0: no segment; nearest is "out" (0x3000-0x4000), 0x10 bytes above`},
		{0x3ffc, 8, Read, `load of 8 bytes at 0x3ffc: ends past "out" (0x3000-0x4000)`},
		{math.MaxUint64 - 3, 8, Read, `load of 8 bytes at 0xfffffffffffffffc: wraps around the end of the address space`},
		{0x1000, math.MaxUint64, Read, `load of 18446744073709551615 bytes at 0x1000: wraps around the end of the address space`},
		{0x7000, 4, Read, `load of 4 bytes at 0x7000: no segment; nearest is "sink" (0x5000-0x5010), 0x1ff0 bytes below`},
		{math.MaxUint64 - 17, 2, Read, `load of 2 bytes at 0xffffffffffffffee: no segment; nearest is "top" (0xfffffffffffffff0-0x10000000000000000), 0x2 bytes above`},
	}
	for _, tt := range tests {
		for hint := range 7 { // right, wrong and stale hints make no difference
			c := Cursor{hint - 1}
			w, f := s.At(&c, tt.addr, tt.size, tt.want)
			switch {
			case f != nil && f.Error() != tt.text:
				t.Errorf("got fault %q, want %q", f.Error(), tt.text)
			case f == nil && tt.text != "":
				t.Errorf("no fault, want %q", tt.text)
			case f == nil && (uint64(len(w)) != tt.size || cap(w) != len(w)):
				t.Errorf("%#x: window has %d bytes, capacity %d, want %d", tt.addr, len(w), cap(w), tt.size)
			}
		}
	}
}

func TestFaultFields(t *testing.T) {
	s := inOut(t)
	s.Name = "global"
	var c Cursor
	_, f := s.AtAligned(&c, 0x3002, 4, 4, Read)
	if f == nil || f.Kind != Misaligned || f.Align != 4 {
		t.Fatalf("got %+v", f)
	}
	if want := "global load of 4 bytes at 0x3002: address is not a multiple of 4"; f.Error() != want {
		t.Errorf("got %q, want %q", f.Error(), want)
	}
	if want := (Extent{"out", 0x3000, 0x1000, ReadWrite}); *f.Nearest != want {
		t.Errorf("nearest is %v, want %v", f.Nearest, want)
	}
	if _, f = s.AtAligned(&c, 0x3004, 4, 4, Read); f != nil {
		t.Error(f)
	}
	empty := &Space{Name: "lds"}
	if _, f = empty.At(&c, 0, 4, Write); f == nil || f.Error() != "lds store of 4 bytes at 0x0: the space has no segments" {
		t.Errorf("got %v", f)
	}
}

func TestAddRefuses(t *testing.T) {
	skewed := NewSegment("x", 0x10001, 8, Read)
	skewed.Base--
	tests := []struct {
		g    Segment
		text string
	}{
		{Segment{Name: "x", Base: 1}, `segment "x" at 0x1 is empty`},
		{NewSegment("x", math.MaxUint64-6, 8, Read), `segment "x": 0x8 bytes at 0xfffffffffffffff9 wrap around`},
		{NewSegment("x", 0xfff, 2, Read), `segment "x" (0xfff-0x1001) overlaps "in" (0x1000-0x2000)`},
		{NewSegment("x", 0x1fff, 1, Read), `segment "x" (0x1fff-0x2000) overlaps "in" (0x1000-0x2000)`},
		{NewSegment("x", 0x2000, 0x1001, Read), `segment "x" (0x2000-0x3001) overlaps "out" (0x3000-0x4000)`},
		{NewSegment("x", 0, 0x10000, Read), `segment "x" (0x0-0x10000) overlaps "in" (0x1000-0x2000)`},
		{NewSegment("in", 0x9000, 1, Read), `segment "in" (0x9000-0x9001) has the name of "in" (0x1000-0x2000)`},
		{skewed, `segment "x" (0x10000-0x10008): data is not aligned as its base; use Alloc or NewSegment`},
	}
	s := inOut(t)
	for _, tt := range tests {
		if err := s.Add(tt.g); err == nil || err.Error() != "mem: "+tt.text {
			t.Errorf("got %v, want %s", err, tt.text)
		}
	}
	if n := len(s.Segments()); n != 2 {
		t.Errorf("%d segments after refusals, want 2", n)
	}
	if _, err := NewSpace("", tests[0].g); err == nil {
		t.Error("NewSpace took an empty segment")
	}
	if err := s.Add(NewSegment("fits", 0x2000, 0x1000, Read)); err != nil {
		t.Error(err)
	}
}

func TestEndAndRemove(t *testing.T) {
	s := inOut(t)
	var c Cursor
	if _, f := s.At(&c, 0x3000, 4, Read); f != nil {
		t.Fatal(f)
	}
	if !s.End("out") || s.End("out") || s.Remove("none") {
		t.Fatal("End or Remove answers wrongly")
	}
	_, f := s.At(&c, 0x3ffe, 4, Read)
	if f == nil || f.Kind != Ended || f.Error() != `load of 4 bytes at 0x3ffe: "out" (0x3000-0x4000) has ended` {
		t.Errorf("got %v", f)
	}
	if _, f = s.At(&c, 0x4000, 4, Read); f == nil || f.Kind != OutOfRange {
		t.Errorf("got %v", f)
	}
	if err := s.Add(NewSegment("again", 0x3000, 0x10, Read)); err != nil {
		t.Fatal(err)
	}
	if _, f = s.At(&c, 0x300c, 8, Read); f == nil || f.Kind != OutOfRange {
		t.Errorf("past the new segment: got %v", f)
	}
	if _, f = s.At(&c, 0x3020, 4, Read); f == nil || f.Kind != Ended {
		t.Errorf("beside the new segment: got %v", f)
	}
	s.Remove("in")
	if _, f = s.At(&c, 0x1000, 4, Read); f == nil || f.Kind != OutOfRange {
		t.Errorf("got %v", f)
	}
}

func TestLookups(t *testing.T) {
	s := inOut(t)
	if g, ok := s.Find(0x1fff); !ok || g.Name != "in" {
		t.Errorf("found %v", g.Name)
	}
	if _, ok := s.Find(0x2000); ok {
		t.Error("found a segment in the gap")
	}
	if g, ok := s.Segment("out"); !ok || g.Base != 0x3000 {
		t.Error("out not found")
	}
	if _, ok := s.Segment("none"); ok {
		t.Error("found a segment that is not there")
	}
	var c Cursor
	d := s.Clone()
	w, _ := s.At(&c, 0x3000, 4, Write)
	Store(w, 7)
	if v, _ := d.At(&c, 0x3000, 4, Read); Load(v) != 0 {
		t.Error("a store reached the clone")
	}
}

func TestAllocIsAligned(t *testing.T) {
	for size := range 70 {
		b := Alloc(size)
		if len(b) != size || cap(b) != size && size > 0 {
			t.Errorf("Alloc(%d) has length %d, capacity %d", size, len(b), cap(b))
		}
		if size > 0 && uintptr(unsafe.Pointer(&b[0]))%Align != 0 {
			t.Errorf("Alloc(%d) is misaligned", size)
		}
		g := NewSegment("x", uint64(size), size+1, Read)
		if err := (&Space{}).Add(g); err != nil {
			t.Error(err)
		}
	}
}

// TestAgainstModel compares a space under random changes with a map from address to byte, rights and owner.
func TestAgainstModel(t *testing.T) {
	type cell struct {
		name   string
		rights Rights
		v      byte
	}
	r := rand.New(rand.NewPCG(1, 2))
	s, model := &Space{}, map[uint64]*cell{}
	cursors := make([]Cursor, 4)
	for i := range 100_000 {
		addr, size := r.Uint64N(512), r.Uint64N(20)+1
		if i%50 == 0 {
			name := string(rune('a' + r.IntN(12)))
			s.Remove(name)
			for a, c := range model {
				if c.name == name {
					delete(model, a)
				}
			}
			g := NewSegment(name, addr, int(r.Uint64N(60)), Rights(r.IntN(4)))
			if s.Add(g) == nil {
				for j := range g.Data {
					model[addr+uint64(j)] = &cell{name, g.Rights, 0}
				}
			}
		}
		want := Rights(r.IntN(3) + 1)
		first := model[addr]
		ok := first != nil && first.rights&want == want
		for j := range size {
			ok = ok && model[addr+j] != nil && model[addr+j].name == first.name
		}
		w, f := s.At(&cursors[r.IntN(4)], addr, size, want)
		if (f == nil) != ok {
			t.Fatalf("step %d: %d bytes at %#x, right %d: fault %v, model says %v", i, size, addr, want, f, ok)
		}
		if f != nil {
			if f.Error() == "" || strings.Contains(f.Error(), "!") {
				t.Fatalf("step %d: bad text %q", i, f.Error())
			}
			continue
		}
		for j := range w {
			c := model[addr+uint64(j)]
			if w[j] != c.v {
				t.Fatalf("step %d: byte %#x is %#x, model has %#x", i, addr+uint64(j), w[j], c.v)
			}
			if want&Write != 0 {
				w[j] = byte(r.Uint32())
				c.v = w[j]
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	s := inOut(t)
	var c Cursor
	n := testing.AllocsPerRun(1000, func() {
		w, _ := s.At(&c, 0x1008, 8, Read)
		v := Load(w)
		w, _ = s.AtAligned(&c, 0x3010, 8, 8, ReadWrite) // misses the hint every time
		Store(w, v+1)
		Atomic(w, Add, 3, 0)
	})
	if n != 0 {
		t.Errorf("%v allocations an access, want 0", n)
	}
}

func BenchmarkAt(b *testing.B) {
	s := inOut(b)
	var c Cursor
	var sum uint64
	for i := range b.N {
		w, _ := s.At(&c, 0x3000+uint64(i&1023)*4, 4, Read)
		sum += Load(w)
	}
	_ = sum
}

// TestCopyNew: pages of zeros, others and a short one at the end.
func TestCopyNew(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 3*4096 + 7} {
		data := make([]byte, size)
		for i := 5000; i < size; i += 3000 {
			data[i] = byte(i)
		}
		to := make([]byte, size+1)
		if CopyNew(to, data); !bytes.Equal(to[:size], data) || to[size] != 0 {
			t.Errorf("%d bytes differ", size)
		}
	}
}

// TestWithout: a hole in a segment leaves what is before it and behind it, which have the same bytes.
func TestWithout(t *testing.T) {
	a, b := NewSegment("a", 0x1000, 0x100, Read), NewSegment("b", 0x2000, 0x100, ReadWrite)
	s := space(t, a, b)
	for _, x := range []struct {
		addr, size uint64
		want       []uint64 // pairs of first and last address
	}{
		{0x1040, 0x20, []uint64{0x1000, 0x103f, 0x1060, 0x10ff, 0x2000, 0x20ff}},
		{0x1000, 0x20, []uint64{0x1020, 0x10ff, 0x2000, 0x20ff}},
		{0x10e0, 0xf40, []uint64{0x1000, 0x10df, 0x2020, 0x20ff}},
		{0, 0x3000, nil},
		{0x1100, 0xf00, []uint64{0x1000, 0x10ff, 0x2000, 0x20ff}},
	} {
		w, err := s.Without(x.addr, x.size)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, g := range w.Segments() {
			got = append(got, g.Base, g.last())
			if of, _ := s.Find(g.Base); &of.Data[g.Base-of.Base] != &g.Data[0] || of.Rights != g.Rights || cap(g.Data) < len(g.Data)+g.Pad {
				t.Errorf("%#x, %#x: %v is not of %v", x.addr, x.size, g.Extent(), of.Extent())
			}
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%#x, %#x: %#x, want %#x", x.addr, x.size, got, x.want)
		}
	}
}

// TestCopiesUnset: a copy of a space, and what Without leaves of it, is unset where the space is.
func TestCopiesUnset(t *testing.T) {
	g := NewSegment("part", 0x1000, 0x48, ReadWrite)
	g.Data, g.Pad, g.Unset = g.Data[:0x40], 8, [][2]int{{0x4, 0x8}, {0xc, 0x24}, {0x30, 0x48}}
	s := space(t, g)
	without := func(addr, size uint64) *Space {
		w, err := s.Without(addr, size)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for i, x := range []struct {
		s    *Space
		want string
	}{
		{s.Clone(), "0x1000 [[4 8] [12 36] [48 72]] "},
		{without(0x1010, 0x10), "0x1000 [[4 8] [12 16]] 0x1020 [[0 4] [16 40]] "},
		{without(0x1000, 0x34), "0x1034 [[0 20]] "},
		{without(0x1008, 0x100), "0x1000 [[4 8]] "},
		{without(0x2000, 8), "0x1000 [[4 8] [12 36] [48 72]] "},
	} {
		got := ""
		for _, g := range x.s.Segments() {
			got += fmt.Sprintf("%#x %v ", g.Base, g.Unset)
		}
		if got != x.want {
			t.Errorf("space %d: %s, want %s", i, got, x.want)
		}
	}
}
