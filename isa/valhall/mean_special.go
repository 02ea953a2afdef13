package valhall

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Special functions. docs/reference/valhall.md 10.1. Logarithm and exponential are series in f64: truncation and
// rounding errors are less than a millionth of an ULP of f32. No argument's result is close enough to the middle of two
// f32 for this to matter: for all significands and all fractions the result is correctly rounded.

// flushing flushes subnormals to zero in the following ops, whatever the program's descriptor says.
func flushing(b *ir.Builder) (restore func()) {
	return b.Float(b.Mode() | num.FlushIn | num.FlushOut)
}

func frcp(a V) V {
	defer flushing(a.B())()
	return a.FRcp()
}

func frsq(a V) V {
	defer flushing(a.B())()
	return a.FRsq()
}

// frcp16 and frsq16 return words: the high half is 0.
func frcp16(a V) V { return a.FRcp().As(ir.I16).ZExt(ir.I32) }
func frsq16(a V) V { return a.FRsq().As(ir.I16).ZExt(ir.I32) }

// faddLscale is a + the significand of b as FREXPM.log gives it; zeros, subnormals, infinities and NaNs are added
// unchanged.
func faddLscale(a, b V) V {
	bits := b.FAbs().As(ir.I32)
	return a.FAdd(bits.ULt(bits.K(leastNormal)).Select(b, splitUp(b, splitLog).m))
}

// series is c[0] + c[1] x + c[2] x^2 + ...
func series(l *isa.Lift, x V, c []float64) V {
	v := f64Of(l, c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		v = v.Fma(x, f64Of(l, c[i]))
	}
	return v
}

// expSeries has the coefficients of 2^(x + 1/2) for |x| up to 1/2, and of 2 atanh(x) / (x ln 2) in x^2 for |x| up to
// 1/5.
func expSeries() (exp []float64) {
	c := math.Sqrt2
	for k := 1.0; k <= 16; k++ {
		exp = append(exp, c)
		c *= math.Ln2 / k
	}
	return exp
}

func logSeries() (log []float64) {
	for k := 0; k <= 12; k++ {
		log = append(log, 2/(float64(2*k+1)*math.Ln2))
	}
	return log
}

// flogd is log2(m) / (m - 1) of the m that FREXPM.log gives: with s = (m - 1) / (m + 1), log2(m) is 2 atanh(s) / ln 2.
func flogd(l *isa.Lift) {
	a := l.Src(0)
	m := splitUp(a, splitLog).m.FCvt(ir.F64)
	one := f64Of(l, 1)
	inverse := one.FDiv(m.FAdd(one))
	s := m.FSub(one).FMul(inverse)
	v := series(l, s.FMul(s), logSeries()).FMul(inverse).FCvt(ir.F32)
	// FLOGD(x) (m - 1) + e must be -inf for 0 and inf for inf, where e is 0.
	zero, inf := f32Of(l, 0), f32Of(l, float32(math.Inf(1)))
	v = a.FEq(zero).Or(a.FEq(inf)).Select(inf, v)
	v = a.FLt(zero).Select(l.Const(ir.F32, quietNaN), v)
	l.Dst(0, a.FUnord(a).Select(a.FCanon(), v))
}

const (
	quietNaN   = 0x7fc00000 // of f32
	leastPower = 0x82000000 // -126 in the format of a: below it 2^a is subnormal
)

// fexp is 2^(a / 2^24), flushed to 0 if subnormal. b is the number from which a was made by rounding to an integer,
// which saturates.
func fexp(l *isa.Lift) {
	a, b := l.Src(0), l.Src(1)
	fraction := a.And(a.K(1<<24 - 1)).UToF(ir.F64).FLdexp(l.I32(^uint32(23)))
	v := series(l, fraction.FSub(f64Of(l, 0.5)), expSeries()).FLdexp(a.ShrS(a.K(24))).FCvt(ir.F32)
	v = a.SLt(l.I32(leastPower)).Select(f32Of(l, 0), v)
	limit := f32Of(l, 1<<31)
	v = limit.FLe(b).Select(f32Of(l, float32(math.Inf(1))), v)
	v = b.FLt(limit.FNeg()).Select(f32Of(l, 0), v)
	l.Dst(0, b.FUnord(b).Select(b.FCanon(), v))
}

// turns is a fraction of a turn, in units of 2^-n.
func turns(a V, n uint32) V {
	return a.And(a.K(1<<n - 1)).UToF(ir.F32).FLdexp(a.B().I32(-n))
}

func fsinTable(a V) V { return turns(a, 6).FSinRev() }
func fcosTable(a V) V { return turns(a, 6).FCosRev() }

// sineCosine is FSINCOS of a plus the quarter turns in the low two bits of b.
func sineCosine(l *isa.Lift) {
	if !modelled(l, optFunctions) {
		return
	}
	a, quarters := l.Src(0), l.Src(1).As(ir.I32)
	turn := a.FCvt(ir.F64).FMul(f64Of(l, 1/(2*math.Pi)))
	turn = turn.FAdd(quarters.And(quarters.K(3)).UToF(ir.F64).FMul(f64Of(l, 0.25)))
	v := turn.FCosRev()
	if l.In.Get(nameFunction) != 0 {
		v = turn.FSinRev()
	}
	l.Dst(0, v.FCvt(ir.F32))
}

// power is FPOW: 2^(b log2 a), in f32.
func power(l *isa.Lift) {
	if modelled(l, optFunctions) {
		a, b := l.Src(0).FCvt(ir.F32), l.Src(1).FCvt(ir.F32)
		l.Dst(0, b.FMul(a.FLog2()).FExp2().FCvt(ir.F16))
	}
}

// The functions below replace tables that are not public: they give the exact value that Mesa's sequences refine.

func frcpApprox(a V) V { return a.FFrexpMant().FRcp() }
func frsqApprox(a V) V { return splitUp(a, splitRoot).m.FRsq() }
func fexpTable(a V) V  { return turns(a, 4).FExp2() }
