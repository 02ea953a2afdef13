package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Uniform ops that take several host instructions. Results narrower than the register are zero-extended.

// flagged is an op whose second result is a flag of the host. A third operand, if there is one, is the carry in.
func flagged(op, set x86.Op, carry bool) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, n int) {
		if carry {
			c.a.Emit(x86.AND, x86.R32(r13), x86.Imm(1))
			c.a.Emit(x86.NEG, x86.R32(r13))
		}
		c.a.Emit(op, x86.G(n, rax), x86.G(n, r12))
		c.a.Emit(set, x86.G(8, r12))
		c.a.Emit(x86.MOVZX, x86.R32(r12), x86.G(8, r12))
	}
}

// counted is an instruction that counts bits.
func counted(op x86.Op) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, n int) { c.a.Emit(op, x86.G(n, rax), x86.G(n, rax)) }
}

// difference is the saturating difference: 0 if the second operand is larger.
func difference(c *uniformEmitter, _ *lower.Step, n int) {
	c.a.Emit(x86.SUB, x86.G(n, rax), x86.G(n, r12))
	c.a.Emit(x86.MOV, x86.R32(r14), x86.Imm(0))
	c.a.Emit(x86.CMOVB, x86.G(n, rax), x86.G(n, r14))
}

// longShift uses the whole count: from the width on the result is 0.
func longShift(op x86.Op) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, n int) {
		c.a.Emit(op, x86.G(n, rax), x86.G(n, rax), x86.G(n, r12))
		c.a.Emit(x86.CMP, x86.G(n, r12), x86.Imm(int64(n)))
		c.a.Emit(x86.MOV, x86.R32(r14), x86.Imm(0))
		c.a.Emit(x86.CMOVAE, x86.G(n, rax), x86.G(n, r14))
	}
}

// longSigns uses the whole count: from the width on the result is the sign.
func longSigns(c *uniformEmitter, _ *lower.Step, n int) {
	c.a.Emit(x86.MOV, x86.R32(r14), x86.Imm(int64(n-1)))
	c.a.Emit(x86.CMP, x86.G(n, r12), x86.G(n, r14))
	c.a.Emit(x86.CMOVA, x86.G(n, r12), x86.G(n, r14))
	c.a.Emit(x86.SARX, x86.G(n, rax), x86.G(n, rax), x86.G(n, r12))
}

// fieldOf extracts a bit field at an offset and of a width.
func fieldOf(c *uniformEmitter, _ *lower.Step, n int) {
	c.a.Emit(x86.SHRX, x86.G(n, rax), x86.G(n, rax), x86.G(n, r12))
	c.a.Emit(x86.AND, x86.R32(r13), x86.Imm(int64(n-1)))
	c.a.Emit(x86.BZHI, x86.G(n, rax), x86.G(n, rax), x86.G(n, r13))
}

// signedField shifts the field to the top and down again, each time in two steps, so that a width of 0 shifts
// everything out.
func signedField(c *uniformEmitter, _ *lower.Step, n int) {
	a, acc, k := c.a, x86.G(n, rax), x86.G(n, r13)
	a.Emit(x86.SARX, acc, acc, x86.G(n, r12))
	a.Emit(x86.NOT, k) // n-1-width, modulo n
	a.Emit(x86.SHLX, acc, acc, k)
	a.Emit(x86.ADD, acc, acc)
	a.Emit(x86.SARX, acc, acc, k)
	a.Emit(x86.SAR, acc, x86.Imm(1))
}

// ones is a field of ones of a width, at an offset.
func ones(c *uniformEmitter, _ *lower.Step, n int) {
	c.a.Emit(x86.AND, x86.R32(rax), x86.Imm(int64(n-1)))
	c.a.Emit(x86.MOV, x86.R64(r14), x86.Imm(-1))
	c.a.Emit(x86.BZHI, x86.G(n, rax), x86.G(n, r14), x86.G(n, rax))
	c.a.Emit(x86.SHLX, x86.G(n, rax), x86.G(n, rax), x86.G(n, r12))
}

// inserted selects bits: the second operand where the first has ones, else the third.
func inserted(c *uniformEmitter, _ *lower.Step, n int) {
	c.a.Emit(x86.AND, x86.G(n, r12), x86.G(n, rax))
	c.a.Emit(x86.ANDN, x86.G(n, rax), x86.G(n, rax), x86.G(n, r13))
	c.a.Emit(x86.OR, x86.G(n, rax), x86.G(n, r12))
}

