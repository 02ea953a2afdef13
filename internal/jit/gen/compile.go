package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// General registers of a piece. The first four point to the lanes of the current loop iteration.
var (
	regV     = x86.RSI // rows of the state
	regRows  = x86.RDX // rows of the runner
	regVecs  = x86.R15 // values of 64 bits
	regMasks = x86.R8  // words of the runner, as lane masks
	regWords = x86.RBX
	regS     = x86.R9
	regM     = x86.R10
	regCount = x86.R11
)

// A compiler compiles one block.
type compiler struct {
	b      *lower.Block
	a      *x86.Asm
	e      *emit.Emitter
	lanes  int  // of a vector
	single bool // template mode: each op is a loop of its own
	cut    cutter
	ends   [][results]int32 // by step: last reader of each result; -1: none; number of steps: terminator

	fused  []logicTree // by step: the bitwise ops that it computes together
	passed []bool      // by step: it is computed by a later step

	*tables
	left int // see leavesAt

	piece     portable.Segment
	now       int
	used      [][2]use // by step of the piece
	held      [len(holders)]held
	vecs      []slot
	masks     []slot  // with AVX-512; the first is unused
	split     []split // packed addresses that are not computed
	implied   []implied
	parted    []int32 // masks that the piece's loop writes
	written   []int32 // those of parted that are also read as one word
	leavings  []leaving
	eightsAt  x86.Label
	hasEights bool
	bitsAt    x86.Label
	hasBits   bool
	table     x86.Label // of shift counts that move a lane's bit of a byte to the top
	hasTable  bool
	rows      [len(tableRows)]tableRow
	hope      hope
	careful   []careful
}

// Compile implements portable.Backend.
func (n *native) Compile(b *lower.Block) (portable.Code, []portable.Segment) {
	lanes := n.bits / 32
	if n.arena == nil || b.Lanes > lanes && b.Lanes%lanes != 0 {
		return nil, nil
	}
	a := x86.New(n.set)
	e, err := emit.New(a, n.bits, cpu.Masked)
	if err != nil {
		return nil, nil
	}
	c := &compiler{b: b, a: a, e: e, lanes: lanes, single: n.single, vecs: make([]slot, e.Free()), masks: make([]slot, emit.FreeMasks),
		tables: spare.Get().(*tables)}
	defer spare.Put(c.tables)
	c.plainTypes()
	c.cut = cutter{c: c, cells: map[cell]bool{}}
	pieces := c.cut.pieces()
	if len(pieces) == 0 && !c.cut.whole {
		return nil, nil
	}
	c.simplify(pieces)
	labels := make([]x86.Label, max(len(pieces), 1))
	for i := range labels {
		labels[i] = a.NewLabel()
	}
	if c.cut.whole {
		pieces = c.whole(pieces, labels)
	} else {
		for i, p := range pieces {
			a.Align(16)
			a.Bind(labels[i])
			c.write(p)
			a.Emit(x86.RET)
		}
	}
	c.carefulRounds()
	text, err := c.finish()
	if err != nil {
		if n.refused != nil {
			n.refused(err)
		}
		return nil, nil
	}
	u, err := n.arena.Add(text)
	if err != nil { // the arena is full, or the system refuses executable pages now
		return nil, nil
	}
	for i := range pieces {
		pieces[i].At = a.Place(labels[i])
	}
	return unit{u}, pieces
}

// plainTypes replaces the types of steps by equivalent ones that have code: for bitwise ops, and for conversions of
// zero-extended values.
func (c *compiler) plainTypes() {
	for i := range c.b.Steps {
		s := &c.b.Steps[i]
		switch {
		case s.Kind != lower.Compute:
		case (s.Op == ir.And || s.Op == ir.Or || s.Op == ir.Xor || s.Op == ir.Not || s.Op == ir.Bfi) && s.Type.Bits() == 32:
			s.Type, s.From = ir.I32, ir.I32
		case s.Op == ir.UToF && s.From.Bits() < 32 && s.From != ir.I1:
			s.From = ir.I32
		}
	}
}

