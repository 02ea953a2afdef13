package ref

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lanewise"
	"github.com/heddle-gpu/heddle/ir"
)

// A code is a block prepared for execution: without constants and casts, operands resolved to places.
type code struct {
	*exec.Frame
	ops   []lanewise.Op
	term  []lanewise.Place // operands of the terminator
	marks []int            // the first op of each
	slots int
}

// laneIDs is the result of laneid.
var laneIDs = func() (v ir.Vec) {
	for i := range v {
		v[i] = uint64(i)
	}
	return v
}()

// A preparer makes the code of one block.
type preparer struct {
	m      *ir.Machine
	b      *ir.Block
	c      *code
	places []lanewise.Place // by value
	root   []ir.Val         // by value: the value that a chain of casts starts from
	last   []int            // by root: the last op that reads it
	free   []int            // slots
	consts map[uint64]*ir.Vec
}

// prepare makes the code of a block.
func prepare(f *exec.Frame, m *ir.Machine) *code {
	b := f.Own
	p := &preparer{m: m, b: b, c: &code{Frame: f}, places: make([]lanewise.Place, len(b.Vals)), consts: map[uint64]*ir.Vec{}}
	p.root, p.last = b.Reads()
	next := 0
	for i := range b.Ops {
		for ; next < len(b.Marks) && int(b.Marks[next].Op) <= i; next++ {
			p.c.marks = append(p.c.marks, len(p.c.ops))
		}
		if len(p.c.marks) == 0 { // blocks of tests may have none
			p.c.marks = append(p.c.marks, 0)
		}
		p.add(i)
	}
	return p.c
}

// add prepares op i. Results get slots before those of the operands are released, so that no result shares a slot
// with an operand.
func (p *preparer) add(i int) {
	in := &p.b.Ops[i]
	switch class := in.Op.Info().Class; {
	case in.Op == ir.Const:
		p.places[in.Res] = lanewise.Place{Fixed: p.constant(in.Imm)}
	case in.Op == ir.Cast:
		p.places[in.Res] = p.places[in.Args[0]]
	case in.Op == ir.LaneID:
		p.places[in.Res] = lanewise.Place{Fixed: &laneIDs, Wide: ir.MaxLanes - 1}
	case class == ir.Marker && !in.Op.Told():
	case class == ir.Ctl:
		p.c.term = p.operands(in)
	default:
		mark := len(p.c.marks) - 1
		o := lanewise.NewOp(p.m, p.b, in, p.operands(in), len(p.c.ops), mark, p.c.PC(mark))
		p.results(&o, i)
		p.c.ops = append(p.c.ops, o)
	}
	p.release(in, i)
}

// constant returns a vector with x as a uniform value.
func (p *preparer) constant(x uint64) *ir.Vec {
	v := p.consts[x]
	if v == nil {
		v = &ir.Vec{x}
		p.consts[x] = v
	}
	return v
}

func (p *preparer) operands(in *ir.Inst) []lanewise.Place {
	ps := make([]lanewise.Place, len(in.Args))
	for i, a := range in.Args {
		ps[i] = p.places[a]
	}
	return ps
}

func (p *preparer) results(o *lanewise.Op, i int) {
	for v := o.In.Res; v < o.In.Res+ir.Val(o.In.NRes); v++ {
		s := p.c.slots
		if n := len(p.free); n > 0 {
			s, p.free = p.free[n-1], p.free[:n-1]
		} else {
			p.c.slots++
		}
		o.Res = append(o.Res, s)
		p.places[v] = lanewise.Place{Slot: s}
		if !p.b.Vals[v].Wave {
			p.places[v].Wide = ir.MaxLanes - 1
		}
	}
	for v := o.In.Res; v < o.In.Res+ir.Val(o.In.NRes); v++ {
		if p.last[v] < 0 { // never read
			p.free = append(p.free, p.places[v].Slot)
		}
	}
}

// release frees the slots of the values that op i is the last to read.
func (p *preparer) release(in *ir.Inst, i int) {
	for _, a := range in.Args {
		r := p.root[a]
		if p.last[r] == i && p.places[r].Fixed == nil {
			p.free = append(p.free, p.places[r].Slot)
			p.last[r] = len(p.b.Ops) // once only, even if it is read twice
		}
	}
}
