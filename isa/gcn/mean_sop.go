package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of scalar instructions. docs/reference/gcn.md 4.

// scalarLift is how the forms of scalar instructions read sources and write results.
var scalarLift = &isa.Form{Src: readSource, Dst: writeResult}

func readSCC(l *isa.Lift, _ *source) V      { return l.Get(CellSCC, ir.I1) }
func readSdst(l *isa.Lift, s *source) V     { return scalar(l, int(l.In.Get(nameSdst)), s.t.words()) }
func readSimm(l *isa.Lift, _ *source) V     { return l.I32(uint32(int32(int16(l.In.Get(nameSimm16))))) }
func readUimm(l *isa.Lift, _ *source) V     { return l.I32(uint32(l.In.Get(nameSimm16))) }
func writeSCC(l *isa.Lift, _ *result, x V)  { l.Set(CellSCC, x, V{}) }
func writeSdst(l *isa.Lift, _ *result, x V) { setScalar(l, int(l.In.Get(nameSdst)), x) }

// nonZero returns a result and the condition that it is not 0; nonZero1 is the same with one source.
func nonZero(m isa.Binary) isa.Binary2 {
	return func(a, b V) (V, V) {
		r := m(a, b)
		return r, r.Ne(r.K(0))
	}
}

func nonZero1(m isa.Unary) eff {
	return func(l *isa.Lift) {
		r := m(l.Src(0))
		l.Dst(0, r)
		l.Dst(1, r.Ne(r.K(0)))
	}
}

func addCarryS(a, b V) (V, V)  { return a.AddC(b, a.B().I1(false)) }
func subBorrowS(a, b V) (V, V) { return a.SubB(b, a.B().I1(false)) }

func minSS(a, b V) (V, V) { c := a.SLt(b); return c.Select(a, b), c }
func minSU(a, b V) (V, V) { c := a.ULt(b); return c.Select(a, b), c }
func maxSS(a, b V) (V, V) { c := b.SLt(a); return c.Select(a, b), c }
func maxSU(a, b V) (V, V) { c := b.ULt(a); return c.Select(a, b), c }

func cselect(a, b, scc V) V { return scc.Select(a, b) }
func cmov(a, old, scc V) V  { return scc.Select(a, old) }

func andNot(a, b V) V { return a.And(b.Not()) }
func orNot(a, b V) V  { return a.Or(b.Not()) }
func notAnd(a, b V) V { return a.And(b).Not() }
func notOr(a, b V) V  { return a.Or(b).Not() }
func notXor(a, b V) V { return a.Xor(b).Not() }

// shiftBy takes the count as a 32-bit value; shifts are modulo the width of a.
func shiftBy(m isa.Binary) isa.Binary {
	return func(a, n V) V { return m(a, resize(n, a.Type(), false)) }
}

func bfm64(a, b V) V { return a.ZExt(ir.I64).Bfm(b.ZExt(ir.I64)) }

// bfeParts returns the offset and the width (0 to 127) of a scalar bit field.
func bfeParts(a, b V) (off, width V) {
	t := a.Type()
	off = resize(b.And(b.K(uint64(t.Bits()-1))), t, false)
	width = resize(b.ShrU(b.K(16)).And(b.K(0x7f)), t, false)
	return off, width
}

// bfeU returns width bits of a from off up; a field that extends past the top ends there.
func bfeU(a, b V) V {
	off, width := bfeParts(a, b)
	m := width.K(1).ShlX(width).Sub(width.K(1)) // all ones from width n on
	return a.ShrU(off).And(m)
}

// bfeS is bfeU sign-extended from its top bit; past the top that is the sign of a.
func bfeS(a, b V) V {
	off, width := bfeParts(a, b)
	n := width.K(uint64(a.Type().Bits()))
	up := n.USubSat(width)
	r := a.ShrS(off).ShlX(up).ShrS(up.And(n.Sub(n.K(1))))
	return width.Eq(n.K(0)).Select(n.K(0), r)
}

func absS(a V) V       { return a.SLt(a.K(0)).Select(a.Neg(), a) }
func absDiff(a, b V) V { return absS(a.Sub(b)) }

func wqm(a V) V {
	q := quadBits(a)
	return q.Or(q.Shl(q.K(1))).Or(q.Shl(q.K(2))).Or(q.Shl(q.K(3)))
}

