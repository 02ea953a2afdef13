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

// narrowFloats returns the ops on f64 with AVX2: two vectors of four lanes, masks in vectors.
func narrowFloats() []quadCode {
	return []quadCode{
		ir.FAdd:   quadFloat(x86.VADDPD),
		ir.FSub:   quadFloat(x86.VSUBPD),
		ir.FMul:   quadFloat(x86.VMULPD),
		ir.FDiv:   quadFloat(x86.VDIVPD),
		ir.FSqrt:  quadFloat(x86.VSQRTPD),
		ir.FFma:   quadFloat(x86.VFMADD213PD),
		ir.FLdexp: narrowScale,
		ir.FNeg:   quadNumber(x86.VPXOR, sign64),
		ir.FAbs:   quadNumber(x86.VPAND, sign64-1),
		ir.FEq:    narrowOrder(0x00),
		ir.FLt:    narrowOrder(0x11),
		ir.FLe:    narrowOrder(0x12),
		ir.FUnord: narrowOrder(unordered),
		ir.SToF:   quadFrom(x86.VCVTDQ2PD),
		ir.UToF:   narrowFromUnsigned,
		ir.FCvt:   narrowWiden,
		ir.FToS:   narrowToSigned,
		ir.FToU:   narrowToUnsigned,
	}
}

// constant returns a register with a constant in all lanes: scratch i.
func (c *compiler) constant(v uint64, i int) x86.Operand { return c.inVector(c.e.Word64(v), i) }

// narrowFinish applies the mode's rules for subnormals and NaNs to the rounded result r.
func (c *compiler) narrowFinish(r x86.Operand, args []x86.Operand, m num.Mode) {
	a, t, q := c.a, c.scratch(4), c.scratch(5)
	if m.Has(num.FlushOut) && !m.Has(num.FlushUnbounded) {
		a.Emit(x86.VPAND, t, r, c.constant(exponent64, 4))
		a.Emit(x86.VPXOR, q, q, q)
		a.Emit(x86.VPCMPEQQ, t, t, q)
		a.Emit(x86.VPAND, q, r, c.constant(sign64, 5))
		a.Emit(x86.VBLENDVPD, r, r, q, t)
	}
	nan, order := nanOf(args, m)
	a.Emit(x86.VCMPPD, t, r, r, x86.Imm(unordered))
	done := a.NewLabel()
	a.Emit(x86.VTESTPD, t, t)
	a.Emit(x86.JE, x86.To(done))
	a.Emit(x86.VBLENDVPD, r, r, c.constant(nan, 5), t)
	for i := len(order) - 1; i >= 0; i-- {
		a.Emit(x86.VCMPPD, t, order[i], order[i], x86.Imm(unordered))
		a.Emit(x86.VPOR, q, order[i], c.constant(quietBit64, 5))
		a.Emit(x86.VBLENDVPD, r, r, q, t)
	}
	a.Bind(done)
}

// narrowScale multiplies by 2^n in three steps, of which only the last rounds: if the first two give a subnormal, the
// last gives 0 when rounding to nearest, as the product is. The first two take the part of n that exceeds the exponent
// range.
func narrowScale(c *compiler, s *lower.Step) {
	a, control := c.a, emit.MXCSR(s.Mode)
	for h := range 2 {
		x, r := c.inVector(c.quad(s.Args[0], h), 0), c.scratch(3)
		rest, part := c.halfScratch(1), c.halfScratch(2)
		low, high := c.halfScratch(6), c.halfScratch(7)
		bound := func(d, o x86.Operand, least, most int32) {
			a.Emit(x86.VPBROADCASTD, low, x86.RIP(c.e.Label(uint32(least))))
			a.Emit(x86.VPBROADCASTD, high, x86.RIP(c.e.Label(uint32(most))))
			a.Emit(x86.VPMAXSD, d, low, o)
			a.Emit(x86.VPMINSD, d, d, high)
		}
		bound(rest, c.row32(s.Args[1], h, 1), -2200, 2200)
		for i, k := range [3]x86.Operand{c.scratch(4), c.scratch(5), c.scratch(2)} { // the last factor first
			if i < 2 {
				bound(part, rest, -1022, 1023)
				a.Emit(x86.VPSUBD, rest, rest, part)
			} else {
				a.Emit(x86.VMOVDQA, part, rest)
			}
			a.Emit(x86.VPMOVSXDQ, k, part)
			a.Emit(x86.VPADDQ, k, k, c.constant(1023, 6))
			a.Emit(x86.VPSLLQ, k, k, x86.Imm(52))
		}
		c.e.Control(control &^ cpu.FlushResults)
		a.Emit(x86.VMULPD, r, x, c.scratch(2))
		a.Emit(x86.VMULPD, r, r, c.scratch(5))
		c.e.Control(control)
		a.Emit(x86.VMULPD, r, r, c.scratch(4))
		c.finish64(c.quadResult(s, h), r, []x86.Operand{x}, s.Mode)
	}
}

