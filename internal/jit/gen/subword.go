package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Values of less than 32 bits per lane are zero-extended words.

// subword emits such a step.
func (c *loopEmitter) subword(s *lower.Step) {
	if s.From == ir.I1 && s.Op == ir.ZExt {
		c.boolToWord(s)
		return
	}
	a := c.inRegister32(s.Args[0], 0)
	to, from := s.Type.Bits(), s.From.Bits()
	switch s.Op {
	case ir.Pack:
		t := c.scratch(1)
		b := c.inRegister32(s.Args[1], 1)
		c.a.Emit(x86.VPSLLD, t, b, x86.Imm(int64(from)))
		c.e.Or(c.result(s), a, t)
	case ir.Unpack:
		t := c.scratch(1)
		c.a.Emit(x86.VMOVUPS, t, a)
		c.extractBits(c.resultAt(s.Res[0], 0), t, 0, to)
		c.extractBits(c.resultAt(s.Res[1], 1), t, to, to)
	case ir.Insert:
		c.insertBits(s, a)
	case ir.Extract:
		c.extractBits(c.result(s), a, int(s.Imm), to)
	case ir.Trunc:
		c.extractBits(c.result(s), a, 0, to)
	case ir.ZExt:
		c.a.Emit(x86.VMOVUPS, c.result(s), a)
	case ir.SExt:
		d, t := c.result(s), c.scratch(1)
		c.a.Emit(x86.VPSLLD, t, a, x86.Imm(int64(32-from)))
		if to == 32 {
			c.a.Emit(x86.VPSRAD, d, t, x86.Imm(int64(32-from)))
			return
		}
		c.a.Emit(x86.VPSRAD, t, t, x86.Imm(int64(32-from)))
		c.extractBits(d, t, 0, to)
	}
}

// extractBits extracts n bits of a, starting at bit at, to d.
func (c *loopEmitter) extractBits(d, a x86.Operand, at, n int) {
	t := c.scratch(2)
	c.a.Emit(x86.VPSLLD, t, a, x86.Imm(int64(32-at-n)))
	c.a.Emit(x86.VPSRLD, d, t, x86.Imm(int64(32-n)))
}

// boolToWord emits a step that converts a condition to a word.
func (c *loopEmitter) boolToWord(s *lower.Step) {
	cond := c.condition(s.Args[0])
	if !c.wide() { // conditions are sign bits
		c.a.Emit(x86.VPSRLD, c.result(s), cond, x86.Imm(31))
		return
	}
	one := c.scratch(1)
	c.copy(one, c.e.Word(1))
	c.a.Emit(x86.VMOVAPS, c.result(s).Zero(cond), one)
}

// insertBits emits a step that inserts a narrower value into the bits of a.
func (c *loopEmitter) insertBits(s *lower.Step, a x86.Operand) {
	t, keep := c.scratch(1), c.scratch(2)
	c.a.Emit(x86.VPSLLD, t, c.inRegister32(s.Args[1], 1), x86.Imm(int64(s.Imm)))
	c.copy(keep, c.e.Word(^uint32((1<<s.From.Bits()-1)<<s.Imm)))
	d := c.result(s)
	if c.wide() {
		c.a.Emit(x86.VPTERNLOGD, keep, a, t, x86.Imm(0xea)) // keep & a | t
		c.a.Emit(x86.VMOVAPS, d, keep)
		return
	}
	c.a.Emit(x86.VPAND, keep, keep, a)
	c.a.Emit(x86.VPOR, d, keep, t)
}

// inRegister32 returns an operand in a register: its own, or scratch i.
func (c *loopEmitter) inRegister32(p lower.Place, i int) x86.Operand {
	o := c.value(p)
	if !o.InMemory() {
		return o
	}
	c.copy(c.scratch(i), o)
	return c.scratch(i)
}
