package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// twoOverPi is the binary fraction of 2/pi, highest bits first: the 1201 bits that the instruction has, then zeros.
// The last bit is rounded to nearest as in the state cases; the manuals do not say.
var twoOverPi = [...]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b8000,
}

// v_trig_preop_f64 vdst, a, b: 53 bits of 2/pi from bit position shift on, as a number with their place value. The
// exponent of a and the segment number b select the position. docs/reference/gcn.md 7.4.
func liftTrigPreop(l *isa.Lift) {
	a, b := l.Src(0), l.Src(1)
	defer l.Float(num.ModeSet | num.RNE)()
	e := exponent(a)
	shift := b.And(b.K(31)).Mul(b.K(53)).Add(e.SMax(e.K(1077)).Sub(e.K(1077)))

	word := shift.ShrU(shift.K(6))
	high, low := l.I64(0), l.I64(0)
	for i, w := range twoOverPi {
		high = word.Eq(word.K(uint64(i))).Select(l.I64(w), high)
		low = word.Add(word.K(1)).Eq(word.K(uint64(i))).Select(l.I64(w), low)
	}
	n := shift.And(shift.K(63)).ZExt(ir.I64)
	top := n.Eq(n.K(0)).Select(high, high.FShr(low, n.Neg())) // high:low shifted left by n
	x := top.ShrU(top.K(11)).UToF(ir.F64)

	up := l.I32(1968).SLe(e).Select(l.I32(128), l.I32(0))
	l.Dst(0, x.FLdexp(up.Sub(l.I32(53)).Sub(shift)))
}
