package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Semantics of vector arithmetic. docs/reference/gcn.md 7.1 and 7.6.

func liftNop(*isa.Lift) {}

func move(a V) V           { return a }
func cndmask(a, b, m V) V  { return m.Select(b, a) }
func bcnt(a, b V) V        { return a.Popcount().Add(b) }
func shl64(n, x V) V       { return x.Shl(n.ZExt(ir.I64)) }
func shr64(n, x V) V       { return x.ShrU(n.ZExt(ir.I64)) }
func sar64(n, x V) V       { return x.ShrS(n.ZExt(ir.I64)) }
func alignBit(a, b, c V) V { return a.FShr(b, c) }
func ldexp16(a, b V) V     { return a.FLdexp(b.SExt(ir.I32)) }
func frexpExp16(a V) V     { return a.FFrexpExp().Trunc(ir.I16) }

func alignByte(a, b, c V) V { return a.FShr(b, c.And(c.K(3)).Shl(c.K(3))) }

// noFlush evaluates f without flushing denormals, whatever MODE says.
func noFlush(a V, f func() V) V {
	b := a.B()
	defer b.Float(b.Mode() &^ (num.FlushIn | num.FlushOut))()
	return f()
}

// allFlush evaluates f flushing denormals, in and out.
func allFlush(a V, f func() V) V {
	b := a.B()
	defer b.Float(b.Mode() | num.FlushIn | num.FlushOut)()
	return f()
}

// flushed returns an f32 function that flushes denormals in and out: the transcendental ones.
func flushed(m isa.Unary) isa.Unary {
	return func(a V) V { return allFlush(a, func() V { return m(a) }) }
}

// minNum and maxNum do not flush before gfx9. docs/reference/gcn.md 3.
func minNum(a, b V) V { return noFlush(a, func() V { return a.FMinNum(b) }) }
func maxNum(a, b V) V { return noFlush(a, func() V { return a.FMaxNum(b) }) }

func min3(a, b, c V) V { return chain(minNum, a, b, c) }
func max3(a, b, c V) V { return chain(maxNum, a, b, c) }

// chain is m applied to m of a and b, and c. A NaN is replaced by the next operand; without IEEE even by another NaN.
func chain(m isa.Binary, a, b, c V) V {
	ab := m(a, b)
	r := m(ab, c)
	if a.B().Mode()&num.IEEE != 0 {
		return r
	}
	return isNaN(ab).Select(c, r)
}

// three is an operation on two applied to three.
func three(m isa.Binary) isa.Ternary { return func(a, b, c V) V { return m(m(a, b), c) } }

// med3 returns the middle one: the larger of the two that are not the largest; min3 if one is NaN.
func med3(a, b, c V) V {
	return noFlush(a, func() V {
		m := max3(a, b, c)
		nan := a.FUnord(b).Or(c.FUnord(c))
		same := func(x V) V { return x.FEq(m) }
		mid := same(a).Select(maxNum(b, c), same(b).Select(maxNum(a, c), maxNum(a, b)))
		return nan.Select(min3(a, b, c), mid)
	})
}

func med3I(a, b, c V) V { return a.SMax(b).SMin(a.SMin(b).SMax(c)) }
func med3U(a, b, c V) V { return a.UMax(b).UMin(a.UMin(b).UMax(c)) }

// mad rounds the product, then the sum, and always flushes denormals. docs/reference/gcn.md 3.
func mad(a, b, c V) V { return allFlush(a, func() V { return a.FMul(b).FAdd(c) }) }

// madLegacy is mad with a product of +0 if either factor is zero.
func madLegacy(a, b, c V) V { return allFlush(a, func() V { return a.FMulZ(b).FAdd(c) }) }

