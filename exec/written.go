package exec

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// A span is cells of one kind that lie side by side, by their index in a State.
type span struct {
	kind  ir.CellKind
	at    int
	n     int
	group bool // waves of a group share them
}

// A written is which cells the blocks of a program write, as far as they have been lifted.
type written struct {
	known map[ir.Cell]bool       // whole files by cells with the index wholeFile
	spans atomic.Pointer[[]span] // the same; a longer list takes the place of this one, which others may read
}

// list is the spans so far.
func (w *written) list() []span {
	if p := w.spans.Load(); p != nil {
		return *p
	}
	return nil
}

const wholeFile = 1<<16 - 1

// note adds what a block writes.
func (w *written) note(m *ir.Machine, b *ir.Block) {
	for i := range b.Ops {
		in := &b.Ops[i]
		c, n := in.Cell, 1
		switch in.Op {
		case ir.Set, ir.SetLast:
		case ir.SetX:
			c.Index, n = wholeFile, m.Files[c.File].Count
		default:
			continue
		}
		if w.known[c] || w.known[ir.Cell{File: c.File, Index: wholeFile}] {
			continue
		}
		if w.known == nil {
			w.known = map[ir.Cell]bool{}
		}
		w.known[c] = true
		if c.Index == wholeFile {
			c.Index = 0
		}
		kind := m.Kind(c)
		if kind != ir.ExecMask {
			spans := merged(append(slices.Clone(w.list()), span{poolOf(kind), IndexOf(m, c), n, m.Files[c.File].Group}))
			w.spans.Store(&spans)
		}
	}
}

// merged is the spans in order, those that touch as one: clearing many rows at once takes much less time than one by one.
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

// Shares reports whether blocks of the program, as far as they have been lifted, write to cells that the waves of a group share.
func (p *Program) Shares() bool {
	return slices.ContainsFunc(p.written.list(), func(s span) bool { return s.group })
}

// TakeShared takes over from another wave of the group what blocks of the program can have written to the cells that they share.
func (st *State) TakeShared(from *State, p *Program) {
	for _, s := range p.written.list() {
		if s.group {
			copy(st.S[s.at:s.at+s.n], from.S[s.at:s.at+s.n])
		}
	}
}

// ResetAfter makes zero again what blocks of a program can have written to a state that was Reset before; lanes have to be started
// anew. What others have set stays. For a program that writes few of many registers it takes much less time than Reset.
func (st *State) ResetAfter(p *Program) {
	st.clear(p, true)
	st.restart()
}

// A Residue is what waves that begin at one place may read, or may leave to somebody who reads it, of what blocks of their program have written to a state
// before them.
type Residue struct {
	all   *[]span // that blocks of the program write: nothing else is known
	spans []span
	whole []span // of waves all of whose lanes begin
}

// Residue is that of waves that begin at a place, when somebody reads the cells of left at their end and nobody else any but the program. It is all that
// blocks write where the program cannot be followed.
func (p *Program) Residue(at ir.Key, left pass.CellSet) *Residue {
	read := p.readOrLeft(at, left) // it lifts blocks
	r := &Residue{all: p.written.spans.Load()}
	if r.all != nil {
		r.spans, r.whole = readOf(p.Machine(), *r.all, read.Either()), readOf(p.Machine(), *r.all, read.Active)
	}
	return r
}

// Holds reports whether the program writes nothing else than what was known when the residue was found.
func (r *Residue) Holds(p *Program) bool { return r.all == p.written.spans.Load() }

// StartAfter is ResetAfter and then Start that makes zero what matters alone to a wave that begins with these lanes, if the residue Holds. The mode that the
// wave goes on under is left for Goto to find.
func (st *State) StartAfter(r *Residue, pc, lanes uint64) {
	lanes &= st.Full
	spans := r.spans
	if lanes == st.Full {
		spans = r.whole
	}
	st.clearSpans(spans, true)
	st.Exec, st.Live, st.At, st.Clock = lanes, lanes, Pos{Key: ir.Key{PC: pc}}, 0
	st.Stack = st.Stack[:0]
	clear(st.LanePC)
}

// ResetFor is Reset of a state that was Reset before, or is new, and that since then nobody but blocks of the program and the
// methods of State have written to. It takes less time, as ResetAfter does.
func (st *State) ResetFor(p *Program) {
	if st.whole {
		st.Reset()
		return
	}
	st.clear(p, false)
	clear(st.S)
	clear(st.M)
	for i, rows := range st.given {
		for ; rows != 0; rows &= rows - 1 {
			at := (64*i + bits.TrailingZeros64(rows)) * st.Stride
			clear(st.V[at : at+st.Stride])
		}
		st.given[i] = 0
	}
	st.restart()
}

// clear makes zero what blocks of the program can have written: of V, and if all is set of S and M.
func (st *State) clear(p *Program, all bool) { st.clearSpans(p.written.list(), all) }

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
