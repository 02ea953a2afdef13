package gcn

import (
	"math"
	"slices"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// kinds are the kinds of operands of a generation, each made when a row first uses it.
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
	made      map[string]*isa.Kind    // by the functions' descriptions
	words     map[[2]string]*isa.Kind // by their sort and a word of the text
}

// maxWords is the largest number of registers of an operand.
const maxWords = 16

func newCommonKinds() *commonKinds {
	return &commonKinds{made: map[string]*isa.Kind{}, words: map[[2]string]*isa.Kind{}}
}

func newKinds(c *codes, common *commonKinds) *kinds {
	return &kinds{codes: c, commonKinds: common, sources: map[sourceKind]*isa.Kind{}}
}

// once returns the kind of that name, made at the first call.
func (k *commonKinds) once(name string, build func() *isa.Kind) *isa.Kind {
	made := k.made[name]
	if made == nil {
		made = build()
		k.made[name] = made
	}
	return made
}

// onceFor is once for kinds with one instance per word.
func (k *commonKinds) onceFor(what, word string, build func() *isa.Kind) *isa.Kind {
	key := [2]string{what, word}
	made := k.words[key]
	if made == nil {
		made = build()
		k.words[key] = made
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

	// Of vector instructions: source 0 of short forms, that of others, other sources of VOP3.
	takesShort = takesScalar | takesConst | takesVGPR | takesLiteral | takesSpecial | takesLDS
	takesLong  = takesShort &^ takesLiteral
	takesOther = takesLong &^ takesLDS
	// Of scalar instructions.
	takesScalars = takesScalar | takesConst | takesLiteral | takesSpecial
)

// A sourceKind is the parameters of a kind of source.
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
	var floats []string // of a 16-bit integer operand; see floatText
	if s.t == b16 && s.takes&takesConst != 0 {
		floats = slices.Clone(made.Table[:codeVCCZ])
		for code := codeFloat; code < codeVCCZ; code++ {
			made.Table[code] = ""
		}
	}
	if s.takes&takesLiteral != 0 || s.t == b16 {
		made.Text = func(p isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
			if v != codeLiteral {
				return c.floatText(p, dst, int(v), s.t, floats)
			}
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

// constText returns the text of a constant code for an operand type, "" for other codes.
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

// cellsOf appends the cells of n words from a source code on; none for constants.
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
	case code == codeLDSDirect: // the cell that gives the address of the value
		c, n = CellM0, 1
	case code < codeExec && code != codeNull:
		c = SGPR(code)
	default:
		return dst
	}
	return append(dst, isa.Span{Cell: c, N: n})
}

// floatText prints a float constant of a 16-bit integer operand. LLVM shows the f16 pattern as a number, but reads
// that as a literal.
func (c *codes) floatText(p isa.Printer, dst []byte, code int, t typ, texts []string) []byte {
	if p.Plain {
		return isa.AppendHex(dst, c.constant(code, t))
	}
	return append(dst, texts[code]...)
}

// literalText prints a literal of a source operand: for 16-bit types its low half, which is all that is read. A
// literal with the value of an inline constant is marked by lit().
func (c *codes) literalText(dst []byte, lit uint64, t typ) []byte {
	read := literalRead(t, lit)
	if c.literalCode(t, int64(read)) != 0 {
		return append(isa.AppendHex(append(dst, "lit("...), lit), ')')
	}
	return isa.AppendHex(dst, read)
}

// literalRead returns what an operand of the type reads of a literal.
func literalRead(t typ, lit uint64) uint64 {
	if t.bits() == 16 {
		return lit & 0xffff
	}
	return lit
}

// canonLiteral clears the half of a literal that the text of a 16-bit operand omits; what lit() shows is kept.
func (c *codes) canonLiteral(t typ) func(in *isa.Inst) {
	return func(in *isa.Inst) {
		if !in.HasLiteral() {
			return
		}
		if low := literalRead(t, in.Literal()); c.literalCode(t, int64(low)) == 0 {
			in.Word = in.Word.Put(in.Def.Enc.Literal.At, low)
		}
	}
}

// forcedLiteral reads what follows lit: all 32 bits of the literal, or a float constant, in parentheses.
func (c *codes) forcedLiteral(s *isa.Scan, t typ) bool {
	lit, ok := c.forced(s, t)
	return ok && s.Literal(lit)
}

func (c *codes) forced(s *isa.Scan, t typ) (lit uint64, ok bool) {
	if !s.Byte('(') {
		return 0, s.Expect(`"("`)
	}
	s.Space()
	at := s.Pos
	n, ok := s.Number()
	if !ok || !s.Byte(')') {
		return 0, s.Expect(`")"`)
	}
	if n.IsF {
		_, lit, ok = c.float(s, at, n.Float, t)
		return lit, ok
	}
	return uint64(n.Int) & 0xffffffff, true
}

const noLiteral = "a literal constant, which this encoding cannot hold"

func (c *codes) parseSource(s *isa.Scan, k *isa.Kind, t typ, what takes) (uint64, bool) {
	at := s.Pos
	r, found, ok := parseReg(s, c)
	if found {
		return sourceReg(s, k, at, r, ok, t)
	}
	if what == takesShort && t.float() {
		if code, read, ok := c.modified(s, t); read {
			return code, ok
		}
	}
	if s.Accept("lit") {
		if what&takesLiteral == 0 {
			return 0, s.Fail(at, isa.ErrOperand, noLiteral)
		}
		return codeLiteral, c.forcedLiteral(s, t)
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
		return 0, s.Fail(at, isa.ErrOperand, noLiteral)
	}
	return codeLiteral, s.Literal(lit)
}

// modified reads a constant with neg and abs around it, for short forms of float operands, which have no such
// modifiers: as in LLVM they change the constant. Other text is not read.
func (c *codes) modified(s *isa.Scan, t typ) (code uint64, read, ok bool) {
	at := s.Pos
	neg, ends := false, ""
	switch {
	case acceptMod(s, "neg("):
		neg, ends = true, ")"
	case acceptMod(s, "-|") || acceptMod(s, "-abs("):
		neg = true
		s.Pos = at + 1
	}
	bars := s.Byte('|')
	abs := bars || acceptMod(s, "abs(")
	if abs && bars {
		ends = "|" + ends
	} else if abs {
		ends = ")" + ends
	}
	first := s.Pos
	forced := s.Accept("lit")
	if c := s.Peek(); first == at || !forced && c != '-' && (c < '0' || c > '9') {
		s.Pos = at
		return 0, false, false
	}
	s.Bars = bars
	n, lit, ok := isa.Number{}, uint64(0), false
	if forced {
		lit, ok = c.forced(s, t)
	} else if n, ok = s.Number(); ok {
		if t == f64 && !n.IsF { // bits of a low half cannot be encoded
			s.Pos, s.Bars = at, false
			return 0, false, false
		}
		var inline int
		inline, lit, ok = c.number(s, first, n, t)
		if inline != 0 {
			lit = c.constant(inline, t)
			if t == f64 {
				lit >>= 32
			}
		}
	}
	if s.Bars = false; !ok {
		return 0, true, false
	}
	if !acceptMod(s, ends) {
		return 0, true, s.Expect(strconv.Quote(ends))
	}
	sign := uint64(1) << (min(t.bits(), 32) - 1)
	if abs {
		lit &^= sign
	}
	if neg {
		lit ^= sign
	}
	if inline := c.inline(t, lit<<(t.bits()-min(t.bits(), 32))); inline != 0 && !forced {
		return uint64(inline), true, true
	}
	return codeLiteral, true, s.Literal(lit)
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
		return 0, s.Failf(at, isa.ErrOperand, "%s, want %d", registersNamed(r.n), n)
	}
	if r.code >= len(k.Table) || k.Table[r.code] == "" {
		s.Pos = at
		return 0, s.Note(at, isa.ErrOperand, "%t cannot stand here", "", 0)
	}
	return uint64(r.code), true
}

