package lint

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// findOrder finds the order of the reachable blocks: reverse postorder, but that the blocks of a loop, between any two
// of which control can pass both ways, follow each other. So a block comes after all that lead to it from outside of
// its loop. It is the algorithm of Tarjan.
func (a *analysis) findOrder() {
	n := len(a.blocks)
	t := &tarjan{analysis: a, number: make([]int32, n), low: make([]int32, n), post: make([]int32, n)}
	a.order = make([]int32, 0, n)
	for _, e := range slices.Backward(a.code.Entries) {
		if i := a.stepAt(e.Addr); i >= 0 && t.number[a.blockOf(i)] == 0 {
			t.visit(a.blockOf(i))
		}
	}
	slices.Reverse(a.order)
	a.position = make([]int32, n)
	for i, b := range a.order {
		a.position[b] = int32(i)
	}
}

// A tarjan is a walk over blocks, the last successors first.
type tarjan struct {
	*analysis
	number []int32 // by block: its number in the walk, from 1; 0: not visited, closed: its loop is complete
	low    []int32 // by block: the lowest number that it leads back to
	post   []int32 // by block: its number in postorder
	begun  int32
	ended  int32
	open   []int32 // blocks whose loops are not complete
	path   []visited
}

const closed = math.MaxInt32

// A visited is a block on the path, and the next of its successors.
type visited struct {
	b    int32
	next int
}

func (t *tarjan) begin(b int32) {
	t.begun++
	t.number[b], t.low[b] = t.begun, t.begun
	t.open, t.path = append(t.open, b), append(t.path, visited{b, 0})
}

func (t *tarjan) visit(b int32) {
	for t.begin(b); len(t.path) > 0; {
		v := &t.path[len(t.path)-1]
		if succ := t.blocks[v.b].succ(); v.next < len(succ) {
			s := succ[v.next]
			if v.next++; t.number[s] == 0 {
				t.begin(s)
			} else {
				t.low[v.b] = min(t.low[v.b], t.number[s])
			}
			continue
		}
		t.end(v.b)
	}
}

// end leaves a block, and completes the loop of which it is the first.
func (t *tarjan) end(b int32) {
	t.post[b] = t.ended
	t.ended++
	if t.path = t.path[:len(t.path)-1]; len(t.path) > 0 {
		p := t.path[len(t.path)-1].b
		t.low[p] = min(t.low[p], t.low[b])
	}
	if t.low[b] != t.number[b] {
		return
	}
	at := len(t.open) - 1
	for t.open[at] != b {
		at--
	}
	loop := t.open[at:]
	slices.SortFunc(loop, func(x, y int32) int { return cmp.Compare(t.post[x], t.post[y]) })
	for i, x := range loop {
		t.number[x] = closed
		t.blocks[x].more = i > 0
	}
	t.order, t.open = append(t.order, loop...), t.open[:at]
}

// loops returns the reachable blocks in order: all of a loop, or a block that is in no loop.
func (a *analysis) loops() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		for left := a.order; len(left) > 0; {
			n := 1
			for a.blocks[left[n-1]].more {
				n++
			}
			if !yield(left[:n]) {
				return
			}
			left = left[n:]
		}
	}
}

// repeats reports whether control can pass from a block of a list returned by loops to itself.
func (a *analysis) repeats(loop []int32) bool {
	return len(loop) > 1 || slices.Contains(a.blocks[loop[0]].succ(), loop[0])
}
