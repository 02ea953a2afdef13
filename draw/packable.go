package draw

import (
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// Promise is what a launch guarantees about ops of a stage, beyond what the ops themselves say.
type Promise struct {
	Outputs bool // a lane's outputs are not visible to other lanes
	Returns bool // a step to a per-lane address ends the lanes
	Numbers bool // lane numbers are only used to address lanes of the group
}

// Packable reports whether groups of that many lanes, 1 or 4, can run side by side in a wider wave with the same
// results as in a wave each: no op of the program reads lanes outside the group, and none writes to memory. If
// lanes diverge, no op may read any other lane at all, no per-wave cell is written, and no lane executes a block
// twice.
func (s *Stage) Packable(lanes int, promise Promise) bool {
	if s.Program == nil {
		return true
	}
	g, err := s.Program.Graph(s.Entry)
	if err != nil {
		return false
	}
	parts, widest := false, 1
	for i := range g.Nodes {
		b := g.Nodes[i].Block
		for k := range b.Ops {
			in := &b.Ops[k]
			if !packableOp(g.M, in, promise) {
				return false
			}
			parts = parts || mayDiverge(in.Op)
			widest = max(widest, in.Scope(g.M).Lanes())
		}
	}
	return widest <= lanes && (!parts || widest == 1 && divergesSafely(g))
}

// Writes reports whether the program may write a cell.
func (s *Stage) Writes(c ir.Cell) bool {
	g, err := s.Program.Graph(s.Entry)
	if err != nil {
		return true
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Exit.Open != pass.Closed {
			return true
		}
		for k := range n.Block.Ops {
			switch in := &n.Block.Ops[k]; in.Op {
			case ir.Set, ir.SetLast:
				if in.Cell == c {
					return true
				}
			case ir.SetX:
				if in.Cell.File == c.File {
					return true
				}
			}
		}
	}
	return false
}

// packableOp reports whether the op by itself permits it.
func packableOp(m *ir.Machine, in *ir.Inst, promise Promise) bool {
	switch in.Op {
	case ir.Jump, ir.End, ir.Retire, ir.Trap, ir.CtlCheck:
		return true
	case ir.CtlStep, ir.CtlStepX:
		switch ir.ControlKind(in.Alt) {
		case ir.CtlPush, ir.CtlDiverge, ir.CtlJoin, ir.CtlReconverge, ir.CtlLink:
			return in.Op == ir.CtlStep || promise.Returns
		}
		return false
	case ir.Output:
		return promise.Outputs
	case ir.LaneID, ir.Lanes:
		return promise.Numbers
	case ir.Store, ir.AtomicRMW, ir.Clock:
		return false
	}
	return in.Scope(m) != ir.InControl
}

// mayDiverge reports whether lanes may diverge, or end individually.
func mayDiverge(op ir.Op) bool {
	return op == ir.Retire || op == ir.Trap || op == ir.CtlStep || op == ir.CtlStepX || op == ir.CtlCheck
}

// divergesSafely reports whether lanes that do not read other lanes are independent of the paths of the others: no
// per-wave cell is written, no lane ends all, and there are no loops.
func divergesSafely(g *pass.Graph) bool {
	left := make([]int, len(g.Nodes)) // number of predecessors that are not ordered yet
	var ready []int
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for k := range n.Block.Ops {
			in := &n.Block.Ops[k]
			if in.Op == ir.End || (in.Op == ir.Set || in.Op == ir.SetX || in.Op == ir.SetLast) && !g.M.Kind(in.Cell).PerLane() {
				return false
			}
		}
		if left[i] = len(n.Pred); left[i] == 0 {
			ready = append(ready, i)
		}
	}
	ordered := 0
	for ; len(ready) > 0; ordered++ {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, next := range g.Nodes[i].Succ {
			if left[next]--; left[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	return ordered == len(g.Nodes)
}
