package tesla

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Expected values are computed in integers of any size, by the formulas of docs/reference/tesla.md 6.

// number is the value of n bits.
func number(x uint64, n int, signed bool) *big.Int {
	v := new(big.Int).SetUint64(x & (1<<n - 1))
	if signed && v.Bit(n-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return v
}

// cut is v modulo 2^n.
func cut(v *big.Int, n int) uint64 {
	return new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), uint(n))).Uint64()
}

// Flags of outcomes.
const (
	ccZ = 1 << FlagZ
	ccS = 1 << FlagS
	ccC = 1 << FlagC
	ccO = 1 << FlagO
)

// signs are the flags Z and S of n bits.
func signs(v uint64, n int) (cc uint64) {
	if v == 0 {
		cc = ccZ
	}
	return cc | v>>(n-1)<<FlagS
}

// added is an addition of n bits as the seed's pseudo-code has it: op 0 adds, 1 subtracts b, 2 subtracts a, 3 adds a
// carry.
func added(op int, sat bool, n int, a, b, carry uint64) outcome {
	ones := uint64(1)<<n - 1
	c := uint64(0)
	switch op {
	case 1:
		b, c = ^b&ones, 1
	case 2:
		a, c = ^a&ones, 1
	case 3:
		c = carry
	}
	sum := new(big.Int).Add(number(a, n, false), number(b, n, false))
	sum.Add(sum, new(big.Int).SetUint64(c))
	v := cut(sum, n)
	cc := uint64(sum.Bit(n)) << FlagC
	top := uint64(1) << (n - 1)
	if a&top == b&top && a&top != v&top {
		cc |= ccO
		if sat && v&top != 0 {
			v = top - 1
		} else if sat {
			v = top
		}
	}
	return outcome{v, cc | signs(v, n)}
}

func typeOf(n int) ir.Type {
	return map[int]ir.Type{16: ir.I16, 32: ir.I32, 64: ir.I64}[n]
}

func flagOf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

var bools = []bool{false, true}

func TestIntegerSums(t *testing.T) {
	for op := range 4 {
		for _, n := range []int{16, 32} {
			for _, sat := range bools {
				c := trial{name: "iadd", mean: of2(iadd(addOp(op))), srcs: []ir.Type{typeOf(n), typeOf(n)}, dst: typeOf(n),
					fields: map[isa.Name]uint64{nameSat: flagOf(sat)}}
				c.against(t, 2000, func(a []uint64) outcome { return added(op, sat, n, a[0], a[1], a[2]>>FlagC&1) })
			}
		}
	}
}

// A short form names no $c: it takes the carry of $c0, and writes no flags.
func TestShortSum(t *testing.T) {
	c := trial{name: "short", mean: of2(iadd(opAddC)), srcs: []ir.Type{ir.I32, ir.I32}, dst: ir.I32, fields: map[isa.Name]uint64{nameGuard: 15, nameCDst: 2}}
	c.against(t, 200, func(a []uint64) outcome { return outcome{(a[0] + a[1]) & 0xffffffff, 15} })
}

// product is a product of 16 or of 24 bits; shift is what is dropped below.
func product(a, b uint64, n int, signedA, signedB bool, shift uint) uint64 {
	p := new(big.Int).Mul(number(a, n, signedA), number(b, n, signedB))
	return cut(p.Rsh(p, shift), 32)
}

func TestIntegerProducts(t *testing.T) {
	for i := range 4 {
		one, two := i&1 != 0, i&2 != 0
		c := trial{name: "mul16", mean: of2(imul16), srcs: []ir.Type{ir.I16, ir.I16}, dst: ir.I32,
			fields: map[isa.Name]uint64{nameSigned1: flagOf(one), nameSigned2: flagOf(two)}}
		c.against(t, 2000, func(a []uint64) outcome {
			v := product(a[0], a[1], 16, one, two, 0)
			return outcome{v, signs(v, 32)}
		})
		c = trial{name: "mul24", mean: of2(imul24), srcs: []ir.Type{ir.I32, ir.I32}, dst: ir.I32,
			fields: map[isa.Name]uint64{nameSigned: flagOf(one), nameHigh: flagOf(two)}}
		c.against(t, 2000, func(a []uint64) outcome {
			v := product(a[0], a[1], 24, one, one, uint(16*flagOf(two)))
			return outcome{v, signs(v, 32)}
		})
	}
}

func TestIntegerMads(t *testing.T) {
	for kind, k := range map[mulKind]struct {
		n      int
		signed bool
		shift  uint
	}{mulU16: {16, false, 0}, mulS16: {16, true, 0}, mulU24: {24, false, 0}, mulS24: {24, true, 0}, mulHighU24: {24, false, 16}, mulHighS24: {24, true, 16}} {
		src := ir.I32
		if k.n == 16 {
			src = ir.I16
		}
		for op := range 4 {
			for _, sat := range bools {
				c := trial{name: fmt.Sprint("imad ", kind), mean: of3(imad(kind, addOp(op), sat)), srcs: []ir.Type{src, src, ir.I32}, dst: ir.I32}
				c.against(t, 800, func(a []uint64) outcome {
					return added(op, sat, 32, product(a[0], a[1], k.n, k.signed, k.signed, k.shift), a[2], a[3]>>FlagC&1)
				})
			}
		}
	}
}

func TestIntegerDistances(t *testing.T) {
	for _, n := range []int{16, 32} {
		for _, signed := range bools {
			c := trial{name: "sad", mean: of3(isad), srcs: []ir.Type{typeOf(n), typeOf(n), ir.I32}, dst: ir.I32, fields: map[isa.Name]uint64{nameSigned: flagOf(signed)}}
			c.against(t, 2000, func(a []uint64) outcome {
				d := new(big.Int).Sub(number(a[0], n, signed), number(a[1], n, signed))
				return added(0, false, 32, cut(d.Abs(d), 32), a[2], 0)
			})
		}
	}
}

