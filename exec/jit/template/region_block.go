package template

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec/jit/code"
	"github.com/heddle-gpu/heddle/exec/jit/x86"
	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// block writes a block of the region.
func (g *regionCode) block(n int) {
	c, x := g.c, g.region.blocks[n]
	g.enter(n)
	c.b, c.cut = x.b, cutter{c: c, cells: map[cell]bool{}, whole: true}
	steps := c.b.Steps
	for i := range steps {
		when := inside
		if k := steps[i].Kind; k != getLanes && k != setLanes && k != portable.Expect && c.class(&steps[i]) == onWave {
			when = before
		}
		c.cut.phases = append(c.cut.phases, when)
	}
	c.piece = portable.Piece{To: len(steps)}
	c.fused, c.passed = make([]logicTree, len(steps)), make([]bool, len(steps))
	c.split, c.implied, c.left = nil, nil, 0
	c.readers()
	c.trees(c.piece)
	c.readers()
	c.makers()
	c.used = c.used[:0]
	for range steps {
		c.used = append(c.used, [2]use{{out: true}, {out: true}})
	}
	clear(c.held[:])
	control, floats := c.control()
	switch {
	case g.controlled:
		control = g.control
	case floats:
		c.assure(control)
	}
	c.e.Join(control)
	g.pinned()
	g.each(g.hope)
	for i := range steps {
		if !c.passed[i] {
			c.now = i
			g.step(n, &steps[i])
		}
	}
	c.now = len(steps)
	g.each(c.endHope)
	g.flush()
	c.e.Control(control)
	g.turn(n)
}

// enter counts that lanes come to a block.
func (g *regionCode) enter(n int) {
	a := g.a
	if n == 0 {
		a.Align(16)
	}
	a.Bind(g.blocks[n])
	stop := g.exits[g.head()]
	switch {
	case g.apart && n == 0:
		a.Emit(x86.CMP, regTurn, g.at(wordTurns))
		a.Emit(x86.JAE, x86.To(stop))
		a.Emit(x86.ADD, regTurn, x86.Imm(1))
	case g.apart:
		a.Emit(x86.MOV, x86.At(regWords, g.turns(n)-1).Index(regTurn, 1).Size(1), x86.Imm(1))
	case n == 0:
		if g.rounds() > 1 { // there must be enough left for the loops within
			a.Emit(x86.LEA, x86.RAX, x86.At(regTurn, 0).Index(regTurn, 1))
			a.Emit(x86.CMP, x86.RAX, g.at(wordTurns))
			a.Emit(x86.JB, x86.To(stop))
		}
		a.Emit(x86.SUB, regTurn, x86.Imm(1))
		a.Emit(x86.JL, x86.To(stop))
		a.Emit(x86.ADD, g.visits(n), x86.Imm(1))
	default:
		if g.comesBack(n) {
			a.Emit(x86.SUB, regTurn, x86.Imm(1))
			a.Emit(x86.JL, x86.To(g.never))
		}
		a.Emit(x86.ADD, g.visits(n), x86.Imm(1))
	}
}

// comesBack reports whether control comes to a block by a way that may be one back.
func (g *regionCode) comesBack(n int) bool {
	for i := range g.region.blocks {
		if i >= n && slices.Contains(g.region.blocks[i].ways[:], n) {
			return true
		}
	}
	return g.rounds() > 1 && n < len(g.blocks)
}

// hope begins a block that hopes for no NaN. If there is one, all is undone.
func (g *regionCode) hope() {
	c := g.c
	run := portable.Place{}
	for i := range c.b.Steps {
		if s := &c.b.Steps[i]; s.Kind == getLanes && s.Args[0] == inExec && run.Kind == 0 {
			run = s.Res[0]
			c.ends[i][0] = int32(len(c.b.Steps))
		}
	}
	if !c.hopes() {
		return
	}
	c.inputs.clear()
	c.hope.slow = g.undo
	if p := (&pauser{c: c, piece: c.piece, run: run}); run.Kind != 0 && p.unseen() {
		c.hope.run = run
	}
}

