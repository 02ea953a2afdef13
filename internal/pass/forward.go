package pass

import "github.com/heddle-gpu/heddle/ir"

// Forward replaces reads of cells whose contents are known as values, from an earlier read or write in the block.
// After a write under a mask the value is select(mask, new, old), never the new value alone, as other lanes may be
// read. If the old contents are unknown the read stays. Writes stay too.
func Forward(m *ir.Machine, b *ir.Block) *ir.Block { return rewrite(m, b, forwards, nil) }

// contents is what is known of cells at the current op.
type contents struct {
	index CellSet // maps cells to indices
	head  []int32 // per cell: index in known, or -1
	known []content
}

// A content is a value, or a write under a mask on top of older contents, which is made a value on demand.
type content struct {
	val  ir.Val
	mask ir.Val // gone: val is the content of all lanes
	old  int32  // index of the contents in lanes outside the mask; -1: unknown
}

func (c *contents) init(m *ir.Machine) {
	c.index = CellSet{m: m}
	c.head, c.known = resize(c.head, cells(m)), c.known[:0]
	for i := range c.head {
		c.head[i] = -1
	}
}

func (c *contents) of(cell ir.Cell) *int32 { return &c.head[c.index.index(cell)] }

func (c *contents) put(cell ir.Cell, x content) {
	*c.of(cell) = int32(len(c.known))
	c.known = append(c.known, x)
}

// forward handles an op on cells; true if the op is to be dropped.
func (w *rewriter) forward(i int, in *ir.Inst) bool {
	switch in.Op {
	case ir.Get:
		if v, ok := w.read(i, *w.cells.of(in.Cell)); ok {
			w.alias(i, w.as(v, in.Type))
			return true
		}
		w.keep(i, *in)
		w.cells.put(in.Cell, content{val: w.to[w.old.Ops[i].Res], mask: gone, old: -1})
		return true
	case ir.Set:
		return w.write(in)
	case ir.SetLast:
		*w.cells.of(in.Cell) = -1
	case ir.SetX:
		first := w.cells.index.index(ir.Cell{File: in.Cell.File})
		for k := range w.m.Files[in.Cell.File].Count {
			w.cells.head[first+k] = -1
		}
	}
	return false
}

// write records a write; true if the cell has the value already.
func (w *rewriter) write(in *ir.Inst) bool {
	mask, masked := w.out.Mask(in)
	masked = masked && !w.yes(mask)
	head := *w.cells.of(in.Cell)
	if masked && w.do&folds != 0 && w.no(mask) {
		return true
	}
	if w.do&numbers != 0 && head >= 0 {
		c := &w.cells.known[head]
		if c.val == in.Args[0] && (c.mask == gone || masked && w.sub(mask, c.mask)) {
			return true
		}
	}
	if !masked {
		w.cells.put(in.Cell, content{val: in.Args[0], mask: gone, old: -1})
	} else {
		w.cells.put(in.Cell, content{val: in.Args[0], mask: mask, old: head})
	}
	return false
}

// read returns contents c as one value, as far as they are needed by the read that is old op i; false if they are
// not known in all those lanes.
func (w *rewriter) read(i int, c int32) (ir.Val, bool) {
	if w.need != nil && w.need.of != nil {
		if d := w.need.of[w.old.Ops[i].Res]; d >= 0 && w.to[d] != gone {
			d = w.to[d]
			for ; c >= 0 && w.cells.known[c].mask != gone; c = w.cells.known[c].old {
				if w.sub(d, w.cells.known[c].mask) {
					return w.cells.known[c].val, true
				}
				if !w.disjoint(d, w.cells.known[c].mask) {
					break
				}
			}
		}
	}
	if !w.cells.whole(c) {
		return 0, false
	}
	return w.value(c), true
}

// whole reports whether contents c are known in all lanes.
func (c *contents) whole(i int32) bool {
	for i >= 0 && c.known[i].mask != gone {
		i = c.known[i].old
	}
	return i >= 0
}

// value returns whole contents as one value. It is made once and then reused.
func (w *rewriter) value(i int32) ir.Val {
	if c := w.cells.known[i]; c.mask != gone {
		old := w.value(c.old)
		typ := w.out.Vals[old].Type
		v := w.make(ir.Select, typ, c.mask, w.as(c.val, typ), old)
		w.cells.known[i] = content{val: v, mask: gone, old: -1}
	}
	return w.cells.known[i].val
}
