package valhallrun

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A real is the exact value of a float: big.Float has zeros and infinities with signs. nil is a NaN.
type real = *big.Float

// exactBits hold any sum of a product of f32 and an f32.
const exactBits = 800

// A format is how floats are stored.
type format struct{ bits, mant, bias int }

var (
	half   = format{16, 10, 15}
	single = format{32, 23, 127}
)

// Roundings by the names of the modifiers.
var roundings = map[string]big.RoundingMode{"rte": big.ToNearestEven, "rtp": big.ToPositiveInf, "rtn": big.ToNegativeInf, "rtz": big.ToZero}

func (f format) top() uint64 { return 1<<(f.bits-1-f.mant) - 1 }

// nan is the quiet NaN without a payload.
func (f format) nan() uint64 { return f.top()<<f.mant | 1<<(f.mant-1) }

func (f format) isNaN(p uint64) bool { return p&(1<<(f.bits-1)-1) > f.top()<<f.mant }

// read is the value of a pattern.
func (f format) read(p uint64) real {
	e, frac := p>>f.mant&f.top(), p&(1<<f.mant-1)
	neg := p>>(f.bits-1)&1 != 0
	x := exactly()
	switch {
	case e == f.top() && frac != 0:
		return nil
	case e == f.top():
		return x.SetInf(neg)
	case e == 0:
		e = 1
	default:
		frac |= 1 << f.mant
	}
	x.SetUint64(frac)
	x.SetMantExp(x, int(e)-f.bias-f.mant)
	if neg {
		x.Neg(x)
	}
	return x
}

func exactly() real        { return new(big.Float).SetPrec(exactBits) }
func value(v float64) real { return exactly().SetFloat64(v) }
func whole(v int64) real   { return exactly().SetInt64(v) }
func isZero(x real) bool   { return x != nil && x.Sign() == 0 }
func isInf(x real) bool    { return x != nil && x.IsInf() }
func isNeg(x real) bool    { return x != nil && x.Signbit() }
func scaled(x real, e int) real {
	if x == nil {
		return nil
	}
	return exactly().SetMantExp(x, e)
}

// plus is x + y without rounding; x - x is +0.
func plus(x, y real) real {
	if x == nil || y == nil || isInf(x) && isInf(y) && isNeg(x) != isNeg(y) {
		return nil
	}
	return exactly().Add(x, y)
}

func times(x, y real) real {
	if x == nil || y == nil || isInf(x) && isZero(y) || isZero(x) && isInf(y) {
		return nil
	}
	return exactly().Mul(x, y)
}

// integer rounds a number to an integer, with its sign if it is 0.
func integer(x real, mode big.RoundingMode) real {
	if x == nil || isInf(x) || isZero(x) {
		return x
	}
	n, _ := x.Int(nil) // toward zero
	rest := exactly().Sub(x, exactly().SetInt(n))
	rest.Abs(rest)
	up := false
	switch tie := rest.Cmp(value(0.5)); mode {
	case big.ToNearestEven:
		up = tie > 0 || tie == 0 && n.Bit(0) == 1
	case big.ToPositiveInf:
		up = rest.Sign() > 0 && !isNeg(x)
	case big.ToNegativeInf:
		up = rest.Sign() > 0 && isNeg(x)
	}
	if up {
		n.Add(n, big.NewInt(int64(x.Sign())))
	}
	r := exactly().SetInt(n)
	if n.Sign() == 0 && isNeg(x) {
		r.Neg(r)
	}
	return r
}

// write rounds a value to a pattern, with subnormals.
func (f format) write(x real, mode big.RoundingMode) uint64 {
	if x == nil {
		return f.nan()
	}
	sign := uint64(0)
	if isNeg(x) {
		sign = 1 << (f.bits - 1)
	}
	switch {
	case isInf(x):
		return sign | f.top()<<f.mant
	case isZero(x):
		return sign
	}
	last := max(x.MantExp(nil)-1-f.mant, 1-f.bias-f.mant) // the exponent of the last place
	n, _ := integer(scaled(x, -last), mode).Int(nil)
	m := n.Abs(n).Uint64()
	if m == 2<<f.mant {
		m, last = m/2, last+1
	}
	e := last + f.mant + f.bias
	switch {
	case e >= int(f.top()): // too large
		if mode == big.ToZero || mode == big.ToPositiveInf && sign != 0 || mode == big.ToNegativeInf && sign == 0 {
			return sign | (f.top()<<f.mant - 1)
		}
		return sign | f.top()<<f.mant
	case m>>f.mant == 0:
		return sign | m
	}
	return sign | uint64(e)<<f.mant | m&(1<<f.mant-1)
}

// near rounds to nearest even.
func (f format) near(x real) uint64 { return f.write(x, big.ToNearestEven) }

// TestReal: the numbers of this package agree with the host's where the host rounds to nearest even.
func TestReal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		p, q := edge(single, rnd), edge(single, rnd)
		a, b := math.Float32frombits(uint32(p)), math.Float32frombits(uint32(q))
		x, y := single.read(p), single.read(q)
		for _, c := range []struct {
			name string
			got  real
			want float32
		}{{"+", plus(x, y), a + b}, {"*", times(x, y), a * b}} {
			if got := math.Float32frombits(uint32(single.near(c.got))); math.Float32bits(got) != math.Float32bits(c.want) && !(got != got && c.want != c.want) {
				t.Fatalf("%v %s %v is %v, want %v", a, c.name, b, got, c.want)
			}
		}
		for mode, round := range map[string]func(float64) float64{"rte": math.RoundToEven, "rtp": math.Ceil, "rtn": math.Floor, "rtz": math.Trunc} {
			if got, want := single.near(integer(x, roundings[mode])), math.Float32bits(float32(round(float64(a)))); a == a && uint32(got) != want {
				t.Fatalf("%v %s is %#x, want %#x", a, mode, got, want)
			}
		}
	}
}

// edge is a pattern of a format: one time in three a special one, else an exponent near that of 1, at times any.
func edge(f format, rnd *rand.Rand) uint64 {
	one, inf := uint64(f.bias)<<f.mant, f.top()<<f.mant
	special := []uint64{0, 0, 1, 2, 3, 1<<f.mant - 1, 1 << f.mant, 1<<f.mant + 1, one, one, one + 1, one - 1, inf - 1, inf, inf, f.nan(),
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
	0x7fff8000, 0x80007fff, 0x3fffffe0, 0xffff0000, 0x7f80807f, 0x80ff0001, 0x01000100, 0xfe7f8001}

// edgeInt is a word: one time in two a special one.
func edgeInt(rnd *rand.Rand) uint32 {
	if rnd.IntN(2) == 0 {
		return edgeInts[rnd.IntN(len(edgeInts))]
	}
	return rnd.Uint32() >> rnd.UintN(32)
}
