package pass

import (
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// steps are what a rewrite does besides copying.
type steps uint8

const (
	folds    steps = 1 << iota // folds constants, removes ops without effect on the value
	forwards                   // replaces reads of cells whose contents are known
	numbers                    // common subexpression elimination
	widens                     // writes all lanes if those outside of the mask are dead
	likely                     // omits code for unlikely lanes
)

// A rewriter copies a block op by op. A step may keep, replace or drop an op. A rewriter is reused for many blocks.
type rewriter struct {
	defs // definitions of the new block
	do   steps
	old  *ir.Block
	out  *ir.Block
	to   []ir.Val // by old value: the new one, or gone
	in   ir.Inst  // the op that is being copied
	more [8]ir.Inst
	deep int // number of elements of more in use

	stores   [2]store
	turn     int
	args     []ir.Val // backing array for arguments of new ops
	equals   []ir.Val // by new value, as far as it reaches: the constant that it equals from here on, or gone
	bits     [8]uint64
	table    table
	cells    contents
	known    []identity
	need     *needs // what is needed of the old block; nil: all
	writeAll *[]int32
	guess    func(op int) (uint64, bool) // Options.Guess
	sweeper
}

// A store is memory in which a new block grows; one is written while the other is read.
type store struct {
	blk  ir.Block
	at   []int32
	args []ir.Val
}

const gone ir.Val = -1

var rewriters = sync.Pool{New: func() any { return new(rewriter) }}

// rewrite copies the block and performs the steps on the way. need, if not nil, says which parts may be removed.
func rewrite(m *ir.Machine, b *ir.Block, do steps, need *needs) *ir.Block {
	w := rewriters.Get().(*rewriter)
	out := w.run(m, b, do, need).Compact()
	w.release()
	return out
}

// release returns the rewriter to the pool.
func (w *rewriter) release() {
	w.old, w.out, w.need, w.sweeper.b, w.writeAll, w.guess, w.likely, w.entries = nil, nil, nil, nil, nil, nil, false, nil
	rewriters.Put(w)
}

// run is rewrite in the rewriter's own memory: the returned block is valid until the run after the next.
func (w *rewriter) run(m *ir.Machine, b *ir.Block, do steps, need *needs) *ir.Block {
	w.begin(m, b, do, need)
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
	s := &w.stores[w.turn]
	s.at, s.args = w.at, w.args
	return w.out
}

func (w *rewriter) begin(m *ir.Machine, b *ir.Block, do steps, need *needs) {
	w.turn ^= 1
	s := &w.stores[w.turn]
	ops, vals, marks := s.blk.Ops[:0], s.blk.Vals[:0], s.blk.Marks[:0]
	s.blk = *b
	s.blk.Ops, s.blk.Vals, s.blk.Marks = ops, vals, marks
	w.old, w.out, w.do, w.need, w.known, w.deep = b, &s.blk, do, need, identities, 0
	w.defs = defs{m: m, b: w.out, at: s.at[:0]}
	w.args, w.equals = s.args[:0], w.equals[:0]
	if do&numbers != 0 {
		w.table.init(len(b.Ops))
	}
	if do&forwards != 0 {
		w.cells.init(m)
	}
	w.to = resize(w.to, len(b.Vals))
	for i := range w.to {
		w.to[i] = gone
	}
}

// resize returns s with n elements of arbitrary values.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/4)[:n]
	}
	return s[:n]
}

// step copies old op i, or replaces it.
func (w *rewriter) step(i int) {
	in := w.inst(i)
	if w.need != nil && w.need.of != nil && w.relax(i, in) {
		return
	}
	switch class := in.Op.Info().Class; {
	case class == ir.Pure || class == ir.Cross || in.Op == ir.Live:
		w.pure(i, in)
		return
	case w.do&folds != 0 && (in.Op == ir.GetX || in.Op == ir.SetX):
		w.index(in)
	case w.do&folds != 0 && in.Op == ir.Branch:
		w.branch(in)
	case w.do&folds != 0 && class == ir.Memory && w.dropEmpty(i, in):
		return
	case in.Op == ir.Unlikely:
		w.unlikely(i, in)
		return
	case w.do&folds != 0 && (in.Op == ir.Probe || in.Op == ir.SetLast) && w.no(in.Args[len(in.Args)-1]):
		return
	case in.Op == ir.Stable:
		w.stable(i, in.Args[0])
		return
	case w.do&widens != 0 && in.Op == ir.Set && w.need.wide[i] && w.writeAll == nil:
		in.Args[1] = w.constant(ir.I1, 1)
	}
	if w.do&forwards != 0 && class(in.Op) == ir.Reg && w.forward(i, in) {
		return
	}
	if w.writeAll != nil && in.Op == ir.Set && w.need.wide[i] {
		*w.writeAll = append(*w.writeAll, int32(len(w.out.Ops)))
	}
	w.keep(i, *in)
}

