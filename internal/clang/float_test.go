package clang_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/clang"
)

// float64 returns the exact value of the bits of a float or double.
func (t typ) float64(v uint64) float64 {
	if t.bits == 32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// near accepts results of a type within so many ULPs of the right one, with a small absolute bound for cancellation.
func (t typ) near(want float64, ulp, abs float64) (func(uint64) bool, string) {
	return func(got uint64) bool {
		x := t.float64(got)
		if math.IsNaN(want) || math.IsInf(want, 0) || t.bits == 32 && math.Abs(want) > math.MaxFloat32 {
			return math.IsNaN(want) == math.IsNaN(x) && (math.IsNaN(x) || x == float64(float32(want)) || x == want || math.Abs(x) >= math.MaxFloat32*0.999)
		}
		unit := math.Abs(want) * math.Ldexp(1, -23)
		least := math.Ldexp(1, -126)
		if t.bits == 64 {
			unit, least = math.Abs(want)*math.Ldexp(1, -52), math.Ldexp(1, -1022)
		}
		return math.Abs(x-want) <= max(ulp*unit, abs, least*ulp)
	}, fmt.Sprintf("%v within %v ulp or %v", want, ulp, abs)
}

// floats returns a call of a function on floats of one type whose result is computed in double precision. Numbers that
// hardware flushes to 0 count as 0.
func floats(name string, t typ, n int, ulp, abs float64, f func(x []float64) float64) call {
	c := call{name: name, ret: t, want: func(in []uint64) (func(uint64) bool, string) {
		var x []float64
		for _, v := range in {
			x = append(x, t.float64(v))
		}
		return t.near(f(x), ulp, abs)
	}}
	for range n {
		c.args = append(c.args, t)
	}
	return c
}

func fract(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Copysign(0, x)
	}
	return min(x-math.Floor(x), 1-math.Ldexp(1, -24))
}

func fdim(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return math.Max(a-b, 0)
}

// pick returns a or b if the other is NaN, else the result of f.
func pick(a, b float64, f func(a, b float64) float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return f(a, b)
}

// bothFloats returns the functions that float and double have in common.
func bothFloats(t typ) []call {
	one := func(name string, ulp float64, f func(float64) float64) call {
		return floats(name, t, 1, ulp, 0, func(x []float64) float64 { return f(x[0]) })
	}
	two := func(name string, f func(a, b float64) float64) call {
		return floats(name, t, 2, 0, 0, func(x []float64) float64 { return f(x[0], x[1]) })
	}
	return []call{
		one("fabs", 0, math.Abs), one("floor", 0, math.Floor), one("ceil", 0, math.Ceil), one("trunc", 0, math.Trunc), one("rint", 0, math.RoundToEven),
		one("round", 0, math.Round), one("sqrt", 1, math.Sqrt), one("rsqrt", 2, func(x float64) float64 { return 1 / math.Sqrt(x) }),
		two("fmin", func(a, b float64) float64 { return pick(a, b, math.Min) }), two("fmax", func(a, b float64) float64 { return pick(a, b, math.Max) }),
		two("copysign", math.Copysign),
		floats("fdim", t, 2, 1, 0, func(x []float64) float64 { return fdim(x[0], x[1]) }),
		floats("fma", t, 3, 1, 0, func(x []float64) float64 { return math.FMA(x[0], x[1], x[2]) }),
		one("degrees", 2, func(x float64) float64 { return x * 180 / math.Pi }), one("radians", 2, func(x float64) float64 { return x / 180 * math.Pi }),
		{name: "ldexp", args: []typ{t}, ret: t, expr: "ldexp($a, 3)", want: func(in []uint64) (func(uint64) bool, string) { return t.near(8*t.float64(in[0]), 0, 0) }},
		one("logb", 0, func(x float64) float64 {
			if math.IsInf(x, 0) {
				return math.Inf(1)
			}
			return math.Logb(x)
		}),
	}
}

