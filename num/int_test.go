package num

import (
	"fmt"
	"math/big"
	"math/bits"
	"testing"
)

// The oracle for integers is math/big: operands as numbers, a formula, the result modulo 2^n.

// A bigOp is an op of up to four operands with its meaning. u and s are the operands as
// unsigned and signed numbers; results come in the order of the op's.
type bigOp struct {
	name string
	args int
	fn   func(n int, x [4]uint64) []uint64
	want func(n int, u, s [4]*big.Int) []*big.Int
}

func num(i int64) *big.Int           { return big.NewInt(i) }
func power(n int) *big.Int           { return new(big.Int).Lsh(num(1), uint(n)) }
func sum(a, b *big.Int) *big.Int     { return new(big.Int).Add(a, b) }
func diff(a, b *big.Int) *big.Int    { return new(big.Int).Sub(a, b) }
func prod(a, b *big.Int) *big.Int    { return new(big.Int).Mul(a, b) }
func shl(a *big.Int, n int) *big.Int { return new(big.Int).Lsh(a, uint(n)) }

// shr is the floor of a/2^n, for negative a too.
func shr(a *big.Int, n int) *big.Int { return new(big.Int).Rsh(a, uint(n)) }

func flag(b bool) *big.Int { return num(int64(truth(b))) }

// clamp limits a to the n-bit range.
func clamp(n int, isSigned bool, a *big.Int) *big.Int {
	lo, hi := num(0), diff(power(n), num(1))
	if isSigned {
		lo, hi = new(big.Int).Neg(power(n-1)), diff(power(n-1), num(1))
	}
	switch {
	case a.Cmp(lo) < 0:
		return lo
	case a.Cmp(hi) > 0:
		return hi
	}
	return a
}

// rem is a modulo n as a small number.
func rem(a *big.Int, n int) int { return int(new(big.Int).Mod(a, num(int64(n))).Int64()) }

// count64 is a as a shift count; 200 stands for anything larger than any width.
func count64(a *big.Int) int {
	return int(clamp(64, false, new(big.Int).Set(minBig(a, num(200)))).Int64())
}

