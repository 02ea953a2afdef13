package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Cross-lane operations. docs/reference/valhall.md 10.4.

// groupLanes is the number of lanes of a subgroup.
func groupLanes(l *isa.Lift) int { return 2 << l.In.Get(nameSubgroup) }

// inactiveWords are the values read from an inactive lane, by code.
var inactiveWords = [16]uint32{0, 0xffffffff, 1, 0x00010001, 0x80000000, 0x7fffffff, 0x80008000, 0x7fff7fff, 0x80808080, 0x7f7f7f7f,
	0x3f800000, 0x3c003c00, 0xff800000, 0x7f800000, 0xfc00fc00, 0x7c007c00}

// permuted is a in the lane of the subgroup that b names.
func permuted(l *isa.Lift) {
	if l.In.Get(nameLaneOp) > laneXor {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": no source says what this lane operation does")
		return
	}
	a := l.Src(0)
	t := a.Type()
	absent := l.Const(t, uint64(inactiveWords[l.In.Get(nameInactive)]))
	switch {
	case t.Elems() > 1:
		l.Dst(0, permutedElements(l, a, absent))
	case t == ir.I64:
		w := absent.Trunc(ir.I32)
		absent = w.Pack(w, t)
		b := l.Src(1)
		if l.Option(optLaneRange) == rangeAbsent {
			b = b.UMin(b.K(1<<32 - 1)) // high bits must not be lost in the low word
		}
		l.Dst(0, fromLane(l, a, b.Trunc(ir.I32), absent))
	default:
		l.Dst(0, fromLane(l, a, l.Src(1), absent))
	}
}

// permutedElements reads each element of a from the lane that the same element of b names: one shuffle if all name one
// lane.
func permutedElements(l *isa.Lift, a, absent V) V {
	t := a.Type()
	b, e := l.Src(1), t.Elem()
	lane := func(i int) V { return b.Extract(i*e.Bits(), e).ZExt(ir.I32) }
	if oneLane(l, t) {
		return fromLane(l, a, lane(0), absent)
	}
	v := a
	for i := range t.Elems() {
		v = v.Insert(fromLane(l, a, lane(i), absent).Extract(i*e.Bits(), e), i*e.Bits())
	}
	return v
}

// oneLane reports whether the swizzle of the second source makes its elements equal.
func oneLane(l *isa.Lift, t ir.Type) bool {
	swz := l.In.Get(nameSwzB)
	if t == ir.V4I8 {
		b := fourBytes[swz]
		return b[0] == b[1] && b[1] == b[2] && b[2] == b[3]
	}
	if swz < numHalfSwizzles {
		return halfPairs[swz][0] == halfPairs[swz][1]
	}
	return bytePairs[swz][0] == bytePairs[swz][1]
}

// fromLane is a in a lane of the lane's subgroup, numbered from its first: the lane that b names, or the lane's own
// number combined with b. An inactive lane gives absent. Options choose whether b is taken modulo the size of the
// subgroup or may name a lane that does not exist.
func fromLane(l *isa.Lift, a, b, absent V) V {
	own, size := l.LaneID(), groupLanes(l)
	low := b.K(uint64(size - 1))
	lane := own.Xor(b.And(low))
	if l.In.Get(nameLaneOp) != laneXor {
		lane = low.Bfi(b, own)
	}
	v, ok := a.ShuffleIn(size, lane, l.Exec())
	if l.Option(optLaneRange) == rangeAbsent {
		ok = ok.And(b.ULe(low))
	}
	return ok.Select(v, absent)
}

// laneMask has a bit for each lane of the subgroup in which the source is not 0. Options choose which lanes count, and
// the lane at which the numbers of smaller subgroups start.
func laneMask(l *isa.Lift) {
	a := l.Src(0)
	mask := l.Exec()
	if l.Option(optMaskLanes) == maskLive {
		mask = l.Live()
	}
	all := a.Ne(a.K(0)).Ballot(mask).Trunc(ir.I32)
	size := groupLanes(l)
	if size == Lanes {
		l.Dst(0, all)
		return
	}
	first := l.LaneID().And(l.I32(uint32(Lanes - size)))
	own := all.ShrU(first).And(l.I32(1<<size - 1))
	if l.Option(optMaskBits) == bitsWarp {
		own = own.Shl(first)
	}
	l.Dst(0, own)
}
