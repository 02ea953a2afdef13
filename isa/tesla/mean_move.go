package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Moves. docs/reference/tesla.md 3 and 6.8.

func move(_ *isa.Lift, a V) result { return result{v: a} }

// moveLanes writes the lanes of each quad that the instruction names.
func moveLanes(l *isa.Lift) {
	a := l.Src(0)
	laneGuard(l)
	l.Dst(0, a)
}

// laneGuard narrows the mask to the lanes of each quad that the instruction names.
func laneGuard(l *isa.Lift) {
	if mask := l.In.Get(nameLanes); mask != allLanes {
		l.Guard(quadBit(l.LaneID(), mask).Ne(l.I32(0)).And(l.Mask()))
	}
}

// allLanes is the mask of the lanes of a quad.
const allLanes = 15

// getSpecial returns a special register; the clock advances.
func getSpecial(l *isa.Lift, a *isa.Arg) V {
	n := a.Get(l.In.Word)
	if n == SRClock {
		return l.Clock().Trunc(ir.I32)
	}
	return l.Get(ir.Cell{File: FileSR, Index: uint16(n)}, ir.I32)
}
