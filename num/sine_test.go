//go:build !heddle_softfloat

package num

import (
	"math"
	"testing"
)

// TestSineRows compares the sines of rows with the exact path, and the steps in assembly, if any, with those in Go.
func TestSineRows(t *testing.T) {
	r := newRand(77)
	const lanes = 64
	mode := ModeSet | RNE
	sure, all := 0, 0
	for i := range count(200, 6000) {
		var a, plain, fast [64]uint64
		n := lanes - i%16/4*4
		for lane := range n {
			a[lane] = someTurn(r)
		}
		for q, soft := range []func(int, Mode, uint64) uint64{softSinRev, softCosRev} {
			ok := plainSines(&plain, &a, n, float64(q))
			if hasSine() {
				if got := sineRows(&fast, &a, n, float64(q), &sines); got != ok {
					t.Fatalf("%d quarters: lanes %#x are sure in assembly, %#x in Go", q, got, ok)
				}
			} else {
				fast = plain
			}
			for lane := range n {
				if all++; ok>>lane&1 == 0 {
					continue
				}
				sure++
				if plain[lane] != fast[lane] {
					t.Fatalf("%d quarters of %#x: %#x in assembly, %#x in Go", q, a[lane], fast[lane], plain[lane])
				}
				if lane%8 == i%8 && plain[lane] != soft(64, mode, a[lane]) {
					fail(t, [...]string{"FSinRev", "FCosRev"}[q], 64, mode, plain[lane], soft(64, mode, a[lane]), a[lane])
				}
			}
		}
	}
	if sure < all*3/4 {
		t.Errorf("%d of %d lanes are sure", sure, all)
	}
}

// someTurn is a number of turns: of all sizes, near multiples of an eighth, and sometimes any bits.
func someTurn(r *random) uint64 {
	x := math.Ldexp(1+float64(r.next()>>12)*0x1p-52, int(r.next()%70)-45)
	switch r.next() % 8 {
	case 0:
		return r.next()
	case 1:
		x = float64(r.next()%64)/8 + float64(int64(r.next()%17)-8)*math.Ldexp(1, -int(r.next()%55))
	case 2, 3:
		x = float64(r.next()>>11) * 0x1p-53
	}
	if r.next()&1 != 0 {
		x = -x
	}
	return math.Float64bits(x)
}

func BenchmarkSineRows(b *testing.B) {
	var d, a [64]uint64
	for i := range a {
		a[i] = math.Float64bits(float64(i) * 0.0379)
	}
	for b.Loop() {
		RowsSinRev64(ModeSet|RNE, &d, Arg64{&a, 63}, 64)
	}
}
