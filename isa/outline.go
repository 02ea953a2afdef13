package isa

import (
	"math/bits"
	"slices"
)

// Lines of a program differ mostly in their numbers: registers and constants. The outline of a text is the text
// without its numbers, which are kept separately. Texts with the same outline differ only in the digits of these
// numbers.

const (
	outlineMost  = 64 // maximal length of a text with an outline: one bit of a word per byte
	outlineLeast = 8
	outlineWords = 12
	numeralsMost = 8
)

// An outline is the text between its numerals. Each piece begins a new word and ends with a mark byte for the kind of
// the numeral after it, a byte that no such text contains; so the words determine where pieces begin.
type outline struct {
	words    [outlineWords]uint64
	numerals [numeralsMost]numeral
	n, found int
	again    uint8 // of the numerals: those with againMark
	hash     uint64
}

// A numeral is a number in a text in its usual spelling: no leading zeros, hexadecimal digits of one case. So its
// mark and its value determine its digits.
type numeral struct {
	value   uint32
	at, end uint8 // in the text, beginning with the first digit, or 0x
	mark    uint8
}

// The kind of a numeral, as the mark after the text before it.
const (
	decimalMark = 1 + iota
	lowerMark   // 0x1f
	upperMark   // 0x1F
	againMark   // the first number of a register once more
	marks
)

const (
	each8 = 0x0101010101010101
	high8 = 0x80 * each8
)

// digitsIn returns a bit for each of eight bytes, set for digits.
func digitsIn(x uint64) uint64 {
	t := x ^ '0'*each8
	none := (t&^high8 + 0x76*each8) | t
	return ^none & high8 >> 7 * 0x0102040810204080 >> 56
}

// marksIn returns nonzero if one of eight bytes could be taken for a mark, or for none.
func marksIn(x uint64) uint64 { return (x - marks*each8) &^ x & high8 }

// of sets o to the outline of text and reports whether the text has one. The given hash is continued.
func (o *outline) of(text string, c *numerals, hash uint64) bool {
	if len(text) < outlineLeast || len(text) > outlineMost {
		return false
	}
	digits, ok := digitsOf(text)
	if !ok || !o.numbers(text, digits, c) {
		return false
	}
	n, from := 0, 0
	for i := range o.found + 1 {
		to, mark := len(text), uint64(0)
		if i < o.found {
			x := &o.numerals[i&(numeralsMost-1)]
			to, mark = int(x.at), uint64(x.mark)
		}
		for ; ; from += 8 {
			w := eightFrom(text, from)
			if left := to - from; left < 8 {
				shift := uint(8*left) & 63
				w = w&(1<<shift-1) | mark<<shift
			}
			if n >= outlineWords {
				return false
			}
			o.words[n] = w
			n++
			hash = bits.RotateLeft64(hash^w, 29) * 0x9e3779b97f4a7c15
			if from+8 > to {
				break
			}
		}
		from = int(o.numerals[i&(numeralsMost-1)].end)
	}
	o.n, o.hash = n, hash
	return true
}

// digitsOf returns the bits of the digits of a text; false: it has bytes that could be marks.
func digitsOf(text string) (digits uint64, ok bool) {
	end := uint(len(text) - 8)
	last := eightOf(text[end:])
	digits, bad := digitsIn(last)<<(end&63), marksIn(last)
	for i := uint(0); i < end; i += 8 {
		x := eightOf(text[i:])
		digits |= digitsIn(x) << (i & 63)
		bad |= marksIn(x)
	}
	return digits, bad == 0
}

// eightFrom returns eight bytes of a text, at least that long, beginning at from; bytes after its end are zero.
func eightFrom(text string, from int) uint64 {
	if from+8 <= len(text) {
		return eightOf(text[from:])
	}
	return eightOf(text[len(text)-8:]) >> (uint(8*(8-(len(text)-from))) & 63)
}

// numbers finds the numerals of a text among its digits. It returns false if there are too many.
func (o *outline) numbers(text string, digits uint64, c *numerals) bool {
	found, register := 0, -1
	o.again = 0
	for starts := digits &^ (digits << 1); starts != 0; {
		at := bits.TrailingZeros64(starts)
		starts &= starts - 1
		front := c.classes(text, at)
		if front == 0 {
			continue
		}
		v, end, mark := numeralAt(text, at, at+bits.TrailingZeros64(^(digits>>(uint(at)&63))), front&aloneBit != 0)
		if mark == 0 {
			continue
		}
		if found >= numeralsMost {
			return false
		}
		x := &o.numerals[found]
		if c.again && front&aloneBit == 0 {
			if register < 0 {
				register = found
			} else if v == o.numerals[register].value {
				mark = againMark
				o.again |= 1 << found
			}
		}
		x.value, x.at, x.end, x.mark = v, uint8(at), uint8(end), mark
		found++
		starts &= ^uint64(0) << (uint(end-1) & 63) << 1
	}
	o.found = found
	return true
}

// numeralAt returns the value, the end and the mark of the numeral whose first digits are in text[at:end]; mark 0: it
// is no numeral. A numeral that stands alone may be hexadecimal, and must end its word.
func numeralAt(text string, at, end int, alone bool) (v uint32, last int, mark uint8) {
	v = uint32(text[at] - '0')
	if v == 0 && end > at+1 || end > at+numeralDigits {
		return 0, 0, 0
	}
	for i := at + 1; i < end; i++ {
		v = v*10 + uint32(text[i]-'0')
	}
	mark = decimalMark
	if alone && end < len(text) && isWord(text[end]) {
		if v != 0 || text[end] != 'x' {
			return 0, 0, 0
		}
		if v, end, mark = hexNumeral(text, end+1); end < len(text) && isWord(text[end]) {
			return 0, 0, 0
		}
	}
	return v, end, mark
}

