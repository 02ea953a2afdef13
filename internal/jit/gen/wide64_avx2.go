package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// With AVX2 a value of 64 bits per lane is two vectors of four lanes, and conditions are the sign bits of 32-bit
// lanes.

// constant64 returns a register with a constant in all lanes: scratch i.
func (c *loopEmitter) constant64(v uint64, i int) x86.Operand {
	return c.inRegister64(c.e.Word64(v), i)
}

// gatherWords gathers every second word of two vectors of four lanes: the low words, or the high ones.
func (c *assembly) gatherWords(d, low, high x86.Operand, words int64) {
	c.a.Emit(x86.VSHUFPS, d, low, high, x86.Imm(words))
	c.a.Emit(x86.VPERMQ, d, d, x86.Imm(0xd8))
}

const (
	lowWords  = 0x88
	highWords = 0xdd
)

// A compare64AVX2 is a comparison built from those that AVX2 has: equal, and signed greater.
type compare64AVX2 struct {
	greater  bool // the second operand is greater than the first
	unsigned bool
	turned   bool // swapped operands: the first greater than the second
	not      bool
}

func (n compare64AVX2) code(c *loopEmitter, s *lower.Step) {
	a, ones := c.a, c.scratch(4)
	for h, t := range c.halfConditions() {
		x, y := c.inRegister64(c.half64(s.Args[0], h), 0), c.inRegister64(c.half64(s.Args[1], h), 1)
		if n.unsigned { // with the highest bit flipped, unsigned numbers compare as signed ones
			a.Emit(x86.VPCMPEQD, ones, ones, ones)
			a.Emit(x86.VPSLLQ, ones, ones, x86.Imm(63))
			a.Emit(x86.VPXOR, c.scratch(0), x, ones)
			a.Emit(x86.VPXOR, c.scratch(1), y, ones)
			x, y = c.scratch(0), c.scratch(1)
		}
		if !n.turned {
			x, y = y, x
		}
		if n.greater {
			a.Emit(x86.VPCMPGTQ, t, x, y)
		} else {
			a.Emit(x86.VPCMPEQQ, t, x, y)
		}
	}
	d := c.result(s)
	c.joinConditions(d)
	if n.not {
		a.Emit(x86.VPCMPEQD, ones, ones, ones)
		a.Emit(x86.VPXOR, d, d, ones)
	}
}

// A minMax64AVX2 is the minimum or maximum of two numbers.
type minMax64AVX2 struct{ larger, unsigned bool }

// greater sets the lanes of scratch 2 in which the first number is larger.
func (n minMax64AVX2) greater(c *loopEmitter, x, y x86.Operand) x86.Operand {
	t := c.scratch(2)
	if n.unsigned { // with the highest bit flipped, unsigned numbers compare as signed ones
		top := c.constant64(sign64, 3)
		c.a.Emit(x86.VPXOR, t, x, top)
		c.a.Emit(x86.VPXOR, top, y, top)
		c.a.Emit(x86.VPCMPGTQ, t, t, top)
	} else {
		c.a.Emit(x86.VPCMPGTQ, t, x, y)
	}
	return t
}

func (n minMax64AVX2) code(c *loopEmitter, s *lower.Step) {
	for h := range 2 {
		x, y := c.inRegister64(c.half64(s.Args[0], h), 0), c.inRegister64(c.half64(s.Args[1], h), 1)
		t := n.greater(c, x, y)
		if n.larger {
			x, y = y, x
		}
		c.a.Emit(x86.VBLENDVPD, c.halfResult(s, h), x, y, t)
	}
}

// distance computes the larger less the smaller: the second less the first, negated if the first is larger.
func (n minMax64AVX2) distance(c *loopEmitter, s *lower.Step) {
	for h := range 2 {
		x, y := c.inRegister64(c.half64(s.Args[0], h), 0), c.inRegister64(c.half64(s.Args[1], h), 1)
		t, u := n.greater(c, x, y), c.scratch(3)
		c.a.Emit(x86.VPSUBQ, u, y, x)
		c.a.Emit(x86.VPXOR, u, u, t)
		c.a.Emit(x86.VPSUBQ, c.halfResult(s, h), u, t)
	}
}

