package mem

import (
	"math"
	"testing"
)

// floatEdges are floats of both signs, including quiet and signalling NaNs, in 32 bits. The rank of a number is its
// position in ascending order, -0 below +0; that of a NaN is unused.
var floatEdges = []struct {
	bits uint32
	nan  bool
	rank int
}{
	{0xff800000, false, 0}, {0xff7fffff, false, 1}, {0xc0000000, false, 2}, {0xbf800000, false, 3}, {0x80800000, false, 4}, {0x807fffff, false, 5},
	{0x80000001, false, 6}, {0x80000000, false, 7}, {0x00000000, false, 8}, {0x00000001, false, 9}, {0x007fffff, false, 10}, {0x00800000, false, 11},
	{0x3f800000, false, 12}, {0x40000000, false, 13}, {0x7f7fffff, false, 14}, {0x7f800000, false, 15},
	{0x7f800001, true, 0}, {0x7fc00000, true, 0}, {0x7fffffff, true, 0}, {0xff800001, true, 0}, {0xffc00000, true, 0}, {0xffffffff, true, 0},
}

// wide is the same kind of float in 64 bits: the sign, a special or middle exponent, and the fraction in the upper or
// lower bits.
func wide(v uint32) uint64 {
	f := math.Float32frombits(v)
	switch e := v >> 23 & 255; {
	case e == 255:
		return uint64(v>>31)<<63 | 0x7ff<<52 | uint64(v>>22&1)<<51 | uint64(v&(1<<22-1))
	case e == 0:
		return uint64(v>>31)<<63 | uint64(v&(1<<23-1))
	default:
		return math.Float64bits(float64(f))
	}
}

// TestFloatMinMax: memory after float minimum and maximum, for all pairs of edges: a number replaces a NaN of
// either sign, of two NaNs the one in memory stays, -0 is below +0. The operation returns the old contents.
func TestFloatMinMax(t *testing.T) {
	for _, a := range floatEdges {
		for _, b := range floatEdges {
			for _, op := range []AtomicOp{FMin, FMax} {
				takes := !b.nan && (a.nan || op == FMin && b.rank < a.rank || op == FMax && b.rank > a.rank)
				for _, n := range []int{4, 8} {
					old, data := uint64(a.bits), uint64(b.bits)
					if n == 8 {
						old, data = wide(a.bits), wide(b.bits)
					}
					want := old
					if takes {
						want = data
					}
					w := Alloc(n)
					Store(w, old)
					if was := Atomic(w, op, data, 0x5555); was != old || Load(w) != want {
						t.Errorf("%v of %#x in memory and %#x: gives %#x and leaves %#x, want %#x", op, old, data, was, Load(w), want)
					}
				}
			}
		}
	}
}

// TestFloatCompareSwap: equal numbers swap, including zeros of both signs; NaNs never do.
func TestFloatCompareSwap(t *testing.T) {
	for _, a := range floatEdges {
		for _, b := range floatEdges {
			zeros := a.bits<<1 == 0 && b.bits<<1 == 0
			equal := zeros || a.bits == b.bits && !a.nan
			for _, n := range []int{4, 8} {
				old, cmp, data := uint64(a.bits), uint64(b.bits), uint64(0x12345678)
				if n == 8 {
					old, cmp = wide(a.bits), wide(b.bits)
				}
				want := old
				if equal {
					want = data
				}
				w := Alloc(n)
				Store(w, old)
				if was := Atomic(w, FCmpSwap, data, cmp); was != old || Load(w) != want {
					t.Errorf("%#x in memory, compared with %#x: gives %#x and leaves %#x, want %#x", old, cmp, was, Load(w), want)
				}
			}
		}
	}
}
