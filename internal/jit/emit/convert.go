package emit

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/num"
)

// Bit patterns of f32 at the ends of the integer ranges.
const (
	twoTo16 = 0x47800000
	twoTo31 = 0x4f000000
	twoTo32 = 0x4f800000
)

// Predicates of VCMPPS: not a NaN, and not less.
const (
	ordered        = 7
	greaterOrEqual = 0x1d
)

// fromSigned is the host's conversion; no result is subnormal.
func fromSigned(e *Emitter, c *Call) {
	r := e.reserved(result)
	e.arithmetic(x86.VCVTDQ2PS, r, []x86.Operand{e.inRegister(c.Args[0], 0)}, c.Mode)
	e.Asm.Emit(x86.VMOVAPS, c.Dst, r)
}

// fromUnsigned converts both halves, which is exact, and rounds once when it adds them.
func fromUnsigned(e *Emitter, c *Call) {
	a, r := e.inRegister(c.Args[0], 0), e.reserved(result)
	if e.bits == 512 {
		e.arithmetic(x86.VCVTUDQ2PS, r, []x86.Operand{a}, c.Mode)
		e.Asm.Emit(x86.VMOVAPS, c.Dst, r)
		return
	}
	high, low, scale := e.reserved(4), e.reserved(5), e.inRegister(e.word(twoTo16), 6)
	e.Asm.Emit(x86.VPSRLD, high, a, x86.Imm(16))
	e.Asm.Emit(x86.VPSLLD, low, a, x86.Imm(16))
	e.Asm.Emit(x86.VPSRLD, low, low, x86.Imm(16))
	e.Asm.Emit(x86.VCVTDQ2PS, high, high)
	e.Asm.Emit(x86.VCVTDQ2PS, low, low)
	e.arithmetic(x86.VFMADD213PS, r, []x86.Operand{high, scale, low}, c.Mode)
	e.Asm.Emit(x86.VMOVAPS, c.Dst, r)
}

// toSigned is the host's conversion, which returns the minimum for all values out of range. Then positive ones are
// replaced by the maximum, and NaNs by 0.
func toSigned(e *Emitter, c *Call) {
	a, r := e.inRegister(c.Args[0], 0), e.reserved(result)
	e.arithmetic(x86.VCVTPS2DQ, r, []x86.Operand{a}, c.Mode)
	if e.bits == 512 {
		ones := e.reserved(4)
		e.Asm.Emit(x86.VPTERNLOGD, ones, ones, ones, x86.Imm(0xff))
		e.Asm.Emit(x86.VCMPPS, mask, a, e.word(twoTo31), x86.Imm(greaterOrEqual))
		e.Asm.Emit(x86.VPXORD, r.Mask(mask), r, ones)
		e.Asm.Emit(x86.VCMPPS, mask, a, a, x86.Imm(ordered))
		e.Asm.Emit(x86.VMOVAPS, c.Dst.Zero(mask), r)
		return
	}
	t := e.reserved(4)
	e.Asm.Emit(x86.VCMPPS, t, a, e.inRegister(e.word(twoTo31), 4), x86.Imm(greaterOrEqual))
	e.Xor(r, r, t)
	e.Asm.Emit(x86.VCMPPS, t, a, a, x86.Imm(ordered))
	e.And(c.Dst, r, t)
}

// toUnsigned converts non-negative numbers. Out of range the host returns all ones; with AVX2 the upper half of the
// range is converted less 2^31, which is exact.
func toUnsigned(e *Emitter, c *Call) {
	a, r, t := e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(4)
	e.operandsControl(c.Mode)
	e.Xor(t, t, t)
	e.Asm.Emit(x86.VMAXPS, t, a, t) // returns the second operand, 0, for a NaN
	if e.bits == 512 {
		e.arithmetic(x86.VCVTPS2UDQ, r, []x86.Operand{t}, c.Mode)
		e.Asm.Emit(x86.VMOVAPS, c.Dst, r)
		return
	}
	half, upper, beyond := e.inRegister(e.word(twoTo31), 5), e.reserved(6), e.reserved(7)
	e.Asm.Emit(x86.VCMPPS, upper, t, half, x86.Imm(greaterOrEqual))
	e.And(half, half, upper)
	e.Asm.Emit(x86.VCMPPS, beyond, t, e.inRegister(e.word(twoTo32), 7), x86.Imm(greaterOrEqual))
	e.Asm.Emit(x86.VSUBPS, half, t, half)
	e.Asm.Emit(x86.VBLENDVPS, t, t, half, upper)
	e.arithmetic(x86.VCVTPS2DQ, r, []x86.Operand{t}, c.Mode)
	e.Asm.Emit(x86.VPSLLD, upper, upper, x86.Imm(31))
	e.Xor(r, r, upper)
	e.Or(c.Dst, r, beyond)
}

// half returns the lower half of one of the emitter's registers.
func (e *Emitter) half(i int) x86.Operand { return x86.V(e.bits/2, e.Free()+i) }

// widened converts the two halves of the emitter's register i to f64 in registers 4 and 5, and applies f to each.
func (e *Emitter) widened(a x86.Operand, f func(v x86.Operand)) {
	split := e.either(x86.VEXTRACTF32X8, x86.VEXTRACTF128)
	e.Asm.Emit(split, e.half(5), a, x86.Imm(1))
	e.Asm.Emit(x86.VMOVAPS, e.reserved(4), a)
	for i := 4; i <= 5; i++ {
		v := e.reserved(i)
		e.Asm.Emit(x86.VCVTPS2PD, v, e.half(i))
		f(v)
	}
}

// narrowed rounds registers 4 and 5 to f32.
func (e *Emitter) narrowed(r x86.Operand, m num.Mode) {
	for i := 4; i <= 5; i++ {
		e.arithmetic(x86.VCVTPD2PS, e.half(i), []x86.Operand{e.reserved(i)}, m)
	}
	e.Asm.Emit(e.either(x86.VINSERTF32X8, x86.VINSERTF128), r, e.reserved(4), e.half(5), x86.Imm(1))
}

// reciprocalRoot computes 1/sqrt in f64. No result is so close to a rounding boundary of f32 that the rounding of f64
// matters; none is subnormal.
func reciprocalRoot(e *Emitter, c *Call) {
	a, one64, r := e.inRegister(c.Args[0], 0), e.reserved(6), e.reserved(result)
	m := c.Mode.Without(num.FlushOut | num.FlushUnbounded)
	e.Control(MXCSR(m.WithRound(num.RNE)))
	e.Asm.Emit(x86.VBROADCASTSS, e.reserved(6), x86.RIP(e.constant(one)))
	e.Asm.Emit(x86.VCVTPS2PD, one64, e.half(6))
	e.widened(a, func(v x86.Operand) {
		e.Asm.Emit(x86.VSQRTPD, v, v)
		e.Asm.Emit(x86.VDIVPD, v, one64, v)
	})
	e.narrowed(r, m)
	e.nans(c.Dst, r, []x86.Operand{a}, c.Mode)
}
