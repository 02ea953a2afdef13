package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// atomicRMW executes an atomic lane by lane, in ascending order.
func atomicRMW(r *runner, o *op) bool {
	m, x := r.mask(o.mask), o.more
	a, res := &x.access, x.res[0]
	if m != 0 && (res.Kind != lower.InRow && res.Kind != lower.InVec || !r.locate(x, m, mem.ReadWrite)) {
		return runGeneric(r, o)
	}
	if m != 0 {
		r.touch(a, m, mem.ReadWrite)
		r.atomicLanes(x, res)
	}
	for rest := r.full &^ m; rest != 0; rest &= rest - 1 {
		r.set(res, bits.TrailingZeros64(rest), 0)
	}
	n := bits.OnesCount64(m)
	r.traffic(a).Atomics += uint64(n)
	r.countRead(a, n)
	r.countWritten(a, n)
	return true
}

// atomicLanes updates the memory at the addresses of the lanes. The result may be where operands are.
func (r *runner) atomicLanes(x *extra, res lower.Place) {
	to, a := &r.reach, &x.access
	size, apply := uint64(a.mem.Elem), mem.AtomicOp(a.mem.Atomic)
	two := len(x.args) > 3 // the mask is the last
	for i := range to.n {
		lane, off := int(to.lane[i&63]&63), to.off[i&63]
		data, cmp := r.value(x.args[1], lane), uint64(0)
		if two {
			cmp = r.value(x.args[2], lane)
		}
		w := to.data[off : off+size]
		if a.mem.Space != ir.GroupSpace {
			r.set(res, lane, mem.Atomic(w, apply, data, cmp))
			continue
		}
		old := mem.Load(w)
		mem.Store(w, apply.Apply(8*int(size), old, data, cmp))
		r.set(res, lane, old)
	}
}

// set writes a value in a lane.
func (r *runner) set(p lower.Place, lane int, v uint64) {
	if p.Kind == lower.InVec {
		r.vecs[p.At][lane&63] = v
	} else {
		r.row(p.At)[lane&63] = uint32(v)
	}
}
