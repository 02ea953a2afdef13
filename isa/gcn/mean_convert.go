package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Semantics of vector instructions: conversions, division, cube maps, relative moves.

// rounding evaluates f under another rounding mode.
func rounding(b *ir.Builder, r num.Mode, f func() V) V {
	defer b.Float(b.Mode().WithRound(r))()
	return f()
}

// dstType returns the IR type of the row's result.
func dstType(l *isa.Lift) ir.Type { return entryOf(l).out.irType() }

// cvtInt and cvtUint truncate toward zero and clamp.
func cvtInt(l *isa.Lift) {
	a := l.Src(0)
	l.Dst(0, rounding(l.Builder, num.RZ, func() V { return a.FToS(dstType(l)) }))
}

func cvtUint(l *isa.Lift) {
	a := l.Src(0)
	l.Dst(0, rounding(l.Builder, num.RZ, func() V { return a.FToU(dstType(l)) }))
}

// cvtFlr is floor(a), cvtRpi floor(a + 0.5) with one exact sum.
func cvtFlr(l *isa.Lift) {
	a := l.Src(0)
	l.Dst(0, rounding(l.Builder, num.RDown, func() V { return a.FToS(ir.I32) }))
}

func cvtRpi(l *isa.Lift) {
	a := l.Src(0)
	l.Dst(0, rounding(l.Builder, num.RDown, func() V {
		exact := a.FCvt(ir.F64).FAdd(l.Const(ir.F64, pattern(64, 0.5)))
		return exact.FToS(ir.I32)
	}))
}

func cvtFromS(l *isa.Lift) { l.Dst(0, l.Src(0).SToF(dstType(l))) }
func cvtFromU(l *isa.Lift) { l.Dst(0, l.Src(0).UToF(dstType(l))) }
func cvtFloat(l *isa.Lift) { l.Dst(0, l.Src(0).FCvt(dstType(l))) }

// cvtOff is the signed nibble of a in sixteenths.
func cvtOff(a V) V {
	return a.SBfe(a.K(0), a.K(4)).SToF(ir.F32).FMul(a.B().Const(ir.F32, pattern(32, 1.0/16)))
}

func cvtByte0(a V) V { return byteAt(a, 0).UToF(ir.F32) }
func cvtByte1(a V) V { return byteAt(a, 1).UToF(ir.F32) }
func cvtByte2(a V) V { return byteAt(a, 2).UToF(ir.F32) }
func cvtByte3(a V) V { return byteAt(a, 3).UToF(ir.F32) }

// cvtPkU8 replaces a byte of c (or of the destination) by a as an unsigned byte.
func cvtPkU8(l *isa.Lift) {
	a, b, c := l.Src(0), l.Src(1), l.Src(2)
	u := a.FToU(ir.I32)
	u = u.UMin(u.K(255))
	at := b.And(b.K(3)).Shl(b.K(3))
	l.Dst(0, u.K(255).Shl(at).Bfi(u.Shl(at), c))
}

// pkNormS and pkNormU scale to normalised integers, rounding to nearest even; NaN gives 0. docs/reference/gcn.md 7.1.
func pkNormS(a, b V) V { return wordOf(norm(a, -1, 32767, V.FToS), norm(b, -1, 32767, V.FToS)) }
func pkNormU(a, b V) V { return wordOf(norm(a, 0, 65535, V.FToU), norm(b, 0, 65535, V.FToU)) }

func norm(a V, low, scale float64, to func(V, ir.Type) V) V {
	b := a.B()
	k := func(x float64) V { return b.Const(ir.F32, pattern(32, x)) }
	return rounding(b, num.RNE, func() V {
		x := a.FMinNum(k(1)).FMaxNum(k(low))
		x = a.FUnord(a).Select(k(0), x)
		return to(x.FMul(k(scale)), ir.I32).Trunc(ir.I16)
	})
}

// pkRTZ is two f16 rounded toward zero; their denormals follow the f16 bits of MODE.
func pkRTZ(l *isa.Lift) {
	a, b := l.Src(0), l.Src(1)
	defer l.Float(floatMode(l.Mode, f32, f16).WithRound(num.RZ))()
	l.Dst(0, wordOf(a.FCvt(ir.F16), b.FCvt(ir.F16)))
}

// Cube maps. docs/reference/gcn.md 7.2. major tells which axis has the largest magnitude; z wins ties, then y.
func major(x, y, z V) (isZ, isY V) {
	ax, ay, az := x.FAbs(), y.FAbs(), z.FAbs()
	isZ = ax.FLe(az).And(ay.FLe(az))
	return isZ, ax.FLe(ay)
}

func negative(a V) V { return a.FLt(a.B().Const(ir.F32, 0)) }

// byAxis selects by major axis.
func byAxis(x, y, z, ifX, ifY, ifZ V) V {
	isZ, isY := major(x, y, z)
	return isZ.Select(ifZ, isY.Select(ifY, ifX))
}

func cubeID(x, y, z V) V {
	k := func(f float64) V { return x.B().Const(ir.F32, pattern(32, f)) }
	face := func(a V, plus, minus float64) V { return negative(a).Select(k(minus), k(plus)) }
	return byAxis(x, y, z, face(x, 0, 1), face(y, 2, 3), face(z, 4, 5))
}

func cubeSC(x, y, z V) V {
	return byAxis(x, y, z, negative(x).Select(z, z.FNeg()), x, negative(z).Select(x.FNeg(), x))
}

func cubeTC(x, y, z V) V {
	return byAxis(x, y, z, y.FNeg(), negative(y).Select(z.FNeg(), z), y.FNeg())
}

func cubeMA(x, y, z V) V {
	m := byAxis(x, y, z, x, y, z)
	return m.FMul(x.B().Const(ir.F32, pattern(32, 2)))
}

// Relative moves: the index is M0. docs/reference/gcn.md 7.6.
func liftMovrels(l *isa.Lift) {
	x := relative(l, l.In.Get(nameSrc0))
	l.Dst(0, x)
}

func liftMovreld(l *isa.Lift) {
	x := l.Src(0)
	m0 := l.Get(CellM0, ir.I32)
	l.SetX(VGPR(int(l.In.Get(nameVdst))), m0, x, l.Mask())
}

func liftMovrelsd(l *isa.Lift) {
	x := relative(l, l.In.Get(nameSrc0))
	m0 := l.Get(CellM0, ir.I32)
	l.SetX(VGPR(int(l.In.Get(nameVdst))), m0, x, l.Mask())
}

// relative is the VGPR of a source code plus M0.
func relative(l *isa.Lift, code uint64) V {
	if code < codeVGPR {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": the source is no VGPR")
		return l.I32(0)
	}
	return l.GetX(VGPR(int(code-codeVGPR)), l.Get(CellM0, ir.I32), l.Mask(), ir.I32)
}
