package emit

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// Bit patterns of f32.
const (
	signBit     = 1 << 31
	exponent    = 0x7f800000
	quietBit    = 0x00400000
	positiveNaN = 0x7fc00000
	negativeNaN = 0xffc00000
	onesNaN     = 0x7fffffff
)

// Predicates of VCMPPS: unordered (a NaN), and not equal.
const (
	unordered    = 3
	unequalOrNaN = 4
)

// directions maps the rounding modes of num to those of MXCSR and of rounding operands.
var directions = [4]uint32{num.RNE: 0, num.RDown: 1, num.RUp: 2, num.RZ: 3}

var embedded = [4]x86.Operand{num.RNE: x86.RoundNearest, num.RDown: x86.RoundDown, num.RUp: x86.RoundUp, num.RZ: x86.RoundZero}

// MXCSR returns the control word for ops of a mode. The host flushes results in the way of num.FlushUnbounded; other
// ways need code after the op.
func MXCSR(m num.Mode) uint32 {
	w := uint32(cpu.Masked) | directions[m.Round()]<<cpu.RoundingAt
	if m.Has(num.FlushIn) {
		w |= cpu.FlushOperands
	}
	if m.Has(num.FlushOut | num.FlushUnbounded) {
		w |= cpu.FlushResults
	}
	return w
}

// float is a rounding instruction, followed by the mode's rules for subnormals and NaNs.
func float(op x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		var regs [3]x86.Operand
		args := e.all(c, &regs)
		r := c.Dst
		if slices.Contains(args, r) {
			r = e.reserved(result)
		}
		e.arithmetic(op, r, args, c.Mode)
		if !c.Loose && flushes(c.Mode) {
			e.Flush(r)
		}
		e.nans(c.Dst, r, args, c.Mode)
	}
}

// flushes reports whether results of the mode are flushed by code after the op.
func flushes(m num.Mode) bool { return m.Has(num.FlushOut) && !m.Has(num.FlushUnbounded) }

// LeavesLoose reports whether an op may leave subnormals in its result that the mode flushes, if Call.Loose permits
// it.
func LeavesLoose(op ir.Op, m num.Mode) bool { return loosely(op) && flushes(m) }

// TakesLoose reports whether an op flushes its operands itself, so that they may still hold subnormals that the mode
// flushes.
func TakesLoose(op ir.Op, m num.Mode) bool { return loosely(op) && m.Has(num.FlushIn) }

// loosely reports whether an f32 op is one host instruction, which flushes operands itself.
func loosely(op ir.Op) bool {
	switch op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FSqrt, ir.FFma:
		return true
	}
	return false
}

// MayLeaveNaN reports whether an op supports Call.AnyNaN: it then yields a NaN wherever its mode does, though perhaps
// another one, and wherever an operand is a NaN.
func MayLeaveNaN(op ir.Op) bool {
	switch op {
	case ir.FMad, ir.FRcp, ir.FRsq, ir.FExp2, ir.FLog2, ir.FSinRev, ir.FCosRev, ir.FRndne, ir.FFloor, ir.FCeil, ir.FTrunc, ir.FCanon:
		return true
	}
	return loosely(op)
}

// all returns the operands in registers.
func (e *Emitter) all(c *Call, regs *[3]x86.Operand) []x86.Operand {
	for i, o := range c.Args {
		regs[i] = e.inRegister(o, i)
	}
	return regs[:len(c.Args)]
}

// one is the bit pattern of 1.
const one = 0x3f800000

// reciprocal is a division, which the host rounds correctly.
func reciprocal(e *Emitter, c *Call) {
	a, r := e.inRegister(c.Args[0], 0), e.reserved(result)
	quotient := [2]x86.Operand{e.inRegister(e.word(one), 1), a}
	e.arithmetic(x86.VDIVPS, r, quotient[:], c.Mode)
	e.finish(c.Dst, r, []x86.Operand{a}, c.Mode)
}

// integral rounds to an integer; the direction is that of the instruction's immediate.
func integral(direction int64) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		e.operandsControl(c.Mode)
		a, r := e.inRegister(c.Args[0], 0), e.reserved(result)
		e.Asm.Emit(e.either(x86.VRNDSCALEPS, x86.VROUNDPS), r, a, x86.Imm(8|direction))
		e.nans(c.Dst, r, []x86.Operand{a}, c.Mode)
	}
}

