package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Packed ops on two 16-bit values per word: the halves are extracted, computed one after the other, and packed again.

// isHalves reports whether a step applies an op for which package emit has code to both halves of words.
func (p *plan) isHalves(s *lower.Step) bool {
	if s.Kind != lower.Compute || s.Wave || s.Type.Elems() != 2 || s.Type.Bits() != 32 || s.From != s.Type || len(s.Args) > 3 || len(s.Res) != 1 ||
		s.Res[0].Kind != lower.InRow || s.Op.Info().Flags&ir.HasImm != 0 {
		return false
	}
	if slices.ContainsFunc(s.Args, func(p lower.Place) bool { return p.Kind != lower.InRow && p.Kind != lower.InWord }) {
		return false
	}
	switch s.Op {
	case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe, ir.FEq, ir.FLt, ir.FLe, ir.FUnord, ir.Select:
		return false
	}
	call := halfCall(s)
	return emit.Check(p.bits, p.set, &call) == nil
}

// halfCall returns the op of such a step on one half.
func halfCall(s *lower.Step) emit.Call {
	t := s.Type.Elem()
	return emit.Call{Op: s.Op, Type: t, From: t, Mode: s.Mode, Args: make([]x86.Operand, len(s.Args))}
}

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
		c.emit(&call)
	}
	c.a.Emit(x86.VPSLLD, d, d, x86.Imm(16))
	if c.wide() {
		c.a.Emit(x86.VPORD, d, d, low)
	} else {
		c.a.Emit(x86.VPOR, d, d, low)
	}
	c.vecs.drop(scratchPlace)
}
