package gen

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Register allocation in a loop is local. A slot is a vector or mask register with the value that it holds.
type slot struct {
	place lower.Place // Kind 0: empty
	dirty bool        // memory holds an older value
	end   int         // if dirty: the last reader
	used  int         // the last step that used it
	loose bool        // subnormals have not yet been flushed to zero, as its mode requires
}

// find returns the slot that holds the place, -1 if none does.
func find(pool []slot, p lower.Place) int {
	for i := range pool {
		if pool[i].place == p {
			return i
		}
	}
	return -1
}

// take allocates a register for the place: the one that holds it, an empty one, or one that is evicted and spilled if
// necessary.
func (c *compiler) take(pool []slot, p lower.Place) int {
	i := find(pool, p)
	if i < 0 {
		i = c.choose(pool) // this step itself may still read the evicted value as another operand
		if c.unspillable(&pool[i]) {
			c.a.Fail(fmt.Errorf("gen: a round that may begin again has no register for %v", p))
		}
		if pool[i].dirty && c.needed(&pool[i], c.now-1) {
			c.store(pool, i)
		}
		pool[i] = slot{place: p}
	}
	pool[i].used = c.now
	return i
}

// loosely is above all ranks: a loose value is evicted last, since the store clobbers registers of the emitter.
const loosely = 1 << 29

// settled is the largest number of registers that a step outside of package emit takes.
const settled = 10

// settle flushes loose values until that many registers are not loose: steps that take them may hold values in the
// emitter's registers.
func (c *compiler) settle() {
	firm := 0
	for i := range c.vecs {
		if !c.vecs[i].loose {
			firm++
		}
	}
	for i := 0; i < len(c.vecs) && firm < settled; i++ {
		if c.vecs[i].loose {
			c.tighten(i)
			firm++
		}
	}
}

// choose selects the register to be allocated: an empty one, else one with a dead value, else the least recently used.
func (c *compiler) choose(pool []slot) int {
	best, rank := -1, 0
	for i := c.first(pool); i < len(pool); i++ {
		s := &pool[i]
		r := s.used + 2
		switch {
		case s.place.Kind == 0:
			return i
		case s.used == c.now:
			continue
		case c.unspillable(s):
			r += 2 * loosely
		case (s.place.At < 0 || s.place.Kind == lower.InVec) && s.dirty && !c.needed(s, c.now-1):
			r = 1
		case s.loose:
			r += loosely
		}
		if best < 0 || r < rank {
			best, rank = i, r
		}
	}
	return best
}

// first is the first register of a pool: k0 cannot be a mask.
func (c *compiler) first(pool []slot) int {
	if len(pool) > 0 && &pool[0] == &c.masks[0] {
		return 1
	}
	return 0
}

// needed reports whether a dirty value is live after step t.
func (c *compiler) needed(s *slot, t int) bool {
	if s.place.Kind == lower.InRow && s.place.At >= 0 {
		return true
	}
	return s.end > t || s.place.Kind == lower.InMask && c.isStored(s.place)
}

// flush stores the values that are live after the loop.
func (c *compiler) flush() {
	for _, pool := range [][]slot{c.vecs, c.masks} {
		for i := range pool {
			if pool[i].dirty && c.needed(&pool[i], c.g.to-1) {
				c.store(pool, i)
			}
		}
	}
}

