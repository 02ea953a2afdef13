package suites

import (
	"encoding/binary"
	"math"
	"slices"
)

// A graph is in rows of neighbours, which makes each defect happen: vertices done by different waves share neighbours,
// most of them are less than the last vertex, which is the first and the last neighbour of all but two, and the first
// and the last vertex have none.
type graph struct{ row, adj []int32 }

// newGraph returns a graph of n vertices with about degree neighbours each.
func newGraph(n, degree int) *graph {
	g := &graph{row: []int32{0}}
	x := uint32(1)
	for i := range n {
		if i > 0 && i < n-1 {
			g.adj = append(g.adj, int32(n-1))
			for range degree + i%3 {
				x = x*1664525 + 1013904223
				g.adj = append(g.adj, int32(x>>8)%int32(n))
			}
			g.adj = append(g.adj, int32(n-1))
		}
		g.row = append(g.row, int32(len(g.adj)))
	}
	return g
}

func (g *graph) vertices() int { return len(g.row) - 1 }

// A state is what a kernel reads and writes.
type state struct {
	out, in []int32
	count   int32
}

// newState returns what a pattern begins with.
func newState(pattern string, g *graph) *state {
	n := g.vertices()
	s := &state{out: make([]int32, n), in: make([]int32, n)}
	if pattern == "worklist" {
		s.out = make([]int32, len(g.adj))
	}
	for i := range n {
		s.in[i] = int32(i*37%101) + 1
		switch pattern {
		case "path":
			s.out[i] = int32(max(i-1-i%3, 0))
		case "push":
			s.out[i] = 1 << 20
		}
	}
	return s
}

// serial does what the kernel of a variant is for, one vertex after another.
func (v *variant) serial(g *graph, s *state) {
	for i := range int32(g.vertices()) {
		if v.pattern == "path" {
			x := i
			for x > s.out[x] {
				x = s.out[x]
			}
			if v.has["traverse"] {
				s.in[i] = x
			} else {
				s.out[i] = x
			}
			continue
		}
		var edges []int32
		for j := g.row[i]; j < g.row[i+1]; j++ {
			edges = append(edges, j)
		}
		if v.has["last"] || v.has["reverse"] {
			slices.Reverse(edges)
		}
		if v.each == "one" {
			edges = edges[:min(len(edges), 1)]
		}
		for _, j := range edges {
			k := g.adj[j]
			if i >= k && (v.has["cond"] || v.pattern == "vertex" || v.pattern == "worklist") {
				continue
			}
			s.edge(v.pattern, i, j, k)
			if v.has["break"] {
				break
			}
		}
	}
}

// edge does what a pattern does with an edge.
func (s *state) edge(pattern string, i, j, k int32) {
	switch pattern {
	case "edge":
		s.out[0] = max(s.out[0], s.in[k])
	case "vertex":
		s.out[0]++
	case "worklist":
		s.out[s.count] = j
		s.count++
	case "pull":
		s.out[i] += s.in[k]
	case "push":
		s.out[k] = min(s.out[k], s.in[i])
	}
}

// words returns numbers as a kernel has them, of its type of values.
func words(list []int32, float bool) (data []byte) {
	for _, x := range list {
		bits := uint32(x)
		if float {
			bits = math.Float32bits(float32(x))
		}
		data = binary.LittleEndian.AppendUint32(data, bits)
	}
	return data
}

// sorted returns words as a set.
func sorted(data []byte) []byte {
	var list []uint32
	for i := 0; i < len(data); i += 4 {
		list = append(list, binary.LittleEndian.Uint32(data[i:]))
	}
	slices.Sort(list)
	data = nil
	for _, w := range list {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}
