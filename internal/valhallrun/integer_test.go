package valhallrun

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Integers by the formulas of docs/reference/valhall.md 10.2, with arithmetic that does not overflow.

// intKinds are kinds of sources of integers: x four bytes that are swizzled; q and Q 64 bits, zero- and sign-extended,
// r 64 bits unchanged; c two halves, each of which may be either; j one half of two; s the first of the amounts of a
// shift, u two of them, y four; t and z what is combined with a shifted number, of 32 and of 64 bits.
var intKinds = map[rune]*kind{
	'x': {lanes: swizzled8(), fill: words},
	'q': {lanes: widened64(false), fill: pairs, pair: true},
	'Q': {lanes: widened64(true), fill: pairs, pair: true},
	'o': {lanes: append(widened64(false), taking(".w1", 32, 64, false, 1)), fill: pairs, pair: true},
	'O': {lanes: append(widened64(true), taking(".w1", 32, 64, true, 1)), fill: pairs, pair: true},
	'r': {lanes: []lane{plain}, fill: pairs, pair: true},
	'c': {lanes: halves, fill: words},
	'j': {lanes: lowOf(false, 16), fill: words},
	's': {lanes: amountLanes(1), fill: words},
	'u': {lanes: amountLanes(2), fill: words},
	'y': {lanes: amountLanes(4), fill: words},
	't': {lanes: []lane{plain}, fill: words, not: true},
	'z': {lanes: []lane{plain}, fill: pairs, pair: true, not: true},
}

func init() {
	for letter, k := range intKinds {
		kinds[letter] = k
	}
}

// pairs returns random bits of two words.
func pairs(rnd *rand.Rand) uint64 { return words(rnd)<<32 | words(rnd) }

func swizzled8() []lane {
	ls := []lane{plain}
	for _, at := range [][4]int{{3, 2, 1, 0}, {0, 1, 0, 1}, {2, 3, 2, 3}, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}, {2, 3, 0, 1},
		{1, 0, 3, 2}, {0, 0, 1, 1}, {2, 2, 3, 3}} {
		ls = append(ls, taking(fmt.Sprintf(".b%d%d%d%d", at[0], at[1], at[2], at[3]), 8, 8, false, at[:]...))
	}
	return ls
}

func widened64(signed bool) []lane {
	ls := []lane{plain, plain, taking(".w0", 32, 64, signed, 0)}
	for i := range 2 {
		ls = append(ls, taking(fmt.Sprintf(".h%d", i), 16, 64, signed, i))
	}
	for i := range 4 {
		ls = append(ls, taking(fmt.Sprintf(".b%d", i), 8, 64, signed, i))
	}
	return ls
}

// amountLanes returns the bytes from which shifts of one, two or four elements take their amounts; one byte per
// element.
func amountLanes(elements int) (ls []lane) {
	for _, p := range [][2]int{{0, 2}, {0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {2, 3}} {
		at := map[int][]int{1: {p[0]}, 2: {p[0], p[1]}, 4: {p[0], p[0], p[1], p[1]}}[elements]
		if elements == 4 && p == [2]int{0, 2} {
			at = []int{0, 1, 2, 3}
		}
		ls = append(ls, taking(fmt.Sprintf(".b%d%d", p[0], p[1]), 8, 8, false, at...))
	}
	if elements < 4 {
		return ls
	}
	for _, at := range [][4]int{{3, 2, 1, 0}, {0, 1, 0, 1}, {2, 3, 2, 3}, {2, 3, 0, 1}, {1, 0, 3, 2}} {
		ls = append(ls, taking(fmt.Sprintf(".b%d%d%d%d", at[0], at[1], at[2], at[3]), 8, 8, false, at[:]...))
	}
	return ls
}

// numberOf returns the number in the low n bits of v.
func numberOf(v uint64, n int, signed bool) *big.Int {
	v &= ^uint64(0) >> (64 - n)
	x := new(big.Int).SetUint64(v)
	if signed && v>>(n-1) != 0 {
		x.Sub(x, power(n))
	}
	return x
}

func power(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// cut returns a number modulo 2^n, limited the nearest number of n bits.
func cut(x *big.Int, n int) uint64 { return new(big.Int).Mod(x, power(n)).Uint64() }

func limited(x *big.Int, n int, signed bool) uint64 {
	low, high := new(big.Int), new(big.Int).Sub(power(n), big.NewInt(1))
	if signed {
		low, high = new(big.Int).Neg(power(n-1)), new(big.Int).Sub(power(n-1), big.NewInt(1))
	}
	switch {
	case x.Cmp(low) < 0:
		x = low
	case x.Cmp(high) > 0:
		x = high
	}
	return cut(x, n)
}

// elements applies f to each n bits of words, or of pairs of words.
func elements(n, width int, f func(a, b, c uint64) uint64) func(o *operands) uint64 {
	return func(o *operands) (v uint64) {
		all := ^uint64(0) >> (64 - n)
		for at := 0; at < width; at += n {
			v |= f(o.a>>at&all, o.b>>at&all, o.c>>at&all) & all << at
		}
		return v
	}
}

// numbers returns a formula of two numbers of n bits each: modulo 2^n, or with saturate clamped.
func numbers(n, width int, signed bool, f func(x, y *big.Int) *big.Int) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		return elements(n, width, func(a, b, _ uint64) uint64 {
			x := f(numberOf(a, n, signed), numberOf(b, n, signed))
			if o.has("saturate") {
				return limited(x, n, signed)
			}
			return cut(x, n)
		})(o)
	}
}

