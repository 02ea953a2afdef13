package gen

import (
	"math"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// sign64 is the sign of an f64.
const sign64 = 1 << 63

// Predicates of VCMPPS and VCMPPD.
const (
	unordered = 3 // a NaN
	ordered   = 7
)

func newFloatOps64() []code64 {
	return []code64{
		ir.FAdd:   both(arithmetic64(x86.VADDPD)),
		ir.FSub:   both(arithmetic64(x86.VSUBPD)),
		ir.FMul:   both(arithmetic64(x86.VMULPD)),
		ir.FDiv:   both(arithmetic64(x86.VDIVPD)),
		ir.FSqrt:  both(arithmetic64(x86.VSQRTPD)),
		ir.FFma:   both(arithmetic64(x86.VFMADD213PD)),
		ir.FRcp:   both(reciprocal64),
		ir.FRndne: both(integral64(0)),
		ir.FFloor: both(integral64(1)),
		ir.FCeil:  both(integral64(2)),
		ir.FTrunc: both(integral64(3)),
		ir.FFract: both(fraction64),
		ir.FLdexp: {scale64, scale64AVX2},
		ir.FClass: both(class64),

		ir.FMinNum: both(extreme64(false)),
		ir.FMaxNum: both(extreme64(true)),
		ir.FMinSel: both(selected64(x86.VMINPD)),
		ir.FMaxSel: both(selected64(x86.VMAXPD)),
		ir.FNeg:    {bitsWith64(x86.VPXORQ, sign64), bitsWith64(x86.VPXOR, sign64)},
		ir.FAbs:    {bitsWith64(x86.VPANDQ, sign64-1), bitsWith64(x86.VPAND, sign64-1)},
		ir.FEq:     both(compareF64(0x00)),
		ir.FLt:     both(compareF64(0x11)),
		ir.FLe:     both(compareF64(0x12)),
		ir.FUnord:  both(compareF64(unordered)),
		ir.SToF:    both(fromInt32(x86.VCVTDQ2PD)),
		ir.UToF:    {fromInt32(x86.VCVTUDQ2PD), fromUnsigned32AVX2},
		ir.FCvt:    both(convert64),
		ir.FToS:    both(f64ToSigned),
		ir.FToU:    {f64ToUnsigned, f64ToUnsignedAVX2},
	}
}

// operands64 returns half h of the operands in registers.
func (c *loopEmitter) operands64(s *lower.Step, h int) (list []x86.Operand) {
	for i, p := range s.Args {
		list = append(list, c.inRegister64(c.half64(p, h), i))
	}
	return list
}

// arithmetic64 is an instruction that rounds.
func arithmetic64(op x86.Op) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		for h := range 2 {
			args, r := c.operands64(s, h), c.scratch(3)
			if op == x86.VFMADD213PD {
				c.a.Emit(x86.VMOVAPD, r, args[0])
				c.a.Emit(op, r, args[1], args[2])
			} else {
				c.a.Emit(op, append([]x86.Operand{r}, args...)...)
			}
			c.e.Finish64(c.halfResult(s, h), r, args, s.Mode, c.anyNaN())
		}
	}
}

// one64 is the bit pattern of 1.
const one64 = 0x3ff << 52

// reciprocal64 is a division, which the host rounds correctly.
func reciprocal64(c *loopEmitter, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	for h := range 2 {
		a, r := c.inRegister64(c.half64(s.Args[0], h), 0), c.scratch(3)
		c.a.Emit(x86.VDIVPD, r, c.inRegister64(c.e.Word64(one64), 1), a)
		c.e.Finish64(c.halfResult(s, h), r, []x86.Operand{a}, s.Mode, c.anyNaN())
	}
}

// toInteger64 rounds a to an integer; the direction is that of the instruction's immediate.
func (c *loopEmitter) toInteger64(r, a x86.Operand, direction int64) {
	op := x86.VROUNDPD
	if c.wide() {
		op = x86.VRNDSCALEPD
	}
	c.a.Emit(op, r, a, x86.Imm(8|direction))
}

// integral64 rounds to an integer.
func integral64(direction int64) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		for h := range 2 {
			a, r := c.inRegister64(c.half64(s.Args[0], h), 0), c.scratch(3)
			c.toInteger64(r, a, direction)
			c.e.Finish64(c.halfResult(s, h), r, []x86.Operand{a}, s.Mode, c.anyNaN())
		}
	}
}

// fraction64 is the operand less its floor, at most the largest number below 1.
func fraction64(c *loopEmitter, s *lower.Step) {
	control := emit.MXCSR(s.Mode)
	for h := range 2 {
		c.e.Control(control)
		a, floor, r := c.inRegister64(c.half64(s.Args[0], h), 0), c.scratch(1), c.scratch(3)
		c.toInteger64(floor, a, 1)
		c.a.Emit(x86.VSUBPD, r, a, floor)
		c.e.Finish64(r, r, []x86.Operand{a, floor}, s.Mode, false)
		c.e.Control(control &^ cpu.FlushOperands) // subnormals are kept
		c.a.Emit(x86.VMINPD, c.halfResult(s, h), c.inRegister64(c.e.Word64(one64-1), 2), r)
	}
}

