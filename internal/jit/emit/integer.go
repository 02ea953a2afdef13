package emit

import "github.com/heddle-gpu/heddle/internal/jit/x86"

// plain is one instruction, whose last operand may be in memory.
func plain(op x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		a := e.inRegister(c.Args[0], 0)
		e.Asm.Emit(op, c.Dst, a, e.lastOperand(c.Args[1], 1))
	}
}

// commuting is one commutative instruction; an operand in memory becomes the last.
func commuting(wide, narrow x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		a, b := c.Args[0], c.Args[1]
		if a.InMemory() && !b.InMemory() {
			a, b = b, a
		}
		a = e.inRegister(a, 0)
		e.Asm.Emit(e.either(wide, narrow), c.Dst, a, e.lastOperand(b, 1))
	}
}

func unary(op x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) { e.Asm.Emit(op, c.Dst, e.lastOperand(c.Args[0], 0)) }
}

// withWord is an operation on the operand and a constant.
func withWord(v uint32, f func(e *Emitter, d, a, b x86.Operand)) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		a := e.inRegister(c.Args[0], 0)
		f(e, c.Dst, a, e.lastOperand(e.word(v), 1))
	}
}

func negate(e *Emitter, c *Call) {
	zero := e.reserved(4)
	e.Xor(zero, zero, zero)
	e.Asm.Emit(x86.VPSUBD, c.Dst, zero, e.lastOperand(c.Args[0], 0))
}

// modulo returns o modulo 32, in the emitter's register i.
func (e *Emitter) modulo(o x86.Operand, i int) x86.Operand {
	o = e.inRegister(o, i)
	r := e.reserved(i)
	e.And(r, o, e.lastOperand(e.word(31), 7))
	return r
}

// swaps are masks of the lower ones of adjacent groups of 1, 2, 4 and 8 bits.
var swaps = [...]uint32{0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff}

// reverse reverses the bits: adjacent groups of 1, 2, 4, 8 and 16 bits are swapped.
func reverse(e *Emitter, c *Call) {
	x, up, down := e.inRegister(c.Args[0], 0), e.reserved(4), e.reserved(5)
	for i, low := range swaps {
		m, n := e.lastOperand(e.word(low), 1), x86.Imm(1<<i)
		e.Asm.Emit(x86.VPSRLD, down, x, n)
		e.And(down, down, m)
		e.And(up, x, m)
		e.Asm.Emit(x86.VPSLLD, up, up, n)
		x = e.reserved(result)
		e.Or(x, up, down)
	}
	e.Asm.Emit(x86.VPSRLD, down, x, x86.Imm(16))
	e.Asm.Emit(x86.VPSLLD, up, x, x86.Imm(16))
	e.Or(c.Dst, up, down)
}

func distance(most, least x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		a, b := e.inRegister(c.Args[0], 0), e.lastOperand(c.Args[1], 1)
		e.Asm.Emit(most, e.reserved(4), a, b)
		e.Asm.Emit(least, e.reserved(5), a, b)
		e.Asm.Emit(x86.VPSUBD, c.Dst, e.reserved(4), e.reserved(5))
	}
}

// overshoot is the saturating difference: the larger of both less the second.
func overshoot(e *Emitter, c *Call) {
	a, b := e.inRegister(c.Args[0], 0), e.inRegister(c.Args[1], 1)
	e.Asm.Emit(x86.VPMAXUD, e.reserved(4), a, b)
	e.Asm.Emit(x86.VPSUBD, c.Dst, e.reserved(4), b)
}

func insertBits(e *Emitter, c *Call) {
	m, a := e.inRegister(c.Args[0], 0), e.inRegister(c.Args[1], 1)
	b := e.lastOperand(c.Args[2], 2)
	keep, put := e.reserved(4), e.reserved(5)
	e.Asm.Emit(e.either(x86.VPANDND, x86.VPANDN), keep, m, b)
	e.And(put, m, a)
	e.Or(c.Dst, keep, put)
}

// maskOfBits is 2^width-1, shifted up.
func maskOfBits(e *Emitter, c *Call) {
	width, off := e.modulo(c.Args[0], 0), e.modulo(c.Args[1], 1)
	one, r := e.inRegister(e.word(1), 4), e.reserved(result)
	e.Asm.Emit(x86.VPSLLVD, r, one, width)
	e.Asm.Emit(x86.VPSUBD, r, r, one)
	e.Asm.Emit(x86.VPSLLVD, c.Dst, r, off)
}

// highProduct multiplies even and odd lanes, and merges the high halves.
func highProduct(op x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		a, b := e.inRegister(c.Args[0], 0), e.inRegister(c.Args[1], 1)
		even, odd, t := e.reserved(4), e.reserved(5), e.reserved(6)
		e.Asm.Emit(op, even, a, b)
		e.Asm.Emit(x86.VPSRLQ, even, even, x86.Imm(32))
		e.Asm.Emit(x86.VPSRLQ, odd, a, x86.Imm(32))
		e.Asm.Emit(x86.VPSRLQ, t, b, x86.Imm(32))
		e.Asm.Emit(op, odd, odd, t)
		e.Asm.Emit(x86.VPSRLQ, odd, odd, x86.Imm(32))
		e.Asm.Emit(x86.VPSLLQ, odd, odd, x86.Imm(32))
		e.Or(c.Dst, even, odd)
	}
}

