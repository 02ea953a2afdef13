package num

import (
	"math"
	"math/big"
	"testing"
	"time"
)

// An arithOp is an op on up to three operands, with what the test needs to predict it.
type arithOp struct {
	name string
	args int
	fn   func(n int, m Mode, a, b, c uint64) uint64
	f64  func(a, b, c float64) float64 // as computed in float64; used for infinities and invalid ops
	rat  func(a, b, c *big.Rat) *big.Rat
	zero func(m Mode, a, b, c float64) float64 // sign of an exact zero result
}

func sumZero(m Mode, a, b float64) float64 {
	if a == 0 && b == 0 && math.Signbit(a) == math.Signbit(b) {
		return a
	}
	if m&3 == RDown {
		return math.Copysign(0, -1)
	}
	return 0
}

func rat() *big.Rat { return new(big.Rat) }

var arithOps = []arithOp{
	{"FAdd", 2, func(n int, m Mode, a, b, c uint64) uint64 { return FAdd(n, m, a, b) },
		func(a, b, c float64) float64 { return a + b },
		func(a, b, c *big.Rat) *big.Rat { return rat().Add(a, b) },
		func(m Mode, a, b, c float64) float64 { return sumZero(m, a, b) }},
	{"FSub", 2, func(n int, m Mode, a, b, c uint64) uint64 { return FSub(n, m, a, b) },
		func(a, b, c float64) float64 { return a - b },
		func(a, b, c *big.Rat) *big.Rat { return rat().Sub(a, b) },
		func(m Mode, a, b, c float64) float64 { return sumZero(m, a, -b) }},
	{"FMul", 2, func(n int, m Mode, a, b, c uint64) uint64 { return FMul(n, m, a, b) },
		func(a, b, c float64) float64 { return a * b },
		func(a, b, c *big.Rat) *big.Rat { return rat().Mul(a, b) },
		func(m Mode, a, b, c float64) float64 { return a * b }},
	{"FDiv", 2, func(n int, m Mode, a, b, c uint64) uint64 { return FDiv(n, m, a, b) },
		func(a, b, c float64) float64 { return a / b },
		func(a, b, c *big.Rat) *big.Rat { return rat().Quo(a, b) },
		func(m Mode, a, b, c float64) float64 { return a / b }},
	{"FMA", 3, FMA,
		func(a, b, c float64) float64 {
			if math.IsInf(c, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
				return c
			}
			return float64(a*b) + c
		},
		func(a, b, c *big.Rat) *big.Rat { return rat().Add(c, rat().Mul(a, b)) },
		func(m Mode, a, b, c float64) float64 {
			if a == 0 || b == 0 {
				return sumZero(m, a*b, c)
			}
			return sumZero(m, 1, c)
		}},
	{"FRcp", 1, func(n int, m Mode, a, b, c uint64) uint64 { return FRcp(n, m, a) },
		func(a, b, c float64) float64 { return 1 / a },
		func(a, b, c *big.Rat) *big.Rat { return rat().Inv(a) },
		nil},
}

// want is the op's result by rational arithmetic.
func (op *arithOp) want(n int, m Mode, a, b, c uint64) uint64 {
	operands := []uint64{flushedOperand(n, m, a), flushedOperand(n, m, b), flushedOperand(n, m, c)}[:op.args]
	var x [3]float64
	special := false
	for i, o := range operands {
		if isNaNBits(n, o) {
			return wantNaN(n, m, operands...)
		}
		x[i] = float64Of(n, o)
		special = special || math.IsInf(x[i], 0)
	}
	if op.name == "FDiv" && x[1] == 0 || op.name == "FRcp" && x[0] == 0 {
		special = true
	}
	if special {
		r := op.f64(x[0], x[1], x[2])
		if math.IsNaN(r) {
			return wantNaN(n, m)
		}
		return wantSpecial(n, r)
	}
	r := op.rat(rat().SetFloat64(x[0]), rat().SetFloat64(x[1]), rat().SetFloat64(x[2]))
	if r.Sign() == 0 {
		return wantSpecial(n, op.zero(m, x[0], x[1], x[2]))
	}
	return roundRat(n, m, r, 0)
}

func (op *arithOp) check(t *testing.T, n int, m Mode, a, b, c uint64) {
	t.Helper()
	if got, want := op.fn(n, m, a, b, c), op.want(n, m, a, b, c); got != want {
		fail(t, op.name, n, m, got, want, []uint64{a, b, c}[:op.args]...)
	}
}

