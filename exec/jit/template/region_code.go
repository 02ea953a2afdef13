package template

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec/jit/code"
	"github.com/heddle-gpu/heddle/exec/jit/x86"
	"github.com/heddle-gpu/heddle/exec/portable"
)

// General registers of regions, besides regV, regRows, regVecs, regWords and regS, which are those of the lanes at hand.
var (
	regPart = x86.R10 // how far into a mask their bits lie, in bytes
	regTurn = x86.R11 // turns: those that they have gone round, or those that are left to them
)

// Words of a region, from Loop.Words on.
const (
	wordSkip    = iota // how often the head still runs as a block
	wordStrikes        // how often all has been undone
	wordPart           // which lanes are at hand
	wordExit           // by which exit those before have left; -1: none has
	wordTurns          // how many turns there may be
	wordMost           // of the lanes so far, the most turns that any have gone round
	wordExec           // the execution mask and bytes read, as they were
	wordRead
	wordVisits // by block; behind them what is kept: registers of the wave and cells of lanes, and then turns
)

// These bound a stay in a region.
const (
	fewestTurns = 4   // less is not worth beginning
	apartTurns  = 256 // where lanes may take different ways: each has a byte in the words of a block
	mostTurns   = 2048
	mostUnits   = 2
	mostStrikes = 12 // of which each doubles the times that the head runs as a block
	firstSkip   = 16
	banned      = 1 << 30
)

// A regionCode writes the code of a region.
type regionCode struct {
	*region
	c                             *compiler
	a                             *x86.Asm
	entry, normal                 x86.Label
	part, next, done, undo, never x86.Label
	room                          x86.Label // undo, for want of room for marks
	blocks                        []x86.Label
	exits                         []x86.Label // the last is in front of the head

	pins   []portable.Place
	undoes bool
	once   []uint64 // by block: bytes that it reads whichever lanes run

	masks []int // general registers that masks are in
	units int   // vectors that the lanes at hand fill
	lanes [mostUnits]unitState

	control    uint32 // MXCSR at the begins of all blocks
	controlled bool   // there is one
}

// writeRegion writes the code of a region. It begins at entry; where there is nothing to be done, or all has been undone, it goes to normal.
func (c *compiler) writeRegion(r *region, entry, normal x86.Label) {
	a := c.a
	g := &regionCode{region: r, c: c, a: a, entry: entry, normal: normal, units: 1, once: make([]uint64, len(r.blocks))}
	if c.b.Lanes%(mostUnits*c.lanes) == 0 {
		g.units = mostUnits
	}
	for _, l := range []*x86.Label{&g.part, &g.next, &g.done, &g.undo, &g.never, &g.room} {
		*l = a.NewLabel()
	}
	for range r.blocks {
		g.blocks = append(g.blocks, a.NewLabel())
	}
	for range r.l.Exits + 1 {
		g.exits = append(g.exits, a.NewLabel())
	}
	c.region = g
	defer func() { c.region = nil }()
	g.choose()
	g.begin()
	g.parts()
	for i := range r.blocks {
		g.block(i)
	}
	g.leaves()
	g.finish()
	g.undone()
}

func (g *regionCode) head() int { return g.l.Exits }

func (g *regionCode) at(n int32) x86.Operand { return wordAt(g.l.Words + n).Size(8) }

func (g *regionCode) visits(block int) x86.Operand { return g.at(wordVisits + int32(block)) }

// kept is the word where the first register of the wave is kept; those of cells lie behind them.
func (r *region) kept() int32 { return wordVisits + int32(len(r.blocks)) }

// noted is the word from which on turns are noted by block.
func (r *region) noted() int32 { return r.kept() + int32(len(r.words)+len(r.cells)) }

// turns is where it is noted in which turns lanes have come to a block: a byte each.
func (r *region) turns(block int) int32 { return 8*(r.l.Words+r.noted()) + int32(block*apartTurns) }