// legacyProduct is the product, but +0 if a factor is zero.
func legacyProduct(e *Emitter, c *Call) {
	var regs [3]x86.Operand
	args := e.all(c, &regs)
	r := e.reserved(7)
	e.arithmetic(x86.VMULPS, r, args, c.Mode)
	e.finish(r, r, args, c.Mode)
	e.operandsControl(c.Mode)
	zero := e.reserved(4)
	e.Xor(zero, zero, zero)
	if e.bits == 512 {
		e.Asm.Emit(x86.VCMPPS, mask, args[0], zero, x86.Imm(unequalOrNaN))
		e.Asm.Emit(x86.VCMPPS, mask.Mask(mask), args[1], zero, x86.Imm(unequalOrNaN))
		e.Asm.Emit(x86.VMOVAPS, c.Dst.Zero(mask), r)
		return
	}
	a, b := e.reserved(5), e.reserved(6)
	e.Asm.Emit(x86.VCMPPS, a, args[0], zero, x86.Imm(unequalOrNaN))
	e.Asm.Emit(x86.VCMPPS, b, args[1], zero, x86.Imm(unequalOrNaN))
	e.And(a, a, b)
	e.And(c.Dst, a, r)
}

// arithmetic emits the instruction itself. With AVX-512 it has an embedded rounding mode, and MXCSR need not change
// for that.
func (e *Emitter) arithmetic(op x86.Op, r x86.Operand, args []x86.Operand, m num.Mode) {
	var list [4]x86.Operand
	n := 1 + copy(list[1:], args)
	list[0] = r
	if op == x86.VFMADD213PS { // the first operand is also a factor
		e.Asm.Emit(x86.VMOVAPS, r, args[0])
		n = copy(list[1:], args[1:]) + 1
	}
	ctl := MXCSR(m)
	if e.bits == 512 {
		ctl = ctl&^(3<<cpu.RoundingAt) | e.ctl&(3<<cpu.RoundingAt)
		if directions[m.Round()] != e.ctl>>cpu.RoundingAt&3 {
			list[n] = embedded[m.Round()]
			n++
		}
	}
	e.Control(ctl)
	e.Asm.Emit(op, list[:n]...)
}

// compareFloats is a comparison under the mode's rule for subnormal operands.
func compareFloats(predicate int64) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		e.operandsControl(c.Mode)
		a := e.inRegister(c.Args[0], 0)
		e.Asm.Emit(x86.VCMPPS, c.Dst, a, e.lastOperand(c.Args[1], 1), x86.Imm(predicate))
	}
}

// operandsControl makes MXCSR flush operands or not, according to the mode. Its other bits do not matter to the next
// instruction.
func (e *Emitter) operandsControl(m num.Mode) {
	ctl := e.ctl &^ cpu.FlushOperands
	if m.Has(num.FlushIn) {
		ctl |= cpu.FlushOperands
	}
	e.Control(ctl)
}

// selected is a minimum or maximum instruction that returns its second operand unless the first is less, or greater; a
// NaN is returned as it is, except in modes with one NaN.
func selected(op x86.Op) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		e.operandsControl(c.Mode)
		a, r := e.inRegister(c.Args[0], 0), e.reserved(result)
		e.Asm.Emit(op, r, a, e.lastOperand(c.Args[1], 1))
		e.finishSelected(&f32, c.Dst, r, c.Mode)
	}
}

// FinishSelected64 applies the mode's rules to the result r of a minimum or maximum instruction of f64 that returns an
// operand as it is, and moves it to d.
func (e *Emitter) FinishSelected64(d, r x86.Operand, m num.Mode) { e.finishSelected(&f64, d, r, m) }

func (e *Emitter) finishSelected(f *format, d, r x86.Operand, m num.Mode) {
	e.flushOperandAs(f, r, m)
	if n := m.NaN(); n == num.NaNCanon || n == num.NaNOnes {
		e.nansAs(f, d, r, nil, m)
		return
	}
	e.Asm.Emit(f.move, d, r)
}
