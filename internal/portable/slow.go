package portable

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A slowCount counts instructions that run without machine code, by the ops that lack it.
type slowCount struct {
	on  bool
	ops map[slowOp]uint64
}

// A slowOp is why an instruction ran without machine code: an op, or the tier of its block.
type slowOp struct {
	kind   lower.StepKind
	op     ir.Op
	typ    ir.Type
	rest   bool // the op has machine code, which exited: the instruction is the op's, or a later one of the block
	serial bool // the block runs lane by lane
	low    bool // the block was not compiled yet
	part   bool // the wave entered the block within, or left it so
}

// CountSlow implements exec.SlowCounter.
func (r *runner) CountSlow() { r.slow = slowCount{true, map[slowOp]uint64{}} }

// Slow implements exec.SlowCounter.
func (r *runner) Slow() (list []exec.SlowOp) {
	if r.e.backend == nil || r.e.Lacks() != "" {
		return nil
	}
	for k, n := range r.slow.ops {
		list = append(list, exec.SlowOp{Name: k.String(), N: n})
	}
	return list
}

// kindNames name steps that are not an op of the IR.
var kindNames = [...]string{lower.CopyRow: "copy", lower.SetRow: "set", lower.GetWord: "get", lower.SetWord: "set", lower.GetMask: "get",
	lower.SetMask: "set", lower.GetExec: "get", lower.SetExec: "set", lower.Expect: "expect"}

// String describes the reason.
func (k slowOp) String() string {
	switch {
	case k.low:
		return "a block that was not compiled yet"
	case k.serial:
		return "a block that runs lane by lane"
	case k.part:
		return "a part of a block"
	}
	name := fmt.Sprintf("%v %v", k.op, k.typ)
	if int(k.kind) < len(kindNames) && kindNames[k.kind] != "" {
		name = kindNames[k.kind]
	}
	if k.rest {
		return "the rest of a block, from " + name + " on"
	}
	return name
}

// why is the reason for an op of a compiled block.
func (o *op) why() slowOp { return slowOp{kind: o.kind, op: o.op, typ: o.typ} }

// visit counts a block that is not wholly machine code.
func (c *slowCount) visit(f *form) {
	switch {
	case f.Block.Serial:
		c.ops[slowOp{serial: true}] += uint64(f.Marks())
	case f.node.tier != machineTier:
		c.ops[slowOp{low: true}] += uint64(f.Marks())
	default:
		mark := int32(-1)
		for i := range f.ops {
			if o := &f.ops[i]; !o.code && o.mark != mark {
				mark = o.mark
				c.ops[o.why()]++
			}
		}
	}
}

// rest counts the instructions of ops that run after an exit before the first of them.
func (c *slowCount) rest(ops []op) {
	why := ops[0].why()
	why.rest = true
	c.ops[why] += uint64(ops[len(ops)-1].mark - ops[0].mark + 1)
}

// part counts instructions of a block that is entered or left within.
func (c *slowCount) part(nd *node, marks int) {
	c.ops[slowOp{low: nd.tier != machineTier, part: true}] += uint64(marks)
}
