package roguerun

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
)

const nan, inf, minusInf = 0x7fc00000, 0x7f800000, 0xff800000

func f32(w uint32) float64 { return float64(math.Float32frombits(w)) }

// near reports whether a float is one of the two next to a double, or, with slack, a few ULPs further away.
func near(got uint32, want float64, slack int32) bool {
	w := math.Float32bits(float32(want))
	if want != want {
		return got == nan
	}
	if w == got {
		return true
	}
	if w<<1 == 0 || got<<1 == 0 {
		return (w|got)<<1 <= uint32(slack)<<1
	}
	d := int32(w - got)
	return w>>31 == got>>31 && d <= slack && -d <= slack
}

// special compares a function of one float with a formula, in both phases and both lengths.
func special(t *testing.T, name string, options map[string]string, rows []row, f func(x float64) float64, slack int32) {
	t.Helper()
	k := newTask(t, options)
	for _, mods := range []string{"", ".neg", ".abs", ".abs.neg"} {
		for _, text := range []string{"{ s0 = r0 p0: %s w0, s0%s; w0 = r16 }", "{ s0 = r1, s3 = r0 p0: mbyp ft0, s0; p1: %s w0, s3%s; w0 = r16 }"} {
			k.each(fmt.Sprintf(text, name, mods), rows, func(in row, got result) string {
				want := f(f32(modified(in.a, mods)))
				if !near(got.w0, want, slack) {
					return fmt.Sprintf("%#x", math.Float32bits(float32(want)))
				}
				return ""
			})
		}
	}
}

// normal returns rows of floats without denormals.
func normal(n int, rnd *rand.Rand) []row {
	rows := []row{{a: 0}, {a: inf}, {a: nan}, {a: 0x3f800000}, {a: 0x7f800001}, {a: 0x40000000}, {a: 0x7f7fffff}, {a: 0x00800000}}
	for len(rows) < n {
		if a := edge(rnd); a&inf != 0 {
			rows = append(rows, row{a: a &^ (1 << 31)})
		}
	}
	return rows
}

// TestSpecial: reciprocals, logarithms and powers of 2 against the host's functions, whose errors are far below an ULP
// of f32, and the special cases that the reference lists.
func TestSpecial(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	rows := normal(500, rnd)
	special(t, "frcp", nil, rows, func(x float64) float64 { return 1 / x }, 1)
	special(t, "frsq", nil, rows, func(x float64) float64 {
		if x == 0 {
			return 1 / x
		}
		return 1 / math.Sqrt(x)
	}, 1)
	special(t, "flog", nil, rows, math.Log2, 1)
	special(t, "fexp", nil, rows, math.Exp2, 1)
	k := newTask(t, nil)
	for name, list := range map[string][][2]uint32{
		"frcp": {{nan, nan}, {0xffc00001, nan}, {inf, 0}, {minusInf, 1 << 31}, {0, inf}, {1 << 31, minusInf}, {0x3f800000, 0x3f800000}, {0xbf800000, 0xbf800000}},
		"frsq": {{nan, nan}, {inf, 0}, {0, inf}, {1 << 31, minusInf}, {0xbf800000, nan}, {minusInf, nan}, {0x3f800000, 0x3f800000}},
		"flog": {{nan, nan}, {inf, inf}, {0, minusInf}, {1 << 31, minusInf}, {0xc0000000, nan}, {0x3f800000, 0}},
		"fexp": {{nan, nan}, {inf, inf}, {minusInf, 0}, {0, 0x3f800000}, {1 << 31, 0x3f800000}},
	} {
		for _, x := range list {
			k.words(fmt.Sprintf("{ s0 = r0 p0: %s w0, s0; w0 = r16 }", name), []row{{a: x[0]}}, func(row) uint32 { return x[1] })
		}
	}
	arctan := func(x float64) float64 {
		if math.Abs(x) < f32(0x39c00000) {
			return 1
		}
		return math.Atan(x) / x
	}
	small := append(fractions(400, rnd), row{a: nan}, row{a: 0}, row{a: 1 << 31}, row{a: 0x39bfffff}, row{a: 0x39c00000}, row{a: 0xb9c00000}, row{a: 0x3f800000}, row{a: 0xbf800000})
	special(t, "farctanc", nil, small, arctan, 1)
}

