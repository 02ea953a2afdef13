package teslarun

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExact: the numbers of this package agree with the host's where the host rounds to nearest even.
func TestExact(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		a, b := math.Float64frombits(edge(double, rnd)), math.Float64frombits(edge(double, rnd))
		x, y := double.read(math.Float64bits(a)), double.read(math.Float64bits(b))
		for _, c := range []struct {
			name string
			got  exact
			want float64
		}{{"+", x.plus(y, false), a + b}, {"*", x.times(y), a * b}} {
			if got := math.Float64frombits(double.write(c.got, rn, 0x7ff8<<48)); got != c.want && !(got != got && c.want != c.want) || got == 0 && math.Signbit(got) != math.Signbit(c.want) {
				t.Fatalf("%v %s %v is %v, want %v", a, c.name, b, got, c.want)
			}
		}
		if f := float32(a); uint64(math.Float32bits(f)) != single.write(x, rn, uint64(math.Float32bits(f))) {
			t.Fatalf("%v as a float32 is %v, want %v", a, single.write(x, rn, 0), f)
		}
		if a == a && b == b && less(x, y) != (a < b) {
			t.Fatalf("%v < %v", a, b)
		}
	}
}

// edge is a pattern of a format: one time in three a special one, else an exponent near that of 1, at times any.
func edge(f format, rnd *rand.Rand) uint64 {
	one := uint64(f.bias) << f.mant
	inf := f.top() << f.mant
	special := []uint64{0, 1, 2, 3, 1<<f.mant - 1, 1 << f.mant, 1<<f.mant + 1, one, one + 1, one - 1, inf - 1, inf, inf | 1<<(f.mant-1),
		inf | 1, inf | 1<<f.mant - 1, one + 1<<f.mant, one + 1<<(f.mant-1), one - 1<<f.mant, 1 << (f.mant - 1)}
	sign := uint64(rnd.IntN(2)) << (f.bits - 1)
	if rnd.IntN(3) == 0 {
		return sign | special[rnd.IntN(len(special))]
	}
	e := f.bias + rnd.IntN(12) - 6
	if rnd.IntN(5) == 0 {
		e = rnd.IntN(int(f.top()))
	}
	frac := rnd.Uint64() & (1<<f.mant - 1)
	if rnd.IntN(2) == 0 {
		frac &= ^uint64(0) << rnd.IntN(f.mant) // short fractions, so that ties occur
	}
	return sign | uint64(max(e, 0))<<f.mant | frac
}

var edgeInts = []uint32{0, 1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 0x3f, 0x7f, 0x80, 0xff, 0x100, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x10000,
	0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xffff8000, 0xffffff80, 0xfffffffe, 0xffffffff,
	0x7fff8000, 0x80007fff, 0x3fffffe0, 0xffff0000}

// edgeInt is a word: one time in two a special one.
func edgeInt(rnd *rand.Rand) uint32 {
	if rnd.IntN(2) == 0 {
		return edgeInts[rnd.IntN(len(edgeInts))]
	}
	return rnd.Uint32() >> rnd.UintN(32)
}