// 24-bit products: the factors are the low 24 bits.
func low24S(a V) V                                { return a.SBfe(a.K(0), a.K(24)) }
func low24U(a V) V                                { return a.And(a.K(0xffffff)) }
func mulI24(a, b V) V                             { return low24S(a).Mul(low24S(b)) }
func mulU24(a, b V) V                             { return low24U(a).Mul(low24U(b)) }
func mulHiI24(a, b V) V                           { return low24S(a).MulHiS(low24S(b)) }
func mulHiU24(a, b V) V                           { return low24U(a).MulHiU(low24U(b)) }
func ffbhU(a V) V                                 { return a.Eq(a.K(0)).Select(a.K(^uint64(0)), a.Clz()) }
func ffbl(a V) V                                  { return a.Eq(a.K(0)).Select(a.K(^uint64(0)), a.Ctz()) }
func ffbhI(a V) V                                 { n := a.ClsS(); return n.Eq(n.K(32)).Select(n.K(^uint64(0)), n) }
func mbcntLo(a, b V) V                            { return mbcnt(a, b, 0) }
func mbcntHi(a, b V) V                            { return mbcnt(a, b, 32) }
func byteAt(a V, i int) V                         { return a.Extract(8*i, ir.I8) }
func halfAt(a V, i int) V                         { return a.Extract(16*i, ir.I16) }
func wordOf(lo, hi V) V                           { return lo.As(ir.I16).Pack(hi.As(ir.I16), ir.I32) }
func pkU16(a, b V) V                              { return wordOf(clampU16(a), clampU16(b)) }
func pkI16(a, b V) V                              { return wordOf(clampI16(a), clampI16(b)) }
func clampU16(a V) V                              { return a.UMin(a.K(0xffff)).Trunc(ir.I16) }
func clampI16(a V) V                              { return a.SMin(a.K(0x7fff)).SMax(a.K(0xffff8000)).Trunc(ir.I16) }
func saturating(plain, sat isa.Binary) isa.Effect { return clampInt(plain, sat) }

// mbcnt returns b plus the number of ones of a below the lane, where a covers the lanes from first on.
func mbcnt(a, b V, first uint32) V {
	lane := a.B().LaneID()
	below := lane.USubSat(lane.K(uint64(first))).UMin(lane.K(32)) // lanes of a below this one
	m := lane.K(1).ShlX(below).Sub(lane.K(1))
	return a.And(m).Popcount().Add(b)
}

// lerpU8 averages bytes; bit 0 of each byte of c rounds up.
func lerpU8(a, b, c V) V {
	out := a.K(0)
	for i := range 4 {
		sum := byteAt(a, i).ZExt(ir.I16).Add(byteAt(b, i).ZExt(ir.I16))
		sum = sum.Add(byteAt(c, i).ZExt(ir.I16).And(sum.K(1)))
		out = out.Insert(sum.ShrU(sum.K(1)).Trunc(ir.I8), 8*i)
	}
	return out
}

// Integer results that saturate when the clamp bit is set. docs/reference/gcn.md 3.
func clamped(l *isa.Lift) bool { return l.In.Opt(nameClamp) != 0 }

func clampInt(plain, sat isa.Binary) isa.Effect {
	return func(l *isa.Lift) {
		a, b := l.Src(0), l.Src(1)
		if clamped(l) {
			l.Dst(0, sat(a, b))
		} else {
			l.Dst(0, plain(a, b))
		}
	}
}

// addCarry is a + b (+ carry in) and the carry out.
func addCarry(l *isa.Lift) {
	a, b, cin := carrySources(l)
	sum, carry := a.AddC(b, cin)
	if clamped(l) {
		sum = carry.Select(sum.K(^uint64(0)), sum)
	}
	l.Dst(0, sum)
	l.Dst(1, carry)
}

// subBorrow is a - b (- borrow in) and the borrow out; subBorrowRev is b - a.
func subBorrow(l *isa.Lift) {
	a, b, cin := carrySources(l)
	subtract(l, a, b, cin)
}

func subBorrowRev(l *isa.Lift) {
	a, b, cin := carrySources(l)
	subtract(l, b, a, cin)
}

func subtract(l *isa.Lift, a, b, cin V) {
	diff, borrow := a.SubB(b, cin)
	if clamped(l) {
		diff = borrow.Select(diff.K(0), diff)
	}
	l.Dst(0, diff)
	l.Dst(1, borrow)
}

func carrySources(l *isa.Lift) (a, b, cin V) {
	a, b = l.Src(0), l.Src(1)
	if entryOf(l).sources > 2 {
		return a, b, l.Src(2)
	}
	return a, b, l.I1(false)
}

// madU64 and madI64: the 64-bit product plus c; the flag is the carry or signed overflow.
func madU64(l *isa.Lift) {
	a, b, c := l.Src(0), l.Src(1), l.Src(2)
	lo, hi := a.MulWideU(b)
	sum, carry := lo.Pack(hi, ir.I64).AddC(c, l.I1(false))
	if clamped(l) {
		sum = carry.Select(sum.K(^uint64(0)), sum)
	}
	l.Dst(0, sum)
	l.Dst(1, carry)
}

