package emit

import (
	"encoding/binary"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// Functions of special function units with published tables are computed by table lookup in integers, as in package
// num.

// Bit patterns of the numbers that those functions take and return, besides those of f32.
const (
	significand = 1<<23 - 1
	topBit      = 1 << 23
	fixedNaN    = 0x40000000 // of fixed-point numbers
	fixedHuge   = 0x40800000
	twoTo7      = 0x43000000 // as f32, likewise
	twoOverPi   = 0xa2f983   // with 24 bits of fraction
)

// sfus returns the functions, by number.
func sfus() [num.NumSFU]func(*Emitter, *Call) {
	return [...]func(*Emitter, *Call){
		num.TeslaRcp:    teslaRcp,
		num.TeslaRsqrt:  teslaRsqrt,
		num.TeslaLg2:    teslaLg2,
		num.TeslaEx2:    teslaEx2,
		num.TeslaSin:    teslaSine(0),
		num.TeslaCos:    teslaSine(topBit),
		num.TeslaPreSin: teslaPreSin,
		num.TeslaPreEx2: teslaPreEx2,
	}
}

func special(e *Emitter, c *Call) { sfus()[c.Imm](e, c) }

// isSFU reports whether the function is one of num.
func isSFU(c *Call) bool { return c.Op != ir.SFU || c.Imm < uint64(num.NumSFU) }

// A table is one of a function unit, after the code: all first coefficients, then the others, with the third in the
// low bits.
type table struct {
	of    *num.QuadTable
	label x86.Label
}

// tableOf returns the label of the table.
func (e *Emitter) tableOf(t *num.QuadTable) x86.Label {
	for _, k := range e.tables {
		if k.of == t {
			return k.label
		}
	}
	l := e.Asm.NewLabel()
	e.tables = append(e.tables, table{t, l})
	return l
}

// writeTables emits the tables that the code uses.
func (e *Emitter) writeTables() {
	for _, k := range e.tables {
		e.Asm.Align(64)
		e.Asm.Bind(k.label)
		var first, others []byte
		for _, c := range k.of.Coef {
			first = binary.LittleEndian.AppendUint32(first, uint32(c[0]))
			others = binary.LittleEndian.AppendUint32(others, uint32(c[1])<<thirdBits|uint32(c[2])&(1<<thirdBits-1))
		}
		e.Asm.Data(append(first, others...)...)
	}
	e.tables = e.tables[:0]
}

// thirdBits is the width of the third coefficient, with its sign, in a word with the second.
const thirdBits = 12

// pieces interpolates in a table at the emitter's register 1, of which only the low bits count: the values are 64 bits
// in registers 6, for even lanes, and 7, for odd ones. It clobbers registers 1 to 5.
func (e *Emitter) pieces(t *num.QuadTable) {
	asm := e.Asm
	at, d, square, c, x, even, odd := e.reserved(1), e.reserved(2), e.reserved(3), e.reserved(4), e.reserved(5), e.reserved(6), e.reserved(7)
	e.And(d, at, e.lastOperand(e.word(1<<t.Low-1), 5))
	asm.Emit(x86.VPSRLD, at, at, x86.Imm(int64(t.Low)))
	e.And(at, at, e.lastOperand(e.word(uint32(len(t.Coef)-1)), 5))
	e.square17(square, d, t.Square)
	e.coefficients(even, c, t)

	k := at
	asm.Emit(x86.VBROADCASTSS, k, x86.RIP(e.constant(1<<t.C0)))
	asm.Emit(x86.VPSRLQ, odd, even, x86.Imm(32))
	asm.Emit(x86.VPMULDQ, even, even, k)
	asm.Emit(x86.VPMULDQ, odd, odd, k)

	asm.Emit(x86.VPSRAD, x, c, x86.Imm(thirdBits))
	e.addProducts(x, d, k)
	asm.Emit(x86.VPSLLD, c, c, x86.Imm(32-thirdBits))
	asm.Emit(x86.VPSRAD, c, c, x86.Imm(32-thirdBits))
	if t.C2 > 0 {
		asm.Emit(x86.VPSLLD, square, square, x86.Imm(int64(t.C2)))
	}
	e.addProducts(c, square, k)

	asm.Emit(x86.VBROADCASTSD, d, x86.RIP(e.constant64(uint64(t.Bias))))
	for _, sum := range []x86.Operand{even, odd} { // not negative
		asm.Emit(x86.VPADDQ, sum, sum, d)
		asm.Emit(x86.VPSRLQ, sum, sum, x86.Imm(int64(t.Right)))
	}
}

// addProducts adds the products of x and y to registers 6 and 7. It clobbers x, y and t.
func (e *Emitter) addProducts(x, y, t x86.Operand) {
	asm, even, odd := e.Asm, e.reserved(6), e.reserved(7)
	asm.Emit(x86.VPMULDQ, t, x, y)
	asm.Emit(x86.VPADDQ, even, even, t)
	asm.Emit(x86.VPSRLQ, x, x, x86.Imm(32))
	asm.Emit(x86.VPSRLQ, y, y, x86.Imm(32))
	asm.Emit(x86.VPMULDQ, t, x, y)
	asm.Emit(x86.VPADDQ, odd, odd, t)
}

// square17 is the truncated square of d<<shift: half the square of the high eight bits, and for each of those above
// the lowest the low bits that reach so far. It clobbers registers 4 to 6.
func (e *Emitter) square17(r, d x86.Operand, shift uint) {
	asm := e.Asm
	high, low, x := e.reserved(4), e.reserved(5), e.reserved(6)
	from := d
	if shift > 0 {
		from = low
		asm.Emit(x86.VPSLLD, low, d, x86.Imm(int64(shift)))
	}
	asm.Emit(x86.VPSRLD, high, from, x86.Imm(9))
	e.And(low, from, e.lastOperand(e.word(1<<9-1), 6))
	asm.Emit(x86.VPMADDWD, r, high, high)
	asm.Emit(x86.VPSRLD, r, r, x86.Imm(1))
	for bit := int64(1); bit < 8; bit++ {
		if e.bits == 512 {
			asm.Emit(x86.VPTESTMD, mask, high, e.word(1<<bit))
			asm.Emit(x86.VPSRLD, x, low, x86.Imm(9-bit))
			asm.Emit(x86.VPADDD, r.Mask(mask), r, x)
			continue
		}
		t := e.reserved(7)
		asm.Emit(x86.VPSLLD, t, high, x86.Imm(31-bit))
		asm.Emit(x86.VPSRAD, t, t, x86.Imm(31))
		asm.Emit(x86.VPSRLD, x, low, x86.Imm(9-bit))
		e.And(x, x, t)
		asm.Emit(x86.VPADDD, r, r, x)
	}
}

// coefficients loads the words of the table pieces in register 1 into first and others. It clobbers register 5.
func (e *Emitter) coefficients(first, others x86.Operand, t *num.QuadTable) {
	asm, at, x, n, rax := e.Asm, e.reserved(1), e.reserved(5), len(t.Coef), x86.R64(0)
	asm.Emit(x86.LEA, rax, x86.RIP(e.tableOf(t)))
	both := [2]x86.Operand{first, others}
	if e.bits < 512 {
		for i, r := range both {
			asm.Emit(x86.VPCMPEQD, x, x, x)
			asm.Emit(x86.VPGATHERDD, r, x86.At(rax, int32(4*n*i)).Index(at, 4), x)
		}
		return
	}
	asm.Emit(x86.VMOVAPS, first, at)
	asm.Emit(x86.VMOVAPS, others, at)
	for from := 0; from < n; from += 32 { // those whose bits above the lowest five match
		k := mask
		for bit := 32; bit < n; bit *= 2 {
			op := x86.VPTESTNMD
			if from&bit != 0 {
				op = x86.VPTESTMD
			}
			asm.Emit(op, k, at, e.word(uint32(bit)))
			k = mask.Mask(mask)
		}
		for i, r := range both {
			asm.Emit(x86.VMOVUPS, x, x86.At(rax, int32(4*(n*i+from))))
			asm.Emit(x86.VPERMI2D, r.Mask(mask), x, x86.At(rax, int32(4*(n*i+from+16))))
		}
	}
}

// together interleaves the low words of registers 6 and 7 in r.
func (e *Emitter) together(r x86.Operand) {
	e.Asm.Emit(x86.VPSLLQ, e.reserved(7), e.reserved(7), x86.Imm(32))
	e.Or(r, e.reserved(6), e.reserved(7))
}

// whereBit copies v to r in lanes in which a has the bit; t is for AVX2.
func (e *Emitter) whereBit(r, v, a x86.Operand, bit int64, t x86.Operand) {
	if e.bits == 512 {
		e.Asm.Emit(x86.VPTESTMD, mask, a, e.word(1<<bit))
		e.Asm.Emit(x86.VPBLENDMD, r.Mask(mask), r, v)
		return
	}
	e.Asm.Emit(x86.VPSLLD, t, a, x86.Imm(31-bit))
	e.Asm.Emit(x86.VBLENDVPS, r, r, v, t)
}

// fill broadcasts the word v to all lanes of r.
func (e *Emitter) fill(r x86.Operand, v uint32) x86.Operand {
	e.Asm.Emit(x86.VBROADCASTSS, r, x86.RIP(e.constant(v)))
	return r
}

// unlessNormal runs out-of-line code if a lane of a, which may have a sign, is not a normal number above 0. It
// clobbers registers 4 and 5.
func (e *Emitter) unlessNormal(a x86.Operand, code func()) {
	asm, t, u := e.Asm, e.reserved(4), e.reserved(5)
	if e.bits == 512 {
		asm.Emit(x86.VPSUBD, t, a, e.word(leastNormal))
		asm.Emit(x86.VPCMPUD, mask, t, e.word(exponent-leastNormal), x86.Imm(cmpGE))
		asm.Emit(x86.KORTESTW, mask, mask)
	} else {
		asm.Emit(x86.VPCMPGTD, t, a, e.inRegister(e.word(exponent-1), 5))
		asm.Emit(x86.VPCMPGTD, u, e.inRegister(e.word(leastNormal), 5), a)
		e.Or(t, t, u)
		asm.Emit(x86.VTESTPS, t, t)
	}
	e.unlikely(x86.JNE, code)
}

// signOf combines the sign of a and the bits of v in r.
func (e *Emitter) signOf(r, a x86.Operand, v uint32) {
	e.And(r, a, e.lastOperand(e.word(signBit), 4))
	if v != 0 {
		e.Or(r, r, e.lastOperand(e.word(v), 4))
	}
}

// denormalsAsZeros makes comparisons flush their operands.
func (e *Emitter) denormalsAsZeros() { e.Control(e.ctl | cpu.FlushOperands) }

// flushed makes r 0 where it is less than the smallest normal number, as signed integers.
func (e *Emitter) flushed(r, t x86.Operand) {
	if e.bits == 512 {
		e.Asm.Emit(x86.VPCMPD, mask, r, e.word(significand), x86.Imm(cmpLE))
		e.Asm.Emit(x86.VPXORD, r.Mask(mask), r, r)
		return
	}
	e.Asm.Emit(x86.VPCMPGTD, t, r, e.inRegister(e.word(significand), 5))
	e.And(r, r, t)
}

func teslaRcp(e *Emitter, c *Call) {
	a, r, t := e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(4)
	e.denormalsAsZeros()
	e.Asm.Emit(x86.VMOVAPS, e.reserved(1), a)
	e.pieces(num.TeslaRcp.Table())
	e.together(r)
	e.And(t, a, e.lastOperand(e.word(exponent), 4))
	e.Asm.Emit(x86.VPSUBD, r, r, t)
	e.Asm.Emit(x86.VPADDD, r, r, e.lastOperand(e.word(252<<23), 4))
	e.flushed(r, t)
	e.signOf(e.reserved(6), a, 0)
	e.Or(r, r, e.reserved(6))
	abs := e.reserved(7)
	e.And(abs, a, e.lastOperand(e.word(^uint32(signBit)), 5))
	e.unlessNormal(abs, func() {
		e.signOf(e.reserved(6), a, exponent)
		zero := e.reserved(7)
		e.Xor(zero, zero, zero)
		e.where(r, e.reserved(6), a, zero, equalNumbers, t)
		e.where(r, e.fill(e.reserved(6), onesNaN), a, a, unordered, t)
	})
	e.Asm.Emit(x86.VMOVAPS, c.Dst, r)
}

// teslaRsqrt uses the lowest bit of the exponent as a bit above the significand. A power of four is not in the table.
func teslaRsqrt(e *Emitter, c *Call) {
	asm, a, r, t := e.Asm, e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(4)
	e.denormalsAsZeros()
	g := e.reserved(1)
	e.Xor(g, a, e.lastOperand(e.word(topBit), 4)) // the exponent's bias is odd
	asm.Emit(x86.VPSLLD, g, g, x86.Imm(8))
	asm.Emit(x86.VPSRLD, g, g, x86.Imm(8))
	e.pieces(num.TeslaRsqrt.Table())
	e.together(r)
	zero, v := e.reserved(7), e.reserved(6)
	e.Xor(v, a, e.lastOperand(e.word(topBit), 4))
	if e.bits == 512 {
		asm.Emit(x86.VPTESTNMD, mask, v, e.word(2*topBit-1))
		asm.Emit(x86.VPBLENDMD, r.Mask(mask), r, e.word(2*topBit))
	} else {
		asm.Emit(x86.VPSLLD, v, v, x86.Imm(8))
		e.Xor(zero, zero, zero)
		asm.Emit(x86.VPCMPEQD, v, v, zero)
		asm.Emit(x86.VBLENDVPS, r, r, e.fill(t, 2*topBit), v)
	}
	asm.Emit(x86.VPADDD, v, a, e.lastOperand(e.word(topBit), 4))
	asm.Emit(x86.VPSRLD, v, v, x86.Imm(24))
	asm.Emit(x86.VPSLLD, v, v, x86.Imm(23))
	asm.Emit(x86.VPSUBD, r, r, v)
	asm.Emit(x86.VPADDD, r, r, e.lastOperand(e.word(189<<23), 4))
	e.unlessNormal(a, func() {
		e.Xor(zero, zero, zero)
		e.where(r, e.fill(v, onesNaN), a, zero, lessThan, t)
		e.where(r, v, a, a, unordered, t)
		e.where(r, zero, a, e.fill(v, exponent), equalNumbers, t)
		e.signOf(v, a, exponent)
		e.where(r, v, a, zero, equalNumbers, t)
	})
	asm.Emit(x86.VMOVAPS, c.Dst, r)
}

// cut is an instruction on registers that rounds toward zero.
func (e *Emitter) cut(op x86.Op, list ...x86.Operand) {
	if e.bits == 512 {
		list = append(list, x86.RoundZero)
	} else {
		e.Control(e.ctl&^(3<<cpu.RoundingAt) | directions[num.RZ]<<cpu.RoundingAt)
	}
	e.Asm.Emit(op, list...)
}

// cut64 converts the integers in registers 6 and 7, which are below 2^52 and have that many fraction bits, to floats,
// truncated. signs is 0 except for bit 63 of each 64-bit lane.
func (e *Emitter) cut64(r x86.Operand, fraction int, signs [2]x86.Operand) {
	asm, or, two52 := e.Asm, e.either(x86.VPORQ, x86.VPOR), e.reserved(5)
	asm.Emit(x86.VBROADCASTSD, two52, x86.RIP(e.constant64(integers64)))
	for i, v := range []x86.Operand{e.reserved(6), e.reserved(7)} {
		asm.Emit(or, v, v, two52)
		e.cut(x86.VSUBPD, v, v, two52) // zeros have no sign
		asm.Emit(or, v, v, signs[i])
	}
	asm.Emit(x86.VBROADCASTSD, two52, x86.RIP(e.constant64(one64-uint64(fraction)<<52)))
	for i, v := range []x86.Operand{e.reserved(6), e.reserved(7)} {
		asm.Emit(x86.VMULPD, v, v, two52)
		e.cut(x86.VCVTPD2PS, e.half(6+i), v)
		asm.Emit(x86.VPMOVZXDQ, v, e.half(6+i))
	}
	e.together(r)
}

// teslaLg2 adds the exponent to the table's value. Negative numbers have their bits inverted.
func teslaLg2(e *Emitter, c *Call) {
	asm, a, r, t := e.Asm, e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(4)
	asm.Emit(x86.VMOVAPS, e.reserved(1), a)
	e.pieces(num.TeslaLg2.Table())
	exp, v, zero := e.reserved(1), r, e.reserved(5)
	asm.Emit(x86.VPSRLD, exp, a, x86.Imm(23))
	var signs [2]x86.Operand
	for i, sum := range []x86.Operand{e.reserved(6), e.reserved(7)} {
		if i == 1 {
			asm.Emit(x86.VPSRLQ, exp, exp, x86.Imm(32))
		}
		asm.Emit(x86.VPSLLQ, v, exp, x86.Imm(36))
		asm.Emit(x86.VPADDQ, sum, sum, v)
		asm.Emit(x86.VBROADCASTSD, v, x86.RIP(e.constant64(127<<36)))
		asm.Emit(x86.VPSUBQ, sum, sum, v)
		signs[i] = e.reserved(2 + 2*i)
		if e.bits == 512 {
			asm.Emit(x86.VPSRAQ, signs[i], sum, x86.Imm(63))
		} else {
			e.Xor(zero, zero, zero)
			asm.Emit(x86.VPCMPGTQ, signs[i], zero, sum)
		}
		e.Xor(sum, sum, signs[i])
		asm.Emit(x86.VPSLLQ, signs[i], signs[i], x86.Imm(63))
	}
	e.cut64(r, 36, signs)
	e.denormalsAsZeros()
	zero, v = e.reserved(7), e.reserved(6)
	e.Xor(zero, zero, zero)
	e.where(r, zero, a, e.fill(v, one), equalNumbers, t)
	e.unlessNormal(a, func() {
		e.Xor(zero, zero, zero)
		e.where(r, e.fill(v, onesNaN), a, zero, lessThan, t)
		e.where(r, v, a, a, unordered, t)
		e.where(r, e.fill(v, exponent), a, v, equalNumbers, t)
		e.where(r, e.fill(v, exponent|signBit), a, zero, equalNumbers, t)
	})
	asm.Emit(x86.VMOVAPS, c.Dst, r)
}

// positive converts the fixed-point number a, of 30 bits and a sign, to one with a positive fraction in w. The bits of
// negative numbers are inverted, which makes them one unit less; integers are negated.
func (e *Emitter) positive(w, a x86.Operand) {
	asm, s, t := e.Asm, e.reserved(4), e.reserved(5)
	asm.Emit(x86.VPSRAD, s, a, x86.Imm(31))
	asm.Emit(x86.VPSLLD, w, a, x86.Imm(2))
	asm.Emit(x86.VPSRLD, w, w, x86.Imm(2))
	e.Xor(w, w, s)
	if e.bits == 512 {
		asm.Emit(x86.VPTESTNMD, mask, a, e.word(significand))
		asm.Emit(x86.VPSUBD, w.Mask(mask), w, s)
		return
	}
	zero := e.reserved(2)
	e.Xor(zero, zero, zero)
	e.And(t, a, e.inRegister(e.word(significand), 5))
	asm.Emit(x86.VPCMPEQD, t, t, zero)
	e.And(s, s, t)
	asm.Emit(x86.VPSUBD, w, w, s)
}

// teslaEx2 takes a signed fixed-point number.
func teslaEx2(e *Emitter, c *Call) {
	asm, a, r, t := e.Asm, e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(4)
	e.positive(e.reserved(1), a)
	e.pieces(num.TeslaEx2.Table())
	e.together(r)
	w, v := e.reserved(6), e.reserved(7)
	e.positive(w, a)
	e.And(w, w, e.lastOperand(e.word(^uint32(significand)), 4))
	asm.Emit(x86.VPADDD, r, r, w)
	asm.Emit(x86.VPADDD, r, r, e.lastOperand(e.word(126<<23), 4))
	e.flushed(r, t)
	const special = 30 // the bit of infinities and NaNs
	if e.bits == 512 {
		asm.Emit(x86.VPTESTMD, mask, a, e.word(1<<special))
		asm.Emit(x86.KORTESTW, mask, mask)
	} else {
		asm.Emit(x86.VPSLLD, t, a, x86.Imm(31-special))
		asm.Emit(x86.VTESTPS, t, t)
	}
	e.unlikely(x86.JNE, func() {
		asm.Emit(x86.VPSRAD, w, a, x86.Imm(31))
		asm.Emit(e.either(x86.VPANDND, x86.VPANDN), w, w, e.fill(v, exponent))
		e.fill(v, onesNaN)
		e.whereBit(v, w, a, 23, t)
		e.whereBit(r, v, a, special, t)
	})
	asm.Emit(x86.VMOVAPS, c.Dst, r)
}

// teslaSine takes a signed fixed-point number, and adds to it; bits 23 and 24 are the quadrant.
func teslaSine(add uint32) func(e *Emitter, c *Call) {
	return func(e *Emitter, c *Call) {
		asm, a, r, t := e.Asm, e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(4)
		q, f := e.reserved(2), e.reserved(1)
		asm.Emit(x86.VPADDD, f, a, e.lastOperand(e.word(add), 4))
		asm.Emit(x86.VPSLLD, q, f, x86.Imm(8))
		asm.Emit(x86.VPSRAD, q, q, x86.Imm(31))
		e.Xor(f, f, q)
		e.pieces(num.TeslaSin.Table())
		zero := e.reserved(4)
		e.Xor(zero, zero, zero)
		e.cut64(r, 37, [2]x86.Operand{zero, zero})
		sign := e.reserved(6)
		asm.Emit(x86.VPADDD, sign, a, e.lastOperand(e.word(add), 4))
		asm.Emit(x86.VPSLLD, sign, sign, x86.Imm(7))
		if add == 0 {
			e.Xor(sign, sign, a)
		}
		e.signOf(sign, sign, 0)
		e.Or(r, r, sign)
		e.whereBit(r, e.fill(e.reserved(7), onesNaN), a, 30, t)
		asm.Emit(x86.VMOVAPS, c.Dst, r)
	}
}

// significandOf extracts the significand of a to r, with its implicit bit.
func (e *Emitter) significandOf(r, a x86.Operand) {
	e.And(r, a, e.lastOperand(e.word(significand), 4))
	e.Or(r, r, e.lastOperand(e.word(topBit), 4))
}

// teslaPreSin multiplies by 2/pi, and shifts left or right: counts of 32 and more give 0.
func teslaPreSin(e *Emitter, c *Call) {
	asm, a, r, t := e.Asm, e.inRegister(c.Args[0], 0), e.reserved(result), e.reserved(4)
	e.denormalsAsZeros()
	even, odd, n, v := e.reserved(6), e.reserved(7), e.reserved(1), e.reserved(2)
	e.significandOf(even, a)
	asm.Emit(x86.VPSRLQ, odd, even, x86.Imm(32))
	e.fill(v, twoOverPi)
	for _, x := range []x86.Operand{even, odd} {
		asm.Emit(x86.VPMULUDQ, x, x, v)
		asm.Emit(x86.VPSRLQ, x, x, x86.Imm(16))
	}
	e.together(r)
	asm.Emit(x86.VPSLLD, n, a, x86.Imm(1))
	asm.Emit(x86.VPSRLD, n, n, x86.Imm(24))
	asm.Emit(x86.VPSUBD, n, n, e.lastOperand(e.word(127+8), 4))
	asm.Emit(x86.VPSLLVD, even, r, n)
	e.Xor(v, v, v)
	asm.Emit(x86.VPSUBD, n, v, n)
	asm.Emit(x86.VPSRLVD, odd, r, n)
	e.Or(r, even, odd)
	e.And(r, r, e.lastOperand(e.word(1<<25-1), 4))
	e.where(r, v, a, v, equalNumbers, t)
	e.fixedSpecials(c.Dst, r, a, exponent)
}

func teslaPreEx2(e *Emitter, c *Call) {
	asm, a, r := e.Asm, e.inRegister(c.Args[0], 0), e.reserved(result)
	n, v := e.reserved(1), e.reserved(2)
	e.significandOf(r, a)
	asm.Emit(x86.VPSLLD, r, r, x86.Imm(7))
	asm.Emit(x86.VPSLLD, n, a, x86.Imm(1))
	asm.Emit(x86.VPSRLD, n, n, x86.Imm(24))
	asm.Emit(x86.VPSUBD, n, e.fill(v, 127+7), n)
	asm.Emit(x86.VPSRLVD, r, r, n)
	e.fixedSpecials(c.Dst, r, a, twoTo7)
}

// fixedSpecials moves the fixed-point number r to d, but the code for numbers from huge on and for NaNs where a is
// one, with the sign of a.
func (e *Emitter) fixedSpecials(d, r, a x86.Operand, huge uint32) {
	abs, v, t := e.reserved(1), e.reserved(2), e.reserved(4)
	e.And(abs, a, e.lastOperand(e.word(^uint32(signBit)), 4))
	e.where(r, e.fill(v, fixedHuge), abs, e.inRegister(e.word(huge), 5), greaterOrEqual, t)
	e.where(r, e.fill(v, fixedNaN), a, a, unordered, t)
	e.signOf(v, a, 0)
	e.Or(d, r, v)
}