// Room implements portable.Plan.
func (r *region) Room() (words, rows int) {
	return int(r.noted()) + len(r.blocks)*apartTurns/8, len(r.rows)
}

// choose finds whether there is anything to undo, and which registers stay in the host's.
func (g *regionCode) choose() {
	c, reads := g.c, map[portable.Place]int{}
	g.undoes = g.apart || g.rounds() > 1
	for _, x := range g.region.blocks {
		for i := range x.b.Steps {
			s := &x.b.Steps[i]
			g.undoes = g.undoes || s.Kind == portable.MemoryAccess || s.Kind == portable.Expect || s.Type.Elem().IsFloat()
			for _, p := range append(s.Args[:len(s.Args):len(s.Args)], s.Mask) {
				reads[p]++
			}
			for _, p := range s.Res {
				reads[p]++
			}
		}
	}
	g.registers()
	g.controls()
	rows, cells := len(c.vecs)/g.units-g.demand(), max(len(g.masks)-2, 0)
	g.pin(reads, rows, func(p portable.Place) bool { return p.Kind == portable.InRow && p.At >= 0 })
	g.pin(reads, cells, func(p portable.Place) bool { return p.Kind == inCell })
}

// controls finds MXCSR, if blocks with ops on floats begin with the same.
func (g *regionCode) controls() {
	c, some := g.c, false
	g.controlled = true
	for _, x := range g.region.blocks {
		c.b, c.piece = x.b, portable.Piece{To: len(x.b.Steps)}
		c.cut.phases = make([]phase, len(x.b.Steps))
		for i := range c.cut.phases {
			c.cut.phases[i] = inside
		}
		if control, floats := c.control(); floats {
			g.controlled = g.controlled && (!some || control == g.control)
			g.control, some = control, true
		}
	}
	g.controlled = g.controlled && some
}

