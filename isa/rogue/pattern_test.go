package rogue

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestPatterns checks that a group prints by its pattern as it does part by part: with any registers, after any text,
// concurrently. Printing does not allocate once the pattern is known.
func TestPatterns(t *testing.T) {
	tg := target(t, PCO)
	groups := samples(t, tg)
	patterns = [1 << patternBits]drawer{} // other tests filled it
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 5))
			var b isa.Bundle
			known, printed := 0, 0
			for i, g := range groups {
				if err := tg.DecodeBundle(g, 0, &b); err != nil {
					t.Errorf("%x: %v", g, err)
					return
				}
				for range 12 {
					moveRegs(r, &b)
					b.Pad = uint8(r.IntN(5))
					before := "> "[:r.IntN(3)]
					want := string(joinParts(isa.Printer{Bundle: &b}, []byte(before), &b, nil))
					dst := append(make([]byte, 0, r.IntN(300)+2), before...)
					if got := string(join(isa.Printer{}, dst, &b)); got != want {
						t.Errorf("group %d: %q, want %q", i, got, want)
						return
					}
					var o outline
					if printed++; o.draw(&b) && patterns[o.hash>>(64-patternBits)].find(b.Parts, &o) != nil {
						known++
					}
				}
			}
			if known*3 < printed {
				t.Errorf("%d of %d groups are of known patterns", known, printed)
			}
		})
	}
	all.Wait()
	var b isa.Bundle
	dst := make([]byte, 0, 4096)
	say := func() {
		for _, g := range groups[:300] {
			if err := tg.DecodeBundle(g, 0, &b); err != nil {
				t.Fatal(err)
			}
			dst = join(isa.Printer{}, dst[:0], &b)
		}
	}
	patterns = [1 << patternBits]drawer{}
	for range 12 { // a pattern that recurs is kept
		say()
	}
	if n := testing.AllocsPerRun(20, say); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// moveRegs changes the maps of a group to registers of all sizes and banks, and other selectors of is0.
func moveRegs(r *rand.Rand, b *isa.Bundle) {
	for i := range b.Parts {
		m := info(&b.Parts[i]).mapping
		if m == nil {
			continue
		}
		w := b.Parts[i].Def.Value()
		for _, f := range m.fields {
			bank, n := r.Uint64(), r.Uint64()>>r.IntN(64)
			if r.IntN(3) == 0 {
				bank, n = 0, n&uint64(r.IntN(2))
			}
			w = f.n.Put(f.bank.Put(w, bank&(1<<f.bank.Len()-1)), n&(1<<f.n.Len()-1))
		}
		if r.IntN(4) == 0 {
			w = m.mux.Put(w, uint64(r.IntN(6))&(1<<m.mux.Len()-1))
		}
		b.Parts[i].Word = w
	}
}

// TestDrawer checks that a pattern is kept when it occurs twice in a row, or as one of many. Patterns without room
// beside each other are kept ever less often, but each gets its turn.
func TestDrawer(t *testing.T) {
	var d drawer
	made := map[uint64]*pattern{}
	kept := func(hash uint64) bool {
		for i := range d.kept {
			if pt := d.kept[i].Load(); pt != nil && pt == made[hash] {
				return true
			}
		}
		return false
	}
	meet := func(hash uint64) (now bool) {
		hash <<= 40
		if kept(hash) || !d.wants(hash) {
			return false
		}
		made[hash] = &pattern{tells: hash}
		d.keep(made[hash])
		return true
	}
	for i, x := range []struct {
		hash uint64
		now  bool
	}{{1, false}, {2, false}, {1, false}, {2, true}, {2, false}, {1, false}, {1, true}, {5, false}, {5, false}, {1, false}, {5, false}} {
		if got := meet(x.hash); got != x.now {
			t.Fatalf("step %d: kept %v", i, got)
		}
	}
	n, late := 0, 0
	var met [3]int
	for i := range 300000 {
		if meet(uint64(7 + i%3)) {
			met[i%3]++
			n++
			if i > 150000 {
				late++
			}
		}
	}
	if n < 6 || n > 20 || late > 3 || met[0] == 0 || met[1] == 0 || met[2] == 0 {
		t.Errorf("three patterns that have two places were kept %d times, %v, in the second half %d", n, met, late)
	}
}
