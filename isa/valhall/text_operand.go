package valhall

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Kinds of registers and sources. docs/reference/valhall.md 2 and 4.

// partPage is the index of the page in the parts of sources.
const partPage = 0

// partSwizzle is the index of the widening in the parts of 64-bit sources.
const partSwizzle = 1

// partMask is the index of the halves in the parts of results.
const partMask = 0

// constants are the words of the constant table, by index.
var constants = [32]uint32{
	0x00000000, 0xffffffff, 0x7fffffff, 0xfafcfdfe, 0x01000000, 0x80002000, 0x70605030, 0xc0b0a090,
	0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
	0x3f800000, 0x3dcccccd, 0x3ea2f983, 0x3f317218, 0x40490fdb, 0x00000000, 0x477fff00, 0x5c005bf8,
	0x2e660000, 0x34000000, 0x38000000, 0x3c000000, 0x40000000, 0x44000000, 0x48000000, 0x42480000,
}

// spare is the index of a constant that depends on the architecture: 0 before v11. It prints as its number.
const (
	spare      = 21
	spareLater = 0x272428e0 // from v11 on
)

// constantOf is a constant of the architecture that an instruction was decoded for.
func constantOf(in *isa.Inst, i uint64) uint32 {
	if i == spare && archOf(in) >= 11 {
		return spareLater
	}
	return constants[i]
}

var register, result, source, pair, staged, stagedResult *isa.Kind

// A specialAlias is another name for a word of a special value.
type specialAlias struct {
	name         string
	page, number int
	word         uint64
}

// aliases are other names of special values, and the words that they denote; names of 1.0 are 32 bits each.
var aliases = [...]specialAlias{
	{"tls_ptr_hi", PagePointers, SpecialTLS, 1}, {"tls_ptr", PagePointers, SpecialTLS, 0}, {"wls_ptr_hi", PagePointers, SpecialWLS, 1},
	{"wls_ptr", PagePointers, SpecialWLS, 0}, {"lane_id", PageIdentity, SpecialLane, 0}, {"core_id", PageIdentity, SpecialCore, 0},
	{"program_counter", PageIdentity, SpecialPC, 0},
}

func numbered(prefix string, n int) []string {
	t := make([]string, n)
	for i := range t {
		t[i] = prefix + strconv.Itoa(i)
	}
	return t
}

// fillOperands makes the kinds of registers and sources.
func fillOperands() {
	regs := numbered("r", NumR)
	plain, last := isa.Numbered{Prefix: "r", N: NumR}, isa.Numbered{Prefix: "^r", N: NumR, Base: isLast << 6}
	either := isa.Numbered{Prefix: "r", N: NumR, Mark: '^', Marked: isLast << 6} // r0^ is ^r0 in Mesa of 2026
	register = &isa.Kind{Name: "a register", Table: regs, Cells: registerCells, Parse: parseRegister, Numbered: []isa.Numbered{plain}}
	result = &isa.Kind{Name: register.Name, Table: regs, Cells: resultCells, Parse: parseRegister, Numbered: []isa.Numbered{plain}}
	texts := make([]string, 256)
	copy(texts, regs)
	copy(texts[isLast<<6:], numbered("^r", NumR))
	for i, c := range constants {
		texts[firstConstant+i] = string(appendHex(nil, uint64(c)))
	}
	texts[firstConstant+spare] = "k" + strconv.Itoa(spare)
	both, words := []isa.Numbered{either, last}, &isa.Written{High: 1<<32 - 1, Table: constants[:], Base: firstConstant}
	source = &isa.Kind{Name: "a source", Table: texts, Numbered: both, Written: words, Text: sourceText, Parse: parseSource, Cells: sourceCells,
		Samples: []uint64{0, 63, isLast<<6 | 5, isUniform << 6, 255 &^ 64, firstConstant, firstConstant + 16, firstConstant + spare, firstSpecial + 2*SpecialTLS, firstSpecial + 2*SpecialWLS + 1}}
	pair = &isa.Kind{Name: "a source of 64 bits", Table: texts, Numbered: both, Written: words, Text: sourceText, Parse: parseSource, Cells: pairCells, Samples: source.Samples}
	fillStaging()
}

// appendHex appends a number in upper case, like the reference tool.
func appendHex(dst []byte, v uint64) []byte {
	const digits = "0123456789ABCDEF"
	dst = append(dst, "0x"...)
	n := 1
	for v>>(4*n) != 0 {
		n++
	}
	for n--; n >= 0; n-- {
		dst = append(dst, digits[v>>(4*n)&15])
	}
	return dst
}

