package attila

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/isa/attila"
)

// cutTo is x without the bits below 2^-b and from 2^whole on, its sign kept.
func cutTo(x *big.Rat, b, whole int) *big.Rat {
	scale := new(big.Int).Lsh(big.NewInt(1), uint(b))
	n := new(big.Int).Mul(new(big.Int).Abs(x.Num()), scale)
	n.Div(n, x.Denom()).Mod(n, new(big.Int).Lsh(big.NewInt(1), uint(b+whole)))
	if x.Sign() < 0 {
		n.Neg(n)
	}
	return new(big.Rat).SetFrac(n, scale)
}

// asFloat is whole part and fraction rounded to singles, and their sum.
func asFloat(x *big.Rat) float32 {
	abs := new(big.Rat).Abs(x)
	whole := new(big.Int).Div(abs.Num(), abs.Denom())
	w, _ := new(big.Rat).SetInt(whole).Float32()
	f, _ := new(big.Rat).Sub(abs, new(big.Rat).SetInt(whole)).Float32()
	return float32(x.Sign()) * (w + f)
}

// TestFixedPoint: accumulator = a*b + c, then a*b + accumulator as a float, against rational arithmetic.
func TestFixedPoint(t *testing.T) {
	const text = "fxmad2 r9, r0, r1, r2\nfxmad r3, r0, r1, r1\nfxmul r9, r1, r2\nfxmad r4, r0, r8, r8 <- end"
	r := rand.New(rand.NewPCG(1, 1))
	for _, bits := range []int{4, 8, 12} {
		for range 100 {
			var v [3]float64
			regs := map[string]casefile.Words{}
			for i := range v {
				f := float32(math.Ldexp(r.Float64()*2-1, r.IntN(22)-4))
				v[i] = float64(f)
				regs[fmt.Sprintf("r%d.x", i)] = words(uint64(math.Float32bits(f)))
			}
			k, err := run(t, text, 1, attila.Text, map[string]string{attila.OptFxpBits: fmt.Sprint(bits)}, &casefile.State{Regs: regs})
			if err != nil {
				t.Fatal(err)
			}
			var x [3]*big.Rat
			for i := range x {
				x[i] = cutTo(new(big.Rat).SetFloat64(v[i]), bits, 16)
			}
			times := func(a, b *big.Rat) *big.Rat { return cutTo(new(big.Rat).Mul(a, b), 2*bits, 32) }
			plus := func(a, b *big.Rat) *big.Rat { return cutTo(new(big.Rat).Add(a, b), 2*bits, 32) }
			p := times(x[0], x[1])
			for reg, want := range map[string]float32{"r3.x": asFloat(plus(p, plus(p, x[2]))), "r4.x": asFloat(times(x[1], x[2]))} {
				if got := math.Float32frombits(uint32(values(t, k, reg)[0])); got != want {
					t.Errorf("%d fraction bits, %v: %s is %v, want %v", bits, v, reg, got, want)
				}
			}
		}
	}
}
