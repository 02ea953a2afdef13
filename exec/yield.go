package exec

import (
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// waiting is which blocks of a graph are heads of loops in which waves may wait.
type waiting struct {
	mu    sync.Mutex
	graph *pass.Graph
	heads map[ir.Key]bool
}

// Yields reports whether a wave that has come to the end of a canonical block and goes on at a place lets
// other waves of its group run first. It does
//
//   - if the block ends in a jump that says so: a sleep;
//   - if the block does not say where control goes: the address or the mode is computed, or comes off the
//     stack by a break or return. So calls through registers need no knowledge of what is called;
//   - if it goes on, at the same address or a lower one, at the head of a loop that may be waiting for
//     another wave: one with an atomic whose old value is read, a volatile load, an awaited cell, or a load that polls (pass.Graph.Waits).
//
// Every endless run of a wave in a loop of the last kind, or through code that nobody can see ahead, comes
// to such a place again and again. The answer depends on the code alone, so an engine may ask once for each
// way from block to block and remember.
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

// comesFromElsewhere reports whether the block with that terminator and exit does not say that control goes to pc.
func comesFromElsewhere(t *ir.Inst, e *pass.Exit, pc uint64) bool {
	k := ir.ControlKind(t.Alt)
	pops := t.Op == ir.CtlStep && (k == ir.CtlBreak || k == ir.CtlReturn)
	return (pops || e.Open == pass.OpenJump || e.Open == pass.OpenMode) && !slices.Contains(e.To, pc)
}

// waits reports whether the block at the key is the head of a loop in which waves may wait. Which loops there
// are does not change when the graph grows.
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