// unlikely keeps the op if the block is for the usual case. From here on its mask is known to be empty.
func (w *rewriter) unlikely(i int, in *ir.Inst) {
	if w.do&likely == 0 || w.no(in.Args[0]) {
		return
	}
	w.keep(i, *in)
	m, none := in.Args[0], w.constant(ir.I1, 0)
	w.to[w.old.Ops[i].Args[0]] = none
	w.isZero(m)
}

// isZero notes that a value is 0 in all lanes from here on, and with it values that are 0 because of that.
func (w *rewriter) isZero(v ir.Val) {
	if _, known := w.konst(v); known || int(v) < len(w.equals) && w.equals[v] != gone {
		return
	}
	w.equal(v, w.constant(w.out.Vals[v].Type, 0))
	d := w.def(v)
	switch {
	case d == nil:
	case d.Op == ir.Or:
		args := d.Args
		w.isZero(args[0])
		w.isZero(args[1])
	case d.Op == ir.Cast || d.Op == ir.ZExt:
		w.isZero(d.Args[0])
	case d.Op == ir.Ne:
		switch c, known := w.konst(d.Args[1]); {
		case known && c == 0:
			w.isZero(d.Args[0])
		case known:
			w.equal(d.Args[0], d.Args[1])
		}
	}
}

// equal notes that a value equals a constant from here on.
func (w *rewriter) equal(v, is ir.Val) {
	for len(w.equals) <= int(v) {
		w.equals = append(w.equals, gone)
	}
	w.equals[v] = is
}

// stable replaces the operand v of old op i, from here on, by the value that is expected of it. That it has another one
// becomes an unlikely mask.
func (w *rewriter) stable(i int, v ir.Val) {
	if w.do&likely == 0 || w.guess == nil || !w.out.Vals[v].Wave {
		return
	}
	value, ok := w.guess(i)
	if _, known := w.konst(v); known || !ok {
		return
	}
	t := w.out.Vals[v].Type
	is, other := w.constant(t, value), v
	switch {
	case t != ir.I1:
		other = w.make(ir.Ne, t, v, is)
	case value != 0:
		other = w.make(ir.Not, ir.I1, v)
	}
	w.keep(i, ir.Inst{Op: ir.Unlikely, Args: append(w.room(1)[:0], other)})
	w.to[w.old.Ops[i].Args[0]] = is
	w.equal(v, is)
	w.equal(other, w.constant(ir.I1, 0))
}

// dropEmpty drops old op i, an access, if its mask is empty, or if it is a check that the next access repeats.
func (w *rewriter) dropEmpty(i int, in *ir.Inst) bool {
	if mask, masked := w.out.Mask(in); masked && w.no(mask) && (in.Op != ir.AtomicRMW || in.Mem.Silent()) {
		for k := range ir.Val(in.NRes) {
			w.to[w.old.Ops[i].Res+k] = w.constant(in.Type, 0)
		}
		return true
	}
	return in.Op == ir.Check && w.repeated(i, in)
}

// repeated reports whether the only access after the check in, old op i, in its mark faults where the check does,
// and precedes everything else that an observer may notice.
func (w *rewriter) repeated(i int, in *ir.Inst) bool {
	does, same := ir.Load, false
	if in.Imm == 1 {
		does = ir.Store
	}
	mark := w.old.MarkAt(i)
	quiet := true // nothing so far that an observer may notice
	for k := i + 1; k < len(w.old.Ops) && w.old.MarkAt(k) == mark; k++ {
		next := &w.old.Ops[k]
		switch c := class(next.Op); {
		case c == ir.Memory && same:
			return false
		case c == ir.Memory:
			if same = quiet && next.Op == does && w.alike(in, next); !same {
				return false
			}
		case c != ir.Pure && c != ir.Cross && next.Op != ir.Get:
			quiet = false
		}
	}
	return same
}

