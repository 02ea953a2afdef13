package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Iteration. docs/reference/rogue.md 5.7.

// setSize is the number of words in a coefficient set.
const setSize = 4

// Positions of an iteration by code.
const (
	atPixel = iota
	atSample
)

// position is the position of an iteration, from special registers. No register holds the centroid; the pixel position
// is used instead.
func (st *state) position(l *isa.Lift, mode uint64) (x, y V) {
	n := uint16(0)
	if mode == atSample {
		n = 1
	}
	return st.read(l, reg{bankSpecial, SpecialX + n}).As(ir.F32), st.read(l, reg{bankSpecial, SpecialY + n}).As(ir.F32)
}

// plane is the value of the coefficient set at r for a position: a * x + (b * y + c), each step rounded once.
func (st *state) plane(l *isa.Lift, r reg, x, y V) V {
	var w [setSize - 1]V
	for i := range w {
		w[i] = st.read(l, r.behind(i)).As(ir.F32)
	}
	a, b, c := w[0], w[1], w[2]
	if l.Option(optCoefficients) == constantFirst {
		a, b, c = w[1], w[2], w[0]
	}
	return a.Fma(x, b.Fma(y, c))
}

// times is the number of values of an iteration.
func times(in *isa.Inst) int { return upTo16(in.Get(nameCount)) }

// Division of iterated values, by code.
const (
	linear      = iota
	perspective // by the value of a set
	keepsW      // the same, and the divisor is kept
	dividesKept // by the kept divisor
)

// divisor is the divisor of the iterated values; invalid if they are not divided.
func (st *state) divisor(l *isa.Lift, how uint64, r reg, x, y V) (w V) {
	switch how {
	case perspective, keepsW:
		w = st.plane(l, r, x, y)
	case dividesKept:
		return l.Get(ir.Cell{File: FileIterW}, ir.I32).As(ir.F32)
	}
	if how == keepsW {
		st.sets = append(st.sets, set{cell: ir.Cell{File: FileIterW}, v: w.As(ir.I32)})
	}
	return w
}

// iterated is value i of the sets from r on.
func (st *state) iterated(l *isa.Lift, r reg, i int, x, y, w V) V {
	v := st.plane(l, r.behind(setSize*i), x, y)
	if w.Valid() {
		if l.Option(optPerspective) == timesInverse {
			v = v.FMul(l.Const(ir.F32, 0x3f800000).FDiv(w))
		} else {
			v = v.FDiv(w)
		}
	}
	if l.In.Get(nameSat) != 0 {
		v = v.FSat()
	}
	return v
}

// iterate is FITR: it iterates the sets from s0 on to registers from s3 on; with perspective it divides by the set of
// s2.
func iterate(how uint64) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		st, in := data(l), l.In
		x, y := st.position(l, in.Get(nameMode))
		w := st.divisor(l, how, st.named(2), x, y)
		from, to := st.named(0), st.named(group.FirstUpper)
		n := times(in)
		for i := range n {
			st.later(to.behind(i), st.iterated(l, from, i, x, y, w).As(ir.I32), V{})
		}
		st.pending(l, to, n)
	}
}

// coefficients is the set that an instruction names by number, which may be indexed.
func coefficients(l *isa.Lift, at, index isa.Name) reg {
	n := uint16(l.In.Get(at)) * setSize
	if i := l.In.Opt(index); i != 0 {
		return based(l, reg{bankIdx0 + uint8(i) - 1, n<<3 | idxCoeff})
	}
	return based(l, reg{bankCoeff, n})
}

// Codes of scheduling.
const waitsAtOnce = 2

// iterateDirect is DITR: it iterates the sets that its fields number, to temporaries. Halves are packed two per
// temporary, the first in the low half.
func iterateDirect(how uint64) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		st, in := data(l), l.In
		x, y := st.position(l, in.Get(nameMode))
		w := st.divisor(l, how, coefficients(l, nameWCoeff, nameIdxW), x, y)
		from, to := coefficients(l, nameCoeff, nameIdxCoeff), reg{bankTemp, uint16(in.Get(nameDst))}
		n := times(in)
		regs := n
		if in.Get(nameF16) != 0 {
			regs = (n + 1) / 2
		}
		for i := range n {
			v := st.iterated(l, from, i, x, y, w)
			if in.Get(nameF16) == 0 {
				st.later(to.behind(i), v.As(ir.I32), V{})
				continue
			}
			half := toHalf(v).As(ir.I16).ZExt(ir.I32)
			if i&1 == 0 {
				st.later(to.behind(i/2), half, V{})
				continue
			}
			s := &st.sets[len(st.sets)-1]
			s.v = s.v.Or(half.Shl(half.K(16)))
		}
		st.pending(l, to, regs)
		if in.Get(nameSched) == waitsAtOnce {
			l.Wait(int(in.Get(nameDRC)), 0)
		}
	}
}
