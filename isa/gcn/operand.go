package gcn

import (
	"math"
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// A typ is how an operand's bits are typed: it decides the register count and the pattern of constants.
type typ uint8

const (
	none typ = iota
	b16
	f16
	b32 // any 32-bit integer or bits
	f32
	b64
	i64 // as b64, but literals are sign-extended
	f64
	b96
	b128
	b256
	b512
	mask // 64 bits of a lane mask in scalar registers
	numTyps
)

var typWords = [numTyps]int{b16: 1, f16: 1, b32: 1, f32: 1, b64: 2, i64: 2, f64: 2, b96: 3, b128: 4, b256: 8, b512: 16, mask: 2}

// words is the number of 32-bit registers.
func (t typ) words() int { return typWords[t] }

func (t typ) float() bool { return t == f16 || t == f32 || t == f64 }

// bits is the width of a constant of the type.
func (t typ) bits() int {
	switch {
	case t == b16 || t == f16:
		return 16
	case t.words() == 2:
		return 64
	}
	return 32
}

// floatCodes are the constants of codes 240 to 247; 248 is 1/(2 pi).
var floatCodes = [...]float64{0.5, -0.5, 1, -1, 2, -2, 4, -4}

// inv2Pi is the pattern of 1/(2 pi) in n bits. docs/reference/gcn.md 2.
func inv2Pi(n int) uint64 {
	switch n {
	case 16:
		return 0x3118
	case 64:
		return 0x3fc45f306dc9c882
	}
	return 0x3e22f983
}

// pattern is the float x, which is exact in all three formats, as n bits.
func pattern(n int, x float64) uint64 {
	return num.FCvt(64, n, num.RNE|num.ModeSet, math.Float64bits(x))
}

// constant is the value of a constant code (128 to 248) for an operand type. docs/reference/gcn.md 2.
func constant(code int, t typ) uint64 {
	n := t.bits()
	switch {
	case code >= codeInt0 && code < codeNeg1:
		return uint64(code - codeInt0)
	case code >= codeNeg1 && code <= 208:
		return num.Neg(n, uint64(code-codeNeg1+1))
	case code == codeInv2Pi:
		return inv2Pi(n)
	}
	return pattern(n, floatCodes[code-codeFloat])
}

// constText is the text of a constant code for an operand type.
func constText(code int, t typ) string {
	switch {
	case code >= codeInt0 && code < codeNeg1:
		return strconv.Itoa(code - codeInt0)
	case code >= codeNeg1 && code <= 208:
		return strconv.Itoa(codeNeg1 - 1 - code)
	case code == codeInv2Pi && t.bits() == 64:
		return "0.15915494309189532"
	case code == codeInv2Pi:
		return "0.15915494"
	case code >= codeFloat && code < codeInv2Pi:
		return strconv.FormatFloat(floatCodes[code-codeFloat], 'f', 1, 64)
	}
	return ""
}

// inline finds the constant code whose value for the type is the bit pattern, 0 if there is none.
func inline(t typ, bits uint64) int {
	n := t.bits()
	switch s := int64(num.SExt(n, 64, bits)); {
	case s >= 0 && s <= 64:
		return codeInt0 + int(s)
	case s >= -16 && s < 0:
		return codeNeg1 - 1 - int(s)
	}
	for code := codeFloat; code <= codeInv2Pi; code++ {
		if constant(code, t) == bits {
			return code
		}
	}
	return 0
}

// What a source operand field may name.
const (
	takesScalar = 1 << iota
	takesConst
	takesVGPR
	takesLiteral
	takesSpecial // vccz, execz, scc
	takesLDS     // lds_direct
)

// source is the kind of a source operand field of the type: 9 bits if it takes VGPRs, else 8.
func source(name string, t typ, takes int) *isa.Kind {
	size := 256
	if takes&takesVGPR != 0 {
		size = 512
	}
	k := &isa.Kind{Name: name, Table: make([]string, size), Reserved: make([]bool, size)}
	for v := range k.Table {
		k.Table[v] = sourceText(v, t, takes)
		k.Reserved[v] = k.Table[v] == "" && !(v == codeLiteral && takes&takesLiteral != 0)
	}
	if takes&takesLiteral != 0 {
		k.Text = func(_ *isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
			return literalText(dst, in.Literal(), t)
		}
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) { return parseSource(s, k, t, takes) }
	k.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return cellsOf(dst, int(v), t.words())
	}
	k.Samples = []uint64{0, 4, 100, codeVCC, codeExec, codeInt0, codeNeg1, 242, codeInv2Pi, codeLiteral}
	if takes&takesVGPR != 0 {
		k.Samples = append(k.Samples, 256, 257, 300, 496)
	}
	return k
}

