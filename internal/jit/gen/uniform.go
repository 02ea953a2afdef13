package gen

import (
	"sync"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Numbers of general registers. Uniform values are computed in rax; r12 to r14 hold further operands.
const (
	rax = 0
	rcx = 1
	rbx = 3
	r12 = 12
	r13 = 13
	r14 = 14
)

// A uniformEmitter emits uniform steps, in general registers.
type uniformEmitter struct {
	*assembly
	words regFile // uniform values
}

// A uniformCode emits an op of n bits whose operands are in rax, r12 and r13. It leaves the result in rax,
// zero-extended.
type uniformCode func(c *uniformEmitter, s *lower.Step, n int)

// uniformTables are the codes by op: of uniform ops, of those that read lane masks, and of those that change the width.
type uniformTables struct {
	ops           []uniformCode
	masks, halves map[ir.Op]uniformCode
}

var uniformOps = sync.OnceValue(func() uniformTables { return uniformTables{wordOps(), maskOps(), halfOps()} })

// wordOps returns the uniform ops of 32 and 64 bits.
func wordOps() []uniformCode {
	return []uniformCode{
		ir.IAdd:     two(x86.ADD),
		ir.ISub:     two(x86.SUB),
		ir.IMul:     two(x86.IMUL),
		ir.And:      two(x86.AND),
		ir.Or:       two(x86.OR),
		ir.Xor:      two(x86.XOR),
		ir.Not:      one(x86.NOT),
		ir.INeg:     one(x86.NEG),
		ir.AddC:     flagged(x86.ADC, x86.SETB, true),
		ir.SubB:     flagged(x86.SBB, x86.SETB, true),
		ir.AddOv:    flagged(x86.ADD, x86.SETO, false),
		ir.SubOv:    flagged(x86.SUB, x86.SETO, false),
		ir.USubSat:  difference,
		ir.MulHiU:   product(false, false),
		ir.MulHiS:   product(true, false),
		ir.MulWideU: product(false, true),
		ir.MulWideS: product(true, true),
		ir.ShlX:     longShift(x86.SHLX),
		ir.ShrUX:    longShift(x86.SHRX),
		ir.ShrSX:    longSigns,
		ir.Ror:      rotate,
		ir.FShr:     funnel,
		ir.UBfe:     fieldOf,
		ir.SBfe:     signedField,
		ir.Bfi:      inserted,
		ir.Bfm:      ones,
		ir.Popcount: counted(x86.POPCNT),
		ir.Clz:      counted(x86.LZCNT),
		ir.Ctz:      counted(x86.TZCNT),
		ir.Shl:      shift(x86.SHLX),
		ir.ShrU:     shift(x86.SHRX),
		ir.ShrS:     shift(x86.SARX),
		ir.UMin:     least(x86.CMOVB),
		ir.UMax:     least(x86.CMOVA),
		ir.SMin:     least(x86.CMOVL),
		ir.SMax:     least(x86.CMOVG),
		ir.Eq:       test(x86.SETE),
		ir.Ne:       test(x86.SETNE),
		ir.ULt:      test(x86.SETB),
		ir.ULe:      test(x86.SETBE),
		ir.SLt:      test(x86.SETL),
		ir.SLe:      test(x86.SETLE),
		ir.Select: func(c *uniformEmitter, _ *lower.Step, n int) {
			c.a.Emit(x86.TEST, x86.R32(rax), x86.Imm(1))
			c.a.Emit(x86.MOV, x86.R64(rax), x86.R64(r12))
			c.a.Emit(x86.CMOVE, x86.R64(rax), x86.R64(r13))
		},
	}
}

func two(op x86.Op) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, n int) { c.a.Emit(op, x86.G(n, rax), x86.G(n, r12)) }
}

func one(op x86.Op) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, n int) { c.a.Emit(op, x86.G(n, rax)) }
}

// shift takes the count modulo the width, as the host does.
func shift(op x86.Op) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, n int) {
		c.a.Emit(op, x86.G(n, rax), x86.G(n, rax), x86.G(n, r12))
	}
}

func least(op x86.Op) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, n int) {
		c.a.Emit(x86.CMP, x86.G(n, r12), x86.G(n, rax))
		c.a.Emit(op, x86.G(n, rax), x86.G(n, r12))
	}
}