// step writes a step of a block.
func (g *regionCode) step(block int, s *portable.Step) {
	c := g.c
	switch {
	case s.Kind == getLanes || s.Kind == setLanes:
		g.moveMask(s)
	case isMaskOp(s):
		g.maskOp(s)
	case s.Kind == portable.Expect:
		g.expect(s)
	case s.Kind == portable.MemoryAccess && s.Mask.Kind == 0:
		g.loadOnce(block, s)
	case s.Kind == portable.MemoryAccess:
		g.load(block, s)
	case c.cut.phases[c.now] == before:
		c.scalar(s)
	default:
		g.each(func() {
			c.prepareHope(s)
			c.step(s)
			c.hoped(s)
		})
	}
}

// soonest is a rank of a register of masks: the lower, the later somebody reads it again.
func (g *regionCode) soonest(s *slot) int {
	c := g.c
	for i := c.now; i < c.piece.To; i++ {
		x := &c.b.Steps[i]
		if !c.passed[i] && (x.Mask == s.place || slices.Contains(x.Args, s.place)) {
			return c.piece.To - i + 1
		}
	}
	return 0
}

// expect undoes all if the mask has a lane.
func (g *regionCode) expect(s *portable.Step) {
	if s.Mask.Kind == portable.InWord {
		g.a.Emit(x86.TEST, wordAt(s.Mask.At).Size(4), x86.Imm(1))
		g.a.Emit(x86.JNE, x86.To(g.undo))
		return
	}
	g.someLane(s.Mask)
	g.a.Emit(x86.JNE, x86.To(g.undo))
}

// someLane sets the flags by whether a mask has a lane.
func (g *regionCode) someLane(p portable.Place) {
	r := x86.R32(g.masked(p, rax))
	g.a.Emit(x86.TEST, r, r)
}

// flush writes what is not pinned to the state.
func (g *regionCode) flush() {
	c := g.c
	g.each(func() {
		for i := range c.vecs {
			switch s := &c.vecs[i]; {
			case s.pinned:
				c.tighten(i)
			case s.dirty && s.place.Kind == portable.InRow && s.place.At >= 0:
				c.store(c.vecs, i)
			}
		}
		for i := range c.masks {
			if s := &c.masks[i]; s.dirty && s.place.Kind == inCell {
				c.store(c.masks, i)
			}
		}
	})
	for i := range c.gprs {
		if s := &c.gprs[i]; s.dirty && !s.pinned && s.place.Kind == inCell {
			g.storeMask(i)
		}
	}
}

// turn writes how control goes on behind a block.
func (g *regionCode) turn(n int) {
	a, x := g.a, g.region.blocks[n]
	to := func(way int) x86.Label {
		if way < 0 {
			return g.exits[^way]
		}
		return g.blocks[way]
	}
	switch {
	case x.on.Kind == 0:
		a.Emit(x86.JMP, x86.To(to(x.ways[0])))
		return
	case x.on == inExec:
		g.someLane(inExec)
		if x.none {
			a.Emit(x86.JE, x86.To(to(x.ways[0])))
			break
		}
		a.Emit(x86.JNE, x86.To(to(x.ways[0])))
	default:
		a.Emit(x86.TEST, wordAt(x.on.At).Size(4), x86.Imm(1))
		a.Emit(x86.JNE, x86.To(to(x.ways[0])))
	}
	if x.ways[1] != n+1 {
		a.Emit(x86.JMP, x86.To(to(x.ways[1])))
	}
}

// cellAt is where a cell stands for the unit at hand.
func (c *compiler) cellAt(p portable.Place) x86.Operand {
	at := int32(2 * c.unit)
	switch {
	case p == inExec:
		return x86.At(x86.RDI, code.OffExec+at).Index(regPart, 1).Size(2)
	case p.At%2 == 1:
		return x86.At(regS, 4*((p.At-1)/2)+at).Index(regPart, 1).Size(2)
	}
	c.a.Emit(x86.MOV, x86.RCX, x86.At(x86.RDI, code.OffM))
	return x86.At(x86.RCX, 8*((p.At-2)/2)+at).Index(regPart, 1).Size(2)
}

