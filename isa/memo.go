package isa

import (
	"math/bits"
	"strings"
)

// Lines follow each other that have the same mnemonics and the same words. A scan remembers what it found for them: the rows of a
// name, and the first of them whose words are there. Both are told by the set alone, so they hold for any line.

// memoSize is how many entries there are of each. It is a power of two.
const (
	memoBits = 7
	memoSize = 1 << memoBits
)

// A Memo is what a scan remembers. Scans may have one after another, for any sets. Entries are found by a hash, and a newer one takes the place of an older one.
type Memo struct {
	names [memoSize]mnemonic
	stems [memoSize]mnemonic // of words without what is no part of a name for sure
	rows  [memoSize]knownRow
	other mnemonic // of a word that is too long to be remembered
	// patterns are nil until there are some lines.
	patterns *patterns
	lines    int
}

// A mnemonic is the longest name of a set that a word may begin with: it ends where one may end.
type mnemonic struct {
	set   *Set
	rows  []*Def
	needs []needs // of the rows, where they are more than fewRows
	n     int32   // bytes of the name; 0: there is none
	size  uint8   // of the word
	word  [maxKnown]byte
}

// maxKnown is the longest word that is remembered.
const maxKnown = 47

// A knownRow is the first of some rows that a text with these words and prefixes may fit; as many as there are: none.
type knownRow struct {
	of       *needs // of the first row: tells the name and the set
	words    vocabulary
	prefixes uint32
	first    int32
}

// head is the word at Pos, and its mnemonic. Both are valid until the next look for one.
func (s *Scan) head() (string, *mnemonic) {
	if s.Memo == nil {
		s.Memo = new(Memo)
	}
	if rest := s.Line[s.Pos:]; !s.Every {
		if n := toBlank(rest); n > 0 && n <= maxKnown { // a remembered text is a word
			if m := s.Memo.at(rest[:n]); m.is(s.Target.Set, rest[:n]) {
				return rest[:n], m
			}
		}
	}
	w := s.Word()
	return w, s.mnemonic(w)
}

// toBlank is how many bytes of a text stand in front of the first blank or control byte.
func toBlank(text string) (n int) {
	for ; n+8 <= len(text); n += 8 {
		x := eightOf(text[n:])
		if low := (x - 0x2121212121212121) &^ x & 0x8080808080808080; low != 0 {
			return n + bits.TrailingZeros64(low)/8
		}
	}
	for n < len(text) && text[n] > ' ' {
		n++
	}
	return n
}

// at is where a word of a set is remembered, which is not empty.
func (m *Memo) at(w string) *mnemonic { return &m.names[slotOf(w)] }

// cut is where the first bytes of words are, which are not none.
func (m *Memo) cut(w string) *mnemonic { return &m.stems[slotOf(w)] }

// slotOf is where a word is, by its first and last bytes, in a table of memoSize.
func slotOf(w string) uint64 {
	var h uint64
	switch n := len(w); {
	case n >= 8:
		h = eightOf(w) ^ bits.RotateLeft64(eightOf(w[n-8:]), 29)
	case n >= 4:
		h = uint64(fourOf(w)) | uint64(fourOf(w[n-4:]))<<32
	default:
		h = uint64(w[0]) | uint64(w[n>>1])<<8 | uint64(w[n-1])<<16
	}
	return (h ^ uint64(len(w))) * 0x9e3779b97f4a7c15 >> (64 - memoBits)
}

func (m *mnemonic) is(set *Set, w string) bool {
	return m.set == set && string(m.word[:m.size]) == w
}

// mnemonic is the longest name of the target's set that a word may begin with.
func (s *Scan) mnemonic(w string) *mnemonic {
	set, m := s.Target.Set, &s.Memo.other
	if w == "" {
		*m = mnemonic{}
		return m
	}
	remember := len(w) <= maxKnown && !s.Every
	if remember {
		if m = s.Memo.at(w); m.is(set, w) {
			return m
		}
	}
	if n := set.longestIn(w); n < len(w) && n > 0 && remember { // many words go on behind one name
		k := s.Memo.cut(w[:n])
		if !k.is(set, w[:n]) {
			k.find(set, w[:n])
		}
		m.set, m.rows, m.needs, m.n = set, k.rows, k.needs, k.n
	} else {
		m.find(set, w[:n])
	}
	m.size = 0
	if remember {
		m.size = uint8(copy(m.word[:], w))
	}
	return m
}

// find makes it the longest name of the set that a word may begin with, or be.
func (m *mnemonic) find(set *Set, w string) {
	found, n := knownName{}, len(w)
	for ; n > 0; n = strings.LastIndexAny(w[:n], set.ends) {
		if found = set.lookUp(w[:n]); found.rows != nil {
			break
		}
	}
	m.set, m.rows, m.needs, m.n, m.size = set, found.rows, found.needs, int32(max(0, n)), 0
	if len(w) <= maxKnown {
		m.size = uint8(copy(m.word[:], w))
	}
}

// firstMet is the index of the first row whose needs are met; len(list): there is none.
func (m *Memo) firstMet(list []needs, words vocabulary, prefixes uint32) int {
	h := (words.all^words.outside>>7^uint64(prefixes))*0x9e3779b97f4a7c15 ^ uint64(len(list))
	k := &m.rows[h>>(64-memoBits)]
	if k.of == &list[0] && k.words == words && k.prefixes == prefixes {
		return int(k.first)
	}
	first := 0
	for first < len(list) && !list[first].met(words, prefixes) {
		first++
	}
	*k = knownRow{&list[0], words, prefixes, int32(first)}
	return first
}
