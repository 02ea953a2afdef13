package gcn

import (
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of the moves between lanes and scalar registers. docs/reference/gcn.md 0 and 7.1.

// v_readfirstlane_b32 sdst, vsrc.
func liftReadFirst(l *isa.Lift) {
	x := operand(l, int(l.In.Get(nameSrc0)), b32)
	setScalar(l, int(l.In.Get(nameVdst)), x.ReadFirst(l.Exec()))
}

// v_readlane_b32 sdst, vsrc, lane.
func liftReadLane(l *isa.Lift) {
	x := operand(l, int(l.In.Get(nameSrc0)), b32)
	lane := operand(l, int(l.In.Get(nameSrc1)), b32)
	setScalar(l, int(l.In.Get(nameVdst)), x.ReadLane(lane.And(l.I32(63))))
}

// v_writelane_b32 vdst, ssrc, lane.
func liftWriteLane(l *isa.Lift) {
	x := operand(l, int(l.In.Get(nameSrc0)), b32)
	lane := operand(l, int(l.In.Get(nameSrc1)), b32).And(l.I32(63))
	l.Set(VGPR(int(l.In.Get(nameVdst))), x, l.LaneID().Eq(lane))
}
