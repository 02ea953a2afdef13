package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// How the forms of vector instructions read sources and write results.

var (
	vectorLift = &isa.Form{Src: readSource, Dst: writeResult, Before: beforeVector}
	dppLift    = &isa.Form{Src: readSource, Dst: writeResult, Before: beforeDPP}
)

// What beforeDPP keeps for the rest of the instruction.
const keptDPP = 0 // source 0 as the DPP control delivers it

// beforeVector sets the float mode of a row: its input and result types under MODE.
func beforeVector(l *isa.Lift) {
	e := entryOf(l)
	in, out := e.in, e.out
	switch {
	case in == none && !out.float():
		in, out = f32, f32
	case in == none:
		in = out
	}
	l.Float(floatMode(l.Mode, in, out))
}

// readAcc returns the old value of the destination.
func readAcc(l *isa.Lift, s *source) V { return vgprOf(l, int(l.In.Get(nameVdst)), s.t, slotDst) }

// readVCC returns vcc as a lane mask.
func readVCC(l *isa.Lift, _ *source) V { return scalar(l, codeVCC, 2).Lanes() }

// readMask returns the lane mask in the SGPR pair of a source code.
func readMask(l *isa.Lift, s *source) V {
	code := int(l.In.Get(s.at))
	if code >= codeVGPR {
		l.Fail(ir.TrapReserved, l.In.Def.Name+": a lane mask cannot be in VGPRs")
		return l.I1(false)
	}
	return operand(l, code, mask).Lanes()
}

// readLiteral returns the constant that follows the instruction.
func readLiteral(l *isa.Lift, s *source) V {
	return l.Const(s.t.irType(), literalValue(l.In.Literal(), s.t))
}

// readCode returns what a source code names, readVGPR a vector register.
func readCode(l *isa.Lift, s *source) V {
	code := int(l.In.Get(s.at))
	if code >= codeVGPR {
		return vgprOf(l, code-codeVGPR, s.t, s.n)
	}
	return operand(l, code, s.t)
}

func readVGPR(l *isa.Lift, s *source) V { return vgprOf(l, int(l.In.Get(s.at)), s.t, s.n) }

// readVOP3 returns a source of VOP3. Rows without modifiers still obey their bits, on the sign bit of each source,
// unless the option says that they do not: docs/reference/gcn.md 2.5 no. 4.
func readVOP3(l *isa.Lift, s *source) V {
	if !l.In.Has(nameSrc0Neg+s.n) && l.Option(optSigns) != signsObeyed {
		return readCode(l, s)
	}
	neg := l.In.Field(nameSrc0Neg+s.n) != 0
	abs := l.In.HasField(nameSrc0Abs+s.n) && l.In.Field(nameSrc0Abs+s.n) != 0
	return signed(readCode(l, s), neg, abs)
}

// readDPP returns source 0 of DPP as other lanes deliver it, readPlain another source.
func readDPP(l *isa.Lift, s *source) V   { return modified(l, s, l.Scratch[keptDPP]) }
func readPlain(l *isa.Lift, s *source) V { return modified(l, s, readVGPR(l, s)) }

// modified applies the modifiers that the row has. docs/reference/gcn.md 3.
func modified(l *isa.Lift, s *source, x V) V {
	return signed(x, l.In.Opt(nameSrc0Neg+s.n) != 0, l.In.Opt(nameSrc0Abs+s.n) != 0)
}

// signed applies abs, then neg.
func signed(x V, neg, abs bool) V {
	t := x.Type()
	if abs {
		x = x.As(ir.FloatOf(t.Bits())).FAbs()
	}
	if neg {
		x = x.As(ir.FloatOf(t.Bits())).FNeg()
	}
	return x.As(t)
}

