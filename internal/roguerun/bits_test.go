package roguerun

import (
	"fmt"
	"math/big"
	mathbits "math/bits"
	"math/rand/v2"
	"testing"
)

// A unit is the results so far of the stages of the bit unit.
type unit struct{ ft0, ft1, ft2, ft3, ft4, ft5 uint32 }

// A piece is an instruction of one stage, and its effect on the feed-throughs. s0 to s2 are the sources of the first
// phase; the other phases have s3 and s4.
type piece struct {
	text string
	f    func(u *unit, s [5]uint32, p bool)
}

var masks = []piece{
	{"byp ft0, ft1, s0, s1", func(u *unit, s [5]uint32, _ bool) { u.ft0, u.ft1 = s[0], s[1] }},
	{"msk ft0, ft1, s0, s1", func(u *unit, s [5]uint32, _ bool) {
		n, from := s[0]%64, s[1]%64
		u.ft0, u.ft1 = (n+from+63)%64, maskOf(n, from)
	}},
	{"byp ft0, ft1, s0, 0xBEEF", func(u *unit, s [5]uint32, _ bool) { u.ft0, u.ft1 = s[0], 0xbeef }},
	{"byp ft0, ft1, s0, 0xDEADBEEF", func(u *unit, s [5]uint32, _ bool) { u.ft0, u.ft1 = s[0], 0xdeadbeef }},
}

// maskOf returns n ones from a bit on.
func maskOf(n, from uint32) uint32 {
	ones := new(big.Int).Lsh(big.NewInt(1), uint(n))
	ones.Sub(ones, big.NewInt(1)).Lsh(ones, uint(from))
	return uint32(modulo(ones, 32).Uint64())
}

var shifts1 = []piece{
	{"byp ft2, s2", func(u *unit, s [5]uint32, _ bool) { u.ft2 = s[2] }},
	{"lsl ft2, s2, s1", func(u *unit, s [5]uint32, _ bool) { u.ft2 = s[2] << (s[1] % 32) }},
	{"rev ft2, s2", func(u *unit, s [5]uint32, _ bool) { u.ft2 = mathbits.Reverse32(s[2]) }},
	{"shfl ft2, s2, s1", func(u *unit, s [5]uint32, _ bool) {
		u.ft2 = 0
		for i := range 16 {
			u.ft2 |= s[2]>>i&1<<(2*i) | s[1]>>i&1<<(2*i+1)
		}
	}},
}

var counts = []piece{
	{"cbs ft3, s2", func(u *unit, s [5]uint32, _ bool) { u.ft3 = uint32(mathbits.OnesCount32(s[2])) }},
	{"cbs ft3, ft2", func(u *unit, s [5]uint32, _ bool) { u.ft3 = uint32(mathbits.OnesCount32(u.ft2)) }},
	{"ftb ft3, s2", func(u *unit, s [5]uint32, _ bool) { u.ft3 = uint32(mathbits.Len32(s[2]) - 1) }},
	{"ftb ft3, ft2", func(u *unit, s [5]uint32, _ bool) { u.ft3 = uint32(mathbits.Len32(u.ft2) - 1) }},
	{"byp ft3, ft2", func(u *unit, s [5]uint32, _ bool) { u.ft3 = u.ft2 }},
}

var logical = map[string]func(a, b uint32) uint32{
	"or": func(a, b uint32) uint32 { return a | b }, "and": func(a, b uint32) uint32 { return a & b }, "xor": func(a, b uint32) uint32 { return a ^ b },
	"nor": func(a, b uint32) uint32 { return ^(a | b) }, "nand": func(a, b uint32) uint32 { return ^(a & b) }, "xnor": func(a, b uint32) uint32 { return ^(a ^ b) },
}

// signed shifts a number right whose sign is in bit top.
func signed(v uint32, top, by uint32) uint32 {
	top &= 31
	wide := int64(v & uint32(uint64(2)<<top-1))
	if wide>>top != 0 {
		wide -= 2 << top
	}
	return uint32(wide >> (by % 32))
}

var shifts2 = []piece{
	{"lsl ft5, ft4, s4", func(u *unit, s [5]uint32, _ bool) { u.ft5 = u.ft4 << (s[4] % 32) }},
	{"shr ft5, ft4, s4", func(u *unit, s [5]uint32, _ bool) { u.ft5 = u.ft4 >> (s[4] % 32) }},
	{"rol ft5, ft4, s4", func(u *unit, s [5]uint32, _ bool) { u.ft5 = mathbits.RotateLeft32(u.ft4, int(s[4]%32)) }},
	{"asr.twb ft5, ft4, s4", func(u *unit, s [5]uint32, _ bool) { u.ft5 = signed(u.ft4, 31, s[4]) }},
	{"asr.pwb ft5, ft4, s4", func(u *unit, s [5]uint32, _ bool) { u.ft5 = signed(u.ft4, 15, s[4]) }},
	{"asr.mtb ft5, ft4, s4", func(u *unit, s [5]uint32, _ bool) { u.ft5 = signed(u.ft4, u.ft0, s[4]) }},
	{"asr.ftb ft5, ft4, s4", func(u *unit, s [5]uint32, _ bool) { u.ft5 = signed(u.ft4, u.ft3, s[4]) }},
	{"cps ft5, p0, ft4, s4", func(u *unit, s [5]uint32, p bool) {
		if u.ft5 = s[4] &^ u.ft4; p {
			u.ft5 |= u.ft4
		}
	}},
}

