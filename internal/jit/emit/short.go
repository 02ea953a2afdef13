package emit

import "github.com/heddle-gpu/heddle/internal/jit/x86"

// Ops on zero-extended 16-bit integers that differ from those on 32 bits.

// upper16 is code on operands in the upper halves of lanes, where the sign bits are.
func upper16(code func(*Emitter, *Call)) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		wide := *c
		var regs [3]x86.Operand
		for i, o := range c.Args {
			regs[i] = e.reserved(i)
			e.Asm.Emit(x86.VPSLLD, regs[i], e.inRegister(o, i), x86.Imm(16))
		}
		wide.Args = regs[:len(c.Args)]
		code(e, &wide)
	}
}

// fromUpper16 is upper16 with the result in the upper half, too.
func fromUpper16(code func(*Emitter, *Call)) func(*Emitter, *Call) {
	code = upper16(code)
	return func(e *Emitter, c *Call) {
		wide := *c
		wide.Dst = e.reserved(result)
		code(e, &wide)
		e.Asm.Emit(x86.VPSRLD, c.Dst, wide.Dst, x86.Imm(16))
	}
}

// modulo16 makes a shift by a count modulo 16 of one by any count below 32. A constant count stays in memory.
func modulo16(code func(*Emitter, *Call)) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		less := *c
		if _, ok := c.known(1); ok {
			less.Numbers[1] %= 16
		} else {
			n := e.inRegister(c.Args[1], 1)
			e.And(e.reserved(1), n, e.lastOperand(e.word(15), 7))
			less.Args = []x86.Operand{c.Args[0], e.reserved(1)}
		}
		code(e, &less)
	}
}

// signShift16 is an arithmetic shift: the operand is moved to the upper half before.
func signShift16(e *Emitter, c *Call) {
	r := e.reserved(result)
	e.Asm.Emit(x86.VPSLLD, r, e.inRegister(c.Args[0], 0), x86.Imm(16))
	down := *c
	down.Args = []x86.Operand{r, c.Args[1]}
	down.Dst = r
	shift(x86.VPSRAVD, x86.VPSRAD)(e, &down)
	e.Asm.Emit(x86.VPSRLD, c.Dst, r, x86.Imm(16))
}

// sumUpTo is the sum, saturated at the largest number: the second operand is limited to the rest.
func sumUpTo(most uint32) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		a, b, r := e.inRegister(c.Args[0], 0), e.inRegister(c.Args[1], 1), e.reserved(4)
		e.Xor(r, a, e.lastOperand(e.word(most), 5))
		e.Asm.Emit(x86.VPMINUD, r, r, b)
		e.Asm.Emit(x86.VPADDD, c.Dst, a, r)
	}
}
