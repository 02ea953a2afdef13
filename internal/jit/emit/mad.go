package emit

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/num"
)

// multiplyAdd speculates that f32 represents all products: then they are truncated in f32, and the sum is one
// instruction. A vector with a product that is too large or too small takes the slow path.
func multiplyAdd(e *Emitter, c *Call) {
	var regs [3]x86.Operand
	args, r := e.all(c, &regs), c.Dst
	if slices.Contains(args, r) {
		r = e.reserved(result)
	}
	a, m, slow, done := e.Asm, c.Mode, e.Asm.NewLabel(), e.Asm.NewLabel()
	p := e.reserved(4)
	if e.bits == 512 {
		e.products(p, args, m)
		a.Emit(x86.KORTESTW, mask, mask)
		a.Emit(x86.JNE, x86.To(slow))
	} else {
		e.products256(p, args, m)
		a.Emit(x86.VTESTPS, e.reserved(7), e.reserved(7))
		e.unlikely(x86.JNE, func() { e.unlessZero(args, slow) })
	}
	e.arithmetic(x86.VADDPS, r, []x86.Operand{p, args[2]}, m)
	if flushes(m) {
		e.Flush(r)
	}
	a.Bind(done)
	e.outOfLine(slow, done, func() { e.wideMultiplyAdd(r, args, m) })
	e.nans(c.Dst, r, args, m)
}

// Bit patterns of the smallest normal number, and of the largest number, which truncated products become if they are
// too large.
const (
	leastNormal = 0x00800000
	largest     = 0x7f7fffff
)

// products computes products in p: truncated, or rounded if the addend is zero. The mask has the lanes in which p is
// not normal although no factor is zero.
func (e *Emitter) products(p x86.Operand, args []x86.Operand, m num.Mode) {
	a, t, zero := e.Asm, e.reserved(5), e.reserved(7)
	e.arithmetic(x86.VMULPS, p, args[:2], m.WithRound(num.RZ))
	e.Xor(zero, zero, zero)
	if m.Round() != num.RZ {
		a.Emit(x86.VCMPPS, mask2, args[2], zero, x86.Imm(0))
		e.arithmetic(x86.VMULPS, p.Mask(mask2), args[:2], m)
	}
	e.And(t, p, e.word(^uint32(signBit)))
	a.Emit(x86.VPSUBD, t, t, e.word(leastNormal))
	a.Emit(x86.VPCMPUD, mask, t, e.word(largest-leastNormal), x86.Imm(cmpGE))
	for _, f := range slices.Compact([]x86.Operand{args[0], args[1]}) {
		a.Emit(x86.VCMPPS, mask.Mask(mask), f, zero, x86.Imm(unequalOrNaN))
	}
}

// The bit pattern of twice a product, which must be at least twiceExact so that the error of the product is a normal
// number, and is bounded above as well.
const (
	twiceExact = 2 * (leastNormal + 48<<23)
	exactRange = 2*(largest-1) - twiceExact
)

// products256 is products without embedded rounding: results that are too large are reduced by one ULP. Register 7 has
// the lanes in which p may be wrong, among them those with a zero factor.
func (e *Emitter) products256(p x86.Operand, args []x86.Operand, m num.Mode) {
	a, t, u, v := e.Asm, e.reserved(5), e.reserved(6), e.reserved(7)
	e.arithmetic(x86.VMULPS, p, args[:2], m)
	if m.Round() != num.RZ {
		a.Emit(x86.VMOVAPS, t, args[0])
		a.Emit(x86.VFMSUB213PS, t, args[1], p) // the rounding error
		e.Xor(v, v, v)
		if m.Round() == num.RDown { // an error of zero is -0 with this rounding
			a.Emit(x86.VCMPPS, u, t, v, x86.Imm(unequalOrNaN))
			e.And(t, t, u)
		}
		a.Emit(x86.VPSIGND, t, t, p) // its sign bit is that of t times p, except for zeros
		a.Emit(x86.VCMPPS, u, args[2], v, x86.Imm(unequalOrNaN))
		e.And(t, t, u)
		a.Emit(x86.VPSRAD, t, t, x86.Imm(31))
		a.Emit(x86.VPADDD, p, p, t)
	}
	a.Emit(x86.VPADDD, t, p, p)
	a.Emit(x86.VPADDD, t, t, e.inRegister(e.word(signBit-twiceExact), 6)) // the smallest of all signed numbers
	a.Emit(x86.VPCMPGTD, v, t, e.inRegister(e.word(exactRange-signBit), 6))
}

