package pass

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Loop is a set of blocks in which control can cycle. Heads are chosen by address, not by dominance, so that
// every graph has its loops, also irreducible ones, and a loop does not depend on the entries from which a graph
// was built. The loop of a head is the blocks that can be reached from it and from which it can be reached, without
// blocks at lower addresses. Every cycle contains the head of such a loop, the block with the lowest address, and
// enters it from the same or a higher address.
type Loop struct {
	Head int   // in Graph.Nodes
	Body []int // including the head
}

// Loops returns the loops of the graph, in the order of its nodes.
func (g *Graph) Loops() (ls []Loop) {
	s := search{g: g, seen: make([]int, len(g.Nodes))}
	for head := range g.Nodes {
		back := func(i int) bool { return g.before(head, i) }
		if !slices.ContainsFunc(g.Nodes[head].Pred, back) {
			continue
		}
		s.from(head, back, func(n *Node) []int { return n.Pred })
		reaches := s.round
		body := s.from(head, func(i int) bool { return s.seen[i] >= reaches }, func(n *Node) []int { return n.Succ })
		if len(body) > 1 || slices.Contains(g.Nodes[head].Succ, head) {
			ls = append(ls, Loop{head, body})
		}
	}
	return ls
}

// before reports whether node a is at the address of b or lower.
func (g *Graph) before(a, b int) bool {
	x, y := g.Nodes[a].Block.Key, g.Nodes[b].Block.Key
	return x.PC < y.PC || x.PC == y.PC && x.Mode <= y.Mode
}

// A search visits a graph several times.
type search struct {
	g     *Graph
	round int
	seen  []int // by node: the last visit number that reached it
}

// from returns the nodes that can be reached from one node by steps to nodes that may allows.
func (s *search) from(start int, may func(int) bool, next func(*Node) []int) []int {
	s.round++
	s.seen[start] = s.round
	list := []int{start}
	for at := 0; at < len(list); at++ {
		for _, i := range next(&s.g.Nodes[list[at]]) {
			if s.seen[i] != s.round && may(i) {
				s.seen[i] = s.round
				list = append(list, i)
			}
		}
	}
	return list
}

// A Waiting says whether a wave may be in a loop to wait for another wave.
type Waiting uint8

const (
	NeverWaits Waiting = iota
	// MayPoll: the loop has a load at an invariant address of memory that others may write, as loops have that wait for
	// another wave, and loops of code that keeps its variables in memory. A per-wave load does not count: it goes through
	// a cache that stores of other waves do not reach.
	MayPoll
	// MayWait: the loop has an atomic whose old value is read, a volatile load, or a read of an awaited cell.
	MayWait
)

// Waits returns whether a wave may be in the loop to wait for another wave.
func (g *Graph) Waits(l Loop) Waiting {
	polls := false
	for _, i := range l.Body {
		b := g.Nodes[i].Block
		for k := range b.Ops {
			in := &b.Ops[k]
			switch in.Op {
			case ir.AtomicRMW:
				if b.IsRead(k) {
					return MayWait
				}
			case ir.Load:
				if in.Mem.Load&ir.Volatile != 0 {
					return MayWait
				}
			case ir.Get, ir.GetX:
				if g.M.Files[in.Cell.File].Awaited {
					return MayWait
				}
			}
			polls = polls || mayPoll(in)
		}
	}
	if !polls {
		return NeverWaits
	}
	written := NewCellSet(g.M)
	for _, i := range l.Body {
		b := g.Nodes[i].Block
		for k := range b.Ops {
			if s, write, ok := Access(g.M, b, k); ok && write {
				written.Add(s)
			}
		}
	}
	if slices.ContainsFunc(l.Body, func(i int) bool { return pollsIn(g.M, g.Nodes[i].Block, written) }) {
		return MayPoll
	}
	return NeverWaits
}

// mayPoll reports whether an op is a load of memory that other waves may write.
func mayPoll(in *ir.Inst) bool {
	shared := in.Mem.Space == ir.GlobalSpace || in.Mem.Space == ir.GroupSpace || in.Mem.Space == ir.FlatSpace
	return in.Op == ir.Load && !in.Wave && shared
}

// pollsIn reports whether a block loads from an address that does not depend on the cells written.
func pollsIn(m *ir.Machine, b *ir.Block, written CellSet) bool {
	varies := make([]bool, len(b.Vals))
	for i := range b.Ops {
		in := &b.Ops[i]
		v := false
		for _, a := range in.Args {
			v = v || varies[a]
		}
		if mayPoll(in) && !varies[in.Args[0]] {
			return true
		}
		switch in.Op {
		case ir.Get, ir.GetX:
			s, _, _ := Access(m, b, i)
			v = v || written.HasAny(s)
		case ir.Load, ir.AtomicRMW, ir.Tex, ir.Sample, ir.Fetch, ir.Input, ir.Clock, ir.Live:
			v = true
		}
		for k := range ir.Val(in.NRes) {
			varies[in.Res+k] = v
		}
	}
	return false
}
