package sanitize

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// copying makes a block from another one's ops with additions. The masks are those of the present mark.
type copying struct {
	*ir.Machine
	from, n *ir.Block
	to      []ir.Val // by value of the other block
	by      []int    // by value: the op that has it as result
	masks   []mask
	windows []exec.Window // for lanesInGroup
	err     error         // the first one of what is added
}

// copyOf begins a block with the marks of another one and without ops.
func copyOf(m *ir.Machine, b *ir.Block) copying {
	n := *b
	n.Ops, n.Vals, n.Marks = nil, nil, slices.Clone(b.Marks)
	return copying{Machine: m, from: b, n: &n, to: make([]ir.Val, len(b.Vals))}
}

// begin makes the next op the first of a mark.
func (c *copying) begin(mark int) { c.n.Marks[mark].Op = int32(len(c.n.Ops)) }

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

// copy adds op i of the other block.
func (c *copying) copy(i int) {
	in := c.from.Ops[i]
	in.Args = make([]ir.Val, len(in.Args))
	for k, v := range c.from.Ops[i].Args {
		in.Args[k] = c.to[v]
	}
	old := in.Res
	in.Res = ir.Val(len(c.n.Vals))
	for k := range in.NRes {
		c.to[int(old)+int(k)] = in.Res + ir.Val(k)
	}
	c.n.Vals = append(c.n.Vals, c.from.Vals[old:int(old)+int(in.NRes)]...)
	c.n.Ops = append(c.n.Ops, in)
}

// add adds an op and returns its first result. After an error, which is kept, it is any value.
func (c *copying) add(in ir.Inst) (v ir.Val) {
	if c.err == nil {
		v, c.err = c.n.Add(c.Machine, in)
	}
	return v
}

func (c *copying) op(op ir.Op, t ir.Type, args ...ir.Val) ir.Val {
	return c.add(ir.Inst{Op: op, Type: t, Args: slices.Clone(args)})
}

// newType returns the type of a value of the new block.
func (c *copying) newType(v ir.Val) ir.Type {
	if c.err != nil {
		return ir.I32
	}
	return c.n.Vals[v].Type
}

// number returns the bits of a value as an i64.
func (c *copying) number(v ir.Val) ir.Val {
	t := c.newType(v)
	if bits := ir.IntOf(t.Bits()); t != bits {
		v, t = c.op(ir.Cast, bits, v), bits
	}
	if t == ir.I64 {
		return v
	}
	return c.op(ir.ZExt, ir.I64, v)
}
