package gen

import (
	"math"

	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// Bit patterns of f64.
const (
	sign64      = 1 << 63
	exponent64  = 0x7ff << 52
	quietBit64  = 1 << 51
	positive64  = 0x7ff8 << 48
	negative64  = 0xfff8 << 48
	unordered   = 3    // predicate of VCMPPD
	greaterOrEq = 0x1d // likewise
)

// floatOps64 returns the ops on f64.
func floatOps64() []wide64Code {
	return []wide64Code{
		ir.FAdd:   arithmetic64(x86.VADDPD),
		ir.FSub:   arithmetic64(x86.VSUBPD),
		ir.FMul:   arithmetic64(x86.VMULPD),
		ir.FDiv:   arithmetic64(x86.VDIVPD),
		ir.FSqrt:  arithmetic64(x86.VSQRTPD),
		ir.FFma:   arithmetic64(x86.VFMADD213PD),
		ir.FLdexp: scale64,
		ir.FNeg:   bitsWith64(x86.VPXORQ, sign64),
		ir.FAbs:   bitsWith64(x86.VPANDQ, sign64-1),
		ir.FEq:    compareF64(0x00),
		ir.FLt:    compareF64(0x11),
		ir.FLe:    compareF64(0x12),
		ir.FUnord: compareF64(unordered),
		ir.SToF:   fromInt32(x86.VCVTDQ2PD),
		ir.UToF:   fromInt32(x86.VCVTUDQ2PD),
		ir.FCvt:   convert64,
		ir.FToS:   f64ToSigned,
		ir.FToU:   f64ToUnsigned,
	}
}

// float64Code returns the code of a step with f64 results or operands, nil if there is none.
func (p *plan) float64Code(s *lower.Step) wide64Code {
	m := s.Mode
	if s.Op.Info().Flags&ir.HasMode != 0 && (m.Has(num.FlushOut) && m.Has(num.FlushBefore) || m.NaN() == num.NaNOnes) {
		return nil
	}
	ok := false
	switch s.Op {
	case ir.FLdexp:
		ok = s.Type == ir.F64 && all(s.Args[:1], lower.InVec) && all(s.Args[1:], lower.InRow) && (p.wide() || m.Round() == num.RNE)
	case ir.SToF, ir.UToF:
		ok = s.Type == ir.F64 && s.From == ir.I32 && all(s.Args, lower.InRow)
	case ir.FCvt:
		ok = s.Type == ir.F64 && s.From == ir.F32 && all(s.Args, lower.InRow) ||
			s.Type == ir.F32 && s.From == ir.F64 && all(s.Args, lower.InVec) && s.Res[0].Kind == lower.InRow && m.NaN() != num.NaNSecond
	case ir.FToS, ir.FToU:
		ok = s.Type == ir.I32 && s.From == ir.F64 && all(s.Args, lower.InVec)
	default:
		ok = s.Type == ir.F64 && all(s.Args, lower.InVec)
	}
	if !ok {
		return nil
	}
	ops := wide64Ops().floats
	if !p.wide() {
		ops = wide64Ops().narrowFloats
	}
	if int(s.Op) < len(ops) {
		return ops[s.Op]
	}
	return nil
}

// operands64 returns half h of the operands in registers.
func (c *compiler) operands64(s *lower.Step, h int) (list []x86.Operand) {
	for i, p := range s.Args {
		list = append(list, c.inRegister64(c.half64(p, h), i))
	}
	return list
}

// arithmetic64 is an instruction that rounds.
func arithmetic64(op x86.Op) wide64Code {
	return func(c *compiler, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		for h := range 2 {
			args, r := c.operands64(s, h), c.scratch(3)
			if op == x86.VFMADD213PD {
				c.a.Emit(x86.VMOVAPD, r, args[0])
				c.a.Emit(op, r, args[1], args[2])
			} else {
				c.a.Emit(op, append([]x86.Operand{r}, args...)...)
			}
			c.finish64(c.halfResult(s, h), r, args, s.Mode)
		}
	}
}

// finish64 computes the final result d from the rounded result r: the subnormals and NaNs of the mode.
func (c *compiler) finish64(d, r x86.Operand, args []x86.Operand, m num.Mode) {
	if !c.wide() {
		c.finish64AVX2(r, args, m)
		c.a.Emit(x86.VMOVAPD, d, r)
		return
	}
	a, k6, k7 := c.a, x86.K(6), x86.K(7)
	if m.Has(num.FlushOut) && !m.Has(num.FlushUnbounded) {
		a.Emit(x86.VPTESTNMQ, k6, r, c.e.Word64(exponent64))
		a.Emit(x86.VPANDQ, r.Mask(k6), r, c.e.Word64(sign64))
	}
	if c.anyNaN() {
		a.Emit(x86.VMOVAPD, d, r)
		return
	}
	nan, order := nanOf(args, m)
	a.Emit(x86.VCMPPD, k6, r, r, x86.Imm(unordered))
	if order == nil {
		a.Emit(x86.VPBLENDMQ, d.Mask(k6), r, c.e.Word64(nan))
		return
	}
	done := a.NewLabel()
	a.Emit(x86.KORTESTW, k6, k6)
	a.Emit(x86.JE, x86.To(done))
	a.Emit(x86.VPBLENDMQ, r.Mask(k6), r, c.e.Word64(nan))
	for i := len(order) - 1; i >= 0; i-- {
		a.Emit(x86.VCMPPD, k7.Mask(k6), order[i], order[i], x86.Imm(unordered))
		a.Emit(x86.VPORQ, r.Mask(k7), order[i], c.e.Word64(quietBit64))
	}
	a.Bind(done)
	a.Emit(x86.VMOVAPD, d, r)
}

// nanOf returns the NaN for results that do not propagate an operand's, and the operands in the order in which their
// NaNs are taken, nil if none is.
func nanOf(args []x86.Operand, m num.Mode) (nan uint64, order []x86.Operand) {
	switch nan = positive64; {
	case m.NaN() == num.NaNCanon:
		return nan, nil
	case m.Has(num.NaNNegative):
		nan = negative64
	}
	if m.NaN() == num.NaNSecond {
		return nan, append(append([]x86.Operand{}, args[1:]...), args[0])
	}
	return nan, args
}

// halfOfRow32 returns half h of a 32-bit per-lane operand.
func (c *compiler) halfOfRow32(p lower.Place, h, i int) x86.Operand {
	if p.Kind != lower.InWord {
		return c.halfOfRow(p, h, i)
	}
	t := c.halfScratch(i)
	c.a.Emit(x86.VPBROADCASTD, t, x86.At(regWords, 8*p.At))
	return t
}

// scale64 is the scale instruction, which takes the exponent as a float.
func scale64(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	for h := range 2 {
		a, n, r := c.inRegister64(c.half64(s.Args[0], h), 0), c.scratch(1), c.scratch(3)
		c.a.Emit(x86.VCVTDQ2PD, n, c.halfOfRow32(s.Args[1], h, 1))
		c.a.Emit(x86.VSCALEFPD, r, a, n)
		c.finish64(c.halfResult(s, h), r, []x86.Operand{a}, emit.ScaleMode(s.Mode))
	}
}

// bitsWith64 is an op on the operand and a constant.
func bitsWith64(op x86.Op, with uint64) wide64Code {
	return func(c *compiler, s *lower.Step) {
		for h := range 2 {
			a, k := c.inRegister64(c.half64(s.Args[0], h), 0), c.e.Word64(with)
			if !c.wide() {
				k = c.inRegister64(k, 1)
			}
			c.a.Emit(op, c.halfResult(s, h), a, k)
		}
	}
}

// compareF64 is a comparison under the mode's rule for subnormal operands.
func compareF64(predicate int64) wide64Code {
	return func(c *compiler, s *lower.Step) {
		c.e.Control(emit.MXCSR(s.Mode))
		compare64(x86.VCMPPD, predicate)(c, s)
	}
}

// fromInt32 converts integers, which is exact.
func fromInt32(op x86.Op) wide64Code {
	return func(c *compiler, s *lower.Step) {
		for h := range 2 {
			from := c.halfOfRow32(s.Args[0], h, 1)
			c.a.Emit(op, c.halfResult(s, h), from)
		}
	}
}

// convert64 converts f32 to f64, which is exact except for subnormals and NaNs, or f64 to f32.
func convert64(c *compiler, s *lower.Step) {
	if s.Type == ir.F32 {
		f64ToF32(c, s)
		return
	}
	c.e.Control(emit.MXCSR(s.Mode))
	for h := range 2 {
		r := c.scratch(3)
		c.a.Emit(x86.VCVTPS2PD, r, c.halfOfRow32(s.Args[0], h, 1))
		c.nans64(c.halfResult(s, h), r, s.Mode)
	}
}

// nans64 gives d the value r, with one NaN for all if the mode requires that.
func (c *compiler) nans64(d, r x86.Operand, m num.Mode) {
	if m.NaN() != num.NaNCanon {
		c.a.Emit(x86.VMOVAPD, d, r)
		return
	}
	c.a.Emit(x86.VCMPPD, x86.K(6), r, r, x86.Imm(unordered))
	c.a.Emit(x86.VPBLENDMQ, d.Mask(x86.K(6)), r, c.e.Word64(positive64))
}

// f64ToF32 rounds to f32.
func f64ToF32(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, r, k6 := c.a, c.scratch(2), x86.K(6)
	for h := range 2 {
		a.Emit(x86.VCVTPD2PS, c.halfScratch(2+h), c.inRegister64(c.half64(s.Args[0], h), h))
	}
	a.Emit(x86.VINSERTI64X4, r, r, c.halfScratch(3), x86.Imm(1))
	if s.Mode.Has(num.FlushOut) && !s.Mode.Has(num.FlushUnbounded) {
		a.Emit(x86.VPTESTNMD, k6, r, c.e.Word(0x7f800000))
		a.Emit(x86.VPANDD, r.Mask(k6), r, c.e.Word(1<<31))
	}
	if s.Mode.NaN() == num.NaNCanon {
		a.Emit(x86.VCMPPS, k6, r, r, x86.Imm(unordered))
		a.Emit(x86.VPBLENDMD, r.Mask(k6), r, c.e.Word(0x7fc00000))
	}
	a.Emit(x86.VMOVUPS, c.result(s), r)
}

// f64ToSigned converts to i32. Out of range the host returns the minimum, which is wrong for positive numbers and
// NaNs.
func f64ToSigned(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, k6 := c.a, x86.K(6)
	for h := range 2 {
		v, r := c.inRegister64(c.half64(s.Args[0], h), h), c.halfScratch(2+h)
		a.Emit(x86.VMINPD, c.scratch(4), v, c.e.Word64(math.Float64bits(math.MaxInt32)))
		a.Emit(x86.VCVTPD2DQ, r, c.scratch(4))
		a.Emit(x86.VCMPPD, k6, v, v, x86.Imm(7)) // not a NaN
		a.Emit(x86.VMOVDQU32, r.Zero(k6), r)
	}
	a.Emit(x86.VINSERTI64X4, c.result(s), c.scratch(2), c.halfScratch(3), x86.Imm(1))
}

// f64ToUnsigned converts non-negative numbers. Out of range the host returns all ones.
func f64ToUnsigned(c *compiler, s *lower.Step) {
	c.e.Control(emit.MXCSR(s.Mode))
	a, zero := c.a, c.scratch(4)
	a.Emit(x86.VPXORD, zero, zero, zero)
	for h := range 2 {
		v := c.inRegister64(c.half64(s.Args[0], h), h)
		a.Emit(x86.VMAXPD, c.scratch(5), v, zero) // returns the second operand for a NaN
		a.Emit(x86.VCVTPD2UDQ, c.halfScratch(2+h), c.scratch(5))
	}
	a.Emit(x86.VINSERTI64X4, c.result(s), c.scratch(2), c.halfScratch(3), x86.Imm(1))
}
