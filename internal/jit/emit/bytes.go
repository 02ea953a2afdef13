package emit

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

// bytePermutation selects each byte of the result by a byte of the last operand: see ir.BytePerm.
func bytePermutation(e *Emitter, c *Call) {
	high, low := e.inRegister(c.Args[0], 0), e.inRegister(c.Args[1], 1)
	if selectors, ok := c.known(2); ok {
		e.knownBytes(c.Dst, high, low, selectors)
		return
	}
	a, selectors := e.Asm, e.inRegister(c.Args[2], 2)
	r, sel, t, sum, free := e.reserved(result), e.reserved(4), e.reserved(5), e.reserved(6), e.reserved(7)
	word := func(v uint32) x86.Operand { return e.lastOperand(e.word(v), 7) }
	// orShifted adds bits to sum: the low word of high:low shifted right by t. Counts of 32 and more give 0, and so do
	// negative ones, which are large as unsigned numbers.
	orShifted := func() {
		a.Emit(x86.VPSRLVD, free, low, t)
		e.Or(sum, sum, free)
		a.Emit(x86.VPSUBD, t, t, word(32))
		a.Emit(x86.VPSRLVD, t, high, t)
		e.Or(sum, sum, t)
	}
	for i := range int64(4) {
		a.Emit(x86.VPSRLD, sel, selectors, x86.Imm(8*i))
		e.And(sel, sel, word(0xff))
		// Selectors 8 to 11: the sign of each half.
		a.Emit(x86.VPSLLD, t, sel, x86.Imm(4))
		a.Emit(x86.VPSUBD, t, t, word(16*8-15))
		e.Xor(sum, sum, sum)
		orShifted()
		e.And(sum, sum, word(1))
		a.Emit(x86.VPSLLD, t, sum, x86.Imm(8))
		a.Emit(x86.VPSUBD, sum, t, sum)
		// Selectors 0 to 7: a byte.
		a.Emit(x86.VPSLLD, t, sel, x86.Imm(3))
		orShifted()
		// Selectors above 12: all ones.
		a.Emit(x86.VPSUBD, t, e.inRegister(e.word(12), 7), sel)
		a.Emit(x86.VPSRAD, t, t, x86.Imm(31))
		e.Or(sum, sum, t)
		if i == 0 {
			e.And(r, sum, word(0xff))
			continue
		}
		e.And(sum, sum, word(0xff))
		a.Emit(x86.VPSLLD, sum, sum, x86.Imm(8*i))
		e.Or(r, r, sum)
	}
	a.Emit(x86.VMOVAPS, c.Dst, r)
}

// A byteTerm is a part of a byte permutation: bytes of a source that move by the same distance, or copies of a sign.
type byteTerm struct {
	source x86.Operand
	up     int // bits to the left, negative: to the right
	sign   bool
	mask   uint32
}

// knownBytes is a byte permutation with a known selector in each byte.
func (e *Emitter) knownBytes(d, high, low x86.Operand, selectors uint32) {
	var terms []byteTerm
	ones := uint32(0)
	for at := 0; at < 32; at += 8 {
		sel, mask := int(selectors>>at&0xff), uint32(0xff)<<at
		n := byteTerm{source: low, up: at - 8*(sel&3)}
		switch {
		case sel > 12:
			ones |= mask
			continue
		case sel == 12:
			continue
		case sel >= 8:
			n = byteTerm{source: low, sign: true, up: 16 - 16*(sel&1)}
			sel = (sel - 8) * 2
		}
		if sel >= 4 {
			n.source = high
		}
		i := slices.IndexFunc(terms, func(t byteTerm) bool { return t.source == n.source && t.up == n.up && t.sign == n.sign })
		if i < 0 {
			i, terms = len(terms), append(terms, n)
		}
		terms[i].mask |= mask
	}
	a, r, t := e.Asm, e.reserved(result), e.reserved(4)
	e.Xor(r, r, r)
	if ones != 0 {
		r = e.fill(r, ones)
	}
	for _, n := range terms {
		part := n.source
		switch {
		case n.up > 0:
			a.Emit(x86.VPSLLD, t, part, x86.Imm(int64(n.up)))
			part = t
		case n.up < 0:
			a.Emit(x86.VPSRLD, t, part, x86.Imm(int64(-n.up)))
			part = t
		}
		if n.sign {
			a.Emit(x86.VPSRAD, t, part, x86.Imm(31))
			part = t
		}
		e.And(t, part, e.lastOperand(e.word(n.mask), 5))
		e.Or(r, r, t)
	}
	a.Emit(x86.VMOVAPS, d, r)
}