func parseRegister(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	return readNumbered(s, 'r', NumR)
}

// readNumbered reads a letter and a number less than n.
func readNumbered(s *isa.Scan, letter byte, n uint64) (uint64, bool) {
	at := s.Pos
	if !s.Byte(letter) {
		return 0, s.Expect(kindOf(letter))
	}
	v, ok := s.Uint()
	switch {
	case !ok:
		s.Pos = at
		return 0, s.Expect(kindOf(letter))
	case v >= n:
		s.Pos = at
		return 0, s.Note(at, isa.ErrRange, "%t: the last is "+string(letter)+"%n", "", int(n-1))
	}
	return v, true
}

func kindOf(letter byte) string {
	switch letter {
	case 'u':
		return "a uniform word"
	case 'k':
		return "a constant"
	}
	return "a register"
}

// sourceText is the text of uniform words and special values, which depends on the page.
func sourceText(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
	page := a.Part(in.Word, partPage)
	if v>>6 == isUniform {
		return strconv.AppendUint(append(dst, 'u'), page*pageWords+v&63, 10)
	}
	dst = append(append(dst, specials[page][v>>1&(numSpecial-1)]...), ".w"...)
	return append(dst, '0'+byte(v&1))
}

// parseSource reads a register, a uniform word, a constant (its value, or k and its number), or a special value.
func parseSource(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	c := s.Peek()
	switch {
	case c == '[' && a.Kind == pair:
		return parseBrackets(s, in, a)
	case c == '^' || c == '`':
		s.Pos++
		v, ok := readNumbered(s, 'r', NumR)
		return v | isLast<<6, ok
	case c >= '0' && c <= '9':
		return parseConstant(s, in)
	case s.Pos+1 < len(s.Line) && s.Line[s.Pos+1] <= '9' && c == 'r':
		v, ok := readNumbered(s, 'r', NumR)
		if ok && s.Byte('^') {
			v |= isLast << 6
		}
		return v, ok
	case s.Pos+1 < len(s.Line) && s.Line[s.Pos+1] <= '9' && c == 'k':
		v, ok := readNumbered(s, 'k', uint64(len(constants)))
		return firstConstant + v, ok
	case s.Pos+1 < len(s.Line) && s.Line[s.Pos+1] <= '9' && c == 'u':
		at := s.Pos
		v, ok := readNumbered(s, 'u', NumU)
		if word := strings.TrimPrefix(s.Word(), ".w"); ok && a.Kind == source && (word == "0" || word == "1") {
			// kraid numbers pairs: u2.w1 is u5.
			if v = 2*v + uint64(word[0]-'0'); v >= NumU {
				return 0, s.Note(at, isa.ErrRange, "%t: the last pair is u%n", "", NumU/2-1)
			}
			s.Pos += len(".w0")
		}
		return v&63 | isUniform<<6, ok && s.SetPart(in, a, partPage, v/pageWords)
	}
	return parseSpecial(s, in, a)
}

// parseBrackets reads 64 bits in the syntax of kraid and Arm's tools: [r0:r1], [r0^:r1^], [r0:1].
func parseBrackets(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	s.Pos++
	at := s.Pos
	if c := s.Peek(); c != 'r' && c != 'u' && c != '^' {
		return 0, s.Expect("two registers or uniform words")
	}
	letter := strings.TrimLeft(s.Line[s.Pos:], "^")[0]
	v, ok := parseSource(s, in, a)
	if !ok {
		return 0, false
	}
	if !s.Byte(':') {
		return 0, s.Expect(`":"`)
	}
	here := s.Pos
	if c := s.Peek(); c == letter || c == '^' {
		second, ok := parseSource(s, in, a)
		if !ok {
			return 0, false
		}
		if v%2 != 0 || second != v+1 {
			return 0, s.Fail(here, isa.ErrOperand, "want an even number and the next one")
		}
	} else if n, ok := s.Uint(); !ok || v%2 != 0 || n%pageWords != v%pageWords+1 {
		s.Pos = here
		return 0, s.Fail(at, isa.ErrOperand, "want an even number and the next one")
	}
	if !s.Byte(']') {
		return 0, s.Expect(`"]"`)
	}
	return v, true
}

