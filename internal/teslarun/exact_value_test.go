package teslarun

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
)

// TestExact: results of this package agree with the host's, which rounds to nearest even.
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

// edge returns a pattern of a format at which instructions may go wrong.
func edge(f format, rnd *rand.Rand) uint64 {
	return reals.Format{Bits: f.bits, Mant: f.mant, Bias: f.bias}.Edge(rnd)
}
