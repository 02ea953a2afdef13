package emit

import "github.com/heddle-gpu/heddle/internal/jit/x86"

// shiftModulo shifts by a count modulo 32, with by if the count is constant.
func shiftModulo(op, by x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		if n, ok := c.known(1); ok {
			e.Asm.Emit(by, c.Dst, e.inRegister(c.Args[0], 0), x86.Imm(int64(n%32)))
			return
		}
		n := e.modulo(c.Args[1], 1)
		e.Asm.Emit(op, c.Dst, e.inRegister(c.Args[0], 0), n)
	}
}

// shift shifts by a count that may be too large, in which case only copies of the sign remain, or 0.
func shift(op, by x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		if n, ok := c.known(1); ok {
			e.Asm.Emit(by, c.Dst, e.inRegister(c.Args[0], 0), x86.Imm(int64(min(n, 32))))
			return
		}
		plain(op)(e, c)
	}
}

// rest is 32-n, which for n = 0 shifts everything out.
func (e *Emitter) rest(n x86.Operand, i int) x86.Operand {
	r := e.reserved(i)
	e.Asm.Emit(x86.VPSUBD, r, e.inRegister(e.word(32), i), n)
	return r
}

func rotate(e *Emitter, c *Call) {
	if n, ok := c.known(1); ok {
		e.rotateBy(c.Dst, e.inRegister(c.Args[0], 0), n%32)
		return
	}
	if e.bits == 512 {
		e.Asm.Emit(x86.VPRORVD, c.Dst, e.inRegister(c.Args[0], 0), e.lastOperand(c.Args[1], 1))
		return
	}
	a := e.inRegister(c.Args[0], 0)
	e.join(c.Dst, a, a, e.modulo(c.Args[1], 1))
}

// rotateBy rotates to the right by a constant count.
func (e *Emitter) rotateBy(d, a x86.Operand, n uint32) {
	if e.bits == 512 {
		e.Asm.Emit(x86.VPRORD, d, a, x86.Imm(int64(n)))
		return
	}
	e.joinBy(d, a, a, n)
}

// join is the low half of high:low shifted right by n.
func (e *Emitter) join(d, high, low, n x86.Operand) {
	up, down := e.reserved(4), e.reserved(5)
	e.Asm.Emit(x86.VPSLLVD, up, high, e.rest(n, 4))
	e.Asm.Emit(x86.VPSRLVD, down, low, n)
	e.Or(d, up, down)
}

// joinBy is join by a constant count below 32. A shift by 32 gives 0.
func (e *Emitter) joinBy(d, high, low x86.Operand, n uint32) {
	up, down := e.reserved(4), e.reserved(5)
	e.Asm.Emit(x86.VPSLLD, up, high, x86.Imm(int64(32-n)))
	e.Asm.Emit(x86.VPSRLD, down, low, x86.Imm(int64(n)))
	e.Or(d, up, down)
}

func funnel(e *Emitter, c *Call) {
	n, known := c.known(2)
	same := c.Args[0] == c.Args[1]
	switch {
	case same && known:
		e.rotateBy(c.Dst, e.inRegister(c.Args[0], 0), n%32)
	case known:
		e.joinBy(c.Dst, e.inRegister(c.Args[0], 0), e.inRegister(c.Args[1], 1), n%32)
	case same && e.bits == 512:
		e.Asm.Emit(x86.VPRORVD, c.Dst, e.inRegister(c.Args[0], 0), e.lastOperand(c.Args[2], 2))
	default:
		n := e.modulo(c.Args[2], 2)
		e.join(c.Dst, e.inRegister(c.Args[0], 0), e.inRegister(c.Args[1], 1), n)
	}
}

// extractBits shifts the field down, then up to the top and down again, which extends it in the way of op. Shifts by
// 32 give 0, as required for a field without bits. With a constant position it uses by, and zero-extended fields are
// masked.
func extractBits(op, by x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		from, known := c.known(1)
		bits, both := c.known(2)
		r := e.reserved(result)
		if known && both {
			e.Asm.Emit(by, r, e.inRegister(c.Args[0], 0), x86.Imm(int64(from%32)))
			if by == x86.VPSRLD {
				e.And(c.Dst, r, e.lastOperand(e.word(1<<(bits%32)-1), 1))
				return
			}
			n := x86.Imm(int64(32 - bits%32))
			e.Asm.Emit(x86.VPSLLD, r, r, n)
			e.Asm.Emit(by, c.Dst, r, n)
			return
		}
		off, width := e.modulo(c.Args[1], 1), e.modulo(c.Args[2], 2)
		e.Asm.Emit(op, r, e.inRegister(c.Args[0], 0), off)
		n := e.rest(width, 4)
		e.Asm.Emit(x86.VPSLLVD, r, r, n)
		e.Asm.Emit(op, c.Dst, r, n)
	}
}
