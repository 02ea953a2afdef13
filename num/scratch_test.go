package num
import "testing"
func BenchmarkSFU(b *testing.B) {
	for f := range NumSFU {
		b.Run(f.String(), func(b *testing.B) {
			x := uint32(0x3f812345)
			for range b.N {
				x = x&0x00ffffff | 0x3f000000
				x = f.Of(x) + x*1664525 + 12345
			}
			sinkSFU = x
		})
	}
}
var sinkSFU uint32
func old17(x uint64) (s uint64) {
	for m := x & mask(17); m != 0; m &= m - 1 {
		k := 0
		for m>>k&1 == 0 { k++ }
		s += x >> (18 - k)
	}
	return s >> 1
}
func TestOld17(t *testing.T) {
	for x := range uint64(1<<17) {
		if square17(x) != old17(x) { t.Fatal(x) }
	}
	// callers give more than 17 bits?
}
