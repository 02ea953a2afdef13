package costs

import (
	"fmt"
	"runtime/debug"
	"slices"
	"testing"
)

// TestChain: the depth of a chain of blocks takes no stack.
func TestChain(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	const n = 100_000
	next, nodes := make([][]int, n), make([]int, n)
	for i := range n {
		nodes[i], next[i] = i, []int{min(i+1, n-1)}
	}
	next[n-2] = append(next[n-2], n-4)
	parts := components(next, nodes)
	slices.Sort(parts[1])
	if len(parts) != n-2 || fmt.Sprint(parts[:2]) != fmt.Sprint([][]int{{n - 1}, {n - 4, n - 3, n - 2}}) {
		t.Errorf("%d parts, %v", len(parts), parts[:2])
	}
}
