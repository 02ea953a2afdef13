package pass

import "github.com/heddle-gpu/heddle/ir"

// A table finds the op of a block that computes a given value (value numbering): open addressing by a hash of the
// op.
type table struct {
	slot []int32 // op + 1, or 0
	used int
}

func (t *table) init(ops int) {
	n := 16
	for n < 2*ops {
		n *= 2
	}
	t.slot, t.used = resize(t.slot, n), 0
	clear(t.slot)
}

func hash(in *ir.Inst) uint64 {
	const k = 0x9e3779b97f4a7c15
	h := (uint64(in.Op)<<16 | uint64(in.Type)<<8 | uint64(in.Mode)<<32) * k
	h = (h ^ h>>29 ^ in.Imm) * k
	for _, a := range in.Args {
		h = (h ^ h>>29 ^ uint64(a)) * k
	}
	return h ^ h>>32
}

// number returns the first result of the op in the new block: that of an earlier op if one computes the same.
func (w *rewriter) number(in *ir.Inst) ir.Val {
	if w.do&numbers == 0 {
		return w.emit(*in)
	}
	t := &w.table
	if 2*t.used >= len(t.slot) {
		t.grow(w.out)
	}
	mask := uint64(len(t.slot) - 1)
	at := hash(in) & mask
	for ; t.slot[at] != 0; at = (at + 1) & mask {
		if o := &w.out.Ops[t.slot[at]-1]; equalOps(in, o) {
			return o.Res
		}
	}
	t.used++
	t.slot[at] = int32(len(w.out.Ops)) + 1
	return w.emit(*in)
}

// equalOps compares an op that is not in the block yet with one that is. Whether an op runs once per wave and its
// number of results follow from the rest.
func equalOps(in, o *ir.Inst) bool {
	if in.Op != o.Op || in.Type != o.Type || in.Imm != o.Imm {
		return false
	}
	wave, n := in.Wave, in.NRes
	in.Wave, in.NRes = o.Wave, o.NRes
	same := in.Same(o)
	in.Wave, in.NRes = wave, n
	return same
}

func (t *table) grow(b *ir.Block) {
	old := t.slot
	t.slot = make([]int32, 2*len(old))
	mask := uint64(len(t.slot) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		at := hash(&b.Ops[s-1]) & mask
		for t.slot[at] != 0 {
			at = (at + 1) & mask
		}
		t.slot[at] = s
	}
}

// defs finds the ops that define the values of a block.
type defs struct {
	m  *ir.Machine
	b  *ir.Block
	at []int32 // by value: the op
}

// defsOf returns the definitions of a whole block.
func defsOf(m *ir.Machine, b *ir.Block) defs {
	d := defs{m: m, b: b, at: make([]int32, len(b.Vals))}
	for i := range b.Ops {
		for k := range ir.Val(b.Ops[i].NRes) {
			d.at[b.Ops[i].Res+k] = int32(i)
		}
	}
	return d
}

// def returns the op that defines v.
func (d *defs) def(v ir.Val) *ir.Inst { return &d.b.Ops[d.at[v]] }

// is returns the op that defines v if it is of this kind.
func (d *defs) is(v ir.Val, op ir.Op) (*ir.Inst, bool) {
	in := d.def(v)
	return in, in.Op == op
}

// konst returns the bits of v, if it is a constant.
func (d *defs) konst(v ir.Val) (bits uint64, ok bool) {
	in := d.def(v)
	return in.Imm, in.Op == ir.Const
}

// yes reports whether v is the constant 1, no whether it is 0.
func (d *defs) yes(v ir.Val) bool { c, ok := d.konst(v); return ok && c&1 == 1 }
func (d *defs) no(v ir.Val) bool  { c, ok := d.konst(v); return ok && c&1 == 0 }
