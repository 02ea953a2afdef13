package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// If lanes are inactive, whole iterations often have no active lane. A loop skips such an iteration if that has no
// visible effect: what its steps leave in these lanes is not written to the state, and is read only under masks
// without these lanes.

// fewestIdle is the least number of per-lane steps that are worth a test per iteration; mostRuns is how many execution
// masks are tried, the last first.
const (
	fewestIdle = 6
	mostRuns   = 2
)

// A pauser decides whether the loop of a piece may skip inactive iterations.
type pauser struct {
	c     *compiler
	piece portable.Segment
	run   lower.Place // the active lanes
}

// idle returns a mask: an iteration without any lane of it may be skipped.
func (c *compiler) idle() (run lower.Place, ok bool) {
	if c.b.Lanes <= c.lanes || c.count(inside) < fewestIdle {
		return run, false
	}
	return c.running()
}

// running returns a mask outside of which the effects of the piece's steps are not visible.
func (c *compiler) running() (run lower.Place, ok bool) {
	if !c.cut.whole {
		return run, false
	}
	p := &pauser{c: c, piece: c.piece}
	for i, tried := c.piece.To-1, 0; i >= 0 && tried < mostRuns; i-- {
		s := &c.b.Steps[i]
		if s.Kind != lower.GetExec || c.maker(s.Res[0]) != i || i >= c.piece.From && c.cut.phases[i] != before {
			continue
		}
		if p.run = s.Res[0]; p.unseen() {
			return p.run, true
		}
		tried++
	}
	return run, false
}

// makers finds the step that defines each location.
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

// maker returns the step that defines a location; -1: none does, or several do.
func (c *compiler) maker(p lower.Place) int {
	if i, ok := c.made.get(p); ok {
		return i
	}
	return -1
}

// within reports whether a mask is a subset of the active lanes.
func (p *pauser) within(m lower.Place) bool {
	if m == p.run {
		return true
	}
	i := p.c.maker(m)
	if i < 0 || m.Kind != lower.InMask {
		return false
	}
	s := &p.c.b.Steps[i]
	return s.Kind == lower.Compute && s.Op == ir.And && s.Type == ir.I1 && slices.ContainsFunc(s.Args, p.within)
}

// unseen reports whether skipped iterations have no visible effect.
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

// isStale reports whether a location holds a wrong value in skipped iterations.
func (p *pauser) isStale(x lower.Place) bool {
	stale, _ := p.c.stale.get(x)
	return stale
}

// step propagates staleness through a step. It reports whether the step has the same effect whatever the stale
// locations hold.
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
	case s.Kind == lower.SetRow, s.Kind == lower.SetMask && s.Mask.Kind != 0:
		return !stale || p.within(s.Mask)
	case s.Kind == lower.MemoryAccess:
		if stale && (s.Full || !p.within(s.Mask)) {
			return false
		}
		stale = false
	case !onLanes && stale:
		_, masks := waves().masks[s.Op]
		if !masks || s.Kind != lower.Compute || len(s.Args) != 2 || p.isStale(s.Args[1]) || !p.within(s.Args[1]) {
			return false
		}
		stale = false
	}
	for _, r := range s.Res {
		if stale && r.Kind == lower.InRow && r.At >= 0 {
			return false
		}
		p.c.stale.put(r, stale && !p.within(r))
	}
	return true
}

// passOver emits the test of an iteration, which jumps to idle if it is skipped.
func (c *compiler) passOver(run lower.Place, idle x86.Label) {
	c.a.Emit(x86.CMP, c.roundOf(run.At), x86.Imm(0))
	c.a.Emit(x86.JE, x86.To(idle))
}

// roundOf is the operand of the lanes of a mask in the loop's iteration.
func (c *compiler) roundOf(at int32) x86.Operand { return x86.At(regMasks, 8*at).Size(c.lanes / 8) }

// passedOver emits the rest of a skipped iteration: it clears its lanes in the masks that the loop makes.
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