// narrowOrder is a comparison under the mode's rule for subnormal operands.
func narrowOrder(predicate int64) quadCode {
	return func(c *compiler, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		for h := range 2 {
			x, y := c.inVector(c.quad(s.Args[0], h), 0), c.inVector(c.quad(s.Args[1], h), 1)
			c.a.Emit(x86.VCMPPD, c.scratch(2+h), x, y, x86.Imm(predicate))
		}
		t := c.scratch(2)
		c.joined(t, t, c.scratch(3), lowWords)
		c.a.Emit(x86.VMOVUPS, c.result(s), t)
	}
}

// narrowFromUnsigned places the number in the mantissa of 2^52 and subtracts 2^52. Both are exact; 0 gives +0 when
// rounding to nearest.
func narrowFromUnsigned(c *compiler, s *lower.Step) {
	c.e.Control(cpu.Masked)
	for h := range 2 {
		t := c.scratch(2)
		c.a.Emit(x86.VPMOVZXDQ, t, c.row32(s.Args[0], h, 1))
		k := c.constant(math.Float64bits(1<<52), 3)
		c.a.Emit(x86.VPOR, t, t, k)
		c.a.Emit(x86.VSUBPD, c.quadResult(s, h), t, k)
	}
}

// narrowWiden converts f32 to f64, which is exact except for subnormals and NaNs; narrowNarrow below is the inverse.
func narrowWiden(c *compiler, s *lower.Step) {
	if s.Type == ir.F32 {
		narrowNarrow(c, s)
		return
	}
	c.e.Control(emit.MXCSR(s.Mode))
	for h := range 2 {
		r, t := c.scratch(3), c.scratch(4)
		c.a.Emit(x86.VCVTPS2PD, r, c.row32(s.Args[0], h, 1))
		if s.Mode.NaN() == num.NaNCanon {
			c.a.Emit(x86.VCMPPD, t, r, r, x86.Imm(unordered))
			c.a.Emit(x86.VBLENDVPD, r, r, c.constant(positive64, 5), t)
		}
		c.a.Emit(x86.VMOVAPD, c.quadResult(s, h), r)
	}
}

// narrowNarrow rounds to f32.
func narrowNarrow(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, r, t := c.a, c.scratch(2), c.scratch(4)
	for h := range 2 {
		a.Emit(x86.VCVTPD2PS, c.halfScratch(2+h), c.inVector(c.quad(s.Args[0], h), h))
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

// narrowToSigned converts to i32. It saturates, and a NaN gives 0.
func narrowToSigned(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, t := c.a, c.scratch(4)
	for h := range 2 {
		v := c.inVector(c.quad(s.Args[0], h), h)
		a.Emit(x86.VMINPD, t, v, c.constant(math.Float64bits(math.MaxInt32), 5))
		a.Emit(x86.VCMPPD, c.scratch(5), v, v, x86.Imm(7)) // not a NaN
		a.Emit(x86.VPAND, t, t, c.scratch(5))
		a.Emit(x86.VCVTPD2DQ, c.halfScratch(2+h), t)
	}
	r := c.scratch(2)
	a.Emit(x86.VINSERTI128, r, r, c.halfScratch(3), x86.Imm(1))
	a.Emit(x86.VMOVUPS, c.result(s), r)
}

// narrowToUnsigned converts non-negative numbers, and saturates: after 2^52 has been added the integer is in the low
// word of the pattern.
func narrowToUnsigned(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, zero := c.a, c.scratch(4)
	for h := range 2 {
		v, t := c.inVector(c.quad(s.Args[0], h), h), c.scratch(2+h)
		a.Emit(x86.VPXOR, zero, zero, zero)
		a.Emit(x86.VMAXPD, t, v, zero) // returns the second operand for a NaN
		a.Emit(x86.VMINPD, t, t, c.constant(math.Float64bits(math.MaxUint32), 5))
		a.Emit(x86.VADDPD, t, t, c.constant(math.Float64bits(1<<52), 5))
	}
	r := c.scratch(2)
	c.joined(r, r, c.scratch(3), lowWords)
	a.Emit(x86.VMOVUPS, c.result(s), r)
}
