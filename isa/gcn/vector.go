package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// vectorDefs are the rows of VOP1, VOP2, VOPC and VOP3 in all their forms.
func vectorDefs() (ds []isa.Def) {
	add := func(rows []valu, shapes ...shape) {
		for i := range rows {
			r := &rows[i]
			if r.op8 == _____ {
				continue
			}
			for _, sh := range shapes {
				if sh.fits(r) {
					ds = append(ds, r.def(sh))
				}
			}
		}
	}
	add(vop1, shape{vop1VI, "_e32", keep, 0, (*argBuilder).e32}, shape{vop3VI, "_e64", plus(0x140), 1, (*argBuilder).e64},
		shape{vop1SDWA, "_sdwa", keep, 2, (*argBuilder).sdwa}, shape{vop1DPP, "_dpp", keep, 3, (*argBuilder).dpp})
	add(vop2, shape{vop2VI, "_e32", keep, 0, (*argBuilder).e32}, shape{vop2kVI, "", keep, 0, (*argBuilder).e32},
		shape{vop3VI, "_e64", plus(0x100), 1, (*argBuilder).e64},
		shape{vop2SDWA, "_sdwa", keep, 2, (*argBuilder).sdwa}, shape{vop2DPP, "_dpp", keep, 3, (*argBuilder).dpp})
	add(vopc(), shape{vopcVI, "_e32", keep, 0, (*argBuilder).e32}, shape{vop3VI, "_e64", keep, 1, (*argBuilder).e64},
		shape{vopcSDWA, "", keep, 2, (*argBuilder).sdwa})
	add(vop3, shape{vop3VI, "", keep, 1, (*argBuilder).e64})
	return append(ds, laneDefs()...)
}

// fits reports whether a row has the form. 64-bit operands have no SDWA form; LLVM decodes their DPP forms.
func (sh *shape) fits(r *valu) bool {
	v := newVop(r)
	k := false
	_, src := signature(r.sig)
	for _, s := range src {
		k = k || s == "K"
	}
	switch sh.enc {
	case vop2kVI:
		return k
	case vop2VI:
		return !k
	case vop1SDWA, vop2SDWA, vopcSDWA:
		wide := v.dst.words() > 1 && v.dst != mask
		for _, t := range v.src {
			wide = wide || t.words() > 1 && t != mask
		}
		return !r.flag(noSDWA) && !wide
	case vop1DPP, vop2DPP:
		return !r.flag(noDPP)
	}
	return !r.flag(noVOP3)
}

// vectorForm reads sources and writes results of every vector form.
var vectorForm = &isa.Form{Src: vectorSrc, Dst: vectorDst, Before: vectorBefore}

// What vectorBefore keeps for the rest of the instruction.
const keptDPP = 0 // source 0 as the DPP control delivers it

func theVop(l *isa.Lift) *vop { return l.In.Def.Data.(*vop) }

// inType is the type whose denormal rule the inputs follow: that of the first float source.
func (v *vop) inType() typ {
	for _, t := range v.src {
		if t.float() {
			return t
		}
	}
	return none
}

// floats sets the float mode of a row: its input and result types under MODE.
func (v *vop) floats(l *isa.Lift) {
	in, out := v.inType(), v.dst
	switch {
	case in == none && !out.float():
		in, out = f32, f32
	case in == none:
		in = out
	}
	l.Float(floatMode(l.Mode, in, out))
}

func vectorBefore(l *isa.Lift) {
	v := theVop(l)
	v.floats(l)
	if enc := l.In.Def.Enc; enc == vop1DPP || enc == vop2DPP {
		liftDPP(l, v)
	}
}

// vectorSrc is source i with its modifiers: selection and sign extension, then abs, then neg. docs/reference/gcn.md 3.
func vectorSrc(l *isa.Lift, i int) V {
	v := theVop(l)
	a, t := v.args[i], v.src[i]
	switch {
	case a == nil:
		return vgpr(l, int(l.In.Get(nameVdst)), t)
	case a.Name == "cin":
		return scalar(l, codeVCC, 2).Lanes()
	case a.Name == "k":
		return l.Const(t.irType(), literalValue(l.In.Literal(), t))
	case t == mask:
		return maskOperand(l, int(a.Get(l.In.Word)))
	}
	return sourceMods(l, a, i, rawSource(l, v, a, i, t))
}

// maskOperand is the lane mask in the SGPR pair of a source code.
func maskOperand(l *isa.Lift, code int) V {
	if code >= codeVGPR {
		l.Fail(ir.TrapReserved, l.In.Def.Name+": a lane mask cannot be in VGPRs")
		return l.I1(false)
	}
	return operand(l, code, mask).Lanes()
}

// rawSource is source i before abs and neg.
func rawSource(l *isa.Lift, v *vop, a *isa.Arg, i int, t typ) V {
	n := int(a.Get(l.In.Word))
	switch l.In.Def.Enc {
	case vop1SDWA, vop2SDWA, vopcSDWA:
		return selected(l, l.Get(VGPR(n), ir.I32), a, i, t)
	case vop1DPP, vop2DPP:
		if i == 0 {
			return l.Scratch[keptDPP]
		}
		return vgpr(l, n, t)
	case vop1VI, vop2VI, vopcVI, vop2kVI:
		if a.Name == "src1" {
			return vgpr(l, n, t)
		}
	}
	return operand(l, n, t)
}