// Registers of loads: offsets, where lane 0 would be, the first of the lanes that take part, and what is free.
const (
	loadOff, loadSide, loadFirst, loadFree = 0, 1, 2, 3
)

// loads reports whether there is code for the load.
func (r *region) loads(s *portable.Step) bool {
	k := s.TransferKind
	switch {
	case k.Do != portable.LoadElems || s.Asked && s.Mask.Kind != 0 || s.Site == 0 || s.Op == ir.AtomicRMW:
		return false
	case s.Mask.Kind == 0:
		return s.Args[0].Kind == portable.InWord && (!s.Shared || s.Args[1].Kind != portable.InWord)
	case s.Args[0].Kind != portable.InRow || k.Wide || s.Mask.Kind == portable.InWord:
		return false
	case k.Bytes == 4:
		return s.Count >= 1 && s.Count <= 4 && s.Access.Bytes == 4*uint64(s.Count)
	}
	return s.Count == 1 && s.Access.Bytes == uint64(k.Bytes) && (k.Bytes == 1 || k.Bytes == 2 && s.Align >= 2)
}

// loadOnce writes a load that is one for the wave.
func (g *regionCode) loadOnce(block int, s *portable.Step) {
	(&accessor{c: g.c, a: g.a, s: s, leave: g.room}).note() // where there is no room for marks, the block makes some
	g.c.accessOnce(s, g.undo)
	if s.Shared {
		g.countLanes(s.Args[1], s.Access.Bytes)
	} else {
		g.once[block] += s.Access.Bytes
	}
}

// load writes a load of lanes: all units look at their addresses first.
func (g *regionCode) load(block int, s *portable.Step) {
	c := g.c
	if s.Full {
		g.once[block] += uint64(c.b.Lanes) * s.Access.Bytes
	} else {
		g.countLanes(s.Mask, s.Access.Bytes)
	}
	g.a.Emit(x86.MOV, regHost, wordAt(s.Site+portable.SiteHost))
	g.each(func() {
		c.prepareHope(s)
		l := &laneLoad{g: g, s: s, full: s.Full, low: c.word32(s.Args[0], loadFree), halves: len(s.Args) > 1}
		if !s.Full {
			l.mask = c.condition(s.Mask)
		}
		if l.halves {
			l.high = c.word32(s.Args[1], loadFree+1)
		}
		l.look()
		l.move()
	})
}

// countLanes counts bytes that the lanes of a mask read.
func (g *regionCode) countLanes(p portable.Place, bytes uint64) {
	g.a.Emit(x86.POPCNT, x86.R32(rax), x86.R32(g.masked(p, rax)))
	g.a.Emit(x86.IMUL, x86.R32(rax), x86.R32(rax), x86.Imm(int64(bytes)))
	g.a.Emit(x86.ADD, x86.At(x86.RDI, code.OffBytesRead), x86.RAX)
}

// A laneLoad writes a load of lanes.
type laneLoad struct {
	g         *regionCode
	s         *portable.Step
	full      bool
	mask      x86.Operand
	low, high x86.Operand
	halves    bool
}

func (l *laneLoad) among(k x86.Operand) x86.Operand {
	if l.full {
		return k
	}
	return k.Mask(l.mask)
}

// word is a word of the site in all lanes.
func (l *laneLoad) word(at int32, off int32) x86.Operand {
	return wordAt(l.s.Site + at).Plus(off).Bcst(l.g.c.lanes)
}

// look finds the offsets, and undoes all if one is refused.
func (l *laneLoad) look() {
	a, c, s := l.g.a, l.g.c, l.s
	off, k6, k7 := c.scratch(loadOff), x86.K(6), x86.K(7)
	a.Emit(x86.VPSUBD, off, l.low, l.word(portable.SiteBase, 0))
	a.Emit(x86.VPCMPUD, l.among(k7), off, l.word(portable.SiteLast, 0), x86.Imm(6))
	if l.halves {
		a.Emit(x86.VPCMPUD, l.among(k6), l.high, l.word(portable.SiteBase, 4), x86.Imm(4))
		a.Emit(x86.KORW, k7, k7, k6)
	}
	if s.Align > 1 {
		a.Emit(x86.VPTESTMD, l.among(k6), l.low, c.e.Word(uint32(s.Align-1)))
		a.Emit(x86.KORW, k7, k7, k6)
	}
	a.Emit(x86.KORTESTW, k7, k7)
	a.Emit(x86.JNE, x86.To(l.g.undo))
}

