package template

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec/jit/code"
	"github.com/heddle-gpu/heddle/exec/jit/x86"
)

// Lanes that have left a region, by whichever exit, wait for those that come after them. Then what has run is counted, and the wave goes on, or all of
// it is undone.

// leaves writes how lanes leave by each exit: what is pinned goes back to the state.
func (g *regionCode) leaves() {
	a, c := g.a, g.c
	for e, l := range g.exits {
		a.Bind(l)
		g.pinned()
		g.each(func() {
			for i := range c.vecs {
				if s := &c.vecs[i]; s.pinned && *s != foreign && slices.Contains(g.rows, s.place.At) {
					a.Emit(x86.VMOVUPS, c.row(s.place), c.v(i))
				}
			}
		})
		for i := range c.gprs {
			if s := &c.gprs[i]; s.pinned && slices.Contains(g.cells, s.place.At) {
				g.storeMask(i)
			}
		}
		a.Emit(x86.MOV, x86.R32(rax), x86.Imm(int64(e)))
		a.Emit(x86.JMP, x86.To(g.done))
	}
}

// finish goes on with the next lanes, or with what is behind the region.
func (g *regionCode) finish() {
	a, set, same := g.a, g.a.NewLabel(), g.a.NewLabel()
	a.Bind(g.done)
	if g.apart {
		a.Emit(x86.MOV, x86.RCX, g.at(wordMost))
		a.Emit(x86.CMP, regTurn, x86.RCX)
		a.Emit(x86.CMOVB, regTurn, x86.RCX)
		a.Emit(x86.MOV, g.at(wordMost), regTurn)
	}
	a.Emit(x86.MOV, x86.RCX, g.at(wordExit))
	a.Emit(x86.CMP, x86.RCX, x86.Imm(-1))
	a.Emit(x86.JE, x86.To(set))
	a.Emit(x86.CMP, x86.RAX, x86.RCX)
	a.Emit(x86.JE, x86.To(same))
	if g.apart && g.holds { // others have turns left to go round, in which nothing happens to those that have left
		a.Emit(x86.CMP, x86.RAX, x86.Imm(int64(g.head())))
		a.Emit(x86.JE, x86.To(set))
		a.Emit(x86.CMP, x86.RCX, x86.Imm(int64(g.head())))
		a.Emit(x86.JE, x86.To(same))
	}
	a.Emit(x86.JMP, x86.To(g.undo))
	a.Bind(set)
	a.Emit(x86.MOV, g.at(wordExit), x86.RAX)
	a.Bind(same)
	a.Bind(g.next)
	a.Emit(x86.ADD, g.at(wordPart), x86.Imm(1))
	a.Emit(x86.CMP, g.at(wordPart), x86.Imm(int64(g.c.b.Lanes/(g.units*g.c.lanes))))
	a.Emit(x86.JB, x86.To(g.part))
	g.count()
	a.Emit(x86.MOV, x86.RAX, g.at(wordExit))
	for e := range g.exits {
		other := a.NewLabel()
		if e < len(g.exits)-1 {
			a.Emit(x86.CMP, x86.RAX, x86.Imm(int64(e)))
			a.Emit(x86.JNE, x86.To(other))
		}
		g.exit(e)
		a.Bind(other)
	}
}

// count counts what has been run.
func (g *regionCode) count() {
	a := g.a
	add := func(to x86.Operand, n uint64) {
		if n != 0 {
			a.Emit(x86.IMUL, x86.RCX, x86.RAX, x86.Imm(int64(n)))
			a.Emit(x86.ADD, to, x86.RCX)
		}
	}
	for i, x := range g.region.blocks {
		switch {
		case !g.apart:
			a.Emit(x86.MOV, x86.RAX, g.visits(i))
		case i == 0:
			a.Emit(x86.MOV, x86.RAX, g.at(wordMost))
		default:
			g.countTurns(i)
		}
		e := &x.b.Ending
		a.Emit(x86.IMUL, x86.RCX, x86.RAX, x86.Imm(int64(e.Marks)))
		a.Emit(x86.SUB, x86.At(x86.RDI, code.OffBudget).Size(8), x86.RCX)
		add(arg(argOps).Size(8), uint64(e.Ops))
		add(arg(argLaneOps).Size(8), uint64(e.LaneOps))
		add(x86.At(x86.RDI, code.OffBytesRead).Size(8), g.once[i])
	}
	for i := 1; g.apart && i < len(g.blocks); i++ { // as they were
		g.eachTurn(func() { g.a.Emit(x86.MOV, x86.At(x86.R12, 0).Size(8), x86.Imm(0)) }, i)
	}
}

