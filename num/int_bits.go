package num

import "math/bits"

// Popcount is the number of one bits.
func Popcount(n int, a uint64) uint64 { return uint64(bits.OnesCount64(a & mask(n))) }

// Clz is the number of zero bits above the highest one bit; n if a is 0.
func Clz(n int, a uint64) uint64 { return uint64(n - bits.Len64(a&mask(n))) }

// Ctz is the number of zero bits below the lowest one bit; n if a is 0.
func Ctz(n int, a uint64) uint64 { return min(uint64(bits.TrailingZeros64(a)), uint64(n)) }

// ClsS is the position, counted from the sign bit down, of the first bit that differs from the sign bit; n if all
// are equal. It is never 0.
func ClsS(n int, a uint64) uint64 {
	s := signed(n, a)
	return Clz(n, uint64(s^s>>63))
}

// BitRev swaps bit i and bit n-1-i.
func BitRev(n int, a uint64) uint64 { return bits.Reverse64(a) >> (uint(64-n) & 63) }

// UBfe is width bits of a starting at bit off, zero-extended; off and width modulo n. Bits beyond the top read as
// 0, and width 0 gives 0.
func UBfe(n int, a, off, width uint64) uint64 {
	return a & mask(n) >> modulo(n, off) & (1<<modulo(n, width) - 1)
}

// SBfe is width bits of a starting at bit off, sign-extended to n; off and width modulo n. If they reach the top,
// it is the arithmetic shift right by off; width 0 gives 0.
func SBfe(n int, a, off, width uint64) uint64 {
	off, width = modulo(n, off), modulo(n, width)
	if width == 0 {
		return 0
	}
	if off+width >= uint64(n) {
		return uint64(signed(n, a)>>off) & mask(n)
	}
	return uint64(signed(int(width), a>>off)) & mask(n)
}

// Bfi selects a where m has ones and b where it has zeros.
func Bfi(n int, m, a, b uint64) uint64 { return (m&a | ^m&b) & mask(n) }

// Bfm is width ones starting at bit off; off and width modulo n, bits beyond the top lost.
func Bfm(n int, width, off uint64) uint64 {
	return (1<<modulo(n, width) - 1) << modulo(n, off) & mask(n)
}

// BytePerm builds a 32-bit word from the eight bytes of a:b, b being bytes 0 to 3. Byte i of sel selects byte i of
// the result: 0-7 that byte; 8-11 eight copies of bit 15, 31, 47 or 63 of a:b; 12 zero; 13 and more 0xff. n is 32;
// higher bits are ignored.
func BytePerm(n int, a, b, sel uint64) uint64 {
	src := a<<32 | b&0xffffffff
	var r uint64
	for i := uint(0); i < 32; i += 8 {
		s := sel >> i & 0xff
		var v uint64
		switch {
		case s < 8:
			v = src >> (8 * s) & 0xff
		case s < 12:
			v = -(src >> (16*(s-8) + 15) & 1) & 0xff
		case s > 12:
			v = 0xff
		}
		r |= v << i
	}
	return r & mask(n)
}

// UDot4 is the sum of the products of the four bytes of a and b, unsigned, modulo 2^n.
func UDot4(n int, a, b uint64) (sum uint64) {
	for i := 0; i < 32; i += 8 {
		sum += (a >> i & 0xff) * (b >> i & 0xff)
	}
	return sum & mask(n)
}

// SDot4 is the same for signed bytes.
func SDot4(n int, a, b uint64) (sum uint64) {
	for i := 0; i < 32; i += 8 {
		sum += uint64(int64(int8(a>>i)) * int64(int8(b>>i)))
	}
	return sum & mask(n)
}
