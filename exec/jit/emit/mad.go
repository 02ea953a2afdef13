package emit

import (
	"github.com/heddle-gpu/heddle/exec/jit/cpu"
	"github.com/heddle-gpu/heddle/exec/jit/x86"
	"github.com/heddle-gpu/heddle/num"
)

// multiplyAdd cuts the product, which f64 holds, to 24 bits, and adds in f64. Where that is not exact the lowest bit becomes 1, so that
// rounding to f32 rounds once. Lanes whose last operand is zero take the sum of the rounded product instead.
func multiplyAdd(e *Emitter, c *Call) {
	var regs [3]x86.Operand
	args, r := e.all(c, &regs), e.own(result)
	m := c.Mode.Without(num.FlushUnbounded)
	sum, odd := m, (*Emitter).oddSum
	if e.bits < 512 { // where instructions do not bring their rounding
		sum, odd = m.WithRound(num.RNE), (*Emitter).oddSum256
	}
	for h := range 2 {
		e.Control(MXCSR(sum) &^ cpu.FlushResults)
		e.cutProduct(args, h)
		odd(e, m)
		e.arithmetic(x86.VCVTPD2PS, e.half(4), []x86.Operand{e.own(4)}, m)
		if h == 0 {
			e.Asm.Emit(x86.VMOVAPS, r, e.own(4))
		} else {
			e.Asm.Emit(e.either(x86.VINSERTF32X8, x86.VINSERTF128), r, r, e.half(4), x86.Imm(1))
		}
	}
	if m.Has(num.FlushOut) {
		e.Flush(r)
	}
	e.zeroSum(r, args, c.Mode)
	e.nans(c.Dst, r, args, c.Mode)
}

// cutProduct leaves the product of half h in register 4, and what is to be added in register 6, as f64.
func (e *Emitter) cutProduct(args []x86.Operand, h int) {
	a, p, t := e.Asm, e.own(4), e.own(5)
	for i, o := range args {
		d := e.own(4 + i)
		if h == 0 {
			a.Emit(x86.VMOVAPS, d, o)
		} else {
			a.Emit(e.either(x86.VEXTRACTF32X8, x86.VEXTRACTF128), e.half(4+i), o, x86.Imm(1))
		}
		a.Emit(x86.VCVTPS2PD, d, e.half(4+i))
	}
	a.Emit(x86.VMULPD, p, p, t)
	e.ones(t)
	a.Emit(x86.VPSLLQ, t, t, x86.Imm(29))
	e.and(p, p, t)
}

// ones sets all bits.
func (e *Emitter) ones(t x86.Operand) {
	if e.bits == 512 {
		e.Asm.Emit(x86.VPTERNLOGD, t, t, t, x86.Imm(0xff))
	} else {
		e.Asm.Emit(x86.VPCMPEQD, t, t, t)
	}
}

// oddSum leaves the sum of registers 4 and 6 in 4: rounded to 0, with the lowest bit set if that was not exact.
func (e *Emitter) oddSum(m num.Mode) {
	a, p, t, u, down := e.Asm, e.own(4), e.own(5), e.own(6), e.own(7)
	a.Emit(x86.VADDPD, down, p, u, x86.RoundDown)
	a.Emit(x86.VADDPD, t, p, u, x86.RoundUp)
	a.Emit(x86.VADDPD, p, p, u, x86.RoundZero)
	a.Emit(x86.VCMPPD, mask, down, t, x86.Imm(unequalOrNaN))
	e.ones(u)
	a.Emit(x86.VPSRLQ, u, u, x86.Imm(63))
	a.Emit(x86.VPORQ, p.Mask(mask), p, u)
	if m.Round() == num.RDown { // in which numbers that cancel give -0
		a.Emit(x86.VPTESTNMQ, mask, p, p)
		a.Emit(x86.VPORQ, p.Mask(mask), p, down)
	}
}

// oddSum256 is oddSum with sums to nearest, whose error is a number: one of the other sign means that the sum is too far from 0.
func (e *Emitter) oddSum256(m num.Mode) {
	a, p, s, u, t := e.Asm, e.own(4), e.own(5), e.own(6), e.own(7)
	a.Emit(x86.VADDPD, s, p, u)
	a.Emit(x86.VSUBPD, t, s, p)
	a.Emit(x86.VSUBPD, u, u, t)
	a.Emit(x86.VSUBPD, t, s, t)
	a.Emit(x86.VSUBPD, p, p, t)
	a.Emit(x86.VADDPD, p, p, u) // the error; a NaN for sums that are no numbers
	e.xor(u, u, u)
	a.Emit(x86.VCMPPD, t, p, u, x86.Imm(unequal64))
	e.xor(p, p, s)
	e.and(p, p, t)
	a.Emit(x86.VPSRLQ, p, p, x86.Imm(63))
	a.Emit(x86.VPSUBQ, p, s, p)
	a.Emit(x86.VPSRLQ, t, t, x86.Imm(63))
	e.or(p, p, t)
	if m.Round() == num.RDown { // in which numbers that cancel give -0
		a.Emit(x86.VCMPPD, t, p, u, x86.Imm(0))
		a.Emit(x86.VPSLLQ, t, t, x86.Imm(63))
		e.or(p, p, t)
	}
}

// unequal64 is the predicate of VCMPPD for other numbers, neither of which is a NaN.
const unequal64 = 12

// zeroSum gives r the sum of the rounded product and a zero, where there is one. Vectors without jump over that.
func (e *Emitter) zeroSum(r x86.Operand, args []x86.Operand, m num.Mode) {
	a, p, zero, done := e.Asm, e.own(6), e.own(7), e.Asm.NewLabel()
	e.operandsControl(m)
	e.xor(zero, zero, zero)
	if e.bits == 512 {
		a.Emit(x86.VCMPPS, mask2, args[2], zero, x86.Imm(0))
		a.Emit(x86.KORTESTW, mask2, mask2)
	} else {
		a.Emit(x86.VCMPPS, zero, args[2], zero, x86.Imm(0))
		a.Emit(x86.VTESTPS, zero, zero)
	}
	a.Emit(x86.JE, x86.To(done))
	before := e.ctl
	e.arithmetic(x86.VMULPS, p, args[:2], m)
	if flushes(m) {
		e.Flush(p)
	}
	e.arithmetic(x86.VADDPS, p, []x86.Operand{p, args[2]}, m)
	if flushes(m) {
		e.Flush(p)
	}
	if e.bits == 512 {
		a.Emit(x86.VPBLENDMD, r.Mask(mask2), r, p)
	} else {
		a.Emit(x86.VBLENDVPS, r, r, p, zero)
	}
	e.Control(before)
	a.Bind(done)
}
