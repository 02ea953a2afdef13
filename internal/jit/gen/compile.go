package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
)

// General registers of a segment. The first four point to the lanes of the current loop iteration.
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

// A compiler emits the code of a plan, and assigns registers.
type compiler struct {
	*plan
	a    *x86.Asm
	e    *emit.Emitter
	g    *segment // that is emitted
	now  int      // the step that is emitted
	list *listing // nil: none

	words   regFile // uniform values, in general registers
	vecs    regFile // values per lane; with AVX2 also lane masks
	masks   regFile // lane masks, with AVX-512
	parted  []int32 // masks that the segment's loop writes
	written []int32 // those of parted that are also read as one word

	exits     []exitStub
	spec      speculation
	slow      []slowPath
	eightsAt  x86.Label
	hasEights bool
	bitsAt    x86.Label
	hasBits   bool
	table     x86.Label // of shift counts that move a lane's bit of a byte to the top
	hasTable  bool
	rows      [len(tableRows)]tableRow
}

// Compile implements portable.Backend.
func (n *native) Compile(b *lower.Block) (portable.Code, []portable.Segment) {
	if n.arena == nil || b.Lanes > n.lanes && b.Lanes%n.lanes != 0 {
		return nil, nil
	}
	t := spare.Get().(*tables)
	defer spare.Put(t)
	p := newPlan(n.target, b, t)
	if len(p.segments) == 0 && !p.whole {
		return nil, nil
	}
	text, segments, err := p.assemble(nil)
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
	return unit{u}, segments
}

// assemble returns the machine code of a plan, and where the code of segments is. A whole block is one segment. It adds
// to the listing, if there is one, what code is for.
func (p *plan) assemble(list *listing) (text []byte, at []portable.Segment, err error) {
	a := x86.New(p.set)
	e, err := emit.New(a, p.bits, cpu.Masked)
	if err != nil {
		return nil, nil, err
	}
	c := &compiler{plan: p, a: a, e: e}
	c.allocate()
	if list != nil {
		c.list, list.a = list, a
		c.traced()
	}
	var labels []x86.Label
	begin := func() {
		labels = append(labels, a.NewLabel())
		a.Align(16)
		a.Bind(labels[len(labels)-1])
	}
	if p.whole {
		begin()
		at = []portable.Segment{{To: len(p.b.Steps), Exits: p.fallsBack}}
		c.block()
	} else {
		for i := range p.segments {
			begin()
			g := &p.segments[i]
			at = append(at, portable.Segment{From: g.from, To: g.to})
			c.segment(g)
			a.Emit(x86.RET)
		}
	}
	c.slowPaths()
	if text, err = c.finish(); err != nil {
		return nil, nil, err
	}
	for i := range at {
		at[i].At = a.Place(labels[i])
	}
	return text, at, nil
}

// allocate makes the register files.
func (c *compiler) allocate() {
	regs := make([]register, len(wordRegs)+c.e.Free()+emit.FreeMasks)
	c.words = regFile{regs: regs[:len(wordRegs)], policy: wordPolicy{c}}
	regs = regs[len(wordRegs):]
	c.vecs = regFile{regs: regs[:c.e.Free()], policy: lanePolicy{c, &c.vecs}}
	c.masks = regFile{regs: regs[c.e.Free():], policy: lanePolicy{c, &c.masks}, first: 1} // k0 cannot be a mask
}

// block emits all of a whole block: segments, accesses between them, and the end.
func (c *compiler) block() {
	c.begin("block")
	c.hoistedLoads()
	segments := c.segments
	for at, n := 0, len(c.b.Steps); at < n; {
		switch f := &c.choices[at]; {
		case len(segments) > 0 && segments[0].from == at:
			c.segment(&segments[0])
			at, segments = segments[0].to, segments[1:]
		case f.into != 0:
			at++
		case f.joint > 0:
			c.at(at)
			c.loads(at, int(f.joint))
			at += 2 * int(f.joint)
		default:
			c.at(at)
			forms[f.form].emit(c, &c.b.Steps[at])
			at++
		}
	}
	c.begin("terminator")
	c.terminator()
	c.begin("exits")
	c.exitStubs()
}