// quadBits has bit 4i set if any of bits 4i to 4i+3 of a is.
func quadBits(a V) V {
	x := a.Or(a.ShrU(a.K(1)))
	x = x.Or(x.ShrU(x.K(2)))
	return x.And(x.K(0x1111111111111111))
}

// quadMask gathers every fourth bit of quadBits.
func quadMask(a V) V {
	x := quadBits(a)
	for _, s := range []struct{ shift, keep uint64 }{{3, 0x0303030303030303}, {6, 0x000f000f000f000f}, {12, 0x000000ff000000ff}, {24, 0xffff}} {
		if s.shift < uint64(a.Type().Bits()) {
			x = x.Or(x.ShrU(x.K(s.shift))).And(x.K(s.keep))
		}
	}
	return x
}

func low32(a V) V     { return resize(a, ir.I32, false) }
func bcnt1(a V) V     { return low32(a.Popcount()) }
func bcnt0(a V) V     { return low32(a.Not().Popcount()) }
func firstOne(a V) V  { return orMinus1(a.Eq(a.K(0)), a.Ctz()) }
func firstZero(a V) V { return firstOne(a.Not()) }
func signBits(a V) V {
	n := a.ClsS()
	return orMinus1(n.Eq(n.K(uint64(a.Type().Bits()))), n)
}
func leadingZeros(a V) V { return orMinus1(a.Eq(a.K(0)), a.Clz()) }

// orMinus1 returns -1 if none, else n, as 32 bits.
func orMinus1(none, n V) V {
	n = low32(n)
	return none.Select(n.K(^uint64(0)), n)
}

func sext8(a V) V  { return a.Trunc(ir.I8).SExt(ir.I32) }
func sext16(a V) V { return a.Trunc(ir.I16).SExt(ir.I32) }

func oneAt(n, d V) V    { n = resize(n, d.Type(), false); return n.K(1).Shl(n) }
func bitSet(n, d V) V   { return d.Or(oneAt(n, d)) }
func bitClear(n, d V) V { return d.And(oneAt(n, d).Not()) }
func bitTest(a, n V) V  { return a.And(oneAt(n, a)).Ne(a.K(0)) }

// s_OP_saveexec_b64 sdst, ssrc.
func saveExec(m isa.Binary) eff {
	return func(l *isa.Lift) {
		a := l.Src(0)
		old := execBits(l)
		r := m(a, old)
		l.Dst(0, old)
		l.Set(CellExec, r.Lanes(), V{})
		l.Set(CellSCC, r.Ne(r.K(0)), V{})
	}
}

// s_getpc_b64 sdst.
func liftGetPC(l *isa.Lift) { l.Dst(0, l.I64(l.Next)) }

// s_setpc_b64 ssrc: the low two bits are ignored.
func liftSetPC(l *isa.Lift) { l.JumpX(codeAddress(l.Src(0))) }

// s_swappc_b64 sdst, ssrc.
func liftSwapPC(l *isa.Lift) {
	to := codeAddress(l.Src(0))
	l.Dst(0, l.I64(l.Next))
	l.JumpX(to)
}

func codeAddress(a V) V { return a.And(a.K(^uint64(3))) }

// s_movrels_b32, _b64 sdst, ssrc: the register at ssrc + M0.
func liftSMovrels(l *isa.Lift) {
	n := int(l.In.Get(nameSsrc0))
	if n >= codeInt0 {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": the source is no register")
		return
	}
	m0 := l.Get(CellM0, ir.I32)
	x := l.GetX(SGPR(n), m0, ir.V{}, ir.I32)
	if entryOf(l).src[0].t == b64 {
		x = x.Pack(l.GetX(SGPR(n+1), m0, ir.V{}, ir.I32), ir.I64)
	}
	l.Dst(0, x)
}

// s_movreld_b32, _b64 sdst, ssrc: the register at sdst + M0.
func liftSMovreld(l *isa.Lift) {
	x := l.Src(0)
	m0 := l.Get(CellM0, ir.I32)
	n := int(l.In.Get(nameSdst))
	if x.Type() == ir.I64 {
		lo, hi := x.Unpack(ir.I32)
		l.SetX(SGPR(n), m0, lo, V{})
		l.SetX(SGPR(n+1), m0, hi, V{})
		return
	}
	l.SetX(SGPR(n), m0, x, V{})
}
