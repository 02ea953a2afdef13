package ir

import "slices"

// Same reports whether two ops do the same with the same operands, however their results are numbered.
func (in *Inst) Same(o *Inst) bool {
	return in.Op == o.Op && in.Type == o.Type && in.Imm == o.Imm && slices.Equal(in.Args, o.Args) && in.Wave == o.Wave && in.Mode == o.Mode &&
		in.Mem == o.Mem && in.Img == o.Img && in.IO == o.IO && in.Cell == o.Cell && in.Alt == o.Alt && in.NRes == o.NRes
}

// Equal reports whether two blocks are the same, op by op. A nil list equals an empty one.
func (b *Block) Equal(c *Block) bool {
	return b.Key == c.Key && b.Next == c.Next && b.Why == c.Why && b.Serial == c.Serial && slices.Equal(b.Marks, c.Marks) && slices.Equal(b.Vals, c.Vals) &&
		slices.EqualFunc(b.Ops, c.Ops, func(x, y Inst) bool {
			if x.Op == Issue && y.Op == Issue && b.sameTouched(&x, c, &y) {
				y.Alt = x.Alt
			}
			return x.Res == y.Res && x.Same(&y)
		})
}

// sameTouched compares the cells of two issue ops, whose indices in their blocks' lists may differ.
func (b *Block) sameTouched(x *Inst, c *Block, y *Inst) bool {
	xw, xr := b.Touched(x)
	yw, yr := c.Touched(y)
	return slices.Equal(xw, yw) && slices.Equal(xr, yr)
}
