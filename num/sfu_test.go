package num

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestSFUVectors compares with results of another model.
func TestSFUVectors(t *testing.T) {
	file, err := os.Open("testdata/sfu.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := map[SFU]int{}
	for s := bufio.NewScanner(file); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		var name string
		var a, want uint32
		if _, err := fmt.Sscanf(s.Text(), "%s %x %x", &name, &a, &want); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		f, ok := SFUOf("tesla-" + name)
		if got := f.Of(a); !ok || got != want {
			t.Errorf("%s of %#08x is %#08x, want %#08x", f, a, got, want)
		}
		seen[f]++
	}
	for f := range NumSFU {
		if seen[f] < 5 {
			t.Errorf("%s: %d results", f, seen[f])
		}
	}
}

// TestQuadTables: the value of every table at and between the ends of every segment equals that of its formula in
// integers of any size, and is near the function that the table approximates.
func TestQuadTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, c := range []struct {
		name   string
		t      *QuadTable
		q      quadShape
		pieces int
		f      func(x float64) float64 // x is in units of 2^-23
		scale  float64                 // of a value
	}{
		{"rcp", &quadRcp, quadShape{16, 13, 1, 0, 0x47e7, 15}, 128, func(x float64) float64 { return 2 / (1 + x) }, 1 << 23},
		{"rsqrt", &quadRsqrt, quadShape{17, 14, 0, 2, 0x7fff, 16}, 128, func(x float64) float64 { // from 1 on: significands of odd exponents
			if x < 1 {
				return 2 / math.Sqrt(1+x)
			}
			return 2 / math.Sqrt(2*x)
		}, 1 << 23},
		{"lg2", &quadLg2, quadShape{17, 12, 0, 1, 0x3345, 2}, 64, func(x float64) float64 { return math.Log2(1 + x) }, 1 << 36},
		{"ex2", &quadEx2, quadShape{17, 13, 0, 0, 0x77e2, 15}, 64, math.Exp2, 1 << 23},
		{"sin", &quadSin, quadShape{17, 11, 0, 0, 0, 0}, 64, func(x float64) float64 { return math.Sin(x * math.Pi / 2) }, 1 << 37},
	} {
		if len(c.t.Coef) != c.pieces {
			t.Fatalf("%s has %d pieces", c.name, len(c.t.Coef))
		}
		for piece := range c.pieces {
			for k := range 20 {
				d := r.Uint64N(1 << c.q.low)
				if k < 2 {
					d = uint64(k) * (1<<c.q.low - 1)
				}
				x := uint64(piece)<<c.q.low | d
				got := c.t.At(x)
				if want := c.q.value(c.t.Coef[piece], int64(d)); big.NewInt(got).Cmp(want) != 0 {
					t.Fatalf("%s at %#x is %d, want %d", c.name, x, got, want)
				}
				exact := c.f(float64(x) / (1 << 23))
				if diff := math.Abs(float64(got)/c.scale - exact); diff > 4e-7 {
					t.Fatalf("%s at %#x is %g, the function %g", c.name, x, float64(got)/c.scale, exact)
				}
			}
		}
	}
}

// A quadShape is the parameters of a table's formula, as docs/reference/tesla.md 7 and its sources have them: bits
// of d, shifts of c0, of d before its square, of the square, the rounding constant, the last shift.
type quadShape struct{ low, c0, square, c2, bias, right uint }

// value is the formula in integers of any size. Shifts to the right round down.
func (q quadShape) value(c [3]int32, d int64) *big.Int {
	n := func(x int64) *big.Int { return big.NewInt(x) }
	wide := new(big.Int).Lsh(n(d), q.square)
	square := new(big.Int)
	for i := range 17 {
		if wide.Bit(i) == 1 {
			square.Add(square, new(big.Int).Rsh(wide, uint(18-i)))
		}
	}
	square.Lsh(square.Rsh(square, 1), q.c2)
	sum := new(big.Int).Lsh(n(int64(c[0])), q.c0)
	sum.Add(sum, new(big.Int).Mul(n(int64(c[1])), n(d)))
	sum.Add(sum, square.Mul(square, n(int64(c[2]))))
	return sum.Rsh(sum.Add(sum, n(int64(q.bias))), q.right)
}

// TestSFUNear: the functions are within the known error of the unit, over their whole range.
func TestSFUNear(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	pre := func(pre, f SFU) func(uint32) uint32 { return func(a uint32) uint32 { return f.Of(pre.Of(a)) } }
	for _, c := range []struct {
		name   string
		f      func(a uint32) uint32
		exact  func(x float64) float64
		lo, hi float64
		rel    bool
	}{
		{"rcp", TeslaRcp.Of, func(x float64) float64 { return 1 / x }, -1e30, 1e30, true},
		{"rsqrt", TeslaRsqrt.Of, func(x float64) float64 { return 1 / math.Sqrt(x) }, 1e-30, 1e30, true},
		{"lg2", TeslaLg2.Of, math.Log2, 0.1, 100, false},
		{"ex2", pre(TeslaPreEx2, TeslaEx2), math.Exp2, -20, 6, false},
		{"sin", pre(TeslaPreSin, TeslaSin), math.Sin, -10, 10, false},
		{"cos", pre(TeslaPreSin, TeslaCos), math.Cos, -10, 10, false},
	} {
		for range 20000 {
			x := float32(c.lo + r.Float64()*(c.hi-c.lo))
			got, want := float64(math.Float32frombits(c.f(math.Float32bits(x)))), c.exact(float64(x))
			diff := math.Abs(got - want)
			if c.rel {
				diff /= math.Abs(want)
			}
			if !(diff < 2e-5) {
				t.Fatalf("%s of %g is %g, want about %g", c.name, x, got, want)
			}
		}
	}
}

// TestSFUTotal: any bits have a result; an invalid function returns 0.
func TestSFUTotal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 100000 {
		a := r.Uint32()
		for f := range NumSFU + 1 {
			if x := f.Of(a); f == NumSFU && x != 0 {
				t.Fatalf("%s of %#x is %#x", f, a, x)
			}
		}
	}
	if _, ok := SFUOf("tesla-tan"); ok {
		t.Error("there is a tangent")
	}
}

// TestLg2BelowOne: a negative sum is inverted, not negated. Near 1 it is not truncated, so the difference is
// visible.
func TestLg2BelowOne(t *testing.T) {
	shape := quadShape{17, 12, 0, 1, 0x3345, 2}
	seen := 0
	for a := uint32(0x3f7fff00); a < 0x3f800000; a++ {
		sum := shape.value(quadLg2.Coef[63], int64(a&0x1ffff))
		sum.Not(sum.Sub(sum, new(big.Int).Lsh(big.NewInt(1), 36)))
		if sum.BitLen() > 24 {
			continue
		}
		seen++
		want := math.Float32bits(float32(-math.Ldexp(float64(sum.Int64()), -36)))
		if got := TeslaLg2.Of(a); got != want {
			t.Fatalf("%#x: %#x, want %#x", a, got, want)
		}
	}
	if seen < 16 {
		t.Errorf("%d operands", seen)
	}
}
