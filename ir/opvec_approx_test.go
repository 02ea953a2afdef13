package ir_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// approximately compares with the host's function of doubles, whose last bits are uncertain: only where all numbers
// near the host's result round to the same bits. f returns the value for a finite operand, or a special number.
func approximately(f func(x number) (y float64, special *number)) oracle {
	return func(c *call) []uint64 {
		if nan, some := chosenNaN(c.n, c.mode, c.a); some {
			return []uint64{nan}
		}
		y, special := f(operands(c)[0])
		if special != nil {
			return []uint64{encode(c.n, c.mode, *special, defaultNaN(c.n, c.mode))}
		}
		if c.n == 64 || math.IsInf(y, 0) || math.Abs(y) < 1e-300 {
			return nil
		}
		r := new(big.Rat).SetFloat64(y)
		err := scaled(new(big.Rat).Abs(r), -49)
		lo := encode(c.n, c.mode, real(new(big.Rat).Sub(r, err)), 0)
		if hi := encode(c.n, c.mode, real(new(big.Rat).Add(r, err)), 0); hi != lo {
			return nil
		}
		return []uint64{lo}
	}
}

func special(x number) (float64, *number) { return 0, &x }

func double(x number) float64 {
	y, _ := x.r.Float64()
	return y
}

func exp2(x number) (float64, *number) {
	switch {
	case x.inf && x.neg:
		return special(zeroOf(false))
	case x.inf:
		return special(x)
	case x.r.IsInt() && x.r.Num().IsInt64() && math.Abs(double(x)) < 3000:
		return special(real(scaled(big.NewRat(1, 1), int(x.r.Num().Int64()))))
	}
	return math.Exp2(double(x)), nil
}

func log2Of(x number) (float64, *number) {
	switch {
	case x.zero():
		return special(infOf(true))
	case x.neg:
		return special(invalid)
	case x.inf:
		return special(x)
	}
	e := log2(x.r)
	mant := scaled(x.r, -e) // 1 to 2: an exact power of two gives an exact logarithm
	if mant.Cmp(big.NewRat(1, 1)) == 0 {
		return special(real(big.NewRat(int64(e), 1)))
	}
	if e == 0 || e == -1 { // no cancellation near 1
		d, _ := new(big.Rat).Sub(x.r, big.NewRat(1, 1)).Float64()
		return math.Log1p(d) / math.Ln2, nil
	}
	f, _ := mant.Float64()
	return float64(e) + math.Log2(f), nil
}

// turn is x modulo one, exactly, in (-1/2, 1/2].
func turn(x number) *big.Rat {
	i := toIntegral(x, num.RNE)
	return new(big.Rat).Sub(x.r, i.r)
}

func sinRev(x number) (float64, *number) {
	if x.inf {
		return special(invalid)
	}
	t := turn(x)
	four := new(big.Rat).Mul(t, big.NewRat(4, 1))
	if four.IsInt() {
		if q := four.Num().Int64(); q == 1 || q == -1 {
			return special(real(big.NewRat(q, 1)))
		}
		return special(zeroOf(x.neg))
	}
	if new(big.Rat).Abs(t).Cmp(big.NewRat(1, 4)) > 0 { // sin(pi - y) = sin(y)
		half := big.NewRat(int64(t.Sign()), 2)
		t = half.Sub(half, t)
	}
	y, _ := t.Float64()
	return math.Sin(2 * math.Pi * y), nil
}

func cosRev(x number) (float64, *number) {
	if x.inf {
		return special(invalid)
	}
	t := new(big.Rat).Abs(turn(x))
	quarter := big.NewRat(1, 4)
	switch {
	case t.Cmp(quarter) == 0:
		return special(zeroOf(false))
	case t.Sign() == 0:
		return special(one)
	case t.Cmp(big.NewRat(1, 2)) == 0:
		return special(real(big.NewRat(-1, 1)))
	}
	y, _ := new(big.Rat).Sub(quarter, t).Float64() // cos(y) = sin(1/4 - y)
	return math.Sin(2 * math.Pi * y), nil
}

// sinOf and cosOf are compared where the host need not reduce its operand: up to 1.
func sinOf(x number) (float64, *number) {
	switch {
	case x.inf:
		return special(invalid)
	case x.zero():
		return special(x)
	case math.Abs(double(x)) > 1:
		return 0, nil
	}
	return math.Sin(double(x)), nil
}

func cosOf(x number) (float64, *number) {
	switch {
	case x.inf:
		return special(invalid)
	case x.zero():
		return special(one)
	case math.Abs(double(x)) > 1:
		return 0, nil
	}
	return math.Cos(double(x)), nil
}

// Results in f64 that are known in closed form: roots of two, with as many decimals as needed, and two logarithms
// from tables (Abramowitz and Stegun, 1.1).
var approxLiterals = []struct {
	op   ir.Op
	x    float64
	want string
}{
	{ir.FExp2, 0.5, "1.41421356237309504880168872420969808"},
	{ir.FExp2, -0.5, "0.70710678118654752440084436210484904"},
	{ir.FExp2, 0.25, "1.18920711500272106671749997056047591"},
	{ir.FExp2, 10.5, "1448.15468787004932997292925359073083"},
	{ir.FLog2, 10, "3.32192809488736234787031942948939018"},
	{ir.FLog2, 3, "1.58496250072115618145373894394781651"},
	{ir.FLog2, 1.0 / 3 * 3, "0"},
	{ir.FSinRev, 0.125, "0.70710678118654752440084436210484904"},
	{ir.FSinRev, 1.0 / 16, "0.38268343236508977172845998403039887"},
	{ir.FSinRev, 7.0625, "0.38268343236508977172845998403039887"},
	{ir.FSinRev, -0.375, "-0.70710678118654752440084436210484904"},
	{ir.FCosRev, 0.125, "0.70710678118654752440084436210484904"},
	{ir.FCosRev, 1.0 / 16, "0.92387953251128675612818318939678829"},
	{ir.FCosRev, 0.375, "-0.70710678118654752440084436210484904"},
	{ir.FSin, 1, "0.84147098480789650665250232163029899962"},
	{ir.FSin, 10, "-0.54402111088936981340474766185137728168"},
	{ir.FSin, 100, "-0.50636564110975879365655761045978543207"},
	{ir.FCos, 1, "0.54030230586813971740093660744297660373"},
	{ir.FCos, 10, "-0.83907152907645245225886394782406483451"},
	{ir.FCos, 100, "0.86231887228768393410193851395084254"},
	{ir.FRsq, 2, "0.70710678118654752440084436210484904"},
	{ir.FRcp, 3, "0.33333333333333333333333333333333333"},
}

func TestApproxLiterals(t *testing.T) {
	for _, tt := range approxLiterals {
		x, _ := new(big.Rat).SetString(tt.want)
		for n, typ := range map[int]ir.Type{32: ir.F32, 64: ir.F64} {
			b := &ir.Block{Vals: []ir.ValInfo{{Type: typ}}}
			arg := encode(n, 0, real(new(big.Rat).SetFloat64(tt.x)), 0)
			for _, round := range []num.Mode{num.RNE, num.RUp, num.RDown, num.RZ} {
				in := ir.Inst{Op: tt.op, Type: typ, Mode: round.With(0), Args: []ir.Val{0}}
				got, _ := ir.EvalLane(b, &in, []uint64{arg})
				if want := encode(n, round, real(x), 0); got != want {
					t.Errorf("%s.%s(%g) %s = %#x, want %#x", tt.op, typ, tt.x, round.With(0), got, want)
				}
			}
		}
	}
}