// unlessZero jumps if a lane of register 7 has no zero factor.
func (e *Emitter) unlessZero(args []x86.Operand, to x86.Label) {
	a, t, u, v := e.Asm, e.reserved(5), e.reserved(6), e.reserved(7)
	e.Xor(u, u, u)
	for _, f := range slices.Compact([]x86.Operand{args[0], args[1]}) {
		a.Emit(x86.VCMPPS, t, f, u, x86.Imm(unequalOrNaN))
		e.And(v, v, t)
	}
	a.Emit(x86.VTESTPS, v, v)
	a.Emit(x86.JNE, x86.To(to))
}

// wideMultiplyAdd truncates the product, which is exact in f64, to 24 bits, and adds in f64. If the sum is inexact its
// lowest bit is set (rounding to odd), so that there is a single rounding to f32. Lanes whose addend is zero get the
// sum of the rounded product instead.
func (e *Emitter) wideMultiplyAdd(r x86.Operand, args []x86.Operand, mode num.Mode) {
	m := mode.Without(num.FlushUnbounded)
	sum, odd := m, (*Emitter).oddSum
	if e.bits < 512 { // no embedded rounding
		sum, odd = m.WithRound(num.RNE), (*Emitter).oddSum256
	}
	for h := range 2 {
		e.Control(MXCSR(sum) &^ cpu.FlushResults)
		e.cutProduct(args, h)
		odd(e, m)
		e.arithmetic(x86.VCVTPD2PS, e.half(4), []x86.Operand{e.reserved(4)}, m)
		if h == 0 {
			e.Asm.Emit(x86.VMOVAPS, r, e.reserved(4))
		} else {
			e.Asm.Emit(e.either(x86.VINSERTF32X8, x86.VINSERTF128), r, r, e.half(4), x86.Imm(1))
		}
	}
	if m.Has(num.FlushOut) {
		e.Flush(r)
	}
	e.zeroSum(r, args, mode)
}

