package pass

import "github.com/heddle-gpu/heddle/ir"

// An identity finds existing values that equal an op's results.
type identity func(w *rewriter, in *ir.Inst) (results, bool)

// identities are the algebraic identities by op; nil means none. They hold for every bit of every lane. Of float
// ops only those that manipulate bits have any, as 0*x, x-x and x+0 depend on x. Arithmetic identities are for
// integers, not for packed types.
var identities = []identity{
	ir.Select:    selectIs,
	ir.Cast:      castIs,
	ir.Not:       undo,
	ir.INeg:      undo,
	ir.FNeg:      undo,
	ir.FAbs:      absIs,
	ir.FFma:      fmaIs,
	ir.FCanon:    canonIs,
	ir.And:       andIs,
	ir.Or:        orIs,
	ir.Xor:       xorIs,
	ir.IAdd:      addIs,
	ir.ISub:      subIs,
	ir.IMul:      mulIs,
	ir.Shl:       shiftIs,
	ir.ShrU:      shiftIs,
	ir.ShrS:      shiftIs,
	ir.Eq:        sameIsTrue,
	ir.ULe:       sameIsTrue,
	ir.SLe:       sameIsTrue,
	ir.Ne:        sameIsFalse,
	ir.ULt:       lessIs,
	ir.SLt:       sameIsFalse,
	ir.Trunc:     resizeIs,
	ir.ZExt:      resizeIs,
	ir.Pack:      packIs,
	ir.Unpack:    unpackIs,
	ir.Extract:   extractIs,
	ir.Ballot:    ballotIs,
	ir.Lanes:     lanesIs,
	ir.Any:       anyIs,
	ir.ReadLane:  uniformIs,
	ir.ReadFirst: uniformIs,
}

func selectIs(w *rewriter, in *ir.Inst) (results, bool) {
	c, yes, no := in.Args[0], in.Args[1], in.Args[2]
	if w.yes(c) || yes == no {
		return one(yes)
	}
	if w.no(c) {
		return one(no)
	}
	if in.Type == ir.I1 && w.yes(yes) && w.no(no) {
		return one(c)
	}
	if w.do&numbers == 0 {
		return none()
	}
	if in.Type == ir.I1 && w.no(yes) && w.yes(no) {
		return one(w.make(ir.Not, ir.I1, c))
	}
	if d, ok := w.is(c, ir.Not); ok {
		return one(w.make(ir.Select, in.Type, d.Args[0], no, yes))
	}
	if d, ok := w.is(yes, ir.Select); ok && d.Args[0] == c {
		return one(w.make(ir.Select, in.Type, c, d.Args[1], no))
	}
	if d, ok := w.is(no, ir.Select); ok && d.Args[0] == c {
		return one(w.make(ir.Select, in.Type, c, yes, d.Args[2]))
	}
	return none()
}

func castIs(w *rewriter, in *ir.Inst) (results, bool) {
	a := in.Args[0]
	if w.out.Vals[a].Type == in.Type {
		return one(a)
	}
	if d, ok := w.is(a, ir.Cast); ok {
		return one(w.as(d.Args[0], in.Type))
	}
	return none()
}

// undo is for an op that is its own inverse.
func undo(w *rewriter, in *ir.Inst) (results, bool) {
	if d, ok := w.is(in.Args[0], in.Op); ok {
		return one(d.Args[0])
	}
	return none()
}

func absIs(w *rewriter, in *ir.Inst) (results, bool) {
	d := w.def(in.Args[0])
	switch {
	case d.Op == ir.FAbs:
		return one(in.Args[0])
	case d.Op == ir.FNeg && w.do&numbers != 0:
		return one(w.make(ir.FAbs, in.Type, d.Args[0]))
	}
	return none()
}

// combineConsts combines op(op(x, c1), c2) into op(x, f(c1, c2)), if f succeeds.
func (w *rewriter) combineConsts(in *ir.Inst, f func(c1, c2 uint64) (uint64, bool)) (results, bool) {
	if w.do&numbers == 0 {
		return none()
	}
	c2, ok := w.konst(in.Args[1])
	if !ok {
		return none()
	}
	d, ok := w.is(in.Args[0], in.Op)
	if !ok {
		return none()
	}
	c1, ok := w.konst(d.Args[1])
	if !ok {
		return none()
	}
	x := d.Args[0]
	if c, ok := f(c1, c2); ok {
		return one(w.make(in.Op, in.Type, x, w.constant(w.out.Vals[in.Args[1]].Type, c)))
	}
	return none()
}

