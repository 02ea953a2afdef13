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

// floatOps64AVX2 returns the ops on f64 with AVX2: two vectors of four lanes, masks in vectors.
func floatOps64AVX2() []wide64Code {
	return []wide64Code{
		ir.FAdd:   arithmetic64(x86.VADDPD),
		ir.FSub:   arithmetic64(x86.VSUBPD),
		ir.FMul:   arithmetic64(x86.VMULPD),
		ir.FDiv:   arithmetic64(x86.VDIVPD),
		ir.FSqrt:  arithmetic64(x86.VSQRTPD),
		ir.FFma:   arithmetic64(x86.VFMADD213PD),
		ir.FLdexp: scale64AVX2,
		ir.FNeg:   bitsWith64(x86.VPXOR, sign64),
		ir.FAbs:   bitsWith64(x86.VPAND, sign64-1),
		ir.FEq:    compareF64AVX2(0x00),
		ir.FLt:    compareF64AVX2(0x11),
		ir.FLe:    compareF64AVX2(0x12),
		ir.FUnord: compareF64AVX2(unordered),
		ir.SToF:   fromInt32(x86.VCVTDQ2PD),
		ir.UToF:   fromUnsigned32AVX2,
		ir.FCvt:   convert64AVX2,
		ir.FToS:   f64ToSignedAVX2,
		ir.FToU:   f64ToUnsignedAVX2,
	}
}

// constant64 returns a register with a constant in all lanes: scratch i.
func (c *compiler) constant64(v uint64, i int) x86.Operand { return c.inRegister64(c.e.Word64(v), i) }

// finish64AVX2 applies the mode's rules for subnormals and NaNs to the rounded result r.
func (c *compiler) finish64AVX2(r x86.Operand, args []x86.Operand, m num.Mode) {
	a, t, q := c.a, c.scratch(4), c.scratch(5)
	if m.Has(num.FlushOut) && !m.Has(num.FlushUnbounded) {
		a.Emit(x86.VPAND, t, r, c.constant64(exponent64, 4))
		a.Emit(x86.VPXOR, q, q, q)
		a.Emit(x86.VPCMPEQQ, t, t, q)
		a.Emit(x86.VPAND, q, r, c.constant64(sign64, 5))
		a.Emit(x86.VBLENDVPD, r, r, q, t)
	}
	nan, order := nanOf(args, m)
	a.Emit(x86.VCMPPD, t, r, r, x86.Imm(unordered))
	done := a.NewLabel()
	a.Emit(x86.VTESTPD, t, t)
	a.Emit(x86.JE, x86.To(done))
	a.Emit(x86.VBLENDVPD, r, r, c.constant64(nan, 5), t)
	for i := len(order) - 1; i >= 0; i-- {
		a.Emit(x86.VCMPPD, t, order[i], order[i], x86.Imm(unordered))
		a.Emit(x86.VPOR, q, order[i], c.constant64(quietBit64, 5))
		a.Emit(x86.VBLENDVPD, r, r, q, t)
	}
	a.Bind(done)
}

// scale64AVX2 multiplies by 2^n in three steps, of which only the last rounds: if the first two give a subnormal, the
// last gives 0 when rounding to nearest, as the product is. The first two take the part of n that exceeds the exponent
// range.
func scale64AVX2(c *compiler, s *lower.Step) {
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
		c.finish64(c.halfResult(s, h), r, []x86.Operand{x}, s.Mode)
	}
}

// compareF64AVX2 is a comparison under the mode's rule for subnormal operands.
func compareF64AVX2(predicate int64) wide64Code {
	return func(c *compiler, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		for h := range 2 {
			x, y := c.inRegister64(c.half64(s.Args[0], h), 0), c.inRegister64(c.half64(s.Args[1], h), 1)
			c.a.Emit(x86.VCMPPD, c.scratch(2+h), x, y, x86.Imm(predicate))
		}
		t := c.scratch(2)
		c.gatherWords(t, t, c.scratch(3), lowWords)
		c.a.Emit(x86.VMOVUPS, c.result(s), t)
	}
}

