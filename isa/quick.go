package isa

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Most operands are a register or a short word. They are matched against the next eight bytes of the line as one
// number, without a call of the kind's parser. The parser reads anything else, and values that do not fit, and makes
// all messages.

// A Numbered is texts of a kind that are a number between a prefix and an end: registers.
type Numbered struct {
	Prefix string // of at most three bytes
	Ends   string // one of these bytes follows the number; "": nothing does
	N      uint64 // numbers are below it; at most 1000
	// Base is the value of number 0 with the first end. The next end is one more, the next number as many as there
	// are ends.
	Base uint64
	// Mark, if not 0, is a byte that may follow and adds Marked to the value.
	Mark   byte
	Marked uint64
}

// A reading matches texts of a kind in eight bytes.
type reading struct {
	words    []shortWord
	first    [64]uint16 // by hash, or else by the second byte, modulo 64: 1 + the index of the first candidate in words; 0: none
	tokens   bool       // all words are tokens: first is by hash
	numbered []shortRun
	written  *Written // nil: none are
	unless   func(in *Inst) bool
}

// A shortWord is one of the kind's Spellings.
type shortWord struct {
	text, mask uint64 // of its first eight bytes
	value      uint64
	n          int
	letter     bool   // it ends with a letter: none may follow
	next       uint16 // 1 + the index of the next candidate; 0: none
	of         *Spelling
}

// A shortRun is a compiled Numbered.
type shortRun struct {
	text, mask uint64
	shift      uint8 // of the prefix: 8 per byte
	ends       [2]byte
	step       uint64 // number of ends, at least 1
	n, base    uint64
	mark       byte
	marked     uint64
}

// maxPrefix is the longest Numbered.Prefix, maxEnds the most Ends, and maxNumbered limits N: with three digits and an
// end, the text and the byte after it fit in eight bytes.
const (
	maxPrefix   = 3
	maxEnds     = 2
	maxNumbered = 1000
	maxDigits   = 3
)

// faulty says what is wrong with the kind's numbered texts.
func (k *Kind) faulty() error {
	if (k.Numbered != nil || k.Written != nil) && k.Parse == nil {
		return errors.New("numbered texts of a kind without Parse")
	}
	if k.Written != nil {
		if err := k.Written.faulty(); err != nil {
			return err
		}
	}
	for i := range k.Numbered {
		x := &k.Numbered[i]
		switch n := len(x.Prefix); {
		case n == 0 || n > maxPrefix || isDigit(x.Prefix[n-1]):
			return fmt.Errorf("the prefix %q of numbered texts has not 1 to %d bytes, or ends with a digit", x.Prefix, maxPrefix)
		case x.N == 0 || x.N > maxNumbered:
			return fmt.Errorf("%d numbered texts, not 1 to %d", x.N, maxNumbered)
		case isDigit(x.Mark) || isLetter(x.Mark) || x.Mark != 0 && x.Ends != "" && n+maxDigits > 5:
			return fmt.Errorf("the mark %q behind numbered texts is part of a word, or lies too far behind", x.Mark)
		case len(x.Ends) > maxEnds || strings.ContainsAny(x.Ends, "0123456789"):
			return fmt.Errorf("%q are more than %d ends of numbered texts, or digits", x.Ends, maxEnds)
		}
	}
	return nil
}

// pack returns the first eight bytes of a text as a number, and the mask of those that exist.
func pack(text string) (bits, mask uint64) {
	for i := range min(len(text), 8) {
		bits |= uint64(text[i]) << (8 * i)
		mask |= 0xff << (8 * i)
	}
	return bits, mask
}

