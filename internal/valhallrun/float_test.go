package valhallrun

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
)

// Modifiers of floats.
const (
	clampMods = "- clamp_0_inf clamp_m1_1 clamp_0_1"
	roundMods = "- rtp rtn rtz"
	anyRound  = roundMods + " rtna"
	nanMods   = "- nan_propagate"
)

// rounding returns the rounding mode that the mnemonic names.
func (o *operands) rounding() big.RoundingMode {
	for _, m := range []string{"rtp", "rtn", "rtz", "rtna"} {
		if o.has(m) {
			return roundings[m]
		}
	}
	return big.ToNearestEven
}

// clamp limits a value as the mnemonic says: a NaN becomes the lower limit, and a zero at a limit of 0 is +0.
func (o *operands) clamp(x real) real {
	low, high, on := 0.0, 1.0, false
	for _, m := range o.mods {
		switch m {
		case "clamp_0_inf":
			on, high = true, 0
		case "clamp_m1_1":
			on, low = true, -1
		case "clamp_0_1":
			on = true
		}
	}
	switch {
	case !on:
		return x
	case x == nil || x.Cmp(reals.Of(low)) < 0 || low == 0 && reals.IsZero(x):
		return reals.Of(low)
	case high == 1 && x.Cmp(reals.Of(high)) > 0:
		return reals.Of(high)
	}
	return x
}

// less orders numbers, and -0 below +0.
func less(x, y real) bool {
	if c := x.Cmp(y); c != 0 {
		return c < 0
	}
	return reals.IsNeg(x) && !reals.IsNeg(y)
}

// lesser and greater prefer numbers to NaNs.
func lesser(x, y real) real {
	if x == nil || y != nil && less(y, x) {
		return y
	}
	return x
}

func greater(x, y real) real {
	if x == nil || y != nil && less(x, y) {
		return y
	}
	return x
}

func product(x, y, z real) real { return reals.Plus(reals.Times(x, y), z) }

// plus returns x + y; a sum of 0 is -0 if rounded down, unless both are +0.
func (o *operands) plus(x, y real) real {
	v := reals.Plus(x, y)
	if v != nil && reals.IsZero(v) && o.rounding() == big.ToNegativeInf && (reals.IsNeg(x) || reals.IsNeg(y)) {
		return v.Neg(reals.New())
	}
	return v
}

func (o *operands) sum(x, y, _ real) real     { return o.plus(x, y) }
func (o *operands) product(x, y, z real) real { return o.plus(reals.Times(x, y), z) }

// finish rounds a value to a format, and then clamps it: the limits are the same before and after rounding.
func (o *operands) finish(f format, x real) uint64 {
	return f.Near(o.clamp(f.Read(f.Write(x, o.rounding()))))
}

// unlessNaN returns an extreme of numbers; with nan_propagate a NaN if either is one.
func (o *operands) unlessNaN(f format, extreme func(x, y real) real) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		x, y := f.Read(a), f.Read(b)
		if o.has("nan_propagate") && (x == nil || y == nil) {
			return o.finish(f, nil)
		}
		return o.finish(f, extreme(x, y))
	}
}

func extreme32(extreme func(x, y real) real) func(o *operands) uint64 {
	return func(o *operands) uint64 { return o.unlessNaN(single, extreme)(o.a, o.b) }
}

func extreme16(extreme func(x, y real) real) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		f := o.unlessNaN(half, extreme)
		return both(func(a, b, _ uint64) uint64 { return f(a, b) })(o)
	}
}

// floats32 returns a formula on f32, floats16 on each element of v2f16.
func floats32(f func(o *operands, x, y, z real) real) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		return o.finish(single, f(o, single.Read(o.a), single.Read(o.b), single.Read(o.c)))
	}
}

func floats16(f func(o *operands, x, y, z real) real) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		return both(func(a, b, c uint64) uint64 { return o.finish(half, f(o, half.Read(a), half.Read(b), half.Read(c))) })(o)
	}
}

// int32Of and int16Of sign-extend bits.
func int32Of(v uint64) int { return int(int32(v)) }
func int16Of(v uint64) int { return int(int16(v)) }

