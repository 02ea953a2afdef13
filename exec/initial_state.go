package exec

import (
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// An InitialState is a snapshot of a wave's state at its start. It restarts waves that begin many times in the same
// state.
type InitialState struct {
	st         *State
	p          *Program
	spans      *[]span // cells that blocks of the program write, when the snapshot was taken
	parts      []wordRange
	words      []uint64 // saved contents of parts, concatenated
	exec, live uint64
	at         Pos
}

// A wordRange is a range of words of State.buf that Restart restores.
type wordRange struct{ at, n int }

// copyGap is the largest number of words between two parts that are copied along with them. Copying so few words
// takes less time than a second copy.
const copyGap = 16

// InitialState returns a snapshot of the state, taken before the wave runs. It saves only cells that blocks of the
// program may read before they write them. After a restart other cells have arbitrary values, so the caller must
// not read them. The result is nil if such a state cannot be restarted.
func (st *State) InitialState(p *Program) *InitialState {
	if st.whole || st.Diverged() {
		return nil
	}
	b := &InitialState{st: st, p: p, spans: p.clobbers.spans.Load(), exec: st.Exec, live: st.Live, at: st.At}
	if b.spans == nil {
		return nil
	}
	for _, s := range intersect(st.Machine, *b.spans, p.liveAt(st.At.Key, pass.NewCellSet(p.Machine())).Either()) {
		for i := s.at; i < s.at+s.n; i++ {
			b.add(st.wordsOf(s.kind, i))
		}
	}
	for _, x := range b.parts {
		b.words = append(b.words, st.buf[x.at:x.at+x.n]...)
	}
	return b
}

// add adds a part. It extends the last part if at most copyGap words lie between them.
func (b *InitialState) add(x wordRange) {
	if k := len(b.parts) - 1; k >= 0 {
		if last := &b.parts[k]; x.at >= last.at && x.at-last.at-last.n <= copyGap {
			last.n = max(last.n, x.at+x.n-last.at)
			return
		}
	}
	b.parts = append(b.parts, x)
}

// wordsOf returns the words of State.buf that contain the cell with that index among those of its kind. A
// neighbouring cell may share the word.
func (l *Layout) wordsOf(kind ir.CellKind, index int) wordRange {
	switch kind {
	case ir.Lane32:
		return wordRange{index * l.Stride / 2, l.Stride / 2}
	case ir.Lane1:
		return wordRange{l.nV/2 + l.wordsS() + index, 1}
	}
	return wordRange{l.nV/2 + index/2, 1}
}

// cellOf returns the cell with that index among those of its kind.
func cellOf(m *ir.Machine, kind ir.CellKind, index int) ir.Cell {
	for i, f := range m.Files {
		if n := index - IndexOf(m, ir.Cell{File: uint8(i)}); poolOf(f.Kind) == kind && n >= 0 && n < f.Count {
			return ir.Cell{File: uint8(i), Index: uint16(n)}
		}
	}
	panic("exec: no such cell")
}

// liveAt returns the cells that are live where a wave begins at the key, if the cells of left are read at its
// end: in lanes active there, and in other lanes.
func (p *Program) liveAt(at ir.Key, left pass.CellSet) pass.LiveSet {
	g, live, ok := p.liveOut(at, left).Live(at)
	if !ok {
		return pass.NewLiveSet(pass.AllCells(p.Machine()))
	}
	return live.In[g.At[at]]
}

// intersect returns the spans of those cells of list that are in read.
func intersect(m *ir.Machine, list []span, read pass.CellSet) (of []span) {
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

// Valid reports whether the snapshot is still valid: since it was taken, no newly lifted block writes further
// cells.
func (b *InitialState) Valid() bool { return b.p.clobbers.spans.Load() == b.spans }

// Restart restores the state; the snapshot must be valid (Valid). It undoes what blocks of the program did. Changes
// by others are the caller's to undo.
func (b *InitialState) Restart() {
	st, words := b.st, b.words
	for _, x := range b.parts {
		copy(st.buf[x.at:x.at+x.n], words)
		words = words[x.n:]
	}
	st.Exec, st.Live, st.At, st.Clock, st.Passed = b.exec, b.live, b.at, 0, 0
	st.Stack = st.Stack[:0]
	clear(st.LanePC)
}
