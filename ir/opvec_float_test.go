package ir_test

import (
	"math/big"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// exactly is an op on floats of its type: NaN operands propagate, otherwise the exact value is rounded once.
func exactly(f func(m num.Mode, x []number) number) oracle {
	return func(c *call) []uint64 {
		if nan, some := chosenNaN(c.n, c.mode, c.a); some {
			return []uint64{nan}
		}
		return []uint64{encode(c.n, c.mode, f(c.mode, operands(c)), defaultNaN(c.n, c.mode))}
	}
}

func operands(c *call) []number {
	xs := make([]number, len(c.a))
	for i := range xs {
		xs[i] = decode(c.n, c.mode, c.a[i])
	}
	return xs
}

func add(m num.Mode, x, y number) number {
	switch {
	case x.inf && y.inf && x.neg != y.neg:
		return invalid
	case x.inf:
		return x
	case y.inf:
		return y
	}
	s := real(new(big.Rat).Add(x.r, y.r))
	if s.zero() {
		s.neg = m.Round() == num.RDown
		if x.zero() && y.zero() && x.neg == y.neg {
			s.neg = x.neg
		}
	}
	return s
}

func negate(x number) number {
	x.neg = !x.neg
	if x.r != nil {
		x.r = new(big.Rat).Neg(x.r)
	}
	return x
}

func mul(x, y number) number {
	neg := x.neg != y.neg
	switch {
	case x.inf && y.zero() || x.zero() && y.inf:
		return invalid
	case x.inf || y.inf:
		return infOf(neg)
	}
	return number{neg: neg, r: new(big.Rat).Mul(x.r, y.r)}
}

func div(x, y number) number {
	neg := x.neg != y.neg
	switch {
	case x.inf && y.inf || x.zero() && y.zero():
		return invalid
	case x.inf || y.zero():
		return infOf(neg)
	case y.inf:
		return zeroOf(neg)
	}
	return number{neg: neg, r: new(big.Rat).Quo(x.r, y.r)}
}

func sqrt(x number) number {
	switch {
	case x.zero() || x.inf && !x.neg:
		return x
	case x.neg:
		return invalid
	}
	return real(sqrtReal(x.r))
}

var one = number{r: big.NewRat(1, 1)}

// mulZ: zero times anything is zero, also times a NaN.
func mulZ(c *call) []uint64 {
	if x := operands(c); x[0].zero() || x[1].zero() {
		return []uint64{0}
	}
	return exactly(func(_ num.Mode, x []number) number { return mul(x[0], x[1]) })(c)
}

// mad has a product of as many bits as the format. If it adds a zero the product is rounded as usual.
func mad(c *call) []uint64 {
	if nan, some := chosenNaN(c.n, c.mode, c.a); some {
		return []uint64{nan}
	}
	x := operands(c)
	p, m := mul(x[0], x[1]), c.mode
	switch {
	case p.nan:
		return []uint64{defaultNaN(c.n, m)}
	case x[2].zero():
		p = decode(c.n, m, encode(c.n, m, p, 0))
	default:
		m = m.Without(num.FlushUnbounded)
		if p.r != nil && p.r.Sign() != 0 {
			ulp := log2(p.r) - layoutOf(c.n).m
			kept := scaled(new(big.Rat).Abs(p.r), -ulp)
			p.r = scaled(new(big.Rat).SetInt(new(big.Int).Quo(kept.Num(), kept.Denom())), ulp)
			if p.neg {
				p.r.Neg(p.r)
			}
		}
	}
	return []uint64{encode(c.n, m, add(m, p, x[2]), defaultNaN(c.n, m))}
}

// cmp compares two numbers that are not NaN; zeros are equal.
func cmp(x, y number) int {
	rank := func(x number) int {
		if !x.inf {
			return 0
		}
		return 1 - 2*int(boolBit(x.neg))
	}
	if x.inf || y.inf {
		return rank(x) - rank(y)
	}
	return x.r.Cmp(y.r)
}

func floatCompare(ok func(cmp int) bool) oracle {
	return func(c *call) []uint64 {
		x := operands(c)
		return []uint64{boolBit(!x[0].nan && !x[1].nan && ok(cmp(x[0], x[1])))}
	}
}

func signalling(n int, a uint64) bool {
	return decode(n, 0, a).nan && a&layoutOf(n).quiet() == 0
}

// minMax returns the operand that is not a NaN, unless the NaN is signalling and the mode is IEEE. dir is -1 for
// the minimum.
func minMax(dir int) oracle {
	return func(c *call) []uint64 {
		x := operands(c)
		switch {
		case c.mode.Has(num.IEEE) && (signalling(c.n, c.a[0]) || signalling(c.n, c.a[1])), x[0].nan && x[1].nan:
			if !c.mode.Has(num.IEEE) && c.mode.NaN() != num.NaNCanon && c.mode.NaN() != num.NaNOnes {
				return nil // the op's doc does not specify which of two NaNs
			}
			nan, _ := chosenNaN(c.n, c.mode, c.a)
			return []uint64{nan}
		case x[0].nan:
			x[0] = x[1]
		case x[1].nan:
		case cmp(x[0], x[1]) == 0 && x[1].neg == (dir < 0), cmp(x[1], x[0])*dir > 0:
			x[0] = x[1]
		}
		return []uint64{encode(c.n, c.mode, x[0], 0)}
	}
}

// minMaxSel compares once and selects an operand: the second whenever the comparison is false.
func minMaxSel(dir int) oracle {
	return func(c *call) []uint64 {
		x := operands(c)
		r := x[1]
		if !x[0].nan && !x[1].nan && cmp(x[0], x[1])*dir > 0 {
			r = x[0]
		}
		if r.nan && (c.mode.NaN() == num.NaNCanon || c.mode.NaN() == num.NaNOnes) {
			return []uint64{defaultNaN(c.n, c.mode)}
		}
		return []uint64{encode(c.n, c.mode, r, c.a[1])}
	}
}

func saturate(c *call) []uint64 {
	x, l := operands(c)[0], layoutOf(c.n)
	switch {
	case x.nan && c.mode.Has(num.DX10Clamp):
		return []uint64{0}
	case x.nan && c.mode.Has(num.SatNaNOne):
		return []uint64{l.one()}
	case x.nan:
		nan, _ := chosenNaN(c.n, c.mode, c.a)
		return []uint64{nan}
	case x.zero() && x.neg && c.mode.Has(num.SatNegZero):
		return []uint64{l.sign()}
	case x.neg:
		return []uint64{0}
	case cmp(x, one) > 0:
		return []uint64{l.one()}
	}
	return []uint64{encode(c.n, c.mode, x, 0)}
}

// integral rounds to an integer; a zero keeps the operand's sign.
func integral(round num.Mode) oracle {
	return exactly(func(_ num.Mode, x []number) number { return toIntegral(x[0], round) })
}

func toIntegral(x number, round num.Mode) number {
	if x.inf {
		return x
	}
	i := new(big.Rat).SetInt(roundInt(new(big.Rat).Abs(x.r), round, x.neg))
	if x.neg {
		i.Neg(i)
	}
	return number{neg: x.neg, r: i}
}

func fract(c *call) []uint64 {
	l := layoutOf(c.n)
	r := exactly(func(m num.Mode, x []number) number {
		if x[0].inf {
			return invalid
		}
		return add(m, x[0], negate(toIntegral(x[0], num.RDown)))
	})(c)
	if r[0] == l.one() {
		r[0]--
	}
	return r
}

func ldexp(c *call) []uint64 {
	if nan, some := chosenNaN(c.n, c.mode, c.a[:1]); some {
		return []uint64{nan}
	}
	x := decode(c.n, c.mode, c.a[0])
	if !x.inf {
		x.r = scaled(x.r, max(min(int(int32(c.a[1])), 5000), -5000))
	}
	return []uint64{encode(c.n, c.mode, x, 0)}
}

func frexp(c *call) (mant number, e int) {
	x := decode(c.n, c.mode, c.a[0])
	if x.inf || x.nan || x.zero() {
		return x, 0
	}
	e = log2(x.r) + 1
	return real(scaled(x.r, -e)), e
}

func class(c *call) []uint64 {
	x, l := decode(c.n, c.mode, c.a[0]), layoutOf(c.n)
	k := 0
	switch {
	case x.nan:
		return []uint64{2 - boolBit(signalling(c.n, c.a[0]))}
	case x.inf:
		k = 3
	case x.zero():
	case log2(x.r) < l.emin():
		k = 1
	default:
		k = 2
	}
	if x.neg {
		return []uint64{1 << (5 - k)}
	}
	return []uint64{1 << (6 + k)}
}

// convert is FCvt; num's own tests check which payload bits of a NaN remain.
func convert(c *call) []uint64 {
	x := decode(c.w[0], c.mode, c.a[0])
	if rule := c.mode.NaN(); x.nan && rule != num.NaNCanon && rule != num.NaNOnes {
		return nil
	}
	return []uint64{encode(c.n, c.mode, x, defaultNaN(c.n, c.mode))}
}

func toInt(isSigned bool) oracle {
	return func(c *call) []uint64 {
		x := decode(c.w[0], c.mode, c.a[0])
		lo, hi := new(big.Int), new(big.Int).Sub(pow2(c.n), big.NewInt(1))
		if isSigned {
			lo, hi = new(big.Int).Neg(pow2(c.n-1)), new(big.Int).Sub(pow2(c.n-1), big.NewInt(1))
		}
		switch {
		case x.nan:
			return []uint64{0}
		case x.inf && x.neg:
			return []uint64{cut(c.n, lo)}
		case x.inf:
			return []uint64{cut(c.n, hi)}
		}
		return []uint64{cut(c.n, clamp(toIntegral(x, c.mode).r.Num(), lo, hi))}
	}
}

func fromInt(read func(n int, x uint64) *big.Int) oracle {
	return func(c *call) []uint64 {
		return []uint64{encode(c.n, c.mode, real(new(big.Rat).SetInt(read(c.w[0], c.a[0]))), 0)}
	}
}

var floatOracles = map[ir.Op]oracle{
	ir.FAdd:    exactly(func(m num.Mode, x []number) number { return add(m, x[0], x[1]) }),
	ir.FSub:    exactly(func(m num.Mode, x []number) number { return add(m, x[0], negate(x[1])) }),
	ir.FMul:    exactly(func(_ num.Mode, x []number) number { return mul(x[0], x[1]) }),
	ir.FMulZ:   mulZ,
	ir.FDiv:    exactly(func(_ num.Mode, x []number) number { return div(x[0], x[1]) }),
	ir.FSqrt:   exactly(func(_ num.Mode, x []number) number { return sqrt(x[0]) }),
	ir.FRcp:    exactly(func(_ num.Mode, x []number) number { return div(one, x[0]) }),
	ir.FRsq:    exactly(rsq),
	ir.FExp2:   approximately(exp2),
	ir.FLog2:   approximately(log2Of),
	ir.FSinRev: approximately(sinRev),
	ir.FCosRev: approximately(cosRev),
	ir.FSin:    approximately(sinOf),
	ir.FCos:    approximately(cosOf),
	ir.FFma: exactly(func(m num.Mode, x []number) number {
		p := mul(x[0], x[1])
		if p.nan {
			return invalid
		}
		return add(m, p, x[2])
	}),
	ir.FMad: mad,
	ir.FNeg: func(c *call) []uint64 {
		return []uint64{(c.a[0] + layoutOf(c.n).sign()) & (2*layoutOf(c.n).sign() - 1)}
	},
	ir.FAbs:    func(c *call) []uint64 { return []uint64{c.a[0] % layoutOf(c.n).sign()} },
	ir.FMinNum: minMax(-1), ir.FMaxNum: minMax(1), ir.FMinSel: minMaxSel(-1), ir.FMaxSel: minMaxSel(1),
	ir.FSat:   saturate,
	ir.FCanon: exactly(func(_ num.Mode, x []number) number { return x[0] }),
	ir.FFloor: integral(num.RDown), ir.FCeil: integral(num.RUp), ir.FTrunc: integral(num.RZ), ir.FRndne: integral(num.RNE),
	ir.FFract: fract, ir.FLdexp: ldexp,
	ir.FFrexpMant: func(c *call) []uint64 {
		nan, _ := chosenNaN(c.n, c.mode, c.a)
		mant, _ := frexp(c)
		return []uint64{encode(c.n, c.mode, mant, nan)}
	},
	ir.FFrexpExp: func(c *call) []uint64 {
		_, e := frexp(c)
		return []uint64{uint64(uint32(e))}
	},
	ir.FEq: floatCompare(func(cmp int) bool { return cmp == 0 }), ir.FLt: floatCompare(less), ir.FLe: floatCompare(lessEqual),
	ir.FUnord: func(c *call) []uint64 { x := operands(c); return []uint64{boolBit(x[0].nan || x[1].nan)} },
	ir.FClass: class,
	ir.FCvt:   convert, ir.FToS: toInt(true), ir.FToU: toInt(false), ir.SToF: fromInt(signed), ir.UToF: fromInt(unsignedN),
}

func unsignedN(_ int, x uint64) *big.Int { return unsigned(x) }

func rsq(_ num.Mode, x []number) number {
	switch {
	case x[0].zero():
		return infOf(x[0].neg)
	case x[0].neg:
		return invalid
	case x[0].inf:
		return zeroOf(false)
	}
	return real(sqrtReal(new(big.Rat).Inv(x[0].r)))
}
