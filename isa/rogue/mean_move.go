package rogue

import "github.com/heddle-gpu/heddle/isa"

// movw moves bytes of a feed-through into w0, and another into w1. docs/reference/rogue.md 5.3.
func movw(l *isa.Lift) {
	st := data(l)
	st.move(l, V{})
}

// move is a move where a condition holds; none: always.
func (st *state) move(l *isa.Lift, cond V) {
	in := l.In
	bytes := uint64(15)
	if in.Has(nameMask) {
		bytes = in.Get(nameMask)
	}
	w0, w1 := st.output(l, 0), V{}
	if bytes != 0 {
		to := merge(l, w0, st.feed(l, in.Get(nameMov0)), bytes)
		if cond.Valid() {
			to = cond.Select(to, w0)
		}
		w0 = to
	}
	if st.rt.has[1] || st.rt.reads&readW1 != 0 {
		w1 = st.feed(l, in.Get(nameMov1))
		if cond.Valid() {
			w1 = cond.Select(w1, st.output(l, 1))
		}
	}
	st.w = [2]V{w0, w1}
}

// merge is old with the bytes of v that the mask names.
func merge(l *isa.Lift, old, v V, bytes uint64) V {
	if bytes == 15 {
		return v
	}
	var m uint32
	for e := range 4 {
		if bytes>>e&1 != 0 {
			m |= 0xff << (8 * e)
		}
	}
	return v.And(l.I32(m)).Or(old.And(l.I32(^m)))
}

func endTask(l *isa.Lift) { data(l).ends = true }