func add(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
func sub(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }
func mul(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }

// A shape is an integer type: its suffix, its bits, those of all elements, its sources and result.
type shape struct {
	name    string
	n, all  int
	signed  bool
	srcs    string
	product string // suffix of its product; none: there is no such row
}

var shapes = []shape{
	{"u32", 32, 32, false, "ww", "i32"}, {"s32", 32, 32, true, "WW", "s32"},
	{"v2u16", 16, 32, false, "vv", "v2i16"}, {"v2s16", 16, 32, true, "VV", "v2s16"},
	{"v4u8", 8, 32, false, "xx", "v4i8"}, {"v4s8", 8, 32, true, "xx", "v4s8"},
	{"u64", 64, 64, false, "qo", ""}, {"s64", 64, 64, true, "QO", ""},
}

func (s *shape) result() byte {
	if s.all == 64 {
		return 'q'
	}
	return 'i'
}

func TestSums(t *testing.T) {
	var list []inst
	for _, s := range shapes {
		list = append(list,
			inst{name: "IADD." + s.name, mods: []string{"- saturate"}, srcs: s.srcs, result: s.result(), f: numbers(s.n, s.all, s.signed, add)},
			inst{name: "ISUB." + s.name, mods: []string{"- saturate"}, srcs: s.srcs, result: s.result(), f: numbers(s.n, s.all, s.signed, sub)})
		if s.product == "" {
			continue
		}
		list = append(list,
			inst{name: "IMUL." + s.product, mods: []string{"- saturate"}, srcs: s.srcs, result: 'i', f: numbers(s.n, s.all, s.signed, mul)},
			inst{name: "HADD." + s.name, mods: []string{"- rhadd"}, srcs: s.srcs, result: 'i', f: func(o *operands) uint64 {
				return numbers(s.n, s.all, s.signed, func(x, y *big.Int) *big.Int {
					z := add(x, y)
					if o.has("rhadd") {
						z.Add(z, big.NewInt(1))
					}
					return z.Rsh(z, 1) // towards minus infinity
				})(o)
			}})
	}
	for name, f := range map[string]func(a, b uint64) uint64{"AND_IMM.i32": func(a, b uint64) uint64 { return a & b },
		"OR_IMM.i32": func(a, b uint64) uint64 { return a | b }, "XOR_IMM.i32": func(a, b uint64) uint64 { return a ^ b }} {
		list = append(list, inst{name: name, srcs: "i", imm: "#0x%X", bits: 32, result: 'i', variant: "v11", f: func(o *operands) uint64 { return f(o.a, o.imm) }})
	}
	for name, n := range map[string]int{"IADD_IMM.i32": 32, "IADD_IMM.v2i16": 16, "IADD_IMM.v4i8": 8} {
		list = append(list, inst{name: name, srcs: "i", imm: "#0x%X", bits: 32, result: 'i', f: func(o *operands) uint64 {
			p := *o
			p.b = o.imm
			return numbers(n, 32, false, add)(&p)
		}})
	}
	checkAll(t, list)
}

// unary returns a formula of one number.
func unary(n int, f func(a uint64) uint64) func(o *operands) uint64 {
	return elements(n, 32, func(a, _, _ uint64) uint64 { return f(a) })
}

// zeros returns the leading zeros of elements of n bits; with mask all ones for an element that is 0.
func zeros(n int) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		return unary(n, func(a uint64) uint64 {
			if a == 0 && o.has("mask") {
				return 1<<n - 1
			}
			return zerosAbove(n)(a)
		})(o)
	}
}

// zerosAbove counts the leading zeros of n bits.
func zerosAbove(n int) func(a uint64) uint64 {
	return func(a uint64) uint64 {
		count := uint64(0)
		for at := n - 1; at >= 0 && a>>at&1 == 0; at-- {
			count++
		}
		return count
	}
}

