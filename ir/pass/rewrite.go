package pass

import "github.com/heddle-gpu/heddle/ir"

// Steps are what a rewrite does besides copying.
type steps uint8

const (
	folds    steps = 1 << iota // computes constants, drops ops that change nothing
	forwards                   // replaces reads of cells whose contents are known
	numbers                    // lets one op stand for all that compute the same
)

// A rewriter copies a block op by op. A step may keep an op, put others in its place, or drop it.
type rewriter struct {
	m   *ir.Machine
	do  steps
	old *ir.Block
	out *ir.Block
	to  []ir.Val // by old value: the new one, or gone
	defs
	args  []ir.Val // room for arguments of new ops
	bits  [8]uint64
	table table
	cells contents
	known []identity
	need  *needs // what of the old block matters; nil: all of it
}

const gone ir.Val = -1

// rewrite copies the block and does the steps on the way. need, if given, says what of the block may go.
func rewrite(m *ir.Machine, b *ir.Block, do steps, need *needs) *ir.Block {
	w := &rewriter{m: m, do: do, old: b, need: need, known: identities, to: make([]ir.Val, len(b.Vals))}
	out := *b
	w.out = &out
	out.Ops, out.Vals, out.Marks = make([]ir.Inst, 0, len(b.Ops)+8), make([]ir.ValInfo, 0, len(b.Vals)+8), make([]ir.Mark, 0, len(b.Marks))
	w.defs = defs{m: m, b: w.out, at: make([]int32, 0, len(b.Vals)+8)}
	if do&numbers != 0 {
		w.table.init(len(b.Ops))
	}
	if do&forwards != 0 {
		w.cells.init(m)
	}
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
		if need == nil || need.live[i] {
			w.step(i)
		}
	}
	return w.out
}

// step copies old op i, or finds something better.
func (w *rewriter) step(i int) {
	in := w.inst(i)
	if w.need != nil && w.need.of != nil && w.relax(i, &in) {
		return
	}
	switch class := in.Op.Info().Class; {
	case class == ir.Pure || class == ir.Cross || in.Op == ir.Live:
		w.pure(i, &in)
		return
	case w.do&folds != 0 && (in.Op == ir.GetX || in.Op == ir.SetX):
		w.index(&in)
	case w.do&folds != 0 && in.Op == ir.Branch:
		w.branch(&in)
	}
	if w.do&forwards != 0 && class(in.Op) == ir.Reg && w.forward(i, &in) {
		return
	}
	w.keep(i, in)
}

func class(op ir.Op) ir.Class { return op.Info().Class }

// pure copies an op that is a function of its operands.
func (w *rewriter) pure(i int, in *ir.Inst) {
	if w.do&folds != 0 {
		if r, ok := w.simplify(in); ok {
			for k := range ir.Val(in.NRes) {
				w.to[w.old.Ops[i].Res+k] = r[k]
			}
			return
		}
	}
	first := w.number(in)
	for k := range ir.Val(in.NRes) {
		w.to[w.old.Ops[i].Res+k] = first + k
	}
}

// inst is old op i with its operands as new values.
func (w *rewriter) inst(i int) ir.Inst {
	in := w.old.Ops[i]
	args := w.room(len(in.Args))
	for k, a := range in.Args {
		args[k] = w.to[a]
	}
	in.Args = args
	return in
}

// room is a new list of n arguments.
func (w *rewriter) room(n int) []ir.Val {
	if cap(w.args)-len(w.args) < n {
		w.args = make([]ir.Val, 0, 256+n)
	}
	at := len(w.args)
	w.args = w.args[:at+n]
	return w.args[at : at+n : at+n]
}

// emit adds an op to the new block. One that does not fit is a fault of the pass.
func (w *rewriter) emit(in ir.Inst) ir.Val {
	at := int32(len(w.out.Ops))
	v, err := w.out.Add(w.m, in)
	if err != nil {
		panic("ir/pass: " + err.Error())
	}
	for range w.out.Ops[at].NRes {
		w.at = append(w.at, at)
	}
	return v
}

// make adds an op of this kind, unless the block has its value already.
func (w *rewriter) make(op ir.Op, t ir.Type, args ...ir.Val) ir.Val {
	in := ir.Inst{Op: op, Type: t, Args: w.room(len(args))}
	copy(in.Args, args)
	if w.do&folds != 0 {
		if r, ok := w.simplify(&in); ok {
			return r[0]
		}
	}
	return w.number(&in)
}

// constant makes a constant.
func (w *rewriter) constant(t ir.Type, bits uint64) ir.Val {
	return w.number(&ir.Inst{Op: ir.Const, Type: t, Imm: bits})
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

// as is v as another type of the same width.
func (w *rewriter) as(v ir.Val, t ir.Type) ir.Val {
	if w.out.Vals[v].Type == t {
		return v
	}
	return w.make(ir.Cast, t, v)
}
