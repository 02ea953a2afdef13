package attila

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

const (
	identity = 0x1b // the swizzle that changes nothing
	// noSelect is the swizzle of a boolean constant whose text names no component: no broadcast, so that it prints
	// none, and its scalar component is x, as the grammar says.
	noSelect = 0x54
)

// Names of registers by bank and number, suffixes by swizzle and mask, texts of the guard field. Set fills them: a
// program that does not use the set does not pay for it.
var (
	regNames  [8][256]string
	predNames [256]string
	unitNames [256]string
	swizzles  [256]string
	selects   [256]string // of boolean constants: broadcasts only
	masksText [16]string
	guards    [128]string
)

func fillNames() {
	for b, p := range map[int]string{bankIn: "i", bankOut: "o", bankParam: "c", bankTemp: "r", bankAddr: "a"} {
		number(&regNames[b], p, 0)
	}
	number(&regNames[bankParam2], "c", 256)
	number(&predNames, "p", 0)
	number(&unitNames, "t", 0)
	number(&sampleNames, "s", 0)
	fillSwizzles()
	for i, c := range comps {
		selects[0x55*i] = "." + string(c)
	}
	fillMasks()
	fillGuards()
}

// number makes names of a prefix and the numbers from the first on, all of them slices of one text.
func number(t *[256]string, prefix string, from int) {
	var b []byte
	var ends [256]int
	for i := range t {
		b = strconv.AppendInt(append(b, prefix...), int64(from+i), 10)
		ends[i] = len(b)
	}
	text, at := string(b), 0
	for i := range t {
		t[i], at = text[at:ends[i]], ends[i]
	}
}

func fillSwizzles() {
	var b []byte
	for v := range swizzles {
		b = append(b, '.')
		for i := range 4 {
			b = append(b, comps[pick(uint64(v), i)])
		}
	}
	text := string(b)
	for v := range swizzles {
		n := 5
		if v%0x55 == 0 {
			n = 2
		}
		swizzles[v] = text[5*v:][:n]
	}
	swizzles[identity] = ""
}

func fillMasks() {
	for m := range masksText {
		masksText[m] = "."
		for i, c := range comps {
			if masks(uint64(m), i) {
				masksText[m] += string(c)
			}
		}
	}
	masksText[0], masksText[15] = "!INV!", ""
}

// Parts that the operand's own kind prints and reads.
var (
	srcBank  = &isa.Kind{Name: "a source bank", Reserved: []bool{bankOut: true, bankImm: true, bankNone: true}}
	dstBank  = &isa.Kind{Name: "a result bank", Reserved: []bool{bankIn: true, bankParam: true, bankParam2: true, bankImm: true, bankNone: true}}
	anyBank  = &isa.Kind{Name: "a bank"}
	relative = &isa.Kind{Name: "relative addressing"}
)

// Parts around a register: -|r3.xyzw|.
var (
	negate   = &isa.Kind{Name: "a sign", Table: []string{"", "-"}, Spell: []isa.Spelling{{Text: "-", Value: 1}}}
	absolute = &isa.Kind{Name: "an absolute value", Table: []string{"", "|"}, Close: []string{"", "|"}, Spell: []isa.Spelling{{Text: "|", Value: 1, Close: "|"}}}
	inverted = &isa.Kind{Name: "an inversion", Table: []string{"", "!"}, Spell: []isa.Spelling{{Text: "!", Value: 1}}}
	swizzle  = &isa.Kind{Name: "a swizzle", Table: swizzles[:], Parse: parseSwizzle, First: ".",
		Samples: []uint64{identity, identity, 0x55, identity, 0x1e, 0xff}}
	writeMask = &isa.Kind{Name: "a write mask", Table: masksText[:], Parse: parseMask, First: ".!"}
)

var (
	endFlag  = flag(" <- end", "<- end")
	waitFlag = flag(" <- wait", "<- wait")
	saturate = &isa.Kind{Name: "a suffix", Table: []string{"", "_sat"}, Spell: []isa.Spelling{{Text: "_sat", Value: 1}, {Text: "_SAT", Value: 1}}}
	guard    = &isa.Kind{Name: "a guard", Table: guards[:], Parse: parseGuard, First: "(", Samples: []uint64{0, 0, 1, 0x0d, 0x7f},
		Canon: func(v uint64) uint64 {
			if v&1 == 0 {
				return 0
			}
			return v
		},
		Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
			if g := splitGuard(v); g.on {
				dst = append(dst, isa.Span{Cell: predCell(g.pred), N: 1})
			}
			return dst
		}}
)

