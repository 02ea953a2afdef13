package exec

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// A span is a range of cells of one kind, by their index in a State.
type span struct {
	kind  ir.CellKind
	at    int
	n     int
	group bool // the waves of a group share them
}

// clobbers is the set of cells that blocks of a program, or of several, write, as far as they have been lifted.
type clobbers struct {
	mu    sync.Mutex
	spans atomic.Pointer[[]span] // immutable, as others may be reading it: a longer list replaces it
}

// list returns the spans so far.
func (w *clobbers) list() []span {
	if p := w.spans.Load(); p != nil {
		return *p
	}
	return nil
}

// note adds the cells that a block writes.
func (w *clobbers) note(m *ir.Machine, b *ir.Block) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range b.Ops {
		in := &b.Ops[i]
		c, n := in.Cell, 1
		switch in.Op {
		case ir.Set, ir.SetLast:
		case ir.SetX:
			c.Index, n = 0, m.Files[c.File].Count
		default:
			continue
		}
		kind := m.Kind(c)
		s := span{poolOf(kind), IndexOf(m, c), n, m.Files[c.File].Group}
		if list := w.list(); kind != ir.ExecMask && !slices.ContainsFunc(list, s.within) {
			spans := merged(append(slices.Clone(list), s))
			w.spans.Store(&spans)
		}
	}
}

// within reports whether o has all cells of s.
func (s span) within(o span) bool {
	return s.kind == o.kind && s.at >= o.at && s.at+s.n <= o.at+o.n
}

// merged returns the spans sorted, with adjacent ones merged: clearing many rows in one call is much faster than
// one by one.
func merged(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.kind, b.kind), a.at-b.at) })
	list := spans[:1]
	for _, s := range spans[1:] {
		if last := &list[len(list)-1]; s.kind == last.kind && s.group == last.group && s.at <= last.at+last.n {
			last.n = max(last.n, s.at+s.n-last.at)
		} else {
			list = append(list, s)
		}
	}
	return list
}

// Shares reports whether blocks of the program, as far as they have been lifted, write cells that the waves of a
// group share.
func (p *Program) Shares() bool {
	return slices.ContainsFunc(p.clobbers.list(), func(s span) bool { return s.group })
}

// TakeShared copies from another wave of the group those shared cells that blocks of the program can have written.
func (st *State) TakeShared(from *State, p *Program) {
	for _, s := range p.clobbers.list() {
		if s.group {
			copy(st.S[s.at:s.at+s.n], from.S[s.at:s.at+s.n])
		}
	}
}

// ResetAfter zeroes the cells that blocks of a program can have written, in a state that was Reset before. Lanes
// must be started again. Changes by others remain. For a program that writes few of many registers it is much
// faster than Reset.
func (st *State) ResetAfter(p *Program) {
	st.clearSpans(p.clobbers.list(), true)
	st.restart()
}

// A Residue is the set of cells that must be zeroed before a wave begins at a given place in a used state: blocks
// of the program may have written them, and the wave may read them or they are live at its end.
type Residue struct {
	all   *[]span // all cells that blocks of the program wrote when the Residue was computed
	spans []span
	whole []span // for waves all of whose lanes begin
}

// Residue returns the residue of waves that begin at a place, if only the cells of left are read at their end by
// others than the program. It is all cells that blocks write if the control flow is not known.
func (p *Program) Residue(at ir.Key, left pass.CellSet) *Residue {
	read := p.liveAt(at, left) // this lifts blocks
	r := &Residue{all: p.clobbers.spans.Load()}
	if r.all != nil {
		r.spans, r.whole = intersect(p.Machine(), *r.all, read.Either()), intersect(p.Machine(), *r.all, read.Active)
	}
	return r
}

// Valid reports whether the residue is still valid: no newly lifted block writes further cells.
func (r *Residue) Valid(p *Program) bool { return r.all == p.clobbers.spans.Load() }

// StartAfter is ResetAfter and then Start, but zeroes only the cells that matter to a wave that begins with these
// lanes. The residue must be valid (Valid). The caller must use Goto to set the mode in which the wave continues.
func (st *State) StartAfter(r *Residue, pc, lanes uint64) {
	lanes &= st.Full
	spans := r.spans
	if lanes == st.Full {
		spans = r.whole
	}
	st.clearSpans(spans, true)
	st.Exec, st.Live, st.At, st.Clock, st.Passed = lanes, lanes, Pos{Key: ir.Key{PC: pc}}, 0, 0
	st.Stack = st.Stack[:0]
	clear(st.LanePC)
}

// ResetFor is Reset of a state that is new or was Reset before and that only blocks of the program and the methods
// of State have written since. Like ResetAfter it is faster.
func (st *State) ResetFor(p *Program) {
	if st.whole {
		st.Reset()
		return
	}
	st.clearSpans(p.clobbers.list(), false)
	st.clearGiven()
	st.restart()
}

// sparse reports whether all rows of V but those of eachRows are 0.
func (st *State) sparse() bool { return st.recycler != nil && !st.whole }

// eachRows calls f for runs of rows of V that blocks of programs of the state, or its methods, may have written.
func (st *State) eachRows(f func(first, n int)) {
	for _, s := range st.programs.list() {
		if s.kind == ir.Lane32 {
			f(s.at, s.n)
		}
	}
	for i, rows := range st.given {
		for ; rows != 0; rows &= rows - 1 {
			f(64*i+bits.TrailingZeros64(rows), 1)
		}
	}
}

// clearGiven zeroes S, M and the rows of V that the methods of State may have written.
func (st *State) clearGiven() {
	clear(st.S)
	clear(st.M)
	for i, rows := range st.given {
		for ; rows != 0; rows &= rows - 1 {
			at := (64*i + bits.TrailingZeros64(rows)) * st.Stride
			clear(st.V[at : at+st.Stride])
		}
		st.given[i] = 0
	}
}

// clearSpans zeroes cells: those in V, and if all is set also in S and M.
func (st *State) clearSpans(list []span, all bool) {
	for _, s := range list {
		switch {
		case s.kind == ir.Lane32:
			clear(st.V[s.at*st.Stride : (s.at+s.n)*st.Stride])
		case s.kind == ir.Wave32 && all:
			clear(st.S[s.at : s.at+s.n])
		case s.kind == ir.Lane1 && all:
			clear(st.M[s.at : s.at+s.n])
		}
	}
}
