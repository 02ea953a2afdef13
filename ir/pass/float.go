package pass

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// fmaIs is the product, where -0 is added to it: a zero keeps its sign then, unless rounding is down. A sum of zeros is what some instruction
// sets have for products.
func fmaIs(w *rewriter, in *ir.Inst) (results, bool) {
	c, ok := w.konst(in.Args[2])
	if !ok || w.do&numbers == 0 || in.Type.Elems() != 1 || c != 1<<(in.Type.Bits()-1) || in.Mode.Round() == num.RDown {
		return none()
	}
	return one(w.makeIn(in.Mode, ir.FMul, in.Type, in.Args[0], in.Args[1]))
}

// canonIs is an operand that has the denormals and NaNs of the mode already.
func canonIs(w *rewriter, in *ir.Inst) (results, bool) {
	d := w.def(in.Args[0])
	if d.Mode != in.Mode || d.Type != in.Type {
		return none()
	}
	switch d.Op {
	case ir.FCanon, ir.FAdd, ir.FSub, ir.FMul, ir.FFma:
		if in.Mode.Has(num.FlushOut) || !in.Mode.Has(num.FlushIn) { // else a result may be what is flushed as an operand
			return one(in.Args[0])
		}
	case ir.FMinNum, ir.FMaxNum: // of one number at least they are no NaN, unless it is a signalling one that makes it so
		for _, a := range d.Args {
			if x, ok := w.konst(a); ok && in.Type.Elems() == 1 && num.FUnord(in.Type.Bits(), in.Mode, x, x) == 0 {
				return one(in.Args[0])
			}
		}
	}
	return none()
}