// reading compiles the texts of a kind that can be read from eight bytes; nil: there are none.
func (m *maker) reading(k *Kind) *reading {
	if k.Spell == nil && k.Numbered == nil && k.Written == nil {
		return nil
	}
	if r, ok := m.readings[k]; ok {
		return r
	}
	if slices.ContainsFunc(k.Spell, func(sp Spelling) bool { return sp.Text[0] == ' ' || sp.Not != nil }) {
		m.readings[k] = nil
		return nil
	}
	r := &m.reads.take(1)[0]
	r.unless, r.written = k.Unless, k.Written
	if len(k.Spell) > 0 {
		r.words = m.words.take(len(k.Spell))[:0]
	}
	for i := range k.Spell {
		sp := &k.Spell[i]
		bits, mask := pack(sp.Text)
		r.words = append(r.words, shortWord{bits, mask, sp.Value, len(sp.Text), isLetter(sp.Text[len(sp.Text)-1]), 0, sp})
	}
	r.chain()
	for _, x := range k.Numbered {
		bits, mask := pack(x.Prefix)
		run := shortRun{text: bits, mask: mask, shift: uint8(8 * len(x.Prefix)), step: uint64(max(1, len(x.Ends))), n: x.N, base: x.Base, mark: x.Mark, marked: x.Marked}
		for i := range run.ends {
			if x.Ends != "" {
				run.ends[i] = x.Ends[min(i, len(x.Ends)-1)]
			}
		}
		r.numbered = append(r.numbered, run)
	}
	m.readings[k] = r
	return r
}

// chain links words with the same hash, if they are tokens; else words with the same second byte, so that only these
// are compared; or all, if one has no second byte.
func (r *reading) chain() {
	if r.tokens = len(r.words) > 0 && !slices.ContainsFunc(r.words, func(w shortWord) bool { return !isToken(w.of.Text) }); r.tokens {
		for i := len(r.words) - 1; i >= 0; i-- {
			h := hashOf(r.words[i].text)
			r.words[i].next, r.first[h] = r.first[h], uint16(i+1)
		}
		return
	}
	alike := !slices.ContainsFunc(r.words, func(w shortWord) bool { return w.n == 1 })
	for i := len(r.words) - 1; i >= 0; i-- {
		w, id := &r.words[i], uint16(i+1)
		if c := byte(w.text>>8) & 63; alike {
			w.next, r.first[c] = r.first[c], id
			continue
		}
		w.next = r.first[0]
		for c := range r.first {
			r.first[c] = id
		}
	}
}

// eight returns the next eight bytes of the line, the first one lowest; zeros after its end.
func (s *Scan) eight() uint64 {
	rest := s.Line[s.Pos:]
	if len(rest) >= 8 {
		return eightOf(rest)
	}
	return s.lastOf(len(rest))
}

// lastOf is eight for the last n bytes, fewer than eight.
func (s *Scan) lastOf(n int) uint64 {
	if at := len(s.Line) - 8; at >= 0 {
		return eightOf(s.Line[at:]) >> (8 * uint(8-n))
	}
	bits, _ := pack(s.Line[len(s.Line)-n:])
	return bits
}

// eightOf returns the first eight bytes of a text that has as many.
func eightOf(x string) uint64 {
	_ = x[7]
	return uint64(x[0]) | uint64(x[1])<<8 | uint64(x[2])<<16 | uint64(x[3])<<24 | uint64(x[4])<<32 | uint64(x[5])<<40 | uint64(x[6])<<48 | uint64(x[7])<<56
}

// fourOf returns the first four bytes of a text that has as many.
func fourOf(x string) uint32 {
	_ = x[3]
	return uint32(x[0]) | uint32(x[1])<<8 | uint32(x[2])<<16 | uint32(x[3])<<24
}

// word returns the first word that rest begins with, or nil; next is the first eight bytes of rest.
func (r *reading) word(rest string, next uint64) *shortWord {
	if r.tokens {
		return r.named(rest, tokenOf(next))
	}
	for i := r.first[next>>8&63]; i != 0; {
		w := &r.words[i-1]
		i = w.next
		if next&w.mask != w.text {
			continue
		}
		if w.n < 8 {
			if w.letter && isLetter(byte(next>>(8*uint(w.n)&63))) {
				continue
			}
		} else if !strings.HasPrefix(rest, w.of.Text) || w.letter && w.n < len(rest) && isLetter(rest[w.n]) {
			continue
		}
		return w
	}
	return nil
}