// countTurns brings the number of turns in which the wave has come to a block into rax.
func (g *regionCode) countTurns(block int) {
	unless := g.region.blocks[block].unless
	g.eachTurn(func() {
		g.a.Emit(x86.MOV, x86.RCX, x86.At(x86.R12, 0))
		if unless != 0 {
			g.a.Emit(x86.MOV, x86.R64(r14), x86.At(x86.R12, g.turns(unless)-g.turns(block)))
			g.a.Emit(x86.ANDN, x86.RCX, x86.R64(r14), x86.RCX)
		}
		g.a.Emit(x86.POPCNT, x86.RCX, x86.RCX)
		g.a.Emit(x86.ADD, x86.RAX, x86.RCX)
	}, block)
}

// eachTurn does something for each eight turns, with the address of a block's bytes in r12. It begins with 0 in rax.
func (g *regionCode) eachTurn(do func(), block int) {
	a, again, none := g.a, g.a.NewLabel(), g.a.NewLabel()
	a.Emit(x86.XOR, x86.R32(rax), x86.R32(rax))
	a.Emit(x86.LEA, x86.R12, x86.At(regWords, g.turns(block)))
	a.Emit(x86.MOV, x86.R13, g.at(wordMost))
	a.Emit(x86.ADD, x86.R13, x86.R12)
	a.Emit(x86.CMP, x86.R12, x86.R13)
	a.Emit(x86.JAE, x86.To(none))
	a.Bind(again)
	do()
	a.Emit(x86.ADD, x86.R12, x86.Imm(8))
	a.Emit(x86.CMP, x86.R12, x86.R13)
	a.Emit(x86.JB, x86.To(again))
	a.Bind(none)
}

// exit goes on behind the region: by the way that the runner has set, or back to the caller.
func (g *regionCode) exit(e int) {
	a, back := g.a, g.a.NewLabel()
	a.Emit(x86.MOV, x86.RCX, arg(argLink))
	a.Emit(x86.MOV, x86.RCX, x86.At(x86.RCX, offExits))
	a.Emit(x86.ADD, x86.RCX, x86.Imm(int64(int32(2*e)*sizeWay-offWays)))
	a.Emit(x86.MOV, regRun, running)
	g.c.dense(back)
	g.c.onward()
	a.Bind(back)
	a.Emit(x86.MOV, x86.At(x86.RDI, code.OffWhat).Size(4), x86.Imm(int64(-2-e)))
	g.c.last()
}

// undone makes everything as it was at the begin, and lets the head run as a block.
func (g *regionCode) undone() {
	a, back := g.a, g.a.NewLabel()
	a.Bind(g.room)
	a.Emit(x86.MOV, g.at(wordSkip), x86.Imm(firstSkip))
	a.Emit(x86.JMP, x86.To(back))
	a.Bind(g.never)
	a.Emit(x86.MOV, g.at(wordSkip), x86.Imm(banned))
	a.Emit(x86.JMP, x86.To(back))
	a.Bind(g.undo)
	a.Emit(x86.MOV, x86.RCX, g.at(wordStrikes))
	a.Emit(x86.MOV, x86.R32(rax), x86.Imm(firstSkip))
	a.Emit(x86.SHLX, x86.RAX, x86.RAX, x86.RCX)
	a.Emit(x86.MOV, g.at(wordSkip), x86.RAX)
	a.Emit(x86.CMP, x86.RCX, x86.Imm(mostStrikes))
	a.Emit(x86.JAE, x86.To(back))
	a.Emit(x86.ADD, g.at(wordStrikes), x86.Imm(1))
	a.Bind(back)
	a.Emit(x86.VLDMXCSR, x86.At(x86.RDI, code.OffMXCSR).Size(4)) // the code may come from between two ops
	a.Emit(x86.MOV, x86.RAX, g.at(wordExec))
	a.Emit(x86.MOV, x86.At(x86.RDI, code.OffExec), x86.RAX)
	a.Emit(x86.MOV, x86.RAX, g.at(wordRead))
	a.Emit(x86.MOV, x86.At(x86.RDI, code.OffBytesRead), x86.RAX)
	g.keepWords(true)
	if g.undoes {
		g.keepRows(true)
	}
	if g.apart {
		g.forgetTurns()
	}
	a.Emit(x86.JMP, x86.To(g.normal))
}

// forgetTurns forgets in which turns lanes have come to blocks.
func (g *regionCode) forgetTurns() {
	a, v := g.a, g.c.v(0)
	a.Emit(x86.VXORPS, x86.X(0), x86.X(0), x86.X(0))
	for at := int32(0); at < int32(len(g.blocks)*apartTurns); at += int32(4 * g.c.lanes) {
		a.Emit(x86.VMOVUPS, x86.At(regWords, g.turns(0)+at), v)
	}
}
