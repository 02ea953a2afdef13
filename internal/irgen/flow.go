package irgen

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Flow is random blocks with arbitrary control flow, for a machine of any policy; it need not terminate. It
// implements ir.Code, and is the same in every mode.
type Flow struct {
	M      *ir.Machine
	Blocks []*ir.Block // each starts where the previous one ends
}

// NewFlow makes n blocks with the options. Most of their terminators lead to a block of the flow; a few end it or trap.
func NewFlow(r *rand.Rand, m *ir.Machine, n int, o Options) *Flow {
	f := &Flow{M: m}
	o.Control = true
	for range n {
		b := Block(r, m, o)
		for try := 0; (b.Term().Op == ir.End || b.Term().Op == ir.Trap) && try < 4; try++ {
			b = Block(r, m, o)
		}
		f.Blocks = append(f.Blocks, b)
	}
	pc := uint64(firstPC)
	starts := make([]uint64, n)
	for i, b := range f.Blocks {
		starts[i] = pc
		pc += b.Next - b.Key.PC
	}
	for i, b := range f.Blocks {
		f.Blocks[i] = f.placed(r, b, starts, starts[i])
	}
	return f
}

// Entry returns the address of the first block.
func (f *Flow) Entry() uint64 { return f.Blocks[0].Key.PC }

// Machine implements ir.Code.
func (f *Flow) Machine() *ir.Machine { return f.M }

// Text implements ir.Code.
func (f *Flow) Text(pc uint64) string { return fmt.Sprintf("at%x", pc) }

// Block implements ir.Code.
func (f *Flow) Block(at ir.Key) (*ir.Block, error) {
	i := slices.IndexFunc(f.Blocks, func(b *ir.Block) bool { return b.Key.PC == at.PC })
	if i < 0 {
		return nil, fmt.Errorf("no block at %#x", at.PC)
	}
	b := *f.Blocks[i]
	b.Key = at
	return &b, nil
}

// Print returns the blocks as text.
func (f *Flow) Print() (s string) {
	for _, b := range f.Blocks {
		s += ir.Print(f.M, b) + "\n"
	}
	return s
}

// placed returns a block at another address, with targets among the starts.
func (f *Flow) placed(r *rand.Rand, b *ir.Block, starts []uint64, pc uint64) *ir.Block {
	c := newCopy(f.M, b, pc)
	to := func() uint64 { return pick(r, starts) }
	for i := range b.Ops[:len(b.Ops)-1] {
		c.op(i)
	}
	in := c.inst(len(b.Ops) - 1)
	next := c.to.Next
	switch in.Op {
	case ir.Jump:
		in.Imm = to()
	case ir.Branch:
		in.Imm, in.Alt = to(), next
	case ir.Retire, ir.Barrier:
		in.Imm = next
	case ir.JumpX:
		in.Args[0] = c.add(ir.Inst{Op: ir.Const, Type: ir.I64, Imm: to()})
	case ir.CtlStep:
		if in.Imm != 0 {
			in.Imm = to()
		}
	case ir.CtlStepX:
		x, y := c.add(ir.Inst{Op: ir.Const, Type: ir.I64, Imm: to()}), c.add(ir.Inst{Op: ir.Const, Type: ir.I64, Imm: to()})
		in.Args[0] = c.add(ir.Inst{Op: ir.Select, Type: ir.I64, Args: []ir.Val{in.Args[1], x, y}})
	}
	c.add(in)
	return c.done()
}

// A copying copies ops of a block to a new one.
type copying struct {
	m        *ir.Machine
	from, to *ir.Block
	moved    int64
	vals     []ir.Val // by value of from; -1: removed
}

func newCopy(m *ir.Machine, from *ir.Block, pc uint64) *copying {
	c := &copying{m: m, from: from, moved: int64(pc) - int64(from.Key.PC), vals: make([]ir.Val, len(from.Vals))}
	c.to = &ir.Block{Key: from.Key, Next: uint64(int64(from.Next) + c.moved), Serial: from.Serial, Why: from.Why}
	c.to.Key.PC = pc
	for i := range c.vals {
		c.vals[i] = -1
	}
	return c
}