func sourceText(v int, t typ, takes int) string {
	n := t.words()
	switch {
	case reservedNames[v] != "":
		return reservedNames[v]
	case v >= codeVGPR:
		if v+n <= codeVGPR+256 {
			return tuple("v", v-codeVGPR, n)
		}
	case v < codeInt0:
		if takes&takesScalar != 0 {
			return scalarText(v, n)
		}
	case v <= codeInv2Pi:
		if takes&takesConst != 0 {
			return constText(v, t)
		}
	case v >= codeVCCZ && v <= codeSCC:
		if takes&takesSpecial != 0 {
			return [...]string{"src_vccz", "src_execz", "src_scc"}[v-codeVCCZ]
		}
	case v == codeLDSDirect:
		if takes&takesLDS != 0 {
			return "src_lds_direct"
		}
	}
	return ""
}

// cellsOf appends the cells that n words from a source code on are in; none for constants.
func cellsOf(dst []isa.Span, code, n int) []isa.Span {
	var c ir.Cell
	switch {
	case code >= codeVGPR:
		c = VGPR(code - codeVGPR)
	case code == codeVCCZ:
		c, n = CellVCC, 2
	case code == codeExec || code == codeExec+1 || code == codeEXECZ:
		c, n = CellExec, 1
	case code == codeSCC:
		c, n = CellSCC, 1
	case code < codeExec && code != codeNull:
		c = SGPR(code)
	default:
		return dst
	}
	return append(dst, isa.Span{Cell: c, N: n})
}

