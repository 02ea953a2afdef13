package gen

import (
	"sync"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Most uniform steps are one host instruction. It is emitted for the registers that hold the operands and will
// hold the result.

// A plainOp is a two-operand instruction that overwrites the first.
type plainOp struct {
	op       x86.Op
	commutes bool
}

// directTables are the ops that are one x86 instruction on words in general registers.
type directTables struct {
	plain map[ir.Op]plainOp
	tests map[ir.Op]x86.Op // comparisons, by the condition that they set
}

var direct = sync.OnceValue(func() directTables { return directTables{plainOps(), testOps()} })

func plainOps() map[ir.Op]plainOp {
	return map[ir.Op]plainOp{
		ir.IAdd:   {x86.ADD, true},
		ir.ISub:   {x86.SUB, false},
		ir.IMul:   {x86.IMUL, true},
		ir.And:    {x86.AND, true},
		ir.Or:     {x86.OR, true},
		ir.Xor:    {x86.XOR, true},
		ir.Ballot: {x86.AND, true},
	}
}

func testOps() map[ir.Op]x86.Op {
	return map[ir.Op]x86.Op{
		ir.Eq:  x86.SETE,
		ir.Ne:  x86.SETNE,
		ir.ULt: x86.SETB,
		ir.ULe: x86.SETBE,
		ir.SLt: x86.SETL,
		ir.SLe: x86.SETLE,
	}
}

// direct emits a step that is one instruction, and reports whether it is.
func (c *uniformEmitter) direct(s *lower.Step) bool {
	if len(s.Res) != 1 || s.Type == ir.I1 && s.Op != ir.Ballot {
		return false
	}
	n := max(32, s.Type.Bits())
	if s.Op == ir.Ballot {
		if n = 64; len(s.Args) != 2 || s.Args[0].Kind != lower.InMask || s.Args[1].Kind != lower.InMask {
			return false
		}
	}
	if op, ok := direct().plain[s.Op]; ok && len(s.Args) == 2 && n <= 64 {
		c.plain(s, op, n)
		return true
	}
	if set, ok := direct().tests[s.Op]; ok {
		c.compare(s, set, max(32, s.From.Bits()))
		return true
	}
	return false
}

// plain emits an instruction that overwrites its first operand: in the register of a dead operand, if there is one.
func (c *uniformEmitter) plain(s *lower.Step, op plainOp, n int) {
	x, y := s.Args[0], s.Args[1]
	if op.commutes && (!c.dies(x) && c.dies(y) || c.register(x) < 0 && c.register(y) >= 0 && !c.dies(x)) {
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
	c.a.Emit(op.op, x86.G(n, r), c.source(y, n))
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
