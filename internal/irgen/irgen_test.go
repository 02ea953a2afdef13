package irgen

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestBlock: one seed gives one block, blocks have partial masks and every op outside control, and memory stays
// away unless asked for.
func TestBlock(t *testing.T) {
	m := Machine()
	seen := map[ir.Op]int{}
	for seed := range uint64(500) {
		a := Block(rand.New(rand.NewPCG(seed, 1)), m, Options{})
		if !a.Equal(Block(rand.New(rand.NewPCG(seed, 1)), m, Options{})) {
			t.Fatalf("seed %d gives two blocks", seed)
		}
		for i := range a.Ops {
			in := &a.Ops[i]
			seen[in.Op]++
			if c := in.Op.Info().Class; c == ir.Memory || c == ir.Ctl && in.Op != ir.End {
				t.Fatalf("seed %d: %s was not asked for", seed, in.Op)
			}
		}
	}
	for op := range ir.Op(ir.Ops()) {
		if c := op.Info().Class; (c == ir.Pure || c == ir.Cross) && seen[op] < 50 {
			t.Errorf("%s: %d times in 500 blocks", op, seen[op])
		}
	}
}

// TestMachines: blocks for machines that lack what the test machine has.
func TestMachines(t *testing.T) {
	m := &ir.Machine{
		Name:    "poor",
		Files:   []ir.File{{Name: "r", Kind: ir.Lane32, Count: 3, Range: ir.RangeWrap}},
		Widths:  []int{16},
		Control: ir.LowestPC,
		Spaces:  ir.Spaces{ir.GroupSpace: 1},
	}
	for seed := range uint64(300) {
		Block(rand.New(rand.NewPCG(seed, 2)), m, Options{Control: true, Exec: true, Memory: []Window{{Space: ir.GroupSpace, Size: 128}}})
	}
}
