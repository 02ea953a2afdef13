package pass

import "github.com/heddle-gpu/heddle/ir"

// deep is how far the queries below follow the operands of masks.
const deep = 6

// sub reports whether mask a is known to be a subset of mask b.
func (d *defs) sub(a, b ir.Val) bool { return d.subset(a, b, deep) }

func (d *defs) subset(a, b ir.Val, depth int) bool {
	if a == b {
		return true
	}
	if depth == 0 || a < 0 || b < 0 {
		return false
	}
	da, db := d.def(a), d.def(b)
	depth--
	switch {
	case da.Op == ir.Const && da.Imm&1 == 0, db.Op == ir.Const && db.Imm&1 == 1:
		return true
	case da.Op == ir.And && (d.subset(da.Args[0], b, depth) || d.subset(da.Args[1], b, depth)):
		return true
	case da.Op == ir.Or && d.subset(da.Args[0], b, depth) && d.subset(da.Args[1], b, depth):
		return true
	case da.Op == ir.Lanes && d.bitsIn(da.Args[0], b, depth):
		return true
	case db.Op == ir.Or:
		return d.subset(a, db.Args[0], depth) || d.subset(a, db.Args[1], depth)
	case db.Op == ir.And:
		return d.subset(a, db.Args[0], depth) && d.subset(a, db.Args[1], depth)
	case db.Op == ir.Lanes:
		return d.bitsHave(db.Args[0], a, depth)
	}
	return false
}

// bitsIn reports whether every bit of the word x is known to be a lane of the mask.
func (d *defs) bitsIn(x, mask ir.Val, depth int) bool {
	if depth == 0 {
		return false
	}
	depth--
	switch in := d.def(x); in.Op {
	case ir.Ballot:
		return d.subset(in.Args[0], mask, depth) || d.subset(in.Args[1], mask, depth)
	case ir.And:
		return d.bitsIn(in.Args[0], mask, depth) || d.bitsIn(in.Args[1], mask, depth)
	case ir.Or:
		return d.bitsIn(in.Args[0], mask, depth) && d.bitsIn(in.Args[1], mask, depth)
	case ir.Const:
		return in.Imm == 0
	}
	return false
}

// bitsHave reports whether the word x is known to have a bit for every lane of the mask.
func (d *defs) bitsHave(x, mask ir.Val, depth int) bool {
	if depth == 0 {
		return false
	}
	depth--
	switch in := d.def(x); in.Op {
	case ir.Ballot:
		return d.subset(mask, in.Args[0], depth) && d.subset(mask, in.Args[1], depth)
	case ir.Or:
		return d.bitsHave(in.Args[0], mask, depth) || d.bitsHave(in.Args[1], mask, depth)
	case ir.And:
		return d.bitsHave(in.Args[0], mask, depth) && d.bitsHave(in.Args[1], mask, depth)
	case ir.Const:
		return in.Imm == ^uint64(0)
	}
	return false
}

// disjoint reports whether masks a and b are known to have no lane in common: one is a subset of the complement of
// the other.
func (d *defs) disjoint(a, b ir.Val) bool { return d.excludes(a, b, deep) || d.excludes(b, a, deep) }

func (d *defs) excludes(a, b ir.Val, depth int) bool {
	if depth == 0 || a < 0 || b < 0 {
		return false
	}
	switch in := d.def(a); in.Op {
	case ir.Not:
		return d.subset(b, in.Args[0], depth-1)
	case ir.And:
		return d.excludes(in.Args[0], b, depth-1) || d.excludes(in.Args[1], b, depth-1)
	case ir.Const:
		return in.Imm&1 == 0
	}
	return false
}

// within reports whether the word x is known to have no bit beyond the lanes of the wave.
func (d *defs) within(x ir.Val, depth int) bool {
	if depth == 0 {
		return false
	}
	depth--
	switch in := d.def(x); in.Op {
	case ir.Ballot:
		return true
	case ir.And:
		return d.within(in.Args[0], depth) || d.within(in.Args[1], depth)
	case ir.Or, ir.Xor:
		return d.within(in.Args[0], depth) && d.within(in.Args[1], depth)
	case ir.Const:
		return in.Imm == 0
	}
	return false
}