func TestIntegerComparisons(t *testing.T) {
	for _, n := range []int{16, 32} {
		for _, signed := range bools {
			two, fields := []ir.Type{typeOf(n), typeOf(n)}, map[isa.Name]uint64{nameSigned: flagOf(signed)}
			order := func(a []uint64) int { return number(a[0], n, signed).Cmp(number(a[1], n, signed)) }
			c := trial{name: "min", mean: of2(imin), srcs: two, dst: typeOf(n), fields: fields}
			c.against(t, 1000, func(a []uint64) outcome {
				v := a[0]
				if order(a) > 0 {
					v = a[1]
				}
				return outcome{v, signs(v, n)}
			})
			c = trial{name: "max", mean: of2(imax), srcs: two, dst: typeOf(n), fields: fields}
			c.against(t, 1000, func(a []uint64) outcome {
				v := a[0]
				if order(a) < 0 {
					v = a[1]
				}
				return outcome{v, signs(v, n)}
			})
			for cond := range uint64(8) {
				c = trial{name: "set", mean: of2(iset), srcs: two, dst: typeOf(n), fields: map[isa.Name]uint64{nameSigned: flagOf(signed), nameCond: cond},
					adjust: sometimesEqual}
				c.against(t, 500, func(a []uint64) outcome {
					if cond>>(order(a)+1)&1 != 0 {
						return outcome{1<<n - 1, ccS}
					}
					return outcome{0, ccZ}
				})
			}
		}
	}
}

// sometimesEqual makes the second source the first, every now and then.
func sometimesEqual(a []uint64) {
	if a[0]&3 == 0 {
		a[1] = a[0]
	}
}

// shifted is a shift of n bits by any count, bit by bit.
func shifted(left, signed bool, n int, a, count uint64) outcome {
	v, out, top := a, uint64(0), uint64(1)<<(n-1)
	for range min(count, uint64(n)) {
		if left {
			out = v & top
			v = v << 1 & (2*top - 1)
			continue
		}
		out = v & 1
		sign := v & top
		if v >>= 1; signed {
			v |= sign
		}
	}
	cc := signs(v, n)
	if out != 0 && count < uint64(n) {
		cc |= ccC
	}
	if count == 1 && (a^v)&top != 0 {
		cc |= ccO
	}
	return outcome{v, cc}
}

func TestIntegerShifts(t *testing.T) {
	small := func(a []uint64) {
		if a[1]&7 != 0 {
			a[1] = a[1] >> 3 % 40
		}
	}
	for _, n := range []int{16, 32} {
		two := []ir.Type{typeOf(n), typeOf(n)}
		c := trial{name: "shl", mean: of2(ishl), srcs: two, dst: typeOf(n), adjust: small}
		c.against(t, 4000, func(a []uint64) outcome { return shifted(true, false, n, a[0], a[1]) })
		for _, signed := range bools {
			c = trial{name: "shr", mean: of2(ishr), srcs: two, dst: typeOf(n), adjust: small, fields: map[isa.Name]uint64{nameSigned: flagOf(signed)}}
			c.against(t, 4000, func(a []uint64) outcome { return shifted(false, signed, n, a[0], a[1]) })
		}
	}
}

func TestLogic(t *testing.T) {
	for op := range 4 {
		for nots := range 4 {
			for _, n := range []int{16, 32} {
				c := trial{name: "logic", mean: of2(logic(logicOp(op))), srcs: []ir.Type{typeOf(n), typeOf(n)}, dst: typeOf(n),
					fields: map[isa.Name]uint64{nameNot1: uint64(nots & 1), nameNot2: uint64(nots >> 1)}}
				c.against(t, 200, func(a []uint64) outcome {
					v := uint64(0)
					for i := range n {
						x, y := a[0]>>i&1 != uint64(nots&1), a[1]>>i&1 != uint64(nots>>1)
						v |= flagOf([]bool{x && y, x || y, x != y, y}[op]) << i
					}
					return outcome{v, signs(v, n)}
				})
			}
		}
	}
}

func TestAddressArithmetic(t *testing.T) {
	c := trial{name: "shl a", mean: of2(shlA), srcs: []ir.Type{ir.I32, ir.I32}, dst: ir.I16, fields: map[isa.Name]uint64{nameCDst: 0}, adjust: func(a []uint64) { a[1] &= 15 }}
	c.against(t, 500, func(a []uint64) outcome { return outcome{a[0] << a[1] & 0xffff, 15} })
	c = trial{name: "add a", mean: of2(addA), srcs: []ir.Type{ir.I16, ir.I16}, dst: ir.I16, fields: map[isa.Name]uint64{nameCDst: 0}}
	c.against(t, 500, func(a []uint64) outcome { return outcome{(a[0] + a[1]) & 0xffff, 15} })
}

// The flags of a $c are a number of four bits, whichever way they go; no bit has to let them.
func TestFlagsAsNumbers(t *testing.T) {
	c := trial{name: "from", mean: movFromC, dst: ir.I32, fields: map[isa.Name]uint64{nameCDst: 0}}
	c.against(t, 100, func(a []uint64) outcome { return outcome{a[0], 15} })
	for on := range uint64(2) {
		c = trial{name: "to", mean: movToC, srcs: []ir.Type{ir.I32}, dst: ir.I32, fields: map[isa.Name]uint64{nameCDst: 2 + cdstOn*on, nameFlags: 2}}
		c.against(t, 100, func(a []uint64) outcome { return outcome{0, a[0] & 15} })
	}
}
