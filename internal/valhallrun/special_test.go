package valhallrun

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
)

// Special functions are compared with doubles of the host's library, whose errors are far below an ULP of f32: if both
// ends of the error interval round to the same f32, that is the result. Else the value is computed with high precision.

// slack is above the relative error of the doubles below, from a few operations each.
const slack = 0x1p-48

// digits is the precision of high-precision values.
const digits = 200

// rounded32 returns the f32 nearest to x; it uses exact if x does not decide.
func rounded32(x float64, exact func() *big.Float) uint32 {
	lo, hi := float32(x*(1-slack)), float32(x*(1+slack))
	if lo == hi || x != x {
		return math.Float32bits(lo)
	}
	return uint32(single.Near(exact()))
}

// atanh2 returns 2 atanh(x), for a small x: 2 (x + x^3/3 + x^5/5 + ..).
func atanh2(x *big.Float) *big.Float {
	sum, term, square := many(), many().Add(x, x), many().Mul(x, x)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > -digits; k += 2 {
		sum.Add(sum, many().Quo(term, big.NewFloat(float64(k))))
		term.Mul(term, square)
	}
	return sum
}

func many() *big.Float { return new(big.Float).SetPrec(digits) }

func manyOf(v float64) *big.Float { return many().SetFloat64(v) }

// ln2 is 2 atanh(1/3).
var ln2 = atanh2(many().Quo(manyOf(1), manyOf(3)))

// exp2 returns 2^x for x in [0, 1).
func exp2(x float64) *big.Float {
	y := many().Mul(manyOf(x), ln2)
	sum, term := manyOf(1), manyOf(1)
	for k := 1.0; term.Sign() != 0 && term.MantExp(nil) > -digits; k++ {
		term.Quo(term.Mul(term, y), manyOf(k))
		sum.Add(sum, term)
	}
	return sum
}

// log2Of returns log2 of m, near 1.
func log2Of(m float64) *big.Float {
	s := many().Quo(manyOf(m-1), manyOf(m+1))
	return many().Quo(atanh2(s), ln2)
}

// arguments returns n words, a tenth of them in short runs.
func arguments(n int, f func(rnd *rand.Rand) uint32) []uint32 {
	if testing.Short() {
		n /= 10
	}
	rnd := rand.New(rand.NewPCG(3, uint64(n)))
	vs := make([]uint32, n)
	for i := range vs {
		vs[i] = f(rnd)
	}
	return vs
}

func anyWord(rnd *rand.Rand) uint32 { return rnd.Uint32() }

func edges(rnd *rand.Rand) uint32 { return uint32(single.Edge(rnd)) }

func f32(v uint32) float64 { return float64(math.Float32frombits(v)) }

// holds runs an instruction on columns of words and compares the results with f.
func holds(t *testing.T, w *warp, text string, columns [][]uint32, f func(i int) uint32) {
	t.Helper()
	nan := inst{result: 'f'}
	w.each(text, columns, func(i int, got uint32) bool {
		want := f(i)
		if nan.quiet(uint64(got), 0xffffffff) == nan.quiet(uint64(want), 0xffffffff) {
			return true
		}
		var of []string
		for _, c := range columns {
			of = append(of, fmt.Sprintf("%#x", c[i]))
		}
		t.Errorf("%s: %v give %#x, want %#x", text, of, got, want)
		return false
	})
}

// exponential returns 2^(a / 2^24) where b does not matter; results below the normal numbers are 0.
func exponential(a int32) uint32 {
	if a < -126<<24 {
		return 0
	}
	n, fraction := int(a>>24), float64(a&(1<<24-1))/(1<<24)
	return rounded32(math.Ldexp(math.Exp2(fraction), n), func() *big.Float {
		v := exp2(fraction)
		return v.SetMantExp(v, n)
	})
}

