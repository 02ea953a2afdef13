package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// kinds are the kinds of operands of a generation, each made when a row first asks for it.
type kinds struct {
	codes *codes
	*commonKinds
	scalarTexts [maxWords + 1][]string // by words: of codes 0 to 127
	sources     map[sourceKind]*isa.Kind
	sgprs       [3][maxWords + 1]*isa.Kind // by shift and words
	aligned     [3][maxWords + 1]*isa.Kind
	wide        [3]*isa.Kind // by words
}

// commonKinds are those that do not depend on the codes of a generation.
type commonKinds struct {
	vgprTexts [maxWords + 1][]string // by words
	vgprKinds [maxWords + 1]*isa.Kind
	made      map[string]*isa.Kind // by what their functions say
}

// maxWords is the most registers of an operand.
const maxWords = 16

func newCommonKinds() *commonKinds { return &commonKinds{made: map[string]*isa.Kind{}} }

func newKinds(c *codes, common *commonKinds) *kinds {
	return &kinds{codes: c, commonKinds: common, sources: map[sourceKind]*isa.Kind{}}
}

// once is the kind of that name, made at the first call.
func (k *commonKinds) once(name string, build func() *isa.Kind) *isa.Kind {
	made := k.made[name]
	if made == nil {
		made = build()
		k.made[name] = made
	}
	return made
}

// What a source operand field may name.
type takes uint8

const (
	takesScalar takes = 1 << iota
	takesConst
	takesVGPR
	takesLiteral
	takesSpecial // vccz, execz, scc
	takesLDS     // lds_direct

	// Of vector instructions: source 0 of short forms, of others, other sources of VOP3.
	takesShort = takesScalar | takesConst | takesVGPR | takesLiteral | takesSpecial | takesLDS
	takesLong  = takesShort &^ takesLiteral
	takesOther = takesLong &^ takesLDS
	// Of scalar instructions.
	takesScalars = takesScalar | takesConst | takesLiteral | takesSpecial
)

// A sourceKind is what kinds of sources differ in.
type sourceKind struct {
	t     typ
	takes takes
	bits  int
	name  string
}

// source is the kind of a source operand of the type in a field of 8 or 9 bits.
func (k *kinds) source(name string, bits int, t typ, what takes) *isa.Kind {
	key := sourceKind{t, what, bits, name}
	made := k.sources[key]
	if made == nil {
		made = k.newSource(key)
		k.sources[key] = made
	}
	return made
}

func (k *kinds) newSource(s sourceKind) *isa.Kind {
	c, size := k.codes, 1<<s.bits
	made := &isa.Kind{Name: s.name, Table: make([]string, size), Reserved: make([]bool, size),
		Samples: []uint64{0, 4, 100, codeVCC, codeExec, codeInt0, codeNeg1, 242, 248, codeLiteral}}
	k.sourceTexts(made.Table[:codeVGPR], s.t, s.takes)
	if s.takes&takesVGPR != 0 {
		copy(made.Table[codeVGPR:], k.vgprText(s.t.words()))
		made.Samples = append(made.Samples, 256, 257, 300, 496)
	}
	for v, text := range made.Table {
		made.Reserved[v] = text == "" && !(v == codeLiteral && s.takes&takesLiteral != 0)
	}
	if s.takes&takesLiteral != 0 {
		made.Text = func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
			return c.literalText(dst, in.Literal(), s.t)
		}
	}
	made.Parse = func(sc *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		return c.parseSource(sc, made, s.t, s.takes)
	}
	made.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return cellsOf(dst, int(v), s.t.words())
	}
	return made
}

// sourceTexts fills in the texts of codes 0 to 255.
func (k *kinds) sourceTexts(table []string, t typ, what takes) {
	if what&takesScalar != 0 {
		copy(table, k.scalarText(t.words()))
	}
	if what&takesConst != 0 {
		for code := codeInt0; code < codeVCCZ; code++ {
			table[code] = k.codes.constText(code, t)
		}
	}
	if what&takesSpecial != 0 {
		table[codeVCCZ], table[codeEXECZ], table[codeSCC] = "src_vccz", "src_execz", "src_scc"
	}
	if what&takesLDS != 0 {
		table[codeLDSDirect] = "src_lds_direct"
	}
	for code, name := range reservedNames[:codeVGPR] {
		if name != "" {
			table[code] = name
		}
	}
}

// constText is the text of a constant code for an operand type, "" of other codes.
func (c *codes) constText(code int, t typ) string {
	switch {
	case !c.isConst(code):
		return ""
	case code < codeNeg1:
		return strconv.Itoa(code - codeInt0)
	case code <= codeNeg16:
		return strconv.Itoa(codeNeg1 - 1 - code)
	case code == c.inv2Pi && t.bits() == 64:
		return "0.15915494309189532"
	case code == c.inv2Pi:
		return "0.15915494"
	}
	return strconv.FormatFloat(floatCodes[code-codeFloat], 'f', 1, 64)
}

