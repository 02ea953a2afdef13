package ref

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A code is a block prepared for running: without constants and casts, operands resolved to places.
type code struct {
	block *ir.Block
	ops   []op
	term  []place // operands of the terminator
	marks []mark
	costs []exec.Cost // before mark i
	slots int
	plain bool // goes on where its terminator says, under its own mode
}

type mark struct {
	op int // in code.ops
	pc uint64
}

// An op is one op of a block. run returns false if the op faults, with runner.fault set.
type op struct {
	run    func(r *runner, o *op) bool
	each   func(c *ir.WaveCall, o *op) // pure and cross-lane ops: the loop over lanes
	in     *ir.Inst
	args   []place
	res    []int // slots
	n      int   // bits of the op's type
	from   int   // bits of the first operand; of the second for BitsInto
	mask   *place
	space  ir.SpaceID
	mark   int
	pc     uint64 // of the mark
	cursor uint8
	kind   ir.CellKind // state ops: of the cell
	cell   int         // state ops: see exec.IndexOf
	flags  uint8       // bit i: argument i, bit 4+i: result i, is a varying i1
}

// A place is where an operand is found: a slot of the runner, or a vector that never changes.
type place struct {
	fixed *ir.Vec
	slot  int
	wide  int // index mask: 0 if the value is one a wave
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
	places []place  // by value
	root   []ir.Val // by value: the value that a chain of casts starts from
	last   []int    // by root: the last op that reads it
	free   []int    // slots
	consts map[uint64]*ir.Vec
}

// prepare makes the code of a block.
func prepare(m *ir.Machine, b *ir.Block) *code {
	p := &preparer{
		m: m, b: b,
		c:      &code{block: b, costs: exec.Costs(b)},
		places: make([]place, len(b.Vals)),
		root:   make([]ir.Val, len(b.Vals)),
		last:   make([]int, len(b.Vals)),
		consts: map[uint64]*ir.Vec{},
	}
	p.liveness()
	next := 0
	for i := range b.Ops {
		for ; next < len(b.Marks) && int(b.Marks[next].Op) <= i; next++ {
			p.c.marks = append(p.c.marks, mark{len(p.c.ops), b.Marks[next].PC})
		}
		if len(p.c.marks) == 0 { // a block of a test may have none
			p.c.marks = append(p.c.marks, mark{0, b.Key.PC})
		}
		p.add(i)
	}
	p.c.plain = p.plain()
	return p.c
}

// plain reports whether the block says where control goes.
func (p *preparer) plain() bool {
	for i := range p.b.Ops {
		switch in := &p.b.Ops[i]; in.Op {
		case ir.Set, ir.SetX, ir.SetLast:
			if p.m.ModeMask != 0 && in.Cell.File == p.m.Mode.File {
				return false
			}
		}
	}
	t := p.b.Term()
	return t.Op == ir.Branch || t.Op == ir.Retire || t.Op == ir.Jump && t.Alt == 0
}

// liveness finds the last reader of each value.
func (p *preparer) liveness() {
	for i := range p.root {
		p.root[i] = ir.Val(i)
		p.last[i] = -1
	}
	for i := range p.b.Ops {
		in := &p.b.Ops[i]
		if in.Op == ir.Cast {
			p.root[in.Res] = p.root[in.Args[0]]
		}
		for _, a := range in.Args {
			p.last[p.root[a]] = i
		}
	}
}

