package isa

import (
	"strings"
	"sync"
)

// Words of one byte, usually a point, followed by letters are found by a hash of all their bytes, or of the first
// eight. They end where the letters do.

// isToken reports whether a text is a byte and letters, or one letter: what tokenOf finds, if it is not too long.
func isToken(text string) bool {
	for i := 1; i < len(text); i++ {
		if !isLetter(text[i]) {
			return false
		}
	}
	return len(text) > 1 || isLetter(text[0])
}

// tokenOf returns the first of eight bytes and the letters after it.
func tokenOf(next uint64) uint64 {
	end := ^lettersIn(next) & (each &^ 0xff)
	return next & ((end&-end)>>7 - 1) // all, if there is no end
}

// Constants for eight bytes in one number: ones times a byte repeats it eight times, and each is the highest bit of
// each byte.
const (
	ones = 0x0101010101010101
	each = 0x80 * ones
)

// lettersIn returns the highest bit of each of eight bytes that is a letter by isLetter.
func lettersIn(x uint64) uint64 {
	low := x &^ each
	small := low | 0x20*ones
	letter := (small + (0x80-'a')*ones) &^ (small + (0x7f-'z')*ones)
	digit := (low + (0x80-'0')*ones) &^ (low + (0x7f-'9')*ones)
	line, dollar := low^'_'*ones, low^'$'*ones
	return (letter | digit | ^(line + 0x7f*ones) | ^(dollar + 0x7f*ones)) &^ x & each
}

// hashOf returns the index of a token of up to eight bytes in a table of 64.
func hashOf(token uint64) uint64 { return token * 0x9e3779b97f4a7c15 >> 58 }

// named returns the word at the start of a text whose first token is given, or nil.
func (r *reading) named(rest string, token uint64) *shortWord {
	for i := r.first[hashOf(token)]; i != 0; {
		w := &r.words[i-1]
		i = w.next
		if token == w.text && (w.n < 8 || strings.HasPrefix(rest, w.of.Text) && (w.n == len(rest) || !isLetter(rest[w.n]))) {
			return w
		}
	}
	return nil
}

// A row may have many suffixes, and an operand many parts after it. If all texts of them are tokens, one look-up
// finds which of them is present, and its value.

// A choice is the words of some kinds that follow one another in any order. It is filled at its first use.
type choice struct {
	once  sync.Once
	kinds []*reading
	first [64]uint8 // by hash: 1 + the index of the first candidate in words
	words []chosen
}

// A chosen is a word of a kind, by its number.
type chosen struct {
	text uint64
	word *shortWord
	kind uint8
	next uint8 // 1 + the index of the next word with the hash; 0: none
}

// Limits on the kinds and words of a choice.
const (
	maxKinds = 12
	maxWords = 255
)

// A choiceKey identifies a choice.
type choiceKey [maxKinds]*reading

// choice returns that of n kinds, or nil if not all of their texts are tokens, or there are too many.
func (m *maker) choice(n int, kind func(i int) *reading) *choice {
	if n < 1 || n > maxKinds {
		return nil
	}
	var key choiceKey
	words := 0
	for i := range n {
		if key[i] = kind(i); key[i] == nil || !key[i].tokens {
			return nil
		}
		words += len(key[i].words)
	}
	if words > maxWords {
		return nil
	}
	c := m.choices[key]
	if c == nil {
		c = &choice{kinds: append([]*reading(nil), key[:n]...)}
		m.choices[key] = c
	}
	return c
}

// fill lists the words in the order of the kinds, and within a kind in its own order.
func (c *choice) fill() {
	for k, r := range c.kinds {
		for i := range r.words {
			c.words = append(c.words, chosen{text: r.words[i].text, word: &r.words[i], kind: uint8(k)})
		}
	}
	for i := len(c.words) - 1; i >= 0; i-- {
		w := &c.words[i]
		h := hashOf(w.text)
		w.next, c.first[h] = c.first[h], uint8(i+1)
	}
}

// find returns the first word of the kinds in left that rest begins with, or nil; next is the first eight bytes of
// rest.
func (c *choice) find(rest string, next, left uint64) *chosen {
	c.once.Do(c.fill)
	token := tokenOf(next)
	for i := c.first[hashOf(token)]; i != 0; {
		x := &c.words[i-1]
		if i = x.next; token == x.text && left>>x.kind&1 != 0 {
			if w := x.word; w.n < 8 || strings.HasPrefix(rest, w.of.Text) && (w.n == len(rest) || !isLetter(rest[w.n])) {
				return x
			}
		}
	}
	return nil
}

// quickSuffixes reads suffixes that fit, up to one that does not. It returns those read, one bit each.
func (s *Scan) quickSuffixes(d *Def, in *Inst) (seen uint64) {
	for s.Pos < len(s.Line) && d.heads.has(s.Line[s.Pos]) {
		x := d.choice.find(s.Line[s.Pos:], s.eight(), ^seen)
		if x == nil {
			break
		}
		i := d.free[Suffix][x.kind]
		if a := &d.Args[i]; a.bits {
			if !a.fits(x.word.value) || a.Kind.reserved(x.word.value) {
				break
			}
			a.set(&in.Word, x.word.value)
		}
		s.at[i] = int32(s.Pos)
		seen |= 1 << x.kind
		s.Pos += x.word.n
	}
	return seen
}

// quickParts reads the parts in left after an operand that fit, up to one that does not. It returns those not read.
func (s *Scan) quickParts(a *Arg, in *Inst, left uint64) uint64 {
	for s.Pos < len(s.Line) && a.tails.has(s.Line[s.Pos]) {
		x := a.choice.find(s.Line[s.Pos:], s.eight(), left)
		if x == nil {
			break
		}
		p := &a.Parts[a.back[x.kind]]
		if p.Shared || !p.fits(x.word.value) || p.Kind.reserved(x.word.value) {
			break
		}
		p.set(&in.Word, x.word.value)
		if left &^= 1 << x.kind; !a.AnyOrder {
			left &^= 1<<x.kind - 1
		}
		s.Pos += x.word.n
	}
	return left
}
