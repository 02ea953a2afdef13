package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// V is a value of the IR.
type V = ir.V

// A result is what an instruction computes, and the flags that $c gets if the instruction writes one. A flag that is not
// given is 0.
type result struct{ v, z, s, c, o V }

// Meanings compute a result from sources; see form. Integer sources are I16, I32 or I64, as wide as the operand; float
// sources are F16, F32 or F64 without their signs and absolute values: see signed.
type (
	mean1 func(l *isa.Lift, a V) result
	mean2 func(l *isa.Lift, a, b V) result
	mean3 func(l *isa.Lift, a, b, c V) result
)

func of1(f mean1) isa.Eff { return func(l *isa.Lift) { finish(l, f(l, l.Src(0))) } }

func of2(f mean2) isa.Eff {
	return func(l *isa.Lift) {
		a := l.Src(0)
		finish(l, f(l, a, l.Src(1)))
	}
}

func of3(f mean3) isa.Eff {
	return func(l *isa.Lift) {
		a := l.Src(0)
		b := l.Src(1)
		finish(l, f(l, a, b, l.Src(2)))
	}
}

// finish writes a result, and flags where the instruction names a $c.
func finish(l *isa.Lift, r result) {
	l.Dst(0, r.v)
	if l.In.Opt(nameCDst) < cdstOn {
		return
	}
	no := l.I1(false)
	base := flags * int(l.In.Get(nameCDst)&(NumC-1))
	for i, f := range [flags]V{FlagZ: r.z, FlagS: r.s, FlagC: r.c, FlagO: r.o} {
		if !f.Valid() {
			f = no
		}
		l.Set(ir.Cell{File: FileC, Index: uint16(base + i)}, f, l.Mask())
	}
}

// intFlags are zero and sign of an integer result.
func intFlags(l *isa.Lift, v V) result {
	zero := l.Const(v.Type(), 0)
	return result{v: v, z: v.Eq(zero), s: v.SLt(zero)}
}