// TestArithModes compares every op, width and mode with rational arithmetic.
func TestArithModes(t *testing.T) {
	modes := allModes()
	for _, op := range arithOps {
		for _, n := range []int{16, 32, 64} {
			r := newRand(uint64(n))
			ed := edges(n)
			for range count(3000, 300_000) {
				m := modes[r.next()%uint64(len(modes))]
				op.check(t, n, m, r.float(n), r.float(n), r.float(n))
			}
			for range count(3000, 300_000) {
				m := modes[r.next()%uint64(len(modes))]
				pick := func() uint64 { return ed[r.next()%uint64(len(ed))] }
				op.check(t, n, m, pick(), pick(), pick())
			}
			nearCancel(t, &op, n, modes, r)
		}
	}
}

// nearCancel gives FMA addends near the negated product, and sums operands near each other's negatives, where lost
// bits show.
func nearCancel(t *testing.T, op *arithOp, n int, modes []Mode, r *random) {
	for range count(800, 100_000) {
		m := modes[r.next()%uint64(len(modes))]
		a, b := r.float(n), r.float(n)
		c := (FMul(n, RNE, a, b) ^ 1<<(n-1)) + r.next()%5 - 2
		op.check(t, n, m, a, b, c&mask(n))
		op.check(t, n, m, a, (a^1<<(n-1))+r.next()%5-2&mask(n), a)
	}
}

// TestArithEdges crosses the edge list with itself, in every mode.
func TestArithEdges(t *testing.T) {
	modes := allModes()
	for _, op := range arithOps[:4] {
		for _, n := range []int{16, 32, 64} {
			i := 0
			for _, a := range edges(n) {
				for _, b := range edges(n) {
					if i++; long || i%stride(5) == 0 {
						op.check(t, n, modes[i%len(modes)], a, b, 0)
					}
				}
			}
		}
	}
}

// TestSqrtModes compares FSqrt and FRsq with integer roots of rationals.
func TestSqrtModes(t *testing.T) {
	modes := allModes()
	for _, n := range []int{16, 32, 64} {
		r := newRand(7)
		check := func(m Mode, a uint64) {
			if got, want := FSqrt(n, m, a), wantRoot(n, m, a, false); got != want {
				fail(t, "FSqrt", n, m, got, want, a)
			}
			if got, want := FRsq(n, m, a), wantRoot(n, m, a, true); got != want {
				fail(t, "FRsq", n, m, got, want, a)
			}
		}
		for _, a := range edges(n) {
			for i := 0; i < len(modes); i += stride(3) {
				check(modes[i], a)
			}
		}
		for range count(1500, 200_000) {
			m := modes[r.next()%uint64(len(modes))]
			check(m, r.float(n)&mask(n-1))
			x := r.next() >> (64 - uint(formatOf(n).mant)/2) // squares of integers are exact
			check(m, UToF(64, n, RNE, x*x+r.next()%2))
		}
	}
}

// wantRoot is sqrt(a), or its reciprocal, from an integer root of 300 bits.
func wantRoot(n int, m Mode, a uint64, inverse bool) uint64 {
	a = flushedOperand(n, m, a)
	if isNaNBits(n, a) {
		return wantNaN(n, m, a)
	}
	x := float64Of(n, a)
	switch {
	case x < 0:
		return wantNaN(n, m)
	case x == 0 || math.IsInf(x, 0):
		if inverse {
			x = 1 / x
		}
		return wantSpecial(n, x)
	}
	v := rat().SetFloat64(x)
	if inverse {
		v.Inv(v)
	}
	scale := (600 + v.Denom().BitLen() - v.Num().BitLen()) &^ 1
	scaled := rat().Mul(v, pow2(scale))
	root := new(big.Int).Sqrt(new(big.Int).Quo(scaled.Num(), scaled.Denom()))
	res := rat().Mul(rat().SetInt(root), pow2(-scale/2))
	if rat().Mul(res, res).Cmp(v) == 0 {
		return roundRat(n, m, res, 0)
	}
	return roundRat(n, m, res, 1)
}

// TestHostNearest compares random operands with the host's IEEE unit, except NaN payloads.
func TestHostNearest(t *testing.T) {
	start, done := time.Now(), 0
	m := RNE.With(NaNCanon)
	for _, op := range hostOps {
		for _, n := range []int{32, 64} {
			r := newRand(uint64(n) + 99)
			trials := count(80_000, 10_000_000)
			for range trials {
				a, b, c := r.float(n), r.float(n), r.float(n)
				if got, want := op.fn(n, m, a, b, c), op.host(n, a, b, c); got != want {
					fail(t, op.name, n, m, got, want, a, b, c)
				}
			}
			done += trials
		}
		for _, n := range []int{32, 64} {
			for _, a := range edges(n) {
				for _, b := range edges(n) {
					if got, want := op.fn(n, m, a, b, a), op.host(n, a, b, a); got != want {
						fail(t, op.name, n, m, got, want, a, b, a)
					}
				}
			}
		}
	}
	t.Logf("%d random operations in %v", done, time.Since(start))
}

