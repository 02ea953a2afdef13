package gen

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A loopEmitter emits the per-lane steps of a segment's loop.
type loopEmitter struct {
	*assembly
	g          *segment
	vecs       regFile // values per lane; with AVX2 also lane masks
	masks      regFile // lane masks, with AVX-512
	partMasks  []int32 // masks that the loop writes
	wholeMasks []int32 // those of partMasks that are also read as one word
	spec       speculation
	slow       []slowPath
}

// A lanePolicy evicts the value per lane, or lane mask, that has not been used for the longest time.
type lanePolicy struct {
	c *loopEmitter
	f *regFile
}

// costLoose is above all other costs: a loose value is evicted last, since its store clobbers registers of the emitter.
// costInput is that of a value that must not be spilled.
const (
	costLoose = 1 << 29
	costInput = 1 << 30
)

func (p lanePolicy) evictCost(r *register) int {
	c, cost := p.c, r.used+2
	switch {
	case r.used == c.now:
		return -1
	case c.unspillable(r):
		cost += costInput
	case (r.loc.At < 0 || r.loc.Kind == lower.InVec) && r.dirty && !c.isLive(r, c.now-1):
		cost = 1
	case r.loose:
		cost += costLoose
	}
	return cost
}

func (p lanePolicy) spill(i int) bool {
	c, r := p.c, &p.f.regs[i]
	if c.unspillable(r) {
		c.a.Fail(fmt.Errorf("gen: an iteration that may run again has no register for %v", r.loc))
	}
	live := r.dirty && c.isLive(r, c.now-1) // this step itself may still read it as another operand
	if live {
		c.store(p.f, i)
	}
	return live
}

// take returns the register for the value of a location: the one that holds it, or another one.
func (c *loopEmitter) take(f *regFile, p lower.Place) int {
	i := f.find(p)
	if i < 0 {
		i = f.alloc(0)
		f.assign(i, register{loc: p})
	}
	f.regs[i].used = c.now
	return i
}

// maxScratch is the largest number of registers that a step outside of package emit takes.
const maxScratch = 10

// flushForScratch flushes loose values until that many registers are not loose: steps that take them may hold values
// in the emitter's registers.
func (c *loopEmitter) flushForScratch() {
	firm := 0
	for i := range c.vecs.regs {
		if !c.vecs.regs[i].loose {
			firm++
		}
	}
	for i := 0; i < len(c.vecs.regs) && firm < maxScratch; i++ {
		if c.vecs.regs[i].loose {
			c.flushLoose(i)
			firm++
		}
	}
}

// isLive reports whether a dirty value is live after step t.
func (c *loopEmitter) isLive(r *register, t int) bool {
	if r.loc.Kind == lower.InRow && r.loc.At >= 0 {
		return true
	}
	return r.last > t || r.loc.Kind == lower.InMask && c.isStored(r.loc)
}

// flush stores the values that are live after the loop.
func (c *loopEmitter) flush() {
	for _, f := range []*regFile{&c.vecs, &c.masks} {
		for i := range f.regs {
			if r := &f.regs[i]; r.dirty && c.isLive(r, c.g.to-1) {
				c.store(f, i)
			}
		}
	}
}

// store stores the value of a register to memory.
func (c *loopEmitter) store(f *regFile, i int) {
	p := f.regs[i].loc
	f.regs[i].dirty = false
	if p.Kind != lower.InMask {
		c.flushLoose(i)
		c.a.Emit(x86.VMOVUPS, c.row(p), c.v(i))
		return
	}
	to, part := c.maskAt(p), c.b.Lanes < c.lanes
	if !slices.Contains(c.partMasks, p.At) {
		c.partMasks = append(c.partMasks, p.At)
	}
	if !part && !slices.Contains(c.wholeMasks, p.At) && c.readWhole(p) {
		c.wholeMasks = append(c.wholeMasks, p.At)
	}
	if c.wide() && !part {
		c.a.Emit(x86.KMOVW, to, x86.K(i))
		return
	}
	op, reg := x86.KMOVW, x86.K(i)
	if !c.wide() {
		op, reg = x86.VMOVMSKPS, c.v(i)
	}
	c.a.Emit(op, x86.R32(0), reg)
	if part {
		c.a.Emit(x86.AND, x86.R32(0), x86.Imm(1<<c.b.Lanes-1))
	}
	c.a.Emit(x86.MOV, to, x86.G(c.lanes, 0))
}

