package isa

import (
	"math/bits"
	"strings"
)

// Consecutive lines often have the same mnemonics and the same words. A scan caches what it found for them: the rows
// of a name, and the first row whose words are present. Both depend on the set alone, so they hold for any line.

// memoSize is the number of entries of each cache. It must be a power of two.
const (
	memoBits = 7
	memoSize = 1 << memoBits
)

// A Memo is the cache of a scan. It may be passed from one scan to the next, for any sets. Entries are found by a
// hash; a newer entry replaces an older one.
type Memo struct {
	names [memoSize]mnemonic
	stems [memoSize]mnemonic // of words, without the part that is certainly not a name
	rows  [memoSize]knownRow
	other mnemonic // for words too long to cache
}

// A mnemonic is the longest name of a set at the start of a word; it must end where one may end.
type mnemonic struct {
	set   *Set
	rows  []*Def
	needs []needs // of the rows, if there are more than fewRows
	n     int32   // bytes of the name; 0: there is none
	size  uint8   // of the word
	word  [maxKnown]byte
}

// maxKnown is the length of the longest word that is cached.
const maxKnown = 47

// A knownRow is the index of the first of some rows that a text with these words and prefixes may fit, or the number
// of rows if there is none.
type knownRow struct {
	of       *needs // of the first row: identifies the name and the set
	words    vocabulary
	prefixes uint32
	first    int32
}

// head returns the word at Pos, and its mnemonic. Both are valid until the next call.
func (s *Scan) head() (string, *mnemonic) {
	if s.Memo == nil {
		s.Memo = new(Memo)
	}
	if rest := s.Line[s.Pos:]; !s.Every {
		if n := toBlank(rest); n > 0 && n <= maxKnown { // a cached text is a word
			if m := s.Memo.at(rest[:n]); m.is(s.Target.Set, rest[:n]) {
				return rest[:n], m
			}
		}
	}
	w := s.Word()
	return w, s.mnemonic(w)
}

// toBlank returns the length of a text before the first blank or control byte.
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

// at returns the entry of a word of a set, which must not be empty.
func (m *Memo) at(w string) *mnemonic { return &m.names[slotOf(w)] }

// cut returns the entry of the first bytes of words, which must not be empty.
func (m *Memo) cut(w string) *mnemonic { return &m.stems[slotOf(w)] }

// slotOf returns the index of a word, by its first and last bytes, in a table of memoSize.
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

// mnemonic returns the longest name of the target's set that a word may begin with.
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
	if n := set.longestIn(w); n < len(w) && n > 0 && remember { // many words share one name
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

// find sets m to the longest name of the set that a word begins with, or is.
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

// firstMet returns the index of the first row whose needs are met, or len(list) if there is none.
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