// number returns the value and the length of the numbered text at the start of the eight bytes; length 0: there is
// none.
func (r *reading) number(next uint64) (v uint64, n int) {
	for i := range r.numbered {
		x := &r.numbered[i]
		if next&x.mask != x.text {
			continue
		}
		left, digits := next>>(x.shift&63), 0
		for c := left & 0xff; isDigit(byte(c)); c = left & 0xff {
			if digits++; digits > maxDigits {
				return 0, 0
			}
			v = v*10 + c - '0'
			left >>= 8
		}
		if digits == 0 || v >= x.n {
			return 0, 0
		}
		n = int(x.shift)/8 + digits
		v = x.base + v*x.step
		if x.ends[0] != 0 {
			switch byte(left) {
			case x.ends[0]:
			case x.ends[1]:
				v++
			default:
				return 0, 0
			}
			left >>= 8
			n++
		}
		if x.mark != 0 && byte(left) == x.mark {
			v += x.marked
			left >>= 8
			n++
		}
		if isLetter(byte(left)) {
			return 0, 0
		}
		return v, n
	}
	return 0, 0
}

// quick reads the value of an arg if its text needs no parser, and it fits. Otherwise it does nothing.
func (s *Scan) quick(a *Arg, in *Inst, next uint64) bool {
	if s.Every {
		return false
	}
	r := a.read
	if r.words != nil {
		w := r.word(s.Line[s.Pos:], next)
		return w != nil && s.takes(a, in, w.value, w.n)
	}
	v, n := r.number(next)
	if n == 0 && r.written != nil {
		v, n = r.written.value(s.Line[s.Pos:])
	}
	return n != 0 && (r.unless == nil || !r.unless(in)) && s.takes(a, in, v, n)
}

// takes moves over the n bytes that were read as a value of an arg, if it fits. Otherwise it does nothing.
func (s *Scan) takes(a *Arg, in *Inst, v uint64, n int) bool {
	if a.bits {
		if !a.fits(v) || a.Kind.reserved(v) {
			return false
		}
		a.set(&in.Word, v)
	}
	s.Pos += n
	return true
}

// simply reads an operand of this sort, without a part before it: after a separator if parted, and up to a comma, a
// blank or both. Otherwise it does nothing.
func (s *Scan) simply(parted bool, a *Arg, in *Inst) bool {
	line, pos := s.Line, s.Pos
	if parted {
		if pos >= len(line) || line[pos] != s.Target.sep {
			return false
		}
		pos++
	}
	if pos < len(line) && line[pos] == ' ' && (!parted || line[pos-1] != ' ') {
		pos++
	}
	var next uint64
	if pos <= len(line)-8 {
		next = eightOf(line[pos:])
	} else {
		next = s.lastOf(len(line) - pos)
	}
	if a.sides != nil && a.heads.has(byte(next)) || s.Every {
		return false
	}
	r := a.read
	v, n := uint64(0), 0
	if r.words != nil {
		w := r.word(line[pos:], next)
		if w == nil {
			return false
		}
		v, n = w.value, w.n
	} else {
		if v, n = r.number(next); n == 0 && r.written != nil {
			v, n = r.written.value(line[pos:])
		}
		if n == 0 || r.unless != nil && r.unless(in) {
			return false
		}
	}
	if a.bits {
		if !a.fits(v) || a.Kind.reserved(v) {
			return false
		}
		a.set(&in.Word, v)
	}
	s.from, s.Pos, s.at[a.index] = pos, pos+n, int32(pos)
	return true
}

// standing is spelled for a part.
func (s *Scan) standing(p *Part) *Spelling {
	if p.read == nil || s.Every {
		return s.spelled(p.Kind)
	}
	w := p.read.word(s.Line[s.Pos:], s.eight())
	if w == nil {
		return nil
	}
	s.Pos += w.n
	return w.of
}
