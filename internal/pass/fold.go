package pass

import "github.com/heddle-gpu/heddle/ir"

// Fold folds constants: it computes pure ops with constant operands, removes ops that have no effect on the value
// (such as adding 0, or select with equal operands), turns a constant register index in range into a plain cell,
// and a branch on a constant into a jump.
func Fold(m *ir.Machine, b *ir.Block) *ir.Block { return rewrite(m, b, folds, nil) }

// results are values that replace the results of a pure op.
type results [2]ir.Val

// simplify returns existing values that equal the op's results.
func (w *rewriter) simplify(in *ir.Inst) (results, bool) {
	if in.Op == ir.Const {
		return results{}, false
	}
	if r, ok := w.compute(in); ok {
		return r, true
	}
	if w.do&numbers != 0 {
		w.order(in)
	}
	if int(in.Op) < len(w.known) && w.known[in.Op] != nil {
		if r, ok := w.known[in.Op](w, in); ok {
			return r, true
		}
	}
	if t := in.Type; t.Elem().IsInt() && (t.Elems() == 1 || in.Op != ir.IMul) {
		if v, ok := w.neutral(in); ok {
			return one(v)
		}
	}
	return results{}, false
}

func one(v ir.Val) (results, bool) { return results{v, gone}, true }
func none() (results, bool)        { return results{}, false }

// compute returns the op's results, if all operands are constants.
func (w *rewriter) compute(in *ir.Inst) (results, bool) {
	if class(in.Op) != ir.Pure || len(in.Args) > len(w.bits) {
		return none()
	}
	for k, a := range in.Args {
		bits, ok := w.konst(a)
		if !ok {
			return none()
		}
		w.bits[k] = bits
	}
	_, res := in.Op.Slots()
	r0, r1 := ir.EvalLane(w.out, in, w.bits[:len(in.Args)])
	r := results{w.constant(res[0].Of(in.Type, ir.NoType), r0), gone}
	if len(res) > 1 {
		r[1] = w.constant(res[1].Of(in.Type, ir.NoType), r1)
	}
	return r, true
}

// order puts the operands of a commutative op into a canonical order, constants last, so that equal ops look equal.
// Float ops are left alone, because the order decides which of two NaNs results.
func (w *rewriter) order(in *ir.Inst) {
	if f := in.Op.Info().Flags; f&ir.Commutes == 0 || f&ir.HasMode != 0 {
		return
	}
	a, b := in.Args[0], in.Args[1]
	_, ka := w.konst(a)
	_, kb := w.konst(b)
	if ka && !kb || ka == kb && a > b {
		in.Args[0], in.Args[1] = b, a
	}
}

// neutrals are the constant second operands for which an integer op returns its first.
var neutrals = [...]struct {
	op ir.Op
	of func(bits int) uint64
}{
	{ir.IAdd, zero}, {ir.ISub, zero}, {ir.Or, zero}, {ir.Xor, zero}, {ir.Shl, zero}, {ir.ShrU, zero}, {ir.ShrS, zero},
	{ir.ShlX, zero}, {ir.ShrUX, zero}, {ir.ShrSX, zero}, {ir.Ror, zero}, {ir.And, ones}, {ir.IMul, func(int) uint64 { return 1 }},
	{ir.UMax, zero}, {ir.UMin, ones}, {ir.UAddSat, zero}, {ir.USubSat, zero},
}

func zero(int) uint64      { return 0 }
func ones(bits int) uint64 { return 1<<(bits-1)<<1 - 1 }

// neutral returns an operand that equals the result, if the other operand is neutral.
func (w *rewriter) neutral(in *ir.Inst) (ir.Val, bool) {
	if len(in.Args) != 2 {
		return 0, false
	}
	a, ka := w.konst(in.Args[0])
	b, kb := w.konst(in.Args[1])
	ka = ka && in.Op.Info().Flags&ir.Commutes != 0
	if !ka && !kb {
		return 0, false
	}
	for i := range neutrals {
		if neutrals[i].op != in.Op {
			continue
		}
		n := neutrals[i].of(in.Type.Bits())
		if kb && b == n {
			return in.Args[0], true
		}
		if ka && a == n {
			return in.Args[1], true
		}
	}
	return 0, false
}

// index turns an indexed access whose index is constant and in range into a plain access.
func (w *rewriter) index(in *ir.Inst) {
	c, ok := w.konst(in.Args[0])
	at := int64(in.Cell.Index) + int64(int32(c))
	if !ok || at < 0 || at >= int64(w.m.Files[in.Cell.File].Count) {
		return
	}
	in.Cell.Index = uint16(at)
	if in.Op == ir.GetX { // the mask is only for indices that fault
		in.Op, in.Args = ir.Get, nil
	} else if _, lanes := w.out.Mask(in); lanes && !w.m.Kind(in.Cell).PerLane() {
		in.Op, in.Args = ir.SetLast, in.Args[1:]
	} else {
		in.Op, in.Args = ir.Set, in.Args[1:]
	}
}

// branch turns a branch on a constant into a jump, and removes a negation by swapping the targets.
func (w *rewriter) branch(in *ir.Inst) {
	if c, ok := w.konst(in.Args[0]); ok {
		to := in.Alt
		if c&1 != 0 {
			to = in.Imm
		}
		*in = ir.Inst{Op: ir.Jump, Imm: to}
		return
	}
	if d, ok := w.is(in.Args[0], ir.Not); ok && w.do&numbers != 0 {
		in.Args[0], in.Imm, in.Alt = d.Args[0], in.Alt, in.Imm
	}
}