// inst returns op i with the values and mark of the copy.
func (c *copying) inst(i int) ir.Inst {
	for k := range c.from.Marks {
		if m := c.from.Marks[k]; int(m.Op) == i {
			m.Op, m.PC = int32(len(c.to.Ops)), uint64(int64(m.PC)+c.moved)
			c.to.Marks = append(c.to.Marks, m)
		}
	}
	in := c.from.Ops[i]
	args := make([]ir.Val, len(in.Args))
	for k, v := range in.Args {
		args[k] = c.vals[v]
	}
	in.Args = args
	return in
}

func (c *copying) add(in ir.Inst) ir.Val {
	v, err := c.to.Add(c.m, in)
	if err != nil {
		panic("irgen: " + err.Error())
	}
	return v
}

// op copies op i.
func (c *copying) op(i int) {
	in := c.inst(i)
	if in.Op == ir.Issue {
		writes, reads := c.from.Touched(&c.from.Ops[i])
		if err := c.to.Issue(c.m, int(in.Imm), writes, reads); err != nil {
			panic("irgen: " + err.Error())
		}
		return
	}
	first := c.add(in)
	for k := range ir.Val(c.from.Ops[i].NRes) {
		c.vals[c.from.Ops[i].Res+k] = first + k
	}
}

func (c *copying) done() *ir.Block {
	if err := ir.Verify(c.m, c.to); err != nil {
		panic(fmt.Sprintf("irgen: %v\n%s", err, ir.Print(c.m, c.to)))
	}
	return c.to
}

// Smaller yields reduced flows: without one op whose results are unused, or with a block that only continues or ends.
// The largest reductions come first.
func (f *Flow) Smaller(yield func(*Flow) bool) {
	for i, b := range f.Blocks {
		for _, end := range []ir.Inst{{Op: ir.End}, {Op: ir.Jump, Imm: b.Next}} {
			if len(b.Ops) > 1 && !yield(f.with(i, f.only(b, end))) {
				return
			}
		}
	}
	for i, b := range f.Blocks {
		for drop := range len(b.Ops) - 1 {
			if made := f.without(b, drop); made != nil && !yield(f.with(i, made)) {
				return
			}
		}
	}
}

// with returns the flow with block i replaced.
func (f *Flow) with(i int, b *ir.Block) *Flow {
	blocks := slices.Clone(f.Blocks)
	blocks[i] = b
	return &Flow{f.M, blocks}
}

// only returns a block in place of b that only ends with end.
func (f *Flow) only(b *ir.Block, end ir.Inst) *ir.Block {
	made := &ir.Block{Key: b.Key, Next: b.Next, Marks: []ir.Mark{b.Marks[0]}}
	made.Marks[0].Op = 0
	if _, err := made.Add(f.M, end); err != nil {
		panic("irgen: " + err.Error())
	}
	return made
}

// without returns the block without an op, nil if the op is needed. If the op was the last of a mark, the mark is
// removed.
func (f *Flow) without(b *ir.Block, drop int) *ir.Block {
	in := &b.Ops[drop]
	for i := range b.Ops {
		for _, v := range b.Ops[i].Args {
			if v >= in.Res && v < in.Res+ir.Val(in.NRes) {
				return nil
			}
		}
	}
	c := newCopy(f.M, b, b.Key.PC)
	for i := range b.Ops {
		if i != drop {
			c.op(i)
			continue
		}
		c.inst(i) // its mark moves to the next op; a mark without ops is removed
		if begins(b, i) && begins(b, i+1) {
			c.to.Marks = c.to.Marks[:len(c.to.Marks)-1]
		}
	}
	if ir.Verify(f.M, c.to) != nil {
		return nil
	}
	return c.to
}

// begins reports whether a mark begins at op i.
func begins(b *ir.Block, i int) bool {
	return slices.ContainsFunc(b.Marks, func(m ir.Mark) bool { return int(m.Op) == i })
}
