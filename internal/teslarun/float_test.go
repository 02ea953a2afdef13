package teslarun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/num"
)

// Instructions of f32 by the formulas of docs/reference/tesla.md 7.3 to 7.5, in exact arithmetic.

const (
	nan32 = 0x7fffffff
	sign  = uint64(1) << 31
	one32 = 0x3f800000
)

// finish returns a result of f32: rounded with unlimited exponents, then flushed.
func finish(x exact, mode int) uint64 {
	x = x.cut(24, mode)
	if x.m != nil && x.high() <= -126 {
		x.m.SetUint64(0)
	}
	return single.write(x, mode, nan32)
}

// onGrid returns a result of f32, rounded to the precision of denormals, then flushed.
func onGrid(x exact) uint64 {
	v := single.write(x, rn, nan32)
	if v>>23&0xff == 0 {
		v &= sign
	}
	return v
}

// saturated clamps an f32 to 0 and 1.
func saturated(v uint64, sat bool) uint64 {
	x := single.read(v)
	switch {
	case !sat || x.nan:
		return v
	case x.neg || x.zero():
		return 0
	case v > one32:
		return one32
	}
	return v
}

// flags returns the flags of a comparison of a float with 0.
func (f format) flags(v uint64) uint8 {
	x := f.read(v)
	switch {
	case x.nan:
		return flagZ | flagS
	case x.zero():
		return flagZ
	case x.neg:
		return flagS
	}
	return 0
}

// flagged returns a result and its flags.
func flagged(v uint64) (uint64, uint8) { return v, single.flags(v) }

// A signs is abs and neg of a source: their text, and their effect on a pattern.
type signs int

const (
	negated signs = 1 << iota
	magnitude
)

func (s signs) text() string {
	return []string{"", "neg ", "abs ", "neg abs "}[s]
}

func (s signs) of(v uint64, bits int) uint64 {
	top := uint64(1) << (bits - 1)
	if s&magnitude != 0 {
		v &^= top
	}
	if s&negated != 0 {
		v ^= top
	}
	return v
}

func sums() (list []inst) {
	for i := range 8 {
		n1, n2, sat := signs(i&1), signs(i>>1&1), i&4 != 0
		word := []string{"", "sat "}[i>>2]
		add := func(mode int) func(o *operands) (uint64, uint8) {
			return func(o *operands) (uint64, uint8) {
				return flagged(saturated(finish(single.flushed(n1.of(o.a, 32)).plus(single.flushed(n2.of(o.b, 32)), false), mode), sat))
			}
		}
		mul := func(mode int) func(o *operands) (uint64, uint8) {
			return func(o *operands) (uint64, uint8) {
				return flagged(saturated(finish(single.flushed(n1.of(o.a, 32)).times(single.flushed(n2.of(o.b, 32))), mode), sat))
			}
		}
		from := tesla.G80
		if sat {
			from = tesla.G200
		}
		list = append(list,
			inst{text: fmt.Sprintf("add %sf32 {D} %s{A} %s{B}", word, n1.text(), n2.text()), types: "fff-", can: "SIMCL", f: add(rn)},
			inst{text: fmt.Sprintf("mul %sf32 {D} %s{A} %s{B}", word, n1.text(), n2.text()), types: "fff-", can: "SIMCL", f: mul(rn), from: from})
		for mode, name := range map[int]string{rn: "rn", rz: "rz"} {
			list = append(list,
				inst{text: fmt.Sprintf("add %s%s f32 {C}{D} %s{A} %s{B}", word, name, n1.text(), n2.text()), types: "fff-", can: "MCOFT", f: add(mode)},
				inst{text: fmt.Sprintf("mul %s%s f32 {C}{D} %s{A} %s{B}", word, name, n1.text(), n2.text()), types: "fff-", can: "MCOF", f: mul(mode), from: from})
		}
		list = append(list, inst{text: fmt.Sprintf("add %sf32 {C}{D} %s(mul {A} {B}) %s{K}", word, n1.text(), n2.text()), types: "ffff", can: "SIXMCKOF",
			f: func(o *operands) (uint64, uint8) {
				return flagged(saturated(multiplyAdd(n1.of(o.a, 32), o.b, n2.of(o.k, 32)), sat))
			}})
	}
	return list
}

// multiplyAdd truncates the product, unless one of the three operands is a zero.
func multiplyAdd(a, b, c uint64) uint64 {
	x, y, z := single.flushed(a), single.flushed(b), single.flushed(c)
	p := x.times(y)
	if x.zero() || y.zero() || z.zero() {
		return finish(single.read(finish(p, rn)).plus(z, false), rn)
	}
	return onGrid(p.cut(24, rz).plus(z, false))
}

