package attila

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

const (
	comps    = "xyzw"
	identity = 0x1b // the swizzle that changes nothing
	// noSelect is the swizzle of a boolean constant whose text names no component: no broadcast, so that it prints
	// none, and its scalar component is x, as the grammar says.
	noSelect = 0x54
)

// Names of registers by bank and number, suffixes by swizzle and mask.
var (
	regNames  = bankNames()
	predNames = numbered("p", 0)
	unitNames = numbered("t", 0)
	swizzles  = swizzleNames()
	selects   = selectNames()
	masks     = maskNames()
)

func numbered(prefix string, from int) (t [256]string) {
	for i := range t {
		t[i] = prefix + strconv.Itoa(from+i)
	}
	return t
}

func bankNames() (t [8][256]string) {
	for b, p := range map[int]string{bankIn: "i", bankOut: "o", bankParam: "c", bankTemp: "r", bankAddr: "a"} {
		t[b] = numbered(p, 0)
	}
	t[bankParam2] = numbered("c", 256)
	return t
}

// pick is component i of a swizzle: bits 7-6 are that of x.
func pick(swz uint64, i int) int { return int(swz >> (6 - 2*i) & 3) }

func swizzleNames() (t [256]string) {
	for v := range t {
		b := []byte{'.', 0, 0, 0, 0}
		for i := range 4 {
			b[1+i] = comps[pick(uint64(v), i)]
		}
		t[v] = string(b)
		if v%0x55 == 0 {
			t[v] = t[v][:2]
		}
	}
	t[identity] = ""
	return t
}

// selectNames are the swizzles of boolean constants: broadcasts only.
func selectNames() (t [256]string) {
	for i, c := range comps {
		t[0x55*i] = "." + string(c)
	}
	return t
}

func maskNames() (t [16]string) {
	for m := range t {
		t[m] = "."
		for i, c := range comps {
			if m>>(3-i)&1 != 0 {
				t[m] += string(c)
			}
		}
	}
	t[0], t[15] = "!INV!", ""
	return t
}

// silent is the kind of a field without text of its own: another operand prints and parses it.
func silent(name string, reserved []bool) *isa.Kind {
	return &isa.Kind{Name: name, Reserved: reserved, Samples: nil,
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) { return 0, s.Expect(name) }}
}

var (
	srcBank = silent("a source bank", []bool{bankOut: true, bankImm: true, bankNone: true})
	dstBank = silent("a result bank", []bool{bankIn: true, bankParam: true, bankParam2: true, bankImm: true, bankNone: true})
	anyBank = silent("a bank", nil)

	endFlag  = flag(" <- end", "<- end")
	waitFlag = flag(" <- wait", "<- wait")
	saturate = &isa.Kind{Name: "a suffix", Table: []string{"", "_sat"},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			if s.Accept("_sat") || s.Accept("_SAT") {
				return 1, true
			}
			return 0, true
		}}
	guard = &isa.Kind{Name: "a guard", Table: guards(), Parse: parseGuard, Samples: []uint64{0, 0, 1, 0x0d, 0x7f},
		Canon: func(v uint64) uint64 {
			if v&1 == 0 {
				return 0
			}
			return v
		}}
)

// flag is a modifier of one bit.
func flag(text, word string) *isa.Kind {
	return &isa.Kind{Name: "a flag", Table: []string{"", text},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			if !s.Accept(word) {
				return 0, s.Expect("a flag")
			}
			return 1, true
		}}
}

// guards are the texts of the field: bit 0 predicated, bit 1 inverted, then the predicate.
func guards() []string {
	t := make([]string, 128)
	for v := range t {
		if v&1 != 0 {
			t[v] = "(" + strings.Repeat("!", v>>1&1) + "p" + strconv.Itoa(v>>2) + ") "
		}
	}
	return t
}

