package emit

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/num"
)

// A format is the bit patterns of a float type, and instructions on it.
type format struct {
	sign, exponent, quiet, positiveNaN, negativeNaN, onesNaN uint64

	move, compare, broadcast  x86.Op
	noBits, and, or, choose   x86.Op // with AVX-512, under masks
	equal, test, chooseBySign x86.Op // with AVX2
	constant                  func(e *Emitter, v uint64) x86.Operand
}

var f32 = format{
	signBit, exponent, quietBit, positiveNaN, negativeNaN, onesNaN,
	x86.VMOVAPS, x86.VCMPPS, x86.VBROADCASTSS,
	x86.VPTESTNMD, x86.VPANDD, x86.VPORD, x86.VPBLENDMD,
	x86.VPCMPEQD, x86.VTESTPS, x86.VBLENDVPS,
	func(e *Emitter, v uint64) x86.Operand { return e.word(uint32(v)) },
}

var f64 = format{
	1 << 63, 0x7ff << 52, 1 << 51, 0x7ff8 << 48, 0xfff8 << 48, 1<<63 - 1,
	x86.VMOVAPD, x86.VCMPPD, x86.VPBROADCASTQ,
	x86.VPTESTNMQ, x86.VPANDQ, x86.VPORQ, x86.VPBLENDMQ,
	x86.VPCMPEQQ, x86.VTESTPD, x86.VBLENDVPD,
	(*Emitter).Word64,
}

// in returns a constant in a register, the emitter's i.
func (f *format) in(e *Emitter, v uint64, i int) x86.Operand {
	r := e.reserved(i)
	word, _ := f.constant(e, v).Element()
	e.Asm.Emit(f.broadcast, r, word)
	return r
}

// finish applies the mode's rules for subnormals and NaNs to the rounded f32 result r, and moves it to d.
func (e *Emitter) finish(d, r x86.Operand, args []x86.Operand, m num.Mode) {
	e.finishAs(&f32, d, r, args, m)
}

// Finish64 applies the mode's rules for subnormals and NaNs to the rounded f64 result r, and moves it to d. With anyNaN
// a NaN may be any NaN. It takes the emitter's registers from the fifth on.
func (e *Emitter) Finish64(d, r x86.Operand, args []x86.Operand, m num.Mode, anyNaN bool) {
	e.anyNaN = anyNaN
	e.finishAs(&f64, d, r, args, m)
	e.anyNaN = false
}

func (e *Emitter) finishAs(f *format, d, r x86.Operand, args []x86.Operand, m num.Mode) {
	if flushes(m) {
		e.zeroWhere(f, r, r, r, f.exponent, f.sign)
	}
	e.nansAs(f, d, r, args, m)
}

// Flush flushes subnormals of r to zeros with their sign.
func (e *Emitter) Flush(r x86.Operand) { e.flushWhere(r, r, exponent, signBit) }

// flushWhere copies a to r, but only its sign where it has none of the bits.
func (e *Emitter) flushWhere(r, a x86.Operand, bits, sign uint64) {
	e.zeroWhere(&f32, r, a, a, bits, sign)
}

// zeroWhere copies a to r, but only its sign where b has none of the bits.
func (e *Emitter) zeroWhere(f *format, r, a, b x86.Operand, bits, sign uint64) {
	if e.bits == 512 {
		e.Asm.Emit(f.noBits, mask, b, f.constant(e, bits))
		if r != a {
			e.Asm.Emit(f.move, r, a)
		}
		e.Asm.Emit(f.and, r.Mask(mask), r, f.constant(e, sign))
		return
	}
	t, zero := e.reserved(4), e.reserved(5)
	e.And(t, b, f.in(e, bits, 4))
	e.Xor(zero, zero, zero)
	e.Asm.Emit(f.equal, t, t, zero)
	e.And(zero, a, f.in(e, sign, 5))
	e.Asm.Emit(f.chooseBySign, r, a, zero, t)
}

// nans applies the mode's rule for NaNs to the f32 result r, and moves it to d.
func (e *Emitter) nans(d, r x86.Operand, args []x86.Operand, m num.Mode) {
	e.nansAs(&f32, d, r, args, m)
}

func (e *Emitter) nansAs(f *format, d, r x86.Operand, args []x86.Operand, m num.Mode) {
	if e.anyNaN {
		if d != r {
			e.Asm.Emit(f.move, d, r)
		}
		return
	}
	switch m.NaN() {
	case num.NaNCanon:
		e.oneNaN(f, d, r, f.positiveNaN)
	case num.NaNOnes:
		e.oneNaN(f, d, r, f.onesNaN)
	case num.NaNSecond:
		e.chosenNaN(f, d, r, append(append(make([]x86.Operand, 0, 3), args[1:]...), args[0]), m)
	default:
		e.chosenNaN(f, d, r, args, m)
	}
}

// OneNaN moves the f32 vector r to d, with the canonical NaN for all NaNs; OneNaN64 does so for f64.
func (e *Emitter) OneNaN(d, r x86.Operand)   { e.oneNaN(&f32, d, r, f32.positiveNaN) }
func (e *Emitter) OneNaN64(d, r x86.Operand) { e.oneNaN(&f64, d, r, f64.positiveNaN) }

func (e *Emitter) oneNaN(f *format, d, r x86.Operand, nan uint64) {
	if e.bits == 512 {
		e.Asm.Emit(f.compare, mask, r, r, x86.Imm(unordered))
		e.Asm.Emit(f.choose, d.Mask(mask), r, f.constant(e, nan))
		return
	}
	t := e.reserved(4)
	e.Asm.Emit(f.compare, t, r, r, x86.Imm(unordered))
	e.Asm.Emit(f.chooseBySign, d, r, f.in(e, nan, 5), t)
}

// chosenNaN replaces a NaN in r by the first one among the operands, quieted, or by the default NaN. Vectors without a
// NaN skip it.
func (e *Emitter) chosenNaN(f *format, d, r x86.Operand, order []x86.Operand, m num.Mode) {
	nan := f.positiveNaN
	if m.Has(num.NaNNegative) {
		nan = f.negativeNaN
	}
	a, done := e.Asm, e.Asm.NewLabel()
	t, q := e.reserved(4), e.reserved(5)
	if e.bits == 512 {
		a.Emit(f.compare, mask, r, r, x86.Imm(unordered))
		a.Emit(x86.KORTESTW, mask, mask)
		a.Emit(x86.JE, x86.To(done))
		word, _ := f.constant(e, nan).Element()
		a.Emit(f.broadcast, r.Mask(mask), word)
		for i := len(order) - 1; i >= 0; i-- {
			a.Emit(f.compare, mask2.Mask(mask), order[i], order[i], x86.Imm(unordered))
			a.Emit(f.or, r.Mask(mask2), order[i], f.constant(e, f.quiet))
		}
	} else {
		a.Emit(f.compare, t, r, r, x86.Imm(unordered))
		a.Emit(f.test, t, t)
		a.Emit(x86.JE, x86.To(done))
		a.Emit(f.chooseBySign, r, r, f.in(e, nan, 5), t)
		quiet := f.in(e, f.quiet, 6)
		for i := len(order) - 1; i >= 0; i-- {
			a.Emit(f.compare, t, order[i], order[i], x86.Imm(unordered))
			e.Or(q, order[i], quiet)
			a.Emit(f.chooseBySign, r, r, q, t)
		}
	}
	a.Bind(done)
	if d != r {
		a.Emit(f.move, d, r)
	}
}