// number turns a constant of the text into a code (0: none) and the literal that would hold it.
func (c *codes) number(s *isa.Scan, at int, n isa.Number, t typ) (code int, lit uint64, ok bool) {
	if n.IsF {
		return c.float(s, at, n.Float, t)
	}
	x := n.Int
	wide := t.bits() == 16 && (x < -1<<15 || x > 1<<16-1)
	switch code = c.literalCode(t, x); {
	case code != 0:
	case wide && s.Target.Dialect == 0: // other dialects give all bits of the literal
		return 0, 0, s.Fail(at, isa.ErrRange, "the constant does not fit 16 bits")
	case x < -1<<31 || x > 1<<32-1:
		return 0, 0, s.Fail(at, isa.ErrRange, "the constant does not fit 32 bits")
	case t == f16 && !wide: // for an integer operand a negative number has all 32 bits
		x &= 0xffff
	}
	return code, uint64(x) & 0xffffffff, true
}

// float is number for a float constant, which is an f32 pattern in a 16-bit integer operand. The type must be able to
// represent it, possibly rounded.
func (c *codes) float(s *isa.Scan, at int, x float64, t typ) (code int, lit uint64, ok bool) {
	if t == b16 {
		t = f32
	}
	n := t.bits()
	bits := pattern(n, x)
	code, lit = c.inline(t, bits), bits
	if n == 64 {
		lit >>= 32
	}
	switch back := math.Float64frombits(num.FCvt(n, 64, num.RNE|num.ModeSet, bits)); {
	case back != x && math.Abs(back) < leastNormal[n]:
		return 0, 0, s.Fail(at, isa.ErrRange, "the constant is too small for its type")
	case code != 0:
	case t == b64:
		return 0, 0, s.Fail(at, isa.ErrOperand, "a float constant that no code stands for in a 64-bit integer operand")
	case math.IsInf(back, 0) && !math.IsInf(x, 0):
		return 0, 0, s.Fail(at, isa.ErrRange, "the constant is too large for its type")
	}
	return code, lit, true
}

// leastNormal is the least normal number by width.
var leastNormal = [65]float64{16: 0x1p-14, 32: 0x1p-126, 64: 0x1p-1022}

// literal is a mandatory constant after an instruction, as an operand: all 32 bits of it.
func (k *kinds) literal(t typ) *isa.Kind {
	c := k.codes
	return k.once("literal "+strconv.Itoa(int(t)), func() *isa.Kind {
		return &isa.Kind{Name: "a literal constant",
			Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
				return isa.AppendHex(dst, in.Literal())
			},
			Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
				if s.Accept("lit") {
					return 0, c.forcedLiteral(s, t)
				}
				at := s.Pos
				n, ok := s.Number()
				if !ok {
					return 0, false
				}
				if !n.IsF {
					if n.Int < -1<<31 || n.Int > 1<<32-1 {
						return 0, s.Fail(at, isa.ErrRange, "the constant does not fit 32 bits")
					}
					return 0, s.Literal(uint64(n.Int) & 0xffffffff)
				}
				_, lit, ok := c.float(s, at, n.Float, t)
				return 0, ok && s.Literal(lit)
			}}
	})
}
