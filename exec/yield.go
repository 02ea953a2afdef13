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
	heads map[ir.Key]bool
}

// Yields reports whether a wave that leaves the canonical block from and continues at to lets other waves of its group
// run first. It does
//
//   - if the block ends in a jump that yields: a sleep;
//   - if the block does not name its successor: the address or the mode is computed, or comes off the
//     stack by a break or return. So calls through registers need no knowledge of what is called;
//   - if to is at the same or a lower address, and is the head of a loop that may be waiting for another
//     wave: one with an atomic whose old value is read, a volatile load, an awaited cell, or a load that
//     polls (pass.Graph.Waits).
//
// Every endless run of a wave in a loop of the last kind, or through code whose control flow is not known, reaches such
// a place again and again. The answer depends on the code alone, so an engine may cache it per edge of the control flow
// graph.
func (p *Program) Yields(from *ir.Block, to ir.Key) bool {
	t := from.Term()
	if t.Op == ir.Jump && t.Alt == ir.JumpYields {
		return true
	}
	if e := pass.ExitOf(p.Machine(), pass.Fold(p.Machine(), from)); comesFromElsewhere(t, &e, to.PC) {
		return true
	}
	return to.PC <= from.Key.PC && p.waits(to)
}

// comesFromElsewhere reports whether the block with that terminator and exit does not name pc as its successor.
func comesFromElsewhere(t *ir.Inst, e *pass.Exit, pc uint64) bool {
	k := ir.ControlKind(t.Alt)
	pops := t.Op == ir.CtlStep && (k == ir.CtlBreak || k == ir.CtlReturn)
	return (pops || e.Open == pass.OpenJump || e.Open == pass.OpenMode) && !slices.Contains(e.To, pc)
}

// waits reports whether the block at the key is the head of a loop in which waves may wait. The set of loops does
// not change when the graph grows.
func (p *Program) waits(at ir.Key) bool {
	g, err := p.Graph(at)
	if err != nil {
		return false // the wave faults there
	}
	p.waiting.mu.Lock()
	defer p.waiting.mu.Unlock()
	if w := &p.waiting; w.graph != g && (w.graph == nil || !w.graph.Has(at)) {
		w.graph, w.heads = g, map[ir.Key]bool{}
		for _, l := range g.Loops() {
			if g.Waits(l) {
				w.heads[g.Nodes[l.Head].Block.Key] = true
			}
		}
	}
	return p.waiting.heads[at]
}