// flushLoose flushes the subnormals of a register if that is still to be done.
func (c *loopEmitter) flushLoose(i int) {
	if c.vecs.regs[i].loose {
		c.e.Flush(c.v(i))
		c.vecs.regs[i].loose = false
	}
}

// value returns a row or word as an operand.
func (c *loopEmitter) value(p lower.Place) x86.Operand {
	o := c.looseValue(p)
	if i := c.vecs.find(p); i >= 0 {
		c.flushLoose(i)
	}
	return o
}

// looseValue is value for a reader that flushes its operands itself.
func (c *loopEmitter) looseValue(p lower.Place) x86.Operand {
	if p.Kind == lower.InWord {
		return x86.At(regWords, 8*p.At).Bcst(c.lanes)
	}
	i := c.vecs.find(p)
	if i < 0 {
		if !c.isReadSoon(p) {
			return c.row(p)
		}
		i = c.take(&c.vecs, p)
		c.a.Emit(x86.VMOVUPS, c.v(i), c.row(p))
	}
	c.vecs.regs[i].used = c.now
	return c.v(i)
}

// readDistance is the distance in steps up to which a later reader makes a register worth while.
const readDistance = 24

// isReadSoon reports whether a later step of the loop reads the present value of the row.
func (c *loopEmitter) isReadSoon(p lower.Place) bool {
	for i := c.now + 1; i < min(c.g.to, c.now+readDistance); i++ {
		if c.choices[i].phase != inLoop {
			continue
		}
		s := &c.b.Steps[i]
		if slices.Contains(c.readsOf(i), p) {
			return true
		}
		for _, r := range s.Res {
			if r == p {
				return s.Mask.Kind != 0 && !s.MayWriteAll // a masked write merges into it
			}
		}
	}
	return false
}

// conditions returns the registers of conditions.
func (c *loopEmitter) conditions() *regFile {
	if c.wide() {
		return &c.masks
	}
	return &c.vecs
}

// condition returns a lane mask, or a uniform condition, in a register.
func (c *loopEmitter) condition(p lower.Place) x86.Operand {
	f := c.conditions()
	i := f.find(p)
	if i < 0 {
		i = c.take(f, p)
		c.loadCondition(c.conditionReg(i), p)
	}
	f.regs[i].used = c.now
	return c.conditionReg(i)
}

func (c *loopEmitter) conditionReg(i int) x86.Operand {
	if c.wide() {
		return x86.K(i)
	}
	return c.v(i)
}

func (c *loopEmitter) loadCondition(d x86.Operand, p lower.Place) {
	a, eax := c.a, x86.R32(0)
	switch {
	case p.Kind != lower.InWord && c.wide():
		a.Emit(x86.KMOVW, d, c.maskAt(p))
	case p.Kind != lower.InWord:
		a.Emit(x86.VPBROADCASTB, d, c.maskAt(p))
		a.Emit(x86.VPSLLVD, d, d, c.table(signShifts))
	case c.wide():
		a.Emit(x86.MOV, eax, x86.At(regWords, 8*p.At))
		a.Emit(x86.AND, eax, x86.Imm(1))
		a.Emit(x86.NEG, eax)
		a.Emit(x86.KMOVW, d, eax)
	default:
		a.Emit(x86.VPBROADCASTD, d, x86.At(regWords, 8*p.At))
		a.Emit(x86.VPSLLD, d, d, x86.Imm(31))
	}
}

