package num

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The special functions computed once more, as docs/reference/tesla.md 7 defines them: with the values of floats,
// and with separate formulas. Only the coefficients are those of the code, and these are compared with a digest of
// the published ones.

// publishedTables is SHA-256 of the published coefficients as lines of function, piece, c0, c1, c2.
const publishedTables = "716507b4a03ef260409dc5fc3ef8d4dbf5b2d0c64e4597af33fffcc111dc4d9e"

// sfuCoef are the tables by the names and in the order of the publication.
var sfuCoef = []struct {
	name string
	coef [][3]int32
}{{"rcp", quadRcp.Coef}, {"rsqrt", quadRsqrt.Coef}, {"sin", quadSin.Coef}, {"ex2", quadEx2.Coef}, {"lg2", quadLg2.Coef}}

func TestSFUTablesArePublished(t *testing.T) {
	var b strings.Builder
	b.WriteString("func,index,c0,c1,c2\n")
	for _, f := range sfuCoef {
		for i, c := range f.coef {
			fmt.Fprintf(&b, "%s,%d,%d,%d,%d\n", f.name, i, c[0], c[1], c[2])
		}
	}
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(b.String()))); got != publishedTables {
		t.Errorf("the tables have the digest %s", got)
	}
}

// formulas are the functions.
var formulas = [NumSFU]func(a uint32) uint32{
	TeslaRcp: formulaRcp, TeslaRsqrt: formulaRsqrt, TeslaLg2: formulaLg2, TeslaEx2: formulaEx2,
	TeslaSin:    func(a uint32) uint32 { return formulaSine(a, false) },
	TeslaCos:    func(a uint32) uint32 { return formulaSine(a, true) },
	TeslaPreSin: formulaPreSin, TeslaPreEx2: formulaPreEx2,
}

// TestSFUFormulas compares a million arguments of each function, over the whole range and close together.
func TestSFUFormulas(t *testing.T) {
	for f := range NumSFU {
		r := rand.New(rand.NewPCG(uint64(f), 10))
		for i := range 1_200_000 {
			a := r.Uint32()
			switch i % 4 {
			case 1: // of the fixed-point formats, and small numbers
				a &= 0xbfffffff
			case 2: // from a 64th to 64
				a = a&0x807fffff | (121+a>>23%12)<<23
			case 3: // the ends of the formats
				e := [...]uint32{0, 1, 126, 127, 128, 253, 254, 255}[r.IntN(8)]
				a = a&0x80000000 | e<<23 | [...]uint32{0, 1, 2, 1<<23 - 1, 1<<23 - 2, a & (1<<23 - 1)}[r.IntN(6)]
			}
			if got, want := f.Of(a), formulas[f](a); got != want {
				t.Fatalf("%s of %#08x is %#08x, want %#08x", f, a, got, want)
			}
		}
	}
}

// value is a, and whether it is finite and not 0; denormals are zeros.
func formulaValue(a uint32) (x float64, number bool) {
	x = float64(math.Float32frombits(a))
	if math.Abs(x) < 0x1p-126 {
		x = math.Copysign(0, x)
	}
	return x, x != 0 && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// formulaBits is x, which has 24 significant bits, as a float: zeros below the normal numbers, infinities above.
func formulaBits(x float64) uint32 {
	if math.Abs(x) < 0x1p-126 {
		x = math.Copysign(0, x)
	}
	return math.Float32bits(float32(x))
}

// formulaCut is x truncated to 24 significant bits.
func formulaCut(x float64) float64 {
	m, e := math.Frexp(x)
	return math.Ldexp(math.Trunc(m*0x1p24), e-24)
}

// significand is |x| in units of 2^-23 of the power of two below it, and the exponent of that.
func significand(x float64) (m int64, e int) {
	frac, e := math.Frexp(math.Abs(x))
	return int64(frac * 0x1p24), e - 1
}

// formulaSquare is the square of 17 bits: half of the sum of the partial products, each without its low bits.
func formulaSquare(x int64) int64 {
	sum := int64(0)
	for i := 0; i < 17; i++ {
		if x/(1<<i)%2 == 1 {
			sum += x / (1 << (18 - i))
		}
	}
	return sum / 2
}

// floorDiv is a/b rounded down.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func coefficients(name string, piece int64) (c0, c1, c2 int64) {
	for _, f := range sfuCoef {
		if f.name == name {
			c := f.coef[piece]
			return int64(c[0]), int64(c[1]), int64(c[2])
		}
	}
	panic(name)
}

func formulaRcp(a uint32) uint32 {
	x, number := formulaValue(a)
	switch {
	case math.IsNaN(x):
		return 0x7fffffff
	case !number:
		return formulaBits(1 / x)
	}
	m, e := significand(x)
	c0, c1, c2 := coefficients("rcp", m%(1<<23)/(1<<16))
	d := m % (1 << 16)
	f := floorDiv(c0*(1<<13)+c1*d+c2*formulaSquare(2*d)+0x47e7, 1<<15)
	return formulaBits(math.Copysign(math.Ldexp(float64(f), -1-e-23), x))
}

