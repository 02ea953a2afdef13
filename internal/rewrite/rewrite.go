// Package rewrite makes blocks from the ops of other blocks with additions, for tools whose code tells what guest code
// does.
package rewrite

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Copy makes a block from another one's ops with additions.
type Copy struct {
	*ir.Machine
	From, To *ir.Block
	Vals     []ir.Val // by value of From: that of To
	Err      error    // the first one of what is added
}

// Of begins a block with the marks of another one and without ops.
func Of(m *ir.Machine, b *ir.Block) Copy {
	n := *b
	n.Ops, n.Vals, n.Marks = nil, nil, slices.Clone(b.Marks)
	return Copy{Machine: m, From: b, To: &n, Vals: make([]ir.Val, len(b.Vals))}
}

// Begin makes the next op the first of a mark.
func (c *Copy) Begin(mark int) { c.To.Marks[mark].Op = int32(len(c.To.Ops)) }

// Keep adds op i of the other block.
func (c *Copy) Keep(i int) {
	in := c.From.Ops[i]
	in.Args = make([]ir.Val, len(in.Args))
	for k, v := range c.From.Ops[i].Args {
		in.Args[k] = c.Vals[v]
	}
	old := in.Res
	in.Res = ir.Val(len(c.To.Vals))
	for k := range in.NRes {
		c.Vals[int(old)+int(k)] = in.Res + ir.Val(k)
	}
	c.To.Vals = append(c.To.Vals, c.From.Vals[old:int(old)+int(in.NRes)]...)
	c.To.Ops = append(c.To.Ops, in)
}

// Add adds an op and returns its first result. After an error, which is kept, it is any value.
func (c *Copy) Add(in ir.Inst) (v ir.Val) {
	if c.Err == nil {
		v, c.Err = c.To.Add(c.Machine, in)
	}
	return v
}

// Op adds an op with these operands.
func (c *Copy) Op(op ir.Op, t ir.Type, args ...ir.Val) ir.Val {
	return c.Add(ir.Inst{Op: op, Type: t, Args: slices.Clone(args)})
}

// Const adds a uniform number.
func (c *Copy) Const(t ir.Type, bits uint64) ir.Val {
	return c.Add(ir.Inst{Op: ir.Const, Type: t, Imm: bits})
}

// Type returns the type of a value of the new block.
func (c *Copy) Type(v ir.Val) ir.Type {
	if c.Err != nil {
		return ir.I32
	}
	return c.To.Vals[v].Type
}

// Number returns the bits of a value as an i64.
func (c *Copy) Number(v ir.Val) ir.Val {
	t := c.Type(v)
	if bits := ir.IntOf(t.Bits()); t != bits {
		v, t = c.Op(ir.Cast, bits, v), bits
	}
	if t == ir.I64 {
		return v
	}
	return c.Op(ir.ZExt, ir.I64, v)
}
