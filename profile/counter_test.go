package profile

import (
	"math/rand/v2"
	"testing"
)

// TestCounter: as many lines and words as in a map of those that accesses touch, whether addresses lie close together,
// far apart, or pass the end of memory.
func TestCounter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	var c counter
	for range 20_000 {
		spans := []span{{0, uint64(1 + rnd.IntN(maxBytes/2))}, {uint64(rnd.IntN(4096)), uint64(1 + rnd.IntN(16))}}[:1+rnd.IntN(2)]
		reach := uint64(1) << (1 + rnd.IntN(40))
		base := []uint64{0, 4096, 1 << 40, -reach / 2, -reach - 64}[rnd.IntN(5)]
		addrs := make([]uint64, 1+rnd.IntN(64))
		for i := range addrs {
			addrs[i] = base + rnd.Uint64N(reach)
		}
		shift, banks := 2+rnd.IntN(11), uint64(1)<<rnd.IntN(7)
		lines, words, most := map[uint64]bool{}, map[uint64]bool{}, uint64(0)
		inBank := make([]uint64, banks)
		for _, a := range addrs {
			for _, x := range spans {
				for line := (a + x.at) >> shift; line <= max(a+x.at, a+x.at+x.size-1)>>shift; line++ {
					lines[line] = true
				}
				for k := range (x.size + 3) / 4 {
					if w := (a+x.at)/4 + k; !words[w] {
						words[w] = true
						inBank[w%banks]++
						most = max(most, inBank[w%banks])
					}
				}
			}
		}
		if n := c.lines(addrs, spans, shift); n != uint64(len(lines)) {
			t.Fatalf("%d addresses below %#x from %#x on, spans %v: %d lines of %d bytes, want %d", len(addrs), reach, base, spans, n, 1<<shift, len(lines))
		}
		if n := c.degree(addrs, spans, banks); n != most {
			t.Fatalf("%d addresses below %#x from %#x on, spans %v: degree %d of %d banks, want %d", len(addrs), reach, base, spans, n, banks, most)
		}
	}
}
