package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Comparisons, and selects by comparison. docs/reference/valhall.md 10.1 and 10.2.

// conditions are the comparisons of a type, by condition.
type conditions [condTotal + 1]isa.Binary

// Integers have no gtlt and no total. A NaN is unordered; it is not equal to anything.
var (
	unsignedConds = conditions{condEq: V.Eq, condNe: V.Ne, condLt: V.ULt, condLe: V.ULe, condGt: swapped(V.ULt), condGe: swapped(V.ULe)}
	signedConds   = conditions{condEq: V.Eq, condNe: V.Ne, condLt: V.SLt, condLe: V.SLe, condGt: swapped(V.SLt), condGe: swapped(V.SLe)}
	floatConds    = conditions{condEq: V.FEq, condNe: func(a, b V) V { return a.FEq(b).Not() }, condLt: V.FLt, condLe: V.FLe, condGt: swapped(V.FLt), condGe: swapped(V.FLe),
		condGtLt: func(a, b V) V { return a.FLt(b).Or(b.FLt(a)) }, condTotal: totalOrder}
)

func swapped(f isa.Binary) isa.Binary { return func(a, b V) V { return f(b, a) } }

// totalOrder reports whether a precedes or is b in the total order of IEEE 754: -NaN, -inf to -0, +0 to inf, +NaN; NaNs
// are ordered by payload.
func totalOrder(a, b V) V { return orderKey(a).SLe(orderKey(b)) }

// orderKey maps floats to integers in their total order: negative magnitudes are reversed.
func orderKey(a V) V {
	t := ir.I32
	if a.Type() == ir.V2F16 {
		t = ir.V2I16
	}
	bits := a.As(t)
	below := bits.ShrS(bits.K(uint64(t.Elem().Bits() - 1)))
	return bits.Xor(below.ShrU(bits.K(1)))
}

// holds compares a and b by the mnemonic's condition; ok is false if the types do not have this condition.
func holds(l *isa.Lift, how *conditions, a, b V) (yes V, ok bool) {
	f := how[l.In.Get(nameCond)]
	if f == nil {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": integers have no condition gtlt and no total")
		return V{}, false
	}
	return f(a, b), true
}

// comparison compares a and b, and joins the result with the third source.
func comparison(how *conditions, join isa.Binary) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		a, b, c := l.Src(0), l.Src(1), l.Src(2)
		if yes, ok := holds(l, how, a, b); ok {
			decided(l, join(yes, c.Ne(c.K(0)).As(yes.Type())), c.Type())
		}
	})
}

// longComparison is a step of the comparison of multi-word integers. Its order is that of the high words or, if they
// are equal, that of the low words, which is the sign of the third source. An order is -1, 0 or 1. The result is
// whether the order meets the condition; as u1, if tells is set, the order itself.
func longComparison(how *conditions, tells bool) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		a, b, c := l.Src(0), l.Src(1), l.Src(2)
		none, less, more := c.K(0), c.K(^uint64(0)), c.K(1)
		order := func(lt, gt, equal V) V { return lt.Select(less, gt.Select(more, equal)) }
		o := order(how[condLt](a, b), how[condGt](a, b), order(c.SLt(none), none.SLt(c), none))
		if l.In.Get(nameTruth) == truthU1 && tells {
			l.Dst(0, o)
			return
		}
		if yes, ok := holds(l, &signedConds, o, none); ok {
			decided(l, yes, c.Type())
		}
	})
}

// Types of comparison results.
const (
	truthI1 = iota
	truthF1
	truthM1
	truthU1
)

// decided writes a condition in the mnemonic's result type, with elements of type t.
func decided(l *isa.Lift, yes V, t ir.Type) {
	one := uint64(1)
	switch l.In.Get(nameTruth) {
	case truthF1:
		switch floatLike(t) {
		case ir.F32:
			one = 0x3f800000
		case ir.V2F16:
			one = 0x3c00
		default:
			l.Fail(ir.TrapUndefined, l.In.Def.Name+" f1: no source says what a float of 8 bits is")
			return
		}
	case truthM1:
		one = ^uint64(0)
	case truthU1:
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": only ICMP_MULTI.u32 has the result u1")
		return
	}
	none := l.Const(t, 0)
	l.Dst(0, yes.Select(none.K(one), none))
}

// selected is the third source if the first two satisfy the condition, else the fourth.
func selected(how *conditions) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		a, b, c, d := l.Src(0), l.Src(1), l.Src(2), l.Src(3)
		if yes, ok := holds(l, how, a, b); ok {
			l.Dst(0, yes.Select(c, d))
		}
	})
}