// rescaled returns a * b + c rounded to f32, times 2^d.
func rescaled(special func(a, b, c real) real, exponent func(v uint64) int) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		sum := single.Read(single.Write(special(single.Read(o.a), single.Read(o.b), single.Read(o.c)), o.rounding()))
		return o.finish(single, reals.Scaled(sum, nearZero(exponent(o.d))))
	}
}

// without0 returns a product plus c, with another product if a factor is zero.
func without0(instead func(a real) real) func(a, b, c real) real {
	return func(a, b, c real) real {
		if reals.IsZero(a) || reals.IsZero(b) {
			return reals.Plus(instead(a), c)
		}
		return product(a, b, c)
	}
}

func exponents(rnd *rand.Rand) uint64 {
	return uint64(uint32([]int32{-300, -150, -24, -1, 0, 1, 24, 150, 300, 1 << 20, -1 << 31, 1<<31 - 1}[rnd.IntN(12)] + int32(rnd.IntN(5)-2)))
}

var arithmetic = []inst{
	{name: "FADD.f32", mods: []string{roundMods, clampMods}, srcs: "ff", result: narrowing, f: floats32((*operands).sum)},
	{name: "FMIN.f32", mods: []string{nanMods, clampMods}, srcs: "ff", result: 'f', f: extreme32(lesser)},
	{name: "FMAX.f32", mods: []string{nanMods, clampMods}, srcs: "ff", result: 'f', f: extreme32(greater)},
	{name: "FADD.v2f16", mods: []string{roundMods, clampMods}, srcs: "ee", result: 'e', f: floats16((*operands).sum)},
	{name: "FMIN.v2f16", mods: []string{nanMods, clampMods}, srcs: "ee", result: 'e', f: extreme16(lesser)},
	{name: "FMAX.v2f16", mods: []string{nanMods, clampMods}, srcs: "ee", result: 'e', f: extreme16(greater)},
	{name: "FMA.f32", mods: []string{roundMods, clampMods}, srcs: "fff", result: narrowing, f: floats32((*operands).product)},
	{name: "FMA.v2f16", mods: []string{roundMods, clampMods}, srcs: "eee", result: 'e', f: floats16((*operands).product)},
	{name: "FADD_IMM.f32", srcs: "p", imm: "#0x%X", bits: 32, result: 'f', f: func(o *operands) uint64 {
		return single.Near(reals.Plus(single.Read(o.a), single.Read(o.imm)))
	}},
	{name: "FADD_IMM.v2f16", srcs: "T", imm: "#0x%X", bits: 32, result: 'e', f: func(o *operands) uint64 {
		return both(func(a, b, _ uint64) uint64 { return half.Near(reals.Plus(half.Read(a), half.Read(b))) })(&operands{a: o.a, b: o.imm})
	}},
	{name: "LDEXP.f32", mods: []string{anyRound}, srcs: "fi", result: 'f', fills: [4]func(*rand.Rand) uint64{1: exponents}, f: func(o *operands) uint64 {
		return single.Write(reals.Scaled(single.Read(o.a), nearZero(int32Of(o.b))), o.rounding())
	}},
	{name: "LDEXP.v2f16", mods: []string{anyRound}, srcs: "em", result: 'e', f: func(o *operands) uint64 {
		return both(func(a, b, _ uint64) uint64 { return half.Write(reals.Scaled(half.Read(a), int16Of(b)), o.rounding()) })(o)
	}},
	{name: "FMA_RSCALE.f32.round_zero", mods: []string{clampMods}, srcs: "FFFn", result: 'f', f: towardZero(rescaled(product, int32Of))},
	{name: "FMA_RSCALE_N.f32.round_zero", mods: []string{clampMods}, srcs: "FFFn", result: 'f', f: towardZero(rescaled(without0(func(real) real { return reals.New() }), int32Of))},
	{name: "FMA_RSCALE_LEFT.f32.round_zero", mods: []string{clampMods}, srcs: "FFFn", result: 'f', f: towardZero(rescaled(without0(func(a real) real { return a }), int32Of))},
	{name: "FMA_RSCALE_SCALE16.f32.round_zero", mods: []string{clampMods}, srcs: "FFFi", result: 'f', f: towardZero(rescaled(product, int16Of))},
	{name: "FLUSH.f32", mods: flushMods, srcs: "F", result: 'i', f: func(o *operands) uint64 { return o.flushed(single, o.a) }},
	{name: "FLUSH.v2f16", mods: flushMods, srcs: "T", result: 'i', f: func(o *operands) uint64 {
		return both(func(a, _, _ uint64) uint64 { return o.flushed(half, a) })(o)
	}},
	{name: "FMA_RSCALE.f32", mods: []string{clampMods}, srcs: "FFFn", result: 'f', f: rescaled(product, int32Of)},
	{name: "FMA_RSCALE_N.f32", mods: []string{clampMods}, srcs: "FFFn", result: 'f', f: rescaled(without0(func(real) real { return reals.New() }), int32Of)},
	{name: "FMA_RSCALE_LEFT.f32", mods: []string{clampMods}, srcs: "FFFn", result: 'f', f: rescaled(without0(func(a real) real { return a }), int32Of)},
	{name: "FMA_RSCALE_SCALE16.f32", mods: []string{clampMods}, srcs: "FFFi", result: 'f', f: rescaled(product, int16Of)},
}

