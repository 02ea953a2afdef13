package gcn

import (
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Registers of CLRX's text, and symbols for them.

// register reads a register, or a symbol for one, with an index. It does not move Pos.
func (c *clrx) register(x span) (r reg, end int, found, ok bool) {
	line := c.s.Line
	n := isa.WordLen(line[x.from:x.to])
	w := line[x.from : x.from+n]
	end = x.from + n
	open := end
	c.skip(&open)
	indexed := open < x.to && line[open] == '['
	lower := strings.ToLower(w)
	all, limit := reg{}, 0
	switch {
	case lower == "lds":
		return reg{codeLDSDirect, 1}, end, true, true
	case indexed && lower == "v":
		all, limit = reg{codeVGPR, 256}, 256
	case indexed && lower == "s":
		all, limit = reg{0, c.codes.sgprs}, c.codes.sgprs
	case indexed && lower == "ttmp":
		all, limit = reg{codeTTMP, numTTMP}, numTTMP
	default:
		sub := isa.Scan{Target: c.s.Target}
		sub.Reset(lower, 0)
		if all, found, ok = parseReg(&sub, c.codes); found && (!ok || !sub.End()) {
			return r, end, true, c.s.Fail(x.from, isa.ErrOperand, "register number out of range")
		}
		if !found {
			if all, found = c.symbol(w); !found {
				return r, end, false, false
			}
		}
		limit = all.n
	}
	if !indexed {
		return all, end, true, true
	}
	return c.indexed(x, all, limit, open)
}

// indexed reads the index or the range after the name of registers.
func (c *clrx) indexed(x span, all reg, limit, open int) (r reg, end int, found, ok bool) {
	line := c.s.Line
	end = open + 1
	depth, colon := 0, -1
	for ; end < x.to && (line[end] != ']' || depth > 0); end++ {
		switch line[end] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ':':
			colon = end
		}
	}
	if end >= x.to {
		return r, end, true, c.s.Fail(x.from, isa.ErrOperand, "the register range has no closing bracket")
	}
	lo, hi := span{open + 1, end}, span{open + 1, end}
	if colon >= 0 {
		lo.to, hi.from = colon, colon+1
	}
	from, ok := c.value(lo)
	if !ok {
		return r, end, true, false
	}
	to, ok := c.value(hi)
	if !ok {
		return r, end, true, false
	}
	if all.n == 0 && from == 0 { // a constant has any number of words
		return reg{all.code, 0}, end + 1, true, true
	}
	if from < 0 || to < from || to >= int64(limit) {
		return r, end, true, c.s.Fail(x.from, isa.ErrOperand, "register range out of order or out of range")
	}
	return reg{all.code + int(from), int(to-from) + 1}, end + 1, true, true
}

// The value of a symbol for registers is their code, with their number above it.
func regValue(r reg) uint64 { return uint64(r.code) | uint64(r.n)<<16 }

func (c *clrx) symbol(w string) (reg, bool) {
	if c.s.Symbol == nil || w == "" || isDigit(w[0]) {
		return reg{}, false
	}
	v, k := c.s.Symbol(w)
	c.s.Touched = c.s.Touched || k == isa.Unresolved // it may stand for registers once it is defined
	return reg{int(v & 0xffff), int(v >> 16)}, k == isa.Register
}

// registerCLRX reads the target of %s[0:3], the value of a symbol for registers.
func registerCLRX(s *isa.Scan) (v uint64, found, ok bool) {
	s.Space()
	if s.Target.Dialect != dialectCLRX || s.Peek() != '%' {
		return 0, false, false
	}
	c := &clrx{s: s, codes: &gens[s.Target.Variant].codes}
	x := span{s.Pos + 1, len(s.Line)}
	c.skip(&x.from)
	if r, end, found, ok := c.register(x); found {
		s.Pos = end
		return regValue(r), true, ok
	}
	at := s.Pos
	s.Pos = x.from
	text, sign := s.Line[x.from:c.trimmed(x.from, x.to)], ""
	if strings.HasPrefix(text, "-") {
		text, sign = text[1:], "-"
	}
	if n, f, _ := clrxFloat(text); n == len(text) && n > 0 {
		text = f
	}
	sub := isa.Scan{Target: s.Target, Symbol: s.Symbol}
	sub.Reset(sign+text, 0)
	n, ok := sub.Number()
	if code, _, good := c.codes.number(&sub, 0, n, b32); ok && good && code != 0 && sub.End() {
		s.Pos = len(s.Line)
		return regValue(reg{code, 0}), true, true
	}
	return 0, true, s.Fail(at, isa.ErrOperand, "a register or a constant that needs no literal is expected behind %")
}

// regText returns LLVM's name of registers or of a constant.
func (c *clrx) regText(r reg) string {
	switch {
	case r.code >= codeVGPR:
		return tuple("v", r.code-codeVGPR, r.n)
	case c.codes.isConst(r.code):
		return c.codes.constText(r.code, b32)
	case r.code < c.codes.sgprs:
		return tuple("s", r.code, r.n)
	case r.code >= codeTTMP && r.code < codeTTMP+numTTMP:
		return tuple("ttmp", r.code-codeTTMP, r.n)
	}
	switch r.code {
	case codeM0:
		return "m0"
	case codeVCCZ:
		return "src_vccz"
	case codeEXECZ:
		return "src_execz"
	case codeSCC:
		return "src_scc"
	case codeLDSDirect:
		return "src_lds_direct"
	}
	for _, p := range c.codes.pairs() {
		switch {
		case p.code < 0:
		case r.code == p.code && r.n == 2:
			return p.name
		case r.code == p.code:
			return p.name + "_lo"
		case r.code == p.code+1:
			return p.name + "_hi"
		}
	}
	return reservedNames[r.code]
}
