package lower

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// constant returns the word that holds x.
func (l *lowerer) constant(x uint64) int32 {
	at, ok := l.consts[x]
	if !ok {
		if at = l.newWord(x); l.consts == nil {
			l.consts = map[uint64]int32{}
		}
		l.consts[x] = at
	}
	return at
}

// isConst reports whether a word never changes.
func (l *lowerer) isConst(at int32) bool {
	c, ok := l.consts[l.b.Words[at]]
	return ok && c == at
}

func (l *lowerer) newWord(x uint64) int32 {
	l.b.Words = append(l.b.Words, x)
	return int32(len(l.b.Words) - 1)
}

// spare is the number of rows that stay free in blocks to be compiled: their last contents can still be read, so that
// steps may be merged into the last of them. Machine code keeps most values in registers, and does not touch their
// rows.
const spare = 16

// newRow allocates a row of the runner: for the interpreter the one that was freed last, for machine code the one that
// has been free longest.
func (l *lowerer) newRow() int32 {
	n := len(l.rows)
	switch {
	case l.Code > 0 && n > spare:
		at := l.rows[0]
		l.rows = l.rows[1:]
		return at
	case l.Code == 0 && n > 0:
		at := l.rows[n-1]
		l.rows = l.rows[:n-1]
		return at
	}
	l.b.Rows++
	return ^int32(l.b.Rows - 1)
}

func (l *lowerer) newVec() int32 {
	if n := len(l.vecs); n > 0 {
		at := l.vecs[n-1]
		l.vecs = l.vecs[:n-1]
		return at
	}
	l.b.Vecs++
	return int32(l.b.Vecs - 1)
}

// newSite allocates the words that cache the segment of an access.
func (l *lowerer) newSite() int32 {
	at := int32(len(l.b.Words))
	l.b.Words = append(l.b.Words, make([]uint64, SiteWords)...)
	l.b.Sites = append(l.b.Sites, at)
	return at
}

func (l *lowerer) at(v ir.Val) Place { return l.places[l.root[v]] }

// newList returns a list of n places.
func (l *lowerer) newList(n int) []Place {
	if n > len(l.lists) {
		l.lists = make([]Place, max(n, 64))
	}
	ps := l.lists[:n:n]
	l.lists = l.lists[n:]
	return ps
}

func (l *lowerer) list(ps ...Place) []Place {
	to := l.newList(len(ps))
	copy(to, ps)
	return to
}

func (l *lowerer) operands(args []ir.Val) []Place {
	ps := l.newList(len(args))
	for i, a := range args {
		ps[i] = l.at(a)
	}
	return ps
}

// result allocates a place for value v of op i.
func (l *lowerer) result(i int, v ir.Val) Place {
	info := l.ir.Vals[v]
	p := Place{}
	switch {
	case info.Wave:
		p = Place{InWord, l.newWord(0)}
	case info.Type == ir.I1:
		p = Place{InMask, l.newWord(0)}
	case info.Type.Bits() > 32:
		p = Place{InVec, l.newVec()}
	default:
		if at, ok := l.sink(i, v); ok {
			p = Place{InRow, at}
			l.hold(at, v)
			break
		}
		p = Place{InRow, l.newRow()}
	}
	l.places[v] = p
	return p
}

// results allocates places for all results of the instruction. Those of dead results are free again at once, for the
// next ops.
func (l *lowerer) results(i int) []Place {
	in := &l.ir.Ops[i]
	res := l.newList(int(in.NRes))
	for k := range res {
		res[k] = l.result(i, in.Res+ir.Val(k))
	}
	for k := range res {
		if l.last[in.Res+ir.Val(k)] < 0 {
			l.give(res[k])
		}
	}
	return res
}

// give frees a place of the runner.
func (l *lowerer) give(p Place) {
	switch {
	case p.Kind == InRow && p.At <= ^int32(l.first):
		l.rows = append(l.rows, p.At)
	case p.Kind == InVec:
		l.vecs = append(l.vecs, p.At)
	}
}

// release frees the places of the values whose last reader is op i.
func (l *lowerer) release(in *ir.Inst, i int) {
	for k, a := range in.Args {
		r := l.root[a]
		if l.last[r] == i && !slices.ContainsFunc(in.Args[:k], func(b ir.Val) bool { return l.root[b] == r }) {
			l.give(l.places[r])
		}
	}
}