// literalText prints a literal of a source operand; one that a constant code stands for is marked by lit().
func literalText(dst []byte, lit uint64, t typ) []byte {
	if literalCode(t, int64(lit)) != 0 {
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

// literalCode is the constant code that an assembler would choose for the integer text of a literal, or 0.
func literalCode(t typ, x int64) int {
	if t.bits() == 64 {
		return inline(t, uint64(x))
	}
	if t.bits() == 16 && x>>15 == 0x1ffff { // a sign-extended 16-bit number as 32 bits
		x = int64(int16(x))
	}
	if x>>t.bits() != 0 && x>>(t.bits()-1) != -1 {
		return 0
	}
	return inline(t, uint64(x)&(1<<t.bits()-1))
}

func parseSource(s *isa.Scan, k *isa.Kind, t typ, takes int) (uint64, bool) {
	at := s.Pos
	r, found, ok := parseReg(s)
	if found {
		return sourceReg(s, k, at, r, ok, t)
	}
	if s.Accept("lit") {
		if takes&takesLiteral == 0 {
			return 0, s.Fail(at, isa.ErrOperand, "a literal constant, which this encoding cannot hold")
		}
		return codeLiteral, forcedLiteral(s)
	}
	n, ok := s.Number()
	if !ok {
		return 0, false
	}
	code, lit, ok := number(s, at, n, t)
	switch {
	case !ok:
		return 0, false
	case s.Unresolved && takes&takesLiteral != 0:
		return codeLiteral, s.Literal(0)
	case code != 0 && takes&takesConst != 0 && !s.UsedSymbol:
		return uint64(code), true
	case takes&takesLiteral == 0:
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
func number(s *isa.Scan, at int, n isa.Number, t typ) (code int, lit uint64, ok bool) {
	if n.IsF {
		bits := pattern(t.bits(), n.Float)
		lit = bits
		if t.bits() == 64 {
			lit = bits >> 32
		}
		return inline(t, bits), lit, true
	}
	x := n.Int
	if x < -1<<31 || x > 1<<32-1 {
		return 0, 0, s.Fail(at, isa.ErrRange, "the constant does not fit 32 bits")
	}
	if t.bits() == 16 && x>>16 == 0 { // LLVM extends the sign of a 16-bit number
		x = int64(int16(x))
	}
	return literalCode(t, x), uint64(x) & 0xffffffff, true
}

// vgprs is the kind of an 8-bit field that names VGPRs.
func vgprs(words int) *isa.Kind {
	k := &isa.Kind{Name: "a VGPR", Table: make([]string, 256), Samples: []uint64{0, 1, 2, 100, 255, 256 - uint64(words)}}
	if words > 1 {
		k.Name = strconv.Itoa(words) + " VGPRs"
		k.Reserved = make([]bool, 256)
	}
	for v := range k.Table {
		if v+words <= 256 {
			k.Table[v] = tuple("v", v, words)
		} else {
			k.Reserved[v] = true
		}
	}
	k.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return append(dst, isa.Span{Cell: VGPR(int(v)), N: words})
	}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		r, found, ok := parseReg(s)
		switch {
		case found && !ok:
			return 0, false
		case !found || r.code < codeVGPR:
			s.Pos = at
			return 0, s.Expect(k.Name)
		case r.n != words:
			s.Pos = at
			return 0, s.Failf(at, isa.ErrOperand, "%d registers where %d are named", r.n, words)
		}
		return uint64(r.code - codeVGPR), true
	}
	return k
}

// scalars is the kind of a 7-bit field that names scalar registers; shift 1 or 2 if it holds the number divided by 2 or 4.
func scalars(words, shift int) *isa.Kind {
	size := 128 >> shift
	k := &isa.Kind{Name: "an SGPR", Table: make([]string, size), Reserved: make([]bool, size),
		Samples: []uint64{0, 2, 4, 20, uint64(codeVCC >> shift)}}
	if words > 1 {
		k.Name = strconv.Itoa(words) + " SGPRs"
	}
	for v := range k.Table {
		k.Table[v] = scalarText(v<<shift, words)
		k.Reserved[v] = k.Table[v] == ""
	}
	k.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return cellsOf(dst, int(v)<<shift, words)
	}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		r, found, ok := parseReg(s)
		switch {
		case found && !ok:
			return 0, false
		case !found || r.code >= codeInt0:
			s.Pos = at
			return 0, s.Expect(k.Name)
		case r.n != words:
			s.Pos = at
			return 0, s.Failf(at, isa.ErrOperand, "%d registers where %d are named", r.n, words)
		case r.code&(1<<shift-1) != 0:
			s.Pos = at
			return 0, s.Failf(at, isa.ErrOperand, "the first register must be a multiple of %d", 1<<shift)
		}
		return uint64(r.code >> shift), true
	}
	return k
}

// keyword is the kind of an operand that has one spelling and no bits, such as vcc.
func keyword(w string) *isa.Kind {
	r := special[w]
	return &isa.Kind{Name: w, Table: []string{w},
		Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span { return cellsOf(dst, r.code, r.n) },
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			if s.Accept(w) {
				return 0, true
			}
			return 0, s.Expect(w)
		}}
}

// flag is the kind of a modifier of one bit that prints its name when set.
func flag(w string) *isa.Kind {
	return &isa.Kind{Name: w, Table: []string{"", " " + w}, Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if s.Accept(w) {
			return 1, true
		}
		return 0, false
	}}
}
