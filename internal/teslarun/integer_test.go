package teslarun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/tesla"
)

// Integer instructions by the formulas of docs/reference/tesla.md 6, with arithmetic that does not overflow.

// signedOf sign-extends n bits.
func signedOf(v uint64, n int) int64 { return int64(v<<(64-n)) >> (64 - n) }

// low returns a number modulo 2^n.
func low(v int64, n int) uint64 { return uint64(v) & (1<<n - 1) }

// zs returns the zero and sign flags of n bits.
func zs(v uint64, n int) (f uint8) {
	if v == 0 {
		f = flagZ
	}
	if v>>(n-1)&1 != 0 {
		f |= flagS
	}
	return f
}

// sum returns the addition of 6.1: its result and flags, with carry in.
func sum(op string, a, b uint64, flags uint8, n int, sat bool) (uint64, uint8) {
	carry := int64(0)
	switch op {
	case "sub":
		b, carry = low(^int64(b), n), 1
	case "subr":
		a, carry = low(^int64(a), n), 1
	case "addc":
		carry = int64(flags >> 2 & 1)
	}
	whole := int64(a) + int64(b) + carry
	v, f := low(whole, n), uint8(0)
	if whole>>n != 0 {
		f |= flagC
	}
	if exact := signedOf(a, n) + signedOf(b, n) + carry; overflows(a, b, v, n) {
		f |= flagO
		if sat && exact > 0 {
			v = 1<<(n-1) - 1
		} else if sat {
			v = 1 << (n - 1)
		}
	}
	return v, f | zs(v, n)
}

// overflows reports whether both numbers have the same sign, and the sum the other.
func overflows(a, b, v uint64, n int) bool {
	s := func(x uint64) bool { return x>>(n-1)&1 != 0 }
	return s(a) == s(b) && s(a) != s(v)
}

// product returns the product of 6.2 and 6.3 by its name: u16, s16, u24, s24, the last two optionally with high.
func product(name string, a, b uint64) uint64 {
	var x, y int64
	switch name[len(name)-3:] {
	case "u16":
		x, y = int64(a&0xffff), int64(b&0xffff)
	case "s16":
		x, y = signedOf(a, 16), signedOf(b, 16)
	case "u24":
		x, y = int64(a&0xffffff), int64(b&0xffffff)
	case "s24":
		x, y = signedOf(a, 24), signedOf(b, 24)
	}
	if strings.HasPrefix(name, "high") {
		return low(x*y>>16, 32)
	}
	return low(x*y, 32)
}

var additions = []string{"add", "sub", "subr", "addc"}

func integers() (list []inst) {
	for _, op := range additions {
		tail := ""
		if op == "addc" {
			tail = " {Y}"
		}
		for _, sat := range []bool{false, true} {
			word := ""
			if sat {
				word = "sat "
			}
			for _, n := range []int{16, 32} {
				types, size := "www-", fmt.Sprintf("b%d", n)
				if n == 16 {
					types = "hhh-"
				}
				f := func(o *operands) (uint64, uint8) { return sum(op, o.a, o.b, o.flags, n, sat) }
				list = append(list,
					inst{text: fmt.Sprintf("%s %s%s {D} {A} {B}%s", op, word, size, tail), types: types, can: "SIMCL", f: f},
					inst{text: fmt.Sprintf("%s %s %s{C}{D} {A} {B}%s", op, size, word, tail), types: types, can: "MCOFT", f: f})
			}
		}
		list = append(list, multiplyAdds(op, tail)...)
	}
	return append(append(list, products()...), append(compares(), bitwise()...)...)
}

// multiplyAdds returns the multiply-adds with one addition.
func multiplyAdds(op, tail string) (list []inst) {
	for _, p := range []struct{ name, can string }{{"u16", "SIX"}, {"s16", "SIX"}, {"sat s16", "SIX"}, {"u24", "SIX"},
		{"s24", ""}, {"sat s24", ""}, {"high u24", ""}, {"high s24", ""}, {"sat high s24", ""}} {
		name, sat := strings.CutPrefix(p.name, "sat ")
		types, word := "wwww", ""
		if strings.HasSuffix(name, "s16") {
			types = "wssw"
		} else if strings.HasSuffix(name, "u16") {
			types = "whhw"
		}
		if sat {
			word = "sat "
		}
		list = append(list, inst{text: fmt.Sprintf("%s %s{C}{D} (mul %s {A} {B}) {K}%s", op, word, name, tail), types: types, can: "MCKOF" + p.can,
			f: func(o *operands) (uint64, uint8) { return sum(op, product(name, o.a, o.b), o.k, o.flags, 32, sat) }})
	}
	return list
}

// products returns mul and sad.
func products() (list []inst) {
	for _, s1 := range []string{"u16", "s16"} {
		for _, s2 := range []string{"u16", "s16"} {
			types := "w" + strings.NewReplacer("u16", "h", "s16", "s").Replace(s1+s2) + "-"
			list = append(list, inst{text: fmt.Sprintf("mul {C}{D} %s {A} %s {B}", s1, s2), types: types, can: "SIMCOF", f: func(o *operands) (uint64, uint8) {
				x, y := int64(o.a), int64(o.b)
				if s1[0] == 's' {
					x = signedOf(o.a, 16)
				}
				if s2[0] == 's' {
					y = signedOf(o.b, 16)
				}
				v := low(x*y, 32)
				return v, zs(v, 32)
			}})
		}
	}
	for _, name := range []string{"u24", "s24", "high u24", "high s24"} {
		list = append(list, inst{text: "mul {C}{D} " + name + " {A} {B}", types: "www-", can: "SIMCOF", f: func(o *operands) (uint64, uint8) {
			v := product(name, o.a, o.b)
			return v, zs(v, 32)
		}})
	}
	for _, name := range []string{"u16", "s16", "u32", "s32"} {
		n := bitsOf(name)
		types := map[string]string{"u16": "whhw", "s16": "wssw"}[name]
		if n == 32 {
			types = "wwww"
		}
		f := func(o *operands) (uint64, uint8) {
			x, y := number64(name, o.a), number64(name, o.b)
			return sum("add", low(max(x-y, y-x), 32), o.k, 0, 32, false)
		}
		list = append(list, inst{text: "sad {C}{D} " + name + " {A} {B} {K}", types: types, can: "MCKOF", f: f},
			inst{text: "sad {D} " + name + " {A} {B} {K}", types: types, can: "SXL", f: f})
	}
	return list
}

