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

// orderMatters returns why a kernel's effects on memory may depend on the order in which groups run; "" if they do
// not. It reads the blocks that are reachable from the entry. open says that waves may also reach code that computed
// addresses or modes lead to: then it reads what waves have reached so far ([exec.Program.Arrivals]), and the answer
// is final if no other code has been reached when the launch is over. Code that does not exist is a fault for the wave
// that gets there.
func orderMatters(p *exec.Program, entry ir.Key) (why string, open bool) {
	arrivals := p.Arrivals()
	g, _ := p.Graph(append([]ir.Key{entry}, arrivals...)...)
	if !g.Has(entry) {
		return "", false
	}
	if len(g.Nodes) == pass.MaxBlocks {
		return fmt.Sprintf("the code has %d blocks or more", pass.MaxBlocks), false
	}
	todo := []int{g.At[entry]}
	seen := map[int]bool{todo[0]: true}
	reach := func(i int) {
		if !seen[i] {
			seen[i] = true
			todo = append(todo, i)
		}
	}
	families := map[int]bool{}
	for len(todo) > 0 {
		n := &g.Nodes[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		b := n.Block
		if b.Plain != nil { // atomics of a shadow do not count
			b = b.Plain
		}
		for i := range b.Ops {
			if why := orderedAtomic(b, i, families); why != "" {
				return why, open
			}
		}
		if !open && (n.Exit.Open == pass.OpenJump || n.Exit.Open == pass.OpenMode) {
			open = true
			for _, at := range arrivals {
				if i, ok := g.At[at]; ok {
					reach(i)
				}
			}
		}
		for _, i := range n.Succ {
			reach(i)
		}
	}
	return "", open
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
