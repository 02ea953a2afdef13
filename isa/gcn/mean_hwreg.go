package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of instructions that read and write hardware registers. docs/reference/gcn.md 3.3 and 4.5.

// s_getreg_b32 sdst, hwreg: the field, zero-extended.
func liftGetReg(l *isa.Lift) {
	id, off, size := hwField(l.In.Get(nameSimm16))
	if !hwKnown(l, id) {
		return
	}
	r := hwValue(l, id)
	size = min(size, 32-off)
	l.Dst(0, r.ShrU(r.K(uint64(off))).And(r.K(1<<size-1)))
}

// hwValue returns a hardware register. STATUS includes bits from other cells. Option hwreg.
func hwValue(l *isa.Lift, id int) V {
	r := l.Get(ir.Cell{File: FileHW, Index: uint16(id)}, ir.I32)
	if id != hwStatus {
		return r
	}
	for _, b := range statusBits {
		r = r.And(r.K(^uint64(1 << b.At))).Or(statusShows(l, b).ZExt(ir.I32).Shl(r.K(uint64(b.At))))
	}
	return r
}

// statusBits are the bits of STATUS in other cells. docs/reference/gcn.md 4.5.
var statusBits = []isa.CompoundBit{{At: statusSCC, Cell: CellSCC}, {At: statusExecz, Shows: isa.ShowsZero, Cell: CellExec},
	{At: statusVccz, Shows: isa.ShowsZero, Cell: CellVCC}, {At: statusValid, Shows: isa.ShowsOne}}

func statusShows(l *isa.Lift, b isa.CompoundBit) V {
	switch {
	case b.Shows == isa.ShowsCell:
		return l.Get(b.Cell, ir.I1)
	case b.Shows == isa.ShowsOne:
		return l.I1(true)
	case b.Cell == CellExec:
		return ifEXECZ(l)
	}
	return vccz(l)
}

// s_setreg_b32 hwreg, ssrc and s_setreg_imm32_b32 hwreg, literal. A change of MODE ends the block, since what follows
// is lifted under the new mode. Registers other than MODE and TRAPSTS are not changed.
func liftSetReg(l *isa.Lift) {
	id, off, size := hwField(l.In.Get(nameSimm16))
	if !hwKnown(l, id) {
		return
	}
	x := l.Src(1)
	if !hwWritable(id) {
		return
	}
	c := ir.Cell{File: FileHW, Index: uint16(id)}
	old := l.Get(c, ir.I32)
	size = min(size, 32-off)
	m := old.K((1<<size - 1) << off)
	l.Set(c, m.Bfi(x.Shl(x.K(uint64(off))), old), V{})
	if id == hwMode {
		l.Jump(l.Next)
	}
}

func hwKnown(l *isa.Lift, id int) bool {
	if hwRegNames[id] == "" {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": no such hardware register")
		return false
	}
	return true
}

// setMode sets bits of MODE and ends the block.
func setMode(l *isa.Lift, bits uint32, to V) {
	setBits(l, CellMode, bits, to, l.Get(CellMode, ir.I32))
	l.Jump(l.Next)
}

func setBits(l *isa.Lift, c ir.Cell, bits uint32, to, old V) {
	l.Set(c, l.I32(bits).Bfi(to, old), V{})
}

// Parts of M0 as the index of vector operands: docs/reference/gcn.md 4.3.
const (
	m0Index    = 0xff
	m0Operands = 0xf000
)

// s_set_gpr_idx_on ssrc, operands.
func liftIndexOn(l *isa.Lift) {
	x, m0, mode := l.Src(0), l.Get(CellM0, ir.I32), l.Get(CellMode, ir.I32)
	setBits(l, CellM0, m0Index|m0Operands, x.And(x.K(m0Index)).Or(x.K(l.In.Get(nameSsrc1)&15<<12)), m0)
	setBits(l, CellMode, 1<<modeGPRIdx, l.I32(1<<modeGPRIdx), mode)
	l.Jump(l.Next)
}

// s_set_gpr_idx_off.
func liftIndexOff(l *isa.Lift) { setMode(l, 1<<modeGPRIdx, l.I32(0)) }

// s_set_gpr_idx_idx ssrc, and s_set_gpr_idx_mode operands.
func liftIndex(l *isa.Lift) {
	x := l.Src(0)
	setBits(l, CellM0, m0Index, x, l.Get(CellM0, ir.I32))
}

func liftIndexMode(l *isa.Lift) {
	setBits(l, CellM0, m0Operands, l.I32(uint32(l.In.Get(nameSimm16)&15<<12)), l.Get(CellM0, ir.I32))
}

// s_setvskip ssrc, bit.
func liftSetVSkip(l *isa.Lift) {
	on := bitTest(l.Src(0), l.Src(1))
	setMode(l, 1<<modeVSkip, on.ZExt(ir.I32).Shl(l.I32(modeVSkip)))
}

// s_setprio N: the priority is visible in STATUS.
func liftSetPrio(l *isa.Lift) {
	n := uint32(l.In.Get(nameSimm16) & 3 << statusPriority)
	setBits(l, CellStatus, 3<<statusPriority, l.I32(n), l.Get(CellStatus, ir.I32))
}

// Conditions that a debugger sets in STATUS.
func ifDebugUser(l *isa.Lift) V { return statusBit(l, statusCondDbgUser) }
func ifDebugSys(l *isa.Lift) V  { return statusBit(l, statusCondDbgSys) }
func ifDebugOr(l *isa.Lift) V   { return ifDebugUser(l).Or(ifDebugSys(l)) }
func ifDebugAnd(l *isa.Lift) V  { return ifDebugUser(l).And(ifDebugSys(l)) }

func statusBit(l *isa.Lift, n uint32) V {
	r := l.Get(CellStatus, ir.I32)
	return r.And(r.K(1 << n)).Ne(r.K(0))
}
