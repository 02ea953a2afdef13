package gen

import (
	"slices"
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

// A wordOp is the implementation of a uniform op.
type wordOp struct {
	code   uniformCode
	direct func(c *uniformEmitter, s *lower.Step) // instead of code, on the registers that hold the operands; nil: none
	words  bool                                   // only of 32 bits
}

// uniformTables are the implementations by op: of uniform ops, of those that read lane masks, and of those that change
// the width.
type uniformTables struct {
	ops           []wordOp
	masks, halves map[ir.Op]uniformCode
}

var uniformOps = sync.OnceValue(func() uniformTables { return uniformTables{wordOps(), maskOps(), halfOps()} })

// wordOps returns the uniform ops of 32 and 64 bits.
func wordOps() []wordOp {
	return []wordOp{
		ir.IAdd:     overwriting(x86.ADD, true),
		ir.ISub:     overwriting(x86.SUB, false),
		ir.IMul:     overwriting(x86.IMUL, true),
		ir.And:      overwriting(x86.AND, true),
		ir.Or:       overwriting(x86.OR, true),
		ir.Xor:      overwriting(x86.XOR, true),
		ir.Not:      {code: one(x86.NOT)},
		ir.INeg:     {code: one(x86.NEG)},
		ir.AddC:     {code: flagged(x86.ADC, x86.SETB, true)},
		ir.SubB:     {code: flagged(x86.SBB, x86.SETB, true)},
		ir.AddOv:    {code: flagged(x86.ADD, x86.SETO, false)},
		ir.SubOv:    {code: flagged(x86.SUB, x86.SETO, false)},
		ir.USubSat:  {code: difference},
		ir.MulHiU:   {code: product(false, false), words: true},
		ir.MulHiS:   {code: product(true, false), words: true},
		ir.MulWideU: {code: product(false, true), words: true},
		ir.MulWideS: {code: product(true, true), words: true},
		ir.ShlX:     {code: longShift(x86.SHLX)},
		ir.ShrUX:    {code: longShift(x86.SHRX)},
		ir.ShrSX:    {code: longSigns},
		ir.Ror:      {code: rotate},
		ir.FShr:     {code: funnel},
		ir.UBfe:     {code: fieldOf},
		ir.SBfe:     {code: signedField},
		ir.Bfi:      {code: inserted},
		ir.Bfm:      {code: ones},
		ir.Popcount: {code: counted(x86.POPCNT)},
		ir.Clz:      {code: counted(x86.LZCNT)},
		ir.Ctz:      {code: counted(x86.TZCNT)},
		ir.Shl:      {code: shift(x86.SHLX)},
		ir.ShrU:     {code: shift(x86.SHRX)},
		ir.ShrS:     {code: shift(x86.SARX)},
		ir.UMin:     {code: least(x86.CMOVB)},
		ir.UMax:     {code: least(x86.CMOVA)},
		ir.SMin:     {code: least(x86.CMOVL)},
		ir.SMax:     {code: least(x86.CMOVG)},
		ir.Eq:       comparison(x86.SETE),
		ir.Ne:       comparison(x86.SETNE),
		ir.ULt:      comparison(x86.SETB),
		ir.ULe:      comparison(x86.SETBE),
		ir.SLt:      comparison(x86.SETL),
		ir.SLe:      comparison(x86.SETLE),
		ir.Select:   {code: selectWord},
	}
}

func one(op x86.Op) uniformCode {
	return func(c *uniformEmitter, _ *lower.Step, n int) { c.a.Emit(op, x86.G(n, rax)) }
}

func selectWord(c *uniformEmitter, _ *lower.Step, _ int) {
	c.a.Emit(x86.TEST, x86.R32(rax), x86.Imm(1))
	c.a.Emit(x86.MOV, x86.R64(rax), x86.R64(r12))
	c.a.Emit(x86.CMOVE, x86.R64(rax), x86.R64(r13))
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

// maskOps returns the ops on lane masks as words: operands in rax and r12.
func maskOps() map[ir.Op]uniformCode {
	return map[ir.Op]uniformCode{
		ir.Ballot: func(c *uniformEmitter, _ *lower.Step, _ int) { c.a.Emit(x86.AND, x86.RAX, x86.R64(r12)) },
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

// wordOpOf returns the implementation of a uniform step.
func wordOpOf(s *lower.Step) (op wordOp, ok bool) {
	if s.Op == ir.Ballot && len(s.Args) == 2 && s.Args[0].Kind == lower.InMask && s.Args[1].Kind == lower.InMask {
		return wordOp{direct: func(c *uniformEmitter, s *lower.Step) { c.overwrite(s, x86.AND, true, 64) }}, true
	}
	if f, ok := uniformOps().masks[s.Op]; ok {
		return wordOp{code: f}, true
	}
	if s.Op == ir.Live {
		return wordOp{code: live}, true
	}
	if !s.Wave || slices.ContainsFunc(s.Args, func(p lower.Place) bool { return p.Kind != lower.InWord }) {
		return op, false
	}
	if int(s.Op) < len(uniformOps().ops) {
		op = uniformOps().ops[s.Op]
	}
	from, to := s.From.Bits(), s.Type.Bits()
	ok = op.code != nil || op.direct != nil
	switch s.Op {
	case ir.Not:
		if s.Type == ir.I1 {
			return wordOp{code: notBit}, true
		}
	case ir.And, ir.Or, ir.Xor, ir.Select: // of any type
		if s.Type == ir.I1 {
			return op, true
		}
	default:
		if s.Type == ir.I1 {
			return op, false
		}
		if f, ok := partOfWord(s); ok {
			return wordOp{code: f}, true
		}
		if f, ok := uniformOps().halves[s.Op]; ok {
			return wordOp{code: f}, max(from, to) == 64 && min(from, to) == 32
		}
		ok = ok && (s.Type == ir.I32 || s.Type == ir.I64)
	}
	return op, ok && (to == 32 || to == 64 && !op.words)
}

func notBit(c *uniformEmitter, _ *lower.Step, _ int) { c.a.Emit(x86.XOR, x86.R32(rax), x86.Imm(1)) }

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
		c.countBytes(x86.R64(rax), s.Access.Bytes, counterOf(s, code.OffRead))
	} else {
		c.countOne(s)
	}
}

// tally adds a value to a counter of the observer.
func (c *uniformEmitter) tally(s *lower.Step) {
	r := c.wordInRegister(s.Args[0])
	c.a.Emit(x86.MOV, x86.R64(r12), x86.At(x86.RDI, code.OffTallies))
	c.a.Emit(x86.ADD, x86.At(x86.R64(r12), int32(8*s.Imm)), x86.R64(r))
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
	op, _ := wordOpOf(s)
	if op.direct != nil {
		op.direct(c, s)
		return
	}
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
	op.code(c, s, n)
	for k, p := range s.Res {
		c.keep(k, [...]int{rax, r12}[k], p)
	}
}
