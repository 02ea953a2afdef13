package isa

// ParseAll is Parse that passes over no row.
func (s *Scan) ParseAll(in *Inst) error { return s.parse(in, false) }

// WordsIn and WordBit are the bits of the words of a text, and of one word.
var (
	WordsIn = wordsIn
	WordBit = wordBit
)