// flag is a modifier of one bit.
func flag(text, word string) *isa.Kind {
	return &isa.Kind{Name: "a flag", Table: []string{"", text}, Spell: []isa.Spelling{{Text: word, Value: 1}}}
}

// fillGuards makes the texts of the field: bit 0 predicated, bit 1 inverted, then the predicate.
func fillGuards() {
	for v := range guards {
		if g := splitGuard(uint64(v)); g.on {
			guards[v] = "(" + strings.Repeat("!", v>>1&1) + "p" + strconv.Itoa(int(g.pred)) + ") "
		}
	}
}

// parseGuard reads "(p3)" or "(!p3)".
func parseGuard(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if !s.Byte('(') {
		return 0, false
	}
	v := uint64(1)
	s.Space()
	if s.Byte('!') {
		v |= 2
	}
	at := s.Pos
	_, n, ok := parseReg(s, "p", "a predicate")
	if !ok {
		return 0, false
	}
	if n > 31 {
		return 0, s.Fail(at, isa.ErrRange, "a guard is one of p0 to p31")
	}
	s.Space()
	if !s.Byte(')') {
		return 0, s.Expect(`")"`)
	}
	return v | n<<2, true
}

// parseReg reads one of the letters and a number.
func parseReg(s *isa.Scan, letters, name string) (letter byte, n uint64, ok bool) {
	at := s.Pos
	letter = s.Peek()
	if !oneOf(letters, letter) {
		return 0, 0, s.Expect(name)
	}
	s.Pos++
	if n, ok = s.Uint(); !ok {
		s.Pos = at
		return 0, 0, s.Expect(name)
	}
	if limit := uint64(255); n > limit && (letter != 'c' || n > 511) {
		return 0, 0, s.Fail(at, isa.ErrRange, "the register number is too large")
	}
	return letter, n, true
}

// oneOf reports whether c is one of a few letters.
func oneOf(letters string, c byte) bool {
	for i := range len(letters) {
		if letters[i] == c {
			return true
		}
	}
	return false
}

// bankOf is the bank of a register by its letter.
var bankOf = [256]uint8{'i': bankIn, 'o': bankOut, 'c': bankParam, 'r': bankTemp, 'a': bankAddr}

// Parts of a source by number: see sourceParts.
const (
	partNeg = iota
	partAbs
	partBank
	partSwz
	partRel
)

// sourceParts returns the parts of source i. Relative addressing is shared by all constants of an instruction.
func sourceParts(i int) []isa.Part {
	n := strconv.Itoa(i + 1)
	return []isa.Part{
		partNeg:  {Name: "neg" + n, Side: isa.Before},
		partAbs:  {Name: "abs" + n, Side: isa.Around},
		partBank: {Name: "bank" + n},
		partSwz:  {Name: "swz" + n, Side: isa.After, Default: identity},
		partRel:  relPart,
	}
}

var relPart = isa.Part{Name: "rel", Shared: true, Conflict: "relative addressing is one for all constants of the instruction: write it behind each"}

// source is a source register: r3, c5[a0.x + 3].
var source = &isa.Kind{Name: "a source", Text: sourceText,
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		return parseSource(s, in, a, "icra", "a source register")
	},
	Cells: sourceCells, Samples: []uint64{0, 1, 1, 0, 1, 200}}

func sourceText(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
	bank := a.Part(in.Word, partBank)
	dst = append(dst, regNames[bank][v]...)
	if isParam(bank) {
		dst = appendRel(dst, splitRel(a.Part(in.Word, partRel)))
	}
	return dst
}

// appendSource prints a register of a bank, a constant with its relative addressing.
func appendSource(dst []byte, bank, n uint64, rel relField) []byte {
	dst = append(dst, regNames[bank][n]...)
	if isParam(bank) {
		dst = appendRel(dst, rel)
	}
	return dst
}