type hostOp struct {
	name string
	fn   func(n int, m Mode, a, b, c uint64) uint64
	f32  func(a, b, c float32) float32
	f64  func(a, b, c float64) float64
}

var hostOps = []hostOp{
	{"FAdd", arithOps[0].fn, func(a, b, c float32) float32 { return a + b }, arithOps[0].f64},
	{"FSub", arithOps[1].fn, func(a, b, c float32) float32 { return a - b }, arithOps[1].f64},
	{"FMul", arithOps[2].fn, func(a, b, c float32) float32 { return a * b }, arithOps[2].f64},
	{"FDiv", arithOps[3].fn, func(a, b, c float32) float32 { return a / b }, arithOps[3].f64},
	{"FSqrt", func(n int, m Mode, a, b, c uint64) uint64 { return FSqrt(n, m, a) },
		func(a, b, c float32) float32 { return float32(math.Sqrt(float64(a))) },
		func(a, b, c float64) float64 { return math.Sqrt(a) }},
	{"FMA", FMA, nil, math.FMA},
	{"FSoftAdd", func(n int, m Mode, a, b, c uint64) uint64 { return softAdd(n, m, a, b) },
		func(a, b, c float32) float32 { return a + b }, arithOps[0].f64},
	{"FSoftMul", func(n int, m Mode, a, b, c uint64) uint64 { return softMul(n, m, a, b) },
		func(a, b, c float32) float32 { return a * b }, arithOps[2].f64},
	{"FSoftDiv", func(n int, m Mode, a, b, c uint64) uint64 { return softDiv(n, m, a, b) },
		func(a, b, c float32) float32 { return a / b }, arithOps[3].f64},
	{"FSoftFMA", softFMA, nil, math.FMA},
}

// host is the host's result, with canonical NaNs.
func (op *hostOp) host(n int, a, b, c uint64) uint64 {
	if n == 64 {
		r := op.f64(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c))
		if math.IsNaN(r) {
			return 0x7ff8000000000000
		}
		return math.Float64bits(r)
	}
	x, y, z := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)), math.Float32frombits(uint32(c))
	var r float32
	if op.f32 != nil {
		r = op.f32(x, y, z)
	} else {
		r = fma32(x, y, z)
	}
	if r != r {
		return 0x7fc00000
	}
	return uint64(math.Float32bits(r))
}

// fma32 rounds to odd in float64, so that the second rounding sees all it needs.
func fma32(x, y, z float32) float32 {
	p := float64(x) * float64(y) // exact
	s := p + float64(z)
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	t := s - p // two-sum: e is the exact error of s
	e := (p - (s - t)) + (float64(z) - t)
	if u := math.Float64bits(s); e != 0 && u&1 == 0 {
		if (e > 0) == (s > 0) {
			u++
		} else {
			u--
		}
		s = math.Float64frombits(u)
	}
	return float32(s)
}

// TestMad compares FMad with rationals, with and without cancellation: the product keeps as many bits as the format
// has, rounded toward zero.
func TestMad(t *testing.T) {
	modes := allModes()
	for _, n := range []int{16, 32, 64} {
		r, seen := newRand(11), 0
		mant, _ := layout(n)
		for i := range count(20_000, 1_000_000) {
			m := modes[r.next()%uint64(len(modes))]
			a, b, c := r.float(n), r.float(n), r.float(n)
			if i%2 == 0 {
				c = (FMul(n, RZ, a, b) ^ 1<<(n-1) + r.next()%5 - 2) & mask(n)
			}
			x, y, z := float64Of(n, flushedOperand(n, m, a)), float64Of(n, flushedOperand(n, m, b)), float64Of(n, flushedOperand(n, m, c))
			if x == 0 || y == 0 || z == 0 || (x-x)+(y-y)+(z-z) != 0 {
				continue
			}
			seen++
			p := new(big.Rat).Mul(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
			abs := new(big.Rat).Abs(p)
			e := abs.Num().BitLen() - abs.Denom().BitLen()
			if abs.Cmp(pow2(e)) < 0 {
				e--
			}
			abs = gridRound(RZ, false, abs, e-mant)
			if p.Sign() < 0 {
				abs.Neg(abs)
			}
			sum := abs.Add(abs, new(big.Rat).SetFloat64(z))
			want := uint64(0)
			switch {
			case sum.Sign() != 0:
				want = roundRat(n, m&^FlushUnbounded, sum, 0)
			case m&3 == RDown:
				want = 1 << (n - 1)
			}
			if got := FMad(n, m, a, b, c); got != want {
				fail(t, "FMad", n, m, got, want, a, b, c)
			}
		}
		if seen < 5000 {
			t.Errorf("f%d: %d operands", n, seen)
		}
	}
}
