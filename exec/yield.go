package exec

import (
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// waiting caches which blocks of a graph are heads of loops in which waves may wait.
type waiting struct {
	mu    sync.Mutex
	graph *pass.Graph
	heads map[ir.Key]pass.Waiting
}

// A Yield says whether a wave that leaves a block in some way lets other waves of its group run first.
type Yield uint8

const (
	YieldsNever Yield = iota
	YieldsRarely
	YieldsAlways
)

// YieldEvery is how many of the places that it passes, at which it yields rarely, a wave passes until it yields at one.
const YieldEvery = 64

// Yields reports whether a wave that leaves the canonical block from and continues at to lets other waves of its group
// run first. It always does
//
//   - if the block ends in a jump that yields: a sleep;
//   - if to is at the same or a lower address, and is the head of a loop in which the wave may wait for
//     another one: one with an atomic whose old value is read, a volatile load, or an awaited cell (pass.MayWait).
//
// It does so rarely, at one of YieldEvery places ([State.Passes]),
//
//   - if the block does not name its successor: the address or the mode is computed, or comes off the
//     stack by a break or return. So calls through registers need no knowledge of what is called;
//   - if to is the head of a loop that polls (pass.MayPoll): most such loops only have their variables in memory.
//
// Every endless run of a wave in a loop that may wait, or through code whose control flow is not known, reaches such
// a place again and again. The answer depends on the code alone, so an engine may cache it per edge of the control flow
// graph.
func (p *Program) Yields(from *ir.Block, to ir.Key) Yield {
	y, _ := p.leaves(from, to)
	return y
}

// leaves returns Yields, and whether the exit of the block names the place.
func (p *Program) leaves(from *ir.Block, to ir.Key) (y Yield, named bool) {
	t := from.Term()
	e := pass.ExitOf(p.Machine(), pass.Fold(p.Machine(), from))
	named = slices.Contains(e.To, to.PC) && e.Mode == to.Mode
	if t.Op == ir.Jump && t.Alt == ir.JumpYields {
		return YieldsAlways, named
	}
	if to.PC <= from.Key.PC && p.waits(to) == pass.MayWait {
		return YieldsAlways, named
	}
	if comesFromElsewhere(t, &e, to.PC) || to.PC <= from.Key.PC && p.waits(to) == pass.MayPoll {
		return YieldsRarely, named
	}
	return YieldsNever, named
}

// arrives records that a wave has arrived at a place that the block which it has left does not name. Where there is no
// block the wave will fault, and so would each graph of the code.
func (p *Program) arrives(at ir.Key) {
	if _, err := p.Block(at); err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.arrived, at) {
		p.arrived = append(p.arrived, at)
	}
}

// Arrivals returns the places where waves have arrived so far, in any launch of the program, from blocks that do not
// name them: the targets of computed jumps, and others that are taken from a stack. With them as entries a graph has
// all code that has run. The list only grows.
func (p *Program) Arrivals() []ir.Key {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clip(p.arrived)
}

// Passes passes a place and reports whether the wave yields there.
func (st *State) Passes(y Yield) bool {
	if y != YieldsRarely {
		return y == YieldsAlways
	}
	if st.Passed++; st.Passed < YieldEvery {
		return false
	}
	st.Passed = 0
	return true
}

// comesFromElsewhere reports whether the block with that terminator and exit does not name pc as its successor.
func comesFromElsewhere(t *ir.Inst, e *pass.Exit, pc uint64) bool {
	k := ir.ControlKind(t.Alt)
	pops := t.Op == ir.CtlStep && (k == ir.CtlBreak || k == ir.CtlReturn)
	return (pops || e.Open == pass.OpenJump || e.Open == pass.OpenMode) && !slices.Contains(e.To, pc)
}

// waits returns whether waves may wait in a loop whose head is the block at the key. The set of loops does not change
// when the graph grows.
func (p *Program) waits(at ir.Key) pass.Waiting {
	g, err := p.Graph(at)
	if err != nil {
		return pass.NeverWaits // the wave faults there
	}
	p.waiting.mu.Lock()
	defer p.waiting.mu.Unlock()
	if w := &p.waiting; w.graph != g && (w.graph == nil || !w.graph.Has(at)) {
		w.graph, w.heads = g, map[ir.Key]pass.Waiting{}
		for _, l := range g.Loops() {
			w.heads[g.Nodes[l.Head].Block.Key] = g.Waits(l)
		}
	}
	return p.waiting.heads[at]
}