// result returns the register of the step's result. It is allocated after those of the operands.
func (c *loopEmitter) result(s *lower.Step) x86.Operand { return c.resultAt(s.Res[0], 0) }

// resultAt returns the register of result k, whose place is p.
func (c *loopEmitter) resultAt(p lower.Place, k int) x86.Operand {
	f, mask := &c.vecs, p.Kind == lower.InMask
	if mask {
		f = c.conditions()
	}
	i := c.take(f, p)
	r := &f.regs[i]
	r.dirty, r.last, r.loose = true, int(c.choices[c.now].last[k]), false
	if mask {
		return c.conditionReg(i)
	}
	return c.v(i)
}

// mergeRow emits a write of a row under a mask.
func (c *loopEmitter) mergeRow(s *lower.Step) {
	args := [3]x86.Operand{c.condition(s.Mask), c.value(s.Args[0]), c.value(s.Res[0])}
	c.emit(&emit.Call{Op: ir.Select, Type: ir.I32, Dst: c.result(s), Args: args[:]})
}

// op emits an op of package emit.
func (c *loopEmitter) op(s *lower.Step) {
	var args [3]x86.Operand
	float := s.Type == ir.F32
	signs := float && (s.Op == ir.FNeg || s.Op == ir.FAbs) // a loose operand gives a loose result
	loose := float && emit.LeavesLoose(s.Op, s.Mode)
	for i, p := range s.Args {
		switch {
		case s.Op == ir.Select && i == 0:
			args[i] = c.condition(p)
		case signs || float && emit.TakesLoose(s.Op, s.Mode):
			args[i] = c.looseValue(p)
			at := c.vecs.find(p)
			loose = loose || signs && at >= 0 && c.vecs.regs[at].loose
		default:
			args[i] = c.value(p)
		}
	}
	call := opCall(s)
	call.Dst, call.Args, call.Loose, call.AnyNaN = c.result(s), args[:len(s.Args)], loose, c.anyNaN()
	for i, p := range s.Args {
		if x, ok := c.number(p); ok {
			call.Known, call.Numbers[i] = call.Known|1<<i, uint32(x)
		}
	}
	if loose {
		c.vecs.regs[c.vecs.find(s.Res[0])].loose = true
	}
	c.emit(call)
}

// copyRow emits a copy of a row, or of a word broadcast to all lanes, to a row.
func (c *loopEmitter) copyRow(s *lower.Step) {
	from := c.value(s.Args[0])
	c.copy(c.result(s), from)
}

// logic emits an op on conditions.
func (c *loopEmitter) logic(s *lower.Step) {
	var r [3]x86.Operand
	for i, p := range s.Args {
		r[i] = c.condition(p)
	}
	d, a := c.result(s), c.a
	k6, k7, ones := x86.K(6), x86.K(7), c.scratch(0)
	narrow := [...]x86.Op{x86.VPAND, x86.VPOR, x86.VPXOR}
	wide := [...]x86.Op{x86.KANDW, x86.KORW, x86.KXORW}
	switch {
	case s.Op == ir.Not && c.wide():
		a.Emit(x86.KNOTW, d, r[0])
	case s.Op == ir.Not:
		a.Emit(x86.VPCMPEQD, ones, ones, ones)
		a.Emit(x86.VPXOR, d, r[0], ones)
	case s.Op == ir.Select && c.wide():
		a.Emit(x86.KANDW, k6, r[0], r[1])
		a.Emit(x86.KANDNW, k7, r[0], r[2])
		a.Emit(x86.KORW, d, k6, k7)
	case s.Op == ir.Select:
		a.Emit(x86.VBLENDVPS, d, r[2], r[1], r[0])
	case c.wide():
		a.Emit(wide[s.Op-ir.And], d, r[0], r[1])
	default:
		a.Emit(narrow[s.Op-ir.And], d, r[0], r[1])
	}
}
