package rogue

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Packs whose format is a value: PCK.PROG takes it per lane from the low five bits of FTE. docs/reference/rogue.md 5.4.

// formatBits masks the format number in FTE.
const formatBits = 31

// packAny packs is3 of all repetitions in the format that FTE holds in the first one. It computes the words of every
// format; each lane selects the words of its own.
func packAny(l *isa.Lift) {
	st := data(l)
	g := &st.gather
	g.all[st.repeat] = st.selected(l, 3)
	if st.repeat == 0 {
		g.format = st.feedThrough(l).And(l.I32(formatBits))
	}
	if st.repeat+1 < st.run.to { // only the last repetition writes
		l.Dst(0, l.I32(0))
		return
	}
	at, to, ok := st.anyResult(l)
	if !ok {
		l.Fail(ir.TrapUnimplemented, "pck.prog whose result goes through a move of some bytes, or to two registers: not built")
		return
	}
	for w := range st.run.to {
		old := l.I32(0)
		if at >= 0 {
			old = st.read(l, to.behind(w))
		}
		v, written := st.anyWord(l, w, old)
		if w == 0 {
			l.Dst(0, v)
		}
		if at >= 0 {
			st.later(to.behind(w), v, mask(l).And(written))
		}
	}
	if at >= 0 {
		st.rt.has[at] = false
	}
}

// anyResult is the result that receives the words, and its first register; at is below 0 if there is none.
func (st *state) anyResult(l *isa.Lift) (at int, to reg, ok bool) {
	at = -1
	m := group.Find(l.Bundle, group.Move)
	for i := range st.rt.dst {
		if !st.rt.has[i] || !st.takesPack(l.Bundle, i) {
			continue
		}
		if at >= 0 || m != nil {
			return at, to, false
		}
		at, to = i, st.rt.dst[i]
	}
	return at, to, true
}

// anyWord is word w of the packed value, and whether the lane's format has such a word.
func (st *state) anyWord(l *isa.Lift, w int, old V) (v, written V) {
	v, written = old, l.I1(false)
	for code := range packFormats {
		p := &packFormats[code]
		if len(p.fields) == 0 || p.open && l.Option(optPack) == packPublic {
			continue
		}
		made, ok := st.packedWord(l, uint32(code), w, old)
		if !ok {
			continue
		}
		mine := st.gather.format.Eq(l.I32(uint32(code)))
		v, written = mine.Select(made, v), written.Or(mine)
	}
	return v, written
}

// packedWord is word w of a format; ok is false if no repetition reaches it.
func (st *state) packedWord(l *isa.Lift, code uint32, w int, old V) (v V, ok bool) {
	p := &packFormats[code]
	var fields []*field
	var values []V
	for k := range st.run.to {
		if f, at := p.element(k); at == w {
			fields, values = append(fields, f), append(values, st.gather.all[k])
		}
	}
	switch {
	case len(fields) == 0:
		return v, false
	case code == formatZero:
		return l.I32(0), true
	case code == formatOne:
		return l.I32(math.Float32bits(1)), true
	case fields[0].kind == fieldShared:
		return st.sharedWord(l, p, values, old), true
	}
	if v = old; l.Option(optRest) == restZero || len(fields) == p.inWord(fields[0].word) {
		v = l.I32(0)
	}
	for i, f := range fields {
		if f.bits == 32 {
			return f.encode(l, values[i]), true
		}
		ones := uint32(1)<<f.bits - 1
		bits := f.encode(l, values[i]).And(l.I32(ones)).Shl(l.I32(uint32(f.low)))
		v = v.And(l.I32(^(ones << f.low))).Or(bits)
	}
	return v, true
}

// sharedWord is the word of floats that share an exponent; missing ones keep their old value.
func (st *state) sharedWord(l *isa.Lift, p *packed, values []V, old V) V {
	var x [3]V
	for i := range x {
		switch {
		case i < len(values):
			x[i] = clampShared(l, values[i])
		case l.Option(optRest) == restZero:
			x[i] = l.Const(ir.F32, 0)
		default:
			x[i] = p.fields[i].unshare(l, old)
		}
	}
	return joinShared(l, x, l.In.Get(nameRound) != 0)
}

// inWord is the number of fields in a word of the format.
func (p *packed) inWord(word uint8) (n int) {
	for i := range p.fields {
		if p.fields[i].word == word {
			n++
		}
	}
	return n
}