// move loads the elements.
func (l *laneLoad) move() {
	a, c, s := l.g.a, l.g.c, l.s
	bytes, off := s.TransferKind.Bytes, c.scratch(loadOff)
	if bytes < 4 {
		l.part()
		return
	}
	if s.Count > 1 {
		for e := range s.Count {
			l.gather(c.resultAt(s.Res[e], e), off, int32(4*e))
		}
		return
	}
	d := c.resultAt(s.Res[0], 0)
	apart, done := a.NewLabel(), a.NewLabel()
	side, first, k6 := c.scratch(loadSide), c.scratch(loadFirst), x86.K(6)
	a.Emit(x86.VPMOVZXBD, first, x86.RIP(c.sixteens(0)))
	a.Emit(x86.VPSLLD, first, first, x86.Imm(2))
	a.Emit(x86.VPSUBD, side, off, first)
	lane0 := x86.X(c.e.Free() + loadSide)
	if !l.full {
		a.Emit(x86.VPCOMPRESSD, first.Zero(l.mask), side)
		lane0 = x86.X(c.e.Free() + loadFirst)
	}
	all := c.scratch(loadFree + 2)
	a.Emit(x86.VPBROADCASTD, all, lane0)
	a.Emit(x86.VPCMPUD, l.among(k6), side, all, x86.Imm(4))
	a.Emit(x86.KORTESTW, k6, k6)
	a.Emit(x86.JNE, x86.To(apart))
	a.Emit(x86.VMOVD, x86.R32(rax), lane0)
	a.Emit(x86.MOVSXD, x86.RAX, x86.R32(rax))
	if l.full {
		a.Emit(x86.VMOVUPS, d, x86.At(x86.RAX, 0).Index(regHost, 1))
	} else {
		a.Emit(x86.VMOVUPS, d.Zero(l.mask), x86.At(x86.RAX, 0).Index(regHost, 1))
	}
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(apart)
	l.gather(d, off, 0)
	a.Bind(done)
}

// gather loads a word for each lane, 0 for those that do not take part.
func (l *laneLoad) gather(d, off x86.Operand, disp int32) {
	a, k6 := l.g.a, x86.K(6)
	if l.full {
		a.Emit(x86.KXNORW, k6, k6, k6)
	} else {
		a.Emit(x86.KMOVW, k6, l.mask)
	}
	a.Emit(x86.VPXORD, d, d, d)
	a.Emit(x86.VPGATHERDD, d.Mask(k6), x86.At(regHost, disp).Index(off, 1))
}

// part loads less than a word for each lane: all of the word, which is the segment's, and takes it out.
func (l *laneLoad) part() {
	a, c, s := l.g.a, l.g.c, l.s
	off, shift, t := c.scratch(loadOff), c.scratch(loadSide), c.scratch(loadFirst)
	a.Emit(x86.VPSLLD, shift, off, x86.Imm(30))
	a.Emit(x86.VPSRLD, shift, shift, x86.Imm(27)) // bits in front of it
	a.Emit(x86.VPSRLD, t, off, x86.Imm(2))
	a.Emit(x86.VPSLLD, off, t, x86.Imm(2))
	d := c.resultAt(s.Res[0], 0)
	l.gather(d, off, 0)
	a.Emit(x86.VPSRLVD, d, d, shift)
	above := x86.Imm(int64(32 - 8*s.TransferKind.Bytes))
	a.Emit(x86.VPSLLD, d, d, above)
	if s.Signed {
		a.Emit(x86.VPSRAD, d, d, above)
	} else {
		a.Emit(x86.VPSRLD, d, d, above)
	}
}
