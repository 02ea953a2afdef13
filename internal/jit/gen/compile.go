package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
)

// A compiler emits the code of a plan, and assigns registers.
type compiler struct {
	*assembly
	uniformEmitter
	loopEmitter
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
		if n.rejected != nil {
			n.rejected(err)
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
	c := newCompiler(&assembly{plan: p, a: a, e: e, list: list})
	var labels []x86.Label
	begin := func() {
		labels = append(labels, a.NewLabel())
		a.Align(16)
		a.Bind(labels[len(labels)-1])
	}
	if p.whole {
		begin()
		at = []portable.Segment{{To: len(p.b.Steps), Exits: p.fallsBack}}
		c.begin("block")
		c.hoistedLoads()
		c.fastPath()
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
	c.logRows()
	if text, err = c.finish(); err != nil {
		return nil, nil, err
	}
	for i := range at {
		at[i].At = a.Place(labels[i])
	}
	return text, at, nil
}

// newCompiler returns a compiler with its register files.
func newCompiler(to *assembly) *compiler {
	c := &compiler{assembly: to, uniformEmitter: uniformEmitter{assembly: to}, loopEmitter: loopEmitter{assembly: to}}
	regs := make([]register, len(wordRegs)+c.e.Free()+emit.FreeMasks)
	c.words = regFile{regs: regs[:len(wordRegs)], policy: wordPolicy{&c.uniformEmitter}}
	regs = regs[len(wordRegs):]
	c.vecs = regFile{regs: regs[:c.e.Free()], policy: lanePolicy{&c.loopEmitter, &c.vecs}}
	c.masks = regFile{regs: regs[c.e.Free():], policy: lanePolicy{&c.loopEmitter, &c.masks}, first: 1} // k0 cannot be a mask
	if c.list != nil {
		c.list.a = c.a
		c.traced()
	}
	return c
}

// block emits all of a whole block: segments, accesses between them, and the end.
func (c *compiler) block() {
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
	(&terminator{c.assembly}).write()
	c.begin("exits")
	c.exitStubs()
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
	affine := c.countAffine(g)
	if affine {
		a.Emit(x86.XOR, x86.R32(r13), x86.R32(r13))
	}
	if iterations > 1 {
		a.Emit(x86.MOV, x86.R32(11), x86.Imm(int64(iterations)))
		a.Align(16)
		a.Bind(again)
	}
	c.partMasks = c.partMasks[:0]
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
	if affine {
		a.Emit(x86.ADD, regLane, x86.Imm(int64(c.lanes)))
	}
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

// slowPaths emits the slow paths.
func (c *compiler) slowPaths() {
	for _, r := range c.slow {
		c.g, c.spec.on = r.g, false
		c.begin("slow path")
		c.a.Bind(r.slow)
		c.e.Join(^uint32(cpu.Masked)) // a jump from anywhere in the iteration
		c.e.Control(r.g.control)
		c.body()
		c.flush()
		c.e.Control(r.g.control)
		c.a.Emit(x86.JMP, x86.To(r.done))
	}
}
