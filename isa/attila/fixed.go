package attila

import (
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// A fixed is a number of sign and magnitude. The unit has B fraction bits in sources, 16 whole bits above them, and 2B
// in products and the accumulator, 32 whole bits above them; magnitudes are kept in units of the last fraction bit.
// isa/attila.md section 8.
type fixed struct {
	minus V // i1
	mag   V // i64
}

func fxpBits(l *isa.Lift) int {
	n, err := strconv.Atoi(l.Option(OptFxpBits))
	if err != nil || n < 1 || n > 15 {
		l.Fail(ir.TrapUnimplemented, "option "+OptFxpBits+" must be 1 to 15")
		return 8
	}
	return n
}

// toFixed converts a float: the magnitude is cut to b fraction bits, the whole part to 16 bits. From 2^24 on it is
// 0x7fff, infinity is all ones, NaN is 0.
func toFixed(l *isa.Lift, a V, b int) fixed {
	defer l.Float(floatMode.WithRound(num.RZ))()
	abs := a.FAbs()
	all := uint64(1)<<(16+b) - 1
	scaled := abs.FCvt(ir.F64).FLdexp(l.I32(uint32(b))).FToU(ir.I64)
	mag := scaled.And(l.I64(all))
	mag = real(a, 1<<24).FLe(abs).Select(l.I64(0x7fff<<b), mag)
	mag = abs.As(ir.I32).Eq(l.I32(0x7f800000)).Select(l.I64(all), mag)
	nan := a.FUnord(a)
	return fixed{a.As(ir.I32).SLt(l.I32(0)).And(nan.Not()), nan.Select(l.I64(0), mag)}
}

// product is x * y, modulo 2^32 whole parts.
func product(l *isa.Lift, x, y fixed, b int) fixed {
	return fixed{x.minus.Xor(y.minus), cut(l, x.mag.Mul(y.mag), b)}
}

func cut(l *isa.Lift, mag V, b int) V { return mag.And(l.I64(1<<(32+2*b) - 1)) }

// sum is x + y; where they cancel out it keeps the sign of x.
func sum(l *isa.Lift, x, y fixed, b int) fixed {
	less := x.mag.ULt(y.mag)
	apart := less.Select(y.mag.Sub(x.mag), x.mag.Sub(y.mag))
	alike := x.minus.Xor(y.minus).Not()
	return fixed{less.And(alike.Not()).Select(y.minus, x.minus), alike.Select(cut(l, x.mag.Add(y.mag), b), apart)}
}

// toFloat is the sum of whole part and fraction, each rounded to a single.
func toFloat(l *isa.Lift, x fixed, b int) V {
	whole := x.mag.ShrU(l.I64(uint64(2 * b))).UToF(ir.F32)
	part := x.mag.And(l.I64(1<<(2*b) - 1)).UToF(ir.F32).FLdexp(l.I32(uint32(-2 * b)))
	return x.minus.Select(whole.FNeg().FAdd(part.FNeg()), whole.FAdd(part))
}

// acc is word w of component c of the accumulator: 0 sign, 1 whole part, 2 and 3 the fraction, left-justified.
func acc(c, w int) ir.Cell { return ir.Cell{File: FileAcc, Index: uint16(4*c + w)} }

func readAcc(l *isa.Lift, c, b int) fixed {
	get := func(w int) V { return l.Get(acc(c, w), ir.I32) }
	frac := get(2).Pack(get(3), ir.I64).ShrU(l.I64(uint64(64 - 2*b)))
	return fixed{get(0).Ne(l.I32(0)), get(1).ZExt(ir.I64).Shl(l.I64(uint64(2 * b))).Or(frac)}
}

func writeAcc(l *isa.Lift, c int, x fixed, b int) {
	m := mask(l)
	lo, hi := x.mag.Shl(l.I64(uint64(64 - 2*b))).Unpack(ir.I32)
	l.Set(acc(c, 0), x.minus.ZExt(ir.I32), m)
	l.Set(acc(c, 1), x.mag.ShrU(l.I64(uint64(2*b))).Trunc(ir.I32), m)
	l.Set(acc(c, 2), lo, m)
	l.Set(acc(c, 3), hi, m)
}

// times is component c of source 1 times that of source 2.
func times(l *isa.Lift, c, b int) fixed {
	return product(l, toFixed(l, read(l, 0, c), b), toFixed(l, read(l, 1, c), b), b)
}

// accumulate writes f of each component that the mask names to the accumulator.
func accumulate(l *isa.Lift, f func(c, b int) fixed) {
	b := fxpBits(l)
	var out [4]fixed
	for c := range out {
		if writeMask(l, c) {
			out[c] = f(c, b)
		}
	}
	for c, x := range out {
		if writeMask(l, c) {
			writeAcc(l, c, x, b)
		}
	}
}

func fxmul(l *isa.Lift) {
	accumulate(l, func(c, b int) fixed { return times(l, c, b) })
}

func fxmad2(l *isa.Lift) {
	accumulate(l, func(c, b int) fixed {
		x := toFixed(l, read(l, 2, c), b)
		x.mag = x.mag.Shl(l.I64(uint64(b)))
		return sum(l, times(l, c, b), x, b)
	})
}

// fxmad d, a, b, c: the third source is read and does not matter.
func fxmad(l *isa.Lift) {
	b := fxpBits(l)
	write(l, masked(l, func(l *isa.Lift, c int) V { return toFloat(l, sum(l, times(l, c, b), readAcc(l, c, b), b), b) }))
}
