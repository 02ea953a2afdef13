package emit

import (
	"sync"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// Values of 16 bits are in the low halves of 32-bit lanes, zero-extended.
//
// An op on f16 is computed in f32 and rounded again. This double rounding is exact: for a sum, product, quotient or
// root that is rounded to 24 bits and then to the 11 of f16, in every direction, since 24 is 2*11+2. Where f16 is
// subnormal, sums and products are exact in f32, and no quotient is as close to a midpoint as the rounding error of
// f32. All f16 numbers are normal in f32, so the host flushes nothing in between.

// Bits of f16.
const (
	sign16     = 1 << 15
	exponent16 = 0x7c00
	twice16    = 0x7800 // exponents of at least twice the smallest normal number
	low16      = 0xffff
	quiet16    = 1 << 9
)

// any16 is every type of 16 bits.
const any16 = ir.Type(0xfe)

// ops16 are the ops on 16 bits with code.
var ops16 = sync.OnceValue(rows16)

func rows16() []row {
	return []row{
		ir.FAdd:    {ir.F16, 2, inFloats(float(x86.VADDPS)), 0, false},
		ir.FSub:    {ir.F16, 2, inFloats(float(x86.VSUBPS)), 0, false},
		ir.FMul:    {ir.F16, 2, inFloats(float(x86.VMULPS)), 0, false},
		ir.FDiv:    {ir.F16, 2, inFloats(float(x86.VDIVPS)), 0, false},
		ir.FSqrt:   {ir.F16, 1, inFloats(float(x86.VSQRTPS)), 0, false},
		ir.FFma:    {ir.F16, 3, halfMultiplyAdd, 0, false},
		ir.FMulZ:   {ir.F16, 2, inFloats(legacyProduct), 0, false},
		ir.FRcp:    {ir.F16, 1, inFloats(reciprocal), 0, false},
		ir.FRndne:  {ir.F16, 1, inFloats(integral(0)), 0, false},
		ir.FFloor:  {ir.F16, 1, inFloats(integral(1)), 0, false},
		ir.FCeil:   {ir.F16, 1, inFloats(integral(2)), 0, false},
		ir.FTrunc:  {ir.F16, 1, inFloats(integral(3)), 0, false},
		ir.FMinSel: {ir.F16, 2, inFloats(selected(x86.VMINPS)), 0, false},
		ir.FMaxSel: {ir.F16, 2, inFloats(selected(x86.VMAXPS)), 0, false},
		ir.FMinNum: {ir.F16, 2, inFloats(extreme(x86.VMINPS, (*Emitter).Or)), 0, false},
		ir.FMaxNum: {ir.F16, 2, inFloats(extreme(x86.VMAXPS, (*Emitter).And)), 0, false},
		ir.FSat:    {ir.F16, 1, inFloats(saturate), 0, false},
		ir.FCanon:  {ir.F16, 1, inFloats(canonical), 0, false},
		ir.FCvt:    {ir.F16, 1, toHalf, 0, false},
		ir.SToF:    {ir.F16, 1, integerToHalf(fromSigned), 0, false},
		ir.UToF:    {ir.F16, 1, integerToHalf(fromUnsigned), 0, false},
		ir.FNeg:    {ir.F16, 1, withWord(sign16, (*Emitter).Xor), 0, false},
		ir.FAbs:    {ir.F16, 1, withWord(sign16-1, (*Emitter).And), 0, false},
		ir.FEq:     {ir.F16, 2, ofFloats(compareFloats(0x00)), 0, false},
		ir.FLt:     {ir.F16, 2, ofFloats(compareFloats(0x11)), 0, false},
		ir.FLe:     {ir.F16, 2, ofFloats(compareFloats(0x12)), 0, false},
		ir.FUnord:  {ir.F16, 2, ofFloats(compareFloats(unordered)), 0, false},
		ir.Select:  {any16, 3, choose, 0, false},
		ir.IAdd:    {ir.I16, 2, cut16(commuting(x86.VPADDD, x86.VPADDD)), 0, false},
		ir.ISub:    {ir.I16, 2, cut16(plain(x86.VPSUBD)), 0, false},
		ir.IMul:    {ir.I16, 2, cut16(commuting(x86.VPMULLD, x86.VPMULLD)), 0, false},
		ir.INeg:    {ir.I16, 1, cut16(negate), 0, false},
		ir.And:     {ir.I16, 2, commuting(x86.VPANDD, x86.VPAND), 0, false},
		ir.Or:      {ir.I16, 2, commuting(x86.VPORD, x86.VPOR), 0, false},
		ir.Xor:     {ir.I16, 2, commuting(x86.VPXORD, x86.VPXOR), 0, false},
		ir.Not:     {ir.I16, 1, withWord(low16, (*Emitter).Xor), 0, false},
		ir.UMin:    {ir.I16, 2, commuting(x86.VPMINUD, x86.VPMINUD), 0, false},
		ir.UMax:    {ir.I16, 2, commuting(x86.VPMAXUD, x86.VPMAXUD), 0, false},
		ir.Eq:      {ir.I16, 2, compare(cmpEQ, equal), 0, false},
		ir.Ne:      {ir.I16, 2, compare(cmpNE, unequal), 0, false},
		ir.ULt:     {ir.I16, 2, compare(cmpLT|unsigned, below), 0, false},
		ir.ULe:     {ir.I16, 2, compare(cmpLE|unsigned, belowOrEqual), 0, false},
		ir.SMin:    {ir.I16, 2, fromUpper16(commuting(x86.VPMINSD, x86.VPMINSD)), 0, false},
		ir.SMax:    {ir.I16, 2, fromUpper16(commuting(x86.VPMAXSD, x86.VPMAXSD)), 0, false},
		ir.SLt:     {ir.I16, 2, upper16(compare(cmpLT, less)), 0, false},
		ir.SLe:     {ir.I16, 2, upper16(compare(cmpLE, lessOrEqual)), 0, false},
		ir.Shl:     {ir.I16, 2, modulo16(cut16(shift(x86.VPSLLVD, x86.VPSLLD))), 0, false},
		ir.ShrU:    {ir.I16, 2, modulo16(shift(x86.VPSRLVD, x86.VPSRLD)), 0, false},
		ir.ShrS:    {ir.I16, 2, modulo16(signShift16), 0, false},

		ir.UAbsDiff: {ir.I16, 2, distance(x86.VPMAXUD, x86.VPMINUD), 0, false},
		ir.USubSat:  {ir.I16, 2, overshoot, 0, false},
		ir.UAddSat:  {ir.I16, 2, sumUpTo(low16), 0, false},
	}
}

// conversions16 are the ops of ops16 whose operands have another type than their result.
var conversions16 = map[ir.Op]ir.Type{ir.FCvt: ir.F32, ir.SToF: ir.I32, ir.UToF: ir.I32}

// keepsSignals reports whether the op distinguishes signalling NaNs, or may return one unchanged. The conversions make
// all NaNs quiet.
func keepsSignals(op ir.Op, m num.Mode) bool {
	switch op {
	case ir.FMinSel, ir.FMaxSel, ir.FMinNum, ir.FMaxNum:
		return m.Has(num.IEEE) || m.NaN() != num.NaNCanon && m.NaN() != num.NaNOnes
	}
	return false
}

// copyQuiet makes NaNs quiet or signalling in d as they are in from, whose quiet bit has been shifted to where it is
// in d. NaNs of d are quiet, and in the lanes of those of as, an f32.
func (e *Emitter) copyQuiet(d, from, as x86.Operand, quiet uint32, t x86.Operand) {
	e.Asm.Emit(e.either(x86.VPANDND, x86.VPANDN), from, from, e.lastOperand(e.word(quiet), 7))
	e.Xor(from, from, d)
	e.where(d, from, as, as, unordered, t)
}

// cut16 zero-extends the 16-bit result of code.
func cut16(code func(*Emitter, *Call)) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		wide := *c
		wide.Dst = e.reserved(result)
		code(e, &wide)
		e.And(c.Dst, wide.Dst, e.lastOperand(e.word(low16), 4))
	}
}

