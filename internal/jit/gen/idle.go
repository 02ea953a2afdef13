package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// Where some lanes are off, whole rounds of them often are. A loop passes over a round of which no lane runs if nobody can tell: what its steps
// leave there is not written to the state, nor reads anybody it but under masks that the round has no lane of.

// fewestIdle is how many steps on lanes are worth a test a round, mostRuns how many masks of running lanes are tried, the last first.
const (
	fewestIdle = 6
	mostRuns   = 2
)

// A pauser looks whether the loop of a piece may pass over rounds.
type pauser struct {
	c     *compiler
	piece portable.Piece
	run   portable.Place // the lanes that run
}

// idle is a mask of whose lanes a round must have one, or it may be passed over.
func (c *compiler) idle() (run portable.Place, ok bool) {
	if c.b.Lanes <= c.lanes || c.count(inside) < fewestIdle {
		return run, false
	}
	return c.running()
}

// running is a mask outside of whose lanes nobody can tell what the steps of the piece leave.
func (c *compiler) running() (run portable.Place, ok bool) {
	if !c.cut.whole {
		return run, false
	}
	p := &pauser{c: c, piece: c.piece}
	for i, tried := c.piece.To-1, 0; i >= 0 && tried < mostRuns; i-- {
		s := &c.b.Steps[i]
		if s.Kind != portable.GetExec || c.maker(s.Res[0]) != i || i >= c.piece.From && c.cut.phases[i] != before {
			continue
		}
		if p.run = s.Res[0]; p.unseen() {
			return p.run, true
		}
		tried++
	}
	return run, false
}

// makers finds which step makes each place.
func (c *compiler) makers() {
	c.made.clear()
	for i := range c.b.Steps {
		for _, r := range c.b.Steps[i].Res {
			if _, again := c.made.get(r); again {
				c.made.put(r, -1)
			} else {
				c.made.put(r, i)
			}
		}
	}
}

// maker is the step that makes a place; -1: none does, or several do.
func (c *compiler) maker(p portable.Place) int {
	if i, ok := c.made.get(p); ok {
		return i
	}
	return -1
}

// within reports whether a mask has no lanes but those that run.
func (p *pauser) within(m portable.Place) bool {
	if m == p.run {
		return true
	}
	i := p.c.maker(m)
	if i < 0 || m.Kind != portable.InMask {
		return false
	}
	s := &p.c.b.Steps[i]
	return s.Kind == portable.Compute && s.Op == ir.And && s.Type == ir.I1 && slices.ContainsFunc(s.Args, p.within)
}

// unseen reports whether nobody can tell that rounds were passed over.
func (p *pauser) unseen() bool {
	c := p.c
	c.stale.clear()
	for i := p.piece.From; i < len(c.b.Steps); i++ {
		if !p.step(i) {
			return false
		}
	}
	return !slices.ContainsFunc(c.b.Term, p.isStale) && !p.isStale(c.b.Ending.Cond)
}

// isStale reports whether a place is not as it should be in rounds that were passed over.
func (p *pauser) isStale(x portable.Place) bool {
	stale, _ := p.c.stale.get(x)
	return stale
}

// step follows what is stale through a step. It reports whether the step does the same whatever stands there.
func (p *pauser) step(i int) bool {
	s := &p.c.b.Steps[i]
	onLanes := p.c.cut.phases[i] == inside
	passed := onLanes && i < p.piece.To
	stale := passed || slices.ContainsFunc(s.Args, p.isStale)
	if s.Mask.Kind != 0 && p.isStale(s.Mask) {
		return false
	}
	switch {
	case p.c.shuffles(s) && p.isStale(s.Args[0]) && !p.within(s.Args[2]):
		return false
	case s.Kind == portable.SetRow, s.Kind == portable.SetMask && s.Mask.Kind != 0:
		return !stale || p.within(s.Mask)
	case s.Kind == portable.MemoryAccess:
		if stale && (s.Full || !p.within(s.Mask)) {
			return false
		}
		stale = false
	case !onLanes && stale:
		_, masks := waves().masks[s.Op]
		if !masks || s.Kind != portable.Compute || len(s.Args) != 2 || p.isStale(s.Args[1]) || !p.within(s.Args[1]) {
			return false
		}
		stale = false
	}
	for _, r := range s.Res {
		if stale && r.Kind == portable.InRow && r.At >= 0 {
			return false
		}
		p.c.stale.put(r, stale && !p.within(r))
	}
	return true
}

// passOver writes the test of a round, which goes on at idle.
func (c *compiler) passOver(run portable.Place, idle x86.Label) {
	c.a.Emit(x86.CMP, c.roundOf(run.At), x86.Imm(0))
	c.a.Emit(x86.JE, x86.To(idle))
}

// roundOf is a mask's lanes of the loop's round.
func (c *compiler) roundOf(at int32) x86.Operand { return x86.At(regMasks, 8*at).Size(c.lanes / 8) }

// passedOver writes what is left of a round that is passed over: no lane of the masks that the loop makes.
func (c *compiler) passedOver(idle x86.Label) {
	if len(c.parted) == 0 {
		c.a.Bind(idle)
		return
	}
	next := c.a.NewLabel()
	c.a.Emit(x86.JMP, x86.To(next))
	c.a.Bind(idle)
	c.a.Emit(x86.XOR, x86.R32(rax), x86.R32(rax))
	for _, at := range c.parted {
		c.a.Emit(x86.MOV, c.roundOf(at), x86.G(c.lanes, rax))
	}
	c.a.Bind(next)
}