// pin keeps the n places that are named most in registers.
func (g *regionCode) pin(reads map[portable.Place]int, n int, may func(portable.Place) bool) {
	var list []portable.Place
	for p := range reads {
		if may(p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(p, q portable.Place) int {
		if reads[p] != reads[q] {
			return reads[q] - reads[p]
		}
		return int(p.At - q.At)
	})
	g.pins = append(g.pins, list[:min(n, len(list))]...)
}

// demand is how many registers of vectors of a unit steps may take.
func (g *regionCode) demand() int {
	for _, x := range g.region.blocks {
		for i := range x.b.Steps {
			if g.c.quads(&x.b.Steps[i]) != nil {
				return 9
			}
		}
	}
	return 7
}

// A unitState is what is known of the registers of a unit of lanes.
type unitState struct {
	vecs, masks []slot
	hope        hope
}

// foreign is what registers of another unit hold.
var foreign = slot{place: portable.Place{Kind: 7}, pinned: true}

// unit turns to a unit of the lanes at hand.
func (g *regionCode) unit(u int) {
	c := g.c
	now, next := &g.lanes[c.unit], &g.lanes[u]
	now.vecs, now.masks, now.hope = c.vecs, c.masks, c.hope
	c.vecs, c.masks, c.hope, c.unit = next.vecs, next.masks, next.hope, u
}

// each does something for all units.
func (g *regionCode) each(do func()) {
	for u := range g.units {
		g.unit(u)
		do()
	}
	g.unit(0)
}

// pinned gives the registers what is pinned. It is written to the state when lanes leave.
func (g *regionCode) pinned() {
	c := g.c
	for u := range g.units {
		g.lanes[u].vecs, g.lanes[u].masks = make([]slot, len(c.vecs)), make([]slot, len(c.masks))
	}
	c.vecs, c.masks = g.lanes[0].vecs, g.lanes[0].masks
	c.gprs = make([]slot, len(g.masks))
	share := len(c.vecs) / g.units
	for u := range g.units {
		for i := range c.vecs {
			if i/share != u {
				g.lanes[u].vecs[i] = foreign
			}
		}
		for i := 1; i < len(c.masks) && g.units > 1; i++ {
			if (i > 2) != (u > 0) {
				g.lanes[u].masks[i] = foreign
			}
		}
	}
	rows, masks := 0, 0
	for _, p := range g.pins {
		s := slot{place: p, pinned: true, dirty: true}
		if p.Kind == inCell {
			c.gprs[masks] = s
			masks++
			continue
		}
		for u := range g.units {
			g.lanes[u].vecs[u*share+rows] = s
		}
		rows++
	}
}

// begin looks whether the region can run, and keeps what it would have to undo.
func (g *regionCode) begin() {
	a, start := g.a, g.a.NewLabel()
	a.Align(16)
	a.Bind(g.entry)
	a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	a.Emit(x86.CMP, wordAt(g.l.Ready).Size(8), x86.Imm(0))
	a.Emit(x86.JE, x86.To(g.normal))
	a.Emit(x86.CMP, g.at(wordSkip), x86.Imm(0))
	a.Emit(x86.JE, x86.To(start))
	a.Emit(x86.SUB, g.at(wordSkip), x86.Imm(1))
	a.Emit(x86.JMP, x86.To(g.normal))
	a.Bind(start)
	a.Emit(x86.MOV, x86.RAX, x86.At(x86.RDI, code.OffExec))
	a.Emit(x86.MOV, g.at(wordExec), x86.RAX)
	a.Emit(x86.TEST, x86.RAX, x86.RAX)
	a.Emit(x86.JE, x86.To(g.normal))
	a.Emit(x86.MOV, x86.RAX, x86.At(x86.RDI, code.OffBudget))
	a.Emit(x86.TEST, x86.RAX, x86.RAX)
	a.Emit(x86.JLE, x86.To(g.normal))
	a.Emit(x86.SHR, x86.RAX, x86.Imm(g.turnMarks()))
	a.Emit(x86.CMP, x86.RAX, x86.Imm(fewestTurns))
	a.Emit(x86.JB, x86.To(g.normal))
	most := int64(mostTurns)
	if g.apart {
		most = apartTurns
	}
	a.Emit(x86.MOV, x86.R32(1), x86.Imm(most))
	a.Emit(x86.CMP, x86.RAX, x86.RCX)
	a.Emit(x86.CMOVA, x86.RAX, x86.RCX)
	a.Emit(x86.MOV, g.at(wordTurns), x86.RAX)
	a.Emit(x86.MOV, x86.RAX, x86.At(x86.RDI, code.OffBytesRead))
	a.Emit(x86.MOV, g.at(wordRead), x86.RAX)
	a.Emit(x86.MOV, regS, x86.At(x86.RDI, code.OffS))
	g.keepWords(false)
	if g.undoes {
		g.keepRows(false)
	}
	if g.controlled {
		g.c.assure(g.control)
	}
	a.Emit(x86.MOV, g.at(wordPart), x86.Imm(0))
	a.Emit(x86.MOV, g.at(wordExit), x86.Imm(-1))
	a.Emit(x86.MOV, g.at(wordMost), x86.Imm(0))
}

// turnMarks is the logarithm of a number that has at least as many marks as a turn.
func (g *regionCode) turnMarks() (n int64) {
	marks := 0
	for _, x := range g.region.blocks {
		marks += x.b.Ending.Marks
	}
	for 1<<n < marks {
		n++
	}
	return n
}

// keepWords keeps what stands in registers of the wave and cells of lanes, or brings it back.
func (g *regionCode) keepWords(back bool) {
	g.keepNumbers(back)
	at := g.kept() + int32(len(g.words))
	for i, cell := range g.cells {
		if cell != execCell { // that is at wordExec
			g.move(g.at(at+int32(i)), g.cellWord(cell), back)
		}
	}
}

// keepNumbers is keepWords of the former.
func (g *regionCode) keepNumbers(back bool) {
	for i, n := range g.words {
		kept, word, eax := g.at(g.kept()+int32(i)).Size(4), x86.At(regS, 4*n).Size(4), x86.R32(rax)
		if back {
			kept, word = word, kept
		}
		g.a.Emit(x86.MOV, eax, word)
		g.a.Emit(x86.MOV, kept, eax)
	}
}

func (g *regionCode) move(kept, word x86.Operand, back bool) {
	if back {
		kept, word = word, kept
	}
	g.a.Emit(x86.MOV, x86.RAX, word)
	g.a.Emit(x86.MOV, kept, x86.RAX)
}

// cellWord is where all lanes of a cell stand.
func (g *regionCode) cellWord(cell int32) x86.Operand {
	if cell%2 == 1 {
		return x86.At(regS, 4*((cell-1)/2)).Size(8)
	}
	g.a.Emit(x86.MOV, x86.RCX, x86.At(x86.RDI, code.OffM))
	return x86.At(x86.RCX, 8*((cell-2)/2)).Size(8)
}

// keepRows keeps the registers of lanes that the region writes, or brings them back.
func (g *regionCode) keepRows(back bool) {
	if len(g.rows) == 0 {
		return
	}
	a, c := g.a, g.c
	a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
	a.Emit(x86.XOR, x86.R32(1), x86.R32(1))
	again := a.NewLabel()
	a.Bind(again)
	for i, n := range g.rows {
		from := c.row(portable.Place{Kind: portable.InRow, At: n}).Index(x86.RCX, 1)
		to := c.row(portable.Place{Kind: portable.InRow, At: g.l.Rows - int32(i)}).Index(x86.RCX, 1)
		if back {
			from, to = to, from
		}
		v := c.v(i % 4)
		a.Emit(x86.VMOVUPS, v, from)
		a.Emit(x86.VMOVUPS, to, v)
	}
	a.Emit(x86.ADD, x86.RCX, x86.Imm(int64(4*c.lanes)))
	a.Emit(x86.CMP, x86.RCX, x86.Imm(int64(4*c.b.Lanes)))
	a.Emit(x86.JB, x86.To(again))
}

// parts begins the region for the lanes that come next.
func (g *regionCode) parts() {
	a, c := g.a, g.c
	a.Align(16)
	a.Bind(g.part)
	a.Emit(x86.MOV, x86.RCX, g.at(wordPart))
	a.Emit(x86.IMUL, regPart, x86.RCX, x86.Imm(int64(2*g.units)))
	if !g.apart && len(g.cells) == 0 && g.still() {
		a.Emit(x86.CMP, x86.At(x86.RDI, code.OffExec).Index(regPart, 1).Size(2*g.units), x86.Imm(0))
		a.Emit(x86.JE, x86.To(g.next))
	}
	a.Emit(x86.IMUL, x86.RAX, x86.RCX, x86.Imm(int64(4*c.lanes*g.units)))
	a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.ADD, regV, x86.RAX)
	a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
	a.Emit(x86.ADD, regRows, x86.RAX)
	a.Emit(x86.MOV, regVecs, x86.At(x86.RDI, code.OffVecs))
	a.Emit(x86.LEA, regVecs, x86.At(regVecs, 0).Index(x86.RAX, 2))
	g.keepNumbers(true)
	if g.apart {
		a.Emit(x86.XOR, x86.R32(11), x86.R32(11))
	} else {
		a.Emit(x86.MOV, regTurn, g.at(wordTurns))
		for i := range g.blocks {
			a.Emit(x86.MOV, g.visits(i), x86.Imm(0))
		}
	}
	g.pinned()
	g.each(func() {
		for i := range c.vecs {
			if s := &c.vecs[i]; s.pinned && *s != foreign {
				a.Emit(x86.VMOVUPS, c.v(i), c.row(s.place))
			}
		}
	})
	for i := range c.gprs {
		if s := &c.gprs[i]; s.pinned {
			g.loadMask(g.mask(i), s.place)
		}
	}
}