// singleFloats returns the functions of float alone, with the accuracy in docs/kernels.md.
func singleFloats() []call {
	one := func(name string, ulp, abs float64, f func(float64) float64) call {
		return floats(name, floatType, 1, ulp, abs, func(x []float64) float64 { return f(x[0]) })
	}
	// bounded limits arguments to a range in which a function is accurate; outside it any result is permitted, but no
	// fault.
	bounded := func(c call, most float64) call {
		want := c.want
		c.want = func(in []uint64) (func(uint64) bool, string) {
			if x := floatType.float64(in[0]); !(math.Abs(x) <= most) {
				return func(uint64) bool { return true }, "anything"
			}
			return want(in)
		}
		return c
	}
	list := []call{
		one("exp2", 2, 0, math.Exp2), one("log2", 2, 1e-7, math.Log2), one("native_recip", 2, 0, func(x float64) float64 { return 1 / x }),
		one("native_sqrt", 2, 0, math.Sqrt), one("native_rsqrt", 2, 0, func(x float64) float64 { return 1 / math.Sqrt(x) }),
		one("half_log", 4, 1e-7, math.Log), one("native_log10", 4, 1e-7, math.Log10),
		bounded(one("native_exp", 64, 0, math.Exp), 64), bounded(one("half_exp10", 64, 0, func(x float64) float64 { return math.Pow(10, x) }), 30),
		bounded(one("native_sin", 0, 4e-6, math.Sin), 16), bounded(one("half_cos", 0, 4e-6, math.Cos), 16),
		bounded(one("sin", 0, 2e-6, math.Sin), 65536), bounded(one("cos", 0, 2e-6, math.Cos), 65536), bounded(one("tan", 64, 4e-6, math.Tan), 1.4),
		floats("hypot", floatType, 2, 1, 0, func(x []float64) float64 { return math.Hypot(x[0], x[1]) }),
		floats("step", floatType, 2, 0, 0, func(x []float64) float64 {
			if x[1] < x[0] {
				return 0
			}
			return 1
		}),
	}
	return append(list, singleParts()...)
}

// singleParts returns functions on the parts of a float.
func singleParts() []call {
	f := call{name: "fract", args: []typ{floatType}, ret: floatType, flat: true, expr: "({ float whole; float r = fract($a, &whole); r; })", want: func(in []uint64) (func(uint64) bool, string) {
		return floatType.near(fract(floatType.float64(in[0])), 0, math.Ldexp(1, -24))
	}}
	e := call{name: "frexp", args: []typ{floatType}, ret: intType, flat: true, expr: "({ int e; frexp($a, &e); e; })", want: func(in []uint64) (func(uint64) bool, string) {
		x := floatType.float64(in[0])
		_, e := math.Frexp(x)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			e = 0
		}
		return exactly(intType.wrapped(big.NewInt(int64(e))))
	}}
	l := call{name: "ilogb", args: []typ{floatType}, ret: intType, want: func(in []uint64) (func(uint64) bool, string) {
		switch x := floatType.float64(in[0]); {
		case x == 0:
			return exactly(1 << 31) // FP_ILOGB0
		case math.IsNaN(x), math.IsInf(x, 0):
			return exactly(1<<31 - 1)
		default:
			return exactly(intType.wrapped(big.NewInt(int64(math.Ilogb(x)))))
		}
	}}
	n := call{name: "nextafter", args: []typ{floatType, floatType}, ret: floatType, want: func(in []uint64) (func(uint64) bool, string) {
		a, b := math.Float32frombits(uint32(in[0])), math.Float32frombits(uint32(in[1]))
		want := math.Nextafter32(a, b)
		return func(got uint64) bool {
			return math.Float32frombits(uint32(got)) == want || want != want && math.IsNaN(floatType.float64(got))
		}, fmt.Sprint(want)
	}}
	return []call{f, e, l, n}
}

// relational returns the relational functions: true is 1 for a scalar, and -1 for a vector.
func relational() (list []call) {
	for name, f := range map[string]func(a, b float64) bool{
		"isequal": func(a, b float64) bool { return a == b }, "isnotequal": func(a, b float64) bool { return a != b },
		"isgreater": func(a, b float64) bool { return a > b }, "islessequal": func(a, b float64) bool { return a <= b },
		"islessgreater": func(a, b float64) bool { return a < b || a > b },
		"isordered":     func(a, b float64) bool { return a == a && b == b }, "isunordered": func(a, b float64) bool { return a != a || b != b },
	} {
		list = append(list, call{name: name, args: []typ{floatType, floatType}, ret: intType, want: func(in []uint64) (func(uint64) bool, string) {
			return truth(f(floatType.float64(in[0]), floatType.float64(in[1])))
		}})
	}
	for name, f := range map[string]func(x float64) bool{
		"isnan": math.IsNaN, "isinf": func(x float64) bool { return math.IsInf(x, 0) }, "signbit": math.Signbit,
		"isfinite": func(x float64) bool { return x-x == 0 }, "isnormal": func(x float64) bool { return x-x == 0 && math.Abs(x) >= math.Ldexp(1, -126) },
	} {
		list = append(list, call{name: name, args: []typ{floatType}, ret: intType, want: func(in []uint64) (func(uint64) bool, string) {
			return truth(f(floatType.float64(in[0])))
		}})
	}
	return list
}

