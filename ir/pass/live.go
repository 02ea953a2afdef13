package pass

import "github.com/heddle-gpu/heddle/ir"

// Liveness says which cells may still be read when control is at a place.
type Liveness struct {
	In, Out []LiveSet // by node, at its begin and its end
}

// Live finds the live cells of the graph. atEnd are the cells that somebody reads when lanes end: the outputs
// of a stage. Where control may go anywhere, every cell is live, and where keep says that somebody may look at
// the state; cells that waves of a group share always are. A write under a mask ends the life of what it overwrites in the lanes of the mask only.
func Live(g *Graph, keep Keep, atEnd CellSet) *Liveness {
	l := &Liveness{In: make([]LiveSet, len(g.Nodes)), Out: make([]LiveSet, len(g.Nodes))}
	shared := NewCellSet(g.M)
	for f := range g.M.Files {
		if g.M.Files[f].Group {
			shared.Add(wholeFile(g.M, ir.Cell{File: uint8(f)}))
		}
	}
	sweeps := make([]*sweeper, len(g.Nodes))
	todo, queued := make([]int, len(g.Nodes)), make([]bool, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		sweeps[i] = new(sweeper)
		sweeps[i].reset(defsOf(g.M, rewrite(g.M, n.Block, folds|forwards|numbers, nil)), keep)
		l.In[i] = NewLiveSet(NewCellSet(g.M))
		l.Out[i] = l.In[i].Clone()
		if n.Exit.Open != Closed {
			l.Out[i].fill()
		}
		l.Out[i].AddAll(NewLiveSet(shared))
		if n.Exit.Ends {
			l.Out[i].AddAll(NewLiveSet(atEnd))
		}
		todo[i], queued[i] = len(g.Nodes)-1-i, true
	}
	for len(todo) > 0 {
		i := todo[0]
		todo, queued[i] = todo[1:], false
		sweeps[i].sweep(l.Out[i])
		l.In[i].copy(sweeps[i].alive)
		for _, p := range g.Nodes[i].Pred {
			if l.Out[p].AddAll(l.In[i]) && !queued[p] {
				todo, queued[p] = append(todo, p), true
			}
		}
	}
	return l
}
