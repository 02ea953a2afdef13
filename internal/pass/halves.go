package pass

import "github.com/heddle-gpu/heddle/ir"

// shiftedHalves returns the halves of a 64-bit value that is packed from halves and shifted by a constant, computed
// from the halves. Per-lane values are stored as halves, and packing and unpacking them costs more than the shift.
func (w *rewriter) shiftedHalves(d *ir.Inst) (results, bool) {
	op, count := d.Op, d.Args[1]
	n, known := w.konst(count)
	p, packed := w.is(d.Args[0], ir.Pack)
	if !known || !packed || w.out.Vals[p.Args[0]].Type != ir.I32 || w.out.Vals[p.Args[1]].Type != ir.I32 {
		return none()
	}
	lo, hi := p.Args[0], p.Args[1]
	n %= 64
	if n == 0 {
		return results{lo, hi}, true
	}
	if op == ir.Shl {
		return results{w.lowShifted(lo, n), w.highShifted(lo, hi, n)}, true
	}
	if n >= 32 {
		return results{w.by(op, hi, n-32), w.above(op, hi)}, true
	}
	return results{w.funnelled(lo, hi, n), w.by(op, hi, n)}, true
}

// lowShifted and highShifted return the halves of lo and hi shifted left by n, from 1 to 63.
func (w *rewriter) lowShifted(lo ir.Val, n uint64) ir.Val {
	if n >= 32 {
		return w.constant(ir.I32, 0)
	}
	return w.by(ir.Shl, lo, n)
}

func (w *rewriter) highShifted(lo, hi ir.Val, n uint64) ir.Val {
	if n >= 32 {
		return w.by(ir.Shl, lo, n-32)
	}
	if s, ok := w.is(hi, ir.ShrS); ok && s.Args[0] == lo {
		if k, ok := w.konst(s.Args[1]); ok && k%32 == 31 {
			return w.by(ir.ShrS, lo, 32-n)
		}
	}
	return w.funnelled(lo, hi, 32-n)
}

// by returns a shifted by n, less than 32.
func (w *rewriter) by(op ir.Op, a ir.Val, n uint64) ir.Val {
	if n == 0 {
		return a
	}
	return w.make(op, ir.I32, a, w.constant(ir.I32, n))
}

// above returns the word that a right shift moves in from above: zeros or signs.
func (w *rewriter) above(op ir.Op, hi ir.Val) ir.Val {
	if op == ir.ShrU {
		return w.constant(ir.I32, 0)
	}
	return w.by(ir.ShrS, hi, 31)
}

// funnelled returns the low half of lo and hi shifted right by n, from 1 to 31.
func (w *rewriter) funnelled(lo, hi ir.Val, n uint64) ir.Val {
	return w.make(ir.FShr, ir.I32, hi, lo, w.constant(ir.I32, n))
}
