package pass

import "github.com/heddle-gpu/heddle/ir"

// Dead drops ops whose results nobody uses: pure and cross-lane ops and reads of cells that cannot fault.
// A load stays, as it may fault.
func Dead(m *ir.Machine, b *ir.Block) *ir.Block {
	used := make([]bool, len(b.Vals))
	live := make([]bool, len(b.Ops))
	for i := len(b.Ops) - 1; i >= 0; i-- {
		in := &b.Ops[i]
		live[i] = !removable(m, in)
		for k := range ir.Val(in.NRes) {
			live[i] = live[i] || used[in.Res+k]
		}
		if live[i] {
			for _, a := range in.Args {
				used[a] = true
			}
		}
	}
	return rewrite(m, b, func(w *rewriter, i int) {
		if live[i] {
			w.keep(i, w.inst(i))
		}
	})
}

// removable reports whether an op may go if its results are not used.
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
