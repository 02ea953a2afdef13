package attila

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// A fixed is a number in sign-magnitude form. The unit has B fraction bits in sources, with 16 integer bits above
// them, and 2B in products and the accumulator, with 32 integer bits above them; magnitudes are in units of the last
// fraction bit. docs/reference/attila.md 8.
type fixed struct {
	minus V // i1
	mag   V // i64; all ones if inf
	inf   V // i1: an infinite source
}

// fxpBits is B.
func fxpBits(l *isa.Lift) int { return fractionBits[l.Option(optFxpBits)] }

// toFixed converts a float to units of 2^-frac: the magnitude is truncated to b fraction bits, the integer part to 16
// bits. From 2^24 on it is 0x7fff, NaN is 0, and infinity has more ones than the unit has bits.
func toFixed(l *isa.Lift, a V, b, frac int) fixed {
	defer l.Float(floatMode.WithRound(num.RZ))()
	abs := a.FAbs()
	scaled := abs.FCvt(ir.F64).FLdexp(l.I32(uint32(b))).FToU(ir.I64)
	mag := scaled.And(l.I64(1<<(16+b) - 1)).Shl(l.I64(uint64(frac - b)))
	mag = real(a, 1<<24).FLe(abs).Select(l.I64(0x7fff<<frac), mag)
	inf := abs.As(ir.I32).Eq(l.I32(0x7f800000))
	nan := a.FUnord(a)
	mag = inf.Select(l.I64(1<<(32+frac)-1), nan.Select(l.I64(0), mag))
	return fixed{a.As(ir.I32).SLt(l.I32(0)).And(nan.Not()), mag, inf}
}

// product is x * y, modulo 2^32 in the integer part. An infinite x counts as all ones of the accumulator, an infinite
// y as just below 2^64: times anything but 0 that is also all ones of the accumulator.
func product(l *isa.Lift, x, y fixed, b int) fixed {
	zero, fraction := l.I64(0), l.I64(1<<b-1)
	up := y.mag.Add(fraction).ShrU(l.I64(uint64(b)))
	infX := y.mag.And(fraction).Shl(l.I64(uint64(32 + b))).Sub(up)
	infY := x.mag.Eq(zero).Select(zero, l.I64(^uint64(0)))
	mag := y.inf.Select(infY, x.inf.Select(infX, x.mag.Mul(y.mag)))
	return fixed{x.minus.Xor(y.minus), cut(l, mag, b), l.I1(false)}
}

// cut truncates to the bits of the accumulator.
func cut(l *isa.Lift, mag V, b int) V { return mag.And(l.I64(1<<(32+2*b) - 1)) }

// sum is x + y, x finite; if the sum is zero it keeps the sign of x.
func sum(l *isa.Lift, x, y fixed, b int) fixed {
	less := x.mag.ULt(y.mag).Or(y.inf)
	apart := less.Select(y.mag.Sub(x.mag), x.mag.Sub(y.mag))
	alike := x.minus.Xor(y.minus).Not()
	minus := less.And(alike.Not()).Select(y.minus, x.minus)
	return fixed{minus, alike.Select(cut(l, x.mag.Add(y.mag), b), apart), l.I1(false)}
}

// toFloat returns the sum of integer part and fraction, each rounded to a single.
func toFloat(l *isa.Lift, x fixed, b int) V {
	whole := x.mag.ShrU(l.I64(uint64(2 * b))).UToF(ir.F32)
	part := x.mag.And(l.I64(1<<(2*b) - 1)).UToF(ir.F32).FLdexp(l.I32(uint32(-2 * b)))
	return x.minus.Select(whole.FNeg().FAdd(part.FNeg()), whole.FAdd(part))
}

// acc returns word w of component c of the accumulator: 0 sign, 1 integer part, 2 and 3 the fraction, left-justified.
func acc(c, w int) ir.Cell { return ir.Cell{File: FileAcc, Index: uint16(4*c + w)} }

func readAcc(l *isa.Lift, c, b int) fixed {
	get := func(w int) V { return l.Get(acc(c, w), ir.I32) }
	frac := get(2).Pack(get(3), ir.I64).ShrU(l.I64(uint64(64 - 2*b)))
	return fixed{get(0).Ne(l.I32(0)), get(1).ZExt(ir.I64).Shl(l.I64(uint64(2 * b))).Or(frac), l.I1(false)}
}

func writeAcc(l *isa.Lift, c int, x fixed, b int) {
	m := mask(l)
	lo, hi := x.mag.Shl(l.I64(uint64(64 - 2*b))).Unpack(ir.I32)
	l.Set(acc(c, 0), x.minus.ZExt(ir.I32), m)
	l.Set(acc(c, 1), x.mag.ShrU(l.I64(uint64(2*b))).Trunc(ir.I32), m)
	l.Set(acc(c, 2), lo, m)
	l.Set(acc(c, 3), hi, m)
}

// times returns component c of source 1 times that of source 2.
func times(l *isa.Lift, c, b int) fixed {
	return product(l, toFixed(l, read(l, 0, c), b, b), toFixed(l, read(l, 1, c), b, b), b)
}

// accumulate writes f of each component in the mask to the accumulator.
func accumulate(l *isa.Lift, f func(c, b int) fixed) {
	b := fxpBits(l)
	var out [4]fixed
	for c := range out {
		if named(l, c) {
			out[c] = f(c, b)
		}
	}
	for c, x := range out {
		if named(l, c) {
			writeAcc(l, c, x, b)
		}
	}
}

func fxmul(l *isa.Lift) {
	accumulate(l, func(c, b int) fixed { return times(l, c, b) })
}

func fxmad2(l *isa.Lift) {
	accumulate(l, func(c, b int) fixed {
		return sum(l, times(l, c, b), toFixed(l, read(l, 2, c), b, 2*b), b)
	})
}

// fxmad d, a, b, c: the third source is read and ignored.
func fxmad(l *isa.Lift) {
	b := fxpBits(l)
	write(l, masked(l, func(l *isa.Lift, c int) V { return toFloat(l, sum(l, times(l, c, b), readAcc(l, c, b), b), b) }))
}
