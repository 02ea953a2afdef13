package exec

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// A Beginning is a wave's state as it began, for waves that begin so again and again in the same state.
type Beginning struct {
	st         *State
	p          *Program
	spans      *[]span // what blocks of the program write: nothing else is to be made as it was
	parts      []part
	words      []uint64 // of the parts
	exec, live uint64
	at         Pos
}

// A part is words of State.buf that are made as they were.
type part struct{ at, n int }

// partGap is how many words between two parts are copied with them: that takes less time than a second copy.
const partGap = 16

// Beginning is the state as it is now, before the wave begins. Nobody but blocks of the program may look at it when it has begun again: cells that
// no block reads before they are written are then as they happen to be. Nil: a state like this cannot begin again.
func (st *State) Beginning(p *Program) *Beginning {
	if st.whole || st.Parted() {
		return nil
	}
	b := &Beginning{st: st, p: p, spans: p.written.spans.Load(), exec: st.Exec, live: st.Live, at: st.At}
	if b.spans == nil {
		return nil
	}
	for _, s := range readOf(st.Machine, *b.spans, p.readOrLeft(st.At.Key, pass.NewCellSet(p.Machine())).Either()) {
		for i := s.at; i < s.at+s.n; i++ {
			b.add(st.wordsOf(s.kind, i))
		}
	}
	for _, x := range b.parts {
		b.words = append(b.words, st.buf[x.at:x.at+x.n]...)
	}
	return b
}

// add adds a part, to the last one if there are few words between.
func (b *Beginning) add(x part) {
	if k := len(b.parts) - 1; k >= 0 {
		if last := &b.parts[k]; x.at >= last.at && x.at-last.at-last.n <= partGap {
			last.n = max(last.n, x.at+x.n-last.at)
			return
		}
	}
	b.parts = append(b.parts, x)
}

// wordsOf is the words of State.buf that have the cell with that index among those of its kind, and perhaps one beside it.
func (l *Layout) wordsOf(kind ir.CellKind, index int) part {
	switch kind {
	case ir.Lane32:
		return part{index * l.Stride / 2, l.Stride / 2}
	case ir.Lane1:
		return part{l.nV/2 + l.wordsS() + index, 1}
	}
	return part{l.nV/2 + index/2, 1}
}

// cellOf is the cell with that index among those of its kind.
func cellOf(m *ir.Machine, kind ir.CellKind, index int) ir.Cell {
	for i, f := range m.Files {
		if n := index - IndexOf(m, ir.Cell{File: uint8(i)}); poolOf(f.Kind) == kind && n >= 0 && n < f.Count {
			return ir.Cell{File: uint8(i), Index: uint16(n)}
		}
	}
	panic("exec: no such cell")
}

// readOrLeft is which cells may be read before they are written, by a wave that begins at a place, when somebody reads those of left at the end: in lanes that
// are active there, and in others.
func (p *Program) readOrLeft(at ir.Key, left pass.CellSet) pass.LiveSet {
	g, live, ok := p.unseenBut(at, left).Live(at)
	if !ok {
		return pass.NewLiveSet(pass.AllCells(p.Machine()))
	}
	return live.In[g.At[at]]
}

// readOf is the spans of the cells that are read.
func readOf(m *ir.Machine, list []span, read pass.CellSet) (of []span) {
	for _, s := range list {
		for i := s.at; i < s.at+s.n; i++ {
			if !read.Has(cellOf(m, s.kind, i)) {
				continue
			}
			if k := len(of) - 1; k >= 0 && of[k].kind == s.kind && of[k].at+of[k].n == i {
				of[k].n++
			} else {
				of = append(of, span{s.kind, i, 1, s.group})
			}
		}
	}
	return of
}

// Holds reports whether all is known that blocks of the program have written so far: then the wave can begin again.
func (b *Beginning) Holds() bool { return b.p.written.spans.Load() == b.spans }

// Again makes the state what it was, if that Holds. It may have been changed by blocks of the program; what others change they have to make what it was.
func (b *Beginning) Again() {
	st, words := b.st, b.words
	for _, x := range b.parts {
		copy(st.buf[x.at:x.at+x.n], words)
		words = words[x.n:]
	}
	st.Exec, st.Live, st.At, st.Clock = b.exec, b.live, b.at, 0
	st.Stack = st.Stack[:0]
	clear(st.LanePC)
}
