//go:build !heddle_softfloat

package num

import (
	"math"
	"math/bits"
)

// errUnits bounds, in units in the last place, the error of the evaluations below. They are within a few units on
// any host. The rest is margin, and makes one operand in a million use the exact routine.
const errUnits = 256

// hostOperand is the value of a if a shortcut may be tried on it: f16 and f32, finite.
func hostOperand(n int, m Mode, a uint64) (float64, bool) {
	switch {
	case n == 32:
		return float64(float32of(a)), kept32(m, a, a) && uint32(a)<<1 < 255<<24
	case n != 16 || a&0x7c00 == 0x7c00:
		return 0, false
	case normal16(a):
		return float64of16(a), true
	}
	x := float64(a&0x3ff) * 0x1p-24
	return math.Copysign(x, float64(int16(a))+0.5), m&FlushIn == 0 || x == 0
}

// hostResult rounds to width n a number within errUnits of y, if the result is certain.
func hostResult(n int, m Mode, y float64) (uint64, bool) {
	if m&roundMask == RNE {
		r, ok := narrow32(y, errUnits)
		if n == 16 {
			r, ok = narrow16(y, errUnits)
		}
		if ok {
			return r, true
		}
	}
	u := math.Float64bits(y)
	exp := int32(u>>52) & 0x7ff
	if exp == 0 || exp == 0x7ff {
		return 0, false
	}
	// Rounding is monotonic: if both ends of the interval agree, so does everything between.
	const slack = errUnits << 11
	f, p := formatOf(n), parts{1<<63 | u<<11, exp - 1023, u>>63 != 0}
	lo, hi := p, p
	if lo.sig -= slack; lo.sig < 1<<63 {
		lo.sig, lo.exp = lo.sig<<1, lo.exp-1
	}
	if hi.sig += slack; hi.sig < 1<<63 {
		hi.sig, hi.exp = hi.sig>>1|1<<63, hi.exp+1
	}
	r := f.round(m, lo, true)
	return r, r == f.round(m, hi, false)
}

func hostRsq(n int, m Mode, a uint64) (uint64, bool) {
	x, ok := hostOperand(n, m, a)
	if !ok {
		return 0, false
	}
	return hostResult(n, m, 1/math.Sqrt(x))
}

func hostExp2(n int, m Mode, a uint64) (uint64, bool) {
	x, ok := hostOperand(n, m, a)
	if !ok {
		return 0, false
	}
	return hostResult(n, m, math.Exp2(x))
}

func hostLog2(n int, m Mode, a uint64) (uint64, bool) {
	x, ok := hostOperand(n, m, a)
	if !ok {
		return 0, false
	}
	return hostResult(n, m, math.Log(x)*math.Log2E)
}

func hostSinRev(n int, m Mode, a uint64) (uint64, bool) {
	if n == 64 {
		return hostTurns(m, a, 0)
	}
	return hostSine(n, m, a, sineOfTurns, 0)
}

func hostCosRev(n int, m Mode, a uint64) (uint64, bool) {
	if n == 64 {
		return hostTurns(m, a, 1)
	}
	return hostSine(n, m, a, sineOfTurns, 1)
}

func hostSin(n int, m Mode, a uint64) (uint64, bool) {
	return hostSine(n, m, a, sineOfRadians, 0)
}

func hostCos(n int, m Mode, a uint64) (uint64, bool) {
	return hostSine(n, m, a, sineOfRadians, 1)
}

// hostSine rounds the sine of a plus some quarter turns.
func hostSine(n int, m Mode, a uint64, sine func(x float64, quarters uint64) float64, quarters uint64) (uint64, bool) {
	x, ok := hostOperand(n, m, a)
	if !ok {
		return 0, false
	}
	y := sine(x, quarters)
	r, ok := hostResult(n, m, y)
	return r, ok && y != 0 // the sign of a zero is not decided here
}

// sineOfTurns is sin(2*pi*(x + quarters/4)).
func sineOfTurns(x float64, quarters uint64) float64 {
	if math.Abs(x) >= 1<<24 {
		return sineOfQuarters(0, quarters) // x is a float32, so an integer
	}
	q := math.RoundToEven(4 * x)
	return sineOfQuarters((x-float64(q*0.25))*(2*math.Pi), uint64(int64(q))+quarters)
}

// sineOfRadians is sin(x + quarters*pi/2), x being a float32.
func sineOfRadians(x float64, quarters uint64) float64 {
	if math.Abs(x) <= math.Pi/4 {
		return sineOfQuarters(x, quarters)
	}
	q, y := reduceQuarter(math.Abs(x))
	if x < 0 {
		q, y = -q, -y
	}
	return sineOfQuarters(y, q+quarters)
}

// sineOfQuarters is sin(y + q*pi/2), |y| not much above pi/4.
func sineOfQuarters(y float64, q uint64) float64 {
	if q&1 != 0 {
		y = math.Cos(y)
	} else {
		y = math.Sin(y)
	}
	if q&2 != 0 {
		y = -y
	}
	return y
}

// twoOverPi is 2/pi: 64 zeros before the binary point, then 256 bits after it.
var twoOverPi = [5]uint64{0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561}

// reduceQuarter splits x, of at most 24 significant bits and in [0.5, 2^128), into q*pi/2 + y, |y| <= pi/4.
// Binary32 numbers come within 2^-33 of a multiple of pi/2, so the 102 fraction bits kept leave more than a float64
// holds.
func reduceQuarter(x float64) (q uint64, y float64) {
	u := math.Float64bits(x)
	sig := u&(1<<52-1)>>29 | 1<<23
	s := int(u>>52) - 1023 - 23 // x = sig * 2^s
	// hi:lo = floor(2/pi * 2^(s+126)) modulo 2^128: the two bits above the binary point and
	// the fraction of 2^s*2/pi.
	i, c := uint(s+62)>>6, uint(s+62)&63
	hi := twoOverPi[i]<<c | twoOverPi[i+1]>>(64-c)
	lo := twoOverPi[i+1]<<c | twoOverPi[i+2]>>(64-c)
	carry, lo := bits.Mul64(lo, sig)
	hi = hi*sig + carry
	q = (hi + 1<<61) >> 62
	hi -= q << 62
	neg := int64(hi) < 0
	if neg {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi = -hi - borrow
	}
	y = (float64(float64(hi)*0x1p64) + float64(lo)) * (math.Pi / 2 * 0x1p-126)
	if neg {
		y = -y
	}
	return q, y
}