// writeVCC and writeMask write a lane mask, 0 in lanes that are not active: to vcc, or the SGPR pair that VOP3 names.
func writeVCC(l *isa.Lift, _ *result, x V) { setScalar(l, codeVCC, x.Ballot(l.Mask())) }
func writeMask(l *isa.Lift, r *result, x V) {
	setScalar(l, int(l.In.Get(r.at)), x.Ballot(l.Mask()))
}

// writeVGPR writes a vector register, writeSelected the part of one that SDWA selects.
func writeVGPR(l *isa.Lift, r *result, x V) {
	setVGPROf(l, int(l.In.Get(nameVdst)), outputMods(l, r.t, x), l.Mask())
}

func writeSelected(l *isa.Lift, r *result, x V) {
	n := int(l.In.Get(nameVdst))
	setVGPROf(l, n, placed(l, n, outputMods(l, r.t, x)), l.Mask())
}

// outputMods applies omod, then clamp, to a float result. Denormals are kept or flushed for both as MODE says for
// results of the type. omod is ignored if MODE keeps them or IEEE is set; -0 becomes +0 before it scales.
// docs/reference/gcn.md 3.
func outputMods(l *isa.Lift, t typ, x V) V {
	omod, clamp := l.In.Opt(nameOmod), l.In.Opt(nameClamp) != 0
	if l.Mode>>modeIEEE&1 != 0 || l.Mode>>denormOut(t)&1 != 0 {
		omod = 0
	}
	if t.float() && (omod != 0 || clamp) {
		defer l.Float(outputMode(l.Mode, t))()
		if omod != 0 {
			zero := l.Const(x.Type(), 0)
			factor := l.Const(x.Type(), pattern(t.bits(), [...]float64{1, 2, 4, 0.5}[omod]))
			x = x.FEq(zero).Select(zero, x).FMul(factor)
		}
		if clamp {
			x = x.FSat()
		}
	}
	if !x.Type().IsFloat() || x.Type().Bits() != 32 {
		x = x.As(ir.IntOf(x.Type().Bits()))
	}
	return x
}

// outputMode returns the mode of operations on a result of the type: input and output denormals follow the bit of
// results.
func outputMode(mode uint32, t typ) num.Mode {
	m := floatMode(mode, t, t) &^ num.FlushIn
	if m&num.FlushOut != 0 {
		m |= num.FlushIn
	}
	return m
}

// denormOut returns the bit of MODE that keeps denormal results of the type.
func denormOut(t typ) int {
	if t == f32 {
		return modeDenorm32 + 1
	}
	return modeDenorm64 + 1
}

// readSelected returns the part of a register that an SDWA source selects, extended to the type.
// docs/reference/gcn.md 7.7.
func readSelected(l *isa.Lift, s *source) V {
	at, piece := selection(int(l.In.Get(nameSrc0Sel + s.n)))
	r := vgprOf(l, int(l.In.Get(s.at)), b32, s.n)
	x := r
	if piece != ir.I32 {
		x = r.Extract(at, piece)
	}
	sext := l.In.Opt(nameSrc0Sext+s.n) != 0
	return modified(l, s, resize(x, ir.IntOf(s.t.bits()), sext).As(s.t.irType()))
}

// selection returns the position and type of the part that a SEL code names.
func selection(sel int) (at int, t ir.Type) {
	switch {
	case sel < 4:
		return 8 * sel, ir.I8
	case sel < 6:
		return 16 * (sel - 4), ir.I16
	}
	return 0, ir.I32
}

func resize(x V, t ir.Type, sext bool) V {
	switch {
	case x.Type().Bits() > t.Bits():
		return x.Trunc(t)
	case sext:
		return x.SExt(t)
	}
	return x.ZExt(t)
}