var flushMods = []string{"- ftz", "- flush_inf", "- flush_nan quiet_nan"}

// flushed removes from a float what the mnemonic names: subnormals, infinities, NaNs.
func (o *operands) flushed(f format, v uint64) uint64 {
	inf, sign := f.Top()<<f.Mant, v>>(f.Bits-1)<<(f.Bits-1)
	switch magnitude := v &^ sign; {
	case magnitude < 1<<f.Mant && o.has("ftz"):
		return sign
	case magnitude == inf && o.has("flush_inf"):
		return v - 1
	case magnitude > inf && o.has("flush_nan"):
		return 0
	case magnitude > inf && o.has("quiet_nan"):
		return v | 1<<(f.Mant-1)
	}
	return v
}

// towardZero returns a formula that rounds toward zero.
func towardZero(f func(o *operands) uint64) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		z := *o
		z.mods = append([]string{"rtz"}, o.mods...)
		return f(&z)
	}
}

// nearZero limits an exponent to a range beyond which results do not change.
func nearZero(n int) int { return min(max(n, -5000), 5000) }

func TestFloats(t *testing.T) { checkAll(t, arithmetic) }

// A split is a number as m * 2^e, or m * 4^e.
type split struct {
	m real
	e int
}

// splitUp splits a number as FREXP does: how is "", "log" or "sqrt".
func splitUp(x real, how string) split {
	if x == nil || reals.IsZero(x) || reals.IsInf(x) {
		return split{x, 0}
	}
	m := reals.New()
	e := x.MantExp(m) // m in [0.5, 1)
	switch below := reals.New().Abs(m).Cmp(reals.Of(0.75)) < 0; {
	case how == "log" && below:
		m, e = reals.Scaled(m, 1), e-1
	case how == "sqrt" && e%2 != 0:
		m, e = reals.Scaled(m, -1), (e+1)/2
	case how == "sqrt":
		e /= 2
	}
	return split{m, e}
}

func (o *operands) how() string {
	for _, m := range []string{"log", "sqrt"} {
		if o.has(m) {
			return m
		}
	}
	return ""
}

// signed returns an exponent with the sign of the mnemonic.
func (o *operands) signed(e int) int {
	if o.has("neg") {
		return -e
	}
	return e
}