func (c *compiler) finish() ([]byte, error) {
	c.begin("constants")
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

// segment emits the code of a segment.
func (c *compiler) segment(g *segment) {
	c.g = g
	if c.count(g, beforeLoop)+c.count(g, inLoop)+c.count(g, afterLoop) == 0 {
		return
	}
	c.begin("segment")
	a := c.a
	a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	a.Emit(x86.MOV, regS, x86.At(x86.RDI, code.OffS))
	a.Emit(x86.MOV, regM, x86.At(x86.RDI, code.OffM))
	if g.floats {
		c.setControl(g.control)
	}
	c.e.Join(g.control)
	c.uniform(beforeLoop)
	if c.count(g, inLoop) > 0 {
		c.loops()
		c.mergeMaskParts()
	}
	c.uniform(afterLoop)
	c.e.Control(g.control)
}

// setControl sets MXCSR to the control word of a segment. Context.MXCSR caches its value between segments, so that it
// is loaded only if the mode changes: the load takes longer than several ops.
func (c *compiler) setControl(control uint32) {
	is, now := c.a.NewLabel(), x86.At(x86.RDI, code.OffMXCSR).Size(4)
	c.a.Emit(x86.CMP, now, x86.Imm(int64(control)))
	c.a.Emit(x86.JE, x86.To(is))
	c.a.Emit(x86.MOV, now, x86.Imm(int64(control)))
	c.a.Emit(x86.VLDMXCSR, now)
	c.a.Bind(is)
}

// uniform emits the steps of a phase in general registers.
func (c *compiler) uniform(when phase) {
	c.words.reset()
	for i := c.g.from; i < c.g.to; i++ {
		if c.choices[i].phase == when && !c.dropped(i) {
			c.at(i)
			forms[c.choices[i].form].emit(c, &c.b.Steps[i])
		}
	}
}

// loops emits the per-lane steps: as one loop, or in the template mode as one loop per step.
func (c *compiler) loops() {
	if !c.single {
		c.loop()
		return
	}
	whole := c.g
	for i := whole.from; i < whole.to; i++ {
		if c.choices[i].phase == inLoop {
			c.g = &segment{from: i, to: i + 1, control: whole.control}
			c.loop()
		}
	}
	c.g = whole
}

// loop emits the per-lane steps of the current segment.
func (c *compiler) loop() {
	c.begin("loop")
	a, g := c.a, c.g
	a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
	a.Emit(x86.MOV, regVecs, x86.At(x86.RDI, code.OffVecs))
	a.Emit(x86.MOV, regMasks, regWords)
	c.e.Control(g.control)
	iterations := (c.b.Lanes + c.lanes - 1) / c.lanes
	again := a.NewLabel()
	if iterations > 1 {
		a.Emit(x86.MOV, x86.R32(11), x86.Imm(int64(iterations)))
		a.Align(16)
		a.Bind(again)
	}
	c.parted = c.parted[:0]
	idle, done := a.NewLabel(), a.NewLabel()
	if g.skip.Kind != 0 {
		c.skipInactive(g.skip, idle)
	}
	c.speculate()
	c.body()
	c.begin("end of the loop")
	c.endSpeculation()
	c.flush()
	if iterations > 1 || g.spec.on {
		c.e.Control(g.control)
	}
	if g.spec.on {
		c.slow = append(c.slow, slowPath{g, c.spec.slow, done})
		a.Bind(done)
	}
	if iterations == 1 {
		return
	}
	if g.skip.Kind != 0 {
		c.skipped(idle)
	}
	a.Emit(x86.ADD, regV, x86.Imm(int64(4*c.lanes)))
	a.Emit(x86.ADD, regRows, x86.Imm(int64(4*c.lanes)))
	a.Emit(x86.ADD, regVecs, x86.Imm(int64(8*c.lanes)))
	a.Emit(x86.ADD, regMasks, x86.Imm(int64(c.lanes/8)))
	a.Emit(x86.SUB, regCount, x86.Imm(1))
	a.Emit(x86.JNE, x86.To(again))
}

// body emits the steps of an iteration.
func (c *compiler) body() {
	c.vecs.reset()
	c.masks.reset()
	for i := c.g.from; i < c.g.to; i++ {
		if c.looped(i) {
			c.at(i)
			s, f := &c.b.Steps[i], &forms[c.choices[i].form]
			c.beforeStep(s)
			if f.settle {
				c.flushForScratch()
			}
			f.emit(c, s)
			c.afterStep(s)
		}
	}
	c.now = c.g.to
}
