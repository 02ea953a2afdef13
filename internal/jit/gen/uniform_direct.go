package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Most uniform steps are one host instruction. It is emitted for the registers that hold the operands and will
// hold the result.

// overwriting is an instruction that overwrites its first operand.
func overwriting(op x86.Op, commutes bool) wordOp {
	return wordOp{direct: func(c *uniformEmitter, s *lower.Step) { c.overwrite(s, op, commutes, max(32, s.Type.Bits())) }}
}

// comparison is a comparison, whose result an instruction sets to 1 or 0.
func comparison(set x86.Op) wordOp {
	return wordOp{direct: func(c *uniformEmitter, s *lower.Step) { c.compare(s, set, max(32, s.From.Bits())) }}
}

// overwrite emits an instruction on n bits that overwrites its first operand: in the register of a dead operand, if
// there is one.
func (c *uniformEmitter) overwrite(s *lower.Step, op x86.Op, commutes bool, n int) {
	x, y := s.Args[0], s.Args[1]
	if commutes && (!c.dies(x) && c.dies(y) || c.register(x) < 0 && c.register(y) >= 0 && !c.dies(x)) {
		x, y = y, x
	}
	r := rax
	switch stays := c.staysInRegister(0); {
	case stays && c.dies(x):
		r = c.register(x)
	case stays:
		r = c.resultWord(0, x, y)
		c.a.Emit(x86.MOV, x86.G(n, r), c.source(x, n))
	default:
		c.a.Emit(x86.MOV, x86.G(n, r), c.source(x, n))
	}
	c.a.Emit(op, x86.G(n, r), c.source(y, n))
	c.define(0, r, s.Res[0])
}

// compare emits a comparison: 1 or 0.
func (c *uniformEmitter) compare(s *lower.Step, set x86.Op, n int) {
	x := c.source(s.Args[0], n)
	if x.InMemory() {
		c.a.Emit(x86.MOV, x86.G(n, rax), x)
		x = x86.G(n, rax)
	}
	c.a.Emit(x86.CMP, x, c.source(s.Args[1], n))
	c.a.Emit(set, x86.G(8, rax))
	r := c.resultWord(0)
	c.a.Emit(x86.MOVZX, x86.R32(r), x86.G(8, rax))
	c.define(0, r, s.Res[0])
}

// copyWord emits a step that moves n bits from memory to its result.
func (c *uniformEmitter) copyWord(s *lower.Step, from x86.Operand, n int) {
	r := c.resultWord(0)
	c.a.Emit(x86.MOV, x86.G(n, r), from)
	c.define(0, r, s.Res[0])
}
