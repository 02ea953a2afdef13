package pass

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// fmaIs simplifies a product plus -0 to the product: the sum keeps the sign of a zero product, unless rounding is
// down. Some instruction sets express products as such sums.
func fmaIs(w *rewriter, in *ir.Inst) (results, bool) {
	c, ok := w.konst(in.Args[2])
	if !ok || w.do&numbers == 0 || in.Type.Elems() != 1 || c != 1<<(in.Type.Bits()-1) || in.Mode.Round() == num.RDown {
		return none()
	}
	return one(w.makeIn(in.Mode, ir.FMul, in.Type, in.Args[0], in.Args[1]))
}

// canonIs simplifies to the operand if its denormals and NaNs already follow the mode.
func canonIs(w *rewriter, in *ir.Inst) (results, bool) {
	d := w.def(in.Args[0])
	if d.Mode != in.Mode || d.Type != in.Type {
		return none()
	}
	switch d.Op {
	case ir.FCanon, ir.FAdd, ir.FSub, ir.FMul, ir.FFma:
		if in.Mode.Has(num.FlushOut) || !in.Mode.Has(num.FlushIn) { // otherwise a result may be a denormal that is flushed as an operand
			return one(in.Args[0])
		}
	case ir.FMinNum, ir.FMaxNum: // if one operand is a number the result is no NaN, unless the mode lets a signalling NaN through
		for _, a := range d.Args {
			if x, ok := w.konst(a); ok && in.Type.Elems() == 1 && num.FUnord(in.Type.Bits(), in.Mode, x, x) == 0 {
				return one(in.Args[0])
			}
		}
	}
	return none()
}
