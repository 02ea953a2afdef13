package rogue

import "github.com/heddle-gpu/heddle/isa"

// movw moves bytes of one feed-through into w0, and another feed-through into w1. docs/reference/rogue.md 5.3.
func movw(l *isa.Lift) {
	st := data(l)
	st.move(l, V{})
}

// move is a move under a condition; without one it always moves.
func (st *state) move(l *isa.Lift, cond V) {
	in := l.In
	w := st.w
	switch bytes := movedBytes(in); {
	case !st.writes(0) || bytes == 0:
	case bytes == allBytes && !cond.Valid():
		w[0] = st.feed(l, in.Get(nameMov0))
	default:
		old := st.output(l, 0)
		w[0] = merge(l, old, st.feed(l, in.Get(nameMov0)), bytes)
		if cond.Valid() {
			w[0] = cond.Select(w[0], old)
		}
	}
	if st.writes(1) {
		w[1] = st.feed(l, in.Get(nameMov1))
		if cond.Valid() {
			w[1] = cond.Select(w[1], st.output(l, 1))
		}
	}
	st.w = w
}

// writes reports whether the group writes w0 (w1 for i = 1), or one of its instructions reads it.
func (st *state) writes(i int) bool {
	return st.rt.has[i] || st.rt.reads&[...]reads{readW0, readW1}[i] != 0
}

// allBytes is the mask of all bytes of a word.
const allBytes = 15

// movedBytes is the mask of the bytes of w0 that a move writes.
func movedBytes(in *isa.Inst) uint64 {
	if in.Has(nameMask) {
		return in.Get(nameMask)
	}
	return allBytes
}

// merge is old with the bytes of v that the mask names.
func merge(l *isa.Lift, old, v V, bytes uint64) V {
	if bytes == allBytes {
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
