package gcn

import (
	"math/big"
	"testing"
)

// TestTwoOverPi computes the bits again, from Machin's formula for pi.
func TestTwoOverPi(t *testing.T) {
	const prec = 2000
	one := new(big.Int).Lsh(big.NewInt(1), prec)
	arctan := func(x int64) *big.Int { // of 1/x
		term := new(big.Int).Quo(one, big.NewInt(x))
		sum := new(big.Int).Set(term)
		for n := int64(3); term.Sign() != 0; n += 2 {
			term.Quo(term, big.NewInt(x*x))
			part := new(big.Int).Quo(term, big.NewInt(n))
			if n%4 == 3 {
				part.Neg(part)
			}
			sum.Add(sum, part)
		}
		return sum
	}
	pi := arctan(5)
	pi.Mul(pi, big.NewInt(4)).Sub(pi, arctan(239)).Mul(pi, big.NewInt(4))
	q := new(big.Int).Lsh(big.NewInt(2), prec+1202)
	q.Quo(q, pi)                      // 1202 bits of the fraction
	q.Add(q, big.NewInt(1)).Rsh(q, 1) // 1201, to nearest
	q.Lsh(q, uint(64*len(twoOverPi)-1201))
	mask := new(big.Int).SetUint64(^uint64(0))
	for i, got := range twoOverPi {
		w := new(big.Int).Rsh(q, uint(64*(len(twoOverPi)-1-i)))
		if want := w.And(w, mask).Uint64(); got != want {
			t.Errorf("word %d is %016x, want %016x", i, got, want)
		}
	}
}
