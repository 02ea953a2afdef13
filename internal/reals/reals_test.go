package reals

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestReal: results of this package agree with the host's, which rounds to nearest even.
func TestReal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		p, q := Single.Edge(rnd), Single.Edge(rnd)
		a, b := math.Float32frombits(uint32(p)), math.Float32frombits(uint32(q))
		x, y := Single.Read(p), Single.Read(q)
		for _, c := range []struct {
			name string
			got  Real
			want float32
		}{{"+", Plus(x, y), a + b}, {"*", Times(x, y), a * b}} {
			if got := math.Float32frombits(uint32(Single.Near(c.got))); math.Float32bits(got) != math.Float32bits(c.want) && !(got != got && c.want != c.want) {
				t.Fatalf("%v %s %v is %v, want %v", a, c.name, b, got, c.want)
			}
		}
		for mode, round := range map[big.RoundingMode]func(float64) float64{
			big.ToNearestEven: math.RoundToEven, big.ToPositiveInf: math.Ceil, big.ToNegativeInf: math.Floor, big.ToZero: math.Trunc,
		} {
			if got, want := Single.Near(Integer(x, mode)), math.Float32bits(float32(round(float64(a)))); a == a && uint32(got) != want {
				t.Fatalf("%v %v is %#x, want %#x", a, mode, got, want)
			}
		}
	}
}
