package gen

import (
	"sync"

	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A value of 64 bits per lane is two vectors, for the lower and upper lanes of an iteration. The places of their slots
// are the place's number doubled, plus 1 for the upper lanes.

// A wide64Code emits a step on 64-bit values.
type wide64Code func(c *compiler, s *lower.Step)

// wide64Ops returns the tables of ops on 64-bit values.
var wide64Ops = sync.OnceValue(func() wide64Tables { return wide64Tables{ops64(), ops64AVX2(), floatOps64(), floatOps64AVX2()} })

// A wide64Tables is all tables, by op.
type wide64Tables struct{ wide, narrow, floats, narrowFloats []wide64Code }

// ops64 returns the ops on 64-bit integers with AVX-512.
func ops64() []wide64Code {
	return []wide64Code{
		ir.IAdd:   plain64(x86.VPADDQ),
		ir.ISub:   plain64(x86.VPSUBQ),
		ir.IMul:   plain64(x86.VPMULLQ),
		ir.And:    plain64(x86.VPANDQ),
		ir.Or:     plain64(x86.VPORQ),
		ir.Xor:    plain64(x86.VPXORQ),
		ir.Shl:    shift64(x86.VPSLLVQ, x86.VPSLLQ),
		ir.ShrU:   shift64(x86.VPSRLVQ, x86.VPSRLQ),
		ir.ShrS:   shift64(x86.VPSRAVQ, x86.VPSRAQ),
		ir.Eq:     compare64(x86.VPCMPUQ, 0),
		ir.Ne:     compare64(x86.VPCMPUQ, 4),
		ir.ULt:    compare64(x86.VPCMPUQ, 1),
		ir.ULe:    compare64(x86.VPCMPUQ, 2),
		ir.SLt:    compare64(x86.VPCMPQ, 1),
		ir.SLe:    compare64(x86.VPCMPQ, 2),
		ir.UMin:   plain64(x86.VPMINUQ),
		ir.UMax:   plain64(x86.VPMAXUQ),
		ir.SMin:   plain64(x86.VPMINSQ),
		ir.SMax:   plain64(x86.VPMAXSQ),
		ir.Select: select64,

		ir.UAbsDiff: distance64(x86.VPMAXUQ, x86.VPMINUQ),
		ir.SAbsDiff: distance64(x86.VPMAXSQ, x86.VPMINSQ),
		ir.SToF:     intToF32(x86.VCVTQQ2PS),
		ir.UToF:     intToF32(x86.VCVTUQQ2PS),
		ir.ZExt:     extend64(x86.VPMOVZXDQ),
		ir.SExt:     extend64(x86.VPMOVSXDQ),
		ir.Pack:     pack64,
		ir.Trunc:    unpack64,
		ir.Unpack:   unpack64,
	}
}

// wide64Code returns the code of a step on 64-bit values, nil if there is none.
func (p *plan) wide64Code(s *lower.Step) wide64Code {
	if s.Kind != lower.Compute || len(s.Res) == 0 {
		return nil
	}
	if s.Type == ir.F64 || s.From == ir.F64 {
		if code := p.float64Code(s); code != nil {
			return code
		}
	}
	ops := wide64Ops().narrow
	if p.wide() {
		ops = wide64Ops().wide
	}
	if int(s.Op) >= len(ops) {
		return nil
	}
	ok := false
	switch s.Op {
	case ir.ZExt: // rows are zero-extended
		ok = s.Type == ir.I64 && s.From != ir.I1 && s.From.Bits() <= 32 && s.Args[0].Kind == lower.InRow
	case ir.SExt:
		ok = s.Type == ir.I64 && s.From == ir.I32 && s.Args[0].Kind == lower.InRow
	case ir.SToF, ir.UToF:
		ok = s.Type == ir.F32 && s.From == ir.I64 && s.Args[0].Kind == lower.InVec
	case ir.Pack:
		ok = s.Type.Bits() == 64 && s.From.Bits() == 32 && all(s.Args, lower.InRow)
	case ir.Trunc, ir.Unpack:
		ok = s.Type.Bits() == 32 && s.From.Bits() == 64 && s.Args[0].Kind == lower.InVec
	case ir.Select:
		ok = s.Type.Bits() == 64 && s.Args[0].Kind != lower.InRow && all(s.Args[1:], lower.InVec)
	default:
		ok = s.Type == ir.I64 && all(s.Args, lower.InVec)
	}
	if !ok {
		return nil
	}
	return ops[s.Op]
}

// wide64 emits a step on 64-bit values.
func (c *compiler) wide64(s *lower.Step) { c.wide64Code(s)(c, s) }

// all reports whether all places are of the kind or uniform.
func all(ps []lower.Place, k lower.Kind) bool {
	for _, p := range ps {
		if p.Kind != k && p.Kind != lower.InWord {
			return false
		}
	}
	return true
}

// scratch returns a register that is free between ops.
func (c *compiler) scratch(i int) x86.Operand { return c.v(c.e.Free() + i) }

// halfScratch returns the lower half of such a register.
func (c *compiler) halfScratch(i int) x86.Operand { return c.lower(c.e.Free() + i) }

// half64 returns half h of a value.
func (c *compiler) half64(p lower.Place, h int) x86.Operand {
	if p.Kind == lower.InWord {
		return x86.At(regWords, 8*p.At).Bcst(8)
	}
	half := lower.Place{Kind: p.Kind, At: 2*p.At + int32(h)}
	i := c.vecs.find(half)
	if i < 0 {
		if !c.isReadSoon(p) {
			return c.row(half)
		}
		i = c.take(&c.vecs, half)
		c.a.Emit(x86.VMOVUPS, c.v(i), c.row(half))
	}
	c.vecs.regs[i].used = c.now
	return c.v(i)
}

// inRegister64 returns o in a register: its own, or scratch i.
func (c *compiler) inRegister64(o x86.Operand, i int) x86.Operand {
	if !o.InMemory() {
		return o
	}
	r := c.scratch(i)
	if word, one := o.Element(); one {
		c.a.Emit(x86.VPBROADCASTQ, r, word)
	} else {
		c.a.Emit(x86.VMOVUPS, r, o)
	}
	return r
}

// halfResult returns the register of half h of the result.
func (c *compiler) halfResult(s *lower.Step, h int) x86.Operand {
	return c.resultAt(lower.Place{Kind: lower.InVec, At: 2*s.Res[0].At + int32(h)}, 0)
}

func plain64(op x86.Op) wide64Code {
	return func(c *compiler, s *lower.Step) {
		for h := range 2 {
			a, b := c.inRegister64(c.half64(s.Args[0], h), 0), c.half64(s.Args[1], h)
			if _, one := b.Element(); one && !c.wide() {
				b = c.inRegister64(b, 1)
			}
			c.a.Emit(op, c.halfResult(s, h), a, b)
		}
	}
}

// distance64 computes the larger less the smaller.
func distance64(most, least x86.Op) wide64Code {
	return func(c *compiler, s *lower.Step) {
		for h := range 2 {
			a, b, t, u := c.inRegister64(c.half64(s.Args[0], h), 0), c.half64(s.Args[1], h), c.scratch(2), c.scratch(3)
			c.a.Emit(most, t, a, b)
			c.a.Emit(least, u, a, b)
			c.a.Emit(x86.VPSUBQ, c.halfResult(s, h), t, u)
		}
	}
}

// intToF32 rounds to f32. No result is subnormal.
func intToF32(op x86.Op) wide64Code {
	return func(c *compiler, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		for h := range 2 {
			c.a.Emit(op, c.halfScratch(2+h), c.inRegister64(c.half64(s.Args[0], h), h))
		}
		c.a.Emit(x86.VINSERTI64X4, c.result(s), c.scratch(2), c.halfScratch(3), x86.Imm(1))
	}
}

// shift64 takes the count modulo 64: the other bits are shifted out. If the count is constant it shifts with by.
func shift64(op, by x86.Op) wide64Code {
	return func(c *compiler, s *lower.Step) {
		count, known := c.number(s.Args[1])
		n := c.scratch(1)
		for h := range 2 {
			a := c.inRegister64(c.half64(s.Args[0], h), 0)
			if known {
				c.a.Emit(by, c.halfResult(s, h), a, x86.Imm(int64(count%64)))
				continue
			}
			b := c.inRegister64(c.half64(s.Args[1], h), 1)
			c.a.Emit(x86.VPSLLQ, n, b, x86.Imm(58))
			c.a.Emit(x86.VPSRLQ, n, n, x86.Imm(58))
			c.a.Emit(op, c.halfResult(s, h), a, n)
		}
	}
}

// compare64 merges the result bits of both halves.
func compare64(op x86.Op, predicate int64) wide64Code {
	return func(c *compiler, s *lower.Step) {
		for h, k := range [2]x86.Operand{x86.K(6), x86.K(7)} {
			a, b := c.inRegister64(c.half64(s.Args[0], h), 0), c.half64(s.Args[1], h)
			c.a.Emit(op, k, a, b, x86.Imm(predicate))
		}
		c.a.Emit(x86.KUNPCKBW, c.result(s), x86.K(7), x86.K(6))
	}
}

func select64(c *compiler, s *lower.Step) {
	k := c.condition(s.Args[0])
	for h := range 2 {
		if h == 1 {
			c.a.Emit(x86.KSHIFTRW, x86.K(7), k, x86.Imm(8))
			k = x86.K(7)
		}
		yes, no := c.half64(s.Args[1], h), c.inRegister64(c.half64(s.Args[2], h), 0)
		c.a.Emit(x86.VPBLENDMQ, c.halfResult(s, h).Mask(k), no, yes)
	}
}

// halfOfRow returns the lanes of half h of a row, as an operand of half the length.
func (c *compiler) halfOfRow(p lower.Place, h, i int) x86.Operand {
	at := c.vecs.find(p)
	if at >= 0 {
		c.flushLoose(at)
	}
	switch {
	case at < 0:
		return x86.At(regOf(p), c.rowOffset(p)+int32(2*c.lanes*h))
	case h == 0:
		c.vecs.regs[at].used = c.now
		return c.lower(at)
	}
	c.vecs.regs[at].used = c.now
	t := c.halfScratch(i)
	if c.wide() {
		c.a.Emit(x86.VEXTRACTI64X4, t, c.v(at), x86.Imm(1))
	} else {
		c.a.Emit(x86.VEXTRACTI128, t, c.v(at), x86.Imm(1))
	}
	return t
}

// lower returns the lower half of a register.
func (c *compiler) lower(i int) x86.Operand { return x86.V(16*c.lanes, i) }

func extend64(op x86.Op) wide64Code {
	return func(c *compiler, s *lower.Step) {
		for h := range 2 {
			a := c.halfOfRow(s.Args[0], h, 0)
			c.a.Emit(op, c.halfResult(s, h), a)
		}
	}
}

// pack64 interleaves the elements of two rows.
func pack64(c *compiler, s *lower.Step) {
	part := [2]x86.Operand{c.inRegister32(s.Args[0], 0), c.inRegister32(s.Args[1], 1)}
	for h := range 2 {
		d := c.halfResult(s, h)
		c.a.Emit(x86.VPMOVZXBD, d, x86.RIP(c.bytes16(inTurn+h)))
		c.a.Emit(x86.VPERMI2D, d, part[0], part[1])
	}
}

// unpack64 returns the low words of a value; for unpack the high words are the second result.
func unpack64(c *compiler, s *lower.Step) {
	var v [2]x86.Operand
	for h := range 2 {
		v[h] = c.inRegister64(c.half64(s.Args[0], h), h)
	}
	for k, p := range s.Res {
		d := c.resultAt(p, k)
		c.a.Emit(x86.VPMOVZXBD, d, x86.RIP(c.bytes16(evenElements+k)))
		c.a.Emit(x86.VPERMI2D, d, v[0], v[1])
	}
}

// isCarry reports whether the step is an addition or subtraction with carry.
func (p *plan) isCarry(s *lower.Step) bool {
	return s.Kind == lower.Compute && (s.Op == ir.AddC || s.Op == ir.SubB) && s.Type == ir.I32 && s.Res[0].Kind == lower.InRow &&
		all(s.Args[:2], lower.InRow) && s.Args[2].Kind != lower.InRow
}

// carry adds, and then adds 1 if there is a carry in. There is a carry out if either addition overflows.
func (c *compiler) carry(s *lower.Step) {
	number, known := c.number(s.Args[2])
	plain := known && number&1 == 0
	var in x86.Operand
	if !plain {
		in = c.condition(s.Args[2])
	}
	r := [2]x86.Operand{c.inRegister32(s.Args[0], 0), c.inRegister32(s.Args[1], 1)}
	switch {
	case plain && c.wide():
		c.plainCarry(s, r)
		return
	case plain:
		c.plainCarryAVX2(s, r)
		return
	case !c.wide():
		c.carryAVX2(s, in, r)
		return
	}
	a, t, ones, k6, k7 := c.a, c.scratch(2), c.scratch(3), x86.K(6), x86.K(7)
	a.Emit(x86.VPTERNLOGD, ones, ones, ones, x86.Imm(0xff))
	if s.Op == ir.AddC {
		a.Emit(x86.VPADDD, t, r[0], r[1])
		a.Emit(x86.VPCMPUD, k6, t, r[0], x86.Imm(1))
		a.Emit(x86.VPCMPUD, k7.Mask(in), t, ones, x86.Imm(0))
		a.Emit(x86.VPSUBD, t.Mask(in), t, ones)
	} else {
		a.Emit(x86.VPCMPUD, k6, r[0], r[1], x86.Imm(1))
		a.Emit(x86.VPSUBD, t, r[0], r[1])
		a.Emit(x86.VPTESTNMD, k7.Mask(in), t, t)
		a.Emit(x86.VPADDD, t.Mask(in), t, ones)
	}
	a.Emit(x86.VMOVUPS, c.resultAt(s.Res[0], 0), t)
	a.Emit(x86.KORW, c.resultAt(s.Res[1], 1), k6, k7)
}

// plainCarry is carry without a carry in. The results of an op with several never share a place with an operand.
func (c *compiler) plainCarry(s *lower.Step, r [2]x86.Operand) {
	d, out := c.resultAt(s.Res[0], 0), c.resultAt(s.Res[1], 1)
	if s.Op == ir.AddC {
		c.a.Emit(x86.VPADDD, d, r[0], r[1])
		c.a.Emit(x86.VPCMPUD, out, d, r[0], x86.Imm(1))
		return
	}
	c.a.Emit(x86.VPCMPUD, out, r[0], r[1], x86.Imm(1))
	c.a.Emit(x86.VPSUBD, d, r[0], r[1])
}
