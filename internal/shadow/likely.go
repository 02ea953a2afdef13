package shadow

import (
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A fast makes the block that runs where all that a block reads is defined. Then all that it computes is, too: the ops
// are those without a shadow, and only what they load has to be tested, before anything else happens in an instruction,
// and what they store to be marked as defined.
type fast struct {
	m       *ir.Machine
	from, n *ir.Block
	to      []ir.Val // by value of from
	told    bool     // the instruction has had an effect, or accessed memory: nothing may be expected any more
}

// likely returns that block.
func likely(m *ir.Machine, b *ir.Block) *ir.Block {
	n := *b
	n.Plain, n.Ops, n.Vals, n.Marks = b, nil, nil, slices.Clone(b.Marks)
	f := &fast{m: m, from: b, n: &n, to: make([]ir.Val, len(b.Vals))}
	for i := range b.Marks {
		n.Marks[i].Op = int32(len(n.Ops))
		f.mark(b.MarkOps(i))
	}
	return n.Compact()
}

func (f *fast) add(in ir.Inst) ir.Val {
	v, err := f.n.Add(f.m, in)
	if err != nil {
		panic("shadow: " + err.Error())
	}
	return v
}

func (f *fast) konst(t ir.Type, bits uint64) ir.Val {
	return f.add(ir.Inst{Op: ir.Const, Type: t, Imm: bits})
}

// expectNone expects that no value has a bit set.
func (f *fast) expectNone(list ...ir.Val) {
	for _, v := range list {
		t := f.n.Vals[v].Type
		if t.Elems() > 1 {
			t = ir.IntOf(t.Bits())
			v = f.add(ir.Inst{Op: ir.Cast, Type: t, Args: []ir.Val{v}})
		}
		if t != ir.I1 {
			v = f.add(ir.Inst{Op: ir.Ne, Type: t, Args: []ir.Val{v, f.konst(t, 0)}})
		}
		f.add(ir.Inst{Op: ir.Unlikely, Args: []ir.Val{v}})
	}
}

// registers expects that the registers that the block reads are defined, and those that it writes: their shadow is not
// written then. What it reads only for lanes that are unlikely does not matter.
func (f *fast) registers() {
	words := map[uint16]uint32{}
	used := usedLikely(f.from)
	for i := range f.from.Ops {
		switch in := &f.from.Ops[i]; in.Op {
		case ir.Get, ir.Set, ir.SetLast:
			if in.Op == ir.Get && !used[in.Res] {
				continue
			}
			if some, bit, ok := f.m.Shadow.Bit(in.Cell); ok {
				words[some.Index] |= bit
			}
		}
	}
	any := clean
	for _, k := range slices.Sorted(maps.Keys(words)) {
		v := f.add(ir.Inst{Op: ir.Get, Type: ir.I32, Cell: ir.Cell{File: uint8(f.m.Shadow.Some), Index: k}})
		v = f.add(ir.Inst{Op: ir.And, Type: ir.I32, Args: []ir.Val{v, f.konst(ir.I32, uint64(words[k]))}})
		if any == clean {
			any = v
		} else {
			any = f.add(ir.Inst{Op: ir.Or, Type: ir.I32, Args: []ir.Val{any, v}})
		}
	}
	if any != clean {
		f.expectNone(any)
	}
}

// usedLikely returns, by value, whether an op uses it if no unlikely mask of the block has a lane.
func usedLikely(b *ir.Block) []bool {
	used, none := make([]bool, len(b.Vals)), make([]bool, len(b.Vals)) // none: it is 0
	for i := range b.Ops {
		switch in := &b.Ops[i]; in.Op {
		case ir.Unlikely:
			none[in.Args[0]] = true
		case ir.And:
			none[in.Res] = none[in.Args[0]] || none[in.Args[1]]
		}
	}
	for i := len(b.Ops) - 1; i >= 0; i-- {
		in := &b.Ops[i]
		args := in.Args
		mask, masked := b.Mask(in)
		unused := in.Op.Info().Class == ir.Pure && !slices.Contains(used[in.Res:in.Res+ir.Val(in.NRes)], true)
		if unused || masked && none[mask] && in.Op != ir.GetX && in.Op != ir.Unlikely || in.Op == ir.Stable {
			continue
		}
		if in.Op == ir.Select && none[args[0]] {
			args = args[2:]
		}
		for _, v := range args {
			used[v] = true
		}
	}
	return used
}

// mark makes the ops of an instruction, from lo to before hi.
func (f *fast) mark(lo, hi int) {
	if lo == 0 {
		f.registers()
	}
	f.told = !f.canTest(lo, hi)
	if f.told { // the instruction is left to the block with the whole shadow
		f.expectNone(f.konst(ir.I1, 1))
	}
	for i := lo; i < hi; i++ {
		in := f.from.Ops[i]
		in.Args = make([]ir.Val, len(in.Args))
		for k, v := range f.from.Ops[i].Args {
			in.Args[k] = f.to[v]
		}
		if tells(in.Op) && !f.told {
			f.told = true
			f.loads(i, hi)
		}
		if shadow, ok := f.cellOf(&in); ok && (in.Op == ir.Get || in.Op == ir.GetX) && !f.told {
			f.expectNone(f.add(ir.Inst{Op: in.Op, Type: shadowType(in.Type), Cell: shadow, Args: in.Args}))
		}
		first := f.add(in)
		for k := range ir.Val(in.NRes) {
			f.to[f.from.Ops[i].Res+k] = first + k
		}
		f.defines(&in)
	}
}

// tells reports whether after an op nothing may be expected any more.
func tells(op ir.Op) bool {
	c := op.Info().Class
	return op == ir.Set || op == ir.SetX || op == ir.SetLast || op.Told() || c == ir.Memory && op != ir.Check || c == ir.Resource
}

// loaded returns op i as a load of the shadow of what it reads from memory; false: it reads nothing that has one.
func (f *fast) loaded(i int) (in ir.Inst, ok bool) {
	old := &f.from.Ops[i]
	if old.Op != ir.Load && old.Op != ir.AtomicRMW || old.Mem.Silent() { // an observer's load is of what the block stores
		return in, false
	}
	m, ok := shadowOf(f.m.Shadow, old)
	in = ir.Inst{Op: ir.Load, Type: shadowType(old.Type), Mem: plain(m), Args: slices.Clone(old.Args[:1])}
	if mask, masked := f.from.Mask(old); masked {
		in.Args = append(in.Args, mask)
	}
	return in, ok
}

// canTest reports whether all that an instruction loads can be tested: its loads have addresses and masks that are
// known before it has an effect, and what it reads by an index is read before.
func (f *fast) canTest(lo, hi int) bool {
	told := ir.Val(-1) // the first result that comes too late
	for i := lo; i < hi; i++ {
		op := &f.from.Ops[i]
		if told < 0 && tells(op.Op) {
			told = op.Res
		}
		in, ok := f.loaded(i)
		if ok && slices.ContainsFunc(in.Args, func(v ir.Val) bool { return v >= told }) {
			return false
		}
		if _, has := f.cellOf(op); has && (op.Op == ir.Get || op.Op == ir.GetX) && told >= 0 {
			return false
		}
	}
	return true
}

// loads expects that what the ops from lo to before hi load is defined.
func (f *fast) loads(lo, hi int) {
	for i := lo; i < hi; i++ {
		in, ok := f.loaded(i)
		if !ok {
			continue
		}
		for k, v := range in.Args {
			in.Args[k] = f.to[v]
		}
		first := f.add(in)
		for k := range ir.Val(f.from.Ops[i].NRes) {
			f.expectNone(first + k)
		}
	}
}

// cellOf returns the shadow of the cell of an op that has no bit of its own, or that reads or writes any of a file.
func (f *fast) cellOf(in *ir.Inst) (ir.Cell, bool) {
	switch in.Op {
	case ir.Get, ir.Set, ir.SetLast:
		if _, _, ok := f.m.Shadow.Bit(in.Cell); ok {
			return ir.Cell{}, false
		}
	case ir.GetX, ir.SetX:
	default:
		return ir.Cell{}, false
	}
	return f.m.Shadow.Cell(in.Cell)
}

// defines marks what an op, with operands of the new block, writes or stores as defined.
func (f *fast) defines(in *ir.Inst) {
	values := 0 // where they begin
	out := ir.Inst{Op: in.Op, Type: shadowType(in.Type), Args: slices.Clone(in.Args)}
	var ok bool
	switch in.Op {
	case ir.Set, ir.SetLast:
		out.Cell, ok = f.cellOf(in)
	case ir.SetX:
		out.Cell, ok = f.cellOf(in)
		values = 1
	case ir.Store:
		out.Mem, ok = shadowOf(f.m.Shadow, in)
		values = 1
	}
	if !ok {
		return
	}
	end := len(in.Args)
	if _, masked := f.n.Mask(in); masked {
		end--
	}
	for k := values; k < end; k++ {
		out.Args[k] = f.konst(shadowType(f.n.Vals[in.Args[k]].Type), 0)
	}
	f.add(out)
}