// simplify finds steps that are merged into others or dropped.
func (c *compiler) simplify(pieces []portable.Segment) {
	c.fused, c.passed = make([]logicTree, len(c.b.Steps)), make([]bool, len(c.b.Steps))
	c.readers()
	c.countReads()
	for _, p := range pieces {
		if !c.single {
			c.trees(p)
		}
		c.pairs(p)
	}
	c.left = c.leavesAt()
	c.splits()
	c.readers()
	c.implications()
	c.readers()
	c.makers()
}

// whole emits all pieces in order, accesses between them, and the end of the block: one piece, at the first label.
func (c *compiler) whole(pieces []portable.Segment, labels []x86.Label) []portable.Segment {
	c.a.Align(16)
	c.a.Bind(labels[0])
	asks := false
	c.early()
	for at, n := 0, len(c.b.Steps); at < n; {
		if len(pieces) > 0 && pieces[0].From == at {
			c.write(pieces[0])
			at, pieces = pieces[0].To, pieces[1:]
			continue
		}
		if c.passed[at] {
			at++
			continue
		}
		if n := c.loadsAt(at); n > 0 {
			c.loads(at, n)
			at += 2 * n
			continue
		}
		if c.class(&c.b.Steps[at]) == onCaller {
			c.ask(at)
			asks = true
		} else {
			c.access(at)
		}
		at++
	}
	c.turn()
	c.leave()
	return []portable.Segment{{To: len(c.b.Steps), Exits: asks}}
}

func (c *compiler) finish() ([]byte, error) {
	c.e.Finish()
	if c.hasEights {
		c.a.Align(8)
		c.a.Bind(c.eightsAt)
		c.a.Data(0, 1, 2, 3, 4, 5, 6, 7)
	}
	c.writeRows()
	c.writeBits()
	if c.hasTable {
		c.a.Align(32)
		c.a.Bind(c.table)
		for i := range byte(8) {
			c.a.Data(7-i, 0, 0, 0)
		}
	}
	return c.a.Finish(nil)
}

// results is the number of results of a step whose readers are tracked; further ones are words of uniform loads.
const results = ir.MaxComponents

// A def is a result of a step.
type def struct{ step, res int32 }

// readers finds the last reader of each result.
func (c *compiler) readers() {
	c.defs.clear()
	steps := c.b.Steps
	c.ends = make([][results]int32, len(steps))
	read := func(p lower.Place, at int) {
		if d, ok := c.defs.get(p); ok {
			c.ends[d.step][d.res] = int32(at)
		}
	}
	for i := range steps {
		s := &steps[i]
		for _, p := range c.readsOf(i) {
			read(p, i)
		}
		read(s.Mask, i)
		for k, p := range s.Res {
			if k < results {
				c.ends[i][k] = -1
				c.defs.put(p, def{int32(i), int32(k)})
			} else {
				c.defs.drop(p)
			}
		}
	}
	for _, p := range c.b.Term {
		read(p, len(steps))
	}
}

// write emits the code of a piece.
func (c *compiler) write(p portable.Segment) {
	c.piece = p
	if c.count(before)+c.count(inside)+c.count(behind) == 0 {
		return
	}
	c.uses()
	a := c.a
	a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	a.Emit(x86.MOV, regS, x86.At(x86.RDI, code.OffS))
	a.Emit(x86.MOV, regM, x86.At(x86.RDI, code.OffM))
	control, floats := c.control()
	if floats {
		c.assure(control)
	}
	c.e.Join(control)
	c.scalars(before)
	if c.count(inside) > 0 {
		c.loops(control)
		c.join()
	}
	c.scalars(behind)
	c.e.Control(control)
}

// assure sets MXCSR to the control word of a piece. Context.MXCSR caches its value between pieces, so that it is
// loaded only if the mode changes: the load takes longer than several ops.
func (c *compiler) assure(control uint32) {
	is, now := c.a.NewLabel(), x86.At(x86.RDI, code.OffMXCSR).Size(4)
	c.a.Emit(x86.CMP, now, x86.Imm(int64(control)))
	c.a.Emit(x86.JE, x86.To(is))
	c.a.Emit(x86.MOV, now, x86.Imm(int64(control)))
	c.a.Emit(x86.VLDMXCSR, now)
	c.a.Bind(is)
}