func TestExponential(t *testing.T) {
	as := append(arguments(600_000, anyWord), reals.EdgeInts...)
	bs := make([]uint32, len(as))
	for i, a := range as {
		bs[i] = math.Float32bits(float32(int32(a)))
		if f32(bs[i]) >= 1<<31 { // rounded up
			bs[i]--
		}
	}
	holds(t, newWarp(t, nil), "FEXP.f32 r4, r8, r10", [][]uint32{as, bs}, func(i int) uint32 { return exponential(int32(as[i])) })
	const inf, nan, last, first = 0x7f800000, 0x7fc00000, 0x7fffffff, 0x80000000
	limits := []struct{ a, b, want uint32 }{
		{last, inf, inf}, {last, 0x4f000000, inf}, {0, nan, nan}, {first, 0xff800000, 0}, {first, 0xcf000000, 0}, {first, 0xcf000001, 0}, {0, 0xffc00001, nan},
		{0x82000000, 0xcefc0000, 0x00800000}, {0x81ffffff, 0xcefc0000, 0}, {0x81000000, 0xcefe0000, 0}, // at and below 2^-126
	}
	var a, b []uint32
	for _, l := range limits {
		a, b = append(a, l.a), append(b, l.b)
	}
	holds(t, newWarp(t, nil), "FEXP.f32 r4, r8, r10", [][]uint32{a, b}, func(i int) uint32 { return limits[i].want })
	holds(t, newWarp(t, nil), "FEXP.f32.clamp_0_1 r4, r8, r10.neg.abs", [][]uint32{{1 << 24, 0xff000000}, {0x4b800000, 0}}, func(i int) uint32 { return []uint32{0x3f800000, 0x3f000000}[i] })
}

// significand returns the m of a positive number that FREXPM.log returns, and the exponent.
func significand(x float64) (m float64, e int) {
	if m, e = math.Frexp(x); m < 0.75 {
		return 2 * m, e - 1
	}
	return m, e
}

// logd returns log2(m) / (m - 1) for a number's m.
func logd(v uint32) uint32 {
	x := f32(v)
	switch {
	case x == 0 || math.IsInf(x, 1):
		return 0x7f800000
	case !(x > 0):
		return 0x7fc00000
	}
	m, _ := significand(x)
	if m == 1 {
		return math.Float32bits(float32(math.Log2E))
	}
	return rounded32(math.Log1p(m-1)/math.Ln2/(m-1), func() *big.Float { return many().Quo(log2Of(m), manyOf(m-1)) })
}

func TestLogarithm(t *testing.T) {
	vs := append(arguments(600_000, anyWord), arguments(20_000, edges)...)
	for i := range uint32(2000) { // near 1
		vs = append(vs, 0x3f800000-1000+i)
	}
	holds(t, newWarp(t, nil), "FLOGD.f32 r4, r8", [][]uint32{vs}, func(i int) uint32 { return logd(vs[i]) })
	holds(t, newWarp(t, nil), "FLOGD.f32 r4, r8.abs", [][]uint32{vs}, func(i int) uint32 { return logd(vs[i] &^ (1 << 31)) })
}

// TestSequences: the sequences of compilers for logarithms and powers of 2 are accurate to a few ULPs.
func TestSequences(t *testing.T) {
	run := func(program string, v uint32) float64 {
		w := newWarp(t, nil)
		w.set(8, func(int) uint32 { return v })
		w.set(9, func(int) uint32 { return 24 })
		if f := w.program(program); f != nil {
			t.Fatal(f)
		}
		return f32(w.get(4, 0))
	}
	const log = "FREXPE.f32.log r0, r8\nS32_TO_F32 r0, r0\nFADD_LSCALE.f32 r1, 0x3F800000.neg, r8\nFLOGD.f32 r2, r8\nFMA.f32.end r4, r2, r1, r0\n"
	const exp = "FMA_RSCALE.f32 r0, r8, 0x3F800000, 0x0.neg, r9\nF32_TO_S32 r1, r0\nFEXP.f32.end r4, r1, r0\n"
	rnd := rand.New(rand.NewPCG(8, 9))
	for range 200 {
		x := math.Float32frombits(0x00800000 + rnd.Uint32()%0x7f000000) // normal
		if got, want := run(log, math.Float32bits(x)), math.Log2(float64(x)); math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
			t.Errorf("log2(%v) is %v, want %v", x, got, want)
		}
		y := float32(rnd.Float64()*250 - 125)
		if got, want := run(exp, math.Float32bits(y)), math.Exp2(float64(y)); math.Abs(got-want) > 1e-6*want {
			t.Errorf("2^%v is %v, want %v", y, got, want)
		}
	}
	inf := math.Inf(1)
	for v, want := range map[uint32]float64{0: -inf, 1 << 31: -inf, 0x7f800000: inf, 0x3f800000: 0} {
		if got := run(log, v); got != want {
			t.Errorf("log2 of %#x is %v, want %v", v, got, want)
		}
	}
	for v, want := range map[uint32]float64{0x7f800000: inf, 0xff800000: 0, 0x43000000: inf, 0x80000000: 1} {
		if got := run(exp, v); got != want {
			t.Errorf("2^x of %#x is %v, want %v", v, got, want)
		}
	}
}

