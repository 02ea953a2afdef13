package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A result is what an instruction computes, and the flags for $c if the instruction writes one. A missing flag is 0.
type result struct{ v, z, s, c, o V }

// Semantics compute a result from sources, raw and in the order of the text: I16, I32 or I64, as wide as the operand,
// even for floats. Signs and absolute values have not been applied: see signed. The result is as wide as the
// destination.
type (
	mean1 func(l *isa.Lift, a V) result
	mean2 func(l *isa.Lift, a, b V) result
	mean3 func(l *isa.Lift, a, b, c V) result
)

func of1(f mean1) isa.Effect { return func(l *isa.Lift) { finish(l, f(l, l.Src(0))) } }

func of2(f mean2) isa.Effect {
	return func(l *isa.Lift) {
		a := l.Src(0)
		finish(l, f(l, a, l.Src(1)))
	}
}

func of3(f mean3) isa.Effect {
	return func(l *isa.Lift) {
		a := l.Src(0)
		b := l.Src(1)
		finish(l, f(l, a, b, l.Src(2)))
	}
}

// finish writes a result, and flags if the instruction names a $c.
func finish(l *isa.Lift, r result) {
	l.Dst(0, r.v)
	if !flagged(l) {
		return
	}
	no := l.I1(false)
	for i, f := range [flags]V{FlagZ: r.z, FlagS: r.s, FlagC: r.c, FlagO: r.o} {
		if !f.Valid() {
			f = no
		}
		l.Set(flag(l.In.Get(nameCDst), i), f, l.Mask())
	}
}

// flagged reports whether the instruction writes flags: if not, they need not be computed.
func flagged(l *isa.Lift) bool { return l.In.Opt(nameCDst)&cdstOn != 0 }

// flag returns the cell of a flag of $c number n.
func flag(n uint64, i int) ir.Cell {
	return ir.Cell{File: FileC, Index: uint16(flags*int(n&(NumC-1)) + i)}
}

// condition returns the number of the $c that the instruction reads, as a guard or as data: 0 if it names none.
func condition(l *isa.Lift) uint64 { return l.In.Opt(nameGuard) >> 5 }

// set reports whether the named bit of the instruction exists and is set.
func set(l *isa.Lift, n isa.Name) bool { return l.In.Opt(n) != 0 }

// intFlags returns zero and sign of an integer result.
func intFlags(l *isa.Lift, v V) result {
	if !flagged(l) {
		return result{v: v}
	}
	zero := v.K(0)
	return result{v: v, z: v.Eq(zero), s: v.SLt(zero)}
}
