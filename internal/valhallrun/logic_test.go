package valhallrun

import (
	"math/rand/v2"
	"testing"
)

// Shifts and bitwise selection, by the formulas of docs/reference/valhall.md 10.2.

// logicOps are the operations after a shift.
var logicOps = map[string]func(a, c bool) bool{
	"AND": func(a, c bool) bool { return a && c },
	"OR":  func(a, c bool) bool { return a || c },
	"XOR": func(a, c bool) bool { return a != c },
}

// shiftedBit returns bit i of n bits that are shifted by an amount, modulo n: bits shifted in are 0, copies of the
// sign, or in rotations the bits shifted out.
func shiftedBit(a uint64, i, n int, amount uint64, how string, signed bool) bool {
	by := int(amount % uint64(n))
	from := i + by
	if how[0] == 'L' {
		from = i - by
	}
	switch {
	case how == "LROT" || how == "RROT":
		from = (from + n) % n
	case from < 0:
		return false
	case from >= n && signed:
		from = n - 1
	case from >= n:
		return false
	}
	return a>>from&1 != 0
}

// logicOf returns a shift of elements of n bits followed by an operation, bit by bit. Amounts are one byte per element.
func logicOf(n, width int, how string, op func(a, c bool) bool) func(o *operands) uint64 {
	return func(o *operands) (v uint64) {
		for at := 0; at < width; at += n {
			amount := o.b >> (8 * (at / n)) & 0xff
			for i := range n {
				if op(shiftedBit(o.a>>at, i, n, amount, how, o.has("signed")), o.c>>(at+i)&1 != 0) != o.has("not_result") {
					v |= 1 << (at + i)
				}
			}
		}
		return v
	}
}

// shiftShapes are the sizes of elements, and the texts of sources.
var shiftShapes = []struct {
	name   string
	n, all int
	srcs   string
	result byte
}{{"i32", 32, 32, "wst", 'i'}, {"v2i16", 16, 32, "vut", 'i'}, {"v4i8", 8, 32, "xyt", 'i'}, {"i64", 64, 64, "qsz", 'q'}}

func shiftRows() (list []inst) {
	for op, f := range logicOps {
		for _, s := range shiftShapes {
			for _, how := range []string{"RSHIFT", "LSHIFT", "RROT", "LROT"} {
				mods := []string{"- not_result"}
				if how == "RSHIFT" {
					mods = []string{"- signed", "- not_result"}
				}
				list = append(list, inst{name: how + "_" + op + "." + s.name, mods: mods, srcs: s.srcs, result: s.result, f: logicOf(s.n, s.all, how, f)})
			}
		}
	}
	return list
}

func TestShifts(t *testing.T) { checkAll(t, shiftRows()) }

// muxOf selects by elements of n bits, or bit by bit.
func muxOf(n int) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		sign := uint64(1) << (n - 1)
		return elements(n, 32, func(a, b, c uint64) uint64 {
			first := c == 0
			switch {
			case o.has("bit"):
				v := uint64(0)
				for i := range n {
					from := b
					if c>>i&1 != 0 {
						from = a
					}
					v |= from & (1 << i)
				}
				return v
			case o.has("neg"):
				first = c >= sign
			case o.has("fp_zero"):
				first = c == 0 || c == sign
			}
			if first {
				return a
			}
			return b
		})(o)
	}
}

// selectors returns words whose halves and bytes are often 0, only a sign, or subnormal.
func selectors(rnd *rand.Rand) (v uint64) {
	if rnd.IntN(3) == 0 {
		return []uint64{0, 0x80000000, 1, 0x80000001}[rnd.IntN(4)]
	}
	for at := 0; at < 32; at += 16 {
		v |= []uint64{0, 0x8000, 1, 0x80, 0x8080, 0x3c00, 0xffff, uint64(rnd.Uint32() & 0xffff)}[rnd.IntN(8)] << at
	}
	return v
}

func muxRows() []inst {
	fills := [4]func(*rand.Rand) uint64{2: selectors}
	all := []string{"neg - fp_zero bit"}
	return []inst{
		{name: "MUX.i32", mods: all, srcs: "iii", result: 'i', f: muxOf(32), fills: fills},
		{name: "MUX.v2i16", mods: all, srcs: "ccc", result: 'i', f: muxOf(16), fills: fills},
		{name: "MUX.v4i8", mods: []string{"neg - bit"}, srcs: "iii", result: 'i', f: muxOf(8), fills: fills},
	}
}

func TestMux(t *testing.T) {
	checkAll(t, muxRows())
	traps(t, nil, "no source says", "MUX.v4i8.fp_zero r4, r8, r12, r16")
}