// TestBits: stages of the bit unit together, in all phases.
func TestBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(27, 28))
	k := newTask(t, nil)
	for m := range masks {
		for s := range shifts1 {
			for c := range counts {
				bitsOnce(k, &masks[m], &shifts1[s], &counts[c], &shifts2[rnd.IntN(len(shifts2))], rnd)
			}
		}
	}
	for s := range shifts2 {
		for range 4 {
			bitsOnce(k, &masks[0], &shifts1[0], &counts[1+rnd.IntN(4)], &shifts2[s], rnd)
		}
	}
}

// TestBitDefaults: a missing phase passes its sources on: FT0 to FT2 are s0 to s2, FT3 the ones of s2, FT4 is FT1 and
// FT5 is FT4.
func TestBitDefaults(t *testing.T) {
	rnd := rand.New(rand.NewPCG(29, 30))
	k := newTask(t, nil)
	ones := func(in row) uint32 { return uint32(mathbits.OnesCount32(in.c)) }
	sources := "s0 = r0, s1 = r1, s2 = r2"
	for _, x := range [...]struct {
		text   string
		w0, w1 func(in row) uint32
		p      func(in row) bool // nil: unchanged
	}{
		{"s4 = r3 p2: asr.mtb ft5, ft4, s4", func(in row) uint32 { return signed(in.b, in.a, in.d) }, ones, nil},
		{"s4 = r3 p2: asr.ftb ft5, ft4, s4", func(in row) uint32 { return signed(in.b, ones(in), in.d) }, ones, nil},
		{"s4 = r3 p2: rol ft5, ft4, s4; p2: tnz p0, ft3", func(in row) uint32 { return mathbits.RotateLeft32(in.b, int(in.d%32)) }, ones, func(in row) bool { return in.c != 0 }},
		{"s3 = r3 p1: xor ft4, ft1, ft2, ~ft1, s3", func(in row) uint32 { return in.b&in.c ^ in.d&^in.b }, ones, nil},
		{"s3 = r3, s4 = r0 p1: byp ft4, ft1; p2: shr ft5, ft4, s4", func(in row) uint32 { return in.b >> (in.a % 32) }, ones, nil},
		{"s4 = r3 p0: byp ft0, ft1, s0, 0xBEEF; p0: cbs ft3, ft2; p2: asr.mtb ft5, ft4, s4", func(in row) uint32 { return signed(0xbeef, in.a, in.d) }, ones, nil},
		{"s4 = r3 p0: ftb ft3, ft2; p2: lsl ft5, ft4, s4", func(in row) uint32 { return in.b << (in.d % 32) }, func(in row) uint32 { return uint32(mathbits.Len32(in.c) - 1) }, nil},
	} {
		k.each("{ "+sources+", "+x.text+"; w0 = r16, w1 = r17 }", integers(96, rnd), func(in row, got result) string {
			p := in.p
			if x.p != nil {
				p = x.p(in)
			}
			if w0, w1 := x.w0(in), x.w1(in); got.w0 != w0 || got.w1 != w1 || got.p != p {
				return fmt.Sprintf("%#x, %#x, p0 %t", w0, w1, p)
			}
			return ""
		})
	}
}

// bitsOnce runs a group with a logical instruction and a test.
func bitsOnce(k *task, mask, shift1, count, shift2 *piece, rnd *rand.Rand) {
	k.t.Helper()
	names := []string{"or", "and", "xor", "nor", "nand", "xnor", "byp"}
	name := names[rnd.IntN(len(names))]
	maskA, maskB, test, of3 := rnd.IntN(2) == 0, rnd.IntN(2) == 0, rnd.IntN(2) == 0, rnd.IntN(2) == 0
	word := func(on bool, yes, no string) string { return map[bool]string{true: yes, false: no}[on] }
	logic := fmt.Sprintf("%s ft4, %s, ft2, %s, s3", name, word(maskA, "ft1", "_"), word(maskB, "~ft1", "_"))
	if name == "byp" {
		logic = "byp ft4, ft1"
	}
	text := fmt.Sprintf("{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, s4 = r4 p0: %s; p0: %s; p0: %s; p1: %s; p2: %s; p2: %s p0, %s; w0 = r16, w1 = r17 }",
		mask.text, shift1.text, count.text, logic, shift2.text, word(test, "tz", "tnz"), word(of3, "ft3", "ft5"))
	k.set(4, func(lane int) uint32 { return uint32(lane*7) ^ uint32(lane&1)<<9 })
	rows := integers(96, rnd)
	for i := range rows {
		rows[i].d ^= rows[i].c & uint32(-int32(i&1)) // sometimes equal bits
	}
	at := -1
	k.each(text, rows, func(in row, got result) string {
		at++
		lane := at % 32
		s := [5]uint32{in.a, in.b, in.c, in.d, uint32(lane*7) ^ uint32(lane&1)<<9}
		var u unit
		mask.f(&u, s, in.p)
		shift1.f(&u, s, in.p)
		count.f(&u, s, in.p)
		a, b := u.ft2, s[3]
		if maskA {
			a &= u.ft1
		}
		if maskB {
			b &^= u.ft1
		}
		if u.ft4 = u.ft1; name != "byp" {
			u.ft4 = logical[name](a, b)
		}
		shift2.f(&u, s, in.p)
		v := u.ft5
		if of3 {
			v = u.ft3
		}
		p := (v == 0) == test
		if got.w0 != u.ft5 || got.w1 != u.ft3 || got.p != p {
			return fmt.Sprintf("%#x, %#x, p0 %t", u.ft5, u.ft3, p)
		}
		return ""
	})
}
