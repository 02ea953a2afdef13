package emit

import (
	"math"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

// Functions without an instruction are evaluated in f64 and rounded once, to nearest. That the result is correctly
// rounded does not follow from an error bound: TestAllOperands compares every operand, so constants and the order of
// steps must not change without it.
//
// The coefficients are those of the polynomials that interpolate the functions at Chebyshev's points of the ranges,
// from the constant term on.

// expCoefficients are of (2^r - 1) / r, |r| <= 1/2.
var expCoefficients = []float64{0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0c6p-5, 0x1.3b2ab6fba4e79p-7, 0x1.5d87fe78a3f9cp-10,
	0x1.430912f86b7dbp-13, 0x1.ffcbfc6da6ed1p-17, 0x1.62c02242b879cp-20, 0x1.b524ebd13a55fp-24, 0x1.e4cf10dec0f59p-28, 0x1.e9ec1fcb69a7fp-32,
	0x1.c4a29324a1038p-36}

// logCoefficients are of log2((1+s)/(1-s)) / s as a function of s*s, for quotients within the square root of 2 about 1.
var logCoefficients = []float64{0x1.71547652b82fep+1, 0x1.ec709dc3a03fcp-1, 0x1.2776c50ef9fd3p-1, 0x1.a61762a707578p-2, 0x1.484b144907792p-2,
	0x1.0c9a596455b92p-2, 0x1.c6a2a6f278c36p-3, 0x1.8772ac3a8a72dp-3, 0x1.87e512082a6c6p-3}

// sineCoefficients are of sin(2*pi*t) / t, cosineCoefficients of (cos(2*pi*t) - 1) / (t*t), both as functions of t*t,
// |t| <= 1/8.
var (
	sineCoefficients = []float64{0x1.921fb54442d18p+2, -0x1.4abbce625be53p+5, 0x1.466bc6775aad9p+6, -0x1.32d2cce62ac22p+6, 0x1.50783485cbd83p+5,
		-0x1.e3074b4ff3058p+3, 0x1.e8eed12ee00a3p+1, -0x1.6c5b875d4e739p-1}
	cosineCoefficients = []float64{-0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5ac4p+6, -0x1.55d3c7e3cbff7p+6, 0x1.e1f506891ae95p+5, -0x1.a6d1f2a086c90p+4,
		0x1.f9d3870871194p+2, -0x1.b6de8b8e9ba08p+0, 0x1.1e745e5e09f6dp-2}
)

// Bit patterns of f64, and of f32 that are not numbers.
const (
	exponent64    = 0xfff << 52
	one64         = 0x3ff << 52
	rootHalf64    = 0x3fe6a09e667f3bcd // of the square root of 1/2
	integers64    = 0x433 << 52        // of 2^52: the low bits of numbers from here on are an integer
	minusInfinity = 0xff800000
)

// rounder is a number whose sum with another has the nearest integer of that in its low bits.
const rounder = 0x1.8p52

// bits64 returns a 64-bit word in all lanes, as the last operand of an instruction.
func (e *Emitter) bits64(v uint64) x86.Operand {
	word := x86.RIP(e.constant64(v))
	if e.bits == 512 {
		return word.Bcst(8)
	}
	e.Asm.Emit(x86.VBROADCASTSD, e.reserved(7), word)
	return e.reserved(7)
}

func (e *Emitter) f64(v float64) x86.Operand { return e.bits64(math.Float64bits(v)) }

// polynomial evaluates the polynomial at x in sum.
func (e *Emitter) polynomial(sum, x x86.Operand, c []float64) {
	last := len(c) - 1
	e.Asm.Emit(x86.VBROADCASTSD, sum, x86.RIP(e.constant64(math.Float64bits(c[last]))))
	for i := last - 1; i >= 0; i-- {
		e.Asm.Emit(x86.VFMADD213PD, sum, x, e.f64(c[i]))
	}
}

// exponential is 2^n * 2^r for an integer n and |r| <= 1/2.
func exponential(e *Emitter, c *Call) {
	a, r, asm := e.inRegister(c.Args[0], 0), e.reserved(result), e.Asm
	e.Control(MXCSR(c.Mode))
	n, rest, sum, t := e.reserved(1), e.reserved(2), e.reserved(6), e.reserved(7)
	e.widened(a, func(v x86.Operand) {
		asm.Emit(x86.VMAXPD, v, v, e.f64(-200)) // far beyond both ends of the range
		asm.Emit(x86.VMINPD, v, v, e.f64(200))
		asm.Emit(x86.VADDPD, n, v, e.f64(rounder))
		asm.Emit(x86.VSUBPD, rest, n, e.f64(rounder))
		asm.Emit(x86.VSUBPD, rest, v, rest)
		e.polynomial(sum, rest, expCoefficients)
		asm.Emit(x86.VMOVAPD, v, sum)
		asm.Emit(x86.VFMADD213PD, v, rest, e.f64(1))
		// The lowest bit is set if the exact value is larger: at a midpoint of two 32-bit numbers it decides.
		asm.Emit(x86.VSUBPD, t, v, e.f64(1))
		asm.Emit(x86.VFNMADD231PD, t, sum, rest)
		asm.Emit(x86.VPSRLQ, t, t, x86.Imm(63))
		asm.Emit(e.either(x86.VPORQ, x86.VPOR), v, v, t)
		asm.Emit(x86.VPSLLQ, n, n, x86.Imm(52))
		asm.Emit(x86.VPADDQ, v, v, n)
	})
	e.narrowed(r, c.Mode)
	e.where(r, a, a, a, unordered, e.reserved(5))
	e.finish(c.Dst, r, []x86.Operand{a}, c.Mode)
}

// logarithm is e + log2(m) for an integer e and m within the square root of 2 about 1.
func logarithm(e *Emitter, c *Call) {
	a, r, asm := e.inRegister(c.Args[0], 0), e.reserved(result), e.Asm
	e.Control(MXCSR(c.Mode))
	u, exp, sum := e.reserved(1), e.reserved(2), e.reserved(6)
	e.widened(a, func(v x86.Operand) {
		asm.Emit(x86.VPADDQ, u, v, e.bits64(one64-rootHalf64))
		asm.Emit(x86.VPSRLQ, exp, u, x86.Imm(52))
		asm.Emit(e.either(x86.VPORQ, x86.VPOR), exp, exp, e.bits64(integers64))
		asm.Emit(x86.VSUBPD, exp, exp, e.f64(1<<52+1023))
		asm.Emit(e.either(x86.VPANDQ, x86.VPAND), u, u, e.bits64(exponent64))
		asm.Emit(x86.VPSUBQ, v, v, u)
		asm.Emit(x86.VPADDQ, v, v, e.bits64(one64))
		asm.Emit(x86.VADDPD, u, v, e.f64(1))
		asm.Emit(x86.VSUBPD, v, v, e.f64(1))
		asm.Emit(x86.VDIVPD, v, v, u)
		asm.Emit(x86.VMULPD, u, v, v)
		e.polynomial(sum, u, logCoefficients)
		asm.Emit(x86.VFMADD213PD, v, sum, exp)
	})
	e.narrowed(r, c.Mode)
	zero, t := e.reserved(6), e.reserved(5)
	e.Xor(zero, zero, zero)
	e.where(r, e.inRegister(e.word(minusInfinity), 4), a, zero, equalNumbers, t)
	e.where(r, e.inRegister(e.word(positiveNaN), 4), a, zero, lessThan, t)
	e.where(r, a, a, e.inRegister(e.word(exponent), 4), equalNumbers, t)
	e.where(r, a, a, a, unordered, t)
	e.nans(c.Dst, r, []x86.Operand{a}, c.Mode)
}

// Predicates of VCMPPS.
const (
	equalNumbers = 0
	lessThan     = 0x11
)

// sineRev is the sine of a number of revolutions plus some quarters: the sine or cosine of at most an eighth, after
// reduction to the nearest quarter.
func sineRev(quarters uint64) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		a, r := e.inRegister(c.Args[0], 0), e.reserved(result)
		e.Control(MXCSR(c.Mode))
		e.widened(a, func(v x86.Operand) { e.sine64(v, quarters) })
		e.narrowed(r, c.Mode)
		zero, t := e.reserved(6), e.reserved(5)
		e.Xor(zero, zero, zero)
		sign := zero
		if quarters == 0 {
			sign = e.reserved(4)
			e.And(sign, a, e.inRegister(e.word(signBit), 4))
		}
		e.where(r, sign, r, zero, equalNumbers, t)
		e.where(r, a, a, a, unordered, t)
		e.finish(c.Dst, r, []x86.Operand{a}, c.Mode)
	}
}

