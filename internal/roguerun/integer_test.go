package roguerun

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
)

// integers returns rows of words at edge values.
func integers(n int, rnd *rand.Rand) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{a: reals.EdgeInt(rnd), b: reals.EdgeInt(rnd), c: reals.EdgeInt(rnd), d: reals.EdgeInt(rnd), p: rnd.IntN(2) == 0}
	}
	return rows
}

// A narrowOp is an operation on elements of 8 or 16 bits.
type narrowOp struct {
	name    string
	sources int
	f       func(x []int64) int64
}

var narrowOps = []narrowOp{
	{"add", 2, func(x []int64) int64 { return x[0] + x[1] }},
	{"mul", 2, func(x []int64) int64 { return x[0] * x[1] }},
	{"mad", 3, func(x []int64) int64 { return x[0]*x[1] + x[2] }},
}

// narrowElement returns the number in an element of a word, with modifiers applied; there are two halves.
func narrowElement(w uint32, e, bits int, signed bool, mods string) int64 {
	if bits == 16 {
		e %= 2
	}
	v := int64(w >> (e * bits) & (1<<bits - 1))
	if signed && v >= 1<<(bits-1) {
		v -= 1 << bits
	}
	if strings.Contains(mods, ".abs") && v < 0 {
		v = -v
	}
	if strings.Contains(mods, ".neg") {
		v = -v
	}
	return v
}

// TestNarrow: integers of 8 and 16 bits with all elements and modifiers, in their three lengths.
func TestNarrow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, how := range []string{"extend", "wide"} {
		k := newTask(t, map[string]string{"narrow-result": how})
		for _, op := range narrowOps {
			for _, bits := range []int{8, 16} {
				for _, signed := range []bool{false, true} {
					for i := range 60 {
						narrowOnce(k, &op, bits, signed, how == "wide", i, rnd)
					}
				}
			}
		}
	}
}

// narrowOnce runs an operation in one of its forms: short ones have no modifiers, those of two bytes no elements except
// of s2.
func narrowOnce(k *task, op *narrowOp, bits int, signed, wide bool, form int, rnd *rand.Rand) {
	k.t.Helper()
	mods, elems := make([]string, op.sources), make([]int, op.sources)
	for i := range mods {
		if form%3 > 0 {
			mods[i] = []string{"", ".abs", ".neg", ".abs.neg"}[rnd.IntN(4)]
			if i == 1 { // it has no sign
				mods[i] = []string{"", ".abs"}[rnd.IntN(2)]
			}
		}
		if form%3 > 1 {
			elems[i] = rnd.IntN(4)
		}
	}
	if op.sources > 2 {
		switch form % 6 {
		case 0:
			elems[2] = 0
		case 3:
			elems[2] = 2
		default:
			elems[2] = rnd.IntN(4)
		}
	}
	var named, operands []string
	for i := range mods {
		named = append(named, fmt.Sprintf("s%d = r%d", i, i))
		operands = append(operands, fmt.Sprintf("s%d%s%s", i, mods[i], []string{"", ".e1", ".e2", ".e3"}[elems[i]]))
	}
	name, sat := fmt.Sprintf("%s%s%d", map[bool]string{false: "u", true: "i"}[signed], op.name, bits), form%3 > 0 && form%2 == 0
	if sat {
		name += ".sat"
	}
	text := fmt.Sprintf("{ %s, is4 = ft0 p0: %s ft0, %s; w0 = r16 }", strings.Join(named, ", "), name, strings.Join(operands, ", "))
	k.words(text, integers(64, rnd), func(in row) uint32 {
		var x []int64
		for i, w := range []uint32{in.a, in.b, in.c}[:op.sources] {
			x = append(x, narrowElement(w, elems[i], bits, signed, mods[i]))
		}
		v := op.f(x)
		low, high := int64(0), int64(1)<<bits-1
		if signed {
			low, high = -(1 << (bits - 1)), 1<<(bits-1)-1
		}
		if sat {
			v = min(max(v, low), high)
		}
		if wide {
			return uint32(v)
		}
		return uint32(narrowElement(uint32(v), 0, bits, signed, ""))
	})
}

// wideWord returns a word with modifiers applied, in two's complement.
func wideWord(w uint32, mods string) uint32 {
	if strings.Contains(mods, ".abs") && int32(w) < 0 {
		w = -w
	}
	if strings.Contains(mods, ".neg") {
		w = -w
	}
	return w
}

func number(w uint32, signed bool) *big.Int {
	if signed {
		return big.NewInt(int64(int32(w)))
	}
	return big.NewInt(int64(w))
}

