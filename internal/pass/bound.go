package pass

import (
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
)

// maxBoundDepth is how many definitions a bound is derived from at most, one from the other.
const maxBoundDepth = 8

// atMost returns an upper bound of an unsigned integer, in all lanes.
func (d *defs) atMost(v ir.Val) uint64 { return d.bound(v, maxBoundDepth) }

func (d *defs) bound(v ir.Val, depth int) uint64 {
	in, t := d.def(v), d.b.Vals[v].Type
	all := ones(t.Bits())
	if depth == 0 || in.NRes != 1 || !t.IsInt() {
		return all
	}
	if in.Op == ir.Const {
		return in.Imm
	}
	if int(in.Op) < len(bounds) && bounds[in.Op] != nil {
		return min(all, bounds[in.Op](d, in, func(i int) uint64 { return d.bound(in.Args[i], depth-1) }))
	}
	return all
}

// bounds derive the bound of an op's result from those of its operands. They saturate.
var bounds = [...]func(d *defs, in *ir.Inst, of func(i int) uint64) uint64{
	ir.LaneID: func(*defs, *ir.Inst, func(int) uint64) uint64 { return ir.MaxLanes - 1 },
	ir.ZExt:   func(_ *defs, _ *ir.Inst, of func(int) uint64) uint64 { return of(0) },
	ir.And:    func(_ *defs, _ *ir.Inst, of func(int) uint64) uint64 { return min(of(0), of(1)) },
	ir.Or:     func(_ *defs, _ *ir.Inst, of func(int) uint64) uint64 { return covering(of(0) | of(1)) },
	ir.UMin:   func(_ *defs, _ *ir.Inst, of func(int) uint64) uint64 { return min(of(0), of(1)) },
	ir.Select: func(_ *defs, _ *ir.Inst, of func(int) uint64) uint64 { return max(of(1), of(2)) },
	ir.IAdd: func(_ *defs, _ *ir.Inst, of func(int) uint64) uint64 {
		sum, carry := bits.Add64(of(0), of(1), 0)
		return sum | -carry
	},
	ir.IMul: func(_ *defs, _ *ir.Inst, of func(int) uint64) uint64 {
		high, low := bits.Mul64(of(0), of(1))
		if high != 0 {
			return math.MaxUint64
		}
		return low
	},
	ir.Shl: func(d *defs, in *ir.Inst, of func(int) uint64) uint64 {
		n, ok := d.konst(in.Args[1])
		x := of(0)
		if n %= uint64(in.Type.Bits()); !ok || bits.Len64(x)+int(n) > 64 {
			return math.MaxUint64
		}
		return x << n
	},
	ir.ShrU: func(d *defs, in *ir.Inst, of func(int) uint64) uint64 {
		if n, ok := d.konst(in.Args[1]); ok {
			return of(0) >> (n % uint64(in.Type.Bits()))
		}
		return of(0)
	},
	ir.Pack: func(d *defs, in *ir.Inst, of func(int) uint64) uint64 {
		n := d.b.Vals[in.Args[0]].Type.Bits()
		if of(1) == 0 {
			return of(0)
		}
		return of(1)<<n | ones(n)
	},
}

// covering returns ones from the highest bit of x down.
func covering(x uint64) uint64 { return 1<<bits.Len64(x) - 1 }

// lessIs is for unsigned comparisons: all values that a has are less than b.
func lessIs(w *rewriter, in *ir.Inst) (results, bool) {
	if b, ok := w.konst(in.Args[1]); ok && w.out.Vals[in.Args[0]].Type.IsInt() && w.atMost(in.Args[0]) < b {
		return one(w.constant(ir.I1, 1))
	}
	return sameIsFalse(w, in)
}