// Predicates of VPCMPD. unsigned is not one of the manual's: it selects VPCMPUD.
const (
	cmpEQ    = 0
	cmpLT    = 1
	cmpLE    = 2
	cmpNE    = 4
	cmpGE    = 5
	unsigned = 8
)

// compare is one instruction with mask registers, and narrow without.
func compare(predicate int64, narrow func(e *Emitter, d, a, b x86.Operand)) func(*Emitter, *Call) {
	op := x86.VPCMPD
	if predicate&unsigned != 0 {
		op = x86.VPCMPUD
	}
	return func(e *Emitter, c *Call) {
		a := e.inRegister(c.Args[0], 0)
		if e.bits == 512 {
			e.Asm.Emit(op, c.Dst, a, c.Args[1], x86.Imm(predicate&^unsigned))
			return
		}
		narrow(e, c.Dst, a, e.inRegister(c.Args[1], 1))
	}
}

func equal(e *Emitter, d, a, b x86.Operand) { e.Asm.Emit(x86.VPCMPEQD, d, a, b) }
func less(e *Emitter, d, a, b x86.Operand)  { e.Asm.Emit(x86.VPCMPGTD, d, b, a) }

// belowOrEqual tests whether the maximum of both is b.
func belowOrEqual(e *Emitter, d, a, b x86.Operand) {
	t := e.reserved(4)
	e.Asm.Emit(x86.VPMAXUD, t, a, b)
	e.Asm.Emit(x86.VPCMPEQD, d, t, b)
}

func unequal(e *Emitter, d, a, b x86.Operand) { e.inverted(equal, d, a, b) }

func below(e *Emitter, d, a, b x86.Operand) { e.inverted(belowOrEqual, d, b, a) }

func lessOrEqual(e *Emitter, d, a, b x86.Operand) { e.inverted(less, d, b, a) }

func (e *Emitter) inverted(f func(e *Emitter, d, a, b x86.Operand), d, a, b x86.Operand) {
	t, ones := e.reserved(5), e.reserved(6)
	f(e, t, a, b)
	e.Asm.Emit(x86.VPCMPEQD, ones, ones, ones)
	e.Xor(d, t, ones)
}

// choose returns the second operand where the first, a condition, is set, else the third.
func choose(e *Emitter, c *Call) {
	if e.bits == 512 {
		b := e.inRegister(c.Args[2], 2)
		e.Asm.Emit(x86.VPBLENDMD, c.Dst.Mask(c.Args[0]), b, c.Args[1])
		return
	}
	cond := e.inRegister(c.Args[0], 0)
	e.Asm.Emit(x86.VBLENDVPS, c.Dst, e.inRegister(c.Args[2], 2), e.lastOperand(c.Args[1], 1), cond)
}

// population counts one bits: an instruction with AVX-512, else in groups of 2, 4 and 8 bits, whose sum is in the top
// byte of a product.
func population(e *Emitter, c *Call) {
	if e.bits == 512 {
		unary(x86.VPOPCNTD)(e, c)
		return
	}
	a, x, r, t := e.Asm, e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(4)
	ones := func(low uint32) x86.Operand { return e.inRegister(e.word(low), 5) }
	a.Emit(x86.VPSRLD, t, x, x86.Imm(1))
	e.And(t, t, ones(swaps[0]))
	a.Emit(x86.VPSUBD, r, x, t)
	a.Emit(x86.VPSRLD, t, r, x86.Imm(2))
	m := ones(swaps[1])
	e.And(t, t, m)
	e.And(r, r, m)
	a.Emit(x86.VPADDD, r, r, t)
	a.Emit(x86.VPSRLD, t, r, x86.Imm(4))
	a.Emit(x86.VPADDD, r, r, t)
	e.And(r, r, ones(swaps[2]))
	a.Emit(x86.VPMULLD, r, r, ones(0x01010101))
	a.Emit(x86.VPSRLD, c.Dst, r, x86.Imm(24))
}

// leadingZeros counts zeros above the highest one bit: an instruction with AVX-512, else by the exponent of the number
// as f32. The conversion does not round up, since ones directly below another one are cleared before. A number with the
// highest bit set is negative as f32: the saturating subtraction gives 0. The exponent of 0 is 0.
func leadingZeros(e *Emitter, c *Call) {
	if e.bits == 512 {
		unary(x86.VPLZCNTD)(e, c)
		return
	}
	const top = 127 + 31 // the exponent of a number without leading zeros
	a, x, r := e.Asm, e.inRegister(c.Args[0], 0), e.reserved(result)
	a.Emit(x86.VPSRLD, r, x, x86.Imm(1))
	a.Emit(x86.VPANDN, r, r, x)
	a.Emit(x86.VCVTDQ2PS, r, r)
	a.Emit(x86.VPSRLD, r, r, x86.Imm(23))
	a.Emit(x86.VPSUBUSW, r, e.inRegister(e.word(top), 4), r)
	a.Emit(x86.VPMINUD, c.Dst, r, e.inRegister(e.word(32), 4))
}
