package irgen

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// value returns a value of type t of the current mark, per wave if wave is set: an existing one, or a new one.
func (g *gen) value(t ir.Type, wave bool) ir.Val {
	var have []ir.Val
	for v := g.first; int(v) < len(g.b.Vals); v++ {
		if info := g.b.Vals[v]; info.Type == t && (!wave || info.Wave) {
			have = append(have, v)
		}
	}
	if len(have) > 0 && g.r.IntN(4) != 0 {
		return pick(g.r, have)
	}
	if wave || g.r.IntN(3) == 0 {
		return g.wave(t)
	}
	return g.varying(t)
}

// wave makes a per-wave value: a constant, or the value of a wave cell.
func (g *gen) wave(t ir.Type) ir.Val {
	kind := ir.Wave32
	if t == ir.I1 {
		kind = ir.Wave1
	}
	if c, ok := g.cell(kind); ok && g.reading() && g.r.IntN(2) == 0 && (t.Bits() == 32 || t == ir.I1) {
		return g.add(ir.Inst{Op: ir.Get, Type: t, Cell: c})
	}
	return g.constant(t, Bits(g.r, t.Bits()))
}

// reading reports whether the mark may still read cells: no effect has been added yet.
func (g *gen) reading() bool {
	from := g.b.Marks[len(g.b.Marks)-1].Op
	for _, in := range g.b.Ops[from:] {
		switch in.Op {
		case ir.Set, ir.SetX, ir.SetLast:
			return false
		}
	}
	return true
}

// get32 reads a lane cell as a 32-bit type, or uses lane numbers if the mark may not read any more.
func (g *gen) get32(t ir.Type) ir.Val {
	if c, ok := g.cell(ir.Lane32); ok && g.reading() {
		return g.add(ir.Inst{Op: ir.Get, Type: t, Cell: c})
	}
	id := g.add(ir.Inst{Op: ir.LaneID, Type: ir.I32})
	if t == ir.I32 {
		return id
	}
	return g.add(ir.Inst{Op: ir.Cast, Type: t, Args: []ir.Val{id}})
}

// varying makes a value that differs between lanes.
func (g *gen) varying(t ir.Type) ir.Val {
	switch {
	case t == ir.I1:
		if c, ok := g.cell(ir.Lane1, ir.ExecMask); ok && g.reading() && g.r.IntN(3) != 0 {
			return g.add(ir.Inst{Op: ir.Get, Type: t, Cell: c})
		}
		return g.add(ir.Inst{Op: ir.ULt, Type: ir.I32, Args: []ir.Val{g.get32(ir.I32), g.get32(ir.I32)}})
	case t.Bits() == 32:
		return g.get32(t)
	case t.Bits() == 64:
		return g.add(ir.Inst{Op: ir.Pack, Type: t, Args: []ir.Val{g.get32(ir.I32), g.get32(ir.I32)}})
	}
	return g.add(ir.Inst{Op: ir.Extract, Type: t, Imm: uint64(g.r.IntN(33 - t.Bits())), Args: []ir.Val{g.get32(ir.I32)}})
}

// mask returns a condition for an effect, usually a partial one.
func (g *gen) mask() ir.Val {
	switch g.r.IntN(4) {
	case 0:
		bits := g.add(ir.Inst{Op: ir.Const, Type: ir.I64, Imm: [...]uint64{0, 1, ^uint64(0), 0xaaaaaaaaaaaaaaaa, g.r.Uint64()}[g.r.IntN(5)]})
		return g.add(ir.Inst{Op: ir.Lanes, Type: ir.I1, Args: []ir.Val{bits}})
	case 1:
		return g.add(ir.Inst{Op: ir.And, Type: ir.I1, Args: []ir.Val{g.varying(ir.I1), g.value(ir.I1, false)}})
	}
	return g.value(ir.I1, false)
}

// pureOp adds a random pure or cross-lane op on random types.
func (g *gen) pureOp() {
	op := pick(g.r, g.pure)
	if op == ir.Const {
		g.wave(pick(g.r, allTypes))
		return
	}
	g.PureOp(op)
}

// PureOp adds the op with operands of types that its rule permits.
func (g *gen) PureOp(op ir.Op) ir.Val {
	in := ir.Inst{Op: op}
	var second ir.Type
	in.Type, second, in.Imm = g.types(op)
	args, _ := op.Slots()
	for i, s := range args {
		t := in.Type
		if s.Second() {
			t = second
		} else if s.Letter == 0 {
			t = s.Type
		}
		v := g.value(t, s.Side == 'w')
		if t == ir.I32 && i == 1 && op.Info().Class == ir.Cross && g.r.IntN(4) != 0 {
			n := g.constant(ir.I32, uint64(g.r.IntN(64)))
			v = g.add(ir.Inst{Op: ir.And, Type: ir.I32, Args: []ir.Val{v, n}})
		}
		in.Args = append(in.Args, v)
	}
	return g.add(in)
}

// types chooses the two types of an op's rule and the bit offset.
func (g *gen) types(op ir.Op) (first, second ir.Type, imm uint64) {
	args, res := op.Slots()
	first = g.letterType(append(args[:len(args):len(args)], res...), false)
	second = g.letterType(args, true)
	for !widthsFit(op, first.Bits(), second.Bits()) {
		first, second = g.letterType(append(args[:len(args):len(args)], res...), false), g.letterType(args, true)
	}
	switch op {
	case ir.SFU:
		imm = uint64(g.r.IntN(int(num.NumSFU)))
	case ir.Shuffle:
		imm = pick(g.r, []uint64{0, 0, 2, 4, 8, 16, 32})
	case ir.Extract:
		imm = uint64(g.r.IntN(second.Bits() - first.Bits() + 1))
	case ir.Insert:
		imm = uint64(g.r.IntN(first.Bits() - second.Bits() + 1))
	}
	return first, second, imm
}

// letterType returns a random type for the first or the second letter of a rule; if no letter leaves a choice, the type
// is that of the first result.
func (g *gen) letterType(slots []ir.Slot, second bool) ir.Type {
	for _, s := range slots {
		if s.Letter != 0 && s.Second() == second {
			for {
				if t := pick(g.r, allTypes); s.Accepts(t) {
					return t
				}
			}
		}
	}
	if len(slots) == 0 || second {
		return ir.NoType
	}
	return slots[len(slots)-1].Type
}

func widthsFit(op ir.Op, first, second int) bool {
	switch op {
	case ir.Cast:
		return first == second
	case ir.Trunc, ir.Unpack:
		return first < second && (op == ir.Trunc || 2*first == second)
	case ir.ZExt, ir.SExt:
		return first > second
	case ir.Pack:
		return first == 2*second
	case ir.Extract:
		return first <= second
	case ir.Insert:
		return second <= first
	}
	return true
}