// product64AVX2 adds the product of the low words and, shifted up, those of one low and one high word.
func product64AVX2(c *loopEmitter, s *lower.Step) {
	a, t, u := c.a, c.scratch(2), c.scratch(3)
	for h := range 2 {
		x, y := c.inRegister64(c.half64(s.Args[0], h), 0), c.inRegister64(c.half64(s.Args[1], h), 1)
		a.Emit(x86.VPSRLQ, t, x, x86.Imm(32))
		a.Emit(x86.VPMULUDQ, t, t, y)
		a.Emit(x86.VPSRLQ, u, y, x86.Imm(32))
		a.Emit(x86.VPMULUDQ, u, u, x)
		a.Emit(x86.VPADDQ, t, t, u)
		a.Emit(x86.VPSLLQ, t, t, x86.Imm(32))
		a.Emit(x86.VPMULUDQ, u, x, y)
		a.Emit(x86.VPADDQ, c.halfResult(s, h), t, u)
	}
}

// shiftSigned64AVX2 is an arithmetic shift: a logical one, after which the shifted highest bit says where to fill with
// ones.
func shiftSigned64AVX2(c *loopEmitter, s *lower.Step) {
	a, t, n, top := c.a, c.scratch(2), c.scratch(1), c.scratch(3)
	count, known := c.number(s.Args[1])
	for h := range 2 {
		x := c.inRegister64(c.half64(s.Args[0], h), 0)
		if known {
			a.Emit(x86.VPSRLQ, t, x, x86.Imm(int64(count%64)))
			top = c.constant64(sign64>>(count%64), 3)
		} else {
			b := c.inRegister64(c.half64(s.Args[1], h), 1)
			a.Emit(x86.VPSLLQ, n, b, x86.Imm(58))
			a.Emit(x86.VPSRLQ, n, n, x86.Imm(58))
			a.Emit(x86.VPSRLVQ, t, x, n)
			a.Emit(x86.VPSRLVQ, top, c.constant64(sign64, 3), n)
		}
		a.Emit(x86.VPXOR, t, t, top)
		a.Emit(x86.VPSUBQ, c.halfResult(s, h), t, top)
	}
}

func select64AVX2(c *loopEmitter, s *lower.Step) {
	k := c.condition(s.Args[0])
	both := c.scratch(3)
	c.a.Emit(x86.VMOVUPS, both, k)
	for h := range 2 {
		m := c.scratch(2)
		if h == 1 {
			c.a.Emit(x86.VEXTRACTI128, c.halfScratch(3), both, x86.Imm(1))
		}
		c.a.Emit(x86.VPMOVSXDQ, m, c.halfScratch(3))
		yes, no := c.inRegister64(c.half64(s.Args[1], h), 1), c.inRegister64(c.half64(s.Args[2], h), 0)
		c.a.Emit(x86.VBLENDVPD, c.halfResult(s, h), no, yes, m)
	}
}

// pack64AVX2 shifts the high words up and inserts the low ones below.
func pack64AVX2(c *loopEmitter, s *lower.Step) {
	for h := range 2 {
		var part [2]x86.Operand
		for i, p := range s.Args {
			part[i] = c.scratch(i)
			if p.Kind == lower.InWord {
				c.a.Emit(x86.VPBROADCASTQ, part[i], x86.At(regWords, 8*p.At))
			} else {
				c.a.Emit(x86.VPMOVZXDQ, part[i], c.halfOfRow(p, h, i))
			}
		}
		c.a.Emit(x86.VPSLLQ, part[1], part[1], x86.Imm(32))
		c.a.Emit(x86.VPOR, c.halfResult(s, h), part[0], part[1])
	}
}