func madI64(l *isa.Lift) {
	a, b, c := l.Src(0), l.Src(1), l.Src(2)
	lo, hi := a.MulWideS(b)
	p := lo.Pack(hi, ir.I64)
	sum, ov := p.AddOv(c)
	if clamped(l) {
		sum = p.SAddSat(c)
	}
	l.Dst(0, sum)
	l.Dst(1, ov)
}

// madI24 and madU24 add c to the low 32 bits of the 48-bit product; clamp saturates the exact sum.
func madI24(l *isa.Lift) {
	mad24(l, low24S, V.SExt, func(x V) V { return x.SMin(x.K(0x7fffffff)).SMax(x.K(0xffffffff80000000)) })
}

func madU24(l *isa.Lift) {
	mad24(l, low24U, V.ZExt, func(x V) V { return x.UMin(x.K(0xffffffff)) })
}

func mad24(l *isa.Lift, low isa.Unary, extend func(V, ir.Type) V, limit isa.Unary) {
	a, b, c := low(l.Src(0)), low(l.Src(1)), l.Src(2)
	if !clamped(l) {
		l.Dst(0, a.Mul(b).Add(c))
		return
	}
	exact := extend(a, ir.I64).Mul(extend(b, ir.I64)).Add(extend(c, ir.I64))
	l.Dst(0, limit(exact).Trunc(ir.I32))
}

// madU16 and madI16: the low 16 bits of a * b + c; clamp saturates the exact sum.
func madU16(l *isa.Lift) { mad16(l, V.ZExt, func(x V) V { return x.UMin(x.K(0xffff)) }) }
func madI16(l *isa.Lift) {
	mad16(l, V.SExt, func(x V) V { return x.SMin(x.K(0x7fff)).SMax(x.K(^uint64(0x7fff))) })
}

func mad16(l *isa.Lift, extend func(V, ir.Type) V, limit isa.Unary) {
	a, b, c := extend(l.Src(0), ir.I64), extend(l.Src(1), ir.I64), extend(l.Src(2), ir.I64)
	sum := a.Mul(b).Add(c)
	if clamped(l) {
		sum = limit(sum)
	}
	l.Dst(0, sum.Trunc(ir.I16))
}

// Sums of absolute differences.
func sadU8(l *isa.Lift)   { sad(l, ir.I8, 0, false) }
func sadHiU8(l *isa.Lift) { sad(l, ir.I8, 16, false) }
func msadU8(l *isa.Lift)  { sad(l, ir.I8, 0, true) }
func sadU16(l *isa.Lift)  { sad(l, ir.I16, 0, false) }
func sadU32(l *isa.Lift)  { sad(l, ir.I32, 0, false) }

// qsad and mqsad are four sums of byte differences against a window of a that moves by a byte, added to the halves of
// c with saturation.
func qsad(a, b, c V) V  { return qsads(a, b, c, false) }
func mqsad(a, b, c V) V { return qsads(a, b, c, true) }

func qsads(a, b, c V, masked bool) V {
	out := a.K(0)
	for k := range 4 {
		window := a.Extract(8*k, ir.I32)
		sum := differences(window, b, ir.I8, masked).Trunc(ir.I16)
		out = out.Insert(halfAt(c, k).UAddSat(sum), 16*k)
	}
	return out
}

// sad adds the differences of the pieces of a and b, shifted, to c; masked leaves out pieces for which b's is zero.
func sad(l *isa.Lift, piece ir.Type, shift uint32, masked bool) {
	a, b, c := l.Src(0), l.Src(1), l.Src(2)
	sum := differences(a, b, piece, masked)
	sum = sum.Shl(l.I32(shift))
	if clamped(l) {
		l.Dst(0, sum.UAddSat(c))
		return
	}
	l.Dst(0, sum.Add(c))
}

// differences returns the sum of the absolute differences of the pieces of two words.
func differences(a, b V, piece ir.Type, masked bool) V {
	sum := a.B().I32(0)
	for at := 0; at < 32; at += piece.Bits() {
		x, y := a, b
		if piece != ir.I32 {
			x, y = a.Extract(at, piece).ZExt(ir.I32), b.Extract(at, piece).ZExt(ir.I32)
		}
		d := x.UAbsDiff(y)
		if masked {
			d = y.Eq(y.K(0)).Select(y.K(0), d)
		}
		sum = sum.Add(d)
	}
	return sum
}