// fractions are rows of floats in [-1, 1].
func fractions(n int, rnd *rand.Rand) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i].a = math.Float32bits(float32(math.Ldexp(2*rnd.Float64()-1, -rnd.IntN(20))))
	}
	return rows
}

// TestSines: sin(x pi / 2) / x, and with the reduction the sine and cosine of angles of all sizes.
func TestSines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	k := newTask(t, nil)
	rows := append(fractions(400, rnd), row{a: nan}, row{a: 0}, row{a: 0x33000000}, row{a: 0x337fffff}, row{a: 0x33800000}, row{a: 0x3f800000}, row{a: 0xbf800000})
	for _, text := range []string{"{ s0 = r0 p0: fsinc w0, p0, s0; w0 = r16 }", "{ s0 = r0 p0: fsinc w0, p0, s0.neg; w0 = r16 }", "{ s0 = r1, s3 = r0 p0: mbyp ft0, s0; p1: fsinc w0, p0, s3; w0 = r16 }",
		"{ s0 = r1, s3 = r0 p0: mbyp ft0, s0; p1: fsinc w0, p0, s3.abs; w0 = r16 }"} {
		k.each(text, rows, func(in row, got result) string {
			x := f32(in.a) // the function is even
			want := math.Sin(x*math.Pi/2) / x
			if in.a>>23&0xff < 103 {
				want = math.Pi / 2
			}
			if !near(got.w0, want, 1) || !got.p {
				return fmt.Sprintf("%#x, p0", math.Float32bits(float32(want)))
			}
			return ""
		})
	}
	angles := []row{{a: 0}, {a: 1 << 31}, {a: inf}, {a: nan}, {a: 0x3fc90fdb}, {a: 0x40490fdb}, {a: 0x40c90fdb}, {a: 0x4096cbe4}, {a: 0x7f7fffff}, {a: 0x3f800000}, {a: 0x3f800001}, {a: 0x6f79be45}, {a: 0x33800000}}
	for range 600 {
		angles = append(angles, row{a: rnd.Uint32()&0x807fffff | uint32(80+rnd.IntN(175))<<23})
	}
	for _, part := range []string{"carried", "repeated"} {
		reduction(t, part, angles)
	}
}

// reduction runs both parts of the reduction and compares b, in units of a right angle, with a sine or cosine of high
// precision.
func reduction(t *testing.T, how string, angles []row) {
	k := newTask(t, map[string]string{"reduction": how})
	for _, function := range []string{"sin", "cos"} {
		first := k.group(fmt.Sprintf("{ s0 = r0 p0: fred.%s.a w0, w1, p0, s0, _, 0; w0 = r4, w1 = r5 }", function))
		text := fmt.Sprintf("{ s0 = r0, s3 = r5 p0: fred.%s.b w0, w1, p0, s0, s3, 0; w0 = r6, w1 = r7 }", function)
		second := k.group(text)
		for at := 0; at < len(angles); at += 32 {
			in := func(lane int) uint32 { return angles[min(at+lane, len(angles)-1)].a }
			k.set(0, in)
			for lane := range 32 {
				k.st.Set(p0, lane, 1)
			}
			for _, f := range []*exec.Fault{k.step(first, 1), k.step(second, 1)} {
				if f != nil {
					t.Fatal(f)
				}
			}
			for lane := range 32 {
				got := k.get(6, lane)
				if msg := badReduction(f32(in(lane)), f32(got), function == "cos"); msg != "" || k.st.Get(p0, lane) != 0 {
					t.Fatalf("%s, %s: %#x gives %#x, p0 %d: %s", text, how, in(lane), got, k.st.Get(p0, lane), msg)
				}
			}
		}
	}
	// A further iteration has no effect.
	k.words("{ s0 = r0, s3 = r1 p0: fred.sin.b w0, w1, _, s0, s3, 1; w0 = r16 }", []row{{a: 0x3f000000, b: 0x3ea2f983}}, func(row) uint32 { return 0x3ea2f983 })
}

