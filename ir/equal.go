package ir

import "slices"

// Equal reports whether two blocks are the same, op by op; it does not tell a nil list from an empty one.
func (b *Block) Equal(c *Block) bool {
	same := func(x, y Inst) bool {
		return slices.Equal(x.Args, y.Args) && x.Op == y.Op && x.Type == y.Type && x.Wave == y.Wave && x.Mem == y.Mem && x.Tex == y.Tex && x.Cell == y.Cell &&
			x.Mode == y.Mode && x.Res == y.Res && x.NRes == y.NRes && x.Imm == y.Imm && x.Alt == y.Alt
	}
	return b.Key == c.Key && b.Next == c.Next && b.Why == c.Why && slices.Equal(b.Marks, c.Marks) && slices.Equal(b.Vals, c.Vals) &&
		slices.EqualFunc(b.Ops, c.Ops, same)
}
