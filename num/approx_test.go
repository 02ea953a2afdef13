package num

import (
	"math"
	"math/big"
	"testing"
)

// The oracle for functions without rational values: big.Float at 400 bits, by other series
// and reductions than the package uses, with constants from tables (computed elsewhere by
// the arithmetic-geometric mean).

const piDigits = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706" +
	"7982148086513282306647093844609550582231725359408128481117450284102701938521105559644622948954930381" +
	"9644288109756659334461284756482337867831652712019091456485669234603486104543266482133936072602491412" +
	"7372458700660631558817488152092096282925409171536436789259036001133053054882046652138414695194151160" +
	"9433057270365759591953092186117381932611793105118548074462379962749567351885752724891227938183011949" +
	"1298336733624406566430860213949463952247371907021798609437027705392171762931767523846748184676694051" +
	"320005681271452635608277857713427577896091"

const ln2Digits = "0.69314718055994530941723212145817656807550013436025525412068000949339362196969471560586332699641868" +
	"7542001481020570685733685520235758130557032670751635075961930727570828371435190307038623891673471123" +
	"35"

// oracleBits suffice to decide every operand here: binary64 needs about 120.
const oracleBits = 400

func constant(digits string, prec uint) *big.Float {
	v, _, err := big.ParseFloat(digits, 10, prec, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return v
}

var (
	oracleLn2 = constant(ln2Digits, oracleBits+64)
	oraclePi  = constant(piDigits, 2000) // as wide as the reduction of 2^1024 requires
)

func wide(x *big.Float) *big.Float { return new(big.Float).SetPrec(oracleBits).Set(x) }

// oracleExp is e^y: Taylor's series at y/2^k, squared k times.
func oracleExp(y *big.Float) *big.Float {
	k := max(y.MantExp(nil), 0) + 16
	x := new(big.Float).SetPrec(oracleBits + 64).Set(y)
	x.SetMantExp(x, -k)
	sum := new(big.Float).SetPrec(oracleBits + 64).SetInt64(1)
	for i := int64(30); i > 0; i-- { // Horner: 1 + x/1*(1 + x/2*(...))
		sum.Mul(sum, x).Quo(sum, big.NewFloat(float64(i)))
		sum.Add(sum, big.NewFloat(1))
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}

func oracleExp2(x float64) *big.Float {
	return oracleExp(new(big.Float).SetPrec(oracleBits+64).Mul(big.NewFloat(x), oracleLn2))
}

// oracleLog2 solves e^l = x by Halley's iteration, from the float64 logarithm.
func oracleLog2(x float64) *big.Float {
	fr, e := math.Frexp(x)
	if fr < math.Sqrt2/2 {
		fr, e = fr*2, e-1
	}
	l := new(big.Float).SetPrec(oracleBits + 64).SetFloat64(math.Log(fr))
	target := new(big.Float).SetPrec(oracleBits + 64).SetFloat64(fr)
	for range 3 {
		y := oracleExp(l)
		d := new(big.Float).SetPrec(oracleBits+64).Sub(target, y)
		d.Quo(d, y.Add(y, target))
		l.Add(l, d.Add(d, d))
	}
	l.Quo(l, oracleLn2)
	return l.Add(l, big.NewFloat(float64(e)))
}

// oracleSin is sin(y), |y| < 2: Taylor's series at y/3^20, tripled 20 times.
func oracleSin(y *big.Float) *big.Float {
	x := wide(y)
	for range 20 {
		x.Quo(x, big.NewFloat(3))
	}
	square := wide(x)
	square.Mul(square, square).Neg(square)
	sum := new(big.Float).SetPrec(oracleBits).SetInt64(1)
	for i := int64(16); i > 0; i-- {
		sum.Mul(sum, square).Quo(sum, big.NewFloat(float64(2*i*(2*i+1))))
		sum.Add(sum, big.NewFloat(1))
	}
	s := sum.Mul(sum, x)
	for range 20 { // sin 3a = 3 sin a - 4 sin^3 a
		cube := wide(s)
		cube.Mul(cube, s).Mul(cube, s).Mul(cube, big.NewFloat(4))
		s.Mul(s, big.NewFloat(3)).Sub(s, cube)
	}
	return s
}

// oracleQuarter is sin(r + q*pi/2), |r| <= 0.8; cos r = 1 - 2 sin^2(r/2).
func oracleQuarter(r *big.Float, q int) *big.Float {
	var v *big.Float
	if q&1 == 0 {
		v = oracleSin(r)
	} else {
		half := wide(r)
		v = oracleSin(half.SetMantExp(half, -1))
		v.Mul(v, v).Mul(v, big.NewFloat(-2)).Add(v, big.NewFloat(1))
	}
	if q&2 != 0 {
		v.Neg(v)
	}
	return v
}

// oracleRadians reduces by whole quarter turns.
func oracleRadians(x float64, quarters int) *big.Float {
	y := new(big.Float).SetPrec(2000).SetFloat64(x)
	quarter := new(big.Float).SetPrec(2000).SetMantExp(oraclePi, -1)
	k, _ := new(big.Float).Add(new(big.Float).Quo(y, quarter), big.NewFloat(math.Copysign(0.5, x))).Int(nil)
	y.Sub(y, quarter.Mul(quarter, new(big.Float).SetInt(k)))
	q := new(big.Int).And(k, big.NewInt(3)).Int64()
	return oracleQuarter(y, int(q)+quarters)
}

// oracleTurns takes x modulo 1 exactly.
func oracleTurns(x float64, quarters int) *big.Float {
	x = math.Mod(x, 1)
	k := math.Round(4 * x)
	y := new(big.Float).SetPrec(oracleBits).SetFloat64(x - k/4)
	y.Mul(y, oraclePi)
	y.SetMantExp(y, 1)
	return oracleQuarter(y, int(k)&3+quarters)
}

// An approxOp is a function with irrational values. special returns the result, or says that it differs from a
// number by less than the oracle's precision can show.
type approxOp struct {
	name    string
	fn      func(int, Mode, uint64) uint64
	oracle  func(x float64) *big.Float
	special func(x float64) (r float64, away int, ok bool)
}

var approxOps = []approxOp{
	{"FExp2", FExp2, oracleExp2, func(x float64) (float64, int, bool) {
		switch {
		case math.IsInf(x, 1):
			return x, 0, true
		case math.IsInf(x, -1):
			return 0, 0, true
		case x > 1100:
			return 0, 2, true
		case x < -1100:
			return 0, -2, true
		case math.Abs(x) < 0x1p-80:
			return 1, sign(x), true
		case x == math.Trunc(x):
			return math.Exp2(x), 0, math.Exp2(x) != 0 && x < 1024
		}
		return 0, 0, false
	}},
	{"FLog2", FLog2, oracleLog2, func(x float64) (float64, int, bool) {
		fr, e := math.Frexp(x)
		switch {
		case x < 0:
			return math.NaN(), 0, true
		case x == 0:
			return math.Inf(-1), 0, true
		case math.IsInf(x, 1):
			return x, 0, true
		}
		return float64(e - 1), 0, fr == 0.5
	}},
	{"FSinRev", FSinRev, func(x float64) *big.Float { return oracleTurns(x, 0) }, func(x float64) (float64, int, bool) {
		if 2*x == math.Trunc(2*x) && !math.IsInf(x, 0) {
			return math.Copysign(0, x), 0, true
		}
		if q := 4 * math.Mod(x, 1); q == math.Trunc(q) {
			return []float64{0, 1, 0, -1}[int(q)&3], 0, true
		}
		return x - x, 0, x-x != 0
	}},
	{"FCosRev", FCosRev, func(x float64) *big.Float { return oracleTurns(x, 1) }, func(x float64) (float64, int, bool) {
		if q := math.Abs(4 * math.Mod(x, 1)); q == math.Trunc(q) {
			return []float64{1, 0, -1, 0}[int(q)], 0, true
		}
		if math.Abs(x) < 0x1p-60 {
			return 1, -1, true
		}
		return x - x, 0, x-x != 0
	}},
	{"FSin", FSin, func(x float64) *big.Float { return oracleRadians(x, 0) }, func(x float64) (float64, int, bool) {
		if math.Abs(x) < 0x1p-60 {
			return x, -1, true
		}
		return x - x, 0, x-x != 0
	}},
	{"FCos", FCos, func(x float64) *big.Float { return oracleRadians(x, 1) }, func(x float64) (float64, int, bool) {
		if math.Abs(x) < 0x1p-60 {
			return 1, -1, true
		}
		return x - x, 0, x-x != 0
	}},
}

// want is the correctly rounded result.
func (op *approxOp) want(n int, m Mode, a uint64) uint64 {
	a = flushedOperand(n, m, a)
	if isNaNBits(n, a) {
		return wantNaN(n, m, a)
	}
	x := float64Of(n, a)
	r, away, ok := op.special(x)
	switch {
	case !ok:
		v, _ := op.oracle(x).Rat(nil)
		return roundRat(n, m, v, 0)
	case away == 2:
		return roundRat(n, m, pow2(1100), 0)
	case away == -2:
		return roundRat(n, m, pow2(-1100), 0)
	case math.IsNaN(r):
		return wantNaN(n, m)
	case r == 0 || math.IsInf(r, 0):
		return wantSpecial(n, r)
	}
	if x == 0 {
		away = 0
	}
	return roundRat(n, m, rat().SetFloat64(r), away)
}

// TestApprox compares with the oracle in every mode; with HEDDLE_LONG=1, for all binary16 numbers.
func TestApprox(t *testing.T) {
	modes := allModes()
	for _, op := range approxOps {
		for _, n := range []int{16, 32, 64} {
			check := func(m Mode, a uint64) {
				if got, want := op.fn(n, m, a), op.want(n, m, a); got != want {
					fail(t, op.name, n, m, got, want, a)
				}
			}
			r := newRand(uint64(n))
			for i, a := range edges(n) {
				for k, m := range modes {
					if (i+k)%stride(7) == 0 {
						check(m, a)
					}
				}
			}
			if n == 16 && long {
				for a := range uint64(1 << 16) {
					check(RNE.With(0), a)
					check(modes[r.next()%uint64(len(modes))], a)
				}
				continue
			}
			for range count(500, 50_000) {
				check(modes[r.next()%uint64(len(modes))], r.float(n))
				check(RNE.With(0), r.float(n)&mask(n-1))
			}
		}
	}
}

// TestSineHard takes floats next to multiples of a quarter turn, where the reduction cancels
// most; 16367173*2^72 and 6381956970095103*2^797 are the worst of binary32 and binary64.
func TestSineHard(t *testing.T) {
	modes := allModes()
	r := newRand(41)
	check := func(n int, a uint64) {
		m := modes[r.next()%uint64(len(modes))]
		for _, op := range approxOps[4:] {
			if got, want := op.fn(n, m, a), op.want(n, m, a); got != want {
				fail(t, op.name, n, m, got, want, a)
			}
		}
	}
	check(32, uint64(math.Float32bits(16367173*0x1p72)))
	check(64, math.Float64bits(6381956970095103*0x1p797))
	quarter := new(big.Float).SetMantExp(oraclePi, -1)
	for range count(100, 20_000) {
		k := new(big.Float).SetInt64(int64(r.next() >> (1 + r.next()%62)))
		x, _ := k.Mul(k, quarter).Float64()
		check(64, math.Float64bits(x))
		check(32, uint64(math.Float32bits(float32(x))))
		check(16, wantCvt(64, 16, RNE, math.Float64bits(x)))
	}
}

// TestConstants compares the computed constants with the tables.
func TestConstants(t *testing.T) {
	for _, prec := range []uint{64, 200, 1500} {
		if d := new(big.Float).Sub(pi(prec), oraclePi); d.Sign() != 0 && d.MantExp(nil) > 3-int(prec) {
			t.Errorf("pi to %d bits is off by %g", prec, d)
		}
	}
	for _, prec := range []uint{64, 200, 400} {
		if d := new(big.Float).Sub(ln2(prec), oracleLn2); d.Sign() != 0 && d.MantExp(nil) > 1-int(prec) {
			t.Errorf("ln2 to %d bits is off by %g", prec, d)
		}
	}
}
