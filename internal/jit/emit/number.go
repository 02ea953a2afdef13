package emit

import (
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/num"
)

// flushOperand flushes subnormals of r if the mode does so for operands or results: the op does not round.
func (e *Emitter) flushOperand(r x86.Operand, m num.Mode) { e.flushOperandAs(&f32, r, m) }

func (e *Emitter) flushOperandAs(f *format, r x86.Operand, m num.Mode) {
	if m&(num.FlushIn|num.FlushOut) != 0 {
		e.zeroWhere(f, r, r, r, f.exponent, f.sign)
	}
}

// canonical applies the mode's rules for subnormals and NaNs to the operand.
func canonical(e *Emitter, c *Call) {
	a, r := e.inRegister(c.Args[0], 0), e.reserved(result)
	e.Asm.Emit(x86.VMOVAPS, r, a)
	e.flushOperand(r, c.Mode)
	e.nans(c.Dst, r, []x86.Operand{a}, c.Mode)
}

// where copies v to r in lanes in which the comparison of a and b holds; t is for the comparison.
func (e *Emitter) where(r, v, a, b x86.Operand, predicate int64, t x86.Operand) {
	e.whereAs(&f32, r, v, a, b, predicate, t)
}

func (e *Emitter) whereAs(f *format, r, v, a, b x86.Operand, predicate int64, t x86.Operand) {
	if e.bits == 512 {
		e.Asm.Emit(f.compare, mask, a, b, x86.Imm(predicate))
		e.Asm.Emit(f.choose, r.Mask(mask), r, v)
		return
	}
	e.Asm.Emit(f.compare, t, a, b, x86.Imm(predicate))
	e.Asm.Emit(f.chooseBySign, r, r, v, t)
}

// saturateQuick clamps by the host's minimum and maximum if these treat NaNs and -0 as the mode requires, and reports
// whether they do. For a NaN, and for two zeros, each returns its second operand.
func saturateQuick(e *Emitter, c *Call) bool {
	m := c.Mode
	if m&(num.FlushIn|num.FlushOut) != 0 || m&(num.DX10Clamp|num.SatNaNOne) == 0 || m.Has(num.DX10Clamp|num.SatNegZero) {
		return false
	}
	e.operandsControl(m)
	a, r, zero := e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(6)
	e.Xor(zero, zero, zero)
	switch {
	case m.Has(num.DX10Clamp):
		e.Asm.Emit(x86.VMAXPS, r, a, zero)
	case m.Has(num.SatNegZero):
		e.Asm.Emit(x86.VMAXPS, r, zero, a)
	default:
		e.Asm.Emit(x86.VMINPS, r, a, e.lastOperand(e.word(one), 5))
		e.Asm.Emit(x86.VMAXPS, c.Dst, r, zero)
		return true
	}
	e.Asm.Emit(x86.VMINPS, c.Dst, r, e.lastOperand(e.word(one), 5))
	return true
}

// saturate clamps bit patterns as signed integers, which drops the sign; NaNs, and a zero that keeps its sign, are
// restored afterwards.
func saturate(e *Emitter, c *Call) {
	if saturateQuick(e, c) {
		return
	}
	a, r, t := e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(6)
	e.Xor(t, t, t)
	e.Asm.Emit(x86.VPMAXSD, r, a, t)
	e.Asm.Emit(x86.VPMINSD, r, r, e.lastOperand(e.word(one), 5))
	e.flushOperand(r, c.Mode)
	if c.Mode.Has(num.SatNegZero) {
		e.keepZero(r, a, c.Mode)
	}
	switch {
	case c.Mode.Has(num.DX10Clamp):
		e.where(r, t, a, a, unordered, e.reserved(5))
		e.Asm.Emit(x86.VMOVAPS, c.Dst, r)
	case c.Mode.Has(num.SatNaNOne):
		e.where(r, e.inRegister(e.word(one), 4), a, a, unordered, e.reserved(5))
		e.Asm.Emit(x86.VMOVAPS, c.Dst, r)
	default:
		e.where(r, a, a, a, unordered, e.reserved(5))
		e.nans(c.Dst, r, []x86.Operand{a}, c.Mode)
	}
}

// keepZero copies the zeros of a, with their signs, to r.
func (e *Emitter) keepZero(r, a x86.Operand, m num.Mode) {
	v, sign := e.reserved(7), e.inRegister(e.word(signBit), 4)
	e.Asm.Emit(x86.VMOVAPS, v, a)
	if m.Has(num.FlushIn) {
		e.Flush(v)
		sign = e.inRegister(e.word(signBit), 4)
	}
	if e.bits == 512 {
		e.Asm.Emit(x86.VPCMPEQD, mask, v, sign)
		e.Asm.Emit(x86.VPORD, r.Mask(mask), r, sign)
		return
	}
	e.Asm.Emit(x86.VPCMPEQD, v, v, sign)
	e.And(v, v, sign)
	e.Or(r, r, v)
}