// cutProduct computes the product of half h in register 4, and the addend in register 6, as f64.
func (e *Emitter) cutProduct(args []x86.Operand, h int) {
	a, p, t := e.Asm, e.reserved(4), e.reserved(5)
	for i, o := range args {
		d := e.reserved(4 + i)
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
	e.And(p, p, t)
}

// ones sets all bits.
func (e *Emitter) ones(t x86.Operand) {
	if e.bits == 512 {
		e.Asm.Emit(x86.VPTERNLOGD, t, t, t, x86.Imm(0xff))
	} else {
		e.Asm.Emit(x86.VPCMPEQD, t, t, t)
	}
}

// oddSum computes the sum of registers 4 and 6 in 4: truncated, with the lowest bit set if it was inexact.
func (e *Emitter) oddSum(m num.Mode) {
	a, p, t, u, down := e.Asm, e.reserved(4), e.reserved(5), e.reserved(6), e.reserved(7)
	a.Emit(x86.VADDPD, down, p, u, x86.RoundDown)
	a.Emit(x86.VADDPD, t, p, u, x86.RoundUp)
	a.Emit(x86.VADDPD, p, p, u, x86.RoundZero)
	a.Emit(x86.VCMPPD, mask, down, t, x86.Imm(unequalOrNaN))
	e.ones(u)
	a.Emit(x86.VPSRLQ, u, u, x86.Imm(63))
	a.Emit(x86.VPORQ, p.Mask(mask), p, u)
	if m.Round() == num.RDown { // numbers that cancel give -0 with this rounding
		a.Emit(x86.VPTESTNMQ, mask, p, p)
		a.Emit(x86.VPORQ, p.Mask(mask), p, down)
	}
}

// An oddAdder has the ops of a sum of one width without vectors of 512 bits.
type oddAdder struct {
	add, sub, compare, shift, subInt x86.Op
	sign                             int64 // number of the sign bit
}

var (
	oddAdder32 = &oddAdder{x86.VADDPS, x86.VSUBPS, x86.VCMPPS, x86.VPSRLD, x86.VPSUBD, 31}
	oddAdder64 = &oddAdder{x86.VADDPD, x86.VSUBPD, x86.VCMPPD, x86.VPSRLQ, x86.VPSUBQ, 63}
)

// write computes p+u in p, rounded as in oddSum, and zeros in v, which may be u. Sums round to nearest, so that their
// error is a number: if its sign is opposite, the sum is too far from 0.
func (o *oddAdder) write(e *Emitter, p, u, v, s, t x86.Operand) {
	a := e.Asm
	a.Emit(o.add, s, p, u)
	a.Emit(o.sub, t, s, p)
	a.Emit(o.sub, v, u, t)
	a.Emit(o.sub, t, s, t)
	a.Emit(o.sub, p, p, t)
	a.Emit(o.add, p, p, v) // the rounding error; a NaN for sums that are not finite
	e.Xor(v, v, v)
	a.Emit(o.compare, t, p, v, x86.Imm(unequalNumber))
	e.Xor(p, p, s)
	e.And(p, p, t)
	a.Emit(o.shift, p, p, x86.Imm(o.sign))
	a.Emit(o.subInt, p, s, p)
	a.Emit(o.shift, t, t, x86.Imm(o.sign))
	e.Or(p, p, t)
}

// oddSum256 is oddSum without vectors of 512 bits.
func (e *Emitter) oddSum256(m num.Mode) {
	a, p, s, u, t := e.Asm, e.reserved(4), e.reserved(5), e.reserved(6), e.reserved(7)
	oddAdder64.write(e, p, u, u, s, t)
	if m.Round() == num.RDown { // numbers that cancel give -0 with this rounding
		a.Emit(x86.VCMPPD, t, p, u, x86.Imm(0))
		a.Emit(x86.VPSLLQ, t, t, x86.Imm(63))
		e.Or(p, p, t)
	}
}

// unequalNumber is the predicate of VCMPPS and VCMPPD for ordered and not equal.
const unequalNumber = 12

// zeroSum computes in r the sum of the rounded product and a zero addend. Vectors without one skip it.
func (e *Emitter) zeroSum(r x86.Operand, args []x86.Operand, m num.Mode) {
	a, p, zero, done := e.Asm, e.reserved(6), e.reserved(7), e.Asm.NewLabel()
	e.operandsControl(m)
	e.Xor(zero, zero, zero)
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

// halfMultiplyAdd computes the product of f16 exactly in f32. If the sum is inexact its lowest bit is set (rounding to
// odd), so that there is a single rounding to f16.
func halfMultiplyAdd(e *Emitter, c *Call) {
	var regs [3]x86.Operand
	for i, o := range c.Args {
		regs[i] = e.reserved(i)
		e.widen16(regs[i], e.inRegister(o, i), c.Mode)
	}
	m, r := c.Mode, e.reserved(result)
	if e.bits == 512 {
		e.arithmetic(x86.VMULPS, r, regs[:2], m)
		e.halfSum(r, regs[2], m)
	} else {
		e.Control(MXCSR(m.WithRound(num.RNE)))
		e.Asm.Emit(x86.VMULPS, r, regs[0], regs[1])
		e.halfSum256(r, regs[2], m)
	}
	e.nans(r, r, regs[:], m)
	e.narrow16(c.Dst, r, m)
}

// halfSum adds u to r as oddSum does.
func (e *Emitter) halfSum(r, u x86.Operand, m num.Mode) {
	a, down, up := e.Asm, e.reserved(4), e.reserved(5)
	a.Emit(x86.VADDPS, down, r, u, x86.RoundDown)
	a.Emit(x86.VADDPS, up, r, u, x86.RoundUp)
	a.Emit(x86.VADDPS, r, r, u, x86.RoundZero)
	a.Emit(x86.VCMPPS, mask, down, up, x86.Imm(unequalOrNaN))
	a.Emit(x86.VPORD, r.Mask(mask), r, e.word(1))
	if m.Round() == num.RDown { // numbers that cancel give -0 with this rounding
		a.Emit(x86.VPTESTNMD, mask, r, r)
		a.Emit(x86.VPORD, r.Mask(mask), r, down)
	}
}

// halfSum256 adds u to r as oddSum256 does.
func (e *Emitter) halfSum256(r, u x86.Operand, m num.Mode) {
	a, s, t, v, down := e.Asm, e.reserved(4), e.reserved(5), e.reserved(6), e.reserved(7)
	if m.Round() == num.RDown {
		e.Control(MXCSR(m))
		a.Emit(x86.VADDPS, down, r, u)
		e.Control(MXCSR(m.WithRound(num.RNE)))
	}
	oddAdder32.write(e, r, u, v, s, t)
	if m.Round() == num.RDown { // numbers that cancel give -0 with this rounding
		a.Emit(x86.VCMPPS, t, r, v, x86.Imm(0))
		a.Emit(x86.VBLENDVPS, r, r, down, t)
	}
}
