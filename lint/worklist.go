package lint

import "math/bits"

// A worklist is blocks to be visited. They are taken in the order of analysis.order, round after round. An addition
// takes as much time however many blocks there are, and so does a removal, which a list of marks would not give.
type worklist struct {
	*analysis
	levels [][]uint64 // bits: the positions of the blocks in the order; next, the words of the level before that are not 0
	next   int32      // where the round continues
}

func (a *analysis) newWorklist() *worklist {
	w := &worklist{analysis: a}
	for n := len(a.order); n > 1 || len(w.levels) == 0; {
		n = (n + 63) / 64
		w.levels = append(w.levels, make([]uint64, n))
	}
	return w
}

// add adds a block, unless it is in the list.
func (w *worklist) add(b int32) {
	at := w.position[b]
	for _, l := range w.levels {
		was := l[at>>6]
		if l[at>>6] |= 1 << (at & 63); was != 0 {
			return
		}
		at >>= 6
	}
}

// take removes the next block and returns it; -1: there is none.
func (w *worklist) take() int32 {
	at := w.from(w.next)
	if at < 0 {
		at = w.from(0)
	}
	if w.next = at + 1; at < 0 {
		return -1
	}
	b := w.order[at]
	for _, l := range w.levels {
		if l[at>>6] &^= 1 << (at & 63); l[at>>6] != 0 {
			break
		}
		at >>= 6
	}
	return b
}

// clear removes all blocks.
func (w *worklist) clear() {
	for w.take() >= 0 {
	}
}

// from returns the first position from one on; -1: there is none.
func (w *worklist) from(at int32) int32 {
	for k, l := range w.levels {
		if int(at>>6) >= len(l) {
			break
		}
		if rest := l[at>>6] >> (at & 63); rest != 0 {
			for at += int32(bits.TrailingZeros64(rest)); k > 0; k-- {
				at = at<<6 + int32(bits.TrailingZeros64(w.levels[k-1][at]))
			}
			return at
		}
		at = at>>6 + 1
	}
	return -1
}
