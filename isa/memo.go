package isa

// Lines follow each other that have the same mnemonics and the same words. A scan remembers what it found for them: the rows of a
// name, and the first of them whose words are there. Both are told by the set alone, so they hold for any line.

// memoSize is how many entries there are of each. It is a power of two.
const memoSize = 64

// A memo is what a scan remembers. Entries are found by a hash, and a newer one takes the place of an older one.
type memo struct {
	names [memoSize]knownName
	rows  [memoSize]knownRow
}

// A knownName is the rows of a name of a set.
type knownName struct {
	set   *Set
	name  string
	rows  []*Def
	needs []needs // of the rows, where they are more than fewRows
}

// A knownRow is the first of some rows that a text with these words and prefixes may fit; as many as there are: none.
type knownRow struct {
	of       *needs // of the first row: tells the name and the set
	words    vocabulary
	prefixes uint32
	first    int32
}

// lookUp is the rows of a name of the target's set and, if they are many, their needs.
func (s *Scan) lookUp(name string) ([]*Def, []needs) {
	if s.memo == nil {
		s.memo = new(memo)
	}
	n := len(name)
	h := uint32(name[0])*5 + uint32(name[n>>1])*3 + uint32(name[n-1]) + uint32(n)*11
	k := &s.memo.names[h%memoSize]
	if k.set == s.Target.Set && k.name == name {
		return k.rows, k.needs
	}
	found := s.Target.lookUp(name)
	if found.set != nil {
		*k = found
	}
	return found.rows, found.needs
}

// firstMet is the index of the first row whose needs are met; len(list): there is none.
func (m *memo) firstMet(list []needs, words vocabulary, prefixes uint32) int {
	h := (words.all^words.outside>>7^uint64(prefixes))*0x9e3779b97f4a7c15 ^ uint64(len(list))
	k := &m.rows[h>>32%memoSize]
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