// store spills a register to memory.
func (c *compiler) store(pool []slot, i int) {
	s := &pool[i]
	s.dirty = false
	if s.place.Kind != lower.InMask {
		c.tighten(i)
		c.a.Emit(x86.VMOVUPS, c.row(s.place), c.v(i))
		return
	}
	to, part := c.maskAt(s.place), c.b.Lanes < c.lanes
	if !slices.Contains(c.parted, s.place.At) {
		c.parted = append(c.parted, s.place.At)
	}
	if !part && !slices.Contains(c.written, s.place.At) && c.readWhole(s.place) {
		c.written = append(c.written, s.place.At)
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

func (c *compiler) v(i int) x86.Operand { return x86.V(32*c.lanes, i) }

// row returns the memory operand of a row, or of half of a 64-bit vector.
func (c *compiler) row(p lower.Place) x86.Operand { return x86.At(regOf(p), c.rowOffset(p)) }

// regOf returns the base register of a row.
func regOf(p lower.Place) x86.Operand {
	switch {
	case p.Kind == lower.InVec:
		return regVecs
	case p.At < 0:
		return regRows
	}
	return regV
}

func (c *compiler) rowOffset(p lower.Place) int32 {
	switch {
	case p.Kind == lower.InVec:
		return p.At/2*8*ir.MaxLanes + p.At%2*int32(4*c.lanes)
	case p.At < 0:
		return ^p.At * lower.RowBytes
	}
	return p.At * int32(c.b.Stride) * 4
}

// tighten flushes the subnormals of a register if that is still to be done.
func (c *compiler) tighten(i int) {
	if c.vecs[i].loose {
		c.e.Flush(c.v(i))
		c.vecs[i].loose = false
	}
}

// value returns a row or word as an operand.
func (c *compiler) value(p lower.Place) x86.Operand {
	o := c.looseValue(p)
	if i := find(c.vecs, p); i >= 0 {
		c.tighten(i)
	}
	return o
}

// looseValue is value for a reader that flushes its operands itself.
func (c *compiler) looseValue(p lower.Place) x86.Operand {
	if p.Kind == lower.InWord {
		return x86.At(regWords, 8*p.At).Bcst(c.lanes)
	}
	i := find(c.vecs, p)
	if i < 0 {
		if !c.readSoon(p) {
			return c.row(p)
		}
		i = c.take(c.vecs, p)
		c.a.Emit(x86.VMOVUPS, c.v(i), c.row(p))
	}
	c.vecs[i].used = c.now
	return c.v(i)
}

// soon is the distance in steps up to which a later reader makes a register worth while.
const soon = 24

// readSoon reports whether a later step of the loop reads the present value of the row.
func (c *compiler) readSoon(p lower.Place) bool {
	for i := c.now + 1; i < min(c.g.to, c.now+soon); i++ {
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

// pool returns the slots of conditions.
func (c *compiler) pool() []slot {
	if c.wide() {
		return c.masks
	}
	return c.vecs
}

// condition returns a lane mask, or a uniform condition, in a register.
func (c *compiler) condition(p lower.Place) x86.Operand {
	pool := c.pool()
	i := find(pool, p)
	if i < 0 {
		i = c.take(pool, p)
		c.loadCondition(c.cond(i), p)
	}
	pool[i].used = c.now
	return c.cond(i)
}

func (c *compiler) cond(i int) x86.Operand {
	if c.wide() {
		return x86.K(i)
	}
	return c.v(i)
}

func (c *compiler) loadCondition(d x86.Operand, p lower.Place) {
	a, eax := c.a, x86.R32(0)
	switch {
	case p.Kind != lower.InWord && c.wide():
		a.Emit(x86.KMOVW, d, c.maskAt(p))
	case p.Kind != lower.InWord:
		if !c.hasTable {
			c.table, c.hasTable = a.NewLabel(), true
		}
		a.Emit(x86.VPBROADCASTB, d, c.maskAt(p))
		a.Emit(x86.VPSLLVD, d, d, x86.RIP(c.table))
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

// maskAt is the operand of a mask's lanes of the current iteration.
func (c *compiler) maskAt(p lower.Place) x86.Operand { return x86.At(regMasks, 8*p.At) }

// result returns the register of the step's result. It is allocated after those of the operands.
func (c *compiler) result(s *lower.Step) x86.Operand { return c.resultAt(s.Res[0], 0) }

// resultAt returns the register of result k, whose place is p.
func (c *compiler) resultAt(p lower.Place, k int) x86.Operand {
	pool := c.vecs
	mask := p.Kind == lower.InMask
	if mask {
		pool = c.pool()
	}
	i := c.take(pool, p)
	pool[i].dirty, pool[i].end, pool[i].loose = true, int(c.choices[c.now].last[k]), false
	if mask {
		return c.cond(i)
	}
	return c.v(i)
}

// mergeRow emits a write of a row under a mask.
func (c *compiler) mergeRow(s *lower.Step) {
	args := [3]x86.Operand{c.condition(s.Mask), c.value(s.Args[0]), c.value(s.Res[0])}
	c.emit(&emit.Call{Op: ir.Select, Type: ir.I32, Dst: c.result(s), Args: args[:]})
}

// op emits an op of package emit.
func (c *compiler) op(s *lower.Step) {
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
			at := find(c.vecs, p)
			loose = loose || signs && at >= 0 && c.vecs[at].loose
		default:
			args[i] = c.value(p)
		}
	}
	call := emit.Call{Op: s.Op, Type: s.Type, From: s.From, Mode: s.Mode, Imm: s.Imm, Dst: c.result(s), Args: args[:len(s.Args)], Loose: loose, Hope: c.anyNaN()}
	for i, p := range s.Args {
		if x, ok := c.number(p); ok {
			call.Known, call.Numbers[i] = call.Known|1<<i, uint32(x)
		}
	}
	if loose {
		c.vecs[find(c.vecs, s.Res[0])].loose = true
	}
	c.emit(&call)
}

// number returns the value of a place that is constant.
func (p *plan) number(at lower.Place) (x uint64, known bool) {
	if at.Kind == lower.InWord {
		x, known = p.b.Consts[at.At]
	}
	return x, known
}

// emit emits an op. Ops that package emit rejects are never part of a segment; an error would stay in the assembler,
// and leave the block without code.
func (c *compiler) emit(call *emit.Call) {
	if err := c.e.Emit(call); err != nil {
		c.a.Fail(err)
	}
}

// copyRow emits a copy of a row, or of a word broadcast to all lanes, to a row.
func (c *compiler) copyRow(s *lower.Step) {
	from := c.value(s.Args[0])
	c.copy(c.result(s), from)
}

// copy moves an operand to a register.
func (c *compiler) copy(d, from x86.Operand) {
	if word, is := from.Element(); is {
		c.a.Emit(x86.VBROADCASTSS, d, word)
	} else {
		c.a.Emit(x86.VMOVUPS, d, from)
	}
}

// logic emits an op on conditions.
func (c *compiler) logic(s *lower.Step) {
	var r [3]x86.Operand
	for i, p := range s.Args {
		r[i] = c.condition(p)
	}
	d, a := c.result(s), c.a
	k6, k7, ones := x86.K(6), x86.K(7), c.v(len(c.vecs))
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