// sourceMods applies abs, then neg. Rows without them still obey the bits of VOP3, on the sign bit of each
// source: docs/reference/gcn.md 2.5 no. 4.
func sourceMods(l *isa.Lift, a *isa.Arg, i int, x V) V {
	name := isa.Name(i)
	neg, abs := l.In.Opt(nameSrc0Neg+name) != 0, l.In.Opt(nameSrc0Abs+name) != 0
	if l.In.Def.Enc == vop3VI {
		neg = l.In.Field(nameSrc0Neg+name) != 0
		abs = !theVop(l).cout && l.In.Field(nameSrc0Abs+name) != 0
	}
	t := x.Type()
	if abs {
		x = x.As(ir.FloatOf(t.Bits())).FAbs()
	}
	if neg {
		x = x.As(ir.FloatOf(t.Bits())).FNeg()
	}
	return x.As(t)
}

// vectorDst writes result i. Result 0 of a compare and result 1 are lane masks.
func vectorDst(l *isa.Lift, i int, x V) {
	v := theVop(l)
	if i == 1 || v.dst == mask {
		setMask(l, v, x)
		return
	}
	x = outputMods(l, v, x)
	if !x.Type().IsFloat() || x.Type().Bits() != 32 {
		x = x.As(ir.IntOf(x.Type().Bits()))
	}
	n := int(l.In.Get(nameVdst))
	switch l.In.Def.Enc {
	case vop1SDWA, vop2SDWA:
		x = placed(l, n, x)
	}
	setVGPR(l, n, x, l.Mask())
}

// setMask writes a lane mask, 0 in lanes that are not active: to vcc, or the SGPR pair that VOP3 names.
func setMask(l *isa.Lift, v *vop, x V) {
	code := codeVCC
	if l.In.Def.Enc == vop3VI {
		code = int(l.In.Opt(nameSdst))
		if v.dst == mask {
			code = int(l.In.Get(nameVdst))
		}
	}
	b := x.Ballot(l.Mask())
	setScalar(l, code, b)
}

// outputMods applies omod, then clamp, to a float result. omod is ignored when output denormals are kept or
// MODE.IEEE is set. docs/reference/gcn.md 3.
func outputMods(l *isa.Lift, v *vop, x V) V {
	if !v.dst.float() {
		return x
	}
	if m := l.In.Opt(nameOmod); m != 0 && l.Mode>>modeIEEE&1 == 0 && l.Mode>>denormOut(v.dst)&1 == 0 {
		factor := l.Const(x.Type(), pattern(v.dst.bits(), [...]float64{1, 2, 4, 0.5}[m]))
		x = x.FMul(factor).FAdd(l.Const(x.Type(), 0)) // -0 becomes +0
	}
	if l.In.Opt(nameClamp) != 0 {
		x = x.FSat()
	}
	return x
}

// denormOut is the bit of MODE that keeps denormal results of the type.
func denormOut(t typ) int {
	if t == f32 {
		return modeDenorm32 + 1
	}
	return modeDenorm64 + 1
}

// selected is the part of a register that an SDWA source selects, extended to the type. docs/reference/gcn.md 7.7.
func selected(l *isa.Lift, r V, a *isa.Arg, i int, t typ) V {
	at, piece := selection(int(l.In.Get(nameSrc0Sel + isa.Name(i))))
	x := r
	if piece != ir.I32 {
		x = r.Extract(at, piece)
	}
	want := ir.IntOf(t.bits())
	sext := l.In.Opt(nameSrc0Sext+isa.Name(i)) != 0
	return resize(x, want, sext).As(t.irType())
}

// selection is the place and type of the part that a SEL code names.
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
		return l.Get(VGPR(n), ir.I32).Insert(x, at)
	}
	return l.I32(0).Insert(x, at)
}

// liftDPP reads source 0 from the lanes that DPP_CTRL names and guards the lanes that receive nothing.
func liftDPP(l *isa.Lift, v *vop) {
	lane, valid := dppLane(l, int(l.In.Get(nameDPPCtrl)))
	exec := l.Exec()
	src := vgpr(l, int(l.In.Get(nameSrc0)), v.src[0])
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

// enabledLanes is the mask of lanes whose row of 16 and bank of 4 are enabled.
func enabledLanes(rows, banks uint64) (m uint64) {
	for i := range 64 {
		m |= rows >> (i / 16) & (banks >> (i / 4 % 4)) & 1 << i
	}
	return m
}

// dppGroup is the size of the groups of lanes that DPP_CTRL stays in: a quad, a row, or 0 for the wave.
func dppGroup(ctrl int) int {
	switch {
	case ctrl < 0x100: // quad_perm
		return 4
	case ctrl < 0x130, ctrl == 0x140, ctrl == 0x141: // row_*
		return 16
	}
	return 0
}

// dppLane is the lane that each lane reads, and whether it is in range where the shuffle does not see that
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