// badReduction describes what is wrong with b; "": nothing.
func badReduction(a, b float64, cosine bool) string {
	if math.IsInf(a, 0) || a != a {
		if b == b {
			return "want NaN"
		}
		return ""
	}
	if b < -1 || b > 1 {
		return "want a number in [-1, 1]"
	}
	x := manyOf(a)
	x.Quo(x, halfPi)
	if cosine {
		x.Add(x, manyOf(1))
	}
	// Reduced to [-1, 1] by multiples of 4, then by the symmetry at 1.
	turns, _ := many().Quo(many().Add(x, manyOf(2)), manyOf(4)).Int(nil)
	x.Sub(x, many().Mul(many().SetInt(turns), manyOf(4)))
	for x.Cmp(manyOf(2)) > 0 {
		x.Sub(x, manyOf(4))
	}
	for x.Cmp(manyOf(-2)) < 0 {
		x.Add(x, manyOf(4))
	}
	if x.Cmp(manyOf(1)) > 0 {
		x.Sub(manyOf(2), x)
	}
	if x.Cmp(manyOf(-1)) < 0 {
		x.Sub(manyOf(-2), x)
	}
	want, _ := x.Float64()
	if !near(math.Float32bits(float32(b)), want, 1) {
		return fmt.Sprintf("want %#x", math.Float32bits(float32(want)))
	}
	return ""
}

// digits is the precision of high-precision values: enough for the whole turns of the largest f32.
const digits = 400

func many() *big.Float            { return new(big.Float).SetPrec(digits) }
func manyOf(v float64) *big.Float { return many().SetFloat64(v) }

// halfPi is 8 arctan(1/5) - 2 arctan(1/239).
var halfPi = many().Sub(many().Mul(manyOf(8), arctanInverse(5)), many().Mul(manyOf(2), arctanInverse(239)))

// arctanInverse is arctan(1/n).
func arctanInverse(n float64) *big.Float {
	term := many().Quo(manyOf(1), manyOf(n))
	sum := many().Set(term)
	for k := 3.0; term.MantExp(nil) > -digits-8; k += 2 {
		term.Quo(term, manyOf(-n*n))
		sum.Add(sum, many().Quo(term, manyOf(k)))
	}
	return sum
}

// TestGamma: the curve of sRGB with the constants of the special bank, and with the other option.
func TestGamma(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	rows := []row{{a: 0}, {a: nan}, {a: 0x3b4d2e1c}, {a: 0x3b4d2e1d}, {a: 0x3d25aee6}, {a: 0x3d25aee7}, {a: 0x3f800000}}
	for range 300 {
		rows = append(rows, row{a: math.Float32bits(rnd.Float32())})
	}
	root, scale, offset, slope := f32(0x3ed55555), f32(0x3f870a3d), f32(0x3d6147ae), f32(0x414eb852)
	compress := func(x float64) float64 {
		if x <= f32(0x3b4d2e1c) {
			return x * slope
		}
		return scale*math.Pow(x, root) - offset
	}
	expand := func(x float64) float64 {
		if x <= f32(0x3d25aee6) {
			return x / slope
		}
		return math.Pow((x+offset)/scale, f32(0x4019999a))
	}
	special(t, "gcmp", nil, rows, compress, 1)
	special(t, "gexp", nil, rows, expand, 1)
	power := func(y float64) func(x float64) float64 {
		return func(x float64) float64 {
			if x < 0 || math.Signbit(x) && x == 0 {
				return map[bool]float64{true: 0, false: math.NaN()}[x == 0]
			}
			return math.Pow(x, y)
		}
	}
	special(t, "gcmp", map[string]string{"gamma": "power-2.2"}, rows, power(1/2.2), 1)
	special(t, "gexp", map[string]string{"gamma": "power-2.2"}, rows, power(2.2), 1)
}
