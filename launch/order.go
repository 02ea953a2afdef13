package launch

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// maxScan is how many blocks orderMatters reads before it stops guessing.
const maxScan = 1 << 16

// family groups the atomic operations whose effects on memory do not depend on their order among
// each other. Operations that it lacks depend on the order even among themselves.
var family = map[mem.AtomicOp]int{
	mem.Add: 1, mem.Sub: 1,
	mem.SMin: 2, mem.SMax: 3, mem.UMin: 4, mem.UMax: 5,
	mem.And: 6, mem.Or: 7, mem.Xor: 8,
}

// orderMatters says why the order in which groups run may show in what a kernel leaves behind; ""
// if it may not. It reads the blocks that can be reached from the entry, and takes code that it
// cannot find for the worst.
func orderMatters(p *exec.Program, entry ir.Key) string {
	todo := []ir.Key{entry}
	seen := map[ir.Key]bool{entry: true}
	families := map[int]bool{}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		b, err := p.Block(at)
		if err != nil {
			continue // a fault for the wave that gets there
		}
		for i := range b.Ops {
			if why := orderedAtomic(b, i, families); why != "" {
				return why
			}
		}
		next, known := successors(b)
		if !known {
			return fmt.Sprintf("the targets of the indirect jump at pc %#x are not known", lastPC(b))
		}
		for _, pc := range next {
			if k := (ir.Key{PC: pc, Mode: at.Mode}); !seen[k] {
				seen[k] = true
				todo = append(todo, k)
			}
		}
		if len(seen) > maxScan {
			return fmt.Sprintf("the kernel has more than %d blocks", maxScan)
		}
	}
	return ""
}

// orderedAtomic says why the order of groups matters to op i of the block; "" if it does not.
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
	case used(b, i):
		return fmt.Sprintf("global atomic %s at pc %#x gives its old value", op, pc)
	}
	return ""
}

// used reports whether a later op of the block reads the result of op i.
func used(b *ir.Block, i int) bool {
	for j := i + 1; j < len(b.Ops); j++ {
		for _, a := range b.Ops[j].Args {
			if a == b.Ops[i].Res {
				return true
			}
		}
	}
	return false
}

// successors are the places that may follow a block, and whether these are all.
func successors(b *ir.Block) (pcs []uint64, known bool) {
	switch in := b.Term(); in.Op {
	case ir.Jump, ir.Retire, ir.Barrier:
		return []uint64{in.Imm}, true
	case ir.Branch:
		return []uint64{in.Imm, in.Alt}, true
	case ir.CtlStep:
		return []uint64{in.Imm, b.Next}, true
	case ir.JumpX:
		return nil, false
	}
	return nil, true
}

func lastPC(b *ir.Block) uint64 {
	if n := len(b.Marks); n > 0 {
		return b.Marks[n-1].PC
	}
	return b.Key.PC
}
