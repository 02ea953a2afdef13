package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Shifts followed by a logic operation, and selects by bits. docs/reference/valhall.md 10.2.

// shifted is logic of a, shifted by amounts modulo the element width, and c.
func shifted(shift, signed, logic isa.Binary) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		move := shift
		if l.In.Opt(nameArith) != 0 {
			move = signed
		}
		a := l.Src(0)
		b := move(a, amounts(l, a.Type()))
		l.Dst(0, logic(b, l.Src(2)))
	})
}

// rotatedRight and rotatedLeft rotate each element by an amount modulo its width.
func rotatedRight(a, b V) V { return a.ShrU(b).Or(a.Shl(b.Neg())) }
func rotatedLeft(a, b V) V  { return a.Shl(b).Or(a.ShrU(b.Neg())) }

// amounts is the shift amount of each element of a type, from the bytes that the second source selects: for 32-bit and
// 64-bit elements the first selected byte, for 16-bit and 8-bit elements one byte each.
func amounts(l *isa.Lift, t ir.Type) V {
	w, swz := l.Src(1), l.In.Get(nameSwzB)
	if t == ir.V4I8 {
		return swizzled(w.As(ir.I32), &origin{typ: t, mod: modWiden8}, swz)
	}
	at := amountBytes[swz]
	amount := func(i uint8) V { return w.Extract(8*int(i), ir.I8) }
	if t.Elems() == 1 {
		return amount(at[0]).ZExt(t)
	}
	return amount(at[0]).ZExt(ir.I16).Pack(amount(at[1]).ZExt(ir.I16), t)
}

// Selectors of MUX.
const (
	muxNeg = iota
	muxIntZero
	muxFPZero
	muxBit
)

// muxed is a if c satisfies the mode, else b: c is negative, is 0, is a float 0; or it selects bit by bit, where c has
// a one.
func muxed(l *isa.Lift) {
	a := l.Src(0)
	b := l.Src(1)
	c := l.Src(2)
	none := c.K(0)
	switch l.In.Get(nameMux) {
	case muxNeg:
		l.Dst(0, c.SLt(none).Select(a, b))
	case muxIntZero:
		l.Dst(0, c.Eq(none).Select(a, b))
	case muxFPZero:
		f := floatLike(c.Type())
		if !f.Elem().IsFloat() {
			l.Fail(ir.TrapUndefined, l.In.Def.Name+" fp_zero: no source says what a float of 8 bits is")
			return
		}
		l.Dst(0, c.As(f).FEq(none.As(f)).Select(a, b))
	case muxBit:
		l.Dst(0, c.Bfi(a, b))
	}
}

// floatLike is the float type with elements as wide as an integer type's; the type itself if there is none.
func floatLike(t ir.Type) ir.Type {
	switch t {
	case ir.I32:
		return ir.F32
	case ir.V2I16:
		return ir.V2F16
	}
	return t
}
