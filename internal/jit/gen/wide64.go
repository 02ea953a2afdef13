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
type wide64Code func(c *loopEmitter, s *lower.Step)

// A code64 is the code of an op on 64-bit values with AVX-512 and with AVX2, nil if there is none.
type code64 struct{ avx512, avx2 wide64Code }

// both is code for either.
func both(code wide64Code) code64 { return code64{code, code} }

// ops64 are the ops on 64-bit integers, floatOps64 those on f64.
var ops64, floatOps64 = sync.OnceValue(newOps64), sync.OnceValue(newFloatOps64)

func newOps64() []code64 {
	return []code64{
		ir.IAdd:   both(plain64(x86.VPADDQ)),
		ir.ISub:   both(plain64(x86.VPSUBQ)),
		ir.IMul:   {plain64(x86.VPMULLQ), product64AVX2},
		ir.And:    {plain64(x86.VPANDQ), plain64(x86.VPAND)},
		ir.Or:     {plain64(x86.VPORQ), plain64(x86.VPOR)},
		ir.Xor:    {plain64(x86.VPXORQ), plain64(x86.VPXOR)},
		ir.Shl:    both(shift64(x86.VPSLLVQ, x86.VPSLLQ)),
		ir.ShrU:   both(shift64(x86.VPSRLVQ, x86.VPSRLQ)),
		ir.ShrS:   {shift64(x86.VPSRAVQ, x86.VPSRAQ), shiftSigned64AVX2},
		ir.Eq:     {compare64(x86.VPCMPUQ, 0), compare64AVX2{}.code},
		ir.Ne:     {compare64(x86.VPCMPUQ, 4), compare64AVX2{not: true}.code},
		ir.ULt:    {compare64(x86.VPCMPUQ, 1), compare64AVX2{greater: true, unsigned: true}.code},
		ir.ULe:    {compare64(x86.VPCMPUQ, 2), compare64AVX2{greater: true, unsigned: true, turned: true, not: true}.code},
		ir.SLt:    {compare64(x86.VPCMPQ, 1), compare64AVX2{greater: true}.code},
		ir.SLe:    {compare64(x86.VPCMPQ, 2), compare64AVX2{greater: true, turned: true, not: true}.code},
		ir.UMin:   {plain64(x86.VPMINUQ), minMax64AVX2{unsigned: true}.code},
		ir.UMax:   {plain64(x86.VPMAXUQ), minMax64AVX2{unsigned: true, larger: true}.code},
		ir.SMin:   {plain64(x86.VPMINSQ), minMax64AVX2{}.code},
		ir.SMax:   {plain64(x86.VPMAXSQ), minMax64AVX2{larger: true}.code},
		ir.Select: {select64, select64AVX2},

		ir.UAbsDiff: {distance64(x86.VPMAXUQ, x86.VPMINUQ), minMax64AVX2{unsigned: true}.distance},
		ir.SAbsDiff: {distance64(x86.VPMAXSQ, x86.VPMINSQ), minMax64AVX2{}.distance},
		ir.SToF:     {intToF32(x86.VCVTQQ2PS), nil},
		ir.UToF:     {intToF32(x86.VCVTUQQ2PS), nil},
		ir.ZExt:     both(extend64(x86.VPMOVZXDQ)),
		ir.SExt:     both(extend64(x86.VPMOVSXDQ)),
		ir.Pack:     {pack64, pack64AVX2},
		ir.Trunc:    both(unpack64),
		ir.Unpack:   both(unpack64),
	}
}

// wide64 emits a step on 64-bit values.
func (c *loopEmitter) wide64(s *lower.Step) { c.wide64Code(s)(c, s) }

// half64 returns half h of a value.
func (c *loopEmitter) half64(p lower.Place, h int) x86.Operand {
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
func (c *loopEmitter) inRegister64(o x86.Operand, i int) x86.Operand {
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
func (c *loopEmitter) halfResult(s *lower.Step, h int) x86.Operand {
	return c.resultAt(lower.Place{Kind: lower.InVec, At: 2*s.Res[0].At + int32(h)}, 0)
}

func plain64(op x86.Op) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
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
	return func(c *loopEmitter, s *lower.Step) {
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
	return func(c *loopEmitter, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		for h := range 2 {
			c.a.Emit(op, c.halfScratch(2+h), c.inRegister64(c.half64(s.Args[0], h), h))
		}
		c.joinHalves(c.result(s), 2)
	}
}

// shift64 takes the count modulo 64: the other bits are shifted out. If the count is constant it shifts with by.
func shift64(op, by x86.Op) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
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

// compare64 emits a comparison by an instruction with a predicate.
func compare64(op x86.Op, predicate int64) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
		for h, d := range c.halfConditions() {
			a, b := c.inRegister64(c.half64(s.Args[0], h), 0), c.half64(s.Args[1], h)
			if !c.wide() {
				b = c.inRegister64(b, 1)
			}
			c.a.Emit(op, d, a, b, x86.Imm(predicate))
		}
		c.joinConditions(c.result(s))
	}
}