// numeralDigits and numeralHexDigits are the most digits of numerals, which have 32 bits.
const (
	numeralDigits    = 9
	numeralHexDigits = 8
)

// hexNumeral reads hexadecimal digits beginning at from, up to the end of the numeral. mark is 0 if it is none.
func hexNumeral(text string, from int) (v uint32, end int, mark uint8) {
	var letters byte
	end = from
	for ; end < len(text); end++ {
		d := hexDigits[text[end]]
		if d < 0 {
			break
		}
		if d > 9 {
			letters |= 1 << (text[end] >> 5 & 1) // the bit that distinguishes the case
		}
		v = v<<4 | uint32(d)
	}
	switch n := end - from; {
	case n == 0 || n > numeralHexDigits || n > 1 && text[from] == '0' || letters == 3:
		return 0, end, 0
	case letters == 1:
		return v, end, upperMark
	}
	return v, end, lowerMark
}

// numerals says where numerals begin in texts of a set: after a byte that is no part of a word, and after prefixes of
// numbered texts. Both are recognised by the two preceding bytes; each byte value has a bit set per position.
type numerals struct {
	last, before [256]uint8
	again        bool // outlines record which numbers of registers equal the first one: it matters to some kinds
}

// aloneBit is the bit of numerals that are no part of a longer word. The others are those of prefixes.
const aloneBit = 1

// classes returns the bits for what precedes position at.
func (c *numerals) classes(text string, at int) uint8 {
	if at < 2 {
		text, at = "  "+text[:at], at+2
	}
	k := c.last[text[at-1]]
	if k != 0 {
		k &= c.before[text[at-2]]
	}
	return k
}

// numerals says where numerals begin, or returns nil if texts of the set have no outlines.
func (s *Set) numerals() *numerals {
	s.index.once.Do(s.makeIndex)
	return s.index.numerals
}

// fewNumbers is how many numbers a prefix may have for these to stay part of the outline.
const fewNumbers = 8

// A numeralMaker finds the prefixes of numerals, and which of them occur in texts that are words, so that a number
// there can select another row or operand.
type numeralMaker struct {
	met      map[*Kind]bool
	prefixes []string
	texts    []string // parsed as written
	again    bool
	words    []string // texts whose words matter, where one word stands for all numbers
}

// makeNumerals finds where numerals begin.
func (s *Set) makeNumerals() *numerals {
	m, rows := numeralMaker{met: map[*Kind]bool{}}, map[*shape]bool{}
	for i := range s.Defs {
		d := &s.Defs[i]
		if rows[d.shape] {
			continue
		}
		rows[d.shape] = true
		for j := range d.Args {
			m.add(d.Args[j].Kind)
			for k := range d.Args[j].Parts {
				m.add(d.Args[j].Parts[k].Kind)
			}
		}
	}
	c := &numerals{again: m.again}
	for i := range 256 {
		c.before[i] = aloneBit
		if !isWord(byte(i)) {
			c.last[i] = aloneBit
		}
	}
	for i, p := range m.prefixes[:min(len(m.prefixes), 7)] {
		c.add(p, 2<<i)
	}
	for _, text := range m.texts {
		c.leave(text, ^uint8(0))
	}
	for _, text := range m.words {
		c.leave(text, ^uint8(aloneBit))
	}
	return c
}

// add adds the texts of a kind.
func (m *numeralMaker) add(k *Kind) {
	if m.met[k] {
		return
	}
	m.met[k] = true
	m.again = m.again || k.Again
	for i := range k.Numbered {
		if x := &k.Numbered[i]; x.N > fewNumbers && !slices.Contains(m.prefixes, x.Prefix) {
			m.prefixes = append(m.prefixes, x.Prefix)
		}
	}
	for i := range k.Spell {
		m.texts = append(m.texts, k.Spell[i].Text, k.Spell[i].Close)
	}
	m.texts = append(m.texts, k.Begin)
	for i := range len(k.First) {
		m.texts = append(m.texts, k.First[i:i+1])
	}
	m.texts = append(m.texts, k.Words...)
	for _, list := range [...][]string{k.OneOf, k.Only} {
		for _, text := range list {
			if text[0] != '$' { // stands for any such register
				m.words = append(m.words, text)
			}
		}
	}
}

// add adds a prefix, identified by its last two bytes; a prefix of one byte must begin a word.
func (c *numerals) add(prefix string, bit uint8) {
	n := len(prefix)
	c.last[prefix[n-1]] |= bit
	for i := range 256 {
		if n > 1 && byte(i) == prefix[n-2] || n == 1 && !isWord(byte(i)) {
			c.before[i] |= bit
		}
	}
}

// leave makes the numbers in a text part of the outline, if their bits are among those.
func (c *numerals) leave(text string, those uint8) {
	for i := range len(text) {
		if !isDigit(text[i]) || i > 0 && isDigit(text[i-1]) {
			continue
		}
		drop := ^(c.classes(text, i) & those)
		for j := range 256 {
			c.last[j] &= drop
		}
	}
}