func test(op x86.Op) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, n int) {
		c.a.Emit(x86.CMP, x86.G(n, rax), x86.G(n, r12))
		c.a.Emit(op, x86.G(8, rax))
		c.a.Emit(x86.MOVZX, x86.R32(rax), x86.G(8, rax))
	}
}

// maskOps returns the ops on lane masks as words: operands in rax and r12.
func maskOps() map[ir.Op]uniformCode {
	return map[ir.Op]uniformCode{
		ir.Ballot: two(x86.AND),
		ir.Any: func(c *uniformEmitter, _ *lower.Step, _ int) {
			c.a.Emit(x86.AND, x86.R64(rax), x86.R64(r12))
			c.a.Emit(x86.SETNE, x86.G(8, rax))
			c.a.Emit(x86.MOVZX, x86.R32(rax), x86.G(8, rax))
		},
		ir.All: func(c *uniformEmitter, _ *lower.Step, _ int) {
			c.a.Emit(x86.NOT, x86.R64(rax))
			c.a.Emit(x86.AND, x86.R64(rax), x86.R64(r12))
			c.a.Emit(x86.SETE, x86.G(8, rax))
			c.a.Emit(x86.MOVZX, x86.R32(rax), x86.G(8, rax))
		},
		ir.Lanes: func(c *uniformEmitter, _ *lower.Step, _ int) { c.clearUnusedLanes(rax) },
	}
}

// halfOps returns the uniform ops on 64-bit values and their 32-bit halves.
func halfOps() map[ir.Op]uniformCode {
	return map[ir.Op]uniformCode{
		ir.Pack: func(c *uniformEmitter, _ *lower.Step, _ int) {
			c.a.Emit(x86.SHL, x86.R64(r12), x86.Imm(32))
			c.a.Emit(x86.OR, x86.R64(rax), x86.R64(r12))
		},
		ir.Unpack: unpack,
		ir.Trunc:  func(c *uniformEmitter, _ *lower.Step, _ int) { c.a.Emit(x86.MOV, x86.R32(rax), x86.R32(rax)) },
		ir.ZExt:   func(*uniformEmitter, *lower.Step, int) {},
		ir.SExt:   func(c *uniformEmitter, _ *lower.Step, _ int) { c.a.Emit(x86.MOVSXD, x86.R64(rax), x86.R32(rax)) },
	}
}

// unpack leaves the high half in r12.
func unpack(c *uniformEmitter, _ *lower.Step, _ int) {
	c.a.Emit(x86.MOV, x86.R64(r12), x86.R64(rax))
	c.a.Emit(x86.SHR, x86.R64(r12), x86.Imm(32))
	c.a.Emit(x86.MOV, x86.R32(rax), x86.R32(rax))
}

// uniformCodeOf returns the code of a uniform step.
func uniformCodeOf(s *lower.Step) (uniformCode, bool) {
	if f, ok := uniformOps().masks[s.Op]; ok {
		return f, true
	}
	if s.Op == ir.Live {
		return live, true
	}
	if !s.Wave {
		return nil, false
	}
	for _, p := range s.Args {
		if p.Kind != lower.InWord {
			return nil, false
		}
	}
	if s.Type == ir.I1 {
		return logicOp(s)
	}
	from, to := s.From.Bits(), s.Type.Bits()
	if f, ok := partOfWord(s); ok {
		return f, true
	}
	if f, ok := uniformOps().halves[s.Op]; ok {
		wide := max(from, to) == 64 && min(from, to) == 32
		return f, wide
	}
	switch s.Op {
	case ir.And, ir.Or, ir.Xor, ir.Not, ir.Select: // of any type
	default:
		if s.Type != ir.I32 && s.Type != ir.I64 {
			return nil, false
		}
	}
	if to != 32 && (to != 64 || onlyWords(s.Op)) || int(s.Op) >= len(uniformOps().ops) || uniformOps().ops[s.Op] == nil {
		return nil, false
	}
	return uniformOps().ops[s.Op], true
}

// logicOp returns the code of an op on uniform conditions.
func logicOp(s *lower.Step) (uniformCode, bool) {
	switch s.Op {
	case ir.And, ir.Or, ir.Xor, ir.Select:
		return uniformOps().ops[s.Op], true
	case ir.Not:
		return func(c *uniformEmitter, _ *lower.Step, _ int) { c.a.Emit(x86.XOR, x86.R32(rax), x86.Imm(1)) }, true
	}
	return nil, false
}

