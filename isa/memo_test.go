package isa

import (
	"math/rand/v2"
	"testing"
)

// TestFirstMet: the first row whose needs are met is found whatever was asked before, with more different questions
// than entries.
func TestFirstMet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := func() uint64 { return r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64() }
	fewer := func() uint64 { return few() & r.Uint64() & r.Uint64() }
	lists := make([][]needs, 6)
	for i := range lists {
		list := make([]needs, 9)
		for j := range list {
			list[j] = needs{all: fewer() & 0xf, may: ^(few() & 0xf), rest: r.Uint64(), any: [2]uint64{^uint64(0), ^few()}, prefixes: r.Uint32() | r.Uint32(), expr: r.IntN(4) == 0}
		}
		lists[i] = list[:5+r.IntN(5)]
	}
	var words [64]vocabulary
	var fronts [16]uint32
	for i := range fronts {
		fronts[i] = 1 << r.IntN(32)
	}
	for i := range words {
		outside := r.Uint64() & (r.Uint64() | ^uint64(0xf))
		words[i] = vocabulary{outside | few(), outside}
	}
	var m Memo
	found := map[int]bool{}
	for range 100000 {
		list, w, prefixes := lists[r.IntN(len(lists))], words[r.IntN(len(words))], fronts[r.IntN(len(fronts))]
		want := 0
		for want < len(list) && !list[want].met(w, prefixes) {
			want++
		}
		if got := m.firstMet(list, w, prefixes); got != want {
			t.Fatalf("row %d, want %d", got, want)
		}
		found[want] = true
	}
	if len(found) < 4 {
		t.Errorf("only rows %v are found: the lists tell nothing", found)
	}
}