var floatSets = []string{"never", "l", "e", "le", "g", "lg", "ge", "lge", "u", "lu", "eu", "leu", "gu", "lgu", "geu", "always"}

// inSet compares by a set with l 1, e 2, g 4, u 8.
func inSet(set int, x, y exact) bool {
	switch {
	case x.nan || y.nan:
		return set&8 != 0
	case less(x, y):
		return set&1 != 0
	case less(y, x):
		return set&4 != 0
	}
	return set&2 != 0
}

// ones returns the result of a comparison.
func ones(when bool) (uint64, uint8) {
	if when {
		return 0xffffffff, flagS
	}
	return 0, flagZ
}

func floatChoices() (list []inst) {
	for set, name := range floatSets {
		m1, m2 := signs(set&3), signs(set>>2&3)
		list = append(list, inst{text: fmt.Sprintf("set {C}{D} %s f32 %s{A} %s{B}", name, m1.text(), m2.text()), types: "fff-", can: "MCOF",
			f: func(o *operands) (uint64, uint8) {
				return ones(inSet(set, single.flushed(m1.of(o.a, 32)), single.flushed(m2.of(o.b, 32))))
			}})
		for _, op := range []string{"min", "max"} {
			list = append(list, inst{text: fmt.Sprintf("%s f32 {C}{D} %s{A} %s{B}", op, m1.text(), m2.text()), types: "fff-", can: "MCOF",
				f: func(o *operands) (uint64, uint8) {
					return flagged(finish(chosen(op, single.flushed(m1.of(o.a, 32)), single.flushed(m2.of(o.b, 32))), rn))
				}})
		}
	}
	for n := range signs(2) {
		list = append(list, inst{text: "slct b32 {C}{D} {A} {B} f32 " + n.text() + "{K}", types: "wwwf", can: "MCKOF", f: func(o *operands) (uint64, uint8) {
			v := o.a
			if c := single.flushed(n.of(o.k, 32)); c.nan || c.neg && !c.zero() {
				v = o.b
			}
			switch {
			case v&^sign == 0:
				return v, flagZ
			case v&sign != 0:
				return v, flagS
			}
			return v, 0
		}})
	}
	return list
}

// chosen returns min or max: a number is preferred to a NaN; -0 is below 0.
func chosen(op string, x, y exact) exact {
	switch {
	case x.nan:
		return y
	case y.nan:
		return x
	}
	if below := less(x, y) || !less(y, x) && x.neg && !y.neg; below == (op == "min") {
		return x
	}
	return y
}

// functions returns the special functions. Tests of package num compare their values with the published tables; here
// their forms are tested.
func functions() (list []inst) {
	for m := range signs(4) {
		long := "{D} " + m.text() + "{A}"
		list = append(list,
			inst{text: "rcp f32 " + long, types: "ff--", can: "SO", f: special(num.TeslaRcp, m, false)},
			inst{text: "rsqrt f32 " + long, types: "ff--", can: "O", f: special(num.TeslaRsqrt, m, false)},
			inst{text: "lg2 f32 " + long, types: "ff--", can: "O", f: special(num.TeslaLg2, m, false)},
			inst{text: "presin f32 " + long, types: "ff--", can: "MO", f: special(num.TeslaPreSin, m, false)},
			inst{text: "preex2 f32 " + long, types: "ff--", can: "MO", f: special(num.TeslaPreEx2, m, false)})
	}
	return append(list,
		inst{text: "sin f32 {D} {A}", types: "ww--", can: "O", f: special(num.TeslaSin, 0, false)},
		inst{text: "cos f32 {D} {A}", types: "ww--", can: "O", f: special(num.TeslaCos, 0, false)},
		inst{text: "ex2 f32 {D} {A}", types: "ww--", can: "O", f: special(num.TeslaEx2, 0, false)},
		inst{text: "ex2 f32 sat {D} {A}", types: "ww--", can: "O", f: special(num.TeslaEx2, 0, true)})
}

func special(f num.SFU, m signs, sat bool) func(o *operands) (uint64, uint8) {
	return func(o *operands) (uint64, uint8) {
		return saturated(uint64(f.Of(uint32(m.of(o.a, 32)))), sat), 0
	}
}

func TestFloats(t *testing.T) { runAll(t, append(sums(), floatChoices()...), 4) }

func TestSpecialFunctions(t *testing.T) { runAll(t, functions(), 4) }

