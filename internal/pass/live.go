package pass

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// Liveness says which cells are live at the start and end of each block.
type Liveness struct {
	In, Out []LiveSet // by node, at its start and its end
	// The following are set by LiveFrom, by node.
	Been  []bool // waves can reach it
	Apart []bool // Out has the meaning of Options.Apart
}

// Live computes the live cells of the graph. atEnd are the cells that are read when lanes end: the outputs of a
// stage. Every cell is live where control may go anywhere, and where keep says that the state may be inspected.
// Cells that waves of a group share are always live. A write under a mask kills the cell only in the lanes of the
// mask.
func Live(g *Graph, keep Keep, atEnd CellSet) *Liveness {
	return newLiving(g, keep, nil, atEnd, nil).find()
}

// LiveFrom is Live for waves all of whose lanes begin at one block of the graph. If lanes diverge or end, waiting
// lanes are at addresses named by blocks that the wave has executed. Nothing is known of blocks that the wave
// cannot have reached.
func LiveFrom(g *Graph, entry ir.Key, keep Keep, looks Operands, atEnd CellSet) *Liveness {
	w := g.walk(entry)
	l := newLiving(g, keep, looks, atEnd, w).find()
	l.Been, l.Apart = w.been, make([]bool, len(g.Nodes))
	for i := range l.Apart {
		l.Apart[i] = w.lanesApart(i)
	}
	return l
}

// living computes liveness.
type living struct {
	g      *Graph
	w      *walk // nil: lanes may wait anywhere
	l      *Liveness
	sweeps []*sweeper
	likely []CellSet // see likelyReads
	todo   []int
	queued []bool
	atEnd  LiveSet
	wait   LiveSet // where lanes may wait
	// others, for waves whose lanes continue independently, is the cells that lanes read in lanes that are not
	// active with them; waves are the per-wave cells.
	others LiveSet
	waves  CellSet
}

func newLiving(g *Graph, keep Keep, looks Operands, atEnd CellSet, w *walk) *living {
	none := NewCellSet(g.M)
	x := &living{g: g, w: w, l: &Liveness{In: make([]LiveSet, len(g.Nodes)), Out: make([]LiveSet, len(g.Nodes))},
		atEnd: NewLiveSet(atEnd), wait: NewLiveSet(none), others: NewLiveSet(none), waves: none.Clone()}
	shared := none.Clone()
	for f := range g.M.Files {
		all := wholeFile(g.M, ir.Cell{File: uint8(f)})
		if g.M.Files[f].Group {
			shared.Add(all)
		}
		if k := g.M.Files[f].Kind; k != ir.Lane32 && k != ir.Lane1 {
			x.waves.Add(all)
		}
	}
	x.sweeps, x.todo, x.queued = make([]*sweeper, len(g.Nodes)), make([]int, len(g.Nodes)), make([]bool, len(g.Nodes))
	x.likely = make([]CellSet, len(g.Nodes))
	for i := range g.Nodes {
		x.likely[i] = likelyReads(g.M, g.Nodes[i].Block)
		n, out := &g.Nodes[i], NewLiveSet(none)
		s := &sweeper{apart: w.lanesApart(i)}
		if s.apart {
			others := none.Clone()
			s.others = &others
		}
		s.reset(defsOf(g.M, rewrite(g.M, n.Block, folds|forwards|numbers, nil)), keep, looks)
		x.sweeps[i], x.l.In[i] = s, out.Clone()
		if n.Exit.Open != Closed && !x.w.knows(i) {
			out.fill()
		}
		out.AddAll(NewLiveSet(shared))
		if n.Exit.Ends {
			out.AddAll(x.atEnd)
		}
		if s.apart { // lanes that have ended
			out.Inactive.AddAll(atEnd)
		}
		x.l.Out[i] = out
		x.todo[i], x.queued[i] = len(g.Nodes)-1-i, true
	}
	return x
}

// likelyReads returns the cells that the likely form of a block reads and the block does not.
func likelyReads(m *ir.Machine, b *ir.Block) CellSet {
	more, all := NewCellSet(m), NewCellSet(m)
	if b.Likely == nil {
		return more
	}
	for i := range b.Ops {
		if in := &b.Ops[i]; in.Op == ir.Get {
			all.Add(Span{Cell: in.Cell, Count: 1})
		}
	}
	for i := range b.Likely.Ops {
		if in := &b.Likely.Ops[i]; in.Op == ir.Get && (int(in.Cell.File) == m.Shadow.Some || !all.Has(in.Cell)) { // a write of Some reads it, too
			more.Add(Span{Cell: in.Cell, Count: 1})
		}
	}
	return more
}

