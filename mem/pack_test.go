package mem

import (
	"math/rand/v2"
	"testing"
)

// TestPack: both ways of packing marks give the same bits, whatever the upper bits of a byte are, and clear the
// marks.
func TestPack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var a pageMarks
		for n := rnd.IntN(40) * rnd.IntN(30); n > 0; n-- {
			a[rnd.IntN(len(a))] = byte([]int{0, 1, 0xff, 0x81}[rnd.IntN(4)])
		}
		var want wordSet
		some := false
		for i, m := range a {
			want[i/64] |= uint64(m&1) << (i % 64)
			some = some || m&1 != 0
		}
		for _, quick := range []bool{false, hasRows()} {
			b, got := a, wordSet{1, 2, 3}
			if any := b.take(&got, quick); any != some || got != want || b != (pageMarks{}) {
				t.Fatalf("quick %v: %v, %x; want %v, %x; left %x", quick, any, got, some, want, b)
			}
		}
	}
}
