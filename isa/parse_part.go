package isa

import (
	"strconv"
	"strings"
)

// maxShared limits the shared parts of one instruction.
const maxShared = 4

// A said is the value that an operand of the row gave to a shared part.
type said struct {
	name  string
	value uint64
}

// operand reads an operand and its parts: those before it from the outermost to the innermost, the base value, those
// after it, and the closing text of parts around it.
func (s *Scan) operand(a *Arg, in *Inst) bool {
	s.from = s.Pos
	whole := len(a.Parts) == 0
	if !whole && a.heads.has(s.Peek()) {
		return s.around(a, in)
	}
	if !s.arg(a, in) {
		return s.missing(a)
	}
	return whole || !a.tails.has(s.Peek()) || s.partsAfter(a, in)
}

// around reads an operand that may have a part before it.
func (s *Scan) around(a *Arg, in *Inst) bool {
	var open [4]string
	closing := open[:0]
	for _, i := range a.front {
		closed, ok := s.front(a, int(i), in)
		if !ok {
			return false
		}
		if closed != "" {
			closing = append(closing, closed)
			s.Bars = s.Bars || closed == "|"
		}
	}
	ok := s.arg(a, in)
	if s.Bars = false; !ok {
		return s.missing(a)
	}
	if !s.partsAfter(a, in) {
		return false
	}
	for i := len(closing) - 1; i >= 0; i-- {
		s.Space()
		if !strings.HasPrefix(s.Line[s.Pos:], closing[i]) {
			return s.Expect(strconv.Quote(closing[i]))
		}
		s.Pos += len(closing[i])
	}
	return true
}

// A byteSet is the set of possible first bytes of some parts.
type byteSet [4]uint64

func (b *byteSet) has(c byte) bool { return b[c>>6]>>(c&63)&1 != 0 }

func (b *byteSet) add(k *Kind) {
	if k.Spell == nil && k.First == "" { // decided by its parser
		*b = byteSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	}
	for i := range len(k.First) {
		b[k.First[i]>>6] |= 1 << (k.First[i] & 63)
	}
	for _, sp := range k.Spell {
		c := sp.Text[0]
		if c == ' ' { // or another blank, or one that is read already
			b['\t'>>6] |= 1<<'\t' | 1<<'\n' | 1<<' '
			c = sp.Text[1]
		}
		b[c>>6] |= 1 << (c & 63)
	}
}

// missing reports an absent operand, for kinds whose Parse does not.
func (s *Scan) missing(a *Arg) bool { return a.Kind.Spell != nil && s.Expect(a.Kind.Name) }

// front reads part i before an operand, if it is present, and returns its closing text.
func (s *Scan) front(a *Arg, i int, in *Inst) (closing string, ok bool) {
	p, at := &a.Parts[i], s.Pos
	if p.Kind.Spell == nil {
		if b := p.Kind.Begin; b != "" && !strings.HasPrefix(s.Line[at:], b) && !s.Every {
			return "", true
		}
		_, bad := s.part(a, i, in)
		return "", !bad
	}
	sp := s.standing(p)
	switch {
	case sp == nil:
		return "", true
	case len(p.At) == 0:
		what := sp.What
		if what == "" {
			what = sp.Text + sp.Close
		}
		return "", s.Fail(at, ErrModifier, what+" is not possible on this operand")
	}
	s.from = at
	ok = s.SetPart(in, a, i, sp.Value)
	s.Space()
	s.from = s.Pos
	return sp.Close, ok
}

// part reads part i by its kind. An absent part does not move Pos. bad says that it is present and wrong: its parser
// has moved Pos, or reported an error further on.
func (s *Scan) part(a *Arg, i int, in *Inst) (read, bad bool) {
	at, p := s.Pos, &a.Parts[i]
	if p.read != nil && !s.Every {
		w := p.read.word(s.Line[at:], s.eight())
		if w == nil {
			return false, false
		}
		s.from, s.Pos = at, at+w.n
		read = s.SetPart(in, a, i, w.value)
		return read, !read
	}
	v, read, bad := s.optional(p.Kind, in, a)
	if !read {
		return false, bad
	}
	s.from = at
	ok := s.SetPart(in, a, i, v)
	return ok, !ok
}

// partsAfter reads the parts after an operand, each at most once.
func (s *Scan) partsAfter(a *Arg, in *Inst) bool {
	left := uint64(1)<<len(a.back) - 1
	if a.choice != nil && !s.Every {
		if left = s.quickParts(a, in, left); !a.tails.has(s.Peek()) {
			return true
		}
	}
	for i := 0; i < len(a.back); i++ {
		if left>>i&1 == 0 {
			continue
		}
		read, bad := s.part(a, int(a.back[i]), in)
		switch {
		case bad:
			return false
		case read:
			left &^= 1 << i
			if a.AnyOrder {
				i = -1
			}
		}
	}
	return true
}

// SetPart writes part i of an operand, for kinds that read the text of silent parts. It fails if the value does not
// fit or is reserved, or if another operand gave a shared part another value. The error is placed at the beginning of
// the operand, or of the text of the part.
func (s *Scan) SetPart(in *Inst, a *Arg, i int, v uint64) bool {
	p := &a.Parts[i]
	if p.Shared {
		for _, x := range s.said[:s.numSaid] {
			if x.name != p.Name {
				continue
			}
			if x.value != v {
				if p.Conflict != "" {
					return s.noteFar(s.Pos, s.from, ErrIllegal, "%w", p.Conflict, 0)
				}
				return s.noteFar(s.Pos, s.from, ErrIllegal, "%w is one for all operands of the instruction that have it", p.Kind.Name, 0)
			}
			return true
		}
		s.said[s.numSaid] = said{p.Name, v}
		s.numSaid++
	}
	if !p.fits(v) || p.Kind.reserved(v) {
		return s.refuse(p.Name, &p.slot, v, s.from)
	}
	p.set(&in.Word, v)
	return true
}

// spelled moves over the first of the kind's spellings that matches at Pos.
func (s *Scan) spelled(k *Kind) *Spelling {
	rest := s.Line[s.Pos:]
	if rest == "" {
		return nil
	}
	for i := range k.Spell {
		sp := &k.Spell[i]
		text, at := sp.Text, 0
		if text[0] != rest[0] && text[0] != ' ' {
			continue
		}
		if text[0] == ' ' {
			text = text[1:]
			for at < len(rest) && isBlank(rest[at]) {
				at++
			}
			if at == 0 && (s.Pos == 0 || !isBlank(s.Line[s.Pos-1])) {
				continue
			}
		}
		n := at + len(text)
		if !strings.HasPrefix(rest[at:], text) || n < len(rest) && isLetter(rest[n]) && isLetter(rest[n-1]) {
			continue
		}
		if sp.Not != nil {
			if sp.Not(rest[n:]) {
				continue
			}
		}
		s.Pos += n
		return sp
	}
	return nil
}

// isLetter reports whether two such bytes in a row belong to one word; unlike isWord, it excludes dots.
func isLetter(c byte) bool { return isWord(c) && c != '.' }
