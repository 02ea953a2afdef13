package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// across selects functions for the most frequent cross-lane ops.
func (p *binder) across(s *lower.Step, o *op, args []lower.Place) bool {
	switch {
	case s.Op == ir.ReadLane && args[0].Kind == lower.InRow:
		o.run = readLane
	case s.Op == ir.ReadFirst && args[0].Kind == lower.InRow:
		o.run = readFirst
	case s.Op == ir.Shuffle && s.Type != ir.I1 && args[0].Kind == lower.InRow && args[1].Kind == lower.InRow:
		o.run = shuffle
	default:
		return false
	}
	o.put(args)
	return true
}

func readLane(r *runner, o *op) bool {
	r.words[o.d] = uint64(r.row(o.a)[int(r.words[o.b]%uint64(r.st.Lanes))&63])
	return true
}

func readFirst(r *runner, o *op) bool {
	lane := 0
	if m := r.wholeMask(o.b, o.wave>>1); m != 0 {
		lane = bits.TrailingZeros64(m) & 63
	}
	r.words[o.d] = uint64(r.row(o.a)[lane])
	return true
}

// shuffle reads from other lanes. The row of the result is not that of an operand.
func shuffle(r *runner, o *op) bool {
	d, a, b, m := r.row(o.d), r.row(o.a), r.row(o.b), r.wholeMask(o.c, o.wave>>2)
	outside := uint32(0) // the bits of a lane number that select its group
	if o.imm != 0 {
		outside = -uint32(o.imm)
	}
	got := uint64(0)
	for i := range r.st.Lanes {
		from, v := b[i&63], uint32(0)
		if from < ir.MaxLanes && m>>from&1 != 0 && (from^uint32(i))&outside == 0 {
			v = a[from]
			got |= 1 << (i & 63)
		}
		d[i&63] = v
	}
	r.words[o.e] = got
	return true
}

// choice is a select of rows or vectors by a uniform condition.
func (p *binder) choice(s *lower.Step, o *op, args []lower.Place) bool {
	if s.Op != ir.Select || s.Wave || args[0].Kind != lower.InWord {
		return false
	}
	switch s.Res[0].Kind {
	case lower.InRow:
		o.run = chooseRow
	case lower.InVec:
		o.run = chooseVec
	default:
		return false
	}
	o.put(args)
	return true
}

// chosen returns the place of the operand that the condition selects, and whether it is uniform.
func (r *runner) chosen(o *op) (at int32, wave bool) {
	if r.words[o.a]&1 != 0 {
		return o.b, o.wave&2 != 0
	}
	return o.c, o.wave&4 != 0
}

func chooseRow(r *runner, o *op) bool {
	d := r.row(o.d)
	at, wave := r.chosen(o)
	if wave {
		fill(d, uint32(r.words[at]), r.n)
	} else {
		copy(d[:r.n], r.row(at)[:r.n])
	}
	return true
}

func chooseVec(r *runner, o *op) bool {
	d := &r.vecs[o.d]
	at, wave := r.chosen(o)
	if wave {
		fill64(d, r.words[at])
	} else {
		copy(d[:r.n], r.vecs[at][:r.n])
	}
	return true
}
