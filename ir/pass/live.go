package pass

import "github.com/heddle-gpu/heddle/ir"

// Liveness says which cells may still be read when control is at a place.
type Liveness struct {
	In, Out []LiveSet // by node, at its begin and its end
	// Of LiveFrom, by node.
	Been  []bool // waves can come there
	Apart []bool // Out is what Options.Apart says
}

// Live finds the live cells of the graph. atEnd are the cells that somebody reads when lanes end: the outputs
// of a stage. Where control may go anywhere, every cell is live, and where keep says that somebody may look at
// the state; cells that waves of a group share always are. A write under a mask ends the life of what it overwrites in the lanes of the mask only.
func Live(g *Graph, keep Keep, atEnd CellSet) *Liveness {
	return newLiving(g, keep, nil, atEnd, nil).find()
}

// LiveFrom is Live for waves that have begun at a block of the graph, all of their lanes there: where lanes part or end, those that wait do so where a block
// has said that the wave has come from. Of blocks that it cannot have come to, nothing is known.
func LiveFrom(g *Graph, entry ir.Key, keep Keep, looks Operands, atEnd CellSet) *Liveness {
	w := g.walk(entry)
	l := newLiving(g, keep, looks, atEnd, w).find()
	l.Been, l.Apart = w.been, make([]bool, len(g.Nodes))
	for i := range l.Apart {
		l.Apart[i] = w.lanesApart(i)
	}
	return l
}

// A living finds what is live.
type living struct {
	g      *Graph
	w      *walk // nil: lanes may wait anywhere
	l      *Liveness
	sweeps []*sweeper
	todo   []int
	queued []bool
	atEnd  LiveSet
	wait   LiveSet // where lanes may wait
	// others, of waves whose lanes go apart, is what lanes read of registers of lanes that do not run with them; waves are the cells that are one a wave.
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
	for i := range g.Nodes {
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

// find goes round until nothing changes.
func (x *living) find() *Liveness {
	g, l := x.g, x.l
	for len(x.todo) > 0 {
		i := x.todo[0]
		x.todo, x.queued[i] = x.todo[1:], false
		s := x.sweeps[i]
		s.sweep(l.Out[i])
		l.In[i].copy(s.alive)
		for _, p := range g.Nodes[i].Pred {
			switch {
			case x.w.leavesNone(p):
			case x.w.lanesApart(p) && g.Nodes[p].Exit.Open == OpenStack: // those that run there go on here
				x.flow(p, LiveSet{l.In[i].Active, l.In[i].Active.and(x.waves)})
			default:
				x.flow(p, l.In[i])
			}
		}
		x.meet(i)
	}
	return l
}

// meet lets blocks where lanes may part know what those read that wait at a block, and what is read of those that do not run there.
func (x *living) meet(i int) {
	if !x.w.knows(i) {
		return
	}
	in, apart := x.l.In[i], x.w.lanesApart(i)
	waits := x.w.waits[i]
	switch {
	case waits && apart: // they run, once the block does
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

// flow adds what is live behind a block.
func (x *living) flow(p int, live LiveSet) {
	if x.l.Out[p].AddAll(live) && !x.queued[p] {
		x.todo, x.queued[p] = append(x.todo, p), true
	}
}

// A walk is the blocks that waves come to which begin at one of them.
type walk struct {
	been   []bool // by node
	waits  []bool // lanes may wait there
	alone  []bool // all lanes that run end with the block, and nobody sees their registers any more
	closed bool   // there are no others
	apart  bool   // lanes that part each go on by themselves
}

// walk goes from the block at the key wherever control may go.
func (g *Graph) walk(from ir.Key) *walk {
	n := len(g.Nodes)
	chosen := g.M.Control != ir.MaskData && !g.setsExec() // who runs is for the policy to say: some lanes in each block
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

// knows reports whether all is known about where control goes from a block, but for lanes that wait.
func (w *walk) knows(i int) bool { return w != nil && w.closed && w.been[i] }

// lanesApart reports whether lanes that run at the end of a block go on by its ways only, whoever waits.
func (w *walk) lanesApart(i int) bool { return w.knows(i) && w.apart }

// leavesNone reports whether no lane goes on behind a block of the walk.
func (w *walk) leavesNone(i int) bool { return w != nil && w.alone[i] }

// endsAll reports whether all lanes that run end with the block. Where some do, under a policy, others may wait then, but none goes on behind it.
func endsAll(m *ir.Machine, b *ir.Block) bool {
	t := b.Term()
	if t.Op != ir.Retire {
		return false
	}
	in := defOf(b, t.Args[0])
	return in.Op == ir.Get && m.Files[in.Cell.File].Kind == ir.ExecMask
}

// seesEnded reports whether a block may see registers of lanes that have ended: quadon runs such lanes, and some ops read lanes whoever runs.
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

// setsExec reports whether a block says itself which lanes run: under a policy it may be none then, although some live.
func (g *Graph) setsExec() bool {
	for i := range g.Nodes {
		for j := range g.Nodes[i].Block.Ops {
			switch in := &g.Nodes[i].Block.Ops[j]; in.Op {
			case ir.Set, ir.SetX, ir.SetLast:
				if g.M.Files[in.Cell.File].Kind == ir.ExecMask {
					return true
				}
			}
		}
	}
	return false
}
