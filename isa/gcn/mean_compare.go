package gcn

import "github.com/heddle-gpu/heddle/isa"

// Semantics of the compares of VOPC.

func never(a, _ V) V  { return a.B().I1(false) }
func always(a, _ V) V { return a.B().I1(true) }

// lessGreater returns a < b or a > b: both are numbers and differ.
func lessGreater(a, b V) V { return a.FLt(b).Or(b.FLt(a)) }

func not(m isa.Binary) isa.Binary  { return func(a, b V) V { return m(a, b).Not() } }
func swap(m isa.Binary) isa.Binary { return func(a, b V) V { return m(b, a) } }

// class tests the class bit of a against the mask b.
func class(a, b V) V {
	c := a.FClass()
	if b.Type().Bits() == 16 {
		b = b.ZExt(c.Type())
	}
	return c.And(b).Ne(c.K(0))
}

// cmpx is a compare that also writes EXEC.
func cmpx(m isa.Binary) isa.Effect {
	return func(l *isa.Lift) {
		a := l.Src(0)
		r := m(a, l.Src(1))
		exec := r.And(l.Mask())
		l.Dst(0, r)
		l.Set(CellExec, exec, V{})
	}
}