// cellsOf appends the cells that n words from a source code on are in; none for constants.
func cellsOf(dst []isa.Span, code, n int) []isa.Span {
	c := CellSCC
	switch {
	case code >= codeVGPR:
		c = VGPR(code - codeVGPR)
	case code == codeVCCZ:
		c, n = CellVCC, 2
	case code == codeExec || code == codeExec+1 || code == codeEXECZ:
		c, n = CellExec, 1
	case code == codeSCC:
		n = 1
	case code == codeLDSDirect: // the cell that says where the value is
		c, n = CellM0, 1
	case code < codeExec && code != codeNull:
		c = SGPR(code)
	default:
		return dst
	}
	return append(dst, isa.Span{Cell: c, N: n})
}

// literalText prints a literal of a source operand; one that a constant code stands for is marked by lit().
func (c *codes) literalText(dst []byte, lit uint64, t typ) []byte {
	if c.literalCode(t, int64(lit)) != 0 {
		return append(isa.AppendHex(append(dst, "lit("...), lit), ')')
	}
	return plainLiteral(dst, lit, t)
}

// plainLiteral prints a literal: for 16-bit types as the 16-bit number whose sign extension it is, and in lit() if
// it is none.
func plainLiteral(dst []byte, lit uint64, t typ) []byte {
	switch {
	case t.bits() != 16:
		return isa.AppendHex(dst, lit)
	case lit != num.SExt(16, 32, lit&0xffff):
		return append(isa.AppendHex(append(dst, "lit("...), lit), ')')
	}
	return isa.AppendHex(dst, lit&0xffff)
}

// forcedLiteral reads what follows lit: all 32 bits of the literal, in parentheses.
func forcedLiteral(s *isa.Scan) bool {
	if !s.Byte('(') {
		return s.Expect(`"("`)
	}
	v, ok := s.Expr()
	if !ok || !s.Byte(')') {
		return s.Expect(`")"`)
	}
	return s.Literal(uint64(v) & 0xffffffff)
}

func (c *codes) parseSource(s *isa.Scan, k *isa.Kind, t typ, what takes) (uint64, bool) {
	at := s.Pos
	r, found, ok := parseReg(s, c)
	if found {
		return sourceReg(s, k, at, r, ok, t)
	}
	if s.Accept("lit") {
		if what&takesLiteral == 0 {
			return 0, s.Fail(at, isa.ErrOperand, "a literal constant, which this encoding cannot hold")
		}
		return codeLiteral, forcedLiteral(s)
	}
	n, ok := s.Number()
	if !ok {
		return 0, false
	}
	code, lit, ok := c.number(s, at, n, t)
	switch {
	case !ok:
		return 0, false
	case s.Unresolved && what&takesLiteral != 0:
		return codeLiteral, s.Literal(0)
	case code != 0 && what&takesConst != 0 && !s.UsedSymbol:
		return uint64(code), true
	case what&takesLiteral == 0:
		return 0, s.Fail(at, isa.ErrOperand, "a literal constant, which this encoding cannot hold")
	}
	return codeLiteral, s.Literal(lit)
}

// sourceReg checks a register against what the operand takes.
func sourceReg(s *isa.Scan, k *isa.Kind, at int, r reg, ok bool, t typ) (uint64, bool) {
	if !ok {
		return 0, false
	}
	n := t.words()
	if r.code >= codeVCCZ && r.code <= codeLDSDirect {
		n = 1
	}
	if r.n != n && reservedNames[r.code] == "" {
		s.Pos = at
		return 0, s.Failf(at, isa.ErrOperand, "%d registers where %d are read", r.n, n)
	}
	if r.code >= len(k.Table) || k.Table[r.code] == "" {
		s.Pos = at
		return 0, s.Fail(at, isa.ErrOperand, "this register cannot stand here")
	}
	return uint64(r.code), true
}

// number turns a constant of the text into a code (0: none) and the literal that would hold it.
func (c *codes) number(s *isa.Scan, at int, n isa.Number, t typ) (code int, lit uint64, ok bool) {
	if n.IsF {
		bits := pattern(t.bits(), n.Float)
		lit = bits
		if t.bits() == 64 {
			lit = bits >> 32
		}
		return c.inline(t, bits), lit, true
	}
	x := n.Int
	if x < -1<<31 || x > 1<<32-1 {
		return 0, 0, s.Fail(at, isa.ErrRange, "the constant does not fit 32 bits")
	}
	if t.bits() == 16 && x>>16 == 0 { // LLVM extends the sign of a 16-bit number
		x = int64(int16(x))
	}
	return c.literalCode(t, x), uint64(x) & 0xffffffff, true
}

// literal is the constant that always follows an instruction, as an operand.
func (k *kinds) literal(t typ) *isa.Kind {
	c := k.codes
	return k.once("literal "+strconv.Itoa(int(t)), func() *isa.Kind {
		return &isa.Kind{Name: "a literal constant",
			Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
				return plainLiteral(dst, in.Literal(), t)
			},
			Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
				if s.Accept("lit") {
					return 0, forcedLiteral(s)
				}
				at := s.Pos
				n, ok := s.Number()
				if !ok {
					return 0, false
				}
				_, lit, ok := c.number(s, at, n, t)
				return 0, ok && s.Literal(lit)
			}}
	})
}