func formulaRsqrt(a uint32) uint32 {
	x, number := formulaValue(a)
	switch {
	case x == 0:
		return formulaBits(1 / x)
	case math.IsNaN(x) || x < 0:
		return 0x7fffffff
	case !number:
		return 0
	}
	m, e := significand(x)
	half := (e - (e%2+2)%2) / 2 // of the exponent, rounded down
	g := m - 1<<23 + int64(e-2*half)*(1<<23)
	if g == 0 {
		return formulaBits(math.Ldexp(1, -half))
	}
	c0, c1, c2 := coefficients("rsqrt", g/(1<<17))
	d := g % (1 << 17)
	f := floorDiv(c0*(1<<14)+c1*d+c2*formulaSquare(d)*4+0x7fff, 1<<16)
	return formulaBits(math.Ldexp(float64(f), -half-1-23))
}

func formulaLg2(a uint32) uint32 {
	x, _ := formulaValue(a)
	switch {
	case x == 0:
		return formulaBits(math.Inf(-1))
	case math.IsNaN(x) || x < 0:
		return 0x7fffffff
	case math.IsInf(x, 1):
		return formulaBits(x)
	case x == 1:
		return 0
	}
	m, e := significand(x)
	c0, c1, c2 := coefficients("lg2", m%(1<<23)/(1<<17))
	d := m % (1 << 17)
	r := floorDiv(c0*(1<<12)+c1*d+c2*formulaSquare(d)*2+0x3345, 4) + int64(e)*(1<<36)
	if r < 0 { // inverted, not negated
		return formulaBits(math.Copysign(formulaCut(math.Ldexp(float64(-r-1), -36)), -1))
	}
	return formulaBits(formulaCut(math.Ldexp(float64(r), -36)))
}

// formulaFixed returns the sign, and the magnitude; bit 30 of the latter says that it is no number.
func formulaFixed(a uint32) (sign float64, x int64, number bool) {
	return 1 - 2*float64(a/(1<<31)), int64(a % (1 << 30)), a/(1<<30)%2 == 0
}

func formulaSine(a uint32, cos bool) uint32 {
	sign, x, number := formulaFixed(a)
	if !number {
		return 0x7fffffff
	}
	if cos {
		sign, x = 1, x+1<<23
	}
	quadrant, f := x/(1<<23)%4, x%(1<<23)
	if quadrant%2 == 1 {
		f = 1<<23 - 1 - f
	}
	if quadrant >= 2 {
		sign = -sign
	}
	c0, c1, c2 := coefficients("sin", f/(1<<17))
	d := f % (1 << 17)
	r := c0*(1<<11) + c1*d + c2*formulaSquare(d)
	return formulaBits(math.Copysign(formulaCut(math.Ldexp(float64(r), -37)), sign))
}

func formulaEx2(a uint32) uint32 {
	sign, x, number := formulaFixed(a)
	switch {
	case !number && x/(1<<23)%2 == 0:
		return 0x7fffffff
	case !number && sign < 0:
		return 0
	case !number:
		return formulaBits(math.Inf(1))
	}
	i, f := x/(1<<23), x%(1<<23)
	if sign < 0 {
		if i = -i; f != 0 {
			i, f = i-1, 1<<23-1-f
		}
	}
	c0, c1, c2 := coefficients("ex2", f/(1<<17))
	d := f % (1 << 17)
	r := floorDiv(c0*(1<<13)+c1*d+c2*formulaSquare(d)+0x77e2, 1<<15)
	return formulaBits(math.Ldexp(float64(r), int(i)-23))
}

// formulaSpecial is the result without a fixed-point number: a NaN, or a value that is too large.
func formulaSpecial(x float64) uint32 {
	v := uint32(0x40000000)
	if !math.IsNaN(x) {
		v = 0x40800000
	}
	if math.Signbit(x) {
		v += 1 << 31
	}
	return v
}

// formulaPre is a sign-magnitude fixed-point number.
func formulaPre(x, fixed float64) uint32 {
	v := uint32(fixed)
	if math.Signbit(x) {
		v += 1 << 31
	}
	return v
}

func formulaPreSin(a uint32) uint32 {
	x, number := formulaValue(a)
	switch {
	case x == 0:
		return formulaPre(x, 0)
	case !number:
		return formulaSpecial(x)
	}
	m, e := significand(x)
	turns := float64(m * 0xa2f983 / (1 << 16))
	return formulaPre(x, math.Mod(math.Floor(math.Ldexp(turns, e-8)), 1<<25))
}

func formulaPreEx2(a uint32) uint32 {
	x, _ := formulaValue(a)
	if math.IsNaN(x) || math.Abs(x) >= 128 {
		return formulaSpecial(x)
	}
	return formulaPre(x, math.Floor(math.Abs(x)*(1<<23)))
}

// TestSquare: the square of all numbers of 17 bits, by its partial products.
func TestSquare(t *testing.T) {
	for x := range int64(1 << 17) {
		if got, want := square17(uint64(x)), formulaSquare(x); int64(got) != want {
			t.Fatalf("square of %#x is %#x, want %#x", x, got, want)
		}
	}
}