// alike reports whether a check, of new values, and an access of the old block access the same memory.
func (w *rewriter) alike(check, x *ir.Inst) bool {
	mask, masked := w.old.Mask(x)
	a, b := check.Mem, x.Mem
	return masked && a.Space == b.Space && a.Bank == b.Bank && a.Align == b.Align && a.Bytes() == b.Bytes() &&
		check.Args[0] == w.to[x.Args[0]] && check.Args[len(check.Args)-1] == w.to[mask]
}

func class(op ir.Op) ir.Class { return op.Info().Class }

// pure copies an op that is a function of its operands.
func (w *rewriter) pure(i int, in *ir.Inst) {
	if r, ok := w.folded(in); ok {
		for k := range ir.Val(in.NRes) {
			w.to[w.old.Ops[i].Res+k] = r[k]
		}
		return
	}
	first := w.number(in)
	for k := range ir.Val(in.NRes) {
		w.to[w.old.Ops[i].Res+k] = first + k
	}
}

// inst returns old op i with its operands as new values.
func (w *rewriter) inst(i int) *ir.Inst {
	w.in = w.old.Ops[i]
	args := w.room(len(w.in.Args))
	for k, a := range w.in.Args {
		v := w.to[a]
		if v != gone && int(v) < len(w.equals) && w.equals[v] != gone {
			v = w.equals[v]
		}
		args[k] = v
	}
	w.in.Args = args
	return &w.in
}

// room returns a new list of n arguments.
func (w *rewriter) room(n int) []ir.Val {
	if cap(w.args)-len(w.args) < n {
		w.args = make([]ir.Val, 0, 2*cap(w.args)+256+n) // earlier ops keep their parts of the old array
	}
	at := len(w.args)
	w.args = w.args[:at+n]
	return w.args[at : at+n : at+n]
}

// emit adds an op to the new block. It panics if the types do not match, which is a bug of the pass.
func (w *rewriter) emit(in ir.Inst) ir.Val {
	at := int32(len(w.out.Ops))
	v, err := w.out.Add(w.m, in)
	if err != nil {
		panic("internal/pass: " + err.Error())
	}
	for range w.out.Ops[at].NRes {
		w.at = append(w.at, at)
	}
	return v
}

// make adds an op of this kind, unless the block has its value already.
func (w *rewriter) make(op ir.Op, t ir.Type, args ...ir.Val) ir.Val {
	return w.makeIn(0, op, t, args...)
}

// makeIn is make for an op with a float mode.
func (w *rewriter) makeIn(m num.Mode, op ir.Op, t ir.Type, args ...ir.Val) ir.Val {
	in := w.another()
	in.Op, in.Type, in.Mode, in.Args = op, t, m, w.room(len(args))
	copy(in.Args, args)
	var v ir.Val
	if r, ok := w.folded(in); ok {
		v = r[0]
	} else {
		v = w.number(in)
	}
	w.deep--
	return v
}

// folded is simplify, if the rewrite folds.
func (w *rewriter) folded(in *ir.Inst) (results, bool) {
	if w.do&folds == 0 {
		return none()
	}
	return w.simplify(in)
}

// another returns an empty op to build a new one in. The caller releases it with w.deep--.
func (w *rewriter) another() *ir.Inst {
	w.deep++
	if w.deep > len(w.more) {
		return new(ir.Inst)
	}
	in := &w.more[w.deep-1]
	*in = ir.Inst{}
	return in
}

// constant makes a constant.
func (w *rewriter) constant(t ir.Type, bits uint64) ir.Val {
	in := w.another()
	in.Op, in.Type, in.Imm = ir.Const, t, bits
	v := w.number(in)
	w.deep--
	return v
}

// keep emits old op i as in, whose results replace the old ones.
func (w *rewriter) keep(i int, in ir.Inst) {
	first := w.emit(in)
	for k := range ir.Val(w.old.Ops[i].NRes) {
		w.to[w.old.Ops[i].Res+k] = first + k
	}
}

// alias replaces the only result of old op i by the new value v.
func (w *rewriter) alias(i int, v ir.Val) { w.to[w.old.Ops[i].Res] = v }

// as returns v as another type of the same width.
func (w *rewriter) as(v ir.Val, t ir.Type) ir.Val {
	if w.out.Vals[v].Type == t {
		return v
	}
	return w.make(ir.Cast, t, v)
}