func bitsOf(name string) int {
	if strings.HasSuffix(name, "16") {
		return 16
	}
	return 32
}

// number64 returns the number in the bits of u16, s16, u32 or s32.
func number64(name string, v uint64) int64 {
	if name[0] == 's' {
		return signedOf(v, bitsOf(name))
	}
	return int64(v)
}

// compares are min, max and set of integers.
func compares() (list []inst) {
	for _, name := range []string{"u16", "s16", "u32", "s32"} {
		n := bitsOf(name)
		types := map[string]string{"u16": "hhh-", "s16": "sss-"}[name]
		if n == 32 {
			types = "www-"
		}
		for _, op := range []string{"min", "max"} {
			list = append(list, inst{text: op + " " + name + " {C}{D} {A} {B}", types: types, can: "MCOF", f: func(o *operands) (uint64, uint8) {
				v := o.a
				if (number64(name, o.b) < number64(name, o.a)) == (op == "min") {
					v = o.b
				}
				return v, zs(v, n)
			}})
		}
		for set, cond := range []string{"never", "l", "e", "le", "g", "lg", "ge", "always"} {
			list = append(list, inst{text: "set {C}{D} " + cond + " " + name + " {A} {B}", types: types, can: "MCOF", f: func(o *operands) (v uint64, f uint8) {
				x, y := number64(name, o.a), number64(name, o.b)
				if x < y && set&1 != 0 || x == y && set&2 != 0 || x > y && set&4 != 0 {
					v = 1<<n - 1
				}
				return v, zs(v, n)
			}})
		}
	}
	return list
}

// bitwise are logic and shifts.
func bitwise() (list []inst) {
	logic := map[string]func(a, b uint64) uint64{
		"and": func(a, b uint64) uint64 { return a & b }, "or": func(a, b uint64) uint64 { return a | b },
		"xor": func(a, b uint64) uint64 { return a ^ b }, "mov2": func(_, b uint64) uint64 { return b },
	}
	for op, of := range logic {
		for _, n := range []int{16, 32} {
			types := map[int]string{16: "hhh-", 32: "www-"}[n]
			for not := range 4 {
				n1, n2 := []string{"", "not "}[not&1], []string{"", "not "}[not>>1]
				f := func(o *operands) (uint64, uint8) {
					a, b := int64(o.a), int64(o.b)
					if not&1 != 0 {
						a = ^a
					}
					if not&2 != 0 {
						b = ^b
					}
					v := low(int64(of(uint64(a), uint64(b))), n)
					return v, zs(v, n)
				}
				can := "MCOF"
				if n == 32 && not < 2 {
					can += "I"
				}
				list = append(list, inst{text: fmt.Sprintf("%s b%d {C}{D} %s{A} %s{B}", op, n, n1, n2), types: types, can: can, f: f})
			}
		}
	}
	for _, name := range []string{"b16", "b32", "u16", "u32", "s16", "s32"} {
		n, op := bitsOf(name), "shr"
		if name[0] == 'b' {
			op = "shl"
		}
		types := map[int]string{16: "hhh-", 32: "www-"}[n]
		if name == "s16" {
			types = "ssh-"
		}
		list = append(list, inst{text: op + " " + name + " {C}{D} {A} {B}", types: types, can: "MCOF", f: func(o *operands) (uint64, uint8) {
			return shifted(op, name, o.a, o.b)
		}})
		for _, count := range []uint64{0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 127} {
			list = append(list, inst{text: fmt.Sprintf("%s %s {C}{D} {A} %#x", op, name, count), types: types[:2] + "--", can: "MOF",
				f: func(o *operands) (uint64, uint8) { return shifted(op, name, o.a, count) }})
		}
	}
	return list
}

// shifted returns a shift, computed bit by bit.
func shifted(op, name string, a, count uint64) (uint64, uint8) {
	n, v, out := bitsOf(name), a, uint64(0)
	top := uint64(1) << (n - 1)
	for range min(count, uint64(n)) {
		if op == "shl" {
			out, v = v>>(n-1), v<<1&(1<<n-1)
			continue
		}
		out = v & 1
		v = v >> 1
		if name[0] == 's' {
			v |= v << 1 & top
		}
	}
	f := zs(v, n)
	if out != 0 && count < uint64(n) {
		f |= flagC
	}
	if count == 1 && v&top != a&top {
		f |= flagO
	}
	return v, f
}

// TestIntegers: every integer instruction in all forms, on the oldest variant, and its text with registers on all.
func TestIntegers(t *testing.T) {
	runAll(t, integers(), 3)
}

// runAll checks instructions on the oldest variant that has them, and a form or two on the newer ones.
func runAll(t *testing.T, list []inst, rounds int) {
	t.Helper()
	if testing.Short() { // once is enough
		rounds = 1
	}
	for i := range list {
		for v := range tesla.Set().Variants {
			switch {
			case v == list[i].from:
				list[i].check(t, v, rounds)
			case v > list[i].from && !list[i].only:
				list[i].glance(t, v)
			}
		}
	}
}
