package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Comparisons, and choices by one. docs/reference/valhall.md 10.1 and 10.2.

// conditions is how a type compares, by condition.
type conditions [condTotal + 1]isa.M2

// Integers are always ordered. A float that is no number is not; it differs from all.
var (
	unsignedConds = conditions{condEq: V.Eq, condNe: V.Ne, condLt: V.ULt, condLe: V.ULe, condGt: swapped(V.ULt), condGe: swapped(V.ULe), condGtLt: V.Ne, condTotal: always}
	signedConds   = conditions{condEq: V.Eq, condNe: V.Ne, condLt: V.SLt, condLe: V.SLe, condGt: swapped(V.SLt), condGe: swapped(V.SLe), condGtLt: V.Ne, condTotal: always}
	floatConds    = conditions{condEq: V.FEq, condNe: func(a, b V) V { return a.FEq(b).Not() }, condLt: V.FLt, condLe: V.FLe, condGt: swapped(V.FLt), condGe: swapped(V.FLe),
		condGtLt: func(a, b V) V { return a.FLt(b).Or(b.FLt(a)) }, condTotal: func(a, b V) V { return a.FUnord(b).Not() }}
)

func swapped(f isa.M2) isa.M2 { return func(a, b V) V { return f(b, a) } }
func always(a, _ V) V         { return a.Eq(a) }

// holds compares a and b as the mnemonic says.
func holds(l *isa.Lift, how *conditions, a, b V) V {
	cond := l.In.Get(nameCond)
	if cond >= condGtLt && !a.Type().Elem().IsFloat() && l.Option(optIntOrder) == orderTrap {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": no source says what this condition is of integers")
	}
	return how[cond](a, b)
}

// comparison is whether a and b compare so, joined with what the third source says.
func comparison(how *conditions, join isa.M2) isa.Meaning {
	return isa.Eff(func(l *isa.Lift) {
		a, b, c := l.Src(0), l.Src(1), l.Src(2)
		yes := holds(l, how, a, b)
		decided(l, join(yes, c.Ne(c.K(0)).As(yes.Type())), c.Type())
	})
}

// longComparison is the comparison of numbers of several words: of the upper words, or if they are equal what the third source
// says of the lower ones.
func longComparison(how *conditions) isa.Meaning {
	return isa.Eff(func(l *isa.Lift) {
		a, b, c := l.Src(0), l.Src(1), l.Src(2)
		lower := c.Ne(c.K(0))
		decided(l, a.Eq(b).Select(lower, holds(l, how, a, b)), c.Type())
	})
}

// Types of results of comparisons.
const (
	truthI1 = iota
	truthF1
	truthM1
	truthU1
)

// decided writes a condition as the mnemonic's type of result, in elements of a type.
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
		if l.Option(optLowerTruth) == lowerOnes {
			one = ^uint64(0)
		}
	}
	none := l.Const(t, 0)
	l.Dst(0, yes.Select(none.K(one), none))
}

// selected is the third source where the first two compare so, else the fourth.
func selected(how *conditions) isa.Meaning {
	return isa.Eff(func(l *isa.Lift) {
		a, b, c, d := l.Src(0), l.Src(1), l.Src(2), l.Src(3)
		l.Dst(0, holds(l, how, a, b).Select(c, d))
	})
}
