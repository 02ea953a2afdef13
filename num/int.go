package num

import "math/bits"

// mask has the low n bits set. It is total: the shift count is reduced modulo 64.
func mask(n int) uint64 { return ^uint64(0) >> (uint(64-n) & 63) }

// signed returns a as an n-bit two's complement number.
func signed(n int, a uint64) int64 {
	s := uint(64-n) & 63
	return int64(a<<s) >> s
}

// modulo is c modulo n, without a division for the usual widths.
func modulo(n int, c uint64) uint64 {
	if n&(n-1) == 0 {
		return c & uint64(n-1)
	}
	return c % uint64(n)
}

// truth is 1 for true.
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Add is a+b modulo 2^n.
func Add(n int, a, b uint64) uint64 { return (a + b) & mask(n) }

// Sub is a-b modulo 2^n.
func Sub(n int, a, b uint64) uint64 { return (a - b) & mask(n) }

// Mul is the low n bits of a*b; they are the same for signed and unsigned operands.
func Mul(n int, a, b uint64) uint64 { return a * b & mask(n) }

// MulHiU is the high n bits of the 2n-bit unsigned product.
func MulHiU(n int, a, b uint64) uint64 {
	_, hi := MulWideU(n, a, b)
	return hi
}

// MulHiS is the high n bits of the 2n-bit signed product.
func MulHiS(n int, a, b uint64) uint64 {
	_, hi := MulWideS(n, a, b)
	return hi
}

// MulWideU is the 2n-bit unsigned product, low half first.
func MulWideU(n int, a, b uint64) (lo, hi uint64) {
	h, l := bits.Mul64(a, b)
	s := uint(n) & 127
	return l & mask(n), (h<<(64-s) | l>>s) & mask(n)
}

// MulWideS is the 2n-bit signed product, low half first.
func MulWideS(n int, a, b uint64) (lo, hi uint64) {
	lo, hi = MulWideU(n, a, b)
	if signed(n, a) < 0 {
		hi -= b
	}
	if signed(n, b) < 0 {
		hi -= a
	}
	return lo, hi & mask(n)
}

// And is the bitwise and.
func And(n int, a, b uint64) uint64 { return a & b & mask(n) }

// Or is the bitwise or.
func Or(n int, a, b uint64) uint64 { return (a | b) & mask(n) }

// Xor is the bitwise exclusive or.
func Xor(n int, a, b uint64) uint64 { return (a ^ b) & mask(n) }

// Not flips all n bits.
func Not(n int, a uint64) uint64 { return ^a & mask(n) }

// Neg is -a modulo 2^n; the smallest signed number is its own negative.
func Neg(n int, a uint64) uint64 { return -a & mask(n) }

// Shl is a shifted left by b modulo n.
func Shl(n int, a, b uint64) uint64 { return a << modulo(n, b) & mask(n) }

// ShrU is a shifted right by b modulo n, zeros coming in.
func ShrU(n int, a, b uint64) uint64 { return a & mask(n) >> modulo(n, b) }

// ShrS is a shifted right by b modulo n, copies of the sign bit coming in.
func ShrS(n int, a, b uint64) uint64 { return uint64(signed(n, a)>>modulo(n, b)) & mask(n) }

// ShlX is a shifted left by b, all of it: 0 if b >= n.
func ShlX(n int, a, b uint64) uint64 { return a << b & mask(n) }

// ShrUX is a shifted right by b, all of it: 0 if b >= n.
func ShrUX(n int, a, b uint64) uint64 { return a & mask(n) >> b }

// ShrSX is a shifted right by b, all of it, arithmetically: n copies of the sign bit if b >= n.
func ShrSX(n int, a, b uint64) uint64 { return uint64(signed(n, a)>>b) & mask(n) }

// Ror is a rotated right by b modulo n.
func Ror(n int, a, b uint64) uint64 { return FShr(n, a, a, b) }

// FShr is the low n bits of hi:lo shifted right by count modulo n.
func FShr(n int, hi, lo, count uint64) uint64 {
	c := modulo(n, count)
	return (hi<<(uint64(n)-c) | lo&mask(n)>>c) & mask(n)
}

// UMin is the lesser of two unsigned numbers.
func UMin(n int, a, b uint64) uint64 { return min(a&mask(n), b&mask(n)) }

// UMax is the greater of two unsigned numbers.
func UMax(n int, a, b uint64) uint64 { return max(a&mask(n), b&mask(n)) }

