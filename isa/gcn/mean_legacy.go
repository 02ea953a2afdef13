package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of vector instructions that later generations dropped, or whose results differ between generations.
// docs/reference/gcn.md 7.1 and 7.6.

// minLegacy and maxLegacy compare and select: b if either is NaN. Denormals are flushed according to MODE.
func minLegacy(a, b V) V { return a.FLt(b).Select(a, b).FCanon() }
func maxLegacy(a, b V) V { return b.FLe(a).Select(a, b).FCanon() }

// infinite returns a function that replaces infinite results, keeping their sign.
func infinite(m isa.Unary, instead func(a V) V) isa.Unary {
	return func(a V) V {
		r := m(a)
		n := r.Type().Bits()
		sign := r.As(ir.IntOf(n)).And(r.B().Const(ir.IntOf(n), 1<<(n-1)))
		return isInf(r).Select(instead(r).As(ir.IntOf(n)).Or(sign).As(r.Type()), r)
	}
}

// largest returns the largest finite number of a's format, and nothing +0.
func largest(a V) V {
	f := formatOf(a)
	return a.B().Const(a.Type(), uint64(f.expMax)<<f.mant-1)
}

func nothing(a V) V { return a.B().Const(a.Type(), 0) }

func clampedFn(m isa.Unary) isa.Unary { return infinite(m, largest) }
func legacyFn(m isa.Unary) isa.Unary  { return infinite(m, nothing) }

// mullit is a * b with a product of +0 if either factor is zero, for specular light: -FLT_MAX if c is not above 0, or
// b is the least number, -infinity or NaN; the VOP3 page does not mention b.
func mullit(l *isa.Lift) {
	a, b, c := l.Src(0), l.Src(1), l.Src(2)
	lit := c.B().Const(ir.F32, 0).FLt(c)
	least := c.B().Const(ir.F32, 0xff7fffff)
	if l.Option(optMullit) == mullitR600 {
		lit = lit.And(least.FLt(b))
	}
	l.Dst(0, lit.Select(a.FMulZ(b), least))
}

// fract6 and similar ones are the results of gfx6, if the option says that its faults are present.
func fract6(l *isa.Lift) {
	a := l.Src(0)
	if l.Option(optFaults) == faultsAbsent {
		l.Dst(0, a.FFract())
		return
	}
	l.Dst(0, a.FSub(a.FFloor())) // rounded: 1 for the least negative numbers
}

func frexpExp6(l *isa.Lift) {
	a := l.Src(0)
	r := a.FFrexpExp()
	if l.Option(optFaults) != faultsAbsent {
		r = isInf(a).Or(isNaN(a)).Select(r.K(^uint64(0)), r)
	}
	l.Dst(0, r)
}

func frexpMant6(l *isa.Lift) {
	a := l.Src(0)
	r := a.FFrexpMant()
	if l.Option(optFaults) != faultsAbsent {
		f, n := formatOf(a), a.Type().Bits()
		nan := uint64(f.expMax)<<f.mant | 1<<(f.mant-1) | 1<<(n-1)
		r = isInf(a).Select(l.Const(a.Type(), nan), r)
	}
	l.Dst(0, r)
}

// v_mqsad_u32_u8 vdst, a, b, c: four sums as v_mqsad_pk_u16_u8 makes them, added to the four dwords of c.
func mqsadU32(l *isa.Lift) {
	a, b := l.Src(0), l.Src(1)
	var c, out [4]V
	for i := range c {
		c[i] = wordOf128(l, int(l.In.Get(nameSrc2)), i)
	}
	for i := range out {
		sum := differences(a.Extract(8*i, ir.I32), b, ir.I8, true)
		if l.Option(optQuadSums) == sumsSaturate || clamped(l) {
			out[i] = c[i].UAddSat(sum)
		} else {
			out[i] = c[i].Add(sum)
		}
	}
	setVGPROf4(l, out)
}

// wordOf128 returns dword i of a source of four registers; of a constant, dwords from the second on are 0, or its
// sign.
func wordOf128(l *isa.Lift, code, i int) V {
	switch {
	case code >= codeVGPR && indexes(l) && code-codeVGPR+4 <= machine.Files[FileV].Count:
		n := code - codeVGPR
		return l.GetX(VGPR(n+i), gprIndex(l, 2, n, 4), l.Exec(), ir.I32)
	case code >= codeVGPR:
		return l.Get(VGPR(code-codeVGPR+i), ir.I32)
	case code < codeInt0:
		return operand(l, code+i, b32)
	case i == 0:
		return operand(l, code, b32)
	}
	x := operand(l, code, b64)
	return low32(x.ShrS(x.K(63)))
}

// setVGPROf4 writes a destination of four registers.
func setVGPROf4(l *isa.Lift, vs [4]V) {
	n := field(l, nameVdst)
	if !indexes(l) || n+4 > machine.Files[FileV].Count {
		setWords(l, n, vs[:], l.Mask())
		return
	}
	at := gprIndex(l, slotDst, n, 4)
	for i, v := range vs {
		l.SetX(VGPR(n+i), at, v, l.Mask())
	}
}
