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
	for h := range 2 {
		e.operandsControl(m)
		e.Control(e.ctl &^ cpu.FlushResults)
		e.cutSum(args, h, m)
		e.arithmetic(x86.VCVTPD2PS, e.half(4), []x86.Operand{e.own(4)}, m)
		if h == 0 {
			e.Asm.Emit(x86.VMOVAPS, r, e.own(4))
		} else {
			e.Asm.Emit(x86.VINSERTF32X8, r, r, e.half(4), x86.Imm(1))
		}
	}
	if m.Has(num.FlushOut) {
		e.Flush(r)
	}
	e.zeroSum(r, args, c.Mode)
	e.nans(c.Dst, r, args, c.Mode)
}

// cutSum leaves the sum of half h in register 4, of f64.
func (e *Emitter) cutSum(args []x86.Operand, h int, m num.Mode) {
	a, p, t, u, down := e.Asm, e.own(4), e.own(5), e.own(6), e.own(7)
	for i, o := range args {
		d := e.own(4 + i)
		if h == 0 {
			a.Emit(x86.VMOVAPS, d, o)
		} else {
			a.Emit(x86.VEXTRACTF32X8, e.half(4+i), o, x86.Imm(1))
		}
		a.Emit(x86.VCVTPS2PD, d, e.half(4+i))
	}
	a.Emit(x86.VMULPD, p, p, t)
	a.Emit(x86.VPTERNLOGD, t, t, t, x86.Imm(0xff))
	a.Emit(x86.VPSLLQ, t, t, x86.Imm(29))
	a.Emit(x86.VPANDQ, p, p, t)
	a.Emit(x86.VADDPD, down, p, u, x86.RoundDown)
	a.Emit(x86.VADDPD, t, p, u, x86.RoundUp)
	a.Emit(x86.VADDPD, p, p, u, x86.RoundZero)
	a.Emit(x86.VCMPPD, mask, down, t, x86.Imm(unequalOrNaN))
	a.Emit(x86.VPTERNLOGD, u, u, u, x86.Imm(0xff))
	a.Emit(x86.VPSRLQ, u, u, x86.Imm(63))
	a.Emit(x86.VPORQ, p.Mask(mask), p, u)
	if m.Round() == num.RDown { // in which numbers that cancel give -0
		a.Emit(x86.VPTESTNMQ, mask, p, p)
		a.Emit(x86.VPORQ, p.Mask(mask), p, down)
	}
}

// zeroSum gives r the sum of the rounded product and a zero, where there is one. Vectors without jump over that.
func (e *Emitter) zeroSum(r x86.Operand, args []x86.Operand, m num.Mode) {
	a, p, zero, done := e.Asm, e.own(6), e.own(7), e.Asm.NewLabel()
	e.operandsControl(m)
	e.xor(zero, zero, zero)
	a.Emit(x86.VCMPPS, mask2, args[2], zero, x86.Imm(0))
	a.Emit(x86.KORTESTW, mask2, mask2)
	a.Emit(x86.JE, x86.To(done))
	before := e.ctl
	e.arithmetic(x86.VMULPS, p, args[:2], m)
	if m.Has(num.FlushOut) && !m.Has(num.FlushUnbounded) {
		e.Flush(p)
	}
	e.arithmetic(x86.VADDPS, p, []x86.Operand{p, args[2]}, m)
	if m.Has(num.FlushOut) && !m.Has(num.FlushUnbounded) {
		e.Flush(p)
	}
	a.Emit(x86.VPBLENDMD, r.Mask(mask2), r, p)
	e.Control(before)
	a.Bind(done)
}