// TestSines: the tables have 64 steps per turn, exact at quarters.
func TestSines(t *testing.T) {
	vs := append(arguments(2000, anyWord), make([]uint32, 64)...)
	for i := range 64 {
		vs[len(vs)-64+i] = uint32(i)
	}
	quarter := func(k uint32) float64 { // of steps from 0 to 16
		return []float64{math.Sin(float64(k) * math.Pi / 32), 1}[k/16]
	}
	sine := func(k uint32) float64 {
		switch k %= 64; {
		case k > 32:
			return -quarter(min(k-32, 64-k))
		case k > 16:
			return quarter(32 - k)
		}
		return quarter(k)
	}
	holds(t, newWarp(t, nil), "FSIN_TABLE.u6 r4, r8", [][]uint32{vs}, func(i int) uint32 { return math.Float32bits(float32(sine(vs[i]))) })
	holds(t, newWarp(t, nil), "FCOS_TABLE.u6 r4, r8", [][]uint32{vs}, func(i int) uint32 { return math.Float32bits(float32(sine(vs[i] + 16))) })
}

// inverse returns 1 / x in the format, inverseRoot 1 / sqrt(x).
func inverse(f format, v uint64) uint64 {
	x := f.Read(v)
	switch {
	case x == nil:
		return f.NaN()
	case reals.IsZero(x), reals.IsInf(x):
		return f.Near(reals.New().Quo(reals.Whole(1), x))
	}
	return f.Near(many().Quo(reals.Whole(1), x))
}

func inverseRoot(f format, v uint64) uint64 {
	x := f.Read(v)
	switch {
	case x == nil, reals.IsNeg(x) && !reals.IsZero(x):
		return f.NaN()
	case reals.IsZero(x):
		return f.Near(reals.New().SetInf(reals.IsNeg(x)))
	case reals.IsInf(x):
		return 0
	}
	root := many().Sqrt(x)
	return f.Near(root.Quo(reals.Whole(1), root))
}

// inverse32 and inverseRoot32 are the same for f32, computed with doubles.
func inverse32(v uint32) uint32 {
	if x := f32(v); x != 0 && !math.IsInf(x, 0) {
		return rounded32(1/x, func() *big.Float { return many().Quo(reals.Whole(1), single.Read(uint64(v))) })
	}
	return uint32(inverse(single, uint64(v)))
}

func inverseRoot32(v uint32) uint32 {
	if x := f32(v); x > 0 && !math.IsInf(x, 0) {
		return rounded32(1/math.Sqrt(x), func() *big.Float {
			root := many().Sqrt(single.Read(uint64(v)))
			return root.Quo(reals.Whole(1), root)
		})
	}
	return uint32(inverseRoot(single, uint64(v)))
}

func TestInverses(t *testing.T) {
	vs := append(arguments(600_000, anyWord), arguments(20_000, edges)...)
	of := func(text string, f func(v uint32) uint32) {
		holds(t, newWarp(t, nil), text, [][]uint32{vs}, func(i int) uint32 { return f(vs[i]) })
	}
	flushed := func(v uint32) uint32 {
		if v>>23&0xff == 0 {
			return v & (1 << 31)
		}
		return v
	}
	of("FRCP.f32 r4, r8", func(v uint32) uint32 { return flushed(inverse32(flushed(v))) })
	of("FRSQ.f32 r4, r8", func(v uint32) uint32 { return inverseRoot32(flushed(v)) })
	of("FRSQ.f32 r4, r8.abs", func(v uint32) uint32 { return inverseRoot32(flushed(v &^ (1 << 31))) })
	vs = vs[:len(vs)/10]
	of("FRCP_APPROX.f32 r4, r8", func(v uint32) uint32 { return inverse32(uint32(single.Near(splitUp(single.Read(uint64(v)), "").m))) })
	of("FRSQ_APPROX.f32 r4, r8", func(v uint32) uint32 {
		return inverseRoot32(uint32(single.Near(splitUp(single.Read(uint64(v)), "sqrt").m)))
	})
	halves := []inst{
		{name: "FRCP.f16", srcs: "k", result: lowHalf, f: func(o *operands) uint64 { return inverse(half, o.a) }},
		{name: "FRSQ.f16", srcs: "k", result: lowHalf, f: func(o *operands) uint64 { return inverseRoot(half, o.a) }},
	}
	for _, n := range halves { // from v11 on both halves have the result
		n.variant, n.result = "v11", 'e'
		of := n.f
		n.f = func(o *operands) uint64 { return of(o) * 0x10001 }
		halves = append(halves, n)
	}
	checkAll(t, halves)
	for i := range halves {
		everyHalf(t, &halves[i])
	}
}