// halfConditions returns the registers of the conditions of both halves. With AVX2 they are sign bits.
func (c *loopEmitter) halfConditions() [2]x86.Operand {
	if c.wide() {
		return [2]x86.Operand{x86.K(6), x86.K(7)}
	}
	return [2]x86.Operand{c.scratch(2), c.scratch(3)}
}

// joinConditions joins them to the condition of all lanes.
func (c *loopEmitter) joinConditions(d x86.Operand) {
	if low, high := c.halfConditions()[0], c.halfConditions()[1]; c.wide() {
		c.a.Emit(x86.KUNPCKBW, d, high, low)
	} else {
		c.gatherWords(d, low, high, lowWords)
	}
}

func select64(c *loopEmitter, s *lower.Step) {
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
func (c *loopEmitter) halfOfRow(p lower.Place, h, i int) x86.Operand {
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

// joinHalves moves the lower halves of scratch i and the next one to the halves of d.
func (c *loopEmitter) joinHalves(d x86.Operand, i int) {
	op := x86.VINSERTI128
	if c.wide() {
		op = x86.VINSERTI64X4
	}
	c.a.Emit(op, d, c.scratch(i), c.halfScratch(i+1), x86.Imm(1))
}

func extend64(op x86.Op) wide64Code {
	return func(c *loopEmitter, s *lower.Step) {
		for h := range 2 {
			a := c.halfOfRow(s.Args[0], h, 0)
			c.a.Emit(op, c.halfResult(s, h), a)
		}
	}
}

// pack64 interleaves the elements of two rows.
func pack64(c *loopEmitter, s *lower.Step) {
	part := [2]x86.Operand{c.inRegister32(s.Args[0], 0), c.inRegister32(s.Args[1], 1)}
	for h := range 2 {
		d := c.halfResult(s, h)
		c.a.Emit(x86.VPMOVZXBD, d, c.table(lowInterleaved+h))
		c.a.Emit(x86.VPERMI2D, d, part[0], part[1])
	}
}

// unpack64 returns the low words of a value; for unpack the high words are the second result.
func unpack64(c *loopEmitter, s *lower.Step) {
	var v [2]x86.Operand
	for h := range 2 {
		v[h] = c.inRegister64(c.half64(s.Args[0], h), h)
	}
	for k, p := range s.Res {
		c.everySecond(c.resultAt(p, k), v[0], v[1], k)
	}
}

// everySecond gathers the words of two vectors from word k on, k below 2.
func (c *loopEmitter) everySecond(d, low, high x86.Operand, k int) {
	if !c.wide() {
		c.gatherWords(d, low, high, [...]int64{lowWords, highWords}[k])
		return
	}
	c.a.Emit(x86.VPMOVZXBD, d, c.table(evenElements+k))
	c.a.Emit(x86.VPERMI2D, d, low, high)
}

// wideProduct keeps the low half until the operands have been read for the high one.
func (c *loopEmitter) wideProduct(s *lower.Step) {
	args := [2]x86.Operand{c.value(s.Args[0]), c.value(s.Args[1])}
	low, high := c.scratch(7), ir.MulHiU
	if s.Op == ir.MulWideS {
		high = ir.MulHiS
	}
	c.emit(&emit.Call{Op: ir.IMul, Type: ir.I32, Dst: low, Args: args[:]})
	c.emit(&emit.Call{Op: high, Type: ir.I32, Dst: c.resultAt(s.Res[1], 1), Args: args[:]})
	c.a.Emit(x86.VMOVUPS, c.resultAt(s.Res[0], 0), low)
}

// carry adds, and then adds 1 if there is a carry in. There is a carry out if either addition overflows.
func (c *loopEmitter) carry(s *lower.Step) {
	if c.choices[c.now].last[1] < 0 {
		c.sum(s)
		return
	}
	if in, known := c.number(s.Args[2]); known && in&1 == 0 {
		c.plainCarry(s, [2]x86.Operand{c.inRegister32(s.Args[0], 0), c.inRegister32(s.Args[1], 1)})
		return
	}
	in := c.condition(s.Args[2])
	r := [2]x86.Operand{c.inRegister32(s.Args[0], 0), c.inRegister32(s.Args[1], 1)}
	if !c.wide() {
		c.carryAVX2(s, in, r)
		return
	}
	a, t, ones, k6, k7 := c.a, c.scratch(2), c.scratch(3), x86.K(6), x86.K(7)
	a.Emit(x86.VPTERNLOGD, ones, ones, ones, x86.Imm(0xff))
	if s.Op == ir.AddC {
		a.Emit(x86.VPADDD, t, r[0], r[1])
		c.below(k6, t, r[0])
		a.Emit(x86.VPCMPUD, k7.Mask(in), t, ones, x86.Imm(0))
		a.Emit(x86.VPSUBD, t.Mask(in), t, ones)
	} else {
		c.below(k6, r[0], r[1])
		a.Emit(x86.VPSUBD, t, r[0], r[1])
		a.Emit(x86.VPTESTNMD, k7.Mask(in), t, t)
		a.Emit(x86.VPADDD, t.Mask(in), t, ones)
	}
	a.Emit(x86.VMOVUPS, c.resultAt(s.Res[0], 0), t)
	a.Emit(x86.KORW, c.resultAt(s.Res[1], 1), k6, k7)
}

// sum is carry if nothing reads the carry out.
func (c *loopEmitter) sum(s *lower.Step) {
	a, t, ones, op, carried := c.a, c.scratch(2), c.scratch(3), x86.VPADDD, x86.VPSUBD
	if s.Op == ir.SubB {
		op, carried = carried, op
	}
	n, known := c.number(s.Args[2])
	if known && n&1 == 0 {
		r := [2]x86.Operand{c.inRegister32(s.Args[0], 0), c.inRegister32(s.Args[1], 1)}
		a.Emit(op, c.result(s), r[0], r[1])
		return
	}
	in := c.condition(s.Args[2])
	a.Emit(op, t, c.inRegister32(s.Args[0], 0), c.inRegister32(s.Args[1], 1))
	d := c.result(s)
	if c.wide() {
		a.Emit(x86.VPTERNLOGD, ones, ones, ones, x86.Imm(0xff))
		a.Emit(carried, t.Mask(in), t, ones)
		a.Emit(x86.VMOVUPS, d, t)
		return
	}
	a.Emit(x86.VPSRAD, ones, in, x86.Imm(31)) // -1 if there is a carry in
	a.Emit(carried, d, t, ones)
}

// carryAVX2 is carry with conditions in vectors.
func (c *loopEmitter) carryAVX2(s *lower.Step, in x86.Operand, r [2]x86.Operand) {
	a, t, one, out, ones := c.a, c.scratch(2), c.scratch(3), c.scratch(4), c.scratch(5)
	a.Emit(x86.VPSRAD, one, in, x86.Imm(31)) // -1 if there is a carry in
	if s.Op == ir.AddC {
		a.Emit(x86.VPADDD, t, r[0], r[1])
		c.below(out, t, r[0])
		a.Emit(x86.VPCMPEQD, ones, t, ones)
		a.Emit(x86.VPSUBD, t, t, one)
	} else {
		c.below(out, r[0], r[1])
		a.Emit(x86.VPSUBD, t, r[0], r[1])
		a.Emit(x86.VPXOR, ones, ones, ones)
		a.Emit(x86.VPCMPEQD, ones, t, ones)
		a.Emit(x86.VPADDD, t, t, one)
	}
	a.Emit(x86.VPAND, ones, ones, one)
	a.Emit(x86.VPOR, out, out, ones)
	a.Emit(x86.VMOVUPS, c.resultAt(s.Res[0], 0), t)
	a.Emit(x86.VMOVUPS, c.resultAt(s.Res[1], 1), out)
}

// plainCarry is carry without a carry in. The results of an op with several never share a place with an operand.
func (c *loopEmitter) plainCarry(s *lower.Step, r [2]x86.Operand) {
	d, out := c.resultAt(s.Res[0], 0), c.resultAt(s.Res[1], 1)
	if s.Op == ir.AddC {
		c.a.Emit(x86.VPADDD, d, r[0], r[1])
		c.below(out, d, r[0])
		return
	}
	c.below(out, r[0], r[1])
	c.a.Emit(x86.VPSUBD, d, r[0], r[1])
}

// below makes d the condition that x is below y, as unsigned words. With AVX2 scratch 5 has all bits set afterwards.
func (c *loopEmitter) below(d, x, y x86.Operand) {
	if c.wide() {
		c.a.Emit(x86.VPCMPUD, d, x, y, x86.Imm(1))
		return
	}
	ones := c.scratch(5)
	c.a.Emit(x86.VPMAXUD, d, x, y)
	c.a.Emit(x86.VPCMPEQD, d, d, x)
	c.a.Emit(x86.VPCMPEQD, ones, ones, ones)
	c.a.Emit(x86.VPXOR, d, d, ones)
}