// fromUnsigned32AVX2 places the number in the mantissa of 2^52 and subtracts 2^52. Both are exact; 0 gives +0 when
// rounding to nearest.
func fromUnsigned32AVX2(c *compiler, s *lower.Step) {
	c.e.Control(cpu.Masked)
	for h := range 2 {
		t := c.scratch(2)
		c.a.Emit(x86.VPMOVZXDQ, t, c.halfOfRow32(s.Args[0], h, 1))
		k := c.constant64(math.Float64bits(1<<52), 3)
		c.a.Emit(x86.VPOR, t, t, k)
		c.a.Emit(x86.VSUBPD, c.halfResult(s, h), t, k)
	}
}

// convert64AVX2 converts f32 to f64, which is exact except for subnormals and NaNs; or f64 to f32.
func convert64AVX2(c *compiler, s *lower.Step) {
	if s.Type == ir.F32 {
		f64ToF32AVX2(c, s)
		return
	}
	c.e.Control(emit.MXCSR(s.Mode))
	for h := range 2 {
		r, t := c.scratch(3), c.scratch(4)
		c.a.Emit(x86.VCVTPS2PD, r, c.halfOfRow32(s.Args[0], h, 1))
		if s.Mode.NaN() == num.NaNCanon {
			c.a.Emit(x86.VCMPPD, t, r, r, x86.Imm(unordered))
			c.a.Emit(x86.VBLENDVPD, r, r, c.constant64(positive64, 5), t)
		}
		c.a.Emit(x86.VMOVAPD, c.halfResult(s, h), r)
	}
}

// f64ToF32AVX2 rounds to f32.
func f64ToF32AVX2(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, r, t := c.a, c.scratch(2), c.scratch(4)
	for h := range 2 {
		a.Emit(x86.VCVTPD2PS, c.halfScratch(2+h), c.inRegister64(c.half64(s.Args[0], h), h))
	}
	a.Emit(x86.VINSERTI128, r, r, c.halfScratch(3), x86.Imm(1))
	if s.Mode.Has(num.FlushOut) && !s.Mode.Has(num.FlushUnbounded) {
		c.e.Flush(r)
	}
	if s.Mode.NaN() == num.NaNCanon {
		a.Emit(x86.VCMPPS, t, r, r, x86.Imm(unordered))
		a.Emit(x86.VBROADCASTSS, c.scratch(5), x86.RIP(c.e.Label(0x7fc00000)))
		a.Emit(x86.VBLENDVPS, r, r, c.scratch(5), t)
	}
	a.Emit(x86.VMOVUPS, c.result(s), r)
}

// f64ToSignedAVX2 converts to i32. It saturates, and a NaN gives 0.
func f64ToSignedAVX2(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, t := c.a, c.scratch(4)
	for h := range 2 {
		v := c.inRegister64(c.half64(s.Args[0], h), h)
		a.Emit(x86.VMINPD, t, v, c.constant64(math.Float64bits(math.MaxInt32), 5))
		a.Emit(x86.VCMPPD, c.scratch(5), v, v, x86.Imm(7)) // not a NaN
		a.Emit(x86.VPAND, t, t, c.scratch(5))
		a.Emit(x86.VCVTPD2DQ, c.halfScratch(2+h), t)
	}
	r := c.scratch(2)
	a.Emit(x86.VINSERTI128, r, r, c.halfScratch(3), x86.Imm(1))
	a.Emit(x86.VMOVUPS, c.result(s), r)
}

// f64ToUnsignedAVX2 converts non-negative numbers, and saturates: after 2^52 has been added the integer is in the low
// word of the pattern.
func f64ToUnsignedAVX2(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, zero := c.a, c.scratch(4)
	for h := range 2 {
		v, t := c.inRegister64(c.half64(s.Args[0], h), h), c.scratch(2+h)
		a.Emit(x86.VPXOR, zero, zero, zero)
		a.Emit(x86.VMAXPD, t, v, zero) // returns the second operand for a NaN
		a.Emit(x86.VMINPD, t, t, c.constant64(math.Float64bits(math.MaxUint32), 5))
		a.Emit(x86.VADDPD, t, t, c.constant64(math.Float64bits(1<<52), 5))
	}
	r := c.scratch(2)
	c.gatherWords(r, r, c.scratch(3), lowWords)
	a.Emit(x86.VMOVUPS, c.result(s), r)
}