// loadWordMask loads a condition into a general register as a lane mask.
func (c *uniformEmitter) loadWordMask(r int, p lower.Place) {
	if c.allTrue(p) {
		c.a.Emit(x86.MOV, x86.R64(r), x86.Imm(-1))
		c.clearUnusedLanes(r)
		return
	}
	c.load(r, p)
	if p.Kind == lower.InWord {
		c.a.Emit(x86.AND, x86.R32(r), x86.Imm(1))
		c.a.Emit(x86.NEG, x86.R64(r))
		c.clearUnusedLanes(r)
	}
}

// allTrue reports whether a condition is uniform and always true.
func (p *plan) allTrue(cond lower.Place) bool {
	v, known := p.number(cond)
	return known && v&1 != 0
}

// execMask is the execution mask.
var execMask = x86.At(x86.RDI, code.OffExec)

func (c *uniformEmitter) getWord(s *lower.Step) { c.copyWord(s, x86.At(regS, 4*s.Cell), 32) }
func (c *uniformEmitter) getPair(s *lower.Step) { c.copyWord(s, x86.At(regS, 4*s.Cell), 64) }
func (c *uniformEmitter) getMask(s *lower.Step) { c.copyWord(s, x86.At(regM, 8*s.Cell), 64) }
func (c *uniformEmitter) getExec(s *lower.Step) { c.copyWord(s, execMask, 64) }

func (c *uniformEmitter) setWord(s *lower.Step) {
	c.a.Emit(x86.MOV, x86.At(regS, 4*s.Cell), x86.R32(c.wordInRegister(s.Args[0])))
}

func (c *uniformEmitter) setPair(s *lower.Step) {
	c.a.Emit(x86.MOV, x86.At(regS, 4*s.Cell), x86.R64(c.wordInRegister(s.Args[0])))
}

func (c *uniformEmitter) setExec(s *lower.Step) {
	r := rax
	if p := s.Args[0]; p.Kind == lower.InMask {
		r = c.wordInRegister(p)
	} else {
		c.loadWordMask(rax, p)
	}
	c.a.Emit(x86.MOV, execMask, x86.R64(r))
}

// countHoisted counts the bytes of a load that has been hoisted.
func (c *uniformEmitter) countHoisted(s *lower.Step) {
	if s.Broadcast {
		c.loadWordMask(rax, s.Args[1])
		c.countRead(x86.R64(rax), s)
	} else {
		c.a.Emit(x86.ADD, x86.At(x86.RDI, code.OffBytesRead).Size(8), x86.Imm(int64(s.Access.Bytes)))
	}
}

func (c *uniformEmitter) setMask(s *lower.Step) {
	a, acc, to := c.a, x86.R64(rax), x86.At(regM, 8*s.Cell)
	c.loadWordMask(rax, s.Args[0])
	if s.Mask.Kind != 0 {
		c.loadWordMask(r12, s.Mask)
		a.Emit(x86.AND, acc, x86.R64(r12))
		a.Emit(x86.ANDN, x86.R64(r12), x86.R64(r12), to)
		a.Emit(x86.OR, acc, x86.R64(r12))
	}
	a.Emit(x86.MOV, to, acc)
}

// compute emits an op.
func (c *uniformEmitter) compute(s *lower.Step) {
	if c.direct(s) {
		return
	}
	f, _ := uniformCodeOf(s)
	_, masks := uniformOps().masks[s.Op]
	if s.Op == ir.Ballot && len(s.Args) == 2 && c.allTrue(s.Args[1]) {
		c.loadWordMask(rax, s.Args[0])
		c.keep(0, rax, s.Res[0])
		return
	}
	for i, p := range s.Args {
		r := [...]int{rax, r12, r13}[i]
		if masks && s.Op != ir.Lanes {
			c.loadWordMask(r, p)
		} else {
			c.load(r, p)
		}
	}
	n := max(32, s.Type.Bits())
	if masks {
		n = 64
	}
	f(c, s, n)
	for k, p := range s.Res {
		c.keep(k, [...]int{rax, r12}[k], p)
	}
}
