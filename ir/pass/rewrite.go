package pass

import "github.com/heddle-gpu/heddle/ir"

// A rewriter copies a block op by op. A step may keep an op, put others in its place, or drop it.
type rewriter struct {
	m   *ir.Machine
	old *ir.Block
	out *ir.Block
	to  []ir.Val // by old value: the new one, or gone
}

const gone ir.Val = -1

// rewrite copies the block; step handles each op.
func rewrite(m *ir.Machine, b *ir.Block, step func(w *rewriter, i int)) *ir.Block {
	w := &rewriter{m: m, old: b, out: &ir.Block{Key: b.Key, Next: b.Next, Why: b.Why}, to: make([]ir.Val, len(b.Vals))}
	for i := range w.to {
		w.to[i] = gone
	}
	mark := 0
	for i := range b.Ops {
		for ; mark < len(b.Marks) && int(b.Marks[mark].Op) <= i; mark++ {
			k := b.Marks[mark]
			k.Op = int32(len(w.out.Ops))
			w.out.Marks = append(w.out.Marks, k)
		}
		step(w, i)
	}
	return w.out
}

// inst is old op i with its operands as new values.
func (w *rewriter) inst(i int) ir.Inst {
	in := w.old.Ops[i]
	args := make([]ir.Val, len(in.Args))
	for k, a := range in.Args {
		args[k] = w.to[a]
	}
	in.Args = args
	return in
}

// emit adds an op to the new block. One that does not fit is a fault of the pass.
func (w *rewriter) emit(in ir.Inst) ir.Val {
	v, err := w.out.Add(w.m, in)
	if err != nil {
		panic("ir/pass: " + err.Error())
	}
	return v
}

// keep emits old op i as in, whose results take the place of the old ones.
func (w *rewriter) keep(i int, in ir.Inst) {
	first := w.emit(in)
	for k := range ir.Val(w.old.Ops[i].NRes) {
		w.to[w.old.Ops[i].Res+k] = first + k
	}
}

// alias lets new value v stand for the only result of old op i.
func (w *rewriter) alias(i int, v ir.Val) { w.to[w.old.Ops[i].Res] = v }

// constant is the bits of new value v, if it is a constant.
func (w *rewriter) constant(v ir.Val) (bits uint64, ok bool) {
	d := defOf(w.out, v)
	return d.Imm, d.Op == ir.Const
}