// add prepares op i: results get slots before those of the operands are given back, so that no
// result shares a slot with an operand.
func (p *preparer) add(i int) {
	in := &p.b.Ops[i]
	switch class := in.Op.Info().Class; {
	case in.Op == ir.Const:
		p.places[in.Res] = place{fixed: p.constant(in.Imm)}
	case in.Op == ir.Cast:
		p.places[in.Res] = p.places[in.Args[0]]
	case in.Op == ir.LaneID:
		p.places[in.Res] = place{fixed: &laneIDs, wide: ir.MaxLanes - 1}
	case class == ir.Marker && in.Op != ir.Probe:
	case class == ir.Ctl:
		p.c.term = p.operands(in)
	default:
		o := op{
			in: in, mark: len(p.c.marks) - 1, n: in.Type.Bits(), cursor: uint8(len(p.c.ops)), pc: p.c.marks[len(p.c.marks)-1].pc,
			args: p.operands(in), space: in.Mem.Space, kind: p.m.Kind(in.Cell),
		}
		if o.kind != 0 {
			o.cell = exec.IndexOf(p.m, in.Cell)
		}
		if _, masked := p.b.Mask(in); masked {
			o.mask = &o.args[len(o.args)-1]
			o.args = o.args[:len(o.args)-1]
		}
		p.results(&o, i)
		p.choose(&o)
		p.c.ops = append(p.c.ops, o)
	}
	p.release(in, i)
}

// constant is a vector that holds x as a value that is one a wave.
func (p *preparer) constant(x uint64) *ir.Vec {
	v := p.consts[x]
	if v == nil {
		v = &ir.Vec{x}
		p.consts[x] = v
	}
	return v
}

func (p *preparer) operands(in *ir.Inst) []place {
	ps := make([]place, len(in.Args))
	for i, a := range in.Args {
		ps[i] = p.places[a]
	}
	return ps
}

func (p *preparer) results(o *op, i int) {
	for v := o.in.Res; v < o.in.Res+ir.Val(o.in.NRes); v++ {
		s := p.c.slots
		if n := len(p.free); n > 0 {
			s, p.free = p.free[n-1], p.free[:n-1]
		} else {
			p.c.slots++
		}
		o.res = append(o.res, s)
		p.places[v] = place{slot: s}
		if !p.b.Vals[v].Wave {
			p.places[v].wide = ir.MaxLanes - 1
		}
	}
	for v := o.in.Res; v < o.in.Res+ir.Val(o.in.NRes); v++ {
		if p.last[v] < 0 { // nobody reads it
			p.free = append(p.free, p.places[v].slot)
		}
	}
}

// release gives back the slots of the values that op i is the last to read.
func (p *preparer) release(in *ir.Inst, i int) {
	for _, a := range in.Args {
		r := p.root[a]
		if p.last[r] == i && p.places[r].fixed == nil {
			p.free = append(p.free, p.places[r].slot)
			p.last[r] = len(p.b.Ops) // once only, also if it is read twice
		}
	}
}

// choose finds the function that runs the op.
func (p *preparer) choose(o *op) {
	if op := int(o.in.Op); op < len(effects) && effects[op] != nil {
		o.run = effects[op]
		if o.in.Op == ir.Probe && len(o.args) > 0 {
			o.from = p.b.Vals[o.in.Args[0]].Type.Bits()
		}
		return
	}
	info := o.in.Op.Info()
	o.run, o.each = pure, loops(o.in.Meaning())
	if info.Class == ir.Cross {
		o.run = cross
		return
	}
	if o.each == nil {
		panic("ref: " + o.in.Op.String() + " has no meaning")
	}
	if len(o.in.Args) > 0 {
		o.from = p.b.Vals[o.in.Args[0]].Type.Bits()
	}
	if _, ok := info.Meaning.(ir.BitsInto); ok {
		o.from = p.b.Vals[o.in.Args[1]].Type.Bits()
	}
	if o.in.Wave {
		o.run = once
		return
	}
	for i, a := range o.in.Args {
		if p.b.Vals[a].Type == ir.I1 {
			o.flags |= 1 << i
		}
	}
	for i := range o.res {
		if p.b.Vals[int(o.in.Res)+i].Type == ir.I1 {
			o.flags |= 16 << i
		}
	}
	switch {
	case o.in.Op == ir.Select && o.in.Type == ir.I1:
		o.run = selectMasks
	case o.in.Type == ir.I1 && len(o.res) == 1 && firstLetter(o.in.Op) == 'b':
		o.run = onMasks
	case o.flags != 0:
		o.run = viaLanes
	}
}

// firstLetter is the letter of the op's first operand.
func firstLetter(op ir.Op) byte {
	args, _ := op.Slots()
	return args[0].Letter
}