// TestMultiplyAdd: values that distinguish one rounding from two, and both from what the chip does.
func TestMultiplyAdd(t *testing.T) {
	for _, c := range []struct{ a, b, c, want uint64 }{
		{0x3f800001, 0x3f800001, 0xbf800000, 0x34800000}, // (1+u)^2 - 1: u^2 is truncated
		// The rounded product is larger by 2^-22 than the truncated one, which is equal.
		{0x3fffffff, 0x3fffffff, 0xc07ffffe, 0},
		{0x7f000000, 0x40000000, 0xff000000, 0x7f000000}, // the product is above the largest number, the sum is not
		{0x7f000000, 0x40000000, 0xff7fffff, 0x73800000}, // but here it is in range again
		{0x00800000, 0x3f000000, 0x00800000, 0x00c00000}, // a product that is a denormal is kept
		{0x00800000, 0x3f000000, 0, 0},                   // unless the addend is a zero
		{0x80000000, 0x3f800000, 0x80000000, 0x80000000}, // zeros
		{0x00000001, 0x7f800000, 0x3f800000, nan32},      // a denormal is a zero
	} {
		w := newWarp(t, tesla.G80, tesla.CP)
		for i, v := range []uint64{c.a, c.b, c.c} {
			w.set(8+i, always(uint32(v)))
		}
		w.run("long add f32 $r4 (mul $r8 $r9) $r10")
		if got := w.st.Get(reg(4), 0); got != uint32(c.want) || multiplyAdd(c.a, c.b, c.c) != c.want {
			t.Errorf("%08x * %08x + %08x is %08x, by the formula %08x, want %08x", c.a, c.b, c.c, got, multiplyAdd(c.a, c.b, c.c), c.want)
		}
	}
}

// TestQuadop: every lane of the quad with its operation, from each selectable lane.
func TestQuadop(t *testing.T) {
	ops := []string{"add", "subr", "sub", "mov2"}
	for k, from := range []string{"l0", "l1", "l2", "l3", "dx", "dy"} {
		for shift := range 4 {
			w := newWarp(t, tesla.G80, tesla.FP)
			a := func(lane int) uint64 { return uint64(one32 + 0x12345*lane*lane) }
			b := func(lane int) uint64 { return uint64(0xc0000000 + 0x54321*lane) }
			w.set(8, func(lane int) uint32 { return uint32(a(lane)) })
			w.set(9, func(lane int) uint32 { return uint32(b(lane)) })
			at := func(i int) string { return ops[(i+shift)%4] }
			w.run(fmt.Sprintf("quadop f32 %s %s %s %s $c1 $r4 %s $r8 $r9", at(0), at(1), at(2), at(3), from))
			want := func(lane int) uint64 {
				other := lane&^3 | k
				if k >= 4 {
					other = lane ^ (k - 3)
				}
				x, y := single.read(a(other)), single.read(b(lane))
				switch at(lane & 3) {
				case "sub":
					y = y.negate(true)
				case "subr":
					x = x.negate(true)
				case "mov2":
					x = single.read(0)
				}
				return finish(x.plus(y, false), rn)
			}
			w.want(4, func(lane int) uint32 { return uint32(want(lane)) })
			w.wantFlags(1, func(lane int) uint8 { return single.flags(want(lane)) })
		}
	}
	w := newWarp(t, tesla.G80, tesla.CP)
	w.set(8, always(one32))
	w.set(4, always(5))
	w.run("quadop f32 add add add add $r4 dx $r8 $r8")
	w.want(4, always(0))
}

// TestQuadopOfOthers: the value of a thread whose predicate is false is still read, and so is that of a thread not on
// this path.
func TestQuadopOfOthers(t *testing.T) {
	w := newWarp(t, tesla.G80, tesla.FP)
	w.set(1, thread)
	w.set(8, func(lane int) uint32 { return one32 + uint32(lane)<<16 })
	w.setFlags(0, func(lane int) uint8 { return uint8(lane & 1) }) // Z
	w.run("(e $c0) quadop f32 add add add add $r4 dx $r8 $r20")
	w.want(4, func(lane int) uint32 {
		if lane&1 != 0 {
			return one32 + uint32(lane^1)<<16
		}
		return 0
	})
}

// TestFloatTexts: each instruction has a formula, so that missing ones are noticed.
func TestFloatTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range append(append(sums(), floatChoices()...), functions()...) {
		seen[strings.Fields(n.text)[0]] = true
	}
	for _, name := range strings.Fields("add mul set min max slct rcp rsqrt lg2 presin preex2 sin cos ex2") {
		if !seen[name] {
			t.Errorf("%s has no formula", name)
		}
	}
}