func truth(is bool) (func(uint64) bool, string) {
	return func(got uint64) bool { return is == (got == 1 || got == 1<<32-1) && (is || got == 0) }, fmt.Sprint(is)
}

// conversions returns calls of convert_ functions: a number is rounded as the mode says, and clamped to the range if
// the function saturates.
func conversions() (list []call) {
	for _, c := range []struct {
		from, to  typ
		sat, mode string
	}{
		{floatType, intType, "_sat", ""}, {floatType, intTypes[1], "_sat", "_rte"}, {floatType, intTypes[0], "_sat", "_rtp"}, {doubleType, intTypes[6], "_sat", "_rtn"},
		{doubleType, intTypes[7], "_sat", "_rtz"}, {intTypes[6], intTypes[2], "_sat", ""}, {intTypes[7], intTypes[4], "_sat", ""}, {intTypes[4], intTypes[7], "_sat", ""},
		{intTypes[4], intTypes[1], "", ""}, {intTypes[6], intTypes[5], "", ""},
		{intTypes[6], floatType, "", ""}, {intTypes[6], floatType, "", "_rtz"}, {intTypes[7], floatType, "", "_rtp"}, {intTypes[4], floatType, "", "_rtn"},
		{intTypes[7], doubleType, "", "_rtz"}, {intTypes[6], doubleType, "", "_rtp"}, {floatType, doubleType, "", ""},
	} {
		name := "convert_" + c.to.name + "$N" + c.sat + c.mode
		list = append(list, call{name: strings.Replace(name, "$N", "", 1), args: []typ{c.from}, ret: c.to, expr: name + "($a)", want: func(in []uint64) (func(uint64) bool, string) {
			if c.to.float {
				return roundedFloat(c.from, c.to, c.mode, in[0])
			}
			return exactly(c.to.wrapped(roundedInteger(c.from, c.to, c.sat != "", c.mode, in[0])))
		}})
	}
	return list
}

func roundedInteger(from, to typ, sat bool, mode string, v uint64) *big.Int {
	n := new(big.Int)
	if !from.float {
		n = from.integer(v)
	} else {
		x := from.float64(v)
		switch mode {
		case "_rte":
			x = math.RoundToEven(x)
		case "_rtp":
			x = math.Ceil(x)
		case "_rtn":
			x = math.Floor(x)
		default:
			x = math.Trunc(x)
		}
		if math.IsNaN(x) {
			return n
		}
		x = max(min(x, math.Ldexp(1, 70)), -math.Ldexp(1, 70)) // infinities: outside the range of all types
		new(big.Float).SetFloat64(x).Int(n)
	}
	if sat {
		return to.saturated(n)
	}
	return n
}

func roundedFloat(from, to typ, mode string, v uint64) (func(uint64) bool, string) {
	if from.float {
		x := from.float64(v)
		return func(got uint64) bool { y := to.float64(got); return x == y || x != x && y != y }, fmt.Sprint(x)
	}
	f := new(big.Float).SetPrec(map[int]uint{32: 24, 64: 53}[to.bits]).SetMode(map[string]big.RoundingMode{"": big.ToNearestEven, "_rte": big.ToNearestEven,
		"_rtz": big.ToZero, "_rtp": big.ToPositiveInf, "_rtn": big.ToNegativeInf}[mode]).SetInt(from.integer(v))
	want, _ := f.Float64()
	return func(got uint64) bool { return to.float64(got) == want }, fmt.Sprint(want)
}

// TestFloats: functions of floats, without libclc, are within the accuracy in docs/kernels.md of the results of Go in
// double precision.
func TestFloats(t *testing.T) {
	t.Setenv("HEDDLE_LIBCLC", "off")
	for name, target := range map[string]string{"clang-22": "gfx803", "clang-19": "gfx600", "clang-14": "gfx700"} {
		t.Run(name, func(t *testing.T) {
			clang.NeedTool(t, name)
			calls := append(append(bothFloats(floatType), singleFloats()...), relational()...)
			if name == "clang-22" { // LLVM itself makes floor of doubles wrong on gfx6, before heddle's function is used
				calls = append(calls, bothFloats(doubleType)...)
			}
			testCalls(t, clang.Options{Clang: name, Target: target, Opt: "1"}, append(calls, conversions()...))
		})
	}
}
