package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Instructions between lanes and scalar registers. They ignore EXEC, except that v_readfirstlane takes the lowest
// active lane. docs/reference/gcn.md 0 and 7.1.

var (
	laneSelect  = source("a lane select", b32, takesScalar|takesConst)
	laneScalar  = source("a scalar source", b32, takesScalar|takesConst|takesSpecial)
	sdstInVdst  = wide(scalars(1, 0), 256)
	vgprInSrc9  = source("a VGPR", b32, takesVGPR|takesLDS)
	laneEncoded = bits.Ranges{bits.Span(41, 49)}
)

// laneDefs are v_readfirstlane_b32, v_readlane_b32 and v_writelane_b32. On gfx6 and gfx7 the latter two are VOP2
// opcodes 1 and 2.
func laneDefs() []isa.Def {
	sgprOut := isa.Arg{Name: "vdst", Kind: sdstInVdst, Role: isa.Define, Width: 32}
	lane := isa.Arg{Name: "src1", Kind: wide(laneSelect, 512), At: laneEncoded, Role: isa.Use, Width: 32}
	row := func(name string, e *isa.Encoding, op uint64, doc string, m isa.Eff, args ...isa.Arg) isa.Def {
		return isa.Def{Name: name, Variants: 1 << gfx8, Enc: e, Op: op, Args: args, Doc: doc, Source: "docs/reference/gcn.md 7.1", Meaning: m, Fidelity: ir.Exact}
	}
	rows := []isa.Def{
		row("v_readfirstlane_b32", vop1VI, 0x02, "a of the lowest active lane, of lane 0 if none is.", liftReadFirst,
			sgprOut, isa.Arg{Name: "src0", Kind: vgprInSrc9, Role: isa.Use, Width: 32}),
		row("v_readlane_b32", vop3VI, 0x289, "a of lane b modulo 64, active or not.", liftReadLane,
			sgprOut, isa.Arg{Name: "src0", Kind: vgprInSrc9, Role: isa.Use, Width: 32}, lane),
		row("v_writelane_b32", vop3VI, 0x28a, "Lane b modulo 64 of d becomes a, active or not.", liftWriteLane,
			isa.Arg{Name: "vdst", Kind: vreg[b32], Role: isa.Define, Width: 32},
			isa.Arg{Name: "src0", Kind: wide(laneScalar, 512), Role: isa.Use, Width: 32}, lane),
	}
	rows[0].Implicit = implicit("r:exec")
	return rows
}

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
