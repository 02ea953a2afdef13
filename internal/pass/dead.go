package pass

import "github.com/heddle-gpu/heddle/ir"

// Dead removes dead ops: pure and cross-lane ops, and reads of cells that cannot fault, whose results are unused. A
// load stays, as it may fault.
func Dead(m *ir.Machine, b *ir.Block) *ir.Block {
	used := make([]bool, len(b.Vals))
	need := &needs{live: make([]bool, len(b.Ops))}
	for i := len(b.Ops) - 1; i >= 0; i-- {
		in := &b.Ops[i]
		live := !removable(m, in)
		for k := range ir.Val(in.NRes) {
			live = live || used[in.Res+k]
		}
		if need.live[i] = live; live {
			for _, a := range in.Args {
				used[a] = true
			}
		}
	}
	return rewrite(m, b, 0, need)
}

// removable reports whether an op may be removed if its results are unused.
func removable(m *ir.Machine, in *ir.Inst) bool {
	switch in.Op {
	case ir.Get, ir.Live, ir.Clock:
		return true
	case ir.GetX:
		return m.Files[in.Cell.File].Range != ir.RangeFault
	}
	c := in.Op.Info().Class
	return c == ir.Pure || c == ir.Cross
}