// leavesAt returns the last step before which the code may exit, or which it lacks; 0: only the first, if any.
func (c *compiler) leavesAt() int {
	if !c.cut.whole {
		return len(c.b.Steps)
	}
	for i := len(c.b.Steps) - 1; i > 0; i-- {
		s := &c.b.Steps[i]
		if k := c.class(s); (k == onMemory || k == onCaller) && !c.cut.early(s) {
			return i
		}
	}
	return 0
}

func (c *compiler) count(when phase) (n int) {
	for i := c.piece.From; i < c.piece.To; i++ {
		if c.cut.phases[i] == when && !c.passed[i] {
			n++
		}
	}
	return n
}

// scalars emits the steps of a phase in general registers.
func (c *compiler) scalars(when phase) {
	clear(c.held[:])
	for i := c.piece.From; i < c.piece.To; i++ {
		if c.cut.phases[i] == when && !c.passed[i] {
			c.now = i
			c.scalar(&c.b.Steps[i])
		}
	}
}

// loops emits the per-lane steps: as one loop, or in the template mode as one loop per step.
func (c *compiler) loops(control uint32) {
	whole := c.piece
	defer func() { c.piece = whole }()
	for i := whole.From; i < whole.To; i++ {
		if c.cut.phases[i] != inside {
			continue
		}
		if !c.single {
			c.loop(control)
			return
		}
		c.piece.From, c.piece.To = i, i+1
		c.loop(control)
	}
}

// loop emits the per-lane steps of the current piece.
func (c *compiler) loop(control uint32) {
	a := c.a
	a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
	a.Emit(x86.MOV, regVecs, x86.At(x86.RDI, code.OffVecs))
	a.Emit(x86.MOV, regMasks, regWords)
	c.e.Control(control)
	rounds := (c.b.Lanes + c.lanes - 1) / c.lanes
	again := a.NewLabel()
	if rounds > 1 {
		a.Emit(x86.MOV, x86.R32(11), x86.Imm(int64(rounds)))
		a.Align(16)
		a.Bind(again)
	}
	c.parted = c.parted[:0]
	run, idles := c.idle()
	idle, done := a.NewLabel(), a.NewLabel()
	if idles {
		c.passOver(run, idle)
	}
	hopes := c.hopes()
	c.body()
	c.endHope()
	c.flush()
	if rounds > 1 || hopes {
		c.e.Control(control)
	}
	if hopes {
		c.hopeless(done, control)
		a.Bind(done)
	}
	if rounds > 1 {
		if idles {
			c.passedOver(idle)
		}
		a.Emit(x86.ADD, regV, x86.Imm(int64(4*c.lanes)))
		a.Emit(x86.ADD, regRows, x86.Imm(int64(4*c.lanes)))
		a.Emit(x86.ADD, regVecs, x86.Imm(int64(8*c.lanes)))
		a.Emit(x86.ADD, regMasks, x86.Imm(int64(c.lanes/8)))
		a.Emit(x86.SUB, regCount, x86.Imm(1))
		a.Emit(x86.JNE, x86.To(again))
	}
}

// body emits the steps of an iteration.
func (c *compiler) body() {
	clear(c.vecs)
	clear(c.masks)
	for i := c.piece.From; i < c.piece.To; i++ {
		if c.looped(i) {
			c.now = i
			s := &c.b.Steps[i]
			c.prepareHope(s)
			c.step(s)
			c.hoped(s)
		}
	}
	c.now = c.piece.To
}

// control returns MXCSR for the first op of the loop that needs a mode, and whether the piece has ops on floats.
func (c *compiler) control() (control uint32, floats bool) {
	control = cpu.Masked
	for i := c.piece.To - 1; i >= c.piece.From; i-- {
		s := &c.b.Steps[i]
		floats = floats || s.Type.Elem().IsFloat() || s.From.Elem().IsFloat()
		if c.cut.phases[i] == inside && s.Type == ir.F32 && s.Op.Info().Flags&ir.HasMode != 0 {
			control = emit.MXCSR(s.Mode)
		}
	}
	return control, floats
}