// extreme64 is the minimum or maximum of numbers.
func extreme64(largest bool) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		for h := range 2 {
			args := [2]x86.Operand{c.inRegister64(c.half64(s.Args[0], h), 0), c.inRegister64(c.half64(s.Args[1], h), 1)}
			c.e.Extreme64(largest, c.halfResult(s, h), args, s.Mode)
		}
	}
}

// selected64 is a minimum or maximum instruction that returns its second operand unless the first is less, or greater.
func selected64(op x86.Op) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		for h := range 2 {
			a, b, r := c.inRegister64(c.half64(s.Args[0], h), 0), c.inRegister64(c.half64(s.Args[1], h), 1), c.scratch(3)
			c.a.Emit(op, r, a, b)
			c.e.FinishSelected64(c.halfResult(s, h), r, s.Mode)
		}
	}
}

// halfOfRow32 returns half h of a 32-bit per-lane operand.
func (c *loopEmitter) halfOfRow32(p lower.Place, h, i int) x86.Operand {
	if p.Kind != lower.InWord {
		return c.halfOfRow(p, h, i)
	}
	t := c.halfScratch(i)
	c.a.Emit(x86.VPBROADCASTD, t, x86.At(regWords, 8*p.At))
	return t
}

// scale64 is the scale instruction, which takes the exponent as a float.
func scale64(c *loopEmitter, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	for h := range 2 {
		a, n, r := c.inRegister64(c.half64(s.Args[0], h), 0), c.scratch(1), c.scratch(3)
		c.a.Emit(x86.VCVTDQ2PD, n, c.halfOfRow32(s.Args[1], h, 1))
		c.a.Emit(x86.VSCALEFPD, r, a, n)
		c.e.Finish64(c.halfResult(s, h), r, []x86.Operand{a}, emit.ScaleMode(s.Mode), c.anyNaN())
	}
}

// bitsWith64 is an op on the operand and a constant.
func bitsWith64(op x86.Op, with uint64) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
		for h := range 2 {
			a, k := c.inRegister64(c.half64(s.Args[0], h), 0), c.e.Word64(with)
			if !c.wide() {
				k = c.inRegister64(k, 1)
			}
			c.a.Emit(op, c.halfResult(s, h), a, k)
		}
	}
}

// compareF64 is a comparison under the mode's rule for subnormal operands.
func compareF64(predicate int64) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		compare64(x86.VCMPPD, predicate)(c, s)
	}
}

// class64 makes words of the upper halves, with the lowest bit set if the lower half is not zero, and classifies them.
func class64(c *loopEmitter, s *lower.Step) {
	a, highs := c.a, c.scratch(7)
	for h := range 2 {
		v, t := c.inRegister64(c.half64(s.Args[0], h), 0), c.scratch(2+h)
		a.Emit(x86.VPSLLQ, t, v, x86.Imm(32))
		a.Emit(x86.VPMINUD, t, t, c.constant64(1<<32|1, 4))
		c.e.Or(t, t, v)
	}
	c.everySecond(highs, c.scratch(2), c.scratch(3), 1)
	c.e.Class(c.result(s), highs, 20, s.Mode)
}

// fromInt32 converts integers, which is exact.
func fromInt32(op x86.Op) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
		for h := range 2 {
			from := c.halfOfRow32(s.Args[0], h, 1)
			c.a.Emit(op, c.halfResult(s, h), from)
		}
	}
}

// convert64 converts f32 to f64, which is exact except for subnormals and NaNs, or f64 to f32.
func convert64(c *loopEmitter, s *lower.Step) {
	if s.Type == ir.F32 {
		f64ToF32(c, s)
		return
	}
	c.e.Control(emit.MXCSR(s.Mode))
	for h := range 2 {
		r := c.scratch(3)
		c.a.Emit(x86.VCVTPS2PD, r, c.halfOfRow32(s.Args[0], h, 1))
		if d := c.halfResult(s, h); s.Mode.NaN() == num.NaNCanon {
			c.e.OneNaN64(d, r)
		} else {
			c.a.Emit(x86.VMOVAPD, d, r)
		}
	}
}

// f64ToF32 rounds to f32.
func f64ToF32(c *loopEmitter, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	r := c.scratch(2)
	for h := range 2 {
		c.a.Emit(x86.VCVTPD2PS, c.halfScratch(2+h), c.inRegister64(c.half64(s.Args[0], h), h))
	}
	c.joinHalves(r, 2)
	if s.Mode.Has(num.FlushOut) && !s.Mode.Has(num.FlushUnbounded) {
		c.e.Flush(r)
	}
	if s.Mode.NaN() == num.NaNCanon {
		c.e.OneNaN(r, r)
	}
	c.a.Emit(x86.VMOVUPS, c.result(s), r)
}