// TestTables: the replacement for tables that are not public can be used or disabled.
func TestTables(t *testing.T) {
	vs := arguments(200, anyWord)
	holds(t, newWarp(t, nil), "FEXP_TABLE.u4 r4, r8", [][]uint32{vs}, func(i int) uint32 { return math.Float32bits(float32(math.Exp2(float64(vs[i]&15) / 16))) })
	w := newWarp(t, map[string]string{"tables": "none"})
	for _, text := range []string{"FEXP_TABLE.u4 r4, r8", "FRCP_APPROX.f32 r4, r8", "FRSQ_APPROX.f32 r4, r8"} {
		if w.try(text) == nil {
			t.Errorf("%s runs without its table", text)
		}
	}
	w = newWarp(t, nil)
	for _, text := range []string{"FPCLASS.f32 r4, r8", "FPCLASS.f16 r4, r8", "FLOG_TABLE.f32 r4, r8", "FSINCOS_OFFSET.u6 r4, r8", "FATAN_ASSIST.f32 r4, r8, r10", "FREXPM.f32.sqrt.log r4, r8",
		"FADD.f32.sticky r4, r8, r10", "FADD_LSCALE.f32.sticky r4, r8, r10", "FSIN_TABLE.u6.offset r4, r8", "FEXP_TABLE.u4.low r4, r8", "FRCBRT_APPROX_A.f32 r4, r8"} {
		if w.try(text) == nil {
			t.Errorf("%s runs, and no source says what it does", text)
		}
	}
}

// TestFloatOptions: subnormals, NaNs and exponents follow the options.
func TestFloatOptions(t *testing.T) {
	const nan = 0x7fc00000
	for _, c := range []struct {
		option, value, text string
		a, b, want          uint32
	}{
		{"subnormals", "preserve", "FADD.f32 r4, r8, r10", 1, 2, 3},
		{"subnormals", "flush", "FADD.f32 r4, r8, r10", 1, 0x80000002, 0},
		{"subnormals", "flush", "FMA.f32 r4, r8, r10, 0x0.neg", 0x00800000, 0x3f000000, 0},
		{"subnormals", "flush", "FADD.v2f16 r4, r8, r10", 0x00010400, 0x00018001, 0x00000400},
		{"nan", "canonical", "FADD.f32 r4, r8, r10", 0xff801234, 0x3f800000, nan},
		{"nan", "first", "FADD.f32 r4, r8, r10", 0xff801234, 0x3f800000, 0xffc01234},
		{"nan", "first", "FADD.v2f16 r4, r8, r10", 0x7c01fc02, 0x3c003c00, 0x7e01fe02},
		{"nan", "first", "FMIN.f32 r4, r8, r10", 0xff801234, 0x7f800001, 0xffc01234},
		{"nan", "first", "FLOGD.f32 r4, r8", 0xff801234, 0, 0xffc01234},
		{"nan", "first", "FEXP.f32 r4, r8, r10", 0, 0xff801234, 0xffc01234},
		{"nan", "canonical", "FEXP.f32 r4, r8, r10", 0, 0xff801234, nan},
		{"nan", "canonical", "FREXPM.f32 r4, r8", 0xff801234, 0, nan},
		{"nan", "first", "FREXPM.f32.log r4, r8", 0xff801234, 0, 0xffc01234},
	} {
		w := newWarp(t, map[string]string{c.option: c.value})
		w.each(c.text, [][]uint32{{c.a}, {c.b}}, func(_ int, got uint32) bool {
			if got != c.want {
				t.Errorf("%s %s: %s of %#x and %#x is %#x, want %#x", c.option, c.value, c.text, c.a, c.b, got, c.want)
			}
			return true
		})
	}
}