// absolute returns the absolute value of a signed number of n bits; that of the least one is itself.
func absolute(n int) func(a uint64) uint64 {
	return func(a uint64) uint64 { return new(big.Int).Abs(numberOf(a, n, true)).Uint64() }
}

func reversed(a uint64) (v uint64) {
	for i := range 32 {
		v |= a >> i & 1 << (31 - i)
	}
	return v
}

func TestUnaryIntegers(t *testing.T) {
	checkAll(t, []inst{
		{name: "MOV.i32", srcs: "i", result: 'i', f: func(o *operands) uint64 { return o.a }},
		{name: "CLZ.u32", mods: []string{"- mask"}, srcs: "i", result: 'i', f: zeros(32)},
		{name: "CLZ.v2u16", mods: []string{"- mask"}, srcs: "c", result: 'i', f: zeros(16)},
		{name: "CLZ.v4u8", mods: []string{"- mask"}, srcs: "i", result: 'i', f: zeros(8)},
		{name: "IABS.s32", srcs: "W", result: 'i', f: unary(32, absolute(32))},
		{name: "IABS.v2s16", srcs: "V", result: 'i', f: unary(16, absolute(16))},
		{name: "IABS.v4s8", srcs: "x", result: 'i', f: unary(8, absolute(8))},
		{name: "POPCOUNT.i32", srcs: "i", result: 'i', f: unary(32, func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })},
		{name: "BITREV.i32", srcs: "i", result: 'i', f: unary(32, reversed)},
		{name: "NOT_OLD.i32", srcs: "i", result: 'i', f: unary(32, func(a uint64) uint64 { return 0xffffffff - a })},
		{name: "NOT_OLD.i64", srcs: "r", result: 'q', f: func(o *operands) uint64 { return ^uint64(0) - o.a }},
	})
}

func TestVectorsOfIntegers(t *testing.T) {
	checkAll(t, []inst{
		{name: "MKVEC.v2i16", srcs: "jj", result: 'i', f: func(o *operands) uint64 { return o.a + o.b*0x10000 }},
		{name: "MKVEC.v2i8", srcs: "bbi", result: 'i', f: func(o *operands) uint64 { return o.a + o.b*0x100 + o.c%0x10000*0x10000 }},
		{name: "IDP.v4s8", mods: []string{"- saturate"}, srcs: "iii", result: 'i', f: dotOf(true)},
		{name: "IDP.v4u8", mods: []string{"- saturate"}, srcs: "iii", result: 'i', f: dotOf(false)},
	})
}

func dotOf(signed bool) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		x := numberOf(o.c, 32, signed)
		for at := 0; at < 32; at += 8 {
			x.Add(x, mul(numberOf(o.a>>at, 8, signed), numberOf(o.b>>at, 8, signed)))
		}
		if o.has("saturate") {
			return limited(x, 32, signed)
		}
		return cut(x, 32)
	}
}

// nullable returns pairs of which some are 0.
func nullable(rnd *rand.Rand) uint64 {
	if rnd.IntN(3) == 0 {
		return 0
	}
	return pairs(rnd)
}

func segment(null func(o *operands) uint64) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		switch {
		case o.has("preserve_null") && null(o) == 0:
			return 0
		case o.has("neg"):
			return cut(sub(numberOf(o.a, 64, false), numberOf(o.b, 64, false)), 64)
		}
		return cut(add(numberOf(o.a, 64, false), numberOf(o.b, 64, false)), 64)
	}
}

func segmentRow() inst {
	return inst{name: "SEG_ADD.u64", mods: []string{"- neg", "- preserve_null"}, srcs: "ro", result: 'q', f: segment(func(o *operands) uint64 { return o.a }),
		fills: [4]func(*rand.Rand) uint64{nullable, nullable}}
}

func TestWideIntegers(t *testing.T) {
	list := []inst{segmentRow(), {name: "IMULD.u64", mods: []string{"- saturate"}, srcs: "qq", result: 'q', f: func(o *operands) uint64 {
		return mul(numberOf(o.a, 32, false), numberOf(o.b, 32, false)).Uint64()
	}}, {name: "IMUL.s64", srcs: "QQ", result: 'q', f: func(o *operands) uint64 {
		return cut(mul(numberOf(o.a, 32, true), numberOf(o.b, 32, true)), 64)
	}}}
	for name, srcs := range map[string]string{"SHADDX.u64": "ro", "SHADDX.s64": "rO"} {
		list = append(list, inst{name: name, srcs: srcs, imm: "shift:0x%X", bits: 3, result: 'q', f: func(o *operands) uint64 {
			return cut(add(numberOf(o.a, 64, false), mul(numberOf(o.b, 64, false), power(int(o.imm)))), 64)
		}})
	}
	checkAll(t, list)
}
