package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// The bit unit. docs/reference/rogue.md 5.5.

// bypassBits passes on s0, and s1 or a constant.
func bypassBits(l *isa.Lift) {
	st := data(l)
	st.ft[0] = st.source(l, 0)
	if l.In.Has(nameImm) && l.In.Def.Enc.Bits > 8 {
		st.ft[1] = l.I32(uint32(l.In.Get(nameImm)))
		return
	}
	st.ft[1] = st.source(l, 1)
}

// maskBits makes a mask of s0 bits from bit s1 up; FT0 is the number of its highest bit, in six bits.
func maskBits(l *isa.Lift) {
	st := data(l)
	width, from := st.source(l, 0).And(l.I32(63)), st.source(l, 1).And(l.I32(63))
	st.ft[0] = width.Add(from).Sub(l.I32(1)).And(l.I32(63))
	one := l.I64(1)
	ones := one.ShlX(width.ZExt(ir.I64)).Sub(one)
	st.ft[1] = ones.ShlX(from.ZExt(ir.I64)).Trunc(ir.I32)
}

// interleave combines the low halves: the first in the even bits, the second in the odd bits.
func interleave(even, odd V) V { return spread(even).Or(spread(odd).Shl(even.K(1))) }

// spread moves the bits of the low half to the even bits of a word.
func spread(v V) V {
	v = v.And(v.K(0xffff))
	for _, x := range [...]struct{ by, mask uint64 }{{8, 0x00ff00ff}, {4, 0x0f0f0f0f}, {2, 0x33333333}, {1, 0x55555555}} {
		v = v.Or(v.Shl(v.K(x.by))).And(v.K(x.mask))
	}
	return v
}

// Shift amounts are modulo 32.
func shiftLeft(v, by V) V  { return v.Shl(by) }
func shiftRight(v, by V) V { return v.ShrU(by) }
func rotateLeft(v, by V) V { return v.Ror(by.Neg().And(by.K(31))) }

// topBit is the number of the highest bit that is set, -1 if none is.
func topBit(v V) V { return v.K(31).Sub(v.Clz()) }

func nor(a, b V) V  { return a.Or(b).Not() }
func nand(a, b V) V { return a.And(b).Not() }
func xnor(a, b V) V { return a.Xor(b).Not() }

// bypassLogical passes FT1 on.
func bypassLogical(l *isa.Lift) {
	st := data(l)
	st.ft[4] = st.bypassed(l)
}

// clearSet is s4 without the bits of FT4; if P0, with these bits set.
func clearSet(l *isa.Lift) {
	st := data(l)
	bits := st.logicalResult(l)
	st.ft[5] = st.source(l, 4).And(bits.Not()).Or(l.Get(p0, ir.I1).Select(bits, l.I32(0)))
}

// Sources of the sign of an arithmetic shift.
const (
	signTop = iota
	signHalf
	signMask
	signFound
)

// asrFrom shifts right a word whose sign bit is one of its bits.
func asrFrom(from int) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		st := data(l)
		v, by := st.logicalResult(l), st.source(l, 4)
		var top V
		switch from {
		case signTop:
			st.ft[5] = v.ShrS(by)
			return
		case signHalf:
			top = l.I32(15)
		case signMask:
			top = st.maskTop(l).And(l.I32(31))
		default:
			top = st.counted(l).And(l.I32(31))
		}
		up := l.I32(31).Sub(top)
		st.ft[5] = v.Shl(up).ShrS(up).ShrS(by)
	}
}

// testBits sets P0 if the value is 0, or if it is not.
func testBits(code int) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		if l.In.Get(namePred) == 0 {
			return
		}
		st := data(l)
		v := st.shiftResult(l)
		if l.In.Get(nameTestSrc) != 0 {
			v = st.counted(l)
		}
		if code == 0 {
			st.setPredicate(v.Eq(l.I32(0)))
		} else {
			st.setPredicate(v.Ne(l.I32(0)))
		}
	}
}