// SMin is the lesser of two signed numbers.
func SMin(n int, a, b uint64) uint64 { return uint64(min(signed(n, a), signed(n, b))) & mask(n) }

// SMax is the greater of two signed numbers.
func SMax(n int, a, b uint64) uint64 { return uint64(max(signed(n, a), signed(n, b))) & mask(n) }

// UAbsDiff is |a-b| of unsigned numbers.
func UAbsDiff(n int, a, b uint64) uint64 { return UMax(n, a, b) - UMin(n, a, b) }

// SAbsDiff is |a-b| of signed numbers, as an unsigned n-bit number: it always fits.
func SAbsDiff(n int, a, b uint64) uint64 {
	return uint64(max(signed(n, a), signed(n, b))-min(signed(n, a), signed(n, b))) & mask(n)
}

// UAddSat is a+b of unsigned numbers, 2^n-1 if that is too large.
func UAddSat(n int, a, b uint64) uint64 {
	r, c := AddC(n, a, b, 0)
	return r | -c&mask(n)
}

// USubSat is a-b of unsigned numbers, 0 if that is negative.
func USubSat(n int, a, b uint64) uint64 {
	r, c := SubB(n, a, b, 0)
	return r &^ -c
}

// SAddSat is a+b of signed numbers, the nearest n-bit number if that does not fit.
func SAddSat(n int, a, b uint64) uint64 {
	r, ov := AddOv(n, a, b)
	return saturate(n, r, ov)
}

// SSubSat is a-b of signed numbers, the nearest n-bit number if that does not fit.
func SSubSat(n int, a, b uint64) uint64 {
	r, ov := SubOv(n, a, b)
	return saturate(n, r, ov)
}

// saturate replaces a wrapped signed result: a negative result of an overflow was too large.
func saturate(n int, r, ov uint64) uint64 {
	if ov == 0 {
		return r
	}
	top := mask(n) &^ (mask(n) >> 1)
	if r&top != 0 {
		return top - 1
	}
	return top
}

// AddC is a+b+cin modulo 2^n and the carry out; only bit 0 of cin is used.
func AddC(n int, a, b, cin uint64) (sum, cout uint64) {
	s, c := bits.Add64(a&mask(n), b&mask(n), cin&1)
	return s & mask(n), c | s>>(uint(n)&127)
}

// SubB is a-b-bin modulo 2^n and the borrow, 1 if the true difference is negative; only bit 0 of bin is used.
func SubB(n int, a, b, bin uint64) (diff, borrow uint64) {
	d, c := bits.Sub64(a&mask(n), b&mask(n), bin&1)
	return d & mask(n), c
}

// AddOv is a+b modulo 2^n and 1 if the signed sum does not fit.
func AddOv(n int, a, b uint64) (r, ov uint64) {
	r = (a + b) & mask(n)
	return r, (a ^ r) & (b ^ r) >> (uint(n-1) & 63) & 1
}

// SubOv is a-b modulo 2^n and 1 if the signed difference does not fit.
func SubOv(n int, a, b uint64) (r, ov uint64) {
	r = (a - b) & mask(n)
	return r, (a ^ b) & (a ^ r) >> (uint(n-1) & 63) & 1
}

// Eq is 1 if a == b.
func Eq(n int, a, b uint64) uint64 { return truth((a^b)&mask(n) == 0) }

// Ne is 1 if a != b.
func Ne(n int, a, b uint64) uint64 { return truth((a^b)&mask(n) != 0) }

// ULt is 1 if a < b, unsigned.
func ULt(n int, a, b uint64) uint64 { return truth(a&mask(n) < b&mask(n)) }

// ULe is 1 if a <= b, unsigned.
func ULe(n int, a, b uint64) uint64 { return truth(a&mask(n) <= b&mask(n)) }

// SLt is 1 if a < b, signed.
func SLt(n int, a, b uint64) uint64 { return truth(signed(n, a) < signed(n, b)) }

// SLe is 1 if a <= b, signed.
func SLe(n int, a, b uint64) uint64 { return truth(signed(n, a) <= signed(n, b)) }

// Trunc is the low to bits of a.
func Trunc(from, to int, a uint64) uint64 { return a & mask(from) & mask(to) }

// ZExt zero-extends a. A narrower to truncates.
func ZExt(from, to int, a uint64) uint64 { return a & mask(from) & mask(to) }

// SExt sign-extends a. A narrower to truncates.
func SExt(from, to int, a uint64) uint64 { return uint64(signed(from, a)) & mask(to) }