// parseConstant reads a constant by its bit pattern.
func parseConstant(s *isa.Scan, in *isa.Inst) (uint64, bool) {
	at := s.Pos
	if _, point, ok := strings.Cut(s.Word(), "."); ok && point != "" && point[0] >= '0' && point[0] <= '9' {
		return 0, s.Note(at, isa.ErrSyntax, "%t: a constant is written by its bits, 1.0 as 0x3F800000", "", 0)
	}
	v, ok := s.Expr()
	if !ok {
		return 0, false
	}
	for i := range uint64(len(constants)) {
		if v == int64(constantOf(in, i)) {
			return firstConstant + i, true
		}
	}
	s.Pos = at
	return 0, s.Note(at, isa.ErrRange, "%t is no entry of the constant table: a register or a uniform word has to hold it", "", 0)
}

// parseSpecial reads the name of a special value and the selected word.
func parseSpecial(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	w := s.Word()
	base := w
	if dot := strings.IndexByte(w, '.'); dot >= 0 {
		base = w[:dot]
	}
	if base == "" {
		return 0, s.Expect(source.Name)
	}
	rest := w[len(base):]
	if strings.HasPrefix(rest, ".w0") || strings.HasPrefix(rest, ".w1") {
		for page := range specials {
			for n, name := range &specials[page] {
				if name == base {
					s.Pos += len(base) + len(".w0")
					return firstSpecial + uint64(2*n) + uint64(rest[2]-'0'), s.SetPart(in, a, partPage, uint64(page))
				}
			}
		}
	}
	for _, x := range &aliases {
		if x.name == base {
			s.Pos += len(base)
			return firstSpecial + uint64(2*x.number) + x.word, s.SetPart(in, a, partPage, uint64(x.page))
		}
	}
	return 0, s.Expect(source.Name)
}

func registerCells(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
	return append(dst, isa.Span{Cell: ir.Cell{File: FileR, Index: uint16(v & 63)}, N: 1})
}

// resultCells are the cells of a result, or of the halves that are written; the other half is unchanged.
func resultCells(dst []isa.Span, in *isa.Inst, a *isa.Arg, v uint64) []isa.Span {
	n := a.Width / 32
	sp := isa.Span{Cell: ir.Cell{File: FileR, Index: uint16(v&63) &^ uint16(n-1)}, N: n, Role: isa.Define} // a pair begins at an even register
	switch in.Get(nameMask) {
	case 0:
		if a.Parts[partMask].Kind != narrow {
			return dst
		}
	case 1:
		sp.Role, sp.Bytes = isa.UseDef, 3
	case 2:
		sp.Role, sp.Bytes = isa.UseDef, 12
	}
	return append(dst, sp)
}

func sourceCells(dst []isa.Span, in *isa.Inst, a *isa.Arg, v uint64) []isa.Span {
	return spanOf(dst, v, a.Part(in.Word, partPage), 1)
}

// pairCells are the cells of a 64-bit source: an even one and the next, or a single one if less is read.
func pairCells(dst []isa.Span, in *isa.Inst, a *isa.Arg, v uint64) []isa.Span {
	switch {
	case v>>6 == isOther && v < firstSpecial:
		return dst
	case wordPart(in, a):
		if a.Part(in.Word, partSwizzle) == widenWord1 {
			v |= 1
		}
		return spanOf(dst, v, a.Part(in.Word, partPage), 1)
	}
	return spanOf(dst, v&^1, a.Part(in.Word, partPage), 2)
}

// wordPart reports whether the source is widened from fewer bits, which may be in either word.
func wordPart(in *isa.Inst, a *isa.Arg) bool {
	if len(a.Parts) <= partSwizzle || a.Parts[partSwizzle].Kind != widen64 && a.Parts[partSwizzle].Kind != widenEither {
		return false
	}
	return a.Part(in.Word, partSwizzle) != 0
}

// spanOf appends n cells from that of a source byte on; constants, and values that depend on the address, have none.
func spanOf(dst []isa.Span, v, page uint64, n int) []isa.Span {
	c := ir.Cell{File: FileR, Index: uint16(v & 63)}
	switch {
	case v>>6 == isUniform:
		c = ir.Cell{File: FileU, Index: uint16(page*pageWords + v&63)}
	case v >= firstSpecial:
		number := int(v >> 1 & (numSpecial - 1))
		if page == PageIdentity && number != SpecialCore {
			return dst
		}
		c = Special(int(page), number, int(v&1))
	case v >= firstConstant:
		return dst
	}
	return append(dst, isa.Span{Cell: c, N: n})
}