// ofFloats converts f16 operands for f32 code.
func ofFloats(code func(*Emitter, *Call)) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		wide, signals := *c, keepsSignals(c.Op, c.Mode)
		var regs [3]x86.Operand
		for i, o := range c.Args {
			regs[i] = e.reserved(i)
			x, quiet := e.inRegister(o, i), e.reserved(result)
			if signals {
				e.Asm.Emit(x86.VPSLLD, quiet, x, x86.Imm(13))
			}
			e.widen16(regs[i], x, c.Mode)
			if signals {
				e.copyQuiet(regs[i], quiet, regs[i], quietBit, e.reserved(5))
			}
		}
		wide.Args, wide.Known = regs[:len(c.Args)], 0
		code(e, &wide)
	}
}

// inFloats rounds the f32 result of code to f16.
func inFloats(code func(*Emitter, *Call)) func(*Emitter, *Call) {
	code = ofFloats(code)
	return func(e *Emitter, c *Call) {
		wide := *c
		wide.Dst = e.reserved(result)
		if !c.Mode.Has(num.FlushUnbounded) { // in f32 the host would flush; flushing is left to the conversion
			wide.Mode = c.Mode.Without(num.FlushOut)
		}
		code(e, &wide)
		if !keepsSignals(c.Op, c.Mode) {
			e.narrow16(c.Dst, wide.Dst, c.Mode)
			return
		}
		r, quiet := e.reserved(0), e.reserved(1)
		e.Asm.Emit(x86.VMOVAPS, r, wide.Dst)
		e.Asm.Emit(x86.VPSRLD, quiet, r, x86.Imm(13))
		e.narrow16(c.Dst, wide.Dst, c.Mode)
		e.copyQuiet(c.Dst, quiet, r, quiet16, e.reserved(5))
	}
}

