package costs

import (
	"slices"

	"github.com/heddle-gpu/heddle/lint"
)

// mostNested is how deep loops are looked for within others.
const mostNested = 16

// loops returns the innermost loops of several blocks, each as the sorted numbers of its nodes. A loop is nodes that
// all lead to each other; a loop within it is nodes that still do without the node at which control enters.
func loops(g *lint.Graph) (found [][]int) {
	next, all := make([][]int, len(g.Nodes)), make([]int, len(g.Nodes))
	for i := range g.Nodes {
		all[i] = i
		for _, e := range g.Nodes[i].Edges {
			if e.Node >= 0 && (e.Kind == lint.EdgeFall || e.Kind == lint.EdgeJump) {
				next[i] = append(next[i], e.Node)
			}
		}
	}
	var within func(nodes, around []int, depth int) bool
	within = func(nodes, around []int, depth int) (some bool) {
		parts := components(next, nodes)
		heads := entered(g, next, around, parts)
		for k, part := range parts {
			if len(part) == 1 && !slices.Contains(next[part[0]], part[0]) {
				continue
			}
			some = true
			if len(part) == 1 || depth == mostNested {
				continue
			}
			slices.Sort(part)
			rest := slices.DeleteFunc(slices.Clone(part), func(n int) bool { return n == heads[k] })
			if !within(rest, part, depth+1) && !slices.Contains(next[heads[k]], heads[k]) {
				found = append(found, part)
			}
		}
		return some
	}
	within(all, all, 0)
	slices.SortFunc(found, func(x, y []int) int { return x[0] - y[0] })
	return found
}

// entered returns for each part its first node to which other nodes around lead, or at which waves begin; else its
// first one.
func entered(g *lint.Graph, next [][]int, around []int, parts [][]int) []int {
	of, heads := map[int]int{}, make([]int, len(parts))
	for k, part := range parts {
		heads[k] = len(next)
		for _, n := range part {
			if of[n] = k; g.Nodes[n].Entry {
				heads[k] = min(heads[k], n)
			}
		}
	}
	for _, n := range around {
		from, within := of[n]
		for _, to := range next[n] {
			if k, ok := of[to]; ok && (!within || from != k) {
				heads[k] = min(heads[k], to)
			}
		}
	}
	for k, part := range parts {
		if heads[k] == len(next) {
			heads[k] = slices.Min(part)
		}
	}
	return heads
}

// components returns the sets of nodes that lead to each other without others: Tarjan's algorithm, with a stack of its
// own as code may be one chain of millions of blocks.
func components(next [][]int, nodes []int) (parts [][]int) {
	type state struct {
		order, low, edge int // edge: the next one to follow
		on               bool
	}
	of := make(map[int]*state, len(nodes))
	for _, n := range nodes {
		of[n] = &state{}
	}
	var stack, path []int
	count := 0
	enter := func(n int) {
		count++
		*of[n] = state{order: count, low: count, on: true}
		stack, path = append(stack, n), append(path, n)
	}
	leave := func(n int) {
		s := of[n]
		if path = path[:len(path)-1]; len(path) > 0 {
			up := of[path[len(path)-1]]
			up.low = min(up.low, s.low)
		}
		if s.low != s.order {
			return
		}
		at := len(stack) - 1
		for stack[at] != n {
			at--
		}
		part := slices.Clone(stack[at:])
		stack = stack[:at]
		for _, m := range part {
			of[m].on = false
		}
		parts = append(parts, part)
	}
	for _, first := range nodes {
		if of[first].order == 0 {
			enter(first)
		}
		for len(path) > 0 {
			n := path[len(path)-1]
			s := of[n]
			if s.edge == len(next[n]) {
				leave(n)
				continue
			}
			s.edge++
			switch x := of[next[n][s.edge-1]]; {
			case x == nil:
			case x.order == 0:
				enter(next[n][s.edge-1])
			case x.on:
				s.low = min(s.low, x.order)
			}
		}
	}
	return parts
}