// hasConst reports whether the second operand, or the first of a commutative op, is the constant x.
func (w *rewriter) hasConst(in *ir.Inst, x uint64) bool {
	b, ok := w.konst(in.Args[1])
	if ok && b == x {
		return true
	}
	a, ok := w.konst(in.Args[0])
	return ok && a == x
}

func andIs(w *rewriter, in *ir.Inst) (results, bool) {
	a, b := in.Args[0], in.Args[1]
	if a == b {
		return one(a)
	}
	if w.hasConst(in, 0) {
		return one(w.constant(in.Type, 0))
	}
	for range 2 {
		if d, ok := w.is(b, ir.And); ok && (d.Args[0] == a || d.Args[1] == a) {
			return one(b)
		}
		if d, ok := w.is(b, ir.Not); ok && d.Args[0] == a {
			return one(w.constant(in.Type, 0))
		}
		a, b = b, a
	}
	if c, ok := w.konst(b); ok && in.Type.IsInt() && covering(w.atMost(a))&^c == 0 {
		return one(a)
	}
	return w.combineConsts(in, func(c1, c2 uint64) (uint64, bool) { return c1 & c2, true })
}

func orIs(w *rewriter, in *ir.Inst) (results, bool) {
	if in.Args[0] == in.Args[1] {
		return one(in.Args[0])
	}
	if all := ones(in.Type.Bits()); w.hasConst(in, all) {
		return one(w.constant(in.Type, all))
	}
	return w.combineConsts(in, func(c1, c2 uint64) (uint64, bool) { return c1 | c2, true })
}

func xorIs(w *rewriter, in *ir.Inst) (results, bool) {
	if in.Args[0] == in.Args[1] {
		return one(w.constant(in.Type, 0))
	}
	return w.combineConsts(in, func(c1, c2 uint64) (uint64, bool) { return c1 ^ c2, true })
}

func addIs(w *rewriter, in *ir.Inst) (results, bool) {
	if !in.Type.IsInt() {
		return none()
	}
	return w.combineConsts(in, func(c1, c2 uint64) (uint64, bool) { return (c1 + c2) & ones(in.Type.Bits()), true })
}

// subIs computes x-x, and turns the subtraction of a constant into an addition, as sums combine.
func subIs(w *rewriter, in *ir.Inst) (results, bool) {
	if !in.Type.IsInt() {
		return none()
	}
	if in.Args[0] == in.Args[1] {
		return one(w.constant(in.Type, 0))
	}
	if c, ok := w.konst(in.Args[1]); ok && w.do&numbers != 0 {
		return one(w.make(ir.IAdd, in.Type, in.Args[0], w.constant(in.Type, -c&ones(in.Type.Bits()))))
	}
	return none()
}

func mulIs(w *rewriter, in *ir.Inst) (results, bool) {
	if in.Type.IsInt() && w.hasConst(in, 0) {
		return one(w.constant(in.Type, 0))
	}
	return none()
}

// shiftIs combines shifts by constants whose sum is less than the width.
func shiftIs(w *rewriter, in *ir.Inst) (results, bool) {
	n := uint64(in.Type.Bits())
	if !in.Type.IsInt() {
		return none()
	}
	if a, ok := w.konst(in.Args[0]); ok && a == 0 {
		return one(in.Args[0])
	}
	if c, ok := w.konst(in.Args[1]); ok && in.Op == ir.ShrU && w.atMost(in.Args[0])>>(c%n) == 0 {
		return one(w.constant(in.Type, 0))
	}
	return w.combineConsts(in, func(c1, c2 uint64) (uint64, bool) { return c1%n + c2%n, c1%n+c2%n < n })
}

// sameIsTrue and sameIsFalse are for comparisons of a value with itself.
func sameIsTrue(w *rewriter, in *ir.Inst) (results, bool)  { return sameIs(w, in, 1) }
func sameIsFalse(w *rewriter, in *ir.Inst) (results, bool) { return sameIs(w, in, 0) }

func sameIs(w *rewriter, in *ir.Inst, bit uint64) (results, bool) {
	if in.Type.IsInt() && in.Args[0] == in.Args[1] {
		return one(w.constant(ir.I1, bit))
	}
	return none()
}

