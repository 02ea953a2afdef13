package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Packed ops on two 16-bit values per word: the halves are extracted, computed one after the other, and packed again.

// scratchPlace is the place of a temporary of a step that is in a register.
var scratchPlace = lower.Place{Kind: 0x7f}

// halves emits such a step.
func (c *loopEmitter) halves(s *lower.Step) {
	args := make([]x86.Operand, len(s.Args))
	for i, p := range s.Args {
		args[i] = c.value(p)
	}
	at := c.take(&c.vecs, scratchPlace)
	d, low := c.result(s), c.v(at)
	for h, to := range []x86.Operand{low, d} {
		call := halfCall(s)
		call.Args = make([]x86.Operand, len(args))
		for i, o := range args {
			r := c.scratch(i)
			if o.InMemory() {
				c.copy(r, o)
				o = r
			}
			if h == 0 {
				c.a.Emit(x86.VPSLLD, r, o, x86.Imm(16))
				o = r
			}
			c.a.Emit(x86.VPSRLD, r, o, x86.Imm(16))
			call.Args[i] = r
		}
		call.Dst = to
		c.emit(call)
	}
	c.a.Emit(x86.VPSLLD, d, d, x86.Imm(16))
	c.e.Or(d, d, low)
	c.vecs.drop(scratchPlace)
}
