package exec

import (
	"fmt"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// A LiveOut describes waves whose registers are dead at exit, except for those of cells: where a wave stops or ends,
// a register that no instruction reads any more and that is not in cells may have any value. All lanes of such a
// wave begin at one place, and State.Diverged is false there. A program has one LiveOut for each entry and set of
// live-out registers.
type LiveOut struct {
	p     *Program
	entry ir.Key
	cells pass.CellSet
	name  string

	once  sync.Once
	graph *pass.Graph
	live  *pass.Liveness // nil: nothing is known, the entry has no block
}

// LiveOut describes waves that begin at the entry, with the cells of list live at their end, in all lanes.
func (p *Program) LiveOut(entry ir.Key, list ...ir.Cell) *LiveOut {
	cells := pass.NewCellSet(p.Machine())
	for _, c := range list {
		cells.Add(pass.Span{Cell: c, Count: 1})
	}
	return p.liveOut(entry, cells)
}

// liveOut is LiveOut with cells as a set, which it does not change.
func (p *Program) liveOut(entry ir.Key, cells pass.CellSet) *LiveOut {
	var name strings.Builder
	fmt.Fprintf(&name, "unseen from %#x, %#x", entry.PC, entry.Mode)
	for _, c := range cells.Cells() {
		fmt.Fprintf(&name, " %d.%d", c.File, c.Index)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.liveOuts[name.String()]
	if u == nil {
		u = &LiveOut{p: p, entry: entry, cells: cells, name: name.String()}
		if p.liveOuts == nil {
			p.liveOuts = map[string]*LiveOut{}
		}
		p.liveOuts[u.name] = u
	}
	return u
}

// String returns its name, unique within its program.
func (u *LiveOut) String() string { return u.name }

// Entry is where its waves begin.
func (u *LiveOut) Entry() ir.Key { return u.entry }

// Cells returns the cells that are live when lanes end.
func (u *LiveOut) Cells() pass.CellSet { return u.cells.Clone() }

// Live returns the graph of the blocks that waves reach, and the liveness of registers there. ok is false if waves
// do not reach the block, as far as is known; nothing is known of what they do from there.
func (u *LiveOut) Live(at ir.Key) (g *pass.Graph, live *pass.Liveness, ok bool) {
	u.once.Do(func() {
		g, err := u.p.Graph(u.entry)
		if err == nil {
			// What is reachable from other entries only would cost each of many kernels as much as all of them.
			g, err = pass.Grow(u.p, g, u.entry)
		}
		if err == nil {
			u.graph, u.live = g, pass.LiveFrom(g, u.entry, pass.KeepEnd, u.p.Operands(), u.cells)
		}
	})
	if u.live == nil || !u.graph.Has(at) || !u.live.Been[u.graph.At[at]] {
		return nil, nil, false
	}
	return u.graph, u.live, true
}

// Operands returns the cells that instructions of the program read, which their faults name: see [Fault]. nil if
// the code does not say. The result is for one goroutine.
func (p *Program) Operands() pass.Operands {
	d, ok := ir.Describe(p.Code)
	if !ok {
		return nil
	}
	known := map[uint64][]ir.Span{}
	return func(pc uint64) []ir.Span {
		reads, ok := known[pc]
		if !ok {
			reads, _ = d.Operands(pc)
			known[pc] = reads
		}
		return reads
	}
}
