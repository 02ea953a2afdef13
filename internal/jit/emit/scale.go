package emit

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/num"
)

// Ops on the exponent of f32.

// scaled multiplies by a power of two: an instruction with AVX-512, else a product in f64, which is exact for all
// exponents that matter.
func scaled(e *Emitter, c *Call) {
	a, n, r, m := e.inRegister(c.Args[0], 0), e.inRegister(c.Args[1], 1), e.reserved(result), c.Mode
	if e.bits == 512 {
		t := e.reserved(4)
		e.Asm.Emit(x86.VCVTDQ2PS, t, n)
		e.arithmetic(x86.VSCALEFPS, r, []x86.Operand{a, t}, m)
		m = ScaleMode(m)
	} else {
		e.scaled256(r, a, n, m)
	}
	e.finish(c.Dst, r, []x86.Operand{a}, m)
}

// ScaleMode returns the mode with which results of VSCALEFPS and VSCALEFPD are finished. If a subnormal is scaled by
// 2^0, and results are flushed but operands are not, the manual specifies the product, a zero; a processor emulator
// returns the operand. With a flush in code the result is 0 everywhere.
func ScaleMode(m num.Mode) num.Mode {
	if m.Has(num.FlushOut) && !m.Has(num.FlushIn) {
		return m.Without(num.FlushUnbounded)
	}
	return m
}

// farthest is the exponent of a power of two that takes any f32 number out of its range, but not out of that of f64.
const farthest = 400

func (e *Emitter) scaled256(r, a, n x86.Operand, m num.Mode) {
	asm, t, x, power := e.Asm, e.reserved(4), e.reserved(5), e.reserved(6)
	asm.Emit(x86.VPMINSD, t, n, e.inRegister(e.word(farthest), 5))
	asm.Emit(x86.VPMAXSD, t, t, e.inRegister(e.word(-farthest&0xffffffff), 5))
	asm.Emit(x86.VPADDD, t, t, e.inRegister(e.word(1023), 5))
	e.Control(MXCSR(m))
	for h := range 2 {
		if h == 0 {
			asm.Emit(x86.VPMOVZXDQ, power, e.half(4))
			asm.Emit(x86.VMOVAPS, x, a)
		} else {
			asm.Emit(x86.VEXTRACTF128, e.half(4), t, x86.Imm(1))
			asm.Emit(x86.VPMOVZXDQ, power, e.half(4))
			asm.Emit(x86.VEXTRACTF128, e.half(5), a, x86.Imm(1))
		}
		asm.Emit(x86.VPSLLQ, power, power, x86.Imm(52))
		asm.Emit(x86.VCVTPS2PD, x, e.half(5))
		asm.Emit(x86.VMULPD, x, x, power)
		asm.Emit(x86.VCVTPD2PS, e.half(5), x)
		if h == 0 {
			asm.Emit(x86.VMOVAPS, r, x)
		} else {
			asm.Emit(x86.VINSERTF128, r, r, e.half(5), x86.Imm(1))
		}
	}
}

// classOf sets one bit, by whether there are any bits, a normal exponent, and the largest exponent; the bits of
// numbers are farther from those of the zeros the larger they are.
func classOf(e *Emitter, c *Call) { e.Class(c.Dst, e.inRegister(c.Args[0], 0), 23, c.Mode) }

// Class sets d to the classes of numbers: see ir.FClass. a is words with the exponent from bit exponentAt on and, below
// it, as much of the mantissa as says whether it is zero and whether a NaN is quiet. It is none of the emitter's
// registers 1 to 6.
func (e *Emitter) Class(d, a x86.Operand, exponentAt int, m num.Mode) {
	asm, r, k, t, v := e.Asm, e.reserved(result), e.reserved(1), e.reserved(2), e.reserved(6)
	least := uint32(1) << exponentAt // the smallest normal number; the sign bit less that is the infinity
	one := e.inRegister(e.word(1), 5)
	abs := r
	e.And(abs, a, e.lastOperand(e.word(^uint32(signBit)), 4))
	asm.Emit(x86.VPSRLD, t, abs, x86.Imm(int64(exponentAt)))
	asm.Emit(x86.VPMINUD, t, t, one)
	if m.Has(num.FlushIn) { // subnormals are zeros
		asm.Emit(x86.VPADDD, k, t, t)
	} else {
		asm.Emit(x86.VPMINUD, k, abs, one)
		asm.Emit(x86.VPADDD, k, k, t)
	}
	asm.Emit(x86.VPADDD, t, abs, e.lastOperand(e.word(least), 4))
	asm.Emit(x86.VPSRLD, t, t, x86.Imm(31))
	asm.Emit(x86.VPADDD, k, k, t)
	nan := abs
	asm.Emit(x86.VPADDD, nan, abs, e.lastOperand(e.word(least-1), 4)) // its bit 31 is set
	asm.Emit(x86.VPSRLD, v, a, x86.Imm(int64(exponentAt-1)))
	e.And(v, v, one)
	asm.Emit(x86.VPADDD, v, v, one)
	asm.Emit(x86.VPSLLVD, one, e.fill(t, num.ClassPosZero), k)
	asm.Emit(x86.VPSRLVD, t, e.fill(t, num.ClassNegZero), k)
	e.whereBit(one, t, a, 31, e.reserved(4))
	e.whereBit(one, v, nan, 31, e.reserved(4))
	asm.Emit(x86.VMOVAPS, d, one)
}