// parseGuard reads "(p3)" or "(!p3)", or nothing.
func parseGuard(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if !s.Byte('(') {
		return 0, true
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
	if letter == 0 || strings.IndexByte(letters, letter) < 0 {
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

// bankOf is the bank of a register by its letter.
var bankOf = map[byte]int{'i': bankIn, 'o': bankOut, 'c': bankParam, 'r': bankTemp, 'a': bankAddr}

// source is a source register with modifiers: -|r3.xyzw|, c5[a0.x + 3].
var source = &isa.Kind{Name: "a source", Text: sourceText,
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		return parseSigned(s, in, a, func() (uint64, bool) { return parseSource(s, in, operandOf(a), "icra", "a source register") })
	},
	Samples: []uint64{identity << 8, 1, 1 | 0x55<<8, identity << 8, 1 | 0x1e<<8, 0xff<<8 | 200}}

// operandOf is the number of a source operand: its negate bit tells.
func operandOf(a *isa.Arg) int { return (int(a.Neg) - bitBank1 - 3) / bitStep }

func sourceText(_ *isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
	lo := in.Word.Lo
	b := lo >> (a.Neg - 3) & 7
	dst = openSigns(dst, lo>>a.Neg)
	dst = append(dst, regNames[b][v&255]...)
	if isParam(b) && lo>>bitRel&1 != 0 {
		dst = appendRel(dst, in.Word, -1)
	}
	dst = append(dst, swizzles[v>>8]...)
	return closeSigns(dst, lo>>a.Neg)
}

// openSigns and closeSigns print what negate, bit 0, and absolute, bit 1, add around an operand.
func openSigns(dst []byte, b uint64) []byte {
	if b&1 != 0 {
		dst = append(dst, '-')
	}
	return closeSigns(dst, b)
}

func closeSigns(dst []byte, b uint64) []byte {
	if b&2 != 0 {
		dst = append(dst, '|')
	}
	return dst
}

// appendRel prints relative addressing; comp, unless -1, takes the place of the encoded component.
func appendRel(dst []byte, w bits.Word, comp int) []byte {
	r, c, off := relField(w)
	if comp >= 0 {
		c = comp
	}
	dst = append(dst, "[a"...)
	dst = append(dst, byte('0'+r), '.', comps[c])
	dst = append(dst, " + "...)
	return append(strconv.AppendInt(dst, off, 10), ']')
}

// parseSigned reads the signs around what body reads and notes them in the instruction.
func parseSigned(s *isa.Scan, in *isa.Inst, a *isa.Arg, body func() (uint64, bool)) (uint64, bool) {
	neg := s.Byte('-')
	abs := s.Byte('|')
	v, ok := body()
	if !ok {
		return 0, false
	}
	if abs && !s.Byte('|') {
		return 0, s.Expect(`"|"`)
	}
	if neg {
		in.Word.Lo |= 1 << a.Neg
	}
	if abs {
		in.Word.Lo |= 1 << a.Abs
	}
	return v, true
}

// parseSource reads a register of operand i with its relative part and swizzle, and notes its bank.
func parseSource(s *isa.Scan, in *isa.Inst, i int, letters, name string) (uint64, bool) {
	letter, n, ok := parseReg(s, letters, name)
	if !ok {
		return 0, false
	}
	b := bankOf[letter]
	if letter == 'c' {
		if n > 255 {
			b, n = bankParam2, n-256
		}
		if !parseRel(s, in, i) {
			return 0, false
		}
	}
	putBank(&in.Word, i, b)
	swz, ok := parseSwizzle(s)
	return n | swz<<8, ok
}

// parseRel reads what may follow the number of a constant: [a0.x + 3]. It holds for all constants of the instruction.
func parseRel(s *isa.Scan, in *isa.Inst, i int) bool {
	at := s.Pos
	f := uint64(0)
	if s.Byte('[') {
		var ok bool
		if f, ok = parseIndex(s); !ok {
			return false
		}
	}
	for j := range i {
		if isParam(bank(in.Word, j)) && in.Word.Lo>>bitRel&0x3fff != f {
			return s.Fail(at, isa.ErrOperand, "relative addressing is one for all constants of the instruction: write it behind each")
		}
	}
	putLo(&in.Word, bitRel, 14, f)
	return true
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
		c = strings.IndexByte(comps, s.Peek())
	}
	if c < 0 || s.Peek() == 0 {
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
	return 1 | r<<1 | uint64(c)<<3 | uint64(off)&0x1ff<<5, true
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

// parseSwizzle reads one component or four, or nothing.
func parseSwizzle(s *isa.Scan) (uint64, bool) {
	if !s.Byte('.') {
		return identity, true
	}
	at, v, n := s.Pos, uint64(0), 0
	for ; n < 4 && s.Peek() != 0; n++ {
		c := strings.IndexByte(comps, s.Peek())
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

// dest is a result register with its mask: r3.xz.
var dest = &isa.Kind{Name: "a result",
	Text: func(_ *isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		dst = append(dst, regNames[in.Word.Lo>>bitRBank&7][v]...)
		return append(dst, masks[in.Word.Lo>>bitMask&15]...)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
		letter, n, ok := parseReg(s, "ora", "a result register")
		if !ok {
			return 0, false
		}
		putLo(&in.Word, bitRBank, 3, uint64(bankOf[letter]))
		m, ok := parseMask(s)
		putLo(&in.Word, bitMask, 4, m)
		return n, ok
	},
	Samples: []uint64{0, 1, 1, 0, 1, 77}}

// parseMask reads components in order, "!INV!" for none, or nothing for all.
func parseMask(s *isa.Scan) (uint64, bool) {
	if s.Accept(masks[0]) {
		return 0, true
	}
	at := s.Pos
	if !s.Byte('.') {
		return 15, true
	}
	m := uint64(0)
	for i := range 4 {
		if s.Byte(comps[i]) {
			m |= 8 >> i
		}
	}
	if m == 0 || s.Peek() != 0 && strings.IndexByte(comps, s.Peek()) >= 0 {
		return 0, s.Fail(at, isa.ErrOperand, "a mask is components in the order x y z w")
	}
	return m, true
}