func minBig(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func one1(fn func(int, uint64) uint64) func(int, [4]uint64) []uint64 {
	return func(n int, x [4]uint64) []uint64 { return []uint64{fn(n, x[0])} }
}

func one2(fn func(int, uint64, uint64) uint64) func(int, [4]uint64) []uint64 {
	return func(n int, x [4]uint64) []uint64 { return []uint64{fn(n, x[0], x[1])} }
}

func one3(fn func(int, uint64, uint64, uint64) uint64) func(int, [4]uint64) []uint64 {
	return func(n int, x [4]uint64) []uint64 { return []uint64{fn(n, x[0], x[1], x[2])} }
}

func two2(fn func(int, uint64, uint64) (uint64, uint64)) func(int, [4]uint64) []uint64 {
	return func(n int, x [4]uint64) []uint64 { a, b := fn(n, x[0], x[1]); return []uint64{a, b} }
}

func two3(fn func(int, uint64, uint64, uint64) (uint64, uint64)) func(int, [4]uint64) []uint64 {
	return func(n int, x [4]uint64) []uint64 { a, b := fn(n, x[0], x[1], x[2]); return []uint64{a, b} }
}

// just makes a meaning of one that has a single result.
func just(f func(n int, u, s [4]*big.Int) *big.Int) func(n int, u, s [4]*big.Int) []*big.Int {
	return func(n int, u, s [4]*big.Int) []*big.Int { return []*big.Int{f(n, u, s)} }
}

type four = [4]*big.Int

var bigOps = []bigOp{
	{"Add", 2, one2(Add), just(func(n int, u, s four) *big.Int { return sum(u[0], u[1]) })},
	{"Sub", 2, one2(Sub), just(func(n int, u, s four) *big.Int { return diff(u[0], u[1]) })},
	{"Mul", 2, one2(Mul), just(func(n int, u, s four) *big.Int { return prod(u[0], u[1]) })},
	{"MulHiU", 2, one2(MulHiU), just(func(n int, u, s four) *big.Int { return shr(prod(u[0], u[1]), n) })},
	{"MulHiS", 2, one2(MulHiS), just(func(n int, u, s four) *big.Int { return shr(prod(s[0], s[1]), n) })},
	{"MulWideU", 2, two2(MulWideU), func(n int, u, s four) []*big.Int {
		return []*big.Int{prod(u[0], u[1]), shr(prod(u[0], u[1]), n)}
	}},
	{"MulWideS", 2, two2(MulWideS), func(n int, u, s four) []*big.Int {
		return []*big.Int{prod(s[0], s[1]), shr(prod(s[0], s[1]), n)}
	}},
	{"And", 2, one2(And), just(func(n int, u, s four) *big.Int { return new(big.Int).And(u[0], u[1]) })},
	{"Or", 2, one2(Or), just(func(n int, u, s four) *big.Int { return new(big.Int).Or(u[0], u[1]) })},
	{"Xor", 2, one2(Xor), just(func(n int, u, s four) *big.Int { return new(big.Int).Xor(u[0], u[1]) })},
	{"Not", 1, one1(Not), just(func(n int, u, s four) *big.Int { return new(big.Int).Not(u[0]) })},
	{"Neg", 1, one1(Neg), just(func(n int, u, s four) *big.Int { return new(big.Int).Neg(u[0]) })},
	{"Shl", 2, one2(Shl), just(func(n int, u, s four) *big.Int { return shl(u[0], rem(u[1], n)) })},
	{"ShrU", 2, one2(ShrU), just(func(n int, u, s four) *big.Int { return shr(u[0], rem(u[1], n)) })},
	{"ShrS", 2, one2(ShrS), just(func(n int, u, s four) *big.Int { return shr(s[0], rem(u[1], n)) })},
	{"ShlX", 2, one2(ShlX), just(func(n int, u, s four) *big.Int { return shl(u[0], count64(u[1])) })},
	{"ShrUX", 2, one2(ShrUX), just(func(n int, u, s four) *big.Int { return shr(u[0], count64(u[1])) })},
	{"ShrSX", 2, one2(ShrSX), just(func(n int, u, s four) *big.Int { return shr(s[0], count64(u[1])) })},
	{"Ror", 2, one2(Ror), just(func(n int, u, s four) *big.Int {
		return shr(sum(shl(u[0], n), u[0]), rem(u[1], n))
	})},
	{"FShr", 3, one3(FShr), just(func(n int, u, s four) *big.Int {
		return shr(sum(shl(u[0], n), u[1]), rem(u[2], n))
	})},
	{"UMin", 2, one2(UMin), just(func(n int, u, s four) *big.Int { return minBig(u[0], u[1]) })},
	{"SMin", 2, one2(SMin), just(func(n int, u, s four) *big.Int { return minBig(s[0], s[1]) })},
	{"UMax", 2, one2(UMax), just(func(n int, u, s four) *big.Int { return diff(sum(u[0], u[1]), minBig(u[0], u[1])) })},
	{"SMax", 2, one2(SMax), just(func(n int, u, s four) *big.Int { return diff(sum(s[0], s[1]), minBig(s[0], s[1])) })},
	{"UAbsDiff", 2, one2(UAbsDiff), just(func(n int, u, s four) *big.Int { return new(big.Int).Abs(diff(u[0], u[1])) })},
	{"SAbsDiff", 2, one2(SAbsDiff), just(func(n int, u, s four) *big.Int { return new(big.Int).Abs(diff(s[0], s[1])) })},
	{"UAddSat", 2, one2(UAddSat), just(func(n int, u, s four) *big.Int { return clamp(n, false, sum(u[0], u[1])) })},
	{"USubSat", 2, one2(USubSat), just(func(n int, u, s four) *big.Int { return clamp(n, false, diff(u[0], u[1])) })},
	{"SAddSat", 2, one2(SAddSat), just(func(n int, u, s four) *big.Int { return clamp(n, true, sum(s[0], s[1])) })},
	{"SSubSat", 2, one2(SSubSat), just(func(n int, u, s four) *big.Int { return clamp(n, true, diff(s[0], s[1])) })},
	{"AddC", 3, two3(AddC), func(n int, u, s four) []*big.Int {
		r := sum(sum(u[0], u[1]), num(int64(u[2].Bit(0))))
		return []*big.Int{r, shr(r, n)}
	}},
	{"SubB", 3, two3(SubB), func(n int, u, s four) []*big.Int {
		r := diff(diff(u[0], u[1]), num(int64(u[2].Bit(0))))
		return []*big.Int{r, flag(r.Sign() < 0)}
	}},
	{"AddOv", 2, two2(AddOv), func(n int, u, s four) []*big.Int {
		r := sum(s[0], s[1])
		return []*big.Int{r, flag(clamp(n, true, r).Cmp(r) != 0)}
	}},
	{"SubOv", 2, two2(SubOv), func(n int, u, s four) []*big.Int {
		r := diff(s[0], s[1])
		return []*big.Int{r, flag(clamp(n, true, r).Cmp(r) != 0)}
	}},
	{"Eq", 2, one2(Eq), just(func(n int, u, s four) *big.Int { return flag(u[0].Cmp(u[1]) == 0) })},
	{"Ne", 2, one2(Ne), just(func(n int, u, s four) *big.Int { return flag(u[0].Cmp(u[1]) != 0) })},
	{"ULt", 2, one2(ULt), just(func(n int, u, s four) *big.Int { return flag(u[0].Cmp(u[1]) < 0) })},
	{"ULe", 2, one2(ULe), just(func(n int, u, s four) *big.Int { return flag(u[0].Cmp(u[1]) <= 0) })},
	{"SLt", 2, one2(SLt), just(func(n int, u, s four) *big.Int { return flag(s[0].Cmp(s[1]) < 0) })},
	{"SLe", 2, one2(SLe), just(func(n int, u, s four) *big.Int { return flag(s[0].Cmp(s[1]) <= 0) })},
	{"Popcount", 1, one1(Popcount), just(func(n int, u, s four) *big.Int {
		r := num(0)
		for i := range n {
			r.Add(r, num(int64(u[0].Bit(i))))
		}
		return r
	})},
	{"Clz", 1, one1(Clz), just(func(n int, u, s four) *big.Int { return num(int64(n - u[0].BitLen())) })},
	{"Ctz", 1, one1(Ctz), just(func(n int, u, s four) *big.Int {
		if u[0].Sign() == 0 {
			return num(int64(n))
		}
		return num(int64(u[0].TrailingZeroBits()))
	})},
	{"ClsS", 1, one1(ClsS), just(func(n int, u, s four) *big.Int {
		i := 1
		for i < n && u[0].Bit(n-1-i) == u[0].Bit(n-1) {
			i++
		}
		return num(int64(i))
	})},
	{"BitRev", 1, one1(BitRev), just(func(n int, u, s four) *big.Int {
		r := num(0)
		for i := range n {
			r.SetBit(r, n-1-i, u[0].Bit(i))
		}
		return r
	})},
	{"UBfe", 3, one3(UBfe), just(func(n int, u, s four) *big.Int {
		return new(big.Int).Mod(shr(u[0], rem(u[1], n)), power(rem(u[2], n)))
	})},
	{"SBfe", 3, one3(SBfe), just(func(n int, u, s four) *big.Int {
		off, width := rem(u[1], n), rem(u[2], n)
		switch {
		case width == 0:
			return num(0)
		case off+width >= n:
			return shr(s[0], off)
		}
		v := new(big.Int).Mod(shr(u[0], off), power(width))
		if v.Bit(width-1) != 0 {
			v.Sub(v, power(width))
		}
		return v
	})},
	{"Bfm", 2, one2(Bfm), just(func(n int, u, s four) *big.Int {
		return shl(diff(power(rem(u[0], n)), num(1)), rem(u[1], n))
	})},
	{"Bfi", 3, one3(Bfi), just(func(n int, u, s four) *big.Int {
		return sum(new(big.Int).And(u[0], u[1]), new(big.Int).AndNot(u[2], u[0]))
	})},
}

// check compares one op on one set of operands.
func (op *bigOp) check(t *testing.T, n int, x [4]uint64) {
	var u, s four
	for i := range x[:op.args] {
		u[i] = new(big.Int).SetUint64(x[i])
		s[i] = u[i]
		if x[i]>>(n-1) != 0 {
			s[i] = diff(u[i], power(n))
		}
	}
	got := op.fn(n, x)
	for i, w := range op.want(n, u, s) {
		if w := new(big.Int).Mod(w, power(n)).Uint64(); got[i] != w {
			t.Errorf("%s n=%d %x: result %d is %x, want %x", op.name, n, x[:op.args], i, got[i], w)
		}
	}
}

// TestIntegers takes all pairs at 8 bits, and random operands and edges at other widths.
func TestIntegers(t *testing.T) {
	for _, op := range bigOps {
		r := newRand(71)
		first := uint64(1)
		if raceEnabled {
			first = 31
		}
		for a := uint64(0); a < 256; a++ {
			for b := a % first; b < 256; b += first {
				op.check(t, 8, [4]uint64{a, b, r.next() & 255, r.next() & 255})
				if op.args == 1 {
					break
				}
			}
		}
		for _, n := range []int{1, 5, 16, 24, 32, 63, 64} {
			ed := []uint64{0, 1, 2, 3, uint64(n), uint64(n) - 1, uint64(n) + 1, mask(n), mask(n) - 1, mask(n) >> 1, mask(n)>>1 + 1}
			for range count(800, 100_000) {
				var x [4]uint64
				for i := range x {
					switch r.next() % 4 {
					case 0:
						x[i] = ed[r.next()%uint64(len(ed))] & mask(n)
					case 1:
						x[i] = r.next() & mask(n) >> (r.next() % uint64(n))
					default:
						x[i] = r.next() & mask(n)
					}
				}
				op.check(t, n, x)
			}
		}
	}
}

// TestExtend checks the width changes by shifts of 64-bit numbers.
func TestExtend(t *testing.T) {
	r := newRand(73)
	for from := 1; from <= 64; from++ {
		for to := 1; to <= 64; to++ {
			a := r.next() >> (64 - from)
			z := a << (64 - to) >> (64 - to)
			s := uint64(int64(a<<(64-from))>>(64-from)) << (64 - to) >> (64 - to)
			if Trunc(from, to, a) != z || ZExt(from, to, a) != z || SExt(from, to, a) != s {
				t.Errorf("%d to %d bits of %x: %x %x %x, want %x %x %x", from, to, a, Trunc(from, to, a), ZExt(from, to, a), SExt(from, to, a), z, z, s)
			}
		}
	}
}

// TestBytePerm spells out the selectors of v_perm_b32.
func TestBytePerm(t *testing.T) {
	const a, b = 0x8766_5544, 0xb322_11f0 // bytes of a:b from the top: 87 66 55 44 b3 22 11 f0
	for sel, want := range map[uint64]uint64{
		0x03020100: 0xb32211f0,
		0x07060504: 0x87665544,
		0x00040307: 0xf044b387,
		0x08090a0b: 0x00ff00ff, // bits 15, 31, 47, 63
		0x0c0d0eff: 0x00ffffff,
		0x0c0c0c0c: 0,
	} {
		if got := BytePerm(32, a, b, sel); got != want {
			t.Errorf("BytePerm(%x, %x, %08x) = %08x, want %08x", uint64(a), uint64(b), sel, got, want)
		}
	}
	r := newRand(79)
	for range 10_000 {
		a, b, sel := r.next()&mask(32), r.next()&mask(32), r.next()&0x0f0f0f0f
		bytes := fmt.Sprintf("%08x%08x", bits.ReverseBytes32(uint32(b)), bits.ReverseBytes32(uint32(a)))
		want := ""
		for i := 24; i >= 0; i -= 8 {
			switch s := int(sel >> i & 0xff); {
			case s < 8:
				want += bytes[2*s : 2*s+2]
			case s < 12:
				want += map[bool]string{false: "00", true: "ff"}[bytes[4*(s-8)+2] >= '8']
			case s == 12:
				want += "00"
			default:
				want += "ff"
			}
		}
		if got := fmt.Sprintf("%08x", BytePerm(32, a, b, sel)); got != want {
			t.Errorf("BytePerm(%x, %x, %08x) = %s, want %s", a, b, sel, got, want)
		}
	}
}