// sine64 computes in v the sine of v revolutions and some quarters; infinities give a NaN.
func (e *Emitter) sine64(v x86.Operand, quarters uint64) {
	asm := e.Asm
	n, square, sine, cosine := e.reserved(1), e.reserved(2), e.reserved(6), e.reserved(3)
	asm.Emit(e.either(x86.VRNDSCALEPD, x86.VROUNDPD), n, v, x86.Imm(8))
	asm.Emit(x86.VSUBPD, v, v, n)
	asm.Emit(x86.VMULPD, n, v, e.f64(4))
	asm.Emit(x86.VADDPD, n, n, e.f64(rounder))
	asm.Emit(x86.VSUBPD, square, n, e.f64(rounder))
	asm.Emit(x86.VFNMADD231PD, v, square, e.f64(0.25))
	asm.Emit(x86.VMULPD, square, v, v)
	e.polynomial(sine, square, sineCoefficients)
	asm.Emit(x86.VMULPD, sine, sine, v)
	e.polynomial(cosine, square, cosineCoefficients)
	asm.Emit(x86.VFMADD213PD, cosine, square, e.f64(1))
	if quarters != 0 {
		asm.Emit(x86.VPADDQ, n, n, e.bits64(quarters))
	}
	if e.bits == 512 {
		asm.Emit(x86.VPTESTMQ, mask, n, e.bits64(1))
		asm.Emit(x86.VBLENDMPD, v.Mask(mask), sine, cosine)
	} else {
		asm.Emit(x86.VPSLLQ, square, n, x86.Imm(63))
		asm.Emit(x86.VBLENDVPD, v, sine, cosine, square)
	}
	asm.Emit(x86.VPSRLQ, n, n, x86.Imm(1))
	asm.Emit(x86.VPSLLQ, n, n, x86.Imm(63))
	asm.Emit(e.either(x86.VPXORQ, x86.VPXOR), v, v, n)
}