// widen16 converts the f16 in a to f32 in r, with all NaNs quiet.
func (e *Emitter) widen16(r, a x86.Operand, m num.Mode) {
	if m.Has(num.FlushIn) {
		e.flushWhere(r, a, exponent16, sign16)
		a = r
	}
	low := e.half(7)
	if e.bits == 512 {
		e.Asm.Emit(x86.VPMOVDW, low, a)
	} else {
		e.Asm.Emit(x86.VPACKUSDW, e.reserved(7), a, a)
		e.Asm.Emit(x86.VPERMQ, e.reserved(7), e.reserved(7), x86.Imm(0x08))
	}
	e.Asm.Emit(x86.VCVTPH2PS, r, low)
}

// round16 rounds the f32 in r to f16 in d.
func (e *Emitter) round16(d, r x86.Operand, m num.Mode) {
	low := e.half(7)
	e.Asm.Emit(x86.VCVTPS2PH, low, r, x86.Imm(int64(directions[m.Round()])))
	e.Asm.Emit(x86.VPMOVZXWD, d, low)
}

// narrow16 converts the f32 in r to f16 in d, rounded and flushed according to the mode.
func (e *Emitter) narrow16(d, r x86.Operand, m num.Mode) {
	if !m.Has(num.FlushOut) {
		e.round16(d, r, m)
		return
	}
	t := e.reserved(6)
	e.round16(t, r, m)
	if !m.Has(num.FlushUnbounded) {
		e.flushWhere(d, t, exponent16, sign16)
		return
	}
	// Twice the number is rounded at the bit where it would be if the exponent had no lower bound.
	double := e.reserved(result)
	e.Asm.Emit(x86.VADDPS, double, r, r)
	e.round16(double, double, m)
	e.zeroWhere(&f32, d, t, double, twice16, sign16)
}

// toHalf rounds f32. The host's conversion does not flush subnormal operands, so if the mode does, code does it before;
// that matters only for directions away from zero.
func toHalf(e *Emitter, c *Call) {
	a, r := e.inRegister(c.Args[0], 0), e.reserved(result)
	if c.Mode.Has(num.FlushIn) {
		e.flushWhere(r, a, exponent, signBit)
	} else {
		e.Asm.Emit(x86.VMOVAPS, r, a)
		e.Control(e.ctl &^ cpu.FlushOperands)
	}
	if n := c.Mode.NaN(); n == num.NaNCanon || n == num.NaNOnes {
		e.nans(r, r, nil, c.Mode)
	}
	e.narrow16(c.Dst, r, c.Mode)
}

// fromHalf is exact.
func fromHalf(e *Emitter, c *Call) {
	r := e.reserved(result)
	e.widen16(r, e.inRegister(c.Args[0], 0), c.Mode)
	if n := c.Mode.NaN(); n == num.NaNCanon || n == num.NaNOnes {
		e.nans(c.Dst, r, nil, c.Mode)
		return
	}
	e.Asm.Emit(x86.VMOVAPS, c.Dst, r)
}

// integerToHalf rounds twice: integers that f32 does not represent are above the largest f16.
func integerToHalf(code func(*Emitter, *Call)) func(*Emitter, *Call) {
	return func(e *Emitter, c *Call) {
		wide := *c
		wide.Dst = e.reserved(result)
		code(e, &wide)
		e.narrow16(c.Dst, wide.Dst, c.Mode)
	}
}