func resizeIs(w *rewriter, in *ir.Inst) (results, bool) {
	d := w.def(in.Args[0])
	switch {
	case d.Op == in.Op:
		return one(w.make(in.Op, in.Type, d.Args[0]))
	case in.Op == ir.Trunc && (d.Op == ir.ZExt || d.Op == ir.SExt):
		if a := d.Args[0]; w.out.Vals[a].Type == in.Type {
			return one(a)
		}
	}
	return none()
}

// packIs removes a pack of an unpack, and replaces a pack with a zero high half by a zero-extension.
func packIs(w *rewriter, in *ir.Inst) (results, bool) {
	lo, hi := in.Args[0], in.Args[1]
	if d, ok := w.is(lo, ir.Unpack); ok && d.Res == lo && hi == lo+1 {
		return one(w.as(d.Args[0], in.Type))
	}
	if h, ok := w.konst(hi); ok && h == 0 && in.Type.IsInt() && w.out.Vals[lo].Type.IsInt() && w.do&numbers != 0 {
		return one(w.make(ir.ZExt, in.Type, lo))
	}
	return none()
}

func unpackIs(w *rewriter, in *ir.Inst) (results, bool) {
	a := in.Args[0]
	for {
		d, ok := w.is(a, ir.Cast)
		if !ok {
			break
		}
		a = d.Args[0]
	}
	switch d := w.def(a); d.Op {
	case ir.Pack:
		lo, hi := d.Args[0], d.Args[1]
		return results{w.as(lo, in.Type), w.as(hi, in.Type)}, true
	case ir.ZExt:
		if lo := d.Args[0]; w.out.Vals[lo].Type.Bits() == in.Type.Bits() {
			return results{w.as(lo, in.Type), w.constant(in.Type, 0)}, true
		}
	case ir.Shl, ir.ShrU, ir.ShrS:
		if in.Type == ir.I32 && d.Type == ir.I64 && w.do&numbers != 0 && !w.out.Vals[a].Wave {
			return w.shiftedHalves(d)
		}
	}
	return none()
}

// extractIs returns the half of a pack.
func extractIs(w *rewriter, in *ir.Inst) (results, bool) {
	d := w.def(in.Args[0])
	n := in.Type.Bits()
	switch {
	case d.Op == ir.Pack && d.Type.Bits() == 2*n && in.Imm == 0:
		return one(w.as(d.Args[0], in.Type))
	case d.Op == ir.Pack && d.Type.Bits() == 2*n && in.Imm == uint64(n):
		return one(w.as(d.Args[1], in.Type))
	case in.Imm == 0 && w.out.Vals[in.Args[0]].Type.Bits() == n:
		return one(w.as(in.Args[0], in.Type))
	}
	return none()
}

// ballotIs removes a ballot of lanes, if no bit beyond the wave was lost.
func ballotIs(w *rewriter, in *ir.Inst) (results, bool) {
	if d, ok := w.is(in.Args[0], ir.Lanes); ok && w.yes(in.Args[1]) && w.within(d.Args[0], deep) {
		return one(d.Args[0])
	}
	return none()
}

func lanesIs(w *rewriter, in *ir.Inst) (results, bool) {
	d, ok := w.is(in.Args[0], ir.Ballot)
	if !ok {
		return none()
	}
	a, mask := d.Args[0], d.Args[1]
	if w.yes(mask) {
		return one(a)
	}
	if w.do&numbers != 0 {
		return one(w.make(ir.And, ir.I1, a, mask))
	}
	return none()
}

// anyIs tests the word that a mask comes from.
func anyIs(w *rewriter, in *ir.Inst) (results, bool) {
	if d, ok := w.is(in.Args[0], ir.Lanes); ok && w.yes(in.Args[1]) && w.within(d.Args[0], deep) && w.do&numbers != 0 {
		return one(w.make(ir.Ne, ir.I64, d.Args[0], w.constant(ir.I64, 0)))
	}
	return none()
}

// uniformIs is for reads of one lane of a value that is the same in all lanes.
func uniformIs(w *rewriter, in *ir.Inst) (results, bool) {
	if w.out.Vals[in.Args[0]].Wave {
		return one(in.Args[0])
	}
	return none()
}
