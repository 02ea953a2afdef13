package exec

import (
	"fmt"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// An Unseen says of waves of a program that nobody looks at their registers but their instructions, where they stop and at their end, other than at some at
// the end: those that no instruction reads any more may hold anything then. All lanes of such a wave begin at one place: it has not State.Parted then. There is
// one Unseen for a program, a place, and the registers that are looked at.
type Unseen struct {
	p     *Program
	entry ir.Key
	left  pass.CellSet
	name  string

	once  sync.Once
	graph *pass.Graph
	live  *pass.Liveness // nil: nothing is known, the place has no block
}

// Unseen is that of waves that begin at a place, if somebody looks at the cells of left at their end, in any lane.
func (p *Program) Unseen(entry ir.Key, left ...ir.Cell) *Unseen {
	cells := pass.NewCellSet(p.Machine())
	for _, c := range left {
		cells.Add(pass.Span{Cell: c, Count: 1})
	}
	return p.unseenBut(entry, cells)
}

// unseenBut is Unseen with cells as a set, which stays as it is.
func (p *Program) unseenBut(entry ir.Key, cells pass.CellSet) *Unseen {
	var name strings.Builder
	fmt.Fprintf(&name, "unseen from %#x, %#x", entry.PC, entry.Mode)
	for _, c := range cells.Cells() {
		fmt.Fprintf(&name, " %d.%d", c.File, c.Index)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.unseen[name.String()]
	if u == nil {
		u = &Unseen{p: p, entry: entry, left: cells, name: name.String()}
		if p.unseen == nil {
			p.unseen = map[string]*Unseen{}
		}
		p.unseen[u.name] = u
	}
	return u
}

// String names it, among those of its program.
func (u *Unseen) String() string { return u.name }

// Entry is where its waves begin.
func (u *Unseen) Entry() ir.Key { return u.entry }

// Left are the cells that are looked at when lanes end.
func (u *Unseen) Left() pass.CellSet { return u.left.Clone() }

// Live is the graph of the blocks that waves come to and which registers they still read there, or are looked at; not OK: waves do not come to the block, as
// far as is known, and nothing is known of what they do from there on.
func (u *Unseen) Live(at ir.Key) (g *pass.Graph, live *pass.Liveness, ok bool) {
	u.once.Do(func() {
		g, err := u.p.Graph(u.entry)
		if err == nil {
			u.graph, u.live = g, pass.LiveFrom(g, u.entry, pass.KeepEnd, u.p.Operands(), u.left)
		}
	})
	if u.live == nil || !u.graph.Has(at) || !u.live.Been[u.graph.At[at]] {
		return nil, nil, false
	}
	return u.graph, u.live, true
}

// Operands are the cells that instructions of the program read, which their faults name: see [Fault]. nil: its code does not say. What it returns is for one
// goroutine.
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