var splits = []inst{
	{name: "FREXPM.f32", mods: []string{"- log sqrt"}, srcs: "f", result: 'f', f: func(o *operands) uint64 { return single.Near(splitUp(single.Read(o.a), o.how()).m) }},
	{name: "FREXPE.f32", mods: []string{"- log sqrt", "- neg"}, srcs: "g", result: 'i', f: func(o *operands) uint64 {
		return uint64(uint32(o.signed(splitUp(single.Read(o.a), o.how()).e)))
	}},
	{name: "FREXPM.v2f16", mods: []string{"- log sqrt"}, srcs: "e", result: 'e', f: func(o *operands) uint64 {
		return both(func(a, _, _ uint64) uint64 { return half.Near(splitUp(half.Read(a), o.how()).m) })(o)
	}},
	{name: "FREXPE.v2f16", mods: []string{"- log sqrt", "- neg"}, srcs: "E", result: 'i', f: func(o *operands) uint64 {
		return both(func(a, _, _ uint64) uint64 { return uint64(o.signed(splitUp(half.Read(a), o.how()).e)) })(o)
	}},
	{name: "FADD_LSCALE.f32", mods: []string{roundMods, clampMods}, srcs: "ff", result: narrowing, f: func(o *operands) uint64 {
		b := single.Read(o.b)
		if o.b>>23&0xff != 0 { // a normal number
			b = splitUp(b, "log").m
		}
		return o.finish(single, o.plus(single.Read(o.a), b))
	}},
}

func TestFrexp(t *testing.T) { checkAll(t, splits) }

// faces have the coordinates s and t of OpenGL's table of cube maps: an axis of x, y, z, and its sign.
var faces = [6]struct{ axis, sign, s, sSign, t, tSign int }{
	{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1}, {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1}, {2, -1, 0, -1, 1, -1},
}

// face returns the face of the largest coordinate; in ties z precedes y, then x.
func face(c [3]real) uint64 {
	best := 2
	for _, i := range []int{1, 0} {
		if reals.New().Abs(c[i]).Cmp(reals.New().Abs(c[best])) > 0 {
			best = i
		}
	}
	for i, f := range faces {
		if f.axis == best && (f.sign < 0) == (c[best].Sign() < 0) {
			return uint64(i)
		}
	}
	return 0
}

func signedBits(v uint64, sign int) uint64 {
	if sign < 0 {
		return v ^ 1<<31
	}
	return v
}

// fewFloats returns floats, often of few values so that some are equal in magnitude.
func fewFloats(rnd *rand.Rand) uint64 {
	if rnd.IntN(2) == 0 {
		return []uint64{0, 1 << 31, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 1}[rnd.IntN(7)]
	}
	return single.Edge(rnd)
}

// longest returns the largest magnitude, if none is a NaN.
func longest(cs ...real) (best real, nan bool) {
	for _, c := range cs {
		if c == nil {
			return nil, true
		}
		best = greater(best, reals.New().Abs(c))
	}
	return best, false
}

func faceBits(rnd *rand.Rand) uint64 { return uint64(rnd.IntN(6))<<29 | rnd.Uint64()&(1<<29-1) }

var cubes = []inst{
	{name: "CUBEFACE1", srcs: "fff", result: 'f', f: floats32(func(_ *operands, x, y, z real) real {
		best, nan := longest(x, y, z)
		switch {
		case nan:
			return nil
		case reals.IsInf(best):
			return reals.Of(1)
		case best.Cmp(reals.Of(0x1p-126)) < 0:
			return reals.Of(2)
		}
		return best
	})},
	{name: "CUBEFACE2", srcs: "fff", result: 'i', fills: [4]func(*rand.Rand) uint64{fewFloats, fewFloats, fewFloats}, f: func(o *operands) uint64 {
		c := [3]real{single.Read(o.a), single.Read(o.b), single.Read(o.c)}
		best, nan := longest(c[0], c[1], c[2])
		if nan {
			return 4 << 29
		}
		v := face(c) << 29
		if reals.IsInf(best) {
			v |= 1 << 16
		}
		return v
	}},
	{name: "CUBE_SSEL", srcs: "ffi", result: 'i', fills: [4]func(*rand.Rand) uint64{2: faceBits}, f: func(o *operands) uint64 {
		f := faces[min(o.c>>29, 5)]
		return signedBits([3]uint64{0: o.b, 2: o.a}[f.s], f.sSign)
	}},
	{name: "CUBE_TSEL", srcs: "ffi", result: 'i', fills: [4]func(*rand.Rand) uint64{2: faceBits}, f: func(o *operands) uint64 {
		f := faces[min(o.c>>29, 5)]
		return signedBits([3]uint64{1: o.a, 2: o.b}[f.t], f.tSign)
	}},
}

func TestCubes(t *testing.T) { checkAll(t, cubes) }
