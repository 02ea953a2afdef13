package exec

import (
	"cmp"
	"slices"
)

// A SlowOp is an op that an engine with machine code executes without it.
type SlowOp struct {
	Name string // of the op and its type, or why the code of a block was not used
	N    uint64 // wave-instructions of which at least a part ran so
}

// A SlowCounter is a Runner of an engine with machine code. CountSlow makes it count what runs without, which costs
// time; Slow returns that, and must not be called while the runner runs.
type SlowCounter interface {
	CountSlow()
	Slow() []SlowOp
}

// addSlow adds counts of one runner to those of others.
func addSlow(to, from []SlowOp) []SlowOp {
	for _, x := range from {
		i := slices.IndexFunc(to, func(have SlowOp) bool { return have.Name == x.Name })
		if i < 0 {
			to = append(to, x)
			continue
		}
		to[i].N += x.N
	}
	slices.SortFunc(to, func(a, b SlowOp) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	return to
}
