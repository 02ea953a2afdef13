package mem

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// twoSegments is a space with a segment at an odd address, a read-only one, and a large one.
func twoSegments(t *testing.T) *Space {
	t.Helper()
	s, err := NewSpace("global", NewSegment("a", 0x1003, 500, ReadWrite), NewSegment("ro", 0x4000, 500, Read), NewSegment("b", 0x10000, 3*pageBytes+77, ReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// touches is what a group does to words of segments, as a map: the model of a footprint.
type touches map[string]*[3]bool

func (a touches) meets(b touches) bool {
	for w, x := range a {
		y := b[w]
		if y == nil {
			continue
		}
		if x[stored] && (y[loaded] || y[stored] || y[atomically]) || y[stored] && (x[loaded] || x[atomically]) || x[loaded] && y[atomically] || x[atomically] && y[loaded] {
			return true
		}
	}
	return false
}

// TestFootprints: conflicts are found exactly where a map of words finds them, for random accesses of every size
// and pattern.
func TestFootprints(t *testing.T) {
	met, apart := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 21))
		s := twoSegments(t)
		f := NewFootprints(false, s, s)
		p := []*Footprint{f.New(), f.New()}
		var before []touches
		for group := range 6 {
			mine := touches{}
			for range 1 + r.IntN(4) {
				access(t, r, s, p[group%2], mine)
			}
			want := false
			for _, b := range before {
				want = want || mine.meets(b)
			}
			before = append(before, mine)
			m := p[group%2].End()
			if (m != nil) != want {
				t.Fatalf("seed %d, group %d: %v, want %t", seed, group, m, want)
			}
			if m == nil {
				apart++
				continue
			}
			met++
			w := mine[fmt.Sprint(m.In.Name, (m.Addr-m.In.Base)/4)]
			if w == nil || !w[map[string]int{"loads": loaded, "stores": stored, "has an atomic": atomically}[m.This]] {
				t.Fatalf("seed %d, group %d: %v, which it does not", seed, group, m)
			}
		}
	}
	if met < 300 || apart < 300 {
		t.Errorf("%d met, %d did not", met, apart)
	}
}

// access accesses a range, a stride, one place, or anything, and records it in the model.
func access(t *testing.T, r *rand.Rand, s *Space, p *Footprint, mine touches) {
	var windows [64][]byte
	var c Cursor
	g := s.Segments()[[...]int{0, 1, 2, 2, 2}[r.IntN(5)]]
	want := []Rights{Read, Read, Write, ReadWrite}[r.IntN(4)]
	if g.Rights&Write == 0 {
		want = Read
	}
	size := uint64(1 << r.IntN(5))
	if want == ReadWrite {
		size = 4
	}
	first, step, lanes := r.Uint64N(uint64(len(g.Data))), []uint64{0, size, size, 1, 64, 4096, r.Uint64N(300)}[r.IntN(7)], r.Uint64()
	for lane := range windows {
		at := first + uint64(lane)*step
		if at+size > uint64(len(g.Data)) {
			lanes &^= 1 << lane
			continue
		}
		w, fault := s.At(&c, g.Base+at, size, want)
		if fault != nil {
			t.Fatal(fault)
		}
		if windows[lane] = w; lanes>>lane&1 == 0 {
			continue
		}
		for b := at; b < at+size && g.Rights&Write != 0; b++ {
			k := fmt.Sprint(g.Name, b/4)
			if mine[k] == nil {
				mine[k] = &[3]bool{}
			}
			mine[k][map[Rights]int{Read: loaded, Write: stored, ReadWrite: atomically}[want]] = true
		}
	}
	touch(p, &g, first, step, size, &windows, lanes, want)
}

// touch records an access, with a table as machine code does if possible.
func touch(p *Footprint, g *Segment, first, step, size uint64, windows *[64][]byte, lanes uint64, want Rights) {
	table, ok := p.Table(g.Data, want)
	if !ok || lanes%3 == 0 {
		p.Touch(windows, lanes, want)
		return
	}
	if table == nil || lanes == 0 {
		return
	}
	var offsets []uint64
	for m := lanes; m != 0; m &= m - 1 {
		offsets = append(offsets, first+uint64(bits.TrailingZeros64(m))*step)
	}
	p.MakeRoom(g.Data, offsets, size, want)
	pages := unsafe.Slice(table, (len(g.Data)-1)>>PageShift+1)
	for _, off := range offsets {
		for b := off; b < off+size; b++ {
			(*pageMarks)(pages[b>>PageShift])[b%pageBytes>>WordShift] = 255
		}
	}
	if p.MakeRoom(g.Data, offsets, size, want) {
		panic("room was made twice")
	}
}

