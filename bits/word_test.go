package bits

import (
	"math/rand/v2"
	"testing"
)

// Get and Put against bit by bit.
func TestRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		w := Word{r.Uint64(), r.Uint64()}
		lo := r.IntN(128)
		hi := min(127, lo+r.IntN(64))
		rg, v := Span(lo, hi), r.Uint64()
		var want uint64
		for i := lo; i <= hi; i++ {
			want |= w.Bit(i) << (i - lo)
		}
		if got := w.Get(rg); got != want {
			t.Fatalf("%v: bits %s are %x, want %x", w, rg, got, want)
		}
		p := w.Put(rg, v)
		if p.Get(rg) != v&Ones(rg.Len()) || !p.Xor(w).AndNot(rg.Mask()).IsZero() {
			t.Fatalf("%v: put %x in %s: %v", w, v, rg, p)
		}
		if rg.Mask().Count() != rg.Len() {
			t.Fatalf("mask of %s has %d bits", rg, rg.Mask().Count())
		}
	}
}

func TestPieces(t *testing.T) {
	rs := Ranges{Span(4, 7), Span(60, 67), Span(127, 127)}
	if rs.Len() != 13 || rs.Mask() != (Word{0xf0000000000000f0, 0x800000000000000f}) {
		t.Errorf("len %d, mask %v", rs.Len(), rs.Mask())
	}
	for v := uint64(0); v < 1<<13; v++ {
		w := rs.Put(Word{^uint64(0), ^uint64(0)}, v)
		if rs.Get(w) != v || w.Or(rs.Mask()) != Low(128) {
			t.Fatalf("%x: %v", v, w)
		}
	}
}

func TestShift(t *testing.T) {
	w := Word{0x8000000000000001, 0x8000000000000001}
	for n := range 128 {
		for i := range 128 {
			var l, r uint64
			if i >= n {
				l = w.Bit(i - n)
			}
			if i+n < 128 {
				r = w.Bit(i + n)
			}
			if w.Shl(n).Bit(i) != l || w.Shr(n).Bit(i) != r {
				t.Fatalf("shift by %d, bit %d", n, i)
			}
		}
	}
}

func TestMemoryOrder(t *testing.T) {
	code := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}
	for n := range 17 {
		w := Load(code[:n:n])
		if n < 16 && !w.AndNot(Low(8*n)).IsZero() {
			t.Errorf("%d bytes: %v has more", n, w)
		}
		if got := w.Append(nil, n); string(got) != string(code[:n]) {
			t.Errorf("%d bytes: %x", n, got)
		}
	}
	if got := Load(code).Hex(3); got != "010203" {
		t.Error(got)
	}
}
