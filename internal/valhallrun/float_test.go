package valhallrun

import (
	"testing"
)

// clamps and rounds are modifiers of floats.
const (
	clamps  = "- clamp_0_inf clamp_m1_1 clamp_0_1"
	rounds4 = "- rtp rtn rtz"
)

// rounding is the rounding mode that the mnemonic names.
func (o *operands) rounding() string {
	for _, m := range []string{"rtp", "rtn", "rtz"} {
		if o.has(m) {
			return m
		}
	}
	return "rte"
}

// clamp limits a value as the mnemonic says: a NaN becomes the lower limit, and a zero of a limit 0 is +0.
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
	case x == nil || x.Cmp(value(low)) < 0 || low == 0 && isZero(x):
		return value(low)
	case high == 1 && x.Cmp(value(high)) > 0:
		return value(high)
	}
	return x
}

// less orders numbers, and -0 below +0.
func less(x, y real) bool {
	if c := x.Cmp(y); c != 0 {
		return c < 0
	}
	return isNeg(x) && !isNeg(y)
}

// lesser and greater prefer numbers.
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

func product(x, y, z real) real { return plus(times(x, y), z) }

// floats32 is a formula of f32, floats16 of each element of v2f16.
func floats32(f func(x, y, z real) real) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		return single.near(o.clamp(readBack(single, f(single.read(o.a), single.read(o.b), single.read(o.c)))))
	}
}

func floats16(f func(x, y, z real) real) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		return both(func(a, b, c uint64) uint64 {
			return half.near(o.clamp(readBack(half, f(half.read(a), half.read(b), half.read(c)))))
		})(o)
	}
}

// readBack is the value rounded to a format.
func readBack(f format, x real) real { return f.read(f.near(x)) }

func first2(f func(x, y real) real) func(x, y, z real) real {
	return func(x, y, _ real) real { return f(x, y) }
}

func TestFloats(t *testing.T) {
	checkAll(t, []inst{
		{name: "FADD.f32", mods: []string{clamps}, srcs: "ff", result: 'f', f: floats32(first2(plus))},
		{name: "FMIN.f32", mods: []string{clamps}, srcs: "ff", result: 'f', f: floats32(first2(lesser))},
		{name: "FMAX.f32", mods: []string{clamps}, srcs: "ff", result: 'f', f: floats32(first2(greater))},
		{name: "FADD.v2f16", mods: []string{clamps}, srcs: "ee", result: 'e', f: floats16(first2(plus))},
		{name: "FMIN.v2f16", mods: []string{clamps}, srcs: "ee", result: 'e', f: floats16(first2(lesser))},
		{name: "FMAX.v2f16", mods: []string{clamps}, srcs: "ee", result: 'e', f: floats16(first2(greater))},
	})
}