// funnel shifts the high half up by one, and then by the rest of the width.
func funnel(c *uniformEmitter, _ *lower.Step, n int) {
	high, low, count := x86.G(n, rax), x86.G(n, r12), x86.G(n, r13)
	c.a.Emit(x86.SHRX, low, low, count)
	c.a.Emit(x86.ADD, high, high)
	c.a.Emit(x86.NOT, count)
	c.a.Emit(x86.SHLX, high, high, count)
	c.a.Emit(x86.OR, high, low)
}

func rotate(c *uniformEmitter, s *lower.Step, n int) {
	c.a.Emit(x86.MOV, x86.R64(r13), x86.R64(r12))
	c.a.Emit(x86.MOV, x86.R64(r12), x86.R64(rax))
	funnel(c, s, n)
}

// product is the 64-bit product of words: both halves, or only the high one.
func product(signs, both bool) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, _ int) {
		acc, b := x86.R64(rax), x86.R64(r12)
		if signs {
			c.a.Emit(x86.MOVSXD, acc, x86.R32(rax))
			c.a.Emit(x86.MOVSXD, b, x86.R32(r12))
		}
		c.a.Emit(x86.IMUL, acc, b)
		if both {
			unpack(c, nil, 0)
			return
		}
		c.a.Emit(x86.SHR, acc, x86.Imm(32))
	}
}

// live is the mask of lanes that have not terminated.
func live(c *uniformEmitter, _ *lower.Step, _ int) {
	c.a.Emit(x86.MOV, x86.R64(rax), x86.At(x86.RDI, code.OffLive))
}

// partOfWord returns the code of a uniform step that extracts parts of a word, or packs two of them.
func partOfWord(s *lower.Step) (code uniformCode, ok bool) {
	from, to := s.From.Bits(), s.Type.Bits()
	if from > 32 || to > 32 {
		return nil, false
	}
	cut := func(c *uniformEmitter) {
		if to < 32 {
			c.a.Emit(x86.AND, x86.R32(rax), x86.Imm(1<<to-1))
		}
	}
	switch s.Op {
	case ir.Extract:
		code = func(c *uniformEmitter, s *lower.Step, _ int) {
			c.a.Emit(x86.SHR, x86.R32(rax), x86.Imm(int64(s.Imm)))
			cut(c)
		}
	case ir.Trunc:
		code = func(c *uniformEmitter, _ *lower.Step, _ int) { cut(c) }
	case ir.ZExt:
		if s.From.Elems() > 1 {
			return nil, false
		}
		code = func(c *uniformEmitter, s *lower.Step, _ int) {
			if s.From == ir.I1 {
				c.a.Emit(x86.AND, x86.R32(rax), x86.Imm(1))
			}
		}
	case ir.Pack:
		code = func(c *uniformEmitter, _ *lower.Step, _ int) {
			c.a.Emit(x86.SHL, x86.R32(r12), x86.Imm(int64(from)))
			c.a.Emit(x86.OR, x86.R32(rax), x86.R32(r12))
		}
	case ir.Unpack:
		code = func(c *uniformEmitter, _ *lower.Step, _ int) {
			c.a.Emit(x86.MOV, x86.R32(r12), x86.R32(rax))
			c.a.Emit(x86.SHR, x86.R32(r12), x86.Imm(int64(to)))
			cut(c)
		}
	}
	return code, code != nil
}

// floatWord computes the op in all lanes of a vector, and stores one.
func (c *uniformEmitter) floatWord(s *lower.Step) {
	var args [3]x86.Operand
	for i, p := range s.Args {
		args[i] = word(p).Bcst(c.lanes)
	}
	op, eax := opCall(s), x86.R32(rax)
	op.Dst, op.Args = c.v(0), args[:len(s.Args)]
	condition := s.Op.Info().Flags&ir.HasMode != 0 && compares(s.Op)
	if condition && c.wide() {
		op.Dst = x86.K(1)
	}
	c.emit(op)
	if condition && c.wide() {
		c.a.Emit(x86.KMOVW, eax, op.Dst)
	} else {
		c.a.Emit(x86.VMOVD, eax, x86.X(0))
	}
	if condition {
		c.a.Emit(x86.AND, eax, x86.Imm(1))
	}
	c.keep(0, rax, s.Res[0])
}

// compares reports whether the result of an op on floats is a condition.
func compares(op ir.Op) bool {
	switch op {
	case ir.FEq, ir.FLt, ir.FLe, ir.FUnord:
		return true
	}
	return false
}