// fraction is the operand less its floor, at most the largest number below 1.
func fraction(e *Emitter, c *Call) {
	e.operandsControl(c.Mode)
	a, floor, r := e.inRegister(c.Args[0], 0), e.reserved(1), e.reserved(result)
	e.Asm.Emit(e.either(x86.VRNDSCALEPS, x86.VROUNDPS), floor, a, x86.Imm(9))
	args := [2]x86.Operand{a, floor}
	e.arithmetic(x86.VSUBPS, r, args[:], c.Mode)
	e.finish(r, r, args[:], c.Mode)
	e.Control(e.ctl &^ cpu.FlushOperands) // subnormals are kept
	e.Asm.Emit(x86.VMINPS, c.Dst, e.inRegister(e.word(one-1), 2), r)
}

// extreme is the minimum or maximum. For zeros of both signs join combines the bits: the host's result depends on the
// order of operands. If one operand is a NaN the other is the result, except for signalling NaNs with num.IEEE.
func extreme(op x86.Op, join func(e *Emitter, d, a, b x86.Operand)) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		e.operandsControl(c.Mode)
		if extremeOfNumber(e, op, c) {
			return
		}
		e.extremeAs(&f32, op, join, c.Dst, [2]x86.Operand{e.inRegister(c.Args[0], 0), e.inRegister(c.Args[1], 1)}, c.Mode)
	}
}

// Extreme64 is the minimum or maximum of f64. MXCSR must flush operands as the mode says.
func (e *Emitter) Extreme64(largest bool, d x86.Operand, args [2]x86.Operand, m num.Mode) {
	if largest {
		e.extremeAs(&f64, x86.VMAXPD, (*Emitter).And, d, args, m)
		return
	}
	e.extremeAs(&f64, x86.VMINPD, (*Emitter).Or, d, args, m)
}

func (e *Emitter) extremeAs(f *format, op x86.Op, join func(e *Emitter, d, a, b x86.Operand), d x86.Operand, args [2]x86.Operand, m num.Mode) {
	r, t := e.reserved(result), e.reserved(6)
	e.Asm.Emit(op, r, args[0], args[1])
	e.Asm.Emit(op, t, args[1], args[0])
	join(e, r, r, t)
	first := 0
	if m.NaN() == num.NaNSecond {
		first = 1
	}
	e.whereAs(f, r, args[1-first], args[first], args[first], unordered, t)
	e.whereAs(f, r, args[first], args[1-first], args[1-first], unordered, t)
	e.flushOperandAs(f, r, m)
	if m.Has(num.IEEE) {
		e.signalled(f, r, args)
	}
	if n := m.NaN(); m.Has(num.IEEE) || n == num.NaNCanon || n == num.NaNOnes {
		if e.bits < 512 { // a NaN operand would be the result
			e.Asm.Emit(f.compare, t, r, r, x86.Imm(unordered))
			for i := range args {
				e.And(e.reserved(i), args[i], t)
				args[i] = e.reserved(i)
			}
		}
		e.nansAs(f, d, r, args[:], m)
		return
	}
	e.Asm.Emit(f.move, d, r)
}

// extremeOfNumber is for a constant operand, if the host's result is right where the other is a NaN, or both are
// zeros; it reports whether that holds.
func extremeOfNumber(e *Emitter, op x86.Op, c *Call) bool {
	wrongZero := uint32(0) // the host takes 0 not to be less than -0
	if op == x86.VMAXPS {
		wrongZero = signBit
	}
	for i := range 2 {
		x, ok := c.known(i)
		if size := x &^ signBit; !ok || c.Mode.Has(num.IEEE) || x == wrongZero || size > exponent || size != 0 && size < leastNormal {
			continue
		}
		e.Asm.Emit(op, c.Dst, e.inRegister(c.Args[1-i], 0), e.lastOperand(c.Args[i], 1))
		e.flushOperand(c.Dst, c.Mode)
		return true
	}
	return false
}

// signalled makes r a NaN where an operand is a signalling NaN.
func (e *Emitter) signalled(f *format, r x86.Operand, args [2]x86.Operand) {
	if e.bits == 512 {
		for _, a := range args {
			e.Asm.Emit(f.compare, mask, a, a, x86.Imm(unordered))
			e.Asm.Emit(f.noBits, mask.Mask(mask), a, f.constant(e, f.quiet))
			e.Asm.Emit(f.or, r.Mask(mask), r, f.constant(e, f.positiveNaN))
		}
		return
	}
	t, q, zero := e.reserved(4), e.reserved(5), e.reserved(6)
	e.Xor(zero, zero, zero)
	for _, a := range args {
		e.And(q, a, f.in(e, f.quiet, 5))
		e.Asm.Emit(f.equal, q, q, zero)
		e.Asm.Emit(f.compare, t, a, a, x86.Imm(unordered))
		e.And(t, t, q)
		e.And(t, t, f.in(e, f.positiveNaN, 5))
		e.Or(r, r, t)
	}
}
