package rogue

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Three floats with a shared exponent: significands of 9 bits and an exponent of 5 bits, biased by 15.
// docs/reference/rogue.md 5.4.

const (
	sharedBias  = 15
	sharedBits  = 9
	sharedAt    = 27    // position of the exponent
	sharedLimit = 65408 // the largest value
)

// share adds the next float; the last of a run makes the word. Fields that the run does not reach keep their old value.
func (st *state) share(l *isa.Lift, v V, f *field) {
	g := &st.gather
	at := int(f.low) / sharedBits
	g.shared[at] = clampShared(l, v)
	if g.done < g.run {
		return
	}
	fields := packFormats[l.In.Get(nameFormat)].fields
	for i := range g.shared {
		if !g.shared[i].Valid() {
			g.shared[i] = fields[i].unshare(l, g.v)
		}
	}
	g.v = joinShared(l, g.shared, l.In.Get(nameRound) != 0)
}

// clampShared limits a float to the range of such a word; NaN gives 0.
func clampShared(l *isa.Lift, v V) V {
	x := v.As(ir.F32)
	x = l.Const(ir.F32, 0).FLt(x).Select(x, l.Const(ir.F32, 0))
	return x.FMinNum(x.K(uint64(math.Float32bits(sharedLimit))))
}

// joinShared makes the word. The exponent is that of the largest float, plus one if its significand rounds up to a
// tenth bit.
func joinShared(l *isa.Lift, x [3]V, round bool) V {
	largest := x[0].FMaxNum(x[1]).FMaxNum(x[2])
	exponent := largest.As(ir.I32).ShrU(l.I32(23)).SMax(l.I32(127 - sharedBias - 1)).Sub(l.I32(127 - sharedBias - 1))
	scaled := func(v V) V {
		up := l.I32(127 + sharedBias + sharedBits).Sub(exponent).Shl(l.I32(23)).As(ir.F32)
		return towards0(l, round, func() V { return v.FMul(up).FToU(ir.I32) })
	}
	exponent = exponent.Add(scaled(largest).ShrU(l.I32(sharedBits)))
	word := exponent.Shl(l.I32(sharedAt))
	for i, v := range x {
		word = word.Or(scaled(v).Shl(l.I32(uint32(sharedBits * i))))
	}
	return word
}

// unshare is the float of one significand.
func (f *field) unshare(l *isa.Lift, w V) V {
	scale := w.ShrU(l.I32(sharedAt)).Add(l.I32(127 - sharedBias - sharedBits)).Shl(l.I32(23)).As(ir.F32)
	return f.raw(l, w).UToF(ir.F32).FMul(scale)
}