// placed puts an SDWA result where DST_SEL says; DST_UNUSED is 0 zeros, 1 sign above and zeros below, 2 the old bits.
func placed(l *isa.Lift, n int, x V) V {
	at, piece := selection(int(l.In.Get(nameDstSel)))
	x = resize(x.As(ir.IntOf(x.Type().Bits())), piece, false)
	if piece == ir.I32 {
		return x
	}
	switch l.In.Get(nameDstUnused) {
	case 1:
		return x.SExt(ir.I32).Shl(l.I32(uint32(at)))
	case 2:
		return vgprOf(l, n, b32, slotDst).Insert(x, at)
	}
	return l.I32(0).Insert(x, at)
}

// beforeDPP reads source 0 from the lanes that DPP_CTRL names and guards the lanes that receive nothing.
func beforeDPP(l *isa.Lift) {
	beforeVector(l)
	lane, valid := dppLane(l, int(l.In.Get(nameDPPCtrl)))
	exec := l.Exec()
	src := vgprOf(l, int(l.In.Get(nameSrc0)), entryOf(l).src[0].t, 0)
	if valid.Valid() { // out of range: a lane that does not exist
		lane = valid.Select(lane, l.I32(ir.MaxLanes))
	}
	x, ok := src.ShuffleIn(dppGroup(int(l.In.Get(nameDPPCtrl))), lane, exec)
	l.Scratch[keptDPP] = x // 0 where there is no source
	guard := V{}
	if l.In.Get(nameBoundCtrl) == 0 {
		guard = ok
	}
	if m := enabledLanes(l.In.Get(nameRowMask), l.In.Get(nameBankMask)); m != ^uint64(0) {
		g := l.I64(m).Lanes()
		if guard.Valid() {
			g = g.And(guard)
		}
		guard = g
	}
	if guard.Valid() {
		l.Guard(guard)
	}
}

// enabledLanes returns the mask of lanes whose row of 16 and bank of 4 are enabled.
func enabledLanes(rows, banks uint64) (m uint64) {
	for i := range 64 {
		m |= rows >> (i / 16) & (banks >> (i / 4 % 4)) & 1 << i
	}
	return m
}

// dppGroup returns the size of the groups of lanes that DPP_CTRL stays in: a quad, a row, or 0 for the wave.
func dppGroup(ctrl int) int {
	switch {
	case ctrl < 0x100: // quad_perm
		return 4
	case ctrl < 0x130, ctrl == 0x140, ctrl == 0x141: // row_*
		return 16
	}
	return 0
}

// dppLane returns the lane that each lane reads, and whether it is in range if the shuffle does not check that
// itself. docs/reference/gcn.md 7.7.
func dppLane(l *isa.Lift, ctrl int) (lane, valid V) {
	id := l.LaneID()
	k := func(x int) V { return l.I32(uint32(x)) }
	inRow := id.And(k(15))
	n := ctrl & 15
	switch {
	case ctrl < 0x100: // quad_perm
		perm := k(ctrl).ShrU(id.And(k(3)).Shl(k(1))).And(k(3))
		return id.And(k(60)).Or(perm), V{}
	case ctrl < 0x110: // row_shl: lane i reads i+n
		return id.Add(k(n)), inRow.ULt(k(16 - n))
	case ctrl < 0x120: // row_shr
		return id.Sub(k(n)), k(n).ULe(inRow)
	case ctrl < 0x130: // row_ror
		return id.And(k(48)).Or(inRow.Sub(k(n)).And(k(15))), V{}
	}
	switch ctrl {
	case 0x130: // wave_shl
		return id.Add(k(1)), V{}
	case 0x134: // wave_rol
		return id.Add(k(1)).And(k(63)), V{}
	case 0x138: // wave_shr
		return id.Sub(k(1)), V{}
	case 0x13c: // wave_ror
		return id.Sub(k(1)).And(k(63)), V{}
	case 0x140: // row_mirror
		return id.Xor(k(15)), V{}
	case 0x141: // row_half_mirror
		return id.Xor(k(7)), V{}
	case 0x142: // row_bcast:15
		return id.And(k(48)).Sub(k(1)), V{}
	}
	return k(31), k(32).ULe(id) // row_bcast:31
}