// TestLearn: an access of another kind to an exempt segment is found. After this, or an exact conflict, the run is
// undone if groups conflict; a run without conflicts completes.
func TestLearn(t *testing.T) {
	met, off := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 23))
		s := twoSegments(t)
		f := NewFootprints(true, s)
		f.Learn()
		seeds, few := []uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}, r.IntN(2) == 0
		for try := 0; ; try++ {
			if try > maxUndone {
				t.Fatalf("seed %d: no end", seed)
			}
			p := []*Footprint{f.New(), f.New()}
			want, got := false, (*Conflict)(nil)
			var before []touches
			for i, x := range seeds {
				r, mine := rand.New(rand.NewPCG(x, 24)), touches{}
				for range 1 + r.IntN(3) {
					if few && i < 3 { // loads only
						r = rand.New(rand.NewPCG(x&^7, 25))
					}
					access(t, r, s, p[i%2], mine)
				}
				for _, b := range before {
					want = want || mine.meets(b)
				}
				before = append(before, mine)
				if m := p[i%2].End(); m != nil && (got == nil || m.Uncertain) {
					got = m
				}
			}
			if got == nil && want || got != nil && !got.Uncertain && !want {
				t.Fatalf("seed %d: %v, want %t", seed, got, want)
			}
			off += int(f.Edition())
			f.Undo()
			if got == nil || !got.Uncertain {
				met += map[bool]int{true: 1}[want]
				break
			}
		}
		f.Close()
	}
	if met < 100 || off < 100 {
		t.Errorf("%d met, %d segments were let off", met, off)
	}
}

// Undo restores the original contents, whichever group stored first.
func TestUndo(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 22))
		s := twoSegments(t)
		for _, g := range s.Segments() {
			for i := range g.Data {
				g.Data[i] = byte(r.Uint32())
			}
		}
		was := s.Clone()
		f := NewFootprints(true, s)
		p := []*Footprint{f.New(), f.New()}
		for n := range 20 {
			g := s.Segments()[r.IntN(2)*2]
			at, size := r.Uint64N(uint64(len(g.Data))-8), uint64(4)
			var windows [64][]byte
			windows[5] = g.Data[at : at+size]
			p[n%2].Touch(&windows, 1<<5, []Rights{Write, ReadWrite}[n/2%2])
			copy(windows[5], "abcd")
			if r.IntN(6) == 0 {
				p[n%2].End()
			}
		}
		f.Undo()
		for i, g := range s.Segments() {
			if !bytes.Equal(g.Data, was.Segments()[i].Data) {
				t.Fatalf("seed %d: segment %s is not what it was", seed, g.Name)
			}
		}
	}
}

// TestUndoExempt: Undo restores what atomic operations have changed that were not recorded, too. A large segment
// becomes exempt only when groups have changed much of it: saving it takes time and memory.
func TestUndoExempt(t *testing.T) {
	for _, pages := range []int{4, fewPages + 1, fewPages + 10, 3 * fewPages} {
		data := make([]byte, pages*pageBytes-40)
		for i := range data {
			data[i] = byte(i*i/7 + 1)
		}
		was := bytes.Clone(data)
		first := NewSegment("first", 0, 64, ReadWrite)
		s, err := NewSpace("global", first, Segment{Name: "bins", Base: 1 << 20, Data: data, Rights: ReadWrite})
		if err != nil {
			t.Fatal(err)
		}
		f := NewFootprints(true, s)
		f.Learn()
		p := []*Footprint{f.New(), f.New()}
		for n := range pages {
			var windows [64][]byte
			windows[1] = first.Data[:4] // at a host address of its own, before or after
			at := (n*7 + 3) % pages * pageBytes
			windows[5] = data[at : at+4]
			table, ok := p[n%2].Table(data, ReadWrite)
			if exempt := ok && table == nil; exempt && (n == 0 || n == 1 && pages > fewPages+1) || !exempt && (pages <= fewPages+1 && n > 0 || n == pages-1) {
				t.Fatalf("%d pages: after %d groups exempt is %t", pages, n, exempt)
			}
			p[n%2].Touch(&windows, 1<<1|1<<5, ReadWrite)
			copy(windows[1], "abcd")
			copy(windows[5], "abcd")
			if m := p[n%2].End(); m != nil {
				t.Fatal(m)
			}
		}
		f.Undo()
		if !bytes.Equal(data, was) || first.Data[0] != 0 {
			t.Errorf("%d pages: memory is not what it was", pages)
		}
		f.Close()
	}
}

// Memory outside of the watched spaces is not recorded: a wave's private memory, devices.
func TestFootprintElsewhere(t *testing.T) {
	f := NewFootprints(true, twoSegments(t))
	a, b := f.New(), f.New()
	var windows [64][]byte
	windows[0] = make([]byte, 8)
	a.Touch(&windows, 3, Write)
	b.Touch(&windows, 3, Write)
	if m, n := a.End(), b.End(); m != nil || n != nil {
		t.Errorf("%v, %v", m, n)
	}
}
