package mem

import (
	"math"

	"github.com/heddle-gpu/heddle/num"
)

// A Curve converts stored colours to linear ones.
type Curve uint8

const (
	CurveNone Curve = iota
	Curve22         // to the power of 2.2, with the exponent rounded to single precision
	CurveSRGB       // the two segments of sRGB
	numCurves
)

func (c Curve) apply(x float32) float32 {
	switch {
	case c == Curve22:
		return pow(float64(x), float64(float32(2.2)))
	case c == CurveSRGB && x <= 0.04045:
		return x / 12.92
	case c == CurveSRGB:
		return pow((float64(x)+0.055)/1.055, 2.4)
	}
	return x
}

// pow is x to the power of y, y above 0, rounded to single precision. The last bits of the library's result depend
// on the host. If they decide the rounding, the exact functions are used.
func pow(x, y float64) float32 {
	p := math.Pow(x, y)
	low, high := float32(p*(1-1e-12)), float32(p*(1+1e-12))
	if low == high || !(x > 0) || math.IsInf(p, 0) {
		return float32(p)
	}
	l := math.Float64frombits(num.FLog2(64, num.ModeSet, math.Float64bits(x)))
	return float32(math.Float64frombits(num.FExp2(64, num.ModeSet, math.Float64bits(l*y))))
}

// The coefficients of the logarithm, in powers of the square of (m-1)/(m+1).
var logTerms = [7]float64{
	1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01, 2.222219843214978396e-01,
	2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01,
}

// log2 is the logarithm of x to base 2 within one unit in the last place, the same on every host because every
// product is rounded before it is added. It is exact for powers of two.
func log2(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return math.Log2(x) // -Inf, NaN, +Inf
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	f := m - 1
	s := f / (2 + f)
	z := float64(s * s)
	r := 0.0
	for _, c := range logTerms {
		r = float64(z * (c + r))
	}
	half := float64(0.5 * float64(f*f))
	ln := f - (half - float64(s*(half+r)))
	return float64(e) + float64(ln/math.Ln2)
}