func pair(low, high uint32) *big.Int { return new(big.Int).SetUint64(uint64(high)<<32 | uint64(low)) }

// A wideOp is an operation of 32 or 64 bits: two numbers and the carry are added.
type wideOp struct {
	name, dests string
	high        bool // is0 is the high word of the addend
	bits        uint
	x, y        func(a, b, c, d uint32) *big.Int
}

func product(signed bool) func(a, b, c, d uint32) *big.Int {
	return func(a, b, _, _ uint32) *big.Int { return new(big.Int).Mul(number(a, signed), number(b, signed)) }
}

func firstPair(a, b, _, _ uint32) *big.Int { return pair(a, b) }

func third(signed bool) func(a, b, c, d uint32) *big.Int {
	return func(_, _, c, _ uint32) *big.Int { return number(c, signed) }
}

func thirdPair(_, _, c, d uint32) *big.Int { return pair(c, d) }

var wideOps = []wideOp{
	{"add64_32", "ft0, fte", false, 64, firstPair, third(false)},
	{"add64_32.s", "ft0, fte", false, 64, firstPair, third(true)},
	{"add64", "ft0, fte, _", true, 64, firstPair, thirdPair},
	{"imadd32", "ft0", false, 32, product(false), third(false)},
	{"imadd32.s", "ft0", false, 32, product(true), third(true)},
	{"imadd64", "ft0, fte", true, 64, product(false), thirdPair},
	{"imadd64.s", "ft0, fte", true, 64, product(true), thirdPair},
}

// TestWide: sums and products of 32 and 64 bits with carries in and out, against big integers.
func TestWide(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	k := newTask(t, nil)
	all := []string{"", ".abs", ".neg", ".abs.neg"}
	for i := range wideOps {
		op := &wideOps[i]
		op.check(k, []string{"", "", ""}, "_", rnd)
		op.check(k, []string{"", "", ".neg"}, "_", rnd)
		for range 12 {
			op.check(k, []string{all[rnd.IntN(4)], all[rnd.IntN(4)], all[rnd.IntN(4)]}, []string{"_", "p0"}[rnd.IntN(2)], rnd)
		}
	}
	k.each("{ s0 = r0, s1 = r1, s2 = r2, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; p2_pck: pck.zero ft2, is3; p2_tst: tst.f32.c ftt, p0, _, _; w0 = r16 }", integers(96, rnd), func(in row, got result) string {
		if want := uint64(in.a*in.b)+uint64(in.c) > 0xffffffff; got.p != want {
			return fmt.Sprintf("p0 %t", want)
		}
		return ""
	})
	k.traps("{ s0 = r0, is1 = ft0 p0: mbyp ft0, s0; p2_tst: tst.u32.c ftt, p0, _, _; }", "carry")
}

// modulo returns a number modulo 2^bits.
func modulo(x *big.Int, bits uint) *big.Int {
	return new(big.Int).Mod(x, new(big.Int).Lsh(big.NewInt(1), bits))
}

// check runs the operation with a test of its carry.
func (op *wideOp) check(k *task, mods []string, carry string, rnd *rand.Rand) {
	k.t.Helper()
	operands := fmt.Sprintf("%s, s0%s, s1%s, s2%s", op.dests, mods[0], mods[1], mods[2])
	if op.high {
		operands += ", is0"
	}
	text := fmt.Sprintf("{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, is0 = s3, is4 = ft0, is5 = fte p0: %s %s, %s; p2_tst: tst.u32.c ftt, p0, _, _; w0 = r16, w1 = r17 }", op.name, operands, carry)
	k.each(text, integers(96, rnd), func(in row, got result) string {
		a, b, c := wideWord(in.a, mods[0]), wideWord(in.b, mods[1]), wideWord(in.c, mods[2])
		x, y := modulo(op.x(a, b, c, in.d), op.bits), modulo(op.y(a, b, c, in.d), op.bits)
		sum := new(big.Int).Add(x, y)
		if carry == "p0" && in.p {
			sum.Add(sum, big.NewInt(1))
		}
		out := sum.Bit(int(op.bits)) != 0
		v := modulo(sum, op.bits).Uint64()
		high := uint32(v >> 32)
		if op.bits == 32 {
			high = in.d // is0 itself
		}
		if got.w0 != uint32(v) || got.w1 != high || got.p != out {
			return fmt.Sprintf("%#x, %#x, p0 %t", uint32(v), high, out)
		}
		return ""
	})
}
