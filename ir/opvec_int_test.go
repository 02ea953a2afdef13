package ir_test

import (
	"math/big"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// Integers of any size: operations are computed exactly, then truncated to their width.

func unsigned(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

func signed(n int, x uint64) *big.Int {
	v := unsigned(x)
	if x>>(n-1)&1 != 0 {
		v.Sub(v, pow2(n))
	}
	return v
}

func pow2(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// cut is x modulo 2^n, also of a negative x.
func cut(n int, x *big.Int) uint64 { return new(big.Int).Mod(x, pow2(n)).Uint64() }

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func clamp(x, lo, hi *big.Int) *big.Int {
	if x.Cmp(lo) < 0 {
		return lo
	}
	if x.Cmp(hi) > 0 {
		return hi
	}
	return x
}

type bigFn func(z, x, y *big.Int) *big.Int

// arith is an op on two integers whose result is truncated to the width.
func arith(f bigFn) oracle {
	return func(c *call) []uint64 {
		return []uint64{cut(c.n, f(new(big.Int), unsigned(c.a[0]), unsigned(c.a[1])))}
	}
}

// wide returns bits lo to lo+n-1 of a product, for each lo.
func wide(isSigned bool, los ...int) oracle {
	return func(c *call) (res []uint64) {
		x, y := unsigned(c.a[0]), unsigned(c.a[1])
		if isSigned {
			x, y = signed(c.n, c.a[0]), signed(c.n, c.a[1])
		}
		p := new(big.Int).Mul(x, y)
		for _, lo := range los {
			res = append(res, cut(c.n, new(big.Int).Rsh(p, uint(lo*c.n))))
		}
		return res
	}
}

// sat clamps the result to the range of the type.
func sat(isSigned bool, f bigFn) oracle {
	return func(c *call) []uint64 {
		if isSigned {
			hi := new(big.Int).Sub(pow2(c.n-1), big.NewInt(1))
			return []uint64{cut(c.n, clamp(f(new(big.Int), signed(c.n, c.a[0]), signed(c.n, c.a[1])), new(big.Int).Neg(pow2(c.n-1)), hi))}
		}
		hi := new(big.Int).Sub(pow2(c.n), big.NewInt(1))
		return []uint64{cut(c.n, clamp(f(new(big.Int), unsigned(c.a[0]), unsigned(c.a[1])), new(big.Int), hi))}
	}
}

// overflow returns the truncated result, and whether the signed result does not fit.
func overflow(f bigFn) oracle {
	return func(c *call) []uint64 {
		x := f(new(big.Int), signed(c.n, c.a[0]), signed(c.n, c.a[1]))
		low := cut(c.n, x)
		return []uint64{low, boolBit(signed(c.n, low).Cmp(x) != 0)}
	}
}

// carry returns x f y f carry, truncated, and whether the unsigned result does not fit.
func carry(f bigFn) oracle {
	return func(c *call) []uint64 {
		x := f(new(big.Int), unsigned(c.a[0]), unsigned(c.a[1]))
		x = f(x, x, unsigned(c.a[2]))
		low := cut(c.n, x)
		return []uint64{low, boolBit(unsigned(low).Cmp(x) != 0)}
	}
}

// shift shifts by the second operand, modulo the width unless whole.
func shift(left, isSigned, whole bool) oracle {
	return func(c *call) []uint64 {
		x, by := unsigned(c.a[0]), c.a[1]
		if isSigned {
			x = signed(c.n, c.a[0])
		}
		if !whole {
			by %= uint64(c.n)
		}
		by = min(by, 200) // further than any width
		if left {
			return []uint64{cut(c.n, x.Lsh(x, uint(by)))}
		}
		return []uint64{cut(c.n, x.Rsh(x, uint(by)))} // rounds down: copies of the sign
	}
}

func compare(isSigned bool, ok func(cmp int) bool) oracle {
	return func(c *call) []uint64 {
		x, y := unsigned(c.a[0]), unsigned(c.a[1])
		if isSigned {
			x, y = signed(c.n, c.a[0]), signed(c.n, c.a[1])
		}
		return []uint64{boolBit(ok(x.Cmp(y)))}
	}
}

// choice is the first operand if ok accepts the comparison of the first with the second, else the second.
func choice(isSigned bool, ok func(cmp int) bool) oracle {
	return func(c *call) []uint64 {
		if compare(isSigned, ok)(c)[0] == 1 {
			return c.a[:1]
		}
		return c.a[1:2]
	}
}

func distance(isSigned bool) oracle {
	return func(c *call) []uint64 {
		x, y := unsigned(c.a[0]), unsigned(c.a[1])
		if isSigned {
			x, y = signed(c.n, c.a[0]), signed(c.n, c.a[1])
		}
		return []uint64{cut(c.n, x.Abs(x.Sub(x, y)))}
	}
}

// perBit computes each result bit from the bits at the same position in the operands.
func perBit(f func(a []uint64) uint64) oracle {
	return func(c *call) []uint64 {
		var z uint64
		for i := range c.n {
			bits := make([]uint64, len(c.a))
			for k := range c.a {
				bits[k] = c.a[k] >> i & 1
			}
			z |= f(bits) & 1 << i
		}
		return []uint64{z}
	}
}

// specialFunction knows the functions only at simple operands: powers of two, zero, infinity and NaN. The tests of
// num cover the tables.
func specialFunction(c *call) []uint64 {
	sign, e, m := c.a[0]>>31, c.a[0]>>23%256, c.a[0]%(1<<23)
	switch f := num.SFU(c.imm); {
	case f <= num.TeslaLg2 && e == 255 && m != 0:
		return []uint64{0x7fffffff}
	case f >= num.TeslaPreSin && e == 0:
		return []uint64{sign << 31}
	case f <= num.TeslaRsqrt && e == 0:
		return []uint64{sign<<31 | 0x7f800000}
	case f == num.TeslaRcp && m == 0 && e > 0 && e < 253:
		return []uint64{sign<<31 | (254-e)<<23}
	case f == num.TeslaRsqrt && m == 0 && sign == 0 && e%2 == 1 && e < 255:
		return []uint64{(381 - e) / 2 << 23}
	case f == num.TeslaPreEx2 && e >= 134 && e < 255:
		return []uint64{sign<<31 | 0x40800000}
	case f == num.TeslaLg2 && sign == 0 && e == 255 && m == 0:
		return []uint64{0x7f800000}
	case (f == num.TeslaSin || f == num.TeslaCos) && c.a[0]>>30%2 == 1:
		return []uint64{0x7fffffff}
	}
	return nil
}

// dot4 multiplies and sums byte by byte.
func dot4(read func(n int, x uint64) *big.Int) oracle {
	return func(c *call) []uint64 {
		sum := new(big.Int)
		for at := 0; at < 32; at += 8 {
			p := new(big.Int).Mul(read(8, c.a[0]>>at%256), read(8, c.a[1]>>at%256))
			sum.Add(sum, p)
		}
		return []uint64{cut(32, sum)}
	}
}

// bitsOf are the bits of the first operand, lowest first.
func bitsOf(c *call) []byte {
	bs := make([]byte, c.n)
	for i := range bs {
		bs[i] = byte(c.a[0] >> i & 1)
	}
	return bs
}

// counted is a number found by examining the bits one by one.
func counted(f func(bits []byte) int) oracle {
	return func(c *call) []uint64 { return []uint64{cut(c.n, big.NewInt(int64(f(bitsOf(c)))))} }
}

// fieldOf extracts bit by bit; the bits above are filled with the sign or zero.
func fieldOf(isSigned bool) oracle {
	return func(c *call) []uint64 {
		off, width := int(c.a[1]%uint64(c.n)), int(c.a[2]%uint64(c.n))
		var z, top uint64
		for i := range c.n {
			bit := c.a[0] >> (off + i) & 1
			if off+i >= c.n {
				bit = 0
				if isSigned {
					bit = c.a[0] >> (c.n - 1) & 1
				}
			}
			if i < width {
				top = bit
			} else if isSigned {
				bit = top
			} else {
				bit = 0
			}
			z |= bit << i
		}
		return []uint64{z}
	}
}

func bytePerm(c *call) []uint64 {
	src := append(le(4, c.a[1]), le(4, c.a[0])...)
	signs := map[byte]int{8: 1, 9: 3, 10: 5, 11: 7}
	var z uint64
	for i, s := range le(4, c.a[2]) {
		v := byte(0xff)
		if s < 8 {
			v = src[s]
		} else if at, ok := signs[s]; ok {
			v = byte(int8(src[at]) >> 7)
		} else if s == 12 {
			v = 0
		}
		z |= uint64(v) << (8 * i)
	}
	return []uint64{z}
}

// le are the n lowest bytes of x, lowest first.
func le(n int, x uint64) (bs []byte) {
	for i := range n {
		bs = append(bs, byte(x>>(8*i)))
	}
	return bs
}

// at returns width bits of x starting at bit lo.
func at(x uint64, lo, width int) uint64 {
	return cut(width, new(big.Int).Rsh(unsigned(x), uint(lo)))
}
func less(cmp int) bool      { return cmp < 0 }
func lessEqual(cmp int) bool { return cmp <= 0 }
func more(cmp int) bool      { return cmp > 0 }

var intOracles = map[ir.Op]oracle{
	ir.Const: func(c *call) []uint64 { return []uint64{c.imm} },
	ir.Cast:  func(c *call) []uint64 { return c.a },
	ir.IAdd:  arith((*big.Int).Add), ir.ISub: arith((*big.Int).Sub), ir.IMul: arith((*big.Int).Mul),
	ir.MulHiU: wide(false, 1), ir.MulHiS: wide(true, 1), ir.MulWideU: wide(false, 0, 1), ir.MulWideS: wide(true, 0, 1),
	ir.AddC: carry((*big.Int).Add), ir.SubB: carry((*big.Int).Sub),
	ir.AddOv: overflow((*big.Int).Add), ir.SubOv: overflow((*big.Int).Sub),
	ir.UAddSat: sat(false, (*big.Int).Add), ir.USubSat: sat(false, (*big.Int).Sub),
	ir.SAddSat: sat(true, (*big.Int).Add), ir.SSubSat: sat(true, (*big.Int).Sub),
	ir.And:  perBit(func(a []uint64) uint64 { return a[0] * a[1] }),
	ir.Or:   perBit(func(a []uint64) uint64 { return max(a[0], a[1]) }),
	ir.Xor:  perBit(func(a []uint64) uint64 { return a[0] + a[1] }),
	ir.Not:  perBit(func(a []uint64) uint64 { return 1 - a[0] }),
	ir.INeg: func(c *call) []uint64 { return []uint64{cut(c.n, new(big.Int).Neg(unsigned(c.a[0])))} },
	ir.Shl:  shift(true, false, false), ir.ShrU: shift(false, false, false), ir.ShrS: shift(false, true, false),
	ir.ShlX: shift(true, false, true), ir.ShrUX: shift(false, false, true), ir.ShrSX: shift(false, true, true),
	ir.Ror: func(c *call) []uint64 {
		k := int(c.a[1] % uint64(c.n))
		return []uint64{c.a[0]>>k | cut(c.n, new(big.Int).Lsh(unsigned(c.a[0]), uint(c.n-k)))}
	},
	ir.FShr: func(c *call) []uint64 {
		x := new(big.Int).Lsh(unsigned(c.a[0]), uint(c.n))
		x.Or(x, unsigned(c.a[1]))
		return []uint64{cut(c.n, x.Rsh(x, uint(c.a[2]%uint64(c.n))))}
	},
	ir.UMin: choice(false, less), ir.UMax: choice(false, more), ir.SMin: choice(true, less), ir.SMax: choice(true, more),
	ir.UAbsDiff: distance(false), ir.SAbsDiff: distance(true),
	ir.UBfe: fieldOf(false), ir.SBfe: fieldOf(true),
	ir.Bfi: perBit(func(a []uint64) uint64 { return a[0]*a[1] + (1-a[0])*a[2] }),
	ir.Bfm: func(c *call) []uint64 {
		x := pow2(int(c.a[0] % uint64(c.n)))
		x.Sub(x, big.NewInt(1))
		return []uint64{cut(c.n, x.Lsh(x, uint(c.a[1]%uint64(c.n))))}
	},
	ir.Popcount: counted(func(bits []byte) (k int) {
		for _, b := range bits {
			k += int(b)
		}
		return k
	}),
	ir.Clz: counted(func(bits []byte) (k int) {
		for k < len(bits) && bits[len(bits)-1-k] == 0 {
			k++
		}
		return k
	}),
	ir.Ctz: counted(func(bits []byte) (k int) {
		for k < len(bits) && bits[k] == 0 {
			k++
		}
		return k
	}),
	ir.ClsS: counted(func(bits []byte) (k int) {
		for k < len(bits) && bits[len(bits)-1-k] == bits[len(bits)-1] {
			k++
		}
		return k
	}),
	ir.BitRev: func(c *call) []uint64 {
		var z uint64
		for _, b := range bitsOf(c) {
			z = z<<1 | uint64(b)
		}
		return []uint64{z}
	},
	ir.BytePerm: bytePerm,
	ir.SFU:      specialFunction,
	ir.UDot4:    dot4(unsignedN),
	ir.SDot4:    dot4(signed),
	ir.Eq:       compare(false, func(cmp int) bool { return cmp == 0 }),
	ir.Ne:       compare(false, func(cmp int) bool { return cmp != 0 }),
	ir.ULt:      compare(false, less), ir.ULe: compare(false, lessEqual),
	ir.SLt: compare(true, less), ir.SLe: compare(true, lessEqual),
	ir.Select: func(c *call) []uint64 { return []uint64{c.a[2-c.a[0]]} },
	ir.Trunc:  func(c *call) []uint64 { return []uint64{at(c.a[0], 0, c.n)} },
	ir.ZExt:   func(c *call) []uint64 { return c.a },
	ir.SExt:   func(c *call) []uint64 { return []uint64{cut(c.n, signed(c.w[0], c.a[0]))} },
	ir.Pack: func(c *call) []uint64 {
		x := new(big.Int).Lsh(unsigned(c.a[1]), uint(c.w[1]))
		return []uint64{x.Or(x, unsigned(c.a[0])).Uint64()}
	},
	ir.Unpack:  func(c *call) []uint64 { return []uint64{at(c.a[0], 0, c.n), at(c.a[0], c.n, c.n)} },
	ir.Extract: func(c *call) []uint64 { return []uint64{at(c.a[0], int(c.imm), c.n)} },
	ir.Insert: func(c *call) []uint64 {
		z := unsigned(c.a[0])
		for i := range c.w[1] {
			z.SetBit(z, int(c.imm)+i, uint(c.a[1]>>i&1))
		}
		return []uint64{z.Uint64()}
	},
}