// find iterates to a fixed point.
func (x *living) find() *Liveness {
	g, l := x.g, x.l
	for len(x.todo) > 0 {
		i := x.todo[0]
		x.todo, x.queued[i] = x.todo[1:], false
		s := x.sweeps[i]
		s.sweep(l.Out[i])
		l.In[i].copy(s.alive)
		l.In[i].AddAll(NewLiveSet(x.likely[i]))
		for _, p := range g.Nodes[i].Pred {
			switch {
			case x.w.leavesNone(p):
			case x.w.lanesApart(p) && g.Nodes[p].Exit.Open == OpenStack: // the lanes that are active there continue here
				x.flow(p, LiveSet{l.In[i].Active, l.In[i].Active.and(x.waves)})
			default:
				x.flow(p, l.In[i])
			}
		}
		x.propagate(i)
	}
	return l
}

// propagate propagates between blocks where lanes may diverge: what lanes that wait at a block read, and what is read
// of lanes that are not active there.
func (x *living) propagate(i int) {
	if !x.w.knows(i) {
		return
	}
	in, apart := x.l.In[i], x.w.lanesApart(i)
	waits := x.w.waits[i]
	switch {
	case waits && apart: // they become active when the block runs
		waits = x.wait.AddAll(LiveSet{in.Active.and(x.waves), in.Active})
	case waits:
		waits = x.wait.AddAll(in)
	}
	others := apart && x.others.AddAll(NewLiveSet(*x.sweeps[i].others))
	for p := range x.g.Nodes {
		if !x.w.knows(p) {
			continue
		}
		if waits && x.g.Nodes[p].Exit.Open == OpenStack {
			x.flow(p, x.wait)
		}
		if others {
			x.flow(p, x.others)
		}
	}
}

// flow adds what is live after a block.
func (x *living) flow(p int, live LiveSet) {
	if x.l.Out[p].AddAll(live) && !x.queued[p] {
		x.todo, x.queued[p] = append(x.todo, p), true
	}
}

// A walk is the set of blocks reachable by waves that begin at one of them.
type walk struct {
	been   []bool // by node
	waits  []bool // lanes may wait there
	alone  []bool // all active lanes end with the block, and their registers are dead from there on
	closed bool   // there are no other reachable blocks
	apart  bool   // diverged lanes continue independently
}

// walk follows control flow from the block at the key to all places where it may go.
func (g *Graph) walk(from ir.Key) *walk {
	n := len(g.Nodes)
	chosen := g.M.Control != ir.MaskData && !g.setsExec() // the policy selects the active lanes: at least one in each block
	w := &walk{been: make([]bool, n), waits: make([]bool, n), alone: make([]bool, n), closed: true, apart: chosen && g.M.Control == ir.LowestPC}
	at, ok := g.At[from]
	if !ok {
		w.closed = false
		return w
	}
	todo, seen := []int{at}, g.M.Control == ir.MaskStack && g.seesEnded()
	w.been[at] = true
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x := &g.Nodes[i]
		w.apart = w.apart && !x.Block.Serial
		if w.alone[i] = chosen && !seen && endsAll(g.M, x.Block); w.alone[i] {
			continue
		}
		w.closed = w.closed && x.Exit.Open <= OpenStack
		for _, j := range x.Succ {
			w.waits[j] = w.waits[j] || x.Exit.Open == OpenStack
			if !w.been[j] {
				w.been[j] = true
				todo = append(todo, j)
			}
		}
	}
	return w
}

// knows reports whether all successors of a block are known, except for waiting lanes.
func (w *walk) knows(i int) bool { return w != nil && w.closed && w.been[i] }

// lanesApart reports whether lanes that are active at the end of a block continue only at its successors, whichever
// lanes wait.
func (w *walk) lanesApart(i int) bool { return w.knows(i) && w.apart }

// leavesNone reports whether no lane continues after a block of the walk.
func (w *walk) leavesNone(i int) bool { return w != nil && w.alone[i] }

// endsAll reports whether all active lanes end with the block. Under a policy, if only some end, others may wait,
// but none continues after it.
func endsAll(m *ir.Machine, b *ir.Block) bool {
	t := b.Term()
	if t.Op != ir.Retire {
		return false
	}
	in := defOf(b, t.Args[0])
	return in.Op == ir.Get && m.Files[in.Cell.File].Kind == ir.ExecMask
}

// seesEnded reports whether a block may read registers of lanes that have ended: quadon activates such lanes, and
// some ops read lanes whether active or not.
func (g *Graph) seesEnded() bool {
	for i := range g.Nodes {
		b := g.Nodes[i].Block
		for j := range b.Ops {
			switch in := &b.Ops[j]; in.Op {
			case ir.CtlStep, ir.CtlStepX:
				if ir.ControlKind(in.Alt) == ir.CtlQuadOn {
					return true
				}
			case ir.ReadLane:
				return true
			case ir.Shuffle:
				if of := defOf(b, in.Args[2]); of.Op != ir.Get || g.M.Files[of.Cell.File].Kind != ir.ExecMask {
					return true
				}
			}
		}
	}
	return false
}

// setsExec reports whether a block writes the execution mask itself: under a policy it may then be empty while
// lanes are live.
func (g *Graph) setsExec() bool {
	exec, ok := g.M.Exec()
	return ok && slices.ContainsFunc(g.Nodes, func(n Node) bool { return writes(g.M, n.Block, exec) })
}
