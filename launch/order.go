package launch

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// family groups the atomic operations whose effects on memory do not depend on their order among each other. Operations
// that are not in it depend on the order even among themselves.
var family = [256]int{
	mem.Add: 1, mem.Sub: 1,
	mem.SMin: 2, mem.SMax: 3, mem.UMin: 4, mem.UMax: 5,
	mem.And: 6, mem.Or: 7, mem.Xor: 8,
}

// orderMatters returns why a kernel's effects on memory may depend on the order in which groups run; "" if they do not.
// It reads the blocks that are reachable from the entry, and is conservative about code that it cannot find. Code that
// does not exist is a fault for the wave that gets there.
func orderMatters(p *exec.Program, entry ir.Key) string {
	g, _ := p.Graph(entry)
	if !g.Has(entry) {
		return ""
	}
	if len(g.Nodes) == pass.MaxBlocks {
		return fmt.Sprintf("the code has %d blocks or more", pass.MaxBlocks)
	}
	todo := []int{g.At[entry]}
	seen := map[int]bool{todo[0]: true}
	families := map[int]bool{}
	for len(todo) > 0 {
		n := &g.Nodes[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		for i := range n.Block.Ops {
			if why := orderedAtomic(n.Block, i, families); why != "" {
				return why
			}
		}
		switch n.Exit.Open {
		case pass.OpenJump:
			return fmt.Sprintf("the targets of the indirect jump at pc %#x are not known", lastPC(n.Block))
		case pass.OpenMode:
			return fmt.Sprintf("the mode under which code runs after pc %#x is not known", lastPC(n.Block))
		}
		for _, i := range n.Succ {
			if !seen[i] {
				seen[i] = true
				todo = append(todo, i)
			}
		}
	}
	return ""
}

// orderedAtomic returns why the order of groups matters to op i of the block; "" if it does not.
func orderedAtomic(b *ir.Block, i int, families map[int]bool) string {
	in := &b.Ops[i]
	if in.Op != ir.AtomicRMW || in.Mem.Space != ir.GlobalSpace && in.Mem.Space != ir.FlatSpace {
		return ""
	}
	op := mem.AtomicOp(in.Mem.Atomic)
	pc := b.Key.PC
	if len(b.Marks) > 0 {
		pc = b.Marks[b.MarkAt(i)].PC
	}
	n := family[op]
	families[n] = true
	switch {
	case n == 0:
		return fmt.Sprintf("global atomic %s at pc %#x depends on who comes last", op, pc)
	case len(families) > 1:
		return fmt.Sprintf("global atomic %s at pc %#x meets atomics of another kind", op, pc)
	case b.IsRead(i):
		return fmt.Sprintf("global atomic %s at pc %#x gives its old value", op, pc)
	}
	return ""
}

func lastPC(b *ir.Block) uint64 {
	if n := len(b.Marks); n > 0 {
		return b.Marks[n-1].PC
	}
	return b.Key.PC
}
