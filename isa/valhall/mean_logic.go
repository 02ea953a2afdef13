package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Shifts with a logic operation behind, and choices by bits. docs/reference/valhall.md 10.2.

// shifted is logic of a, shifted by amounts modulo the size of the element, and c.
func shifted(shift, logic isa.M2) isa.Meaning {
	return isa.Eff(func(l *isa.Lift) {
		move := shift
		if l.In.Opt(nameArith) != 0 {
			move = V.ShrS
		}
		a := shiftSource(l)
		b := move(a, amounts(l, a.Type()))
		l.Dst(0, logic(b, l.Src(2)))
	})
}

// shiftSource is what is shifted. Whether a shift that keeps the sign keeps that of a part of a register is a choice: sources of
// these rows are widened with zeros.
func shiftSource(l *isa.Lift) V {
	swz := l.In.Get(nameSwzA)
	if swz == 0 || l.In.Opt(nameArith) == 0 || l.Option(optShiftWiden) != widenSign {
		return l.Src(0)
	}
	o := rowOf(l.In).form.srcs[0]
	o.signed = true
	a := &l.In.Def.Args[o.arg]
	return swizzled(word32(l, a.Get(l.In.Word), a.Part(l.In.Word, partPage)), &o, swz)
}

// amounts is how far each element of a type is shifted: the bytes that the second source names. An element of 32 or 64 bits
// has the first of them; those of 16 bits have one each; those of 8 bits share one each by two, or, where the two are the
// bytes in their place, have the byte in theirs.
func amounts(l *isa.Lift, t ir.Type) V {
	w, at := l.Src(1), amountBytes[l.In.Get(nameSwzB)]
	amount := func(i uint8) V { return w.Extract(8*int(i), ir.I8) }
	lo, hi := amount(at[0]), amount(at[1])
	switch t.Elems() {
	case 1:
		return lo.ZExt(t)
	case 2:
		return lo.ZExt(ir.I16).Pack(hi.ZExt(ir.I16), t)
	}
	if l.In.Get(nameSwzB) == amountsInPlace && l.Option(optByteAmounts) != amountsPairs {
		return w
	}
	return lo.Pack(lo, ir.I16).Pack(hi.Pack(hi, ir.I16), t)
}

// amountsInPlace is the value of the lanes of shift amounts that takes each from its own place.
const amountsInPlace = 0

// Selectors of MUX.
const (
	muxNeg = iota
	muxIntZero
	muxFPZero
	muxBit
)

// muxed is a where c says so, else b: where c is below 0, is 0, is a float that is 0; or bit by bit, where c has a one.
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

// floatLike is the type of floats with the elements of an integer type; the type itself if there is none.
func floatLike(t ir.Type) ir.Type {
	switch t {
	case ir.I32:
		return ir.F32
	case ir.V2I16:
		return ir.V2F16
	}
	return t
}
