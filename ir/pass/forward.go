package pass

import "github.com/heddle-gpu/heddle/ir"

// Forward replaces reads of cells whose contents the block already has as a value: from an earlier read or an
// earlier write. After a write under a mask that is select(mask, new, old), never the new value alone: other
// lanes may be looked at. Where the old contents are unknown the read stays. Writes stay too.
func Forward(m *ir.Machine, b *ir.Block) *ir.Block {
	f := &forwarder{cells: map[ir.Cell]*contents{}}
	return rewrite(m, b, func(w *rewriter, i int) {
		in := w.inst(i)
		switch in.Op {
		case ir.Get:
			if c := f.cells[in.Cell]; c != nil {
				w.alias(i, w.as(w.value(c), in.Type))
				return
			}
			w.keep(i, in)
			f.cells[in.Cell] = &contents{val: w.to[w.old.Ops[i].Res]}
			return
		case ir.Set:
			f.set(w, &in)
		case ir.SetLast:
			delete(f.cells, in.Cell)
		case ir.SetX:
			for c := range f.cells {
				if c.File == in.Cell.File {
					delete(f.cells, c)
				}
			}
		}
		w.keep(i, in)
	})
}

// A forwarder knows the contents of some cells at the present op.
type forwarder struct{ cells map[ir.Cell]*contents }

// Contents are a value, or until somebody asks for it, a write under a mask over older contents.
type contents struct {
	val  ir.Val
	mask ir.Val
	old  *contents // nil: val is all
}

// set notes a write.
func (f *forwarder) set(w *rewriter, in *ir.Inst) {
	mask, masked := w.out.Mask(in)
	if masked {
		if c, ok := w.constant(mask); ok {
			masked = c&1 == 0
		}
	}
	switch old := f.cells[in.Cell]; {
	case !masked:
		f.cells[in.Cell] = &contents{val: in.Args[0]}
	case old != nil:
		f.cells[in.Cell] = &contents{val: in.Args[0], mask: mask, old: old}
	}
}

// value is the contents as one value. It is made once; later askers get the same.
func (w *rewriter) value(c *contents) ir.Val {
	if c.old != nil {
		old := w.value(c.old)
		typ := w.out.Vals[old].Type
		c.val = w.emit(ir.Inst{Op: ir.Select, Type: typ, Args: []ir.Val{c.mask, w.as(c.val, typ), old}})
		c.old = nil
	}
	return c.val
}

// as is v as another type of the same width.
func (w *rewriter) as(v ir.Val, t ir.Type) ir.Val {
	if w.out.Vals[v].Type == t {
		return v
	}
	return w.emit(ir.Inst{Op: ir.Cast, Type: t, Args: []ir.Val{v}})
}

// Optimise is all rewrites, in the order in which they help each other.
func Optimise(m *ir.Machine, b *ir.Block) *ir.Block {
	return Dead(m, Fold(m, Forward(m, Fold(m, b))))
}
