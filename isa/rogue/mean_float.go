package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// keepDenormals overrides option denormals until restore is called: 16-bit and 64-bit floats keep subnormals.
func keepDenormals(b *ir.Builder) (restore func()) {
	return b.Float(b.Mode().Without(num.FlushIn | num.FlushOut))
}

// toHalf converts a 32-bit float to 16 bits, ofHalf the reverse.
func toHalf(v V) V {
	defer keepDenormals(v.B())()
	return v.FCvt(ir.F16)
}

func ofHalf(v V) V {
	defer keepDenormals(v.B())()
	return v.FCvt(ir.F32)
}

func same(a V) V { return a }

func nothing(*isa.Lift) {}

func fadd(a, b V) V { return a.As(ir.F32).FAdd(b.As(ir.F32)) }
func fmul(a, b V) V { return a.As(ir.F32).FMul(b.As(ir.F32)) }

// fmad is s0 * s1 + s2. docs/reference/rogue.md 5.1.
func fmad(l *isa.Lift) {
	a, b, c := l.Src(0).As(ir.F32), l.Src(1).As(ir.F32), l.Src(2).As(ir.F32)
	if l.Option(optFused) == unfused {
		l.Dst(0, a.FMul(b).FAdd(c))
		return
	}
	l.Dst(0, a.Fma(b, c))
}
