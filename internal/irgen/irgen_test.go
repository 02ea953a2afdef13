package irgen

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestBlock: a seed determines the block; blocks have partial masks and every op except control ops, and memory ops
// only on request.
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

// TestMachines: blocks for machines that lack features of the test machine use none of these, and all that exist.
func TestMachines(t *testing.T) {
	m := &ir.Machine{
		Name:    "poor",
		Files:   []ir.File{{Name: "r", Kind: ir.Lane32, Count: 3, Range: ir.RangeWrap}},
		Widths:  []int{16},
		Control: ir.LowestPC,
		Spaces:  ir.Spaces{ir.GroupSpace: 1},
	}
	seen := map[ir.Class]int{}
	for seed := range uint64(300) {
		b := Block(rand.New(rand.NewPCG(seed, 2)), m, Options{Control: true, Exec: true, Memory: []Window{{Space: ir.GroupSpace, Size: 128}}})
		if err := ir.Verify(m, b); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for i := range b.Ops {
			seen[b.Ops[i].Op.Info().Class]++
		}
	}
	for _, c := range []ir.Class{ir.Pure, ir.Cross, ir.Memory, ir.Ctl} {
		if seen[c] < 50 {
			t.Errorf("%v: %d ops in 300 blocks", c, seen[c])
		}
	}
}

// TestPrograms: a seed determines the program; its blocks have every step of the policy that a program can have; and
// most programs are short enough to be run for each lane alone, with different results.
func TestPrograms(t *testing.T) {
	for _, c := range []ir.Control{ir.MaskStack, ir.LowestPC} {
		m := &ir.Machine{
			Name:    "lanes",
			Files:   []ir.File{{Name: "v", Kind: ir.Lane32, Count: 20}, {Name: "exec", Kind: ir.ExecMask, Count: 1}},
			Widths:  []int{32},
			Control: c, StackDepth: 1, CallLimit: 2,
		}
		steps, results, long := map[ir.ControlKind]int{}, map[uint32]bool{}, 0
		const n = 200
		for seed := range uint64(n) {
			p, again := NewProgram(rand.New(rand.NewPCG(seed, 4)), m), NewProgram(rand.New(rand.NewPCG(seed, 4)), m)
			for i, b := range p.Blocks {
				if !b.Equal(again.Blocks[i]) {
					t.Fatalf("%s: seed %d gives two programs", c, seed)
				}
				if in := b.Term(); in.Op == ir.CtlStep || in.Op == ir.CtlStepX {
					steps[ir.ControlKind(in.Alt)]++
				}
			}
			for x := range uint32(16) {
				h, ok := p.Lane(x * 0x11111111)
				if !ok {
					long++
				}
				results[h] = true
			}
		}
		if long > 4*n || len(results) < 8*n {
			t.Errorf("%s: of %d lanes %d run too long, %d results", c, 16*n, long, len(results))
		}
		for k := ir.ControlKind(1); int(k) < ir.Controls(); k++ {
			if k.In(c) && steps[k] < 20 {
				t.Errorf("%s: %s occurs %d times in %d programs", c, k, steps[k], n)
			}
		}
	}
}
