package pass

import "github.com/heddle-gpu/heddle/ir"

// Fold computes pure ops whose operands are constants, drops ops that change nothing (or with 0, select of
// equals), turns a register index that is constant and in range into a plain cell, and a branch on a constant
// into a jump.
func Fold(m *ir.Machine, b *ir.Block) *ir.Block {
	return rewrite(m, b, func(w *rewriter, i int) {
		in := w.inst(i)
		switch {
		case in.Op == ir.Const:
		case in.Op.Info().Class == ir.Pure:
			if w.compute(i, in) || w.identity(i, in) {
				return
			}
		case in.Op == ir.GetX || in.Op == ir.SetX:
			w.index(&in)
		case in.Op == ir.Branch:
			if c, ok := w.constant(in.Args[0]); ok {
				to := in.Alt
				if c&1 != 0 {
					to = in.Imm
				}
				in = ir.Inst{Op: ir.Jump, Imm: to}
			}
		}
		w.keep(i, in)
	})
}

// compute replaces the op by its results, if all operands are constants.
func (w *rewriter) compute(i int, in ir.Inst) bool {
	args := make([]uint64, len(in.Args))
	for k, a := range in.Args {
		bits, ok := w.constant(a)
		if !ok {
			return false
		}
		args[k] = bits
	}
	old := &w.old.Ops[i]
	r := [2]uint64{}
	r[0], r[1] = ir.EvalLane(w.out, &in, args)
	for k := range ir.Val(old.NRes) {
		w.to[old.Res+k] = w.emit(ir.Inst{Op: ir.Const, Type: w.old.Vals[old.Res+k].Type, Imm: r[k]})
	}
	return true
}

// neutral is the constant second operand with which an op gives its first.
var neutral = map[ir.Op]func(bits int) uint64{
	ir.IAdd: zero, ir.ISub: zero, ir.Or: zero, ir.Xor: zero,
	ir.Shl: zero, ir.ShrU: zero, ir.ShrS: zero, ir.ShlX: zero, ir.ShrUX: zero, ir.ShrSX: zero, ir.Ror: zero,
	ir.And:  func(bits int) uint64 { return 1<<(bits-1)<<1 - 1 },
	ir.IMul: func(int) uint64 { return 1 },
}

func zero(int) uint64 { return 0 }

// identity lets an operand stand for the result, if they are equal in every lane.
func (w *rewriter) identity(i int, in ir.Inst) bool {
	if in.Op == ir.Select {
		if c, ok := w.constant(in.Args[0]); ok {
			w.alias(i, in.Args[2-c&1])
			return true
		}
		if in.Args[1] == in.Args[2] {
			w.alias(i, in.Args[1])
			return true
		}
	}
	if in.Op == ir.Cast && in.Type == w.out.Vals[in.Args[0]].Type {
		w.alias(i, in.Args[0])
		return true
	}
	f := neutral[in.Op]
	if f == nil || in.Op == ir.IMul && in.Type.Elems() > 1 {
		return false
	}
	n := f(in.Type.Bits())
	if c, ok := w.constant(in.Args[1]); ok && c == n {
		w.alias(i, in.Args[0])
		return true
	}
	if c, ok := w.constant(in.Args[0]); ok && c == n && in.Op.Info().Flags&ir.Commutes != 0 {
		w.alias(i, in.Args[1])
		return true
	}
	return false
}

// index makes a plain access of an indexed one whose index is constant and in range.
func (w *rewriter) index(in *ir.Inst) {
	c, ok := w.constant(in.Args[0])
	at := int64(in.Cell.Index) + int64(int32(c))
	if !ok || at < 0 || at >= int64(w.m.Files[in.Cell.File].Count) {
		return
	}
	in.Cell.Index = uint16(at)
	if in.Op == ir.GetX { // the mask was for indices that fault
		in.Op, in.Args = ir.Get, nil
	} else if _, lanes := w.out.Mask(in); lanes && !w.m.Kind(in.Cell).PerLane() {
		in.Op, in.Args = ir.SetLast, in.Args[1:]
	} else {
		in.Op, in.Args = ir.Set, in.Args[1:]
	}
}