// f64ToSigned converts to i32. It saturates, and a NaN gives 0: out of range the host returns the minimum, which is
// wrong for positive numbers and NaNs.
func f64ToSigned(c *loopEmitter, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, t, u := c.a, c.scratch(4), c.scratch(5)
	for h := range 2 {
		v := c.inRegister64(c.half64(s.Args[0], h), h)
		if most := math.Float64bits(math.MaxInt32); c.wide() {
			a.Emit(x86.VMINPD, t, v, c.e.Word64(most))
			a.Emit(x86.VCMPPD, x86.K(6), v, v, x86.Imm(ordered))
			a.Emit(x86.VMOVAPD, t.Zero(x86.K(6)), t)
		} else {
			a.Emit(x86.VMINPD, t, v, c.constant64(most, 5))
			a.Emit(x86.VCMPPD, u, v, v, x86.Imm(ordered))
			a.Emit(x86.VPAND, t, t, u)
		}
		a.Emit(x86.VCVTPD2DQ, c.halfScratch(2+h), t)
	}
	c.joinHalves(c.result(s), 2)
}

// f64ToUnsigned converts non-negative numbers. Out of range the host returns all ones.
func f64ToUnsigned(c *loopEmitter, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, zero := c.a, c.scratch(4)
	a.Emit(x86.VPXORD, zero, zero, zero)
	for h := range 2 {
		v := c.inRegister64(c.half64(s.Args[0], h), h)
		a.Emit(x86.VMAXPD, c.scratch(5), v, zero) // returns the second operand for a NaN
		a.Emit(x86.VCVTPD2UDQ, c.halfScratch(2+h), c.scratch(5))
	}
	c.joinHalves(c.result(s), 2)
}

// scale64AVX2 multiplies by 2^n in three steps, of which only the last rounds: if the first two give a subnormal, the
// last gives 0 when rounding to nearest, as the product is. The first two take the part of n that exceeds the exponent
// range.
func scale64AVX2(c *loopEmitter, s *lower.Step) {
	a, control := c.a, emit.MXCSR(s.Mode)
	for h := range 2 {
		x, r := c.inRegister64(c.half64(s.Args[0], h), 0), c.scratch(3)
		rest, part := c.halfScratch(1), c.halfScratch(2)
		low, high := c.halfScratch(6), c.halfScratch(7)
		bound := func(d, o x86.Operand, least, most int32) {
			a.Emit(x86.VPBROADCASTD, low, x86.RIP(c.e.Label(uint32(least))))
			a.Emit(x86.VPBROADCASTD, high, x86.RIP(c.e.Label(uint32(most))))
			a.Emit(x86.VPMAXSD, d, low, o)
			a.Emit(x86.VPMINSD, d, d, high)
		}
		bound(rest, c.halfOfRow32(s.Args[1], h, 1), -2200, 2200)
		for i, k := range [3]x86.Operand{c.scratch(4), c.scratch(5), c.scratch(2)} { // the last factor first
			if i < 2 {
				bound(part, rest, -1022, 1023)
				a.Emit(x86.VPSUBD, rest, rest, part)
			} else {
				a.Emit(x86.VMOVDQA, part, rest)
			}
			a.Emit(x86.VPMOVSXDQ, k, part)
			a.Emit(x86.VPADDQ, k, k, c.constant64(1023, 6))
			a.Emit(x86.VPSLLQ, k, k, x86.Imm(52))
		}
		c.e.Control(control &^ cpu.FlushResults)
		a.Emit(x86.VMULPD, r, x, c.scratch(2))
		a.Emit(x86.VMULPD, r, r, c.scratch(5))
		c.e.Control(control)
		a.Emit(x86.VMULPD, r, r, c.scratch(4))
		c.e.Finish64(c.halfResult(s, h), r, []x86.Operand{x}, s.Mode, c.anyNaN())
	}
}

// fromUnsigned32AVX2 places the number in the mantissa of 2^52 and subtracts 2^52. Both are exact; 0 gives +0 when
// rounding to nearest.
func fromUnsigned32AVX2(c *loopEmitter, s *lower.Step) {
	c.e.Control(cpu.Masked)
	for h := range 2 {
		t := c.scratch(2)
		c.a.Emit(x86.VPMOVZXDQ, t, c.halfOfRow32(s.Args[0], h, 1))
		k := c.constant64(math.Float64bits(1<<52), 3)
		c.a.Emit(x86.VPOR, t, t, k)
		c.a.Emit(x86.VSUBPD, c.halfResult(s, h), t, k)
	}
}

// f64ToUnsignedAVX2 converts non-negative numbers, and saturates: after 2^52 has been added the integer is in the low
// word of the pattern.
func f64ToUnsignedAVX2(c *loopEmitter, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, zero := c.a, c.scratch(4)
	for h := range 2 {
		v, t := c.inRegister64(c.half64(s.Args[0], h), h), c.scratch(2+h)
		a.Emit(x86.VPXOR, zero, zero, zero)
		a.Emit(x86.VMAXPD, t, v, zero) // returns the second operand for a NaN
		a.Emit(x86.VMINPD, t, t, c.constant64(math.Float64bits(math.MaxUint32), 5))
		a.Emit(x86.VADDPD, t, t, c.constant64(math.Float64bits(1<<52), 5))
	}
	c.gatherWords(c.result(s), c.scratch(2), c.scratch(3), lowWords)
}
