package ir

import "github.com/heddle-gpu/heddle/num"

// Meaning returns the semantics of a pure op for its type: the row's meaning, or for a packed type one that applies
// it to each element, with all ones for a true comparison. nil for an op without a meaning.
func (in *Inst) Meaning() Meaning {
	info := &ops[in.Op]
	if in.Type.Elems() == 1 || !elementwise(in.Op) {
		return info.Meaning
	}
	return packed(info.Meaning, in.Type, in.Op.rule().res[0].Letter == 'c')
}

// elementwise reports whether the op treats packed types as several elements, rather than as bits. The letters of
// its rule say so.
func elementwise(op Op) bool {
	for _, s := range op.rule().args {
		if s.Letter == 'i' || s.Letter == 'b' || s.Letter == 'f' {
			return true
		}
	}
	return false
}

// splat returns x, truncated to the width of an element, in each element of t.
func splat(t Type, x uint64) (r uint64) {
	n := t.Elem().Bits()
	for at := 0; at < t.Bits(); at += n {
		r |= x & ones(n) << at
	}
	return r
}

// packed applies f to each element of type t. The width argument of the returned functions is ignored.
func packed(f Meaning, t Type, compare bool) Meaning {
	n, size := t.Elem().Bits(), t.Bits()
	// each combines the results of f for the element at each bit.
	each := func(f func(at int) uint64) (r uint64) {
		for at := 0; at < size; at += n {
			x := f(at)
			if compare {
				x = -x
			}
			r |= x & ones(n) << at
		}
		return r
	}
	each2 := func(f func(at int) (uint64, uint64)) (r, s uint64) {
		for at := 0; at < size; at += n {
			x, y := f(at)
			r, s = r|x<<at, s|y<<at
		}
		return r, s
	}
	el := func(a uint64, at int) uint64 { return a >> at & ones(n) }
	switch f := f.(type) {
	case Int1:
		return Int1(func(_ int, a uint64) uint64 { return each(func(at int) uint64 { return f(n, el(a, at)) }) })
	case Int2:
		return Int2(func(_ int, a, b uint64) uint64 {
			return each(func(at int) uint64 { return f(n, el(a, at), el(b, at)) })
		})
	case Int3:
		return Int3(func(_ int, a, b, c uint64) uint64 {
			return each(func(at int) uint64 { return f(n, el(a, at), el(b, at), el(c, at)) })
		})
	case Int2x2:
		return Int2x2(func(_ int, a, b uint64) (uint64, uint64) {
			return each2(func(at int) (uint64, uint64) { return f(n, el(a, at), el(b, at)) })
		})
	case Flt1:
		return Flt1(func(_ int, m num.Mode, a uint64) uint64 {
			return each(func(at int) uint64 { return f(n, m, el(a, at)) })
		})
	case Flt2:
		return Flt2(func(_ int, m num.Mode, a, b uint64) uint64 {
			return each(func(at int) uint64 { return f(n, m, el(a, at), el(b, at)) })
		})
	case Flt3:
		return Flt3(func(_ int, m num.Mode, a, b, c uint64) uint64 {
			return each(func(at int) uint64 { return f(n, m, el(a, at), el(b, at), el(c, at)) })
		})
	}
	panic("ir: a meaning of this shape has no elements")
}