// appendRel prints relative addressing if there is any.
func appendRel(dst []byte, r relField) []byte {
	if !r.on {
		return dst
	}
	dst = append(dst, "[a"...)
	dst = append(dst, byte('0'+r.reg), '.', comps[r.comp])
	dst = append(dst, " + "...)
	return append(strconv.AppendInt(dst, r.offset, 10), ']')
}

// parseSource reads a register with its relative part, and records its bank.
func parseSource(s *isa.Scan, in *isa.Inst, a *isa.Arg, letters, name string) (uint64, bool) {
	letter, n, ok := parseReg(s, letters, name)
	if !ok {
		return 0, false
	}
	b := bankOf[letter]
	if letter == 'c' {
		if n > 255 {
			b, n = bankParam2, n-256
		}
		if !parseRel(s, in, a) {
			return 0, false
		}
	}
	return n, s.SetPart(in, a, partBank, uint64(b))
}

// parseRel reads what may follow the number of a constant: [a0.x + 3].
func parseRel(s *isa.Scan, in *isa.Inst, a *isa.Arg) bool {
	f := uint64(0)
	if s.Byte('[') {
		var ok bool
		if f, ok = parseIndex(s); !ok {
			return false
		}
	}
	return s.SetPart(in, a, partRel, f)
}

// parseIndex reads a0.x + 3] as the field of relative addressing.
func parseIndex(s *isa.Scan) (uint64, bool) {
	s.Space()
	at := s.Pos
	_, r, ok := parseReg(s, "a", "an address register")
	if !ok {
		return 0, false
	}
	if r > 3 {
		return 0, s.Fail(at, isa.ErrRange, "the field holds a0 to a3")
	}
	c := -1
	if s.Byte('.') {
		c = component(s.Peek())
	}
	if c < 0 {
		return 0, s.Expect("a component")
	}
	s.Pos++
	off, ok := parseOffset(s)
	if !ok {
		return 0, false
	}
	if s.Space(); !s.Byte(']') {
		return 0, s.Expect(`"]"`)
	}
	return relField{true, int(r), c, off}.field(), true
}

// parseOffset reads "+ 3", "+ -3", "- 3" or nothing.
func parseOffset(s *isa.Scan) (off int64, ok bool) {
	s.Space()
	at := s.Pos
	minus := s.Byte('-')
	if !minus && !s.Byte('+') {
		return 0, true
	}
	s.Space()
	if off, ok = s.Expr(); !ok {
		return 0, false
	}
	if minus {
		off = -off
	}
	if off < -256 || off > 255 {
		return 0, s.Fail(at, isa.ErrRange, "the offset is not -256 to 255")
	}
	return off, true
}

// parseSwizzle reads one component or four.
func parseSwizzle(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if !s.Byte('.') {
		return 0, false
	}
	at, v, n := s.Pos, uint64(0), 0
	for ; n < 4; n++ {
		c := component(s.Peek())
		if c < 0 {
			break
		}
		v = v<<2 | uint64(c)
		s.Pos++
	}
	switch n {
	case 1:
		return v * 0x55, true
	case 4:
		return v, true
	}
	return 0, s.Fail(at, isa.ErrOperand, "a swizzle is one component or four")
}

// Parts of a result by number.
const (
	partRBank = iota
	partMask
)

var resultParts = []isa.Part{partRBank: {Name: "rbank"}, partMask: {Name: "mask", Side: isa.After, Default: 15}}

// dest is a result register: r3.xz.
var dest = &isa.Kind{Name: "a result",
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		return append(dst, regNames[a.Part(in.Word, partRBank)][v]...)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		letter, n, ok := parseReg(s, "ora", "a result register")
		return n, ok && s.SetPart(in, a, partRBank, uint64(bankOf[letter]))
	},
	Cells: resultCells, Samples: []uint64{0, 1, 1, 0, 1, 77}}

// parseMask reads components in order, or "!INV!" for none.
func parseMask(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if s.Accept(masksText[0]) {
		return 0, true
	}
	at := s.Pos
	if !s.Byte('.') {
		return 0, false
	}
	m := uint64(0)
	for i := range 4 {
		if s.Byte(comps[i]) {
			m |= 8 >> i
		}
	}
	if m == 0 || component(s.Peek()) >= 0 {
		return 0, s.Fail(at, isa.ErrOperand, "a mask is components in the order x y z w")
	}
	return m, true
}
