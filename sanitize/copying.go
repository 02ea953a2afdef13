package sanitize

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/rewrite"
	"github.com/heddle-gpu/heddle/ir"
)

// copying makes a block from another one's ops with additions. The masks are those of the present mark.
type copying struct {
	rewrite.Copy
	by      []int // by value of the other block: the op that has it as result
	masks   []mask
	windows []exec.Window // for lanesInGroup
}

// copyOf begins a block with the marks of another one and without ops.
func copyOf(m *ir.Machine, b *ir.Block) copying { return copying{Copy: rewrite.Of(m, b)} }

// definers returns the ops of a block by the values that they have as results.
func definers(b *ir.Block) []int {
	by := make([]int, len(b.Vals))
	for i := range b.Ops {
		for k := range b.Ops[i].NRes {
			by[int(b.Ops[i].Res)+int(k)] = i
		}
	}
	return by
}
